"""Links inside of the site that lead nowhere."""
import html.parser
import urllib.parse


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
    """'page: link' of each link inside of the site that leads nowhere."""
    parsed = {}

    def links(page):
        if page not in parsed:
            parsed[page] = Links(page.read_text(errors="replace"))
        return parsed[page]

    dead = []
    for page in sorted(site.rglob("*.html")):
        for target in links(page).targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc or page.name == "404.html":
                continue
            path = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
            if path.is_dir():
                path = path / "index.html"
            if not path.exists():
                dead.append(f"{page.relative_to(site)}: {target}")
            elif url.fragment and path.suffix == ".html" and urllib.parse.unquote(url.fragment) not in links(path).anchors:
                dead.append(f"{page.relative_to(site)}: {target} (no such place in the page)")
    return dead
