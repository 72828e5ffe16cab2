"""The pages of docs/, the root and the examples as pages of the site: links lead to the site's pages, sources are shown as pages."""
import os
import pathlib
import re
import shutil

import plots
import sources

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = (".png", ".svg")
LINK = re.compile(r"(\]\()([^)#\s]*)((?:#[^)\s]*)?\))")

def pages():
    """{file of the repository: name of its page}; all pages lie in one folder."""
    found = {"README.md": "index.md"}
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"):
        found[name] = name
    for path in sorted((ROOT / "docs").rglob("*.md")):
        found[str(path.relative_to(ROOT))] = ("room_" if path.parent.name == "rooms" else "") + path.name
    for name in examples():
        found[f"examples/{name}/README.md"] = f"example_{name}.md"
    return found


def examples():
    """The names of the examples, in the order of README's list: from the easiest to the hardest."""
    listed = re.split(r"(?m)^All examples,", (ROOT / "README.md").read_text())[1].split("\n## ")[0]
    names = re.findall(r"\(examples/(\w+)/README\.md\)", listed)
    there = sorted(path.parent.name for path in (ROOT / "examples").glob("*/README.md"))
    if sorted(names) != there:
        raise ValueError(f"README.md: expected each example once in 'All examples', differing: {sorted(set(names) ^ set(there))}")
    return names


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
    name = str(source.relative_to(ROOT))
    if source.suffix not in PICTURES:
        sources.write(folder, name, source.read_text())
        return f"{sources.address(name)}.md"
    (folder / "files" / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, folder / "files" / name)
    return f"files/{name}"


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


def files_of(path, folder):
    """Links to the sources of an example, for the end of its page."""
    listed = []
    for source in sorted((ROOT / path).parent.iterdir()):
        if source.suffix in (".cpp", ".h", ".py", ".txt"):
            name = str(source.relative_to(ROOT))
            sources.write(folder, name, source.read_text())
            listed.append(f"- [{source.name}]({sources.address(name)}.md)")
    return "\n".join(["", "", "## Sources", "", *listed, ""])


def gallery(folder, examples):
    """The page of all examples: titles, first sentences, pictures."""
    text = ["# Gallery", "", "Programs that learn something, each in a folder of its own.", ""]
    for name in examples:
        lines = (folder / name).read_text().splitlines()
        picture = next((x for x in lines if x.startswith("![")), "")
        text += [f"## [{lines[0].lstrip('# ')}]({name})", "", first_sentence(lines[1:]), "", picture, ""]
    return "\n".join(text)


def is_example(name):
    return name.startswith("example_")


def write_pages(folder):
    names = pages()
    folder.mkdir(parents=True)
    for path, name in names.items():
        text = plots.drawn(written_page(path, names, folder), folder / "plots")
        (folder / name).write_text(text + (files_of(path, folder) if is_example(name) else ""))
    (folder / "gallery.md").write_text(gallery(folder, [n for n in names.values() if is_example(n)]))
