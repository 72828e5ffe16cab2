"""Tables of a page as bars, for the site: SVG files, by a mark in front of a table.

    <!-- plot FILE.svg, TITLE: COLUMN NAME; COLUMN NAME -->

Each row becomes a group of bars, one for each of these columns (counted from 0, which names the rows). A cell counts with the
number that its last part, behind a comma, begins with: "695 ms, 1.25" with 1.25, "0.89 (0.08)" with 0.89; cells without one
make no bar. Where the cells of a row, and its name behind a colon, have as many parts between semicolons, each part is a row.
"""
import html
import math
import re

MARK = re.compile(r"^<!-- plot (\S+\.svg), (.*?): (.*) -->$")
NUMBER = re.compile(r"\s*([\d,]*\.?\d+(?:e[+-]?\d+)?)")
COLORS = ["#1f6fb2", "#d1602d", "#3a8a4d"]
LEFT, BAR, GAP, WIDTH, MOST_LETTERS = 290, 9, 7, 720, 46


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def number(text):
    """The value of a cell; None where it has none."""
    match = NUMBER.match(text.split(", ")[-1])
    return float(match.group(1).replace(",", "")) if match else None


def parts(row):
    """A row, or the rows that its parts between semicolons make; its name's are "what: a; b" or "a; b"."""
    first, _, rest = row[0].rpartition(": ")
    names = [n.strip() for n in (rest or row[0]).split(";")]
    split = [[p.strip() for p in cell.split(";")] for cell in row[1:]]
    if len(names) == 1 or any(len(s) not in (1, len(names)) or (len(s) == 1 and s[0]) for s in split):
        return [row]
    return [[f"{first}: {name}" if first else name, *(s[i] if len(s) > 1 else "" for s in split)]
            for i, name in enumerate(names)]


def read(lines, mark):
    """(names of the bars, [(name of the row, [value or None])]) of the table behind a mark."""
    columns = [(int(c.split(None, 1)[0]), c.split(None, 1)[1].strip()) for c in mark.split(";")]
    table = []
    for line in lines:
        if line.startswith("|"):
            table.append(cells(line))
        elif table:
            break
    rows = []
    for row in (p for r in table[2:] for p in parts(r)):
        values = [number(row[c]) if c < len(row) else None for c, _ in columns]
        if any(v is not None for v in values):
            rows.append((row[0].replace("`", ""), values))
    for k, (c, name) in enumerate(columns):
        if all(values[k] is None for _, values in rows):
            raise SystemExit(f"docs: expected numbers in column {c} ({name}) of the table behind '<!-- plot', found none")
    return [name for _, name in columns], rows


def scale(values):
    """Where a value's bar ends, from 0 to 1, and where lines stand: by the logarithm where values differ much."""
    most, least = max(values), min(v for v in values if v > 0)
    if most / least < 30:
        step = next(s for s in (10 ** math.floor(math.log10(most)) * f for f in (0.2, 0.5, 1, 2, 5)) if most / s <= 8)
        return (lambda v: v / most), [i * step for i in range(int(most / step) + 1)]
    low, high = math.floor(math.log10(least)), math.log10(most)
    every = max(1, math.ceil((high - low) / 8))
    return (lambda v: max(0.004, (math.log10(v) - low) / (high - low)) if v > 0 else 0), \
        [10.0 ** p for p in range(low, math.floor(high) + 1, every)]


def svg(title, names, rows, base=None):
    """The picture's text. `base` is a value with a name, which gets a line."""
    at, ticks = scale([v for _, values in rows for v in values if v is not None])
    group = BAR * len(names) + GAP
    height = 34 + group * len(rows) + 24
    x = lambda v: LEFT + at(v) * (WIDTH - LEFT - 60)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="11">', f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    out.append(f'<text x="6" y="14" font-weight="bold">{html.escape(title)}</text>')
    left = LEFT
    for i, name in enumerate(names):
        out.append(f'<text x="{left}" y="14" fill="{COLORS[i]}">{html.escape(name)}</text>')
        left += 16 + 7 * len(name)
    for tick in ticks:
        line = f'M{x(tick):.1f} 24V{height - 22}'
        out.append(f'<path d="{line}" stroke="{"#888" if tick == 1 else "#ddd"}"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>')
    if base:
        value, name = base
        out.append(f'<path d="M{x(value):.1f} 10V{height - 22}" stroke="#555" stroke-dasharray="4 2"/>'
                   f'<text x="{x(value) + 3:.1f}" y="18" font-size="9" fill="#555">{html.escape(name)}</text>')
    for i, (row, values) in enumerate(rows):
        top = 28 + group * i
        name = row if len(row) <= MOST_LETTERS else row[:MOST_LETTERS - 1] + "…"
        out.append(f'<text x="{LEFT - 6}" y="{top + (group - GAP) / 2 + 4:.1f}" text-anchor="end">{html.escape(name)}'
                   f'<title>{html.escape(row)}</title></text>')
        for k, value in enumerate(values):
            if value is None:
                continue
            y = top + BAR * k
            out.append(f'<rect class="bar" x="{LEFT}" y="{y}" width="{x(value) - LEFT:.1f}" height="{BAR - 1}" fill="{COLORS[k]}"/>'
                       f'<text x="{x(value) + 3:.1f}" y="{y + BAR - 1}" font-size="9" stroke="white" stroke-width="3" '
                       f'paint-order="stroke">{value:g}</text>')
    return "\n".join(out + ["</svg>", ""])


def drawn(text, folder):
    """A page with the pictures that it asks for behind the mark's table; writes them into the folder."""
    lines, out, pending = text.split("\n"), [], ""
    for i, line in enumerate(lines):
        match = MARK.match(line)
        if match:
            file, title, columns = match.groups()
            folder.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(svg(title, *read(lines[i + 1:], columns)))
            pending = f"![{title}]({folder.name}/{file})"
            continue
        out.append(line)
        if pending and line.startswith("|") and not "".join(lines[i + 1:i + 2]).startswith("|"):
            out += ["", pending]
            pending = ""
    return "\n".join(out)
