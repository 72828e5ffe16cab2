#!/usr/bin/env python3
"""Makes the documentation as a web site: the pages of docs/, the root and the examples by MkDocs, the public headers by
Doxygen. Tables with a mark in front of them are drawn as bars, too (plots.py).

    build.py --out DIR            writes DIR/site (open DIR/site/index.html); needs mkdocs, its theme material, doxygen
    build.py --out DIR --check    then fails for a link that leads nowhere and a public name that has no documentation
"""
import argparse
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import plots

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LINK = re.compile(r"(\]\()([^)#\s]*)((?:#[^)\s]*)?\))")


def pages():
    """{file of the repository: name of its page}; all pages lie in one folder."""
    found = {"README.md": "index.md"}
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"):
        found[name] = name
    for path in sorted((ROOT / "docs").rglob("*.md")):
        found[str(path.relative_to(ROOT))] = ("room_" if path.parent.name == "rooms" else "") + path.name
    for path in sorted((ROOT / "examples").glob("*/README.md")):
        found[str(path.relative_to(ROOT))] = f"example_{path.parent.name}.md"
    return found


def linked(target, names, folder):
    """Where a link to a file or folder of the repository leads in the site; files that are no pages are copied."""
    if target in names:
        return names[target]
    if f"{target}/README.md" in names:
        return names[f"{target}/README.md"]
    source = ROOT / target
    if source.is_dir():
        source = source / "main.cpp" if (source / "main.cpp").exists() else source / "CMakeLists.txt"
    if not source.is_file():
        return None
    copy = "files/" + str(source.relative_to(ROOT)) + ("" if source.suffix in (".png", ".svg") else ".txt")
    (folder / copy).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, folder / copy)
    return copy


def written_page(path, names, folder):
    """The text of a page with its links turned to the site; code blocks stay as they are."""
    def turn(match):
        before, target, after = match.groups()
        if not target or "://" in target or target.startswith("mailto:"):
            return match.group(0)
        where = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return before + (linked(where, names, folder) or target) + after

    lines, in_code = [], False
    for line in (ROOT / path).read_text().splitlines():
        in_code ^= line.lstrip().startswith("```")
        lines.append(line if in_code else LINK.sub(turn, line))
    # Python's Markdown wants an empty line before a list.
    text = "\n".join(lines)
    return re.sub(r"(?m)^(?![-|\s*>#])(.+)\n(?=- )", r"\1\n\n", text)


def first_sentence(lines):
    """Of a page's text."""
    text = "\n".join(lines).strip().split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.]) ", text)[0].rstrip(":;.") + "."


def write_pages(folder):
    names = pages()
    folder.mkdir(parents=True)
    for path, name in names.items():
        (folder / name).write_text(plots.drawn(written_page(path, names, folder), folder / "plots"))
    examples = [n for n in names.values() if n.startswith("example_")]
    gallery = ["# Gallery", "", "Programs that learn something, each in a folder of its own.", ""]
    for name in examples:
        lines = (folder / name).read_text().splitlines()
        picture = next((x for x in lines if x.startswith("![")), "")
        gallery += [f"## [{lines[0].lstrip('# ')}]({name})", "", first_sentence(lines[1:]), "", picture, ""]
    (folder / "gallery.md").write_text("\n".join(gallery))
    shutil.copy(HERE / "narrow.css", folder / "narrow.css")


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"docs: {command[0]} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout + done.stderr


def write_reference(out, headers):
    """The reference of the headers in out/site/api; returns Doxygen's warnings."""
    (out / "site").mkdir(parents=True, exist_ok=True)
    settings = (HERE / "Doxyfile").read_text()
    settings += f"\nOUTPUT_DIRECTORY = {out / 'site'}\nHTML_OUTPUT = api\n"
    settings += f"STRIP_FROM_PATH = {ROOT} {out / 'include' / 'taper'}\n"
    inputs = [HERE / "namespaces.dox", *headers]
    settings += f"WARN_LOGFILE = {out / 'doxygen.log'}\nINPUT = {' '.join(map(str, inputs))}\n"
    settings += f"FILTER_PATTERNS = *.h=\"{sys.executable} {HERE / 'with_forms.py'}\"\n"
    run("doxygen", "-", input=settings, cwd=out)
    return (out / "doxygen.log").read_text().splitlines()


def public_headers(include):
    """Those of the tree and those that are generated, into the folder `include`."""
    run(sys.executable, ROOT / "cmake" / "generated_headers.py", include)
    listed = run("cmake", f"-DTAPER_INCLUDE={include}", "-P", ROOT / "cmake" / "public_headers.cmake")
    return [ROOT / h for h in listed.split()]


class Links(html.parser.HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src") and value:
                self.targets.append(value)
            if key in ("id", "name") and value:
                self.anchors.add(value)


def dead_links(site):
    """'page: link' of each link inside of the site that leads nowhere. Doxygen's own pages are not read, but for their
    anchors."""
    parsed = {}

    def links(page):
        if page not in parsed:
            parsed[page] = Links(page.read_text(errors="replace"))
        return parsed[page]

    dead = []
    for page in sorted(site.glob("*.html")):
        for target in links(page).targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc or page.name == "404.html":
                continue
            path = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
            if path.is_dir():
                path = path / "index.html"
            if not path.exists():
                dead.append(f"{page.name}: {target}")
            elif url.fragment and path.suffix == ".html" and urllib.parse.unquote(url.fragment) not in links(path).anchors:
                dead.append(f"{page.name}: {target} (no such place in the page)")
    return dead


def undocumented(warnings):
    """'header: name' of each public name that has no documentation."""
    found = set()
    for line in warnings:
        match = re.match(r"(/\S+?):\d+: warning: (?:Member|Compound) (.*?) (?:\(\w[\w ]*\) .*)?is not documented", line)
        if match:
            found.add(f"{os.path.relpath(match.group(1), ROOT)}: {match.group(2)}")
    return sorted(found)


def finds_what_lacks(out):
    """Whether a planted name without documentation is found: Doxygen's messages are still understood."""
    out.mkdir(exist_ok=True)
    header = out / "planted.h"
    header.write_text("namespace torch::taper {\nint planted();\n}\n")
    return undocumented(write_reference(out, [header])) == [f"{os.path.relpath(header, ROOT)}: planted()"]


def check(out, warnings):
    """What is wrong, printed; true where nothing is."""
    wrong = [f"dead link: {line}" for line in dead_links(out / "site")]
    wrong += [f"public name without documentation: {name}" for name in undocumented(warnings)]
    if not finds_what_lacks(out / "planted"):
        wrong.append("expected a planted name without documentation to be found: are Doxygen's messages still read?")
    for line in wrong:
        print("docs:", line)
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    for part in ("pages", "site"):
        shutil.rmtree(out / part, ignore_errors=True)
    write_pages(out / "pages")
    settings = (HERE / "mkdocs.yml").read_text()
    (out / "mkdocs.yml").write_text(settings + "".join(
        f"    - {name[8:-3]}: {name}\n" for name in pages().values() if name.startswith("example_")))
    run("mkdocs", "build", "--quiet", "--config-file", out / "mkdocs.yml", "--site-dir", out / "site")
    warnings = write_reference(out, public_headers(out / "include"))
    print(f"docs: made {out / 'site' / 'index.html'} (browsers search in it from a server: python3 -m http.server -d {out / 'site'})")
    sys.exit(0 if not arguments.check or check(out, warnings) else 1)


if __name__ == "__main__":
    main()
