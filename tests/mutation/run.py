#!/usr/bin/env python3
"""Plants single faults in the library's sources, and names those that no test notices.

    run.py ROOT BUILD [FOLDER] [--count N] [--seed N] [--minutes N] [--kinds a,b] [--headers] [--force] [--restart] [--list]

FOLDER is a folder or a source of ROOT, by default all of the library. Each fault is planted, BUILD is built, and the entries of
ctest that could notice it run: first those of its folder, then all others. A fault that nothing notices survives.

The results are kept in BUILD. The same command again goes on after the last fault. A source is restored whatever happens.
Exit code 1: faults survived. 2: wrong use, a dirty tree, or tests that fail without a fault. 130: interrupted.
"""
import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutants import Fault, faults_of, sample  # noqa: E402
from planting import Interrupted, Journal, read, write  # noqa: E402

FOLDERS = ["framework", "ops", "nn", "optim", "data", "func", "testing", "extension", "utils", "distributed", "train"]
PROGRAMS = ["taper_tests", "utils_tests", "write_run", "distributed_tests"]
# Code that only GPUs run, and a header by another ending.
LEFT_OUT = re.compile(r"(_cuda\.cu|_cudnn\.cpp|_cuda\.h|tensor_methods\.inc)$|^framework/cuda/")
LABELS = "^(every_test|own_program)$"


class Usage(Exception):
    """Wrong use, with its reason."""


# ---------------------------------------------------------------------- which faults
def sources_of(root, folder, headers):
    tops = [folder] if folder else FOLDERS
    listed = subprocess.run(["git", "-C", root, "ls-files", "--", *tops], check=True, capture_output=True, text=True)
    endings = (".cpp", ".inc", ".h") if headers else (".cpp", ".inc")
    return [p for p in listed.stdout.split("\n")
            if p.endswith(endings) and p.split("/")[0] in FOLDERS and not LEFT_OUT.search(p)]


def all_faults(root, args):
    sources = sources_of(root, args.folder, args.headers)
    if not sources:
        raise Usage("expected a folder or a source of %s, got '%s'" % (", ".join(FOLDERS), args.folder))
    faults = [f for path in sources for f in faults_of(path, read(os.path.join(root, path)))]
    if args.kinds:
        known, wanted = {f.kind for f in faults}, set(args.kinds.split(","))
        if wanted - known:
            raise Usage("expected kinds among %s, got %s" % (", ".join(sorted(known)), ", ".join(sorted(wanted - known))))
        faults = [f for f in faults if f.kind in wanted]
    return faults


def check_clean(root, force):
    status = subprocess.run(["git", "-C", root, "status", "--porcelain", "--untracked-files=no"], check=True,
                            capture_output=True, text=True).stdout
    if status and not force:
        raise Usage("expected a tree without changes, got\n%scommit them, or say --force" % status)


# ---------------------------------------------------------------------- results
class Results:
    """What became of each fault, in a file. Results of another command or commit are dropped."""

    def __init__(self, path, command, restart):
        self.path, self.command, self.list = path, command, []
        if not restart and os.path.exists(path):
            kept = json.loads(read(path))
            if kept["command"] == command:
                self.list = [(Fault(*f), outcome) for f, outcome in kept["results"]]

    def add(self, fault, outcome):
        self.list.append((fault, outcome))
        write(self.path, json.dumps({"command": self.command, "results": self.list}))

    def done(self):
        return {fault for fault, _ in self.list}


def describe(fault):
    old, new = (re.sub(r"\s+", " ", t) for t in (fault.old, fault.new))
    return "%s:%d: %s: '%s' -> '%s'" % (fault.path, fault.line, fault.kind, old, new)


def print_table(results):
    """Faults by folder. Those that do not compile count for nothing."""
    sums = collections.defaultdict(collections.Counter)
    for fault, outcome in results:
        for folder in (fault.path.split("/")[0], "all"):
            sums[folder][outcome.split(":")[0]] += 1
    print("\n| folder | planted | noticed | survived | noticed |\n|---|---:|---:|---:|---:|")
    for folder in sorted(sums, key=lambda name: (name == "all", name)):
        noticed, survived = sums[folder]["noticed"], sums[folder]["survived"]
        planted = noticed + survived
        print("| %s | %d | %d | %d | %.0f %% |" % (folder, planted, noticed, survived, 100 * noticed / max(planted, 1)))


# ---------------------------------------------------------------------- building and testing
def entries_of(path):
    """The entries of ctest that most likely notice a fault in a source, as a regular expression."""
    parts = path.split("/")
    if parts[0] == "ops":
        return r"^(cases\.|ops\.%s|ops\.shared)" % parts[1]
    if parts[0] == "framework":
        return r"^framework\.%s" % parts[1] if len(parts) > 2 else r"^framework"
    return {"testing": r"^(testing|kit\.)", "extension": r"^compat"}.get(parts[0], "^" + parts[0])


