#!/usr/bin/env python3
"""The C++ of pages is a program that compiles and runs.

    code_blocks.py PAGE... -- COMPILER FLAGS...

The blocks of a page (```cpp) are one program, in their order. A block that begins with #include, struct, class, template,
namespace, using or a macro's or function's definition stands by itself, the others are the body of main. What a page does not
show stands in comments: "<!-- code" on a line, then C++, then "-->". A line of "..." is left out. Launches of CUDA kernels become calls.

A block behind a line "<!-- from FILE -->" is no part of that: it is a piece of a file of the repository, word by word but for white
space; "..." stands for what is left out.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUOTED = re.compile(r"^<!-- from (\S+) -->\n```cpp\n(.*?)^```$", re.M | re.S)
LAUNCH = re.compile(r"<<<.*?>>>", re.S)
BLOCK = re.compile(r"^(?:```cpp|<!-- code)\n(.*?)^(?:```|-->)$", re.M | re.S)
ALONE = re.compile(r"\s*(?://[^\n]*\n)*\s*(#include|struct |class |template|namespace |using |TAPER_MODULE|TORCH_MODULE|(?:[\w:]+ )+\w+\([^;{]*\) \{\n)")


def misquoted(page, text):
    """What is wrong with a page's pieces of files; empty where nothing is."""
    for match in QUOTED.finditer(text):
        file = ROOT / match.group(1)
        if not file.is_file():
            return f"{page}: there is no {match.group(1)}"
        source, at = "".join(file.read_text().split()), 0
        for part in match.group(2).split("..."):
            words = "".join(part.split())
            at = source.find(words, at)
            if at < 0:
                return f"{page}: this is not in {match.group(1)}, or not in this order:\n{part}"
            at += len(words)
    return ""


def program(text):
    """The source that a page's blocks make; empty where it has none."""
    alone, body = [], []
    text = QUOTED.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    for match in BLOCK.finditer(text):
        code = re.sub(r"(?m)^\s*\.\.\.$", "", match.group(1))
        code = LAUNCH.sub("", code)
        line = text.count("\n", 0, match.start(1)) + 1
        (alone if ALONE.match(code) else body).append(f"#line {line}\n{code}")
    if not alone and not body:
        return ""
    return "".join(alone) + "int main() {\n" + "".join(body) + "}\n"


def check(page, compiler):
    """What is wrong with a page's code; empty where nothing is."""
    text = pathlib.Path(page).read_text()
    source, wrong = program(text), misquoted(page, text)
    if wrong:
        return wrong
    if not source and QUOTED.search(text):
        return ""
    if not source:
        return f"{page}: expected C++ blocks, found none"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / (pathlib.Path(page).stem + ".cpp")
        file.write_text(source)
        built = subprocess.run([*compiler[:1], "-std=c++17", "-O1", str(file), "-o", f"{folder}/program", *compiler[1:]],
                               capture_output=True, text=True)
        if built.returncode != 0:
            return f"{page}: its code does not compile:\n{built.stderr[:3000]}"
        ran = subprocess.run([f"{folder}/program"], cwd=folder, capture_output=True, text=True, timeout=120,
                             env=dict(os.environ, TAPER_SIMULATED_CUDA_DEVICES="2"))
        if ran.returncode != 0:
            return f"{page}: its program ended with {ran.returncode}:\n{(ran.stdout + ran.stderr)[-2000:]}"
    return ""


def main():
    split = sys.argv.index("--")
    pages, compiler = sys.argv[1:split], sys.argv[split + 1:]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda page: check(page, compiler), pages) if w]
    print("\n".join(wrong) or f"code blocks: the programs of {len(pages)} pages compile and run, their pieces of files are there")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
