"""The index of the reference, and a page for each of its groups."""
import html

from . import comments, groups, markup


def title_of(page):
    return html.escape(page.title)


class Anywhere:
    """Stands for a page of a group."""

    def __init__(self, address):
        self.address = address


def row(page, text):
    name = f'<a href="{text.href(page.address)}"><code>{title_of(page)}</code></a>'
    return [name, text.inline(comments.summary(page.text)) if page.kind != "types" else ", ".join(
        dict.fromkeys(f"<code>{html.escape(m.name)}</code>" for m in page.members))]


def section(title, pages, text):
    rows = [row(p, text) for p in sorted(pages, key=lambda p: p.title.lower())]
    return [markup.heading(2, title), markup.table(["name", "description"], rows, "names")] if rows else []


def group_page(key, pages, catalog):
    """Markdown of a group's page."""
    title, sentence = next((t, s) for k, t, s, _ in groups.GROUPS if k == key)
    text = markup.Text(catalog, Anywhere(f"api/{key}"), groups.ROOT)
    out = [f'<p class="crumbs"><a href="{text.href("api/index")}">API reference</a></p>', markup.heading(1, title), text.paragraph(sentence)]
    for kind, name in (("class", "Classes"), ("functions", "Functions"), ("types", "Types and constants")):
        out += section(name, [p for p in pages if p.kind == kind], text)
    return out


def present(catalog):
    """{key of a group: its pages}, in order."""
    found = {key: [] for key, title, _, _ in groups.GROUPS if title}
    for page in catalog.pages.values():
        found[page.group].append(page)
    return {key: pages for key, pages in found.items() if pages}


def index_page(catalog):
    """Markdown of the first page."""
    text = markup.Text(catalog, Anywhere("api/index"), groups.ROOT)
    titles = {key: (title, sentence) for key, title, sentence, _ in groups.GROUPS if title}
    rows = [[f'<a href="{text.href(f"api/{key}")}">{titles[key][0]}</a>', html.escape(titles[key][1]), str(len(pages))]
            for key, pages in present(catalog).items()]
    spaces = [[f"<code>torch{'::' + n if n else ''}</code>", html.escape(says)] for n, says in groups.NAMESPACES.items()]
    return [markup.heading(1, "API reference"),
            text.paragraph("All names are in the namespace `torch`, and in its other name `taper`. Search finds each of them by its name."),
            markup.code(["#include <torch/torch.h>  // or <taper/taper.h>"]),
            markup.heading(2, "Groups"), markup.table(["group", "contents", "pages"], rows, "names"),
            markup.heading(2, "Namespaces"), markup.table(["namespace", "contents"], spaces, "names")]
