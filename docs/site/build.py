#!/usr/bin/env python3
"""Makes the documentation as a web site, with MkDocs: the pages of docs/, the root and the examples (pages.py), and the reference of the
public headers (api/), which Doxygen reads. Tables with a mark in front of them are drawn as bars, too (plots.py).

    build.py --out DIR            writes DIR/site (open DIR/site/index.html); needs mkdocs, its theme material, doxygen
    build.py --out DIR --check    then fails for a link that leads nowhere and a public name that has no documentation
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import links
import pages
import search
from api import groups
from api.headers import Headers
from api.reference import Reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).split("\n")
        notes = ("INFO", "  - ")  # MkDocs names thousands of pages that are not in its navigation
        sys.exit("\n".join([f"docs: {command[0]} failed:", *[line for line in said if not line.startswith(notes)][-60:]]))
    return done.stdout


def public_headers(include):
    """Those of the tree and those that are generated, into the folder `include`."""
    run(sys.executable, ROOT / "cmake" / "generated_headers.py", include)
    listed = run("cmake", f"-DTAPER_INCLUDE={include}", "-P", ROOT / "cmake" / "public_headers.cmake")
    return Headers([ROOT / h for h in listed.split()], ROOT, include)


def version():
    return re.search(r"project\(taper VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def settings():
    """MkDocs' settings with the version, the groups of the reference and the examples."""
    listed = [f"    - {title}: api/{key}.md" for key, title, _, _ in groups.GROUPS if title]
    examples = [f"    - {name[8:-3]}: {name}" for name in pages.pages().values() if pages.is_example(name)]
    beside = [f"    {json.dumps(title)}: api/{key}.html" for key, title, _, _ in groups.GROUPS if title]
    text = (HERE / "mkdocs.yml").read_text().replace("@VERSION@", version()).replace("@HERE@", str(HERE))
    return text.replace("    @GROUPS@: ''", "\n".join(beside)).replace("    - @GROUPS@", "\n".join(listed)).replace("    - @EXAMPLES@", "\n".join(examples))


def finds_what_lacks(out):
    """Whether a planted name without documentation is found: Doxygen is still understood."""
    out.mkdir(exist_ok=True)
    (out / "planted.h").write_text("namespace torch::taper {\nint planted();\n}\n")
    return Reference(Headers([out / "planted.h"], out, out / "none"), out / "doxygen").undocumented() == ["planted.h: torch::taper::planted"]


def check(out, reference):
    """What is wrong, printed; true if nothing is."""
    wrong = [f"dead link: {line}" for line in links.dead_links(out / "site")]
    wrong += [f"public name without documentation: {name}" for name in reference.undocumented()]
    if not finds_what_lacks(out / "planted"):
        wrong.append("expected a planted name without documentation to be found: is Doxygen's XML still read?")
    for line in wrong:
        print("docs:", line)
    return not wrong


def build(out):
    """The site in out/site; returns the reference."""
    for part in ("pages", "site"):
        shutil.rmtree(out / part, ignore_errors=True)
    pages.write_pages(out / "pages")
    reference = Reference(public_headers(out / "include"), out / "doxygen")
    reference.write(out / "pages")
    shutil.copy(HERE / "site.css", out / "pages" / "site.css")
    (out / "mkdocs.yml").write_text(settings())
    run("mkdocs", "build", "--strict", "--config-file", out / "mkdocs.yml", "--site-dir", out / "site")
    search.shrink(out / "site" / "search" / "search_index.json")
    return reference


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    reference = build(out)
    print(f"docs: made {out / 'site' / 'index.html'} (browsers search in it from a server: python3 -m http.server -d {out / 'site'})")
    sys.exit(0 if not arguments.check or check(out, reference) else 1)


if __name__ == "__main__":
    main()
