#!/usr/bin/env python3
"""A header for Doxygen: forms of one function that stand directly below its documentation get it, too.

    with_forms.py HEADER

In headers one comment stands before all forms of a function: overloads, name_(), name_out(), name_outf(). In those of ops/ it is that
of all functions up to the next comment or empty line, but for those with one behind them (///<): "The larger (smaller) of two." Doxygen
takes it for that of the first. A comment that opens a group (///@{) is left to Doxygen, which gives it to all up to the ///@} itself.
framework/core/tensor.h comes with the methods that stand in a file of their own.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"\s*///(?!<)")
BRACKET = re.compile(r"\s*///\s*@[{}]")
# What a body has declarations in.
SCOPE = re.compile(r"\s*(?:template\s*<.*>\s*)?(?:class|struct|union|(?:inline\s+)?namespace|extern)\b")
NAME = re.compile(r"(operator\s*[^\s\w(]+|operator\(\)|~?\w+)\s*\(")


def base(declaration):
    """What the forms of a function share of their names; None of what is no function."""
    match = NAME.search(re.sub(r"\b(?:decltype|alignas|noexcept|explicit)\s*\([^()]*\)", "", declaration))
    if not match:
        return None
    name = match.group(1).replace(" ", "")
    return re.sub(r"(_outf|_out|_)$", "", name) or name


def with_forms(lines, of_all=False):
    """Lines with the comments repeated; of_all: before other functions of a run, too."""
    out, comment, documented, i = [], [], None, 0
    while i < len(lines):
        line = lines[i]
        if BRACKET.match(line):
            comment, documented = [], None
        elif COMMENT.match(line):
            comment = comment + [line] if out and COMMENT.match(lines[i - 1]) else [line]
            documented = ""  # what comes next is
        elif not line.strip() or line.lstrip().startswith(("//", "#", "}", "public", "private", "protected")) or not comment:
            comment, documented = [], None
        else:
            # A declaration goes on to the line that ends it.
            end = i
            while end + 1 < len(lines) and not re.search(r"[;{}]\s*(//.*)?$", lines[end]):
                end += 1
            this = base(" ".join(lines[i:end + 1]))
            own = "///<" in lines[end]
            if of_all and documented and this:
                documented = this
            if documented and this == documented and not own:
                out += comment
            elif documented != "":
                comment = []
            if documented == "":
                documented = this
            if not this or this != documented:
                comment, documented = [], None
            out += lines[i:end + 1]
            body = " ".join(lines[i:end + 1]).rstrip()
            if this is None and SCOPE.match(body):  # its body is read on
                comment, documented = [], None
            elif body.endswith("{"):  # a body of several lines: forms may stand behind it
                depth = body.count("{") - body.count("}")
                while depth > 0 and end + 1 < len(lines):
                    end += 1
                    depth += lines[end].count("{") - lines[end].count("}")
                    out.append(lines[end])
            i = end + 1
            continue
        out.append(line)
        i += 1
    return out


def declared(line):
    """What a macro of the headers stands for."""
    holder = re.match(r"(\s*)TAPER_(?:LIBRARY_)?MODULE\((\w+)\);$", line)
    if holder:
        return f"{holder[1]}/// Holds a {holder[2]}Impl, as LibTorch's does: what programs make, copy and call.\n" \
               f"{holder[1]}using {holder[2]} = ModuleHolder<{holder[2]}Impl>;"
    return "" if re.match(r"\s*TAPER_(LIBRARY_DEFAULT_ARGS|OPTIM_CLONED|LBFGS_HISTORY)\(.*\);?$", line) else line


def read(path):
    lines = "\n".join(map(declared, path.read_text().split("\n"))).split("\n")
    if path.parent.name == "core" and path.name == "tensor.h":
        at = next(i for i, line in enumerate(lines) if "tensor_methods.inc>" in line)
        lines[at + 1:at + 1] = (path.parent / "tensor_methods.inc").read_text().split("\n")
    return lines


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1])
    print("\n".join(with_forms(read(file), of_all="ops" in (file.parents[1].name, file.parents[2].name))))
