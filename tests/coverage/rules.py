#!/usr/bin/env python3
"""Names the branches of rules that choose kernels which no test takes.

    rules.py --build DIR --work DIR [--filter GTEST_FILTER] [--jobs N]

DIR of --build is a build folder with the library and its test program. The sources that rules.txt lists, where the rules are,
are compiled anew with gcov's counters into DIR of --work, without optimisation, so that each part of a condition is a branch of
its own, and for one instruction set; linked with the other objects as they are; and the test program runs with that library.

Prints each line of these sources that decides something and has a branch that was never taken, but for the lines that rules.txt
accepts with their reason. Exit code 1 when there are such lines, or a test failed.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "fuzz", "parsers"))
from run import definitions, source_of, statement  # noqa: E402

FLAGS = ["-std=c++20", "-O0", "-g0", "-fPIC", "-w", "--coverage", "-fprofile-update=atomic", "-DNDEBUG", "-DTAPER_NO_ISA_VARIANTS"]


def read_rules():
    """The sources, and the accepted (source, text of a line) pairs."""
    sources, accepted = [], []
    with open(os.path.join(HERE, "rules.txt")) as f:
        for line in f:
            text = line.partition(" # ")[0].strip()
            if not text or text.startswith("#"):
                continue
            source, colon, words = text.partition(": ")
            if colon:
                accepted.append((source, words))
            else:
                sources += sorted(glob.glob(os.path.join(ROOT, source)))
    return [os.path.relpath(s, ROOT) for s in sources], accepted


def compile_one(source, args, flags):
    out = os.path.join(args.work, "objects", source.replace("/", "__") + ".o")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    includes = ["-I" + os.path.join(args.build, "include"), "-I" + os.path.join(ROOT, "compat"), "-I" + ROOT]
    subprocess.run([args.cxx, *FLAGS, *flags, *includes, "-c", os.path.join(ROOT, source), "-o", out], check=True)
    return out


def link(objects, sources, args):
    kept, libraries = statement(args.build)
    kept = [os.path.join(args.build, o) for o in kept if source_of(o) not in sources]
    folder = os.path.join(args.work, "lib")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([args.cxx, "-shared", "--coverage", "-Wl,-Bsymbolic-functions", "-Wl,-soname,libtaper.so.0", *objects, *kept, *libraries,
                    "-o", os.path.join(folder, "libtaper.so.0")], check=True, cwd=args.build)
    return folder


def run_tests(folder, args):
    for counters in glob.glob(os.path.join(args.work, "objects", "*.gcda")):
        os.remove(counters)
    environment = dict(os.environ, LD_PRELOAD=os.path.join(folder, "libtaper.so.0"))
    program = os.path.join(args.build, "tests", "taper_tests")
    return subprocess.run([program, "--gtest_brief=1", "--gtest_filter=" + args.filter], env=environment).returncode


def conditions_of(text):
    """How many conditions a line decides; 0 for loops, checks of arguments and what decides nothing."""
    if re.match(r"(for|TAPER_\w+)\b|[})]", text):
        return 0
    return len(re.findall(r"\b(?:if|while) (?:constexpr )?\(|&&|\|\||(?<!\w)\? ", text)) - text.count("if constexpr")


def fold(counts, conditions):
    """The counts of a line's branches, summed over all functions that are made of it, as templates are."""
    size = 2 * conditions
    if len(counts) % size:
        return counts
    return [sum(counts[i::size]) for i in range(size)]


def branches_of(source, args):
    """Counts of the branches of each line that decides something."""
    counters = os.path.join(args.work, "objects", source.replace("/", "__") + ".gcda")
    if not os.path.exists(counters):
        return {}
    with open(os.path.join(ROOT, source)) as f:
        lines = [line.strip() for line in f]
    text = subprocess.run(["gcov", "--json-format", "--stdout", "-b", counters], stdout=subprocess.PIPE, check=True,
                          cwd=args.work).stdout
    found = {}
    for unit in text.splitlines():
        for file in json.loads(unit)["files"]:
            if os.path.realpath(os.path.join(args.work, file["file"])) != os.path.join(ROOT, source):
                continue
            for line in file["lines"]:
                number = line["line_number"]
                conditions = conditions_of(lines[number - 1])
                counts = [b["count"] for b in line["branches"] if not b["throw"]]
                if conditions and counts:
                    found.setdefault(number, []).extend(counts)
    return {n: fold(counts, conditions_of(lines[n - 1])) for n, counts in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--filter", default="-*Capture*:*Device*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.build, args.work = os.path.abspath(args.build), os.path.abspath(args.work)
    sources, accepted = read_rules()
    defined = definitions(args.build)
    with ThreadPoolExecutor(args.jobs) as pool:
        objects = list(pool.map(lambda s: compile_one(s, args, defined.get(s, [])), sources))
    status = run_tests(link(objects, set(sources), args), args)
    missed = 0
    for source in sources:
        with open(os.path.join(ROOT, source)) as f:
            lines = f.read().splitlines()
        for number, counts in sorted(branches_of(source, args).items()):
            if all(counts):
                continue
            text = lines[number - 1].strip()
            if not any(source == where and words in text for where, words in accepted):
                missed += 1
                print("%s:%d: %s  [%s]" % (source, number, text, " ".join(map(str, counts))))
    print("rules: %d sources, %d lines with a branch that no test takes" % (len(sources), missed))
    return status or (1 if missed else 0)


if __name__ == "__main__":
    sys.exit(main())
