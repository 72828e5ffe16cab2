"""The search index of the site, made small: browsers read it before the first search.

MkDocs indexes a page as a whole and once more by its sections. Of the reference, the name and the first words of each page are enough, and
the sections that are names. Pages of sources are left out.
"""
import json
import re

import sources

WORDS = 300  # letters of a page's text
HEAD = re.compile(r"^API reference[^¶]*¶ (#include <\S+> )?(// or only: #include <\S+> )?")
GENERAL = {"Constructors", "Methods", "Methods of Tensor", "Methods that are functions too", "Data", "Types", "Operators", "Functions", "Classes",
           "Types and constants", "For derived classes", "Groups", "Namespaces"}


def plain(title):
    """A title without the marks that keep Markdown from reading it."""
    return re.sub(r"&#(\d+);", lambda m: chr(int(m[1])), title)


def kept(entry, pages):
    """Whether the index needs an entry: no section of the reference that repeats its page or is on every page."""
    page, _, anchor = entry["location"].partition("#")
    if sources.is_source(page):
        return False
    return not (page.startswith("api/") and anchor) or not (entry["title"] in GENERAL or plain(entry["title"]) == pages.get(page))


def small(entry):
    text = HEAD.sub("", entry["text"]).replace(" ¶", "")
    return {**entry, "title": plain(entry["title"]), "text": text[:WORDS] if entry["location"].startswith("api/") else text}


def shrink(file):
    """Rewrites an index."""
    index = json.loads(file.read_text())
    pages = {e["location"]: plain(e["title"]) for e in index["docs"] if "#" not in e["location"]}
    index["docs"] = [small(e) for e in index["docs"] if kept(e, pages)]
    file.write_text(json.dumps(index, separators=(",", ":")))
