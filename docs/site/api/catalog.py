"""Which pages there are, and on which one a name stands.

A module, its Impl, its options and its state share a page, and so do all forms of a function. Types and constants of a header share one.
"""
import dataclasses
import re

from . import forms, groups, model

PARTS = ("Impl", "Options", "ParamState")


@dataclasses.dataclass
class Page:
    title: str  # nn::Conv2d
    path: str  # torch::taper::nn::Conv2d
    file: str  # the header that the page begins with
    kind: str  # class, functions, types
    classes: list = dataclasses.field(default_factory=list)
    members: list = dataclasses.field(default_factory=list)
    address: str = ""  # api/nn/Conv2d, without .md

    @property
    def group(self):
        return groups.group_of(self.file)

    @property
    def text(self):
        """The documentation of what the page is named after."""
        main = [c.text for c in self.classes if c.name in (self.name, self.name + "Impl")]
        return next((t for t in [*main, *(x.text for x in [*self.classes, *self.members])] if t), "")

    @property
    def name(self):
        return self.path.rpartition("::")[2]


class Catalog:
    def __init__(self, classes, free):
        self.classes = {c.path: c for c in classes}
        self.by_id = {c.id: c for c in classes}
        self.types = {m.path: m for m in [*free, *(m for c in classes for m in c.members)] if m.kind == "typedef"}
        self.pages, self.where = {}, {}  # {path of the page: Page}, {path of a name: (Page, anchor)}
        for c in classes:
            self.add_class(c)
        functions = [m for m in free if m.kind == "function" and not model.HIDDEN.search(m.path)]
        names = {(m.scope, forms.base(m.name)) for m in functions}
        for m in functions:
            self.add_function(m, names)
        for m in free:
            if m.kind != "function" and not model.HIDDEN.search(m.path) and not self.is_part(m.path, m):
                self.add_type(m)
        self.finish()

    # ---------------------------------------------------------------- what shares a page

    def whole(self, path):
        """The class of which another one is a part: Conv2d of Conv2dImpl; the class itself otherwise."""
        for part in PARTS if not is_plain_options(self.classes.get(path)) else ():
            of = path[:-len(part)] if path.endswith(part) else ""
            if of and (self.is_module(of) or part != "Impl" and of in self.classes):
                return of
        return path

    def is_module(self, path):
        """Whether a name holds a module: an alias of ModuleHolder, or a class that derives from it."""
        holds = lambda text: "ModuleHolder<" in text
        return self.is_holder(self.types.get(path)) or path in self.classes and any(holds(text) for _, text in self.classes[path].bases)

    @staticmethod
    def is_holder(member):
        return member is not None and member.type.startswith("ModuleHolder<")

    def is_part(self, path, member):
        """Whether a type stands on the page of a class: a holder, or the options of one."""
        if self.is_holder(member) or self.whole(path) != path:
            page = self.pages.get(self.whole(path))
            if page:
                self.where[path] = (page, "options" if path.endswith("Options") else "")
            return page is not None
        return False

    def outer(self, path):
        """The outermost class around a nested one."""
        parts = path.split("::")
        return next((p for p in ("::".join(parts[:n]) for n in range(1, len(parts) + 1)) if p in self.classes), path)

    def page(self, path, title, file, kind):
        return self.pages.setdefault(path, Page(title, path, file, kind))

    def add_class(self, c):
        if model.HIDDEN.search(c.path) or "<" in c.path:
            return
        path = self.whole(self.outer(c.path))
        page = self.page(path, groups.short(path), c.file, "class")
        if c.path == path + "Impl" or c.path == path:
            page.file = c.file
        page.classes.append(c)
        self.where[c.path] = (page, "options" if c.path == path + "Options" else "" if c.path in (path, path + "Impl") else anchor(c.name))

    def add_function(self, m, names):
        name = page_name(m, names)
        path = f"{m.scope}::{name}"
        title = groups.short(path) if " " not in name else name
        page = self.page(path + "()", title, m.file, "functions")
        page.members.append(m)
        self.where.setdefault(m.path, (page, anchor(m.name) if " " in name else ""))

    def add_type(self, m):
        path = f"{m.scope}::{m.file}"
        page = self.page(path, f"Types and constants of {m.file}", m.file, "types")
        page.members.append(m)
        self.where.setdefault(m.path, (page, anchor(m.name)))

    def finish(self):
        """Puts each page's most important member first, and names the files, which differ in more than capitals."""
        taken = set()
        for page in self.pages.values():
            if page.kind == "functions":
                page.members.sort(key=lambda m: (is_generated(m.file), m.name.startswith("_"), m.name.endswith("backward")))
                page.file = page.members[0].file
            name = groups.short(page.path).replace("()", "").replace("::", "/").replace(" ", "_")
            name = re.sub(r"[^\w/.-]", "", name).replace(".", "_")
            while name.lower() in taken:
                name += "-" + page.kind
            taken.add(name.lower())
            page.address = f"api/{name}"

    # ---------------------------------------------------------------- names in texts

    def find(self, name, scope):
        """(page, anchor) of a name that stands in a scope; None without one."""
        parts = scope.split("::")
        paths = [name, *("::".join([*parts[:n], name]) for n in range(len(parts), 0, -1))]
        return next((self.where[p] for p in paths if p in self.where), None)

    def resolved(self, path, arguments=()):
        """(class, {template parameter: argument}) that a name of a class, or of another name for one, leads to."""
        if path in self.classes:
            return self.classes[path], dict(zip(parameter_names(self.classes[path].template), arguments))
        alias = self.types.get(path)
        match = re.match(r"(?:typename )?([\w:]+)(?:<(.*)>)?$", alias.type) if alias else None
        if not match:
            return None, {}
        given = dict(zip(parameter_names(alias.template), arguments))
        found = [given.get(a.strip(), a.strip()) for a in (match[2] or "").split(",")]
        parts = alias.scope.split("::")
        for n in range(len(parts), 0, -1):
            target = "::".join([*parts[:n], match[1]])
            if target != path and (target in self.classes or target in self.types):
                return self.resolved(target, found)
        return None, {}

    def lineage(self, c, seen=()):
        """A class and its bases in Taper."""
        found = [c]
        for base, _ in c.bases:
            if base in self.by_id and base not in seen:
                found += self.lineage(self.by_id[base], (*seen, base))
        return found


def is_plain_options(c):
    """Whether options have no data to show in a table, as TensorOptions: they have a page of their own."""
    return c is not None and c.name.endswith("Options") and not any(m.kind == "variable" and not m.name.endswith("_") for m in c.members)


def is_generated(file):
    return file.startswith("generated/")


def parameter_names(template):
    return re.findall(r"(\w+)(?: = [^,>]*)?[,>]", template.partition("<")[2])


def anchor(name):
    return re.sub(r"\W+", lambda m: "".join(f"-{ord(x):x}" for x in m[0] if x != " ") or "-", name)


def page_name(m, names):
    """The name of a function's page."""
    name = forms.base(m.name)
    if name.startswith("operator"):
        return f"Operators of {m.file}"
    if name.startswith("_foreach_"):
        return "Functions of lists, _foreach"
    if not name.startswith("_"):
        return name
    public = (name.lstrip("_"), re.sub(r"_backward$", "", name.lstrip("_")))
    return next((of for of in public if (m.scope, of) in names), f"Internal functions of {m.file}")
