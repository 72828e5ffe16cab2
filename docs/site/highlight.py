"""Highlights blocks of code in HTML. Needs Pygments."""
import functools
import html
import re

import pygments
import pygments.formatters
import pygments.lexers

BLOCK = re.compile(r'<pre data-language="([^"]*)">(.*?)</pre>', re.S)
SPANS = pygments.formatters.HtmlFormatter(nowrap=True)


@functools.cache
def lexer(language):
    return pygments.lexers.get_lexer_by_name(language, stripnl=False)


@functools.cache
def spans(text, language):
    return pygments.highlight(html.unescape(text), lexer(language), SPANS).rstrip("\n")


def numbered(lines):
    """Lines with a number in front that leads to them."""
    return "\n".join(f'<a class="line" id="L{n}" href="#L{n}">{n}</a>{line}' for n, line in enumerate(lines, 1))


def highlighted(page, lines=False):
    """A page's HTML with all of its blocks highlighted; lines: and their lines numbered."""
    def turn(match):
        code = spans(match[2], match[1])
        code = numbered(code.split("\n")) if lines else code
        return f'<div class="highlight wraps"><pre><code>{code}</code></pre></div>'

    return BLOCK.sub(turn, page)
