#!/usr/bin/env python3
"""The C++ of pages is a program that compiles and runs.

    code_blocks.py PAGE... -- COMPILER FLAGS...

The blocks of a page (```cpp) are one program, in their order. A block that begins with #include, struct, class, template,
namespace, using or a macro's or function's definition stands by itself, the others are the body of main. What a page does not
show stands in comments: "<!-- code" on a line, then C++, then "-->". A line of "..." is left out.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^(?:```cpp|<!-- code)\n(.*?)^(?:```|-->)$", re.M | re.S)
ALONE = re.compile(r"\s*(?://[^\n]*\n)*\s*(#include|struct |class |template|namespace |using |TAPER_MODULE|TORCH_MODULE|(?:[\w:]+ )+\w+\([^;{]*\) \{\n)")


def program(text):
    """The source that a page's blocks make; empty where it has none."""
    alone, body = [], []
    for match in BLOCK.finditer(text):
        code = re.sub(r"(?m)^\s*\.\.\.$", "", match.group(1))
        line = text.count("\n", 0, match.start(1)) + 1
        (alone if ALONE.match(code) else body).append(f"#line {line}\n{code}")
    if not alone and not body:
        return ""
    return "".join(alone) + "int main() {\n" + "".join(body) + "}\n"


def check(page, compiler):
    """What is wrong with a page's code; empty where nothing is."""
    source = program(pathlib.Path(page).read_text())
    if not source:
        return f"{page}: expected C++ blocks, found none"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / (pathlib.Path(page).stem + ".cpp")
        file.write_text(source)
        built = subprocess.run([*compiler[:1], "-std=c++17", "-O1", str(file), "-o", f"{folder}/program", *compiler[1:]],
                               capture_output=True, text=True)
        if built.returncode != 0:
            return f"{page}: its code does not compile:\n{built.stderr[:3000]}"
        ran = subprocess.run([f"{folder}/program"], cwd=folder, capture_output=True, text=True, timeout=120)
        if ran.returncode != 0:
            return f"{page}: its program ended with {ran.returncode}:\n{(ran.stdout + ran.stderr)[-2000:]}"
    return ""


def main():
    split = sys.argv.index("--")
    pages, compiler = sys.argv[1:split], sys.argv[split + 1:]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda page: check(page, compiler), pages) if w]
    print("\n".join(wrong) or f"code blocks: the programs of {len(pages)} pages compile and run")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
