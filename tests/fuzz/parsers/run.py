#!/usr/bin/env python3
"""Fuzzes the parsers of outside data: libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer.

    run.py --build DIR --work DIR [--seconds N] [--runs N] [--seed N] [--jobs N] [TARGET...]

DIR of --build is a build folder with the library's objects. The parsers' own sources are compiled anew by clang,
with counters and sanitizers, into DIR of --work, and linked with the other objects as they are. Each target begins
with the inputs in seeds/TARGET, those that make_seeds writes and those that earlier runs in the same DIR found, and runs
for N seconds on one core, or so many inputs if these are fewer; --seed makes what it tries the same each time.

Prints a line for each target; for a failure the input, what the report says, and the command that repeats it. Exit code
77 (skipped) when clang or libFuzzer is not installed, 1 when an input failed.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
# What takes blocks in line (framework/memory/small_blocks.h) must know of the pool as the storage does.
POOL = ["framework/core/tensor.cpp", "framework/autograd/history.cpp"]
# What reads outside data, and the memory that it asks for.
SOURCES = ["framework/io/*.cpp", "framework/core/device.cpp", "framework/core/storage.cpp", *POOL, "data/idx.cpp",
           "data/image_file.cpp", "data/datasets/*.cpp", "ops/linalg/einsum.cpp", "optim/serialize.cpp", "optim/sgd.cpp",
           "optim/adam.cpp", "nn/module_io.cpp"]
# Sources of other libraries that a target needs.
OWN_SOURCES = {"program": ["program/*.cpp", "extension/*.cpp"]}
SHARED = ["parser.cpp", "repair.cpp", "make_seeds.cpp"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize=vptr,function", "-fno-sanitize-recover=all"]
# TAPER_NO_POOL: each tensor's memory is a block of its own, which AddressSanitizer watches.
FLAGS = ["-std=c++20", "-O1", "-g1", "-fPIC", "-w", "-DTAPER_NO_POOL", "-fsanitize=fuzzer-no-link", *SANITIZE]
# Files that PyTorch and NumPy wrote, by the ends of their names.
PYTHON_FILES = {"pt": ".pt", "npy": ".npy", "npz": ".npz", "zip": ".npz"}
MOST_BYTES = {"cifar": 8192, "device": 16, "einsum": 128, "pickle": 2048, "program": 16384}
ENVIRONMENT = {"ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
               "UBSAN_OPTIONS": "print_stacktrace=1", "OMP_NUM_THREADS": "1", "TAPER_DEVICES": ""}


def targets():
    names = {os.path.splitext(os.path.basename(p))[0] for p in glob.glob(os.path.join(HERE, "*.cpp"))}
    return sorted(names - {os.path.splitext(s)[0] for s in SHARED})


def missing_tool(cxx, work):
    """Why nothing can be compiled, or None."""
    if not shutil.which(cxx):
        return "%s is not installed (Debian: clang)" % cxx
    source = os.path.join(work, "probe.cpp")
    with open(source, "w") as f:
        f.write("extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
    probe = subprocess.run([cxx, "-fsanitize=fuzzer,address", source, "-o", source + ".out"], stderr=subprocess.DEVNULL)
    return None if probe.returncode == 0 else "%s has no libFuzzer (Debian: libclang-rt-dev)" % cxx


def statement(build):
    """The library's objects and what they are linked with, as the build says."""
    with open(os.path.join(build, "build.ninja")) as f:
        text = f.read()
    found = re.search(r"^build lib/libtaper\.so\.\S*: \S+ ([^|\n]*).*?\n\n", text, re.M | re.S)
    options = " ".join(re.findall(r"^  LINK_(?:PATH|LIBRARIES) = (.*)", found.group(0), re.M))
    return found.group(1).split(), [lib for lib in options.split() if "$$ORIGIN" not in lib]


