#!/usr/bin/env python3
"""Training that is killed at random times, again and again, ends with the bytes of one that was not.

    checkpoints.py --mnist BINARY [--kills N] [--seed N]

SIGKILL comes after a random time, most often while a checkpoint is written (one after each batch); the next run
resumes. Each file of a run that came to its end must be that of a whole run, and nothing else may be left in the folder.
Then two processes train into one file at the same time. Exit code 1 when something is lost.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

ARGUMENTS = ["--drawn", "--limit", "2000", "--threads", "1", "--model", "cnn", "--checkpoint-every", "1", "--epochs", "3"]


def start(mnist, path):
    return subprocess.Popen([mnist, *ARGUMENTS, "--checkpoint", path, "--resume"], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def finish(process):
    """What a run printed; its failure ends the program."""
    said = process.communicate(timeout=300)[0]
    if process.returncode not in (0, -signal.SIGKILL):
        sys.exit("checkpoints: a run ended with %d: %s" % (process.returncode, said[-500:]))
    return said


def check(folder, name, whole):
    """The file of a finished run, and that nothing lies beside it."""
    with open(os.path.join(folder, name), "rb") as f:
        if f.read() != whole:
            sys.exit("checkpoints: %s differs from that of a whole run" % name)
    os.remove(os.path.join(folder, name))
    left = os.listdir(folder)
    if left:
        sys.exit("checkpoints: left in the folder: %s" % " ".join(left))


def whole_run(mnist, folder):
    """The bytes of a run without a kill, and how long it took."""
    path = os.path.join(folder, "whole")
    finish(start(mnist, path))  # draws the data
    os.remove(path)
    began = time.monotonic()
    finish(start(mnist, path))
    took = time.monotonic() - began
    with open(path, "rb") as f:
        whole = f.read()
    os.remove(path)
    return whole, took


def make_old(folder):
    """What a killed save left is removed by a later one, ten minutes old."""
    for name in os.listdir(folder):
        if ".tmp." in name:
            os.utime(os.path.join(folder, name), (time.time() - 3600,) * 2)


def killed_runs(mnist, folder, whole, took, kills, draw):
    """Runs until so many have been killed; how many files came to their end."""
    path, count, ended = os.path.join(folder, "killed"), 0, 0
    while count < kills or os.path.exists(path):
        process = start(mnist, path)
        if count < kills:
            time.sleep(draw.uniform(0, 0.6 * took))
            process.kill()
        finish(process)
        count += process.returncode != 0
        make_old(folder)
        if process.returncode == 0:
            check(folder, "killed", whole)
            ended += 1
    return ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist", required=True)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = os.path.join(work, "cache")
        folder = os.path.join(work, "checkpoints")
        os.mkdir(folder)
        whole, took = whole_run(args.mnist, folder)
        ended = killed_runs(args.mnist, folder, whole, took, args.kills, random.Random(args.seed))
        for process in [start(args.mnist, os.path.join(folder, "shared")) for _ in range(2)]:
            finish(process)
        check(folder, "shared", whole)
    print("checkpoints: %d kills, %d files as of a whole run, two writers of one file" % (args.kills, ended))


if __name__ == "__main__":
    main()
