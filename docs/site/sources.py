"""C++ and other sources: blocks of code, and whole files as pages. hooks.py highlights them, since only MkDocs' Python surely has Pygments."""
import html
import pathlib

import inserted

LANGUAGES = {".cpp": "c++", ".h": "c++", ".hpp": "c++", ".cu": "c++", ".inc": "c++", ".py": "python", ".sh": "bash", ".txt": "cmake",
             ".cmake": "cmake", ".json": "json", ".yml": "yaml"}


def block(text, language="c++"):
    return f'<pre data-language="{language}">{html.escape(text, quote=False)}</pre>'


def address(path):
    """The page of a file of the repository, without .md."""
    return f"files/{path}"


def is_source(page):
    return page.startswith("files/")


def write(folder, path, text):
    """The file's page. Its lines have the anchors L1, L2, ..."""
    code = block(text.rstrip(), LANGUAGES.get(pathlib.PurePath(path).suffix, "text"))
    inserted.write(folder / f"{address(path)}.md", [f"# {inserted.escaped(path)}", code])
