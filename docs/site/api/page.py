"""Pages of classes, of functions, and of the types and constants of a header."""
import re

import sources
from . import comments, groups, markup, parts
from .catalog import anchor, is_generated

UMBRELLAS = ("taper.h", "nn/compile.h", "testing/testing.h", "testing/gtest.h", "utils/utils.h", "distributed/distributed.h", "train/trainer.h", "func/functional.h")


MANY = 40  # functions of one page, from which on it is a table


class Site:
    """What all pages need: the catalog, and which header leads to which."""

    def __init__(self, catalog, headers):
        self.catalog = catalog
        self.reach = {u: headers.reach(u) for u in UMBRELLAS}
        self.about = {path: about(text) for path, text in headers.text.items()}

    def include(self, file):
        """What a program includes for a header."""
        header = "framework/core/tensor.h" if file.endswith(".inc") else file
        for umbrella in UMBRELLAS:
            if header in self.reach[umbrella]:
                first = "torch/torch.h" if umbrella == "taper.h" else f"taper/{umbrella}"
                return [f"#include <{first}>"] + ([f"// or only: #include <taper/{header}>"] if first != f"taper/{header}" else [])
        return [f"#include <taper/{header}>"]


def about(text):
    """The comment at the beginning of a header, without its first sentence, which is its title."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    title, _, rest = "\n".join(lines).partition("\n\n")
    return rest


class Writer:
    """Writes one page."""

    def __init__(self, site, page):
        self.site, self.page, self.catalog = site, page, site.catalog
        scope = page.classes[0].path if page.classes else page.members[0].scope
        self.text = markup.Text(site.catalog, page, scope)

    def source(self, x):
        if is_generated(x.file):
            return x.file
        address = f"{sources.address(x.file)}#L{x.line}"
        return f'<a href="{self.text.href(address)}">{x.file}:{x.line}</a>'

    def head(self):
        """Title, way back, name and include."""
        title = next(t for key, t, _, _ in groups.GROUPS if key == self.page.group)
        crumbs = f'<p class="crumbs"><a href="{self.text.href("api/index")}">API reference</a> / ' \
                 f'<a href="{self.text.href(f"api/{self.page.group}")}">{title}</a></p>'
        return [crumbs, markup.heading(1, self.page.title), markup.code(self.site.include(self.page.file))]

    def foot(self):
        shown = sorted({(x.file, x.line): self.source(x) for x in [*self.page.classes, *self.page.members]}.items())
        links = list(dict.fromkeys(link for _, link in shown))
        more = "" if len(links) <= 4 else f", and {len(links) - 4} more declarations near them"
        return ['<p class="source">Source: ' + ", ".join(links[:4]) + more + "</p>"]

    def see_also(self):
        """Names that differ in capitals, underscores or namespaces only: conv2d, nn::Conv2d, nn::functional::conv2d."""
        others = [p for p in self.site.kin[plain(self.page)] if p is not self.page]
        links = [f'<a href="{self.text.href(p.address)}"><code>{p.title}</code></a>' for p in others]
        return [f"<p class=\"also\">See also: {', '.join(links)}</p>"] if links else []

    def header_notes(self):
        """What the header says of all of its functions."""
        said = self.site.about.get(self.page.file, "")
        body = "\n".join(parts.block(b, self.text) for b in comments.blocks(said))
        title = f"All functions of {self.page.file}"
        return [f'<details class="notes"><summary>{title}</summary>{body}</details>'] if said else []


def plain(page):
    return page.name.replace("()", "").replace("_", "").lower()


class FunctionPage(Writer):
    def body(self):
        if len({m.name for m in self.page.members}) > MANY:
            return [*self.head(), self.name_table(), *self.foot()]
        out = self.head()
        for said, members in parts.together(self.page.members):
            if " " in self.page.name:
                out += [markup.heading(2, members[0].name, anchor(members[0].name)), self.anchors(members[1:], members[0])]
            out += self.overloads(said, members)
        return out + self.options() + self.methods() + self.header_notes() + self.see_also() + self.foot()

    @staticmethod
    def anchors(members, first):
        """Places for the names that share the heading of the first."""
        return "".join(f'<a id="{anchor(n)}"></a>' for n in dict.fromkeys(m.name for m in members) if n != first.name)

    def name_table(self):
        """Many functions in short."""
        by_name = {m.name: m for m in reversed(self.page.members)}
        rows = [[f'<code id="{anchor(n)}">{markup.html.escape(n)}</code>', parts.note(m.text, self.text)] for n, m in sorted(by_name.items())]
        return markup.table(["name", "description"], rows, "names")

    def overloads(self, said, members):
        names = {p.name for m in members for p in m.parameters}
        return [parts.declarations(members), *parts.commented(said, self.text, names), parts.parameter_table(members, said, self.text)]

    def options(self):
        """Tables of the options that the functions take."""
        out, seen = [], set()
        for name in re.findall(r"\b(\w+Options)\b", " ".join(p.type for m in self.page.members for p in m.parameters)):
            table = "" if name in seen or name == "TensorOptions" else self.option_table(name)
            seen.add(name)
            out += [markup.heading(2, name, name.lower()), table] if table else []
        return out

    def option_table(self, name):
        scope = self.page.members[0].scope.split("::")
        paths = ["::".join([*scope[:n], name]) for n in range(len(scope), 0, -1)]
        return next((t for t in (parts.option_table(p, self.catalog, self.text) for p in paths) if t), "")

    def methods(self):
        """The methods of Tensor with the functions' name."""
        if self.page.path.rpartition("::")[0] != groups.ROOT:
            return []
        found = self.site.methods.get(self.page.name[:-2], [])
        return [markup.heading(2, "Methods of Tensor", "methods"), parts.declarations(found)] if found else []


class TypePage(Writer):
    def body(self):
        out = self.head()
        for said, members in parts.together(self.page.members):
            for m in members:
                out += [markup.heading(2, groups.short(m.path), anchor(m.name)), markup.code(self.declared(m))]
            out += [*parts.commented(said, self.text), *(parts.value_table(m, self.text) for m in members if m.values)]
        return out + self.foot()

    @staticmethod
    def declared(m):
        template = [m.template] if m.template else []
        if m.kind == "typedef":
            return [*template, f"using {m.name} = {m.type};"]
        if m.kind == "enum":
            return [f"enum class {m.name}" + (f" : {m.type}" if m.type else "") + ";"]
        return [*template, f"{m.type} {m.name}" + (f" = {m.default}" if m.default and not m.default.startswith("{") else m.default) + ";"]
