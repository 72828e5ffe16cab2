#!/usr/bin/env python3
"""Runs the same random programs with LibTorch and with Taper and compares what they print.

    run.py --taper-include DIR [--taper-include DIR] --taper-lib libtaper.so --work DIR
           [--first SEED] [--count SEEDS] [--shrink GROUPS]

LibTorch is Debian's, or the one whose folder LIBTORCH names (PyTorch's C++ part; the CUDA libraries that
it wants are in LD_LIBRARY_PATH). Differences are grouped by the first step that differs; known_differences.txt says which are accepted, and why.
With --shrink, the shortest program of each of the first GROUPS groups is printed.

Exit code 77 (skipped) when LibTorch is not installed, 1 when programs differ.
"""
import argparse
import collections
import fnmatch
import glob
import math
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "parity"))
import judge  # noqa: E402
from run import find_libtorch  # noqa: E402

CHUNK = 500  # programs of one process
# Relative to the largest value of a line; a program's is that of the coarsest dtype that it has shown.
TOLERANCE = {"f16": 4e-2, "bf16": 1e-1, "f32": 5e-4, "c64": 5e-4}
FINEST = 1e-6
MORE = "LibTorch lacks it"
THROWS = (["throws"], ["unsupported"], ["stale"])


def build(side, cxx, includes, link, work, standard):
    """Compiles the fuzzer for one library; sources in parallel, their header once."""
    folder = os.path.join(work, side)
    os.makedirs(folder, exist_ok=True)
    flags = [cxx, "-std=" + standard, "-O0", "-w", *["-I" + i for i in includes]]
    header = shutil.copy(os.path.join(HERE, "program.h"), folder)
    # Clang then makes the header's templates once, and ccache takes no header with a time.
    more = ["-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp"] if "clang" in os.path.basename(cxx) else []
    subprocess.run([*flags, *more, "-x", "c++-header", header, "-o", header + ".gch"], check=True)

    def compile_one(source):
        copy = shutil.copy(source, folder)  # beside the compiled header
        subprocess.run([*flags, "-include", header, "-c", copy, "-o", copy + ".o"], check=True)
        return copy + ".o"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sorted(glob.glob(os.path.join(HERE, "*.cpp")))))
    binary = os.path.join(folder, "differential")
    subprocess.run([cxx, *objects, "-o", binary, *link], check=True)
    return binary


