"""Writes the API reference as Markdown pages, from the public headers."""
import collections

import inserted
import sources
from . import doxygen, forms, groups, index, model
from .catalog import Catalog, is_generated
from .class_page import ClassPage
from .page import FunctionPage, Site, TypePage, plain

WRITERS = {"class": ClassPage, "functions": FunctionPage, "types": TypePage}


class Reference:
    def __init__(self, headers, work):
        self.headers = headers
        self.classes, self.free = model.read(doxygen.xml(headers, work))
        forms.share_all(self.classes, self.free, {**headers.text, **headers.pieces})
        self.catalog = Catalog(self.classes, self.free)

    def is_checked(self, path):
        """Whether a name must have documentation."""
        scope = groups.short(path).rpartition("::")[0]
        known = path.startswith(groups.ROOT) and (scope in groups.NAMESPACES or path.rpartition("::")[0] in self.catalog.classes)
        return known and not model.HIDDEN.search(path)

    def undocumented(self):
        return forms.undocumented(self.classes, self.free, self.is_checked)

    def site(self):
        site = Site(self.catalog, self.headers)
        site.kin, site.methods = collections.defaultdict(list), collections.defaultdict(list)
        for page in self.catalog.pages.values():
            site.kin[plain(page)].append(page)
        tensor = self.catalog.classes.get(f"{groups.ROOT}::Tensor")
        for m in (m for m in (tensor.members if tensor else []) if m.kind == "function"):
            site.methods[forms.base(m.name)].append(m)
        return site

    def write(self, folder):
        """All pages into folder/api."""
        site = self.site()
        for page in self.catalog.pages.values():
            inserted.write(folder / f"{page.address}.md", WRITERS[page.kind](site, page).body())
        for key, pages in index.present(self.catalog).items():
            inserted.write(folder / "api" / f"{key}.md", index.group_page(key, pages, self.catalog))
        inserted.write(folder / "api" / "index.md", index.index_page(self.catalog))
        for path, text in {**self.headers.text, **self.headers.pieces}.items():
            if not is_generated(path):
                sources.write(folder, path, text)
