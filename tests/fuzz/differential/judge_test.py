#!/usr/bin/env python3
"""judge.py asked about programs whose answers are known: a leaf of two elements (a, b) with the loss
a^2 b + |b|, of which a library may print wrong gradients."""
import unittest

import judge

LEAF = (0.5, -0.25)
SLOPES = (2 * LEAF[0] * LEAF[1], LEAF[0] ** 2 - 1)


def line(number, name, *values):
    return "%s\t%s\tf64[2]l: %s" % (number, name, " ".join("%.17g" % v for v in values))


class Programs:
    """Stands for run.py's run(): lines of a program, by library and settings."""

    def __init__(self, gradients, leaf=LEAF, slopes_in_double=None):
        self.gradients, self.leaf, self.in_double = gradients, leaf, slopes_in_double or gradients

    def run(self, library, seed, count, double=None, nudge="0 0 0"):
        _, element, step = nudge.split()
        a, b = [v + float(step) * (i == int(element)) for i, v in enumerate(self.leaf)]
        gradients = self.in_double if double else self.gradients
        return {seed: [line("1000", "loss", a * a * b + abs(b)),
                       line("1000", "gradients", *gradients[library])]}, {}

    def verdict(self):
        lines = [self.run(side, 1, 1)[0][1][1] for side in ("taper", "libtorch")]

        def compare(got, want):
            return None if got == want else ("gradients: values", (got[1], want[1]))

        return judge.verdict(self.run, compare, {"taper": "taper", "libtorch": "libtorch"}, 1, lines)


class Verdicts(unittest.TestCase):
    def test_whose_slope_it_is(self):
        wrong = (SLOPES[0], SLOPES[1] + 0.5)
        self.assertEqual(Programs({"taper": SLOPES, "libtorch": wrong}).verdict(), "taper")
        self.assertEqual(Programs({"taper": wrong, "libtorch": SLOPES}).verdict(), "libtorch")

    def test_both_wrong(self):
        both = {"taper": (SLOPES[0] + 1, SLOPES[1]), "libtorch": (SLOPES[0] - 1, SLOPES[1])}
        self.assertEqual(Programs(both).verdict(), "unclear")

    def test_each_wrong_somewhere_is_not_for_taper(self):
        each = {"taper": (SLOPES[0] + 1, SLOPES[1]), "libtorch": (SLOPES[0], SLOPES[1] + 1)}
        self.assertEqual(Programs(each).verdict(), "libtorch")

    def test_no_slope_at_a_kink(self):
        at_kink = {"taper": (0.0, 0.25), "libtorch": (0.0, 1.25)}
        self.assertEqual(Programs(at_kink, leaf=(0.5, 0.0)).verdict(), "kink")

    def test_rounding_is_as_near_to_the_doubles(self):
        doubles = {"taper": SLOPES, "libtorch": SLOPES}
        near, far = (SLOPES[0], SLOPES[1] + 0.01), (SLOPES[0], SLOPES[1] + 0.2)
        self.assertEqual(Programs({"taper": near, "libtorch": far}, slopes_in_double=doubles).verdict(), "rounding")
        self.assertIsNone(Programs({"taper": far, "libtorch": near}, slopes_in_double=doubles).verdict())


if __name__ == "__main__":
    unittest.main()
