#!/usr/bin/env python3
"""Prints a table from the TSV files of run.sh: ratios.py FOLDER [libtorch] taper"""
import math
import os
import statistics
import sys


def read(path):
    """name -> (values, unit), in the order of the file."""
    rows = {}
    with open(path) as f:
        for line in f:
            name, value, unit = line.split("\t")
            rows.setdefault(name, ([], unit.strip()))[0].append(float(value))
    return rows


def main():
    folder, peers = sys.argv[1], sys.argv[2:]
    tables = {p: read(os.path.join(folder, p + ".tsv")) for p in peers}
    ours = tables["taper"]
    theirs = tables.get("libtorch")
    print("%-18s %-4s %12s %12s %14s %12s" %
          ("row", "unit", "taper", "libtorch", "times (median)", "times (best)"))
    ratios = []
    for name, (values, unit) in ours.items():
        median = statistics.median(values)
        if not theirs or name not in theirs:
            print("%-18s %-4s %12.4g" % (name, unit, median))
            continue
        peer = theirs[name][0]
        ratios.append(statistics.median(peer) / median)
        print("%-18s %-4s %12.4g %12.4g %13.2fx %11.2fx" %
              (name, unit, median, statistics.median(peer), ratios[-1], min(peer) / min(values)))
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print("geometric mean: Taper is %.2f times as fast" % mean)


if __name__ == "__main__":
    main()
