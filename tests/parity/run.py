#!/usr/bin/env python3
"""Compiles every program of this folder with LibTorch and with Taper and compares what they print.

    run.py --taper-include DIR [--taper-include DIR] --taper-lib libtaper.so --work DIR [program ...]

Exit code 77 (skipped) when LibTorch is not installed, 1 when anything differs.
"""
import argparse
import glob
import math
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-std=c++17", "-O0", "-w"]
# Clang then makes the templates of a precompiled header once, not in each program. ccache takes no header with a time.
CLANG_HEADER = ["-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp"]


def find_libtorch():
    """Include directories and link flags of LibTorch, or None."""
    prefix = os.environ.get("LIBTORCH", "/usr")
    include = os.path.join(prefix, "include")
    api = os.path.join(include, "torch/csrc/api/include")
    if not os.path.exists(os.path.join(api, "torch/torch.h")):
        return None
    lib = os.path.join(prefix, "lib")
    if prefix == "/usr":
        return [include, api], ["-ltorch", "-ltorch_cpu", "-lc10"]
    # PyTorch's wheel: the part for CPUs, which names symbols of CUDA libraries that are elsewhere.
    return [include, api], ["-L" + lib, "-Wl,-rpath," + lib, "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10",
                            "-Wl,--allow-shlib-undefined"]


def compile_with(cxx, source, binary, includes, link, log):
    compiled = binary + ".o"  # in two steps: ccache keeps no result of a command that links
    header = os.path.join(includes[0], "parity.h")  # Clang takes only a header of the command line precompiled
    with open(log, "w") as f:
        for command in ([cxx, *FLAGS, *["-I" + i for i in includes], "-include", header, "-c", source, "-o", compiled],
                        [cxx, compiled, "-o", binary, *link]):
            if subprocess.run(command, stdout=f, stderr=subprocess.STDOUT).returncode != 0:
                return False
    return True


def precompile(cxx, side, includes, work):
    """Compiles the header with all of a library once: the programs then compile in seconds."""
    folder = os.path.join(work, side + "-header")
    os.makedirs(folder, exist_ok=True)
    source, header = os.path.join(HERE, "parity.h"), os.path.join(folder, "parity.h")
    compiled = header + ".gch"
    fresh = os.path.exists(compiled) and os.path.getmtime(compiled) > os.path.getmtime(source)
    if side == "taper" or not fresh:  # the compiler would not see that Taper's headers have changed
        shutil.copy(source, header)
        more = CLANG_HEADER if "clang" in os.path.basename(cxx) else []
        subprocess.run([cxx, *FLAGS, *more, *["-I" + i for i in includes], "-x", "c++-header", header,
                        "-o", compiled], check=True)
    return folder


def run_program(binary, libpath, work, peer=None):
    env = dict(os.environ, OMP_NUM_THREADS="1")
    if peer:
        env["PARITY_PEER"] = peer
    if libpath:
        env["LD_LIBRARY_PATH"] = libpath + ":" + env.get("LD_LIBRARY_PATH", "")
    done = subprocess.run([binary], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=env, cwd=work, errors="replace", timeout=300)
    lines = {}
    for text in done.stdout.splitlines():
        parts = text.split("\t")
        if len(parts) == 3:
            lines[parts[0]] = (parts[1], parts[2])
    crash = "" if done.returncode == 0 else \
        "ended with code %d: %s" % (done.returncode, done.stdout.strip().splitlines()[-1:])
    return lines, crash


def same_floats(got, want, rtol=2e-5, atol=2e-6):
    got, want = got.split(), want.split()
    if len(got) != len(want):
        return False
    for g, w in zip(map(float, got), map(float, want)):
        if math.isnan(w) and math.isnan(g):
            continue
        if g != w and not abs(g - w) <= atol + rtol * abs(w):
            return False
    return True


def without_op(message):
    """A message without the name of the op or class with which Taper's begin and few of LibTorch's."""
    return re.sub(r"^((?:exception: )?(?:\w*Error: )?)[A-Za-z_0-9.]+: ", r"\1", message, count=1)


