#!/usr/bin/env python3
"""Checks that docs/libtorch_compatibility.md tells the truth about every name it lists.

usage: names_of_page.py PAGE WORK_DIR [--update] -- COMPILER FLAGS...

A section "## Title: `scope::`" lists names under "There:" and "Absent:". Each becomes one
using-declaration; the compiler's errors tell which of them the headers lack. With --update the page
is written anew, each name where it belongs.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

SECTION = re.compile(r"^## .*: `([\w:]+::)`$")
STATES = ("There", "Absent")


def read_page(text):
    """[(line number, scope, state, [name])] of the page."""
    entries, scope, state = [], None, None
    for number, line in enumerate(text.splitlines()):
        section = SECTION.match(line)
        if line.startswith("## "):
            scope = section.group(1) if section else None
        if not line.startswith("`"):  # such a line continues the one before
            state = line.partition(":")[0]
        if scope and state in STATES:
            entries.append((number, scope, state, re.findall(r"`(\w+)`", line)))
    return entries


def unwrapped(text):
    """The page with the names of a state in one line."""
    return re.sub(r"(?m)^((?:There|Absent): .*(?:\n`.*)+)", lambda lines: lines.group().replace("\n", " "), text)


def declaration(place, scope, name):
    """One line that compiles where the name is there, a member of a class or of a namespace."""
    if scope == "torch::Tensor::":
        return f"struct n{place} : torch::Tensor {{ using torch::Tensor::{name}; }};"
    return f"namespace n{place} {{ using {scope}{name}; }}"


def names_that_are_there(names, work, compiler):
    """The set of (scope, name) that compile."""
    work.mkdir(parents=True, exist_ok=True)
    source = work / "names.cpp"
    lines = ["#include <ATen/ATen.h>"]
    lines += [declaration(place, *name) for place, name in enumerate(names)]
    source.write_text("\n".join(lines) + "\n")
    all_errors = "-ferror-limit=0" if "clang" in pathlib.Path(compiler[0]).name else "-fmax-errors=0"
    command = compiler + ["-fsyntax-only", all_errors, str(source)]
    errors = subprocess.run(command, capture_output=True, text=True).stderr
    bad = {int(n) for n in re.findall(r"names\.cpp:(\d+):\d+: error:", errors)}
    if "error" in errors and not bad or 1 in bad:
        sys.exit(errors[-4000:])
    return {name for place, name in enumerate(names) if place + 2 not in bad}


def updated(text, there):
    """The page with each name under its state."""
    text = unwrapped(text)
    lines = text.splitlines()
    by_scope = {}
    for number, scope, state, names in read_page(text):
        place = by_scope.setdefault((scope, section_of(lines, number)), {"names": [], "lines": {}})
        place["names"] += names
        place["lines"][state] = number
    for (scope, _), place in by_scope.items():
        for state, number in place["lines"].items():
            wanted = [n for n in place["names"] if ((scope, n) in there) == (state == "There")]
            line = f"{state}: " + (" ".join(f"`{n}`" for n in sorted(wanted)) or "none")
            lines[number] = textwrap.fill(line, 120, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def section_of(lines, number):
    return max(i for i in range(number + 1) if lines[i].startswith("## "))


def main():
    arguments, compiler = sys.argv[1:], []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, compiler = arguments[:cut], arguments[cut + 1 :]
    if len(arguments) < 2 or not compiler:
        sys.exit(__doc__)
    page, work = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    text = page.read_text()
    entries = read_page(text)
    listed = [(scope, name) for _, scope, _, names in entries for name in names]
    if len(listed) < 1000 or len(set(listed)) != len(listed):
        twice = sorted({name for name in listed if listed.count(name) > 1})
        sys.exit(f"expected at least 1000 names, each once; got {len(listed)}, twice: {twice}")
    there = names_that_are_there(listed, work, compiler)
    if "--update" in arguments:
        page.write_text(updated(text, there))
        return
    wrong = [
        f"{page.name}:{number + 1}: {scope}{name} is {'there' if (scope, name) in there else 'absent'}"
        for number, scope, state, names in entries
        for name in names
        if ((scope, name) in there) != (state == "There")
    ]
    if wrong:
        sys.exit("\n".join(wrong) + "\nthe page says otherwise; run with --update")
    print(f"{len(listed)} names, {len(there)} there, {len(listed) - len(there)} absent, all as the page says")


main()