def source_of(name):
    """The source of an object, relative to the source tree."""
    return re.sub(r"^CMakeFiles/[^/]+/|\.o$", "", name) if name.startswith("CMakeFiles/") else None


def definitions(build):
    """-D options of each source."""
    with open(os.path.join(build, "CMakeCache.txt")) as f:
        home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", f.read(), re.M).group(1)
    with open(os.path.join(build, "compile_commands.json")) as f:
        return {os.path.relpath(e["file"], home): re.findall(r" (-DTAPER_\S+)", e["command"]) for e in json.load(f)}


class Builder:
    def __init__(self, args):
        self.cxx, self.build, self.work, self.jobs = args.cxx, os.path.abspath(args.build), args.work, args.jobs
        self.ccache = ["ccache"] if shutil.which("ccache") else []
        self.linker = ["-fuse-ld=mold"] if shutil.which("mold") else []
        self.includes = ["-I" + os.path.join(self.work, "include"), "-I" + os.path.join(ROOT, "compat"), "-I" + ROOT]
        folder = os.path.join(self.work, "include", "taper")
        os.makedirs(folder, exist_ok=True)
        made = os.path.join(self.build, "include", "taper", "generated")
        trees = [os.path.join(ROOT, name) for name in ("data", "extension", "framework", "nn", "ops", "optim", "program", "taper.h")]
        for tree in [made, *trees]:
            if not os.path.lexists(os.path.join(folder, os.path.basename(tree))):
                os.symlink(tree, os.path.join(folder, os.path.basename(tree)))

    def compile(self, source, flags):
        out = os.path.join(self.work, "objects", os.path.relpath(source, ROOT).replace("/", "__") + ".o")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        subprocess.run([*self.ccache, self.cxx, *FLAGS, *flags, *self.includes, "-c", source, "-o", out], check=True)
        return out

    def library(self, pool):
        """The library with instrumented parsers."""
        defined = definitions(self.build)
        sources = sorted(p for pattern in SOURCES for p in glob.glob(os.path.join(ROOT, pattern)))
        names = [os.path.relpath(p, ROOT) for p in sources]
        compiled = list(pool.map(lambda name: self.compile(os.path.join(ROOT, name), defined.get(name, [])), names))
        objects, libraries = statement(self.build)
        kept = [os.path.join(self.build, o) for o in objects if source_of(o) not in names]
        out = os.path.join(self.work, "libtaper_fuzzed.so")
        subprocess.run([self.cxx, "-shared", *SANITIZE, *self.linker, "-Wl,-Bsymbolic-functions", *compiled, *kept,
                        *libraries, "-o", out], check=True, cwd=self.build)

    def link(self, name, objects, sanitizers):
        out = os.path.join(self.work, name)
        subprocess.run([self.cxx, *sanitizers, *SANITIZE, *self.linker, *objects, "-L" + self.work, "-ltaper_fuzzed", "-lz",
                        "-Wl,-rpath," + self.work, "-o", out], check=True)

    def all(self, names):
        with ThreadPoolExecutor(self.jobs) as pool:
            own = SHARED + [name + ".cpp" for name in names]
            objects = dict(zip(own, pool.map(lambda s: self.compile(os.path.join(HERE, s), []), own)))
            self.library(pool)
            self.link("make_seeds", [objects["make_seeds.cpp"]], [])
            shared = [objects["parser.cpp"], objects["repair.cpp"]]
            more = {n: list(pool.map(lambda s: self.compile(s, []), sorted(p for pattern in OWN_SOURCES.get(n, [])
                                                                          for p in glob.glob(os.path.join(ROOT, pattern))))) for n in names}
            list(pool.map(lambda n: self.link(n, [objects[n + ".cpp"], *more[n], *shared], ["-fsanitize=fuzzer"]), names))


