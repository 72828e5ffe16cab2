"""What Doxygen's XML says: classes, members, parameters."""
import concurrent.futures
import dataclasses
import re
import xml.etree.ElementTree as ElementTree

from . import headers

HIDDEN = re.compile(r"\b(detail|impl)\b|::Impl$|^(std|gloo)(::|$)|@")


@dataclasses.dataclass
class Parameter:
    type: str
    name: str
    default: str


@dataclasses.dataclass
class Member:
    kind: str  # function, variable, typedef, enum
    scope: str
    name: str
    file: str
    line: int
    end: int
    type: str = ""
    default: str = ""
    parameters: list = dataclasses.field(default_factory=list)
    template: str = ""
    words_before: str = ""  # static, explicit, virtual
    words_behind: str = ""  # const = default
    values: list = dataclasses.field(default_factory=list)  # of an enum: (name, documentation)
    overrides: bool = False
    protected: bool = False
    text: str = ""  # documentation
    own: bool = False  # the documentation stands behind the declaration

    @property
    def path(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name


@dataclasses.dataclass
class Class:
    id: str
    kind: str
    path: str
    file: str
    line: int
    template: str = ""
    bases: list = dataclasses.field(default_factory=list)  # (id, text)
    inner: list = dataclasses.field(default_factory=list)  # ids
    text: str = ""
    members: list = dataclasses.field(default_factory=list)

    @property
    def name(self):
        return self.path.rpartition("::")[2]


def tidy(text):
    """C++ as people write it."""
    text = re.sub(r"\s+", " ", text or "").strip()
    text = re.sub(r"\s+([>,;)])", r"\1", re.sub(r"([<(])\s+", r"\1", text))
    text = re.sub(r"([\w>])\s+<(?!=)", r"\1<", text)
    return re.sub(r"\s+([&*]+)(?=[\s,>)]|$)", r"\1", text)


def flat(node):
    return tidy("".join(node.itertext())) if node is not None else ""


def verbatim(node, part):
    return [t.text or "" for t in node.findall(f"{part}//verbatim")]


def documentation(node):
    """(text, whether it stands behind the declaration); headers.py has made verbatim blocks."""
    blocks = verbatim(node, "briefdescription") + verbatim(node, "detaileddescription") or verbatim(node, "inbodydescription")[:1]
    own = any(b.startswith(headers.OWN) for b in blocks)
    lines = "\n\n".join(blocks).replace(headers.OWN, "").split("\n")
    return "\n".join(re.sub(r"^\s*///<? ?", "", line) for line in [lines[0].strip(), *lines[1:]]).rstrip(), own


def place(node):
    """(file, line, last line)."""
    at = node.find("location")
    line = int(at.get("line"))
    last = int(at.get("bodyend", -1)) if at.get("bodyfile") == at.get("file") else -1
    return at.get("file").replace(".inc.h", ".inc"), line, max(line, last)


def template(node):
    listed = node.find("templateparamlist")
    if listed is None:
        return ""
    return "template <" + ", ".join(
        " ".join(filter(None, (flat(p.find("type")), flat(p.find("declname"))))) +
        (" = " + flat(p.find("defval")) if p.find("defval") is not None else "") for p in listed) + ">"


def parameters(node):
    found = [Parameter(flat(p.find("type")) + flat(p.find("array")), flat(p.find("declname")), flat(p.find("defval")))
             for p in node.findall("param")]
    return [p for p in found if p.type != "void" or p.name]


def words(node):
    """The words before and behind a function's declaration."""
    before = [w for w in ("static", "explicit", "constexpr") if node.get(w) == "yes"]
    before += ["virtual"] * (node.get("virt") in ("virtual", "pure-virtual"))
    behind = re.search(r"\)([^()]*)$", flat(node.find("argsstring")))
    return " ".join(before), (behind[1] if behind else "").replace("=0", " = 0").replace("=default", " = default") \
        .replace("=delete", " = delete").replace(" override", "").strip()


def member(node, scope):
    file, line, end = place(node)
    text, own = documentation(node)
    before, behind = words(node) if node.get("kind") == "function" else ("static" * (node.get("static") == "yes"), "")
    values = [(v.findtext("name"), documentation(v)[0]) for v in node.findall("enumvalue")]
    return Member(node.get("kind"), scope, node.findtext("name"), file, line, end, flat(node.find("type")),
                  flat(node.find("initializer")).lstrip("= "), parameters(node), template(node), before, behind, values,
                  node.find("reimplements") is not None, node.get("prot") == "protected", text, own)


def members(node, scope):
    return [member(m, scope) for m in node.iter("memberdef") if m.get("prot") != "private" and m.get("kind") in
            ("function", "variable", "typedef", "enum") and not (m.findtext("name") or "@").startswith("@")]


def read_class(node):
    file, line, _ = place(node)
    path = tidy(node.findtext("compoundname"))
    bases = [(b.get("refid"), tidy(b.text)) for b in node.findall("basecompoundref") if b.get("prot") == "public"]
    return Class(node.get("id"), node.get("kind"), path, file, line, template(node), bases,
                 [i.get("refid") for i in node.findall("innerclass") if i.get("prot") != "private"],
                 documentation(node)[0], members(node, path))


def read_file(file):
    """The classes and the members of namespaces in a file."""
    node = ElementTree.parse(file).getroot().find("compounddef")
    if node.get("kind") == "namespace":
        return [], members(node, node.findtext("compoundname"))
    declared = node.get("prot") != "private" and node.find("location") is not None and node.find("location").get("line")
    return ([read_class(node)] if declared else []), []


def read(folder):
    """([Class], [Member of a namespace]) in the order of files and lines."""
    files = [f for kind in ("class", "struct", "union", "namespace") for f in sorted(folder.glob(f"{kind}*.xml"))]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = list(pool.map(read_file, files, chunksize=64))
    classes = [c for part, _ in found for c in part]
    free = [m for _, part in found for m in part]
    in_order = lambda x: (x.file, x.line)
    for c in classes:
        c.members.sort(key=in_order)
    return sorted(classes, key=in_order), sorted(free, key=in_order)
