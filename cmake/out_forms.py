#!/usr/bin/env python3
"""Writes the `out` forms that follow from other declarations: those of lists (_foreach_add_out, from
extension/foreach*.h) and those with the results last (add_outf, from every add_out). What it writes is
checked in, so that a name can be found by grep.

  out_forms.py            writes extension/foreach_out.h and extension/outf_....h
  out_forms.py --check    writes nothing; fails where one of them is stale
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ["extension/foreach_unary.h", "extension/foreach.h"]
# PyTorch has no `out` form of it.
LISTS_WITHOUT = {"_foreach_mm"}
# PyTorch has them without the last argument, too.
SHORTER = {"rand_out", "randn_out", "randperm_out", "range_out"}
# What a header of forms with the results last says that it has, and what it is made from; a header
# that several take is the first one's.
FAMILIES = {
    "outf_pointwise.h": ("pointwise functions", ["ops/elementwise/*.h"]),
    "outf_ops.h": ("the other families of ops/", ["ops/**/*.h", "extension/overloads.h"]),
    "outf_lists.h": ("functions of lists", ["extension/foreach_out.h"]),
    "outf_nn.h": ("functions of networks", ["extension/out_forms_nn.h"]),
    "outf_overloads.h": ("further overloads", ["extension/out_forms_overloads.h"]),
    "outf_numbers.h": ("functions of numbers", ["extension/out_forms_numbers.h"]),
    "outf_random.h": ("random functions and factories", ["extension/out_forms_random.h"]),
    "outf_tensors.h": ("functions that move and map elements", ["extension/out_forms_tensors.h"]),
}
COLUMNS = 100


def split(parameters):
    """The parameters of a list, cut at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for c in parameters:
        depth += (c in "<({") - (c in ">)}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def parameter(text):
    """(declaration without its default, its name)"""
    declared = text.partition("=")[0].strip()
    return declared, re.search(r"(\w+)$", declared).group(1)


def functions(path):
    """[(result, name, [parameter])] of the functions that a header declares in namespace torch::taper itself."""
    text = (ROOT / path).read_text()
    text = re.sub(r"/\*(\w+)\*/", r"\1", text)  # names of parameters that are not read
    text = re.sub(r"//.*", "", re.sub(r"(?m)^\s*#.*(\\\n.*)*$", "", text))
    found, scopes, begun, brackets = [], [], "", 0
    for c in text:
        brackets += (c == "(") - (c == ")")
        if c not in "{};" or brackets:
            begun += c
            continue
        if c == "}" and scopes:
            scopes.pop()
        elif scopes == ["namespace torch::taper"] or not scopes:
            found.append(" ".join(begun.split()))
        if c == "{":
            scopes.append(" ".join(begun.split()))
        if c != "}" or scopes == ["namespace torch::taper"]:
            begun = ""
    matches = (re.fullmatch(r"(?:inline )?([\w:<>&, ]+?)\s(\w+)\((.*)\)", f) for f in found)
    return [(m.group(1), m.group(2), split(m.group(3))) for m in matches if m]


def wrapped(head, parameters, body):
    """A definition in the lines of .clang-format."""
    one = f"inline {head}({', '.join(parameters)}) {{"
    if len(one) + len(body) + 3 <= COLUMNS:
        return [f"{one} {body} }}"]
    lines, indent = [f"inline {head}("], " " * len(f"inline {head}(")
    for i, p in enumerate(parameters):
        piece = p + ("," if i + 1 < len(parameters) else ") {")
        if i and len(lines[-1]) + 1 + len(piece) > COLUMNS:
            lines.append(indent + piece)
        else:
            lines[-1] += (" " if i else "") + piece
    call, indent = "  " + body, " " * (body.index("(") + 3)
    while len(call) > COLUMNS:
        cut = call.rindex(", ", 0, COLUMNS) + 1
        lines.append(call[:cut])
        call = indent + call[cut + 1:]
    return lines + [call, "}"]


def out_forms_of_lists():
    lines = []
    for result, name, parameters in (f for path in LISTS for f in functions(path)):
        if (result != "std::vector<Tensor>" or not name.startswith("_foreach_") or
                name in LISTS_WITHOUT or not parameters[0].startswith("TensorList ")):
            continue
        names = [parameter(p)[1] for p in parameters]
        lists = ", ".join(parameter(p)[1] for p in parameters if p.startswith("TensorList "))
        call = f'detail::store_foreach("{name}", out, {{{lists}}}, [&] {{ return {name}({", ".join(names)}); }});'
        lines += [f"/// {name} into the tensors of `out`."]
        lines += wrapped(f"void {name}_out", ["TensorList out", *parameters], call)
    return lines


def with_results_last(paths):
    lines = []
    for result, name, parameters in (f for path in paths for f in functions(path)):
        if not name.endswith("_out"):
            continue
        outs = [p for p in parameters if re.match(r"Tensor& ", p)]
        if result == "void":
            outs = parameters[:1]
        if not outs or parameters[:len(outs)] != outs:
            continue
        for some in [parameters] + [parameters[:-1]] * (name in SHORTER):
            moved = [parameter(p)[0] for p in some[len(outs):] + outs]
            call = f"{name}({', '.join(parameter(p)[1] for p in some)});"
            lines += wrapped(f"{result} {name}f", moved, call if result == "void" else "return " + call)
    return lines


def header(about, includes, lines):
    return "\n".join([
        *about, "// Written by cmake/out_forms.py.", "#pragma once", "",
        *(f"#include <taper/{path}>" for path in includes), "", "#pragma GCC visibility push(default)",
        "", "// clang-format off", "namespace torch::taper {", "", *lines, "", "}  // namespace torch::taper",
        "// clang-format on", "", "#pragma GCC visibility pop", ""])


def headers():
    """{path: text}"""
    path = "extension/foreach_out.h"
    yield path, header(
        ["// The `out` forms of LibTorch's functions of lists: results go into the tensors of `out`, by the",
         "// rules of ops/shared/out.h, on devices by a launch for all."],
        ["extension/foreach.h", "extension/store_results.h"], out_forms_of_lists())
    taken = set()
    for name, (of, patterns) in FAMILIES.items():
        paths = sorted(str(p.relative_to(ROOT)) for pattern in patterns for p in ROOT.glob(pattern))
        paths = [p for p in paths if p not in taken and with_results_last([p])]
        taken.update(paths)
        yield f"extension/{name}", header(
            [f"// The `out` forms of {of},", "// with the results last, as LibTorch's ..._outf have them."],
            paths, ["/// ..._out with the results last, and without default values.", "///@{",
                    *with_results_last(paths), "///@}"])


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    stale = []
    for path, text in headers():
        file = ROOT / path
        if file.exists() and file.read_text() == text:
            continue
        stale.append(path)
        if not sys.argv[1:]:
            file.write_text(text)
            print(f"wrote {path}")
    if sys.argv[1:]:
        print("".join(f"{path} is stale: run ./dev declarations\n" for path in stale) or
              "out forms: as the declarations say")
    return 1 if sys.argv[1:] and stale else 0


if __name__ == "__main__":
    sys.exit(main())
