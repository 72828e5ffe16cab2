#!/usr/bin/env python3
"""table.py SUMMARY.json [--least PERCENT]: the tables of ./dev coverage, from gcovr's summary.

Lines and branches by top-level folder, and the 20 files whose lines are covered least (among those of
at least 20 lines). With --least it fails when a folder has a smaller part of its lines covered.
"""
import argparse
import collections
import json
import sys

FEWEST_LINES = 20  # one missed line of a tiny file says little


def percent(covered, total):
    return 100.0 * covered / total if total else 100.0


def in_tree(name):
    """The name in the tree of a header, which compilers find as BUILD/include/taper/..."""
    return name.rpartition("include/taper/")[2]


def by_folder(files):
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        counts = (file["line_covered"], file["line_total"], file["branch_covered"], file["branch_total"])
        for folder in (file["filename"].split("/")[0], "all"):
            sums[folder] = [a + b for a, b in zip(sums[folder], counts)]
    return sums


def print_folders(sums):
    print("| folder | lines | covered | branches | covered |")
    print("|---|---:|---:|---:|---:|")
    for folder in sorted(sums, key=lambda name: (name == "all", name)):
        lines, all_lines, branches, all_branches = sums[folder]
        print(f"| {folder} | {all_lines} | {percent(lines, all_lines):.1f} % "
              f"| {all_branches} | {percent(branches, all_branches):.1f} % |")


def print_least(files, count=20):
    large = [file for file in files if file["line_total"] >= FEWEST_LINES]
    large.sort(key=lambda file: percent(file["line_covered"], file["line_total"]))
    print(f"\nThe {min(count, len(large))} least covered files of {FEWEST_LINES} lines or more:\n")
    for file in large[:count]:
        missed = file["line_total"] - file["line_covered"]
        print(f"{percent(file['line_covered'], file['line_total']):6.1f} %  "
              f"{missed:4} of {file['line_total']:4} lines missed  {file['filename']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("summary")
    parser.add_argument("--least", type=float, default=0.0)
    arguments = parser.parse_args()
    with open(arguments.summary, encoding="utf-8") as text:
        files = json.load(text)["files"]
    if not files:
        sys.exit("coverage: the summary names no file: was the suite run in this build?")
    for file in files:
        file["filename"] = in_tree(file["filename"])
    sums = by_folder(files)
    print_folders(sums)
    print_least(files)
    low = [folder for folder, (lines, total, _, _) in sums.items() if percent(lines, total) < arguments.least]
    if low:
        sys.exit(f"coverage: fewer than {arguments.least:g} % of the lines of: {', '.join(sorted(low))}")


if __name__ == "__main__":
    main()
