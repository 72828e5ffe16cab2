"""The public headers for Doxygen, with their comments kept as they are written: Doxygen reads "+ 1" at the start of a line as a list.

Each comment becomes a verbatim block. Copies have the lines of their headers, so that places stay right. The comment behind a
declaration (///<) begins with OWN.
"""
import re

OWN = "<own>"
BRACKET = re.compile(r"\s*///\s*@[{}]")
BEFORE = re.compile(r"(\s*///)(?![/<])(.*)")
BEHIND = re.compile(r"(.*?///<)(.*)")
INCLUDE = re.compile(r'^\s*#\s*include\s*<(taper/[^>]+)>', re.M)


def kind(line):
    """'before' or 'behind' the declaration of which the line has a comment; None without one."""
    if BRACKET.match(line):
        return None
    return "before" if BEFORE.match(line) else "behind" if BEHIND.match(line) else None


def block_end(lines, begin):
    """The line behind a comment's last one."""
    end = begin + 1
    if kind(lines[begin]) == "before":
        while end < len(lines) and kind(lines[end]) == "before":
            end += 1
    else:  # goes on in lines that have nothing else
        while end < len(lines) and lines[end].lstrip().startswith("///<"):
            end += 1
    return end


def verbatim(lines):
    """The lines of one comment as a verbatim block."""
    behind = kind(lines[0]) == "behind"
    pieces = [list((BEHIND if behind else BEFORE).match(line).groups()) for line in lines]
    pieces[0][1] = f" @verbatim {OWN if behind else ''}{pieces[0][1]}"
    pieces[-1][1] += " @endverbatim"
    return ["".join(p) for p in pieces]


def with_verbatim(text):
    """A header's text for Doxygen."""
    lines, out, at = text.split("\n"), [], 0
    while at < len(lines):
        end = block_end(lines, at) if kind(lines[at]) else at + 1
        out += verbatim(lines[at:end]) if kind(lines[at]) else lines[at:end]
        at = end
    return "\n".join(out)


def included(text):
    """The paths below taper/ of the headers that a text includes."""
    return [name[len("taper/"):] for name in INCLUDE.findall(text)]


class Headers:
    """Public headers: {path below taper/: file}."""

    def __init__(self, files, tree, generated):
        self.files = {}
        for file in files:
            base = tree if file.is_relative_to(tree) and not file.is_relative_to(generated) else generated / "taper"
            self.files[str(file.relative_to(base))] = file
        self.text = {path: file.read_text() for path, file in self.files.items()}
        self.pieces = {p: (tree / p).read_text() for t in self.text.values() for p in included(t) if p.endswith(".inc")}

    def reach(self, first):
        """The paths of the headers that one leads to, itself among them."""
        found, pending = set(), [first]
        while pending:
            path = pending.pop()
            if path in self.text and path not in found:
                found.add(path)
                pending += included(self.text[path])
        return found

    def write(self, folder):
        """Copies for Doxygen. A file that is included inside of Tensor becomes one more part of this class."""
        for path, text in self.text.items():
            put(folder / path, with_verbatim(text))
        for path, text in self.pieces.items():
            first, rest = text.split("\n", 1)
            put(folder / f"{path}.h", f"namespace torch::taper {{ class Tensor {{ public: {first}\n{with_verbatim(rest)}\n}}; }}\n")


def put(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
