#!/usr/bin/env python3
"""The reports in docs/testing_gradients.md must be those that the example prints.
   gradient_guide.py DOCUMENT PROGRAM
Words are compared exactly, numbers within 1 part in 1000: their last digits depend on the CPU."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def blocks(text):
    """The reports by their titles: '== title', then lines."""
    parts = re.split(r"^== (.*)\n", text, flags=re.M)[1:]
    return {title: body.rstrip() for title, body in zip(parts[::2], parts[1::2])}


def same(a, b):
    words = [NUMBER.sub("#", re.sub(r"\s+", " ", t)) for t in (a, b)]
    numbers = [[float(n) for n in NUMBER.findall(t)] for t in (a, b)]
    if words[0] != words[1]:
        return False
    return all(abs(x - y) <= 1e-3 * max(abs(x), abs(y)) + 1e-9 for x, y in zip(*numbers))


document, program = sys.argv[1], os.path.abspath(sys.argv[2])
shown = "\n".join(re.findall(r"```text\n(.*?)```", open(document).read(), flags=re.S))
with tempfile.TemporaryDirectory() as folder:
    printed = subprocess.run([program], cwd=folder, check=True, capture_output=True, text=True).stdout
    picture = pathlib.Path(folder, "wrong_gradients.pgm").read_bytes()
want, got = blocks(shown), blocks(printed)
wrong = [title for title in want if title not in got or not same(want[title], got[title])]
for title in wrong:
    print(f"== {title}, as the program prints it now:\n{got.get(title, 'nothing')}\n")
refused = subprocess.run([program, "--colour"], capture_output=True, text=True)
if refused.returncode != 2 or "--colour" not in refused.stderr or refused.stdout:
    wrong.append("a wrong flag")
    print(f"a wrong flag: expected one line about it and code 2, got {refused}")
if not picture.startswith(b"P5\n384 128\n255\n") or len(set(picture[15:])) < 10:
    wrong.append("the picture")
    print("the picture: expected Jacobians of 384 x 128 pixels in all")
print(f"gradient guide: {len([t for t in want if t not in wrong])} of {len(want)} reports are as documented")
sys.exit(1 if wrong or not want else 0)
