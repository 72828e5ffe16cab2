"""Pages of classes: a module with its options, an optimizer with its state, a class with the classes inside of it."""
import dataclasses
import re

from . import forms, markup, parts
from .catalog import anchor, parameter_names
from .page import TypePage, Writer

MANY = 60  # methods, from which on those that are functions too are only named


class ClassPage(Writer):
    @property
    def main(self):
        """The class that does the work: the Impl of a module."""
        return next((c for c in self.page.classes if c.name in (self.page.name, self.page.name + "Impl") and c.members),
                    self.page.classes[0])

    def body(self):
        main = self.main
        said = parts.commented(self.page.text, self.text, self.names(main))
        for base, _ in self.made_for(main):
            said += parts.commented(base.text, self.text)[1:]
        others = [c for c in self.page.classes if c is not main and c.path not in (self.page.path, f"{self.page.path}Options")]
        out = [*self.head(), *self.declared(main), *said, *self.options(), *self.members(main, 2)]
        for c in others:
            out += [markup.heading(2, c.path[len(self.page.path.rpartition("::")[0]):].lstrip(":"), anchor(c.name)),
                    *([] if c.text == self.page.text else parts.commented(c.text, self.text)), *self.members(c, 3)]
        return out + self.inherited(main) + self.see_also() + self.foot()

    def names(self, main):
        """Words that formulas may have: options and data."""
        options, _ = self.catalog.resolved(f"{self.page.path}Options")
        found = [m for c in (main, options) if c for k in self.catalog.lineage(c) for m in k.members if m.kind == "variable"]
        return {m.name for m in found} | {"size", "kernel"}

    def declared(self, c):
        """The declaration of a class that is no module."""
        if c.name != self.page.name:
            return []
        bases = ", ".join(f"public {b}" for _, b in c.bases)
        return [markup.code(filter(None, [c.template, f"{c.kind} {c.name}" + (f" : {bases}" if bases else "") + ";"]))]

    def options(self):
        path = f"{self.page.path}Options"
        table = parts.option_table(path, self.catalog, self.text)
        if not table:
            return []
        c, given = self.catalog.resolved(path)
        constructors = [parts.with_arguments(m, given) for m in c.members if m.kind == "function" and m.name == c.name]
        name = f"{self.page.name}Options"
        shown = markup.code([line for m in constructors for line in markup.declaration(m, name)]) if constructors else ""
        return [markup.heading(2, name, "options"), shown, table]

    # ---------------------------------------------------------------- members

    def made_for(self, c):
        """[(base, {template parameter: argument})] of the bases that are made for a class, as ConvNdImpl<2, Conv2dImpl> is."""
        found = [(self.catalog.by_id[i], text) for i, text in c.bases if i in self.catalog.by_id and c.name in text]
        return [(b, dict(zip(parameter_names(b.template), re.split(r",\s*", text.partition("<")[2][:-1]))))
                for b, text in found if b.name != "Cloneable"]

    def own(self, c):
        """Members of a class and of its bases that are made for it."""
        found, names = list(c.members), {m.name for m in c.members}
        for base, given in self.made_for(c):
            found += [parts.with_arguments(m, given) for m in base.members if m.name not in {base.name, *names}]
        return [m for m in found if not m.name.startswith("~") and (m.text or m.kind != "function" or not forms.needs_none(m))]

    def members(self, c, level):
        members = self.own(c)
        functions = [m for m in members if m.kind == "function"]
        constructors = [m for m in functions if m.name == c.name]
        methods = [m for m in functions if m.name != c.name and not m.name.startswith("operator")]
        operators = [m for m in functions if m.name.startswith("operator")]
        derived = [m for m in methods if m.protected]
        methods = [m for m in methods if not m.protected]
        out = self.section(level, "Constructors", constructors, c)
        out += self.methods(level, methods, c) + self.section(level, "Operators", operators, c)
        out += self.data(level, [m for m in members if m.kind == "variable" and not self.is_options(c)], c)
        out += self.section(level, "For derived classes", derived, c)
        return out + self.types(level, [m for m in members if m.kind in ("typedef", "enum")])

    def is_options(self, c):
        return c.path == f"{self.page.path}Options"

    def methods(self, level, methods, c):
        """Many methods: those that are functions too only by name."""
        named = [m for m in methods if self.function(m)] if len(methods) > MANY else []
        out = self.section(level, "Methods", [m for m in methods if m not in named], c)
        return out + (self.function_names(level, named) if named else [])

    def function(self, m):
        found = self.catalog.where.get(f"{c_scope(m)}::{m.name}") or self.catalog.where.get(f"{c_scope(m)}::{forms.base(m.name)}")
        return found[0] if found and found[0].kind == "functions" else None

    def function_names(self, level, methods):
        pages = {forms.base(m.name): self.function(m) for m in methods}
        items = "".join(f'<li><a href="{self.text.href(p.address)}">{name}</a></li>' for name, p in sorted(pages.items()))
        return [markup.heading(level, "Methods that are functions too", "functions"),
                self.text.paragraph("x.name(...) does what name(x, ...) does. Most have a form name_() that changes the tensor in place."),
                f'<ul class="names">{items}</ul>']

    def section(self, level, title, members, c):
        if not members:
            return []
        out = [markup.heading(level, title, f"{anchor(c.name)}-{title.lower().replace(' ', '-')}")]
        for said, run in parts.together(members):
            names = {p.name for m in run for p in m.parameters}
            out += [parts.declarations(self.renamed(run, c)), *parts.commented(said, self.text, names)]
        return out

    def renamed(self, members, c):
        """Constructors with the name that programs write: Conv2d, not Conv2dImpl."""
        if c.name != f"{self.page.name}Impl":
            return members
        return [dataclasses.replace(m, name=self.page.name, words_before="") if m.name == c.name else m for m in members]

    def data(self, level, members, c):
        if c.name == f"{self.page.name}Impl":
            members = [dataclasses.replace(m, type=f"{self.page.name}Options") if m.name == "options" else m for m in members]
        return [markup.heading(level, "Data", f"{anchor(c.name)}-data"), parts.data_table(members, self.text)] if members else []

    def types(self, level, members):
        out = [markup.heading(level, "Types", "types")] if members else []
        for m in members:
            out += [markup.code(TypePage.declared(m)), *parts.commented(m.text, self.text), parts.value_table(m, self.text)]
        return out

    def inherited(self, c):
        """Bases in Taper."""
        bases = [b for b in self.catalog.lineage(c)[1:] if self.catalog.where.get(b.path)]
        links = [self.text.linked(b.path, f"<code>{b.name}</code>") for b in bases]
        return [f"<p class=\"also\">Inherits {', '.join(dict.fromkeys(links))}.</p>"] if links else []


def c_scope(m):
    return m.scope.rpartition("::")[0]