def run(binary, first, count, steps=(), **settings):
    """Lines of each program by seed, and the seeds whose program ended the process. `settings` are
    the program's: verbose, double, nudge."""
    programs, crashed, end = {}, {}, first + count
    env = {name: value for name, value in os.environ.items() if not name.startswith("FUZZ_")}
    env.update({"FUZZ_" + name.upper(): value for name, value in settings.items()}, OMP_NUM_THREADS="1")
    while first < end:
        try:
            done = subprocess.run([binary, str(first), str(end - first), *map(str, steps)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, env=env, text=True, errors="replace", timeout=600)
            code, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as stopped:
            code, text = "no end", (stopped.stdout or b"").decode(errors="replace")
        seed = first
        for line in text.splitlines():
            if line.startswith("program "):
                seed = int(line[8:])
                programs[seed] = []
            elif "\t" in line or line.startswith("#"):
                programs.setdefault(seed, []).append(line)
        if code == 0:
            break
        crashed[seed] = code
        first = seed + 1
    return programs, crashed


def numbers(line):
    return [float(v) for result in line for v in result.partition(":")[2].split()]


def close(got, want, tolerance):
    """Equal, or close relative to the largest finite value."""
    if len(got) != len(want):
        return False
    largest = max([abs(w) for w in want if math.isfinite(w)] or [0])
    for g, w in zip(got, want):
        if g == w or not (math.isfinite(g) or math.isfinite(w)):
            continue
        if not abs(g - w) <= tolerance * max(largest, 1e-2):
            return False
    return True


def heads_differ(got, want):
    """How two results' dtype[sizes]/strides/flags differ, or None."""
    if got == want:
        return None
    if got.partition("]")[0] != want.partition("]")[0]:
        return "sizes or dtype"
    return "strides" if got.rpartition("/")[0] != want.rpartition("/")[0] else "flags"


def difference(got, want, tolerance):
    """What differs between two lines of a step, or None."""
    if got == want:
        return None
    got, want = got.split("\t"), want.split("\t")
    if want[1] == "arguments":
        return MORE
    if got[:2] != want[:2]:
        return "the programs part"
    got_throws, want_throws = (line[2:] in THROWS for line in (got, want))
    if got_throws and want_throws:
        return None
    if want[2:] in (["unsupported"], ["stale"]):
        return MORE
    if got[2:] == ["unsupported"]:
        return "Taper lacks it"
    if got[2:] == ["stale"]:
        return "only Taper finds it stale"
    if got_throws != want_throws:
        return "only Taper throws" if got_throws else "only LibTorch throws"
    if len(got) != len(want):
        return "number of results"
    for i, (g, w) in enumerate(zip(got[2:], want[2:])):
        if "undefined" in (g, w) and not any(numbers([g, w])):
            got[2 + i] = want[2 + i] = "undefined"  # a gradient that is zero
            continue
        what = heads_differ(g.partition(":")[0], w.partition(":")[0])
        if what:
            return what
    if close(numbers(got[2:]), numbers(want[2:]), tolerance):
        return None
    # At a singular point (a norm of zeros) LibTorch's derivatives are NaN, Taper's often not.
    if got[1].endswith("gradients") and any(math.isnan(v) for v in numbers(want[2:])):
        return MORE
    return "values"


def coarsest(line):
    return max([TOLERANCE.get(result.partition("[")[0], FINEST) for result in line.split("\t")[2:]] or [FINEST])


def name_of(line):
    return line.split("\t")[1]


def compare(got, want):
    """(group, step lines) of the first difference of two programs, or None. Where LibTorch lacks
    something that Taper has, the comparison ends."""
    tolerance = FINEST
    for i in range(max(len(got), len(want))):
        g, w = (lines[i] if i < len(lines) else "-\tends" for lines in (got, want))
        tolerance = max(tolerance, coarsest(w))
        what = difference(g, w, tolerance)
        if what == MORE or what and name_of(w) == "second gradients" and tolerance >= TOLERANCE["f16"]:
            return None  # of 16-bit floats little is left after two derivatives
        if what:
            return "%s: %s" % (name_of(w), what), (g, w)
    return None


def major_version(includes):
    """LibTorch's, as its header says."""
    for folder in includes:
        path = os.path.join(folder, "torch", "version.h")
        if os.path.exists(path):
            with open(path) as f:
                found = re.search(r"TORCH_VERSION_MAJOR (\d+)", f.read())
            if found:
                return int(found.group(1))
    return 2


def known_differences(major):
    patterns = []
    with open(os.path.join(HERE, "known_differences.txt")) as f:
        for line in f:
            pattern = line.partition(" # ")[0].strip()
            if not pattern or pattern.startswith("#"):
                continue
            version = re.match("[12] ", pattern)
            if not version:
                patterns.append(pattern)
            elif int(version.group()) == major:
                patterns.append(pattern[2:])
    return patterns


def find_groups(binaries, first, count):
    """Seeds by the group of their first difference."""
    groups = collections.defaultdict(list)

    def chunk(start):
        size = min(CHUNK, first + count - start)
        (want, want_crashed), (got, got_crashed) = (run(binaries[side], start, size) for side in ("libtorch", "taper"))
        found = []
        for seed in range(start, start + size):
            if seed in got_crashed or seed in want_crashed:
                # What ended the process is the step after the last line.
                code = "Taper %s, LibTorch %s" % (got_crashed.get(seed, "goes on"), want_crashed.get(seed, "goes on"))
                found.append(("crash: " + code, seed, None))
                continue
            differing = compare(got[seed], want[seed])
            if differing:
                found.append((differing[0], seed, differing[1]))
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(chunk, range(first, first + count, CHUNK)):
            for group, seed, lines in found:
                groups[group].append((seed, lines))
    return groups


def judged(binaries, groups, accepted):
    """Groups of differing values that no pattern accepts, split by who is right (see judge.py)."""
    result = collections.defaultdict(list)

    def place(task):
        group, seed, lines = task
        if group in accepted or not group.endswith(": values"):
            return group
        verdict = judge.verdict(run, compare, binaries, seed, lines)
        return "%s (%s)" % (group, verdict) if verdict else group

    tasks = [(group, seed, lines) for group, seeds in groups.items() for seed, lines in seeds]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for group, (_, seed, lines) in zip(pool.map(place, tasks), tasks):
            result[group].append((seed, lines))
    return result


def accepted_among(groups, known):
    return {g for g in groups if any(fnmatch.fnmatchcase(g, pattern) for pattern in known)}


def shrink(binaries, seed, group):
    """The steps that are needed for the difference: each of the others left out in turn."""
    def differs(steps):
        (want, want_crashed), (got, got_crashed) = (run(binaries[side], seed, 1, steps) for side in ("libtorch", "taper"))
        if want_crashed or got_crashed:
            return group.startswith("crash")
        found = compare(got.get(seed, []), want.get(seed, []))
        return bool(found) and found[0] == group.partition(" (")[0]

    steps = [*range(12), 1000]
    for step in list(steps):
        fewer = [s for s in steps if s != step]
        if fewer and differs(fewer):
            steps = fewer
    return steps


def show(binaries, seed, steps):
    for side in ("libtorch", "taper"):
        lines = run(binaries[side], seed, 1, steps, verbose="1")[0].get(seed, [])
        print("\n".join("    %-8s %s" % (side, line[:600]) for line in lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taper-include", action="append", required=True)
    parser.add_argument("--taper-lib", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--shrink", type=int, default=0)
    args = parser.parse_args()
    found = find_libtorch()
    if found is None:
        print("differential: skipped, LibTorch is not installed (Debian: libtorch-dev)")
        return 77
    includes, link = found
    folder = os.path.dirname(os.path.abspath(args.taper_lib))
    major = major_version(includes)
    binaries = {
        "libtorch": build("libtorch", args.cxx, includes, link, args.work, "c++17" if major == 1 else "c++20"),
        "taper": build("taper", args.cxx, args.taper_include, [args.taper_lib, "-Wl,-rpath," + folder], args.work, "c++17"),
    }
    groups = find_groups(binaries, args.first, args.count)
    known = known_differences(major)
    groups = judged(binaries, groups, accepted_among(groups, known))
    accepted = accepted_among(groups, known)
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    for group, seeds in ordered:
        if group not in accepted:
            print("%6d  %s  (seeds %s)" % (len(seeds), group, ", ".join(str(s) for s, _ in seeds[:6])))
            if seeds[0][1]:
                print("        Taper    %s\n        LibTorch %s" % tuple(line[:300] for line in seeds[0][1]))
    for group, seeds in [item for item in ordered if item[0] not in accepted][:args.shrink]:
        steps = shrink(binaries, seeds[0][0], group)
        print("%s\n    seed %d, steps %s" % (group, seeds[0][0], " ".join(map(str, steps))))
        show(binaries, seeds[0][0], steps)
    differing = sum(len(seeds) for group, seeds in groups.items() if group not in accepted)
    agreed = sum(len(seeds) for group, seeds in groups.items() if group in accepted)
    print("differential: %d programs, %d differ in %d ways, %d differ in a known way" %
          (args.count, differing, len(groups) - len(accepted), agreed))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