class Machine:
    """The build folder and its tests."""

    def __init__(self, root, build, jobs):
        self.root, self.build, self.jobs = root, build, str(jobs)
        self.limit_s = None  # of one run of all tests

    def run(self, command, limit_s=None):
        """Returns the exit code, 0 for success; -1 if the time limit has passed."""
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return -1
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def prepare(self):
        os.makedirs(self.build, exist_ok=True)
        self.log = open(os.path.join(self.build, "mutate.log"), "w")
        options = ["-DTAPER_CUDA=OFF", "-DTAPER_BUILD_TESTS=ON", "-DTAPER_BUILD_EXAMPLES=OFF"]
        if self.run(["cmake", "-S", self.root, "-B", self.build, "-G", "Ninja", *options]) or not self.compile():
            raise Usage("the tree does not build; see %s" % self.log.name)
        begin = time.monotonic()
        if not self.passes(["-L", LABELS]):
            raise Usage("expected tests that pass without a fault; see %s" % self.log.name)
        self.limit_s = 60 + 3 * (time.monotonic() - begin)

    def compile(self):
        known = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "all"], capture_output=True, text=True).stdout
        targets = [p for p in PROGRAMS if re.search(r"(^|/)%s: " % p, known, re.MULTILINE)]
        return self.run(["cmake", "--build", self.build, "-j", self.jobs, "--target", *targets]) == 0

    def passes(self, selection):
        """A run that takes too long has noticed the fault. (No entry is an error of ctest.)"""
        return self.run(["ctest", "--test-dir", self.build, "-j", self.jobs, "--stop-on-failure", *selection], self.limit_s) == 0

    def outcome(self, fault):
        if not self.compile():
            return "does not compile"
        first = entries_of(fault.path)
        for selection in (["-R", first], ["-E", first]):
            if not self.passes(["-L", LABELS, *selection]):
                return "noticed"
        return "survived"


# ---------------------------------------------------------------------- the session
def work(faults, results, journal, machine, minutes):
    """Tries the faults that have no result yet. Returns whether the time was enough."""
    end = time.monotonic() + 60 * minutes
    waiting = [f for f in faults if f not in results.done()]
    for i, fault in enumerate(waiting):
        if time.monotonic() > end:
            print("the time is over: %d of %d faults are left; the same command goes on" % (len(waiting) - i, len(faults)))
            return False
        with journal.planted(fault):
            outcome = machine.outcome(fault)
        results.add(fault, outcome)
        print("%d/%d %s: %s" % (len(results.list), len(faults), outcome, describe(fault)), flush=True)
    return True


def on_signal(*_):
    raise Interrupted


def parse(argv):
    parser = argparse.ArgumentParser(prog="dev mutate", description="Plants single faults and names those that no test notices.")
    parser.add_argument("root")
    parser.add_argument("build")
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--count", type=int, default=50, help="number of faults (50)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (1)")
    parser.add_argument("--minutes", type=float, default=60, help="no new fault begins after this time (60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers and tests at once")
    parser.add_argument("--kinds", default="", help="only these kinds, separated by commas")
    parser.add_argument("--headers", action="store_true", help="also headers, which take long to build")
    parser.add_argument("--force", action="store_true", help="work on a tree with changes")
    parser.add_argument("--restart", action="store_true", help="forget earlier results")
    parser.add_argument("--list", action="store_true", help="only print the faults")
    args = parser.parse_intermixed_args(argv)
    if args.count < 1 or args.minutes <= 0:
        parser.error("expected a positive --count and --minutes")
    args.folder = args.folder.rstrip("/")
    return args


def session(args, machine):
    os.makedirs(args.build, exist_ok=True)
    journal = Journal(os.path.join(args.build, "mutate.journal"), args.root)
    restored = journal.restore()
    if restored:
        print("restored %s, which an earlier run had left with a fault" % restored)
    chosen = sample(all_faults(args.root, args), args.count, random.Random(args.seed))
    if args.list:
        print("\n".join(map(describe, chosen)))
        return 0
    check_clean(args.root, args.force)
    commit = subprocess.run(["git", "-C", args.root, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    command = [commit, args.folder, args.count, args.seed, args.kinds, args.headers]
    results = Results(os.path.join(args.build, "mutate.json"), command, args.restart)
    try:
        machine.prepare()
        work(chosen, results, journal, machine, args.minutes)
    finally:
        print_table(results.list)
        survivors = [f for f, outcome in results.list if outcome == "survived"]
        for fault in survivors:
            print("survived: " + describe(fault))
    return 1 if survivors else 0


def main(argv):
    args = parse(argv)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        return session(args, Machine(args.root, args.build, args.jobs))
    except Usage as e:
        print("mutate: %s" % e, file=sys.stderr)
        return 2
    except Interrupted:
        print("interrupted; the source is restored, and the same command goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
