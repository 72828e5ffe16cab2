#!/usr/bin/env python3
"""Compares random functions of Taper's torch::func with Python's torch.func.

    run.py --taper-include DIR [--taper-include DIR] --taper-lib libtaper.so --work DIR
           [--python PATH] [--programs N] [--seed S] [--show N]

A program composes 2 to 5 random ops (ops.py) and applies 1 to 3 random transformations, for instance grad of a vmap of
a jvp. generate.py writes it in both languages and runs Python's. Results are compared in float64 to 1e-8, relative to
the largest element. The first N programs that differ are printed (--show). KNOWN lists accepted differences.

Exit code 77 (skipped) when torch cannot be imported, 1 when programs differ."""
import argparse
import collections
import glob
import json
import math
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-8
# Words of a program's Python text, the beginning of the difference, and why it is accepted.
KNOWN = [([], "throws: Tensor: expected at most 12 dimensions", "Taper's tensors have at most 12 dimensions")]


def build(args):
    """Compiles the programs, with their header once."""
    header = shutil.copy(os.path.join(HERE, "program.h"), args.work)
    flags = [*args.cxx.split(), "-std=c++20", "-O0", "-w", *["-I" + i for i in args.taper_include]]
    subprocess.run([*flags, "-x", "c++-header", header, "-o", header + ".gch"], check=True)
    sources = sorted(glob.glob(os.path.join(args.work, "programs_*.cpp")))
    names = [os.path.basename(s)[:-4] for s in sources]
    main = os.path.join(args.work, "main.cpp")
    with open(main, "w") as out:
        out.writelines("void %s();\n" % n for n in names)
        out.write("int main() {\n%s}\n" % "".join("  %s();\n" % n for n in names))

    def compile_one(source):
        done = subprocess.run([*flags, "-c", source, "-o", source + ".o"], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit("func: %s does not compile:\n%s" % (source, done.stderr[:6000]))
        return source + ".o"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, [main, *sources]))
    binary = os.path.join(args.work, "programs")
    folder = os.path.dirname(os.path.abspath(args.taper_lib))
    subprocess.run([*args.cxx.split(), *objects, "-o", binary, args.taper_lib, "-Wl,-rpath," + folder], check=True)
    return binary


def results_of(binary):
    """What each program has printed: its sizes and elements, or the error."""
    done = subprocess.run([binary], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1"), timeout=3600)
    results = {}
    for line in done.stdout.splitlines():
        number, what, rest = line.split(" ", 2)
        if what == "throws":
            results[int(number)] = rest
        else:
            sizes, _, elements = rest.partition("|")
            results[int(number)] = [int(s) for s in sizes.split()], [float(e) for e in elements.split()]
    return results, done.returncode, done.stderr


def difference(got, program):
    """How a result differs from Python's, or None."""
    if got is None:
        return "no result (the process ended)"
    if isinstance(got, str):
        return "throws: " + got
    sizes, values = got
    if sizes != program["sizes"]:
        return "sizes %s, want %s" % (sizes, program["sizes"])
    largest = max([1.0, *map(abs, program["values"])])
    worst = max([(abs(g - w) if math.isfinite(g) else math.inf, i)
                 for i, (g, w) in enumerate(zip(values, program["values"]))], default=(0, 0))
    if worst[0] <= TOLERANCE * largest:
        return None
    at = worst[1]
    return "values: element %d is %.12g, want %.12g" % (at, values[at], program["values"][at])


def known(program, what):
    text = "\n".join(program["python"])
    return any(all(word in text for word in words) and what.startswith(start) for words, start, _ in KNOWN)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taper-include", action="append", required=True)
    parser.add_argument("--taper-lib", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--python", default=sys.executable, help="a Python that has torch")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    for old in glob.glob(os.path.join(args.work, "programs_*")):
        os.remove(old)
    done = subprocess.run([args.python, os.path.join(HERE, "generate.py"), "--work", args.work, "--programs",
                           str(args.programs), "--seed", str(args.seed)])
    if done.returncode:
        return done.returncode
    with open(os.path.join(args.work, "want.json")) as f:
        want = json.load(f)
    results, code, errors = results_of(build(args))
    groups, accepted = collections.defaultdict(list), 0
    for p in want["programs"]:
        what = difference(results.get(p["number"]), p)
        if what and known(p, what):
            accepted += 1
        elif what:
            groups[what[:60] if what.startswith("throws") else what.partition(":")[0]].append((p, what))
    for group, items in sorted(groups.items(), key=lambda item: -len(item[1])):
        print("%5d  %s  (programs %s)" % (len(items), group, ", ".join(str(p["number"]) for p, _ in items[:8])))
        for p, what in items[:args.show]:
            print("\n    program %d: %s\n        %s\n" % (p["number"], what, "\n        ".join(p["python"])))
    for line in sorted(set(errors.splitlines())):
        print("stderr: " + line)
    chains = collections.Counter(t for p in want["programs"] for t in p["chain"])
    families = collections.Counter(o for p in want["programs"] for o in p["ops"])
    print("transformations: " + ", ".join("%s %d" % item for item in chains.most_common()))
    print("ops: " + ", ".join("%s %d" % item for item in families.most_common()))
    differing = sum(map(len, groups.values()))
    print("func: %d programs of %d tried, %d agree with torch %s, %d differ, %d differ in a known way" % (
        len(want["programs"]), want["tried"], len(want["programs"]) - differing - accepted, want["torch"], differing, accepted))
    return 1 if differing or code else 0


if __name__ == "__main__":
    sys.exit(main())
