#!/usr/bin/env python3
"""The C++ of pages is a program that compiles and runs.

    code_blocks.py PAGE... -- COMPILER FLAGS...

The blocks of a page (```cpp) are one program, in their order. A block that begins with #include, struct, class, template,
namespace, using or a macro's or function's definition stands by itself, the others are the body of main. What a page does not
show stands in comments: "<!-- code" on a line, then C++, then "-->". A line of "..." is left out. Launches of CUDA kernels become calls.

A block with a main is a complete program: it compiles and runs by itself. If a ```console block follows it, with nothing
between them, the program must print that. The other blocks of such a page continue the page's first program: definitions
stand before its main, statements at its end. Such a page hides nothing in comments.

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
MAIN = re.compile(r"^int main\(.*\) \{\n", re.M)
PRINTS = re.compile(r"```\n\n?```console\n(.*?)^```$", re.M | re.S)
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


def programs(text):
    """The sources that a page's blocks make, each with what it must print, or None. The last one has all blocks without a main."""
    alone, body, complete = [], [], []
    text = QUOTED.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    for match in BLOCK.finditer(text):
        code = re.sub(r"(?m)^\s*\.\.\.$", "", match.group(1))
        code = LAUNCH.sub("", code)
        line = text.count("\n", 0, match.start(1)) + 1
        if MAIN.search(code):
            prints = PRINTS.match(text, match.end(1))
            complete.append((f"#line {line}\n{code}", prints and prints.group(1)))
        else:
            (alone if ALONE.match(code) else body).append(f"#line {line}\n{code}")
    if complete and (alone or body):
        before, main, statements = re.split("(" + MAIN.pattern + ")", complete[0][0], maxsplit=1, flags=re.M)
        statements = statements.rstrip().removesuffix("}")
        complete.append((before + "".join(alone) + main + statements + "".join(body) + "}\n", None))
    elif alone or body:
        complete.append(("".join(alone) + "int main() {\n" + "".join(body) + "}\n", None))
    return complete


def run(page, source, prints, compiler):
    """What is wrong with a program of a page; empty where nothing is."""
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
        if prints is not None and ran.stdout != prints:
            return f"{page}: expected that its program prints\n{prints}got\n{ran.stdout}"
    return ""


def check(page, compiler):
    """What is wrong with a page's code; empty where nothing is."""
    text = pathlib.Path(page).read_text()
    found, wrong = programs(text), misquoted(page, text)
    if wrong:
        return wrong
    if not found and not QUOTED.search(text):
        return f"{page}: expected C++ blocks, found none"
    if "<!-- code" in text and any(MAIN.search(match.group(1)) for match in BLOCK.finditer(text)):
        return f"{page}: a page with complete programs hides no code in comments"
    return "".join(run(page, source, prints, compiler) for source, prints in found)


def main():
    split = sys.argv.index("--")
    pages, compiler = sys.argv[1:split], sys.argv[split + 1:]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda page: check(page, compiler), pages) if w]
    print("\n".join(wrong) or f"code blocks: the programs of {len(pages)} pages compile and run, their pieces of files are there")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
