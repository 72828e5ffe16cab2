"""Pieces of a page: Markdown for headings, HTML for the rest."""
import html
import posixpath
import re

import inserted
import sources
from . import formula

SPAN = re.compile(r"`([^`]+)`|\b((?:\w+::)*~?\w+)(\(\))|\b((?:\w+::)+\w+)\b")
# Names in backquotes that are no parameters: Tensor, nn::init::zeros_, step().
NAMES = re.compile(r"[A-Z]\w*|\w+(::\w+)+|[\w:]+\(\)")
WIDE = 72


def heading(level, text, anchor=""):
    return f"{'#' * level} {inserted.escaped(text)}" + (f" {{ #{anchor} }}" if anchor else "")


def code_span(text):
    return f"<code>{html.escape(text)}</code>" if text else ""


def code(lines, language="c++"):
    return sources.block("\n".join(lines), language)


def table(head, rows, kind):
    """Cells are HTML. Each knows its column's name, which narrow windows show beside it."""
    top = "".join(f"<th>{h}</th>" for h in head)
    body = "".join("<tr>" + "".join(f'<td data-head="{html.escape(h)}">{c}</td>' for h, c in zip(head, row)) + "</tr>\n" for row in rows)
    return f'<table class="{kind}"><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table>'


def without_empty(head, rows):
    """Without the columns that no row fills."""
    kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
    return [head[k] for k in kept], [[row[k] for k in kept] for row in rows]


class Text:
    """Writes texts of one page, with links to names of the catalog."""

    def __init__(self, catalog, page, scope):
        self.catalog, self.page, self.scope = catalog, page, scope

    def href(self, address):
        """The way from the page to a page of the site without .html, or with an anchor: 'api/Tensor#abs'."""
        name, _, anchor = address.partition("#")
        way = posixpath.relpath(f"{name}.html", posixpath.dirname(self.page.address))
        return f"{way}#{anchor}" if anchor else way

    def linked(self, name, shown):
        """HTML of a name, with a link to its page if it is another one."""
        found = self.catalog.find(name, self.scope)
        if not found or found[0] is self.page:
            return shown
        page, anchor = found
        return f'<a href="{self.href(page.address + ("#" + anchor if anchor else ""))}">{shown}</a>'

    def span(self, match):
        code, name, call, path = match.groups()
        if code:
            shown = f"<code>{html.escape(code)}</code>"
            return self.linked(code.replace("()", ""), shown) if NAMES.fullmatch(code) else shown
        shown = f"<code>{html.escape(name + call if name else path)}</code>"
        return self.linked(name or path, shown)

    def inline(self, text):
        out, at = [], 0
        for match in SPAN.finditer(text):
            out += [html.escape(text[at:match.start()], quote=False), self.span(match)]
            at = match.end()
        return "".join(out) + html.escape(text[at:], quote=False)

    def type(self, text):
        """A type as code, its names linked."""
        parts = re.split(r"((?:\w+::)*[A-Z]\w*)", text)
        return "<code>" + "".join(self.linked(p, html.escape(p)) if k % 2 else html.escape(p) for k, p in enumerate(parts)) + "</code>"

    def paragraph(self, text):
        return f"<p>{self.inline(text)}</p>"

    def listed(self, title, items, kind):
        """A box with a title and paragraphs; '' without items."""
        if not items:
            return ""
        body = "".join(f"<p>{self.inline(i)}</p>" for i in items)
        return f'<div class="{kind}"><p class="box-title">{title}</p>{body}</div>'


def formula_of(text, names):
    tokens = formula.find(text, names)
    return f'<p class="formula">{formula.markup(tokens)}</p>' if tokens else ""


def declaration(m, name=None):
    """The lines of a function's declaration; long ones with a parameter in each line."""
    head = " ".join(w for w in (m.words_before, m.type, name or m.name) if w)
    parameters = [" ".join(w for w in (p.type, p.name) if w) + (f" = {p.default}" if p.default else "") for p in m.parameters]
    behind = (" " + m.words_behind if m.words_behind else "") + ";"
    template = [m.template] if m.template else []
    line = f"{head}({', '.join(parameters)}){behind}"
    if len(line) <= WIDE or not parameters:
        return [*template, line]
    body = [f"    {p}," for p in parameters]
    return [*template, f"{head}(", *body[:-1], body[-1][:-1] + f"){behind}"]