def copy_seeds(name, work):
    """The inputs to begin with."""
    into = os.path.join(work, "seeds", name)
    os.makedirs(into, exist_ok=True)
    files = glob.glob(os.path.join(HERE, "seeds", name, "*"))
    if name in PYTHON_FILES:
        files += glob.glob(os.path.join(ROOT, "tests", "data_files", "python", "*" + PYTHON_FILES[name]))
    for path in files:
        shutil.copy(path, into)
    if name == "program":
        for path in glob.glob(os.path.join(ROOT, "tests", "program", "files", "*.pt2")):
            with zipfile.ZipFile(path) as archive:
                for member in archive.namelist():
                    if member.endswith(".json"):
                        with open(os.path.join(into, os.path.basename(path) + os.path.basename(member)), "wb") as out:
                            out.write(archive.read(member))
    return into


def last(pattern, text, default="?"):
    found = re.findall(pattern, text)
    return found[-1] if found else default


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env=dict(ENVIRONMENT, **os.environ))
    return done.returncode, done.stdout


def fuzz(name, args):
    """Runs one target: its line, and what is to be said of a failure. Kept seeds first and whole: fuzzing cuts long ones."""
    work = args.work
    corpus, failures = os.path.join(work, "corpus", name), os.path.join(work, "failures", name)
    os.makedirs(corpus, exist_ok=True)
    shutil.rmtree(failures, ignore_errors=True)
    os.makedirs(failures)
    options = ["-max_total_time=%d" % args.seconds, "-runs=%d" % args.runs, "-timeout=10", "-rss_limit_mb=3000", "-print_final_stats=1",
               "-max_len=%d" % MOST_BYTES.get(name, 4096), "-artifact_prefix=%s/" % failures, "-seed=%d" % args.seed]
    dictionary = os.path.join(HERE, "dictionaries", name)
    if os.path.exists(dictionary):
        options.append("-dict=" + dictionary)
    binary, kept = os.path.join(work, name), sorted(glob.glob(os.path.join(HERE, "seeds", name, "*")))
    code, said = run([binary, *options[2:], *kept]) if kept else (0, "")
    if code == 0:
        code, said = run([binary, *options, corpus, copy_seeds(name, work)])
    with open(os.path.join(work, name + ".log"), "w") as f:
        f.write(said)
    failed = sorted(glob.glob(os.path.join(failures, "*")))
    if code != 0 and not failed:  # libFuzzer copies no input that was given by name
        failed = [last(r"Running: (.*)", said)]
    line = "%-12s %9s runs, %5s edges, %5s new inputs, %d failures" % (
        name, last(r"number_of_executed_units: (\d+)", said), last(r" cov: (\d+)", said),
        last(r"new_units_added: *(\d+)", said), len(failed))
    if code == 0:
        return line, []
    lines = re.findall(r"ERROR: .*|.*runtime error: .*|.*  what\(\): .*|SUMMARY: .*", said) or said.splitlines()[-20:]
    return line, ["    " + s[:300] for s in lines[:6]] + ["    repeat: %s %s" % (os.path.join(work, name), f) for f in failed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=-1, help="-1: any number")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cxx", default="clang++")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=" ".join(targets()))
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    os.makedirs(args.work, exist_ok=True)
    why = missing_tool(args.cxx, args.work)
    if why:
        print("parsers: skipped, " + why)
        return 77
    names = args.targets or targets()
    try:
        Builder(args).all(names)
    except subprocess.CalledProcessError as failed:
        print("parsers: cannot be built, %s ended with %d (see above)" % (failed.cmd[0], failed.returncode))
        return 1
    subprocess.run([os.path.join(args.work, "make_seeds"), os.path.join(args.work, "seeds")], check=True)
    failed = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for name, (line, report) in zip(names, pool.map(lambda n: fuzz(n, args), names)):
            print("\n".join([line, *report]), flush=True)
            if report:
                failed.append(name)
    print("parsers: %d targets, %d failed%s" % (len(names), len(failed), ": " + " ".join(failed) if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
