"""The language of documentation comments: paragraphs, lists, code that is indented by four spaces; sentences for errors and shapes.

    Applies a linear map: y = x W^T + b. x is (..., in_features). Throws Error for other sizes.

        Linear linear(20, 30);
"""
import dataclasses
import re

ERRORS = re.compile(r"(It |They |Each |All |Both |\S+ also )?[Tt]hrows? |Errors?( of both)?:")
SHAPE = re.compile(r"\((N|B|T|L|S|C|E|\.\.\.|batch|\w+_features|\w+_size)(, [^()]*)\)|output size")
ABBREVIATION = re.compile(r"(\b(e\.g|i\.e|al|vs|cf|Eq|resp)|\.\.)\.$")


@dataclasses.dataclass
class Block:
    kind: str  # text, code, list
    lines: list

    @property
    def text(self):
        return " ".join(line.strip() for line in self.lines)


def kind_of(line):
    return "code" if line.startswith("    ") else "list" if re.match(r"\s*- ", line) else "text"


def blocks(text):
    """A comment's blocks in order."""
    found = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        for line in part.split("\n"):
            kind = kind_of(line)
            goes_on = found and found[-1].lines and not (kind == "code" and found[-1].kind == "text")
            if goes_on and found[-1].kind == "list" and kind == "text":
                kind = "list"
            if goes_on and found[-1].kind == kind:
                found[-1].lines.append(line)
            else:
                found.append(Block(kind, [line]))
        found.append(Block("text", []))
    return joined([b for b in found if b.lines or b.kind == "text"])


def joined(found):
    """Code on both sides of an empty line is one block."""
    out = []
    for b in found:
        if len(out) > 1 and not out[-1].lines and out[-2].kind == b.kind == "code":
            out.pop()
            out[-1].lines += ["", *b.lines]
        else:
            out.append(b)
    return [b for b in out if b.lines]


def sentences(text):
    """Full stops inside of brackets and quotes end none."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        ends = letter in ".?!:" and text[at + 1:at + 2] == " " and (letter != ":" or text[at + 2:at + 3] == "\n")
        if ends and depth <= 0 and not ABBREVIATION.search(text[begin:at + 1]) and re.match(r"[A-Z(`\"\d\w]", text[at + 2:]) \
                and text[begin:at + 1].count('"') % 2 == 0:
            found.append(text[begin:at + 1].strip())
            begin = at + 1
    return [s for s in [*found, text[begin:].strip()] if s]


@dataclasses.dataclass
class Comment:
    summary: str = ""
    rest: list = dataclasses.field(default_factory=list)  # blocks
    shapes: list = dataclasses.field(default_factory=list)
    errors: list = dataclasses.field(default_factory=list)
    examples: list = dataclasses.field(default_factory=list)  # their lines


def is_program(block):
    return any(re.search(r"[;{}]\s*(//.*)?$", line) for line in block.lines)


def sort_sentences(comment, block):
    """Puts a paragraph's sentences in their places."""
    kept = []
    for sentence in sentences(block.text):
        if not comment.summary:
            comment.summary = sentence
        elif ERRORS.match(sentence):
            comment.errors.append(sentence)
        elif SHAPE.search(sentence):
            comment.shapes.append(sentence)
        else:
            kept.append(sentence)
    if kept:
        comment.rest.append(Block("text", [" ".join(kept)]))


def read(text):
    comment = Comment()
    for block in blocks(text):
        if block.kind == "text":
            sort_sentences(comment, block)
        elif block.kind == "code" and is_program(block):
            comment.examples.append([line[4:] for line in block.lines])
        else:
            comment.rest.append(block)
    return comment


def summary(text):
    return read(text).summary
