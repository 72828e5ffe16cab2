"""Links inside of the site that lead nowhere."""
import functools
import html
import re
import urllib.parse

TARGET = re.compile(r'\b(?:href|src)="([^"]+)"')
ANCHOR = re.compile(r'\b(?:id|name)="([^"]+)"')


@functools.cache
def anchors(page):
    """The places of a page that can be referred to."""
    return set(map(html.unescape, ANCHOR.findall(page.read_text(errors="replace"))))


def is_dead(target, page):
    """What is wrong with a link of a page; '' if it leads somewhere or out of the site."""
    url = urllib.parse.urlsplit(html.unescape(target))
    if url.scheme or url.netloc:
        return ""
    path = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
    path = path / "index.html" if path.is_dir() else path
    if not path.exists():
        return target
    known = not url.fragment or path.suffix != ".html" or urllib.parse.unquote(url.fragment) in anchors(path)
    return "" if known else f"{target} (no such place in the page)"


def dead_links(site):
    """'page: link' of each link that leads nowhere from a page that is no source."""
    dead, seen = [], {}
    for page in sorted(p for p in site.rglob("*.html") if p.parts[len(site.parts)] != "files"):
        for target in dict.fromkeys(TARGET.findall(page.read_text(errors="replace"))):
            key = (page.parent, target) if not target.startswith("#") else (page, target)
            if key not in seen:
                seen[key] = "" if page.name == "404.html" else is_dead(target, page)
            if seen[key]:
                dead.append(f"{page.relative_to(site)}: {seen[key]}")
    return dead