def says_more(got, want):
    """Whether a message of Taper's is LibTorch's, perhaps with values behind it: "text: expected 3, but got 4"."""
    return bool(want) and got.startswith(want) and not got[len(want):len(want) + 1].isalnum()


def same(kind, got, want):
    """Kinds: text, error, float, and float:RTOL for what drifts apart by rounding."""
    name, _, rtol = kind.partition(":")
    if name == "error":
        return says_more(got, want) or says_more(without_op(got), want)
    if name != "float":
        return got == want
    return same_floats(got, want, float(rtol)) if rtol else same_floats(got, want)


def compare(got, want):
    """Lines that differ, as text."""
    wrong = []
    for key, (kind, value) in want.items():
        if key not in got:
            wrong.append("%s: missing" % key)
            continue
        if got[key][0] != kind or not same(kind, got[key][1], value):
            wrong.append("%s: LibTorch %s, Taper %s" % (key, value[:300], got[key][1][:300]))
    wrong += ["%s: only Taper prints it" % key for key in got if key not in want]
    return wrong


def check(name, cxx, peers, work):
    """Failures of one program. One that reads PARITY_PEER runs twice: it finds there the folder with
    the files that the other library's first run wrote."""
    outputs, binaries, folders = {}, {}, {}
    source = os.path.join(HERE, name + ".cpp")
    for side, (includes, link, libpath) in peers.items():
        binaries[side] = binary = os.path.join(work, "%s.%s" % (name, side))
        log = binary + ".log"
        folders[side] = folder = os.path.join(work, name + "." + side + ".files")
        os.makedirs(folder, exist_ok=True)
        if not compile_with(cxx, source, binary, includes, link, log):
            with open(log) as f:
                errors = [line for line in f if "error" in line][:10]
            return ["does not compile with %s:\n  %s" % (side, "  ".join(errors))]
        lines, crash = run_program(binary, libpath, folder)
        if crash:
            return ["%s %s" % (side, crash)]
        outputs[side] = lines
    with open(source) as f:
        exchanges = "PARITY_PEER" in f.read()
    for side, other in (("libtorch", "taper"), ("taper", "libtorch")) if exchanges else ():
        lines, crash = run_program(binaries[side], peers[side][2], folders[side], folders[other])
        if crash:
            return ["%s with the files of %s %s" % (side, other, crash)]
        outputs[side].update(lines)
    return compare(outputs["taper"], outputs["libtorch"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taper-include", action="append", required=True)
    parser.add_argument("--taper-lib", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    libtorch = find_libtorch()
    if not libtorch:
        print("parity: skipped: LibTorch is not installed (Debian: libtorch-dev)")
        return 77
    os.makedirs(args.work, exist_ok=True)
    includes = {"libtorch": libtorch[0], "taper": args.taper_include}
    cores = ThreadPoolExecutor(os.cpu_count())  # its threads wait for compilers and programs
    # "parity.h" is found beside the program first, unless it is included by <...>.
    headers = dict(zip(includes, cores.map(
        lambda side: precompile(args.cxx, side, includes[side], args.work), includes)))
    peers = {
        "libtorch": ([headers["libtorch"], *libtorch[0]], libtorch[1], ""),
        "taper": ([headers["taper"], *args.taper_include], [args.taper_lib],
                  os.path.dirname(args.taper_lib)),
    }
    names = args.programs or sorted(
        os.path.basename(f)[:-4] for f in glob.glob(os.path.join(HERE, "*.cpp")))
    bad = []
    results = cores.map(lambda name: check(name, args.cxx, peers, args.work), names)
    for name, wrong in zip(names, results):
        print("%-12s %s" % (name, "ok" if not wrong else "%d differences" % len(wrong)), flush=True)
        for text in wrong:
            print("  " + text)
        bad += [name] if wrong else []
    print("parity: %d of %d programs print the same%s" %
          (len(names) - len(bad), len(names), "; not: " + " ".join(bad) if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
