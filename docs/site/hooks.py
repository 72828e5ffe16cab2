"""MkDocs calls these functions."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import highlight
import inserted
import sources


def filled(html, page, config):
    return inserted.filled(html, pathlib.Path(config["docs_dir"]) / page.file.src_uri)


def on_page_content(html, page, config, files):
    """Fills pages of the reference before they are indexed for search."""
    return html if sources.is_source(page.file.src_uri) else filled(html, page, config)


def on_post_page(output, page, config):
    """Fills pages of sources, which are not searched, and highlights code."""
    is_source = sources.is_source(page.file.src_uri)
    return highlight.highlighted(filled(output, page, config) if is_source else output, lines=is_source)
