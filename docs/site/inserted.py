"""Pages whose HTML is made already. MkDocs would read it two times more, which takes longer than making it.

The Markdown of such a page has its headings, and a mark for the HTML between them. The HTML lies beside it, in a hidden file, which MkDocs
does not copy. hooks.py puts it into the page.
"""
import html
import json
import re

MARK = '<div class="inserted"></div>'
BETWEEN = "\f"


def beside(page):
    return page.parent / f".{page.name}.html"


def escaped(text):
    """A text in a Markdown heading, and in the table of contents, which knows no backslash."""
    return re.sub(r"[\\`*_{}\[\]#|]", lambda m: f"&#{ord(m[0])};", html.escape(text, quote=False))


def titled(blocks):
    """The page's title: MkDocs takes only the first block for it."""
    first = next(b for b in blocks if b and b.startswith("# "))
    return "---\ntitle: " + json.dumps(html.unescape(first[2:])) + "\n---"


def write(page, blocks):
    """Writes a page of headings (Markdown) and other blocks (HTML)."""
    text, parts = [titled(blocks)], []
    for block in filter(None, blocks):
        if block.startswith("#"):
            text.append(block)
        elif text and text[-1] == MARK:
            parts[-1] += "\n" + block
        else:
            text.append(MARK)
            parts.append(block)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n\n".join(text) + "\n")
    beside(page).write_text(BETWEEN.join(parts))


def filled(text, page):
    """A page's HTML with all of its parts."""
    if MARK not in text:
        return text
    parts = iter(beside(page).read_text().split(BETWEEN))
    return re.sub(re.escape(MARK), lambda _: next(parts), text)
