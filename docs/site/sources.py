"""Sources as pages, with highlighting and anchors for lines."""
import pathlib

LANGUAGES = {".cpp": "c++", ".h": "c++", ".hpp": "c++", ".cu": "c++", ".inc": "c++", ".py": "python", ".sh": "bash", ".txt": "cmake",
             ".cmake": "cmake", ".json": "json", ".yml": "yaml"}


def address(path):
    """The page of a file of the repository, without .md."""
    return f"files/{path}"


def page(path, text):
    """Its Markdown."""
    language = LANGUAGES.get(pathlib.PurePath(path).suffix, "text")
    title = path.replace("_", "\\_")
    return f'# {title}\n\n````{{.{language} linenums="1"}}\n{text.rstrip()}\n````\n'


def line(number):
    """The anchor of a line."""
    return f"__codelineno-0-{number}"


def write(folder, path, text):
    file = folder / f"{address(path)}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page(path, text))
