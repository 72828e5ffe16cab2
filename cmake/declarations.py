#!/usr/bin/env python3
"""Writes the declarations of the pointwise ops from the table in framework/kernel/op_lists.h: the functions in
ops/elementwise/unary.h and binary.h, the methods in framework/core/tensor_methods.inc. What it writes is
checked in, so that a name can be found by grep and shows its documentation.

  declarations.py            writes the parts between "// from op_lists.h: NAME" and "// (end)"
  declarations.py --check    writes nothing; fails where a part is stale, and where a method of Tensor
                             has no documentation
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "framework/kernel/op_lists.h"


def table():
    """{kind: [(name, documentation)]}, for both lists of ops; {list: [(alias, name)]} of aliases."""
    text = (ROOT / TABLE).read_text()
    lists = {}
    for name, body in re.findall(r"#define TAPER_(\w+)\(X\)((?:.*\\\n)*.*)", text):
        entries = re.findall(r"X\((\w+), (\w+)\)(?:\s*/\*\s*(.*?)\s*\*/)?", body)
        if name.endswith("_ALIASES"):
            lists[name] = [(alias, of) for alias, of, _ in entries]
            continue
        for first, kind, doc in entries:
            if not doc:
                raise SystemExit(f"{TABLE}: {first} has no documentation: X({first}, {kind}) /* what it is */")
            lists.setdefault(kind, []).append((first, doc))
            lists.setdefault(name, []).append((first, doc))
    return lists


def of_kinds(lists, which, *kinds):
    """The ops of these kinds in the order of their list."""
    names = {name for kind in kinds for name, _ in lists[kind]}
    return [(name, doc) for name, doc in lists[which] if name in names]


def documented(doc, lines):
    return [f"/// {doc}", *lines]


def of_one(lists):
    def forms(name):
        return [f"Tensor {name}(const Tensor& x);", f"Tensor& {name}_(Tensor& x);",
                f"Tensor& {name}_out(Tensor& out, const Tensor& x);"]

    out = []
    for name, doc in lists["floating"] + lists["same"]:
        out += documented(doc, forms(name))
    for alias, name in lists["UNARY_ALIASES"]:
        out += documented(f"Calls {name}().", forms(alias))
    for name, doc in lists["test"]:
        out += documented(doc, [f"Tensor {name}(const Tensor& x);"])
    return out


def of_two(lists):
    number_first = [name for name, _ in lists["number_first"]]

    def forms(name, kinds=("Tensor", "Scalar")):
        return ([f"Tensor {name}(const Tensor& x, const {k}& y);" for k in kinds] +
                [f"Tensor& {name}_out(Tensor& out, const Tensor& x, const {k}& y);" for k in kinds])

    out = []
    for name, doc in of_kinds(lists, "BINARY_OPS", "with_numbers", "number_first", "comparison"):
        out += documented(doc, forms(name))
        if name in number_first:
            out += [f"Tensor {name}(const Scalar& x, const Tensor& y);",
                    f"Tensor& {name}_out(Tensor& out, const Scalar& x, const Tensor& y);"]
    for alias, name in lists["BINARY_ALIASES"]:
        out += documented(f"Calls {name}().", forms(alias))
    for name, doc in lists["tensors"] + lists["test_of_tensors"] + lists["extremum"]:
        out += documented(doc, forms(name, ("Tensor",)))
    return out


def methods_of_one(lists):
    out = []
    for name, doc in lists["floating"] + lists["same"]:
        out += documented(doc, [f"Tensor {name}() const;", f"Tensor& {name}_() const;"])
    for alias, name in lists["UNARY_ALIASES"]:
        out += documented(f"Calls {name}().",
                          [f"Tensor {alias}() const {{ return {name}(); }}",
                           f"Tensor& {alias}_() const {{ return {name}_(); }}"])
    for name, doc in lists["test"]:
        out += documented(doc, [f"Tensor {name}() const;"])
    return out


def methods_of_two(lists):
    def forms(name, kinds=("Tensor", "Scalar")):
        return [line for k in kinds
                for line in (f"Tensor {name}(const {k}& other) const;",
                             f"Tensor& {name}_(const {k}& other) const;")]

    out = []
    for name, doc in of_kinds(lists, "BINARY_OPS", "with_numbers", "number_first", "comparison"):
        out += documented(as_method(doc), forms(name))
    for alias, name in lists["BINARY_ALIASES"]:
        out += documented(f"Calls {name}().", forms(alias))
    for name, doc in lists["tensors"] + lists["test_of_tensors"]:
        out += documented(as_method(doc), forms(name, ("Tensor",)))
    for name, doc in lists["extremum"]:
        out += documented(as_method(doc), [f"Tensor {name}(const Tensor& other) const;"])
    return out


def as_method(doc):
    """Of a function of x and y, said of the tensor x and the argument `other`."""
    return re.sub(r"\by\b", "other", doc)


PARTS = {
    "ops/elementwise/unary.h": {"of one": of_one},
    "ops/elementwise/binary.h": {"of two": of_two},
    "framework/core/tensor_methods.inc": {"methods of one": methods_of_one,
                                     "methods of two": methods_of_two},
}


def written(text, name, lines):
    begin, end = f"// from op_lists.h: {name}\n", "// (end)\n"
    start = text.index(begin) + len(begin)
    return text[:start] + "".join(line + "\n" for line in lines) + text[text.index(end, start):]


def undocumented(text):
    """Methods that neither have documentation nor follow one that has, without a gap."""
    covered, open_brackets, missing = False, 0, []
    for line in text.splitlines():
        if open_brackets == 0:
            if line.startswith("///"):
                covered = True
            elif not line.strip() or line.startswith("//"):
                covered = False
            elif not covered:
                missing.append(line.strip())
        if not line.startswith("//"):
            open_brackets += sum(line.count(c) for c in "({") - sum(line.count(c) for c in ")}")
    return missing


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    check, wrong = bool(sys.argv[1:]), []
    lists = table()
    for path, parts in PARTS.items():
        old = (ROOT / path).read_text()
        new = old
        for name, lines in parts.items():
            new = written(new, name, lines(lists))
        if new != old and check:
            wrong.append(f"{path} is stale: run ./dev declarations")
        elif new != old:
            (ROOT / path).write_text(new)
            print(f"wrote {path}")
        if path.endswith(".inc"):
            wrong += [f"{path}: no documentation (///) of: {line}" for line in undocumented(new)]
    print("\n".join(wrong) if wrong else "declarations: as framework/kernel/op_lists.h says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
