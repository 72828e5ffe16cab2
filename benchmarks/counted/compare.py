#!/usr/bin/env python3
"""compare.py BEFORE AFTER: rows that Callgrind counted, from the files of two folders (counts.1, ...).

The format: https://valgrind.org/docs/manual/cl-format.html
"""
import collections
import glob
import math
import os
import re
import sys

WORSE = 0.97  # below it, a row's functions are printed
NAME = re.compile(r"\((\d+)\)(?: (.*))?$")
COST = re.compile(r"[+\-*\d]\S* (\d+)$")


def costs(path, names):
    """Function number -> instructions of its own; fills names."""
    own = collections.Counter()
    function, is_call = None, False
    with open(path, errors="replace") as lines:
        for line in lines:
            line = line.rstrip()
            key, _, value = line.partition("=")
            if key in ("fn", "cfn"):
                number, name = NAME.match(value).groups()
                if name:
                    names[number] = name
                if key == "fn":
                    function = number
            elif key == "calls":
                is_call = True  # the next line is what the call took, in all
            elif function and (found := COST.match(line)):
                if not is_call:
                    own[function] += int(found.group(1))
                is_call = False
    return own


def rows(folder):
    """Row -> function -> instructions of a call."""
    names, raw = {}, {}
    for path in glob.glob(os.path.join(folder, "counts.*")):
        own = costs(path, names)
        with open(path, errors="replace") as text:
            row = re.search(r"^desc: Trigger: Client Request: (.*) (\d+)$", text.read(), re.M)
        if row:
            raw[row.group(1)] = (own, int(row.group(2)))
    return {row: collections.Counter({names.get(f, f): n / calls for f, n in own.items()})
            for row, (own, calls) in raw.items()}


def print_growth(before, after):
    growth = {f: after[f] - before[f] for f in {*before, *after}}
    for f in sorted(growth, key=growth.get, reverse=True)[:3]:
        print("          %10.1f %10.1f  %s" % (before[f], after[f], f[:90]))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before, after = rows(sys.argv[1]), rows(sys.argv[2])
    common = [row for row in before if row in after]
    if not common:
        sys.exit("compare: no row was counted in both folders")
    ratios = {row: sum(before[row].values()) / sum(after[row].values()) for row in common}
    for row in sorted(common, key=ratios.get):
        print("%6.3f  %12.1f %12.1f  %s" %
              (ratios[row], sum(before[row].values()), sum(after[row].values()), row))
        if ratios[row] < WORSE:
            print_growth(before[row], after[row])
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print("geometric mean of %d rows: %.3f (more than 1: fewer instructions)" % (len(ratios), mean))


if __name__ == "__main__":
    main()
