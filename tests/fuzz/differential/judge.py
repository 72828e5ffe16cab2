"""Which of two libraries is right where random programs differ in values.

Two questions, both asked of the same program with doubles in place of all floats (FUZZ_DOUBLE):

- Do the libraries agree then? What differed was rounding, if Taper's floats are as near to the doubles
  as LibTorch's.
- Do derivatives differ even then? A gradient is the slope of the loss, a second one that of the sum of
  squares of the gradients: both are compared with difference quotients (FUZZ_NUDGE).
"""
import math

STEP = 2.0 ** -17  # leaves are multiples of 1/4: a central quotient errs by its square
AGREES = 1e-4  # a quotient with a slope, relative to the largest slope of the line
MOST_ELEMENTS = 8  # whose slopes are looked at
ROUNDING = 8.0  # how many times LibTorch's own error is rounding,
SMALL = 1e-3  # and what is in any case, relative to the largest value (1 at least)

ORIGIN = {"gradients": "loss", "second gradients": "squares of gradients"}


def results(line):
    """The numbers of each result of a line."""
    return [[float(v) for v in result.partition(":")[2].split()] for result in line.split("\t")[2:]]


def line_of(lines, number, name):
    return next((line for line in lines if line.split("\t")[:2] == [number, name]), None)


def distance(got, exact):
    """The largest difference of two lines' finite numbers; infinite where their sizes differ."""
    pairs = [(g, e) for a, b in zip(results(got), results(exact)) for g, e in zip(a, b)]
    if [len(r) for r in results(got)] != [len(r) for r in results(exact)]:
        return math.inf
    return max([abs(g - e) for g, e in pairs if math.isfinite(g) and math.isfinite(e)] or [0.0])


def is_rounding(got, want, exact):
    largest = max([abs(v) for r in results(exact) for v in r if math.isfinite(v)] + [1.0])
    return distance(got, exact) <= ROUNDING * distance(want, exact) + SMALL * largest


def differing_elements(got, want):
    """(leaf, element, Taper's slope, LibTorch's) of those that differ most."""
    found = []
    for leaf, (a, b) in enumerate(zip(results(got), results(want))):
        found += [(leaf, i, g, w) for i, (g, w) in enumerate(zip(a, b)) if g != w]
    return sorted(found, key=lambda f: -abs(f[2] - f[3]))[:MOST_ELEMENTS]


class Slopes:
    """Difference quotients of one program's line."""

    def __init__(self, run, binary, seed, name):
        self.run, self.binary, self.seed, self.name = run, binary, seed, name

    def value(self, leaf, element, step):
        nudge = "%d %d %.17g" % (leaf, element, step)
        lines = self.run(self.binary, self.seed, 1, double="1", nudge=nudge)[0].get(self.seed, [])
        line = line_of(lines, "1000", self.name)
        values = [v for r in results(line) for v in r] if line else []
        return values[0] if values else math.nan

    def both(self, leaf, element):
        """The slopes to the left and to the right: at a kink they differ."""
        low, middle, high = (self.value(leaf, element, s) for s in (-STEP, 0.0, STEP))
        return (middle - low) / STEP, (high - middle) / STEP


def judge_slopes(slopes, got, want):
    """"taper", "libtorch", "kink" or "unclear": whose slopes the quotients confirm."""
    largest = max([abs(v) for r in results(got) + results(want) for v in r if math.isfinite(v)] or [1.0])
    verdicts = set()
    for leaf, element, g, w in differing_elements(got, want):
        left, right = slopes.both(leaf, element)
        slope, limit = (left + right) / 2, AGREES * max(largest, 1.0)
        if not abs(left - right) <= 100 * limit:
            verdicts.add("kink")
        elif abs(slope - g) <= limit < abs(slope - w):
            verdicts.add("taper")
        elif abs(slope - w) <= limit < abs(slope - g):
            verdicts.add("libtorch")
        elif abs(g - w) > 2 * limit:
            verdicts.add("unclear")
    for verdict in ("libtorch", "unclear", "kink", "taper"):
        if verdict in verdicts:
            return verdict
    return "unclear"


def verdict(run, compare, binaries, seed, lines):
    """"rounding", or what judge_slopes says, or None where neither question can be asked."""
    got, want = (run(binaries[side], seed, 1, double="1")[0].get(seed, []) for side in ("taper", "libtorch"))
    number, name = lines[0].split("\t")[:2]
    found = compare(got, want)
    if found is None:
        exact = line_of(got, number, name)
        return "rounding" if exact and is_rounding(lines[0], lines[1], exact) else None
    group, differing = found
    name = group.partition(":")[0]
    if name not in ORIGIN or not group.endswith(": values"):
        return None
    return judge_slopes(Slopes(run, binaries["taper"], seed, ORIGIN[name]), *differing)
