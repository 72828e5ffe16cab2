#!/usr/bin/env python3
"""Which sources cmake/groups.py lets be compiled as one."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmake"))
import groups

ONE = "#include <taper/ops/one.h>\nnamespace torch::taper {\nnamespace {\n%s\n}\nint one() { return %s; }\n}\n"


class Groups(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        groups.ROOT = folder.name
        groups.names_of_header.cache_clear()
        self.write("ops/one.h", "namespace torch::taper { int one(); }")

    def write(self, name, text):
        path = os.path.join(groups.ROOT, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def groups(self, *texts, kinds="xx", lines=100):
        """The groups of ops/0.cpp, ops/1.cpp, ... of these texts."""
        sources = [groups.Source("%s\t%s\t<taper/ops/%d.cpp>\n" % (kinds[i], self.write("ops/%d.cpp" % i, t), i))
                   for i, t in enumerate(texts)]
        self.together = groups.groups_of(sources, lines)
        return [[s.include for s in g] for g in self.together]

    def assertTogether(self, *texts, **options):
        self.assertEqual([len(g) for g in self.groups(*texts, **options)], [len(texts)], texts)

    def assertApart(self, *texts, **options):
        self.assertEqual(self.groups(*texts, **options), [], texts)

    def test_names_that_differ(self):
        self.assertTogether(ONE % ("int f() { return 1; }", "f()"), ONE % ("int g() { return 2; }", "g()"))

    def test_headers_come_first(self):
        self.assertTogether(ONE % ("int f();", 1), ONE % ("struct S {};", 2))
        self.assertEqual(groups.text_of(self.together[0]),
                         "#include <taper/ops/one.h>\n#include <taper/ops/0.cpp>\n#include <taper/ops/1.cpp>\n")

    def test_equal_local_names(self):
        for name in ("int f(int x) { return x; }", "template <class T>\nstruct f {};", "const int f = 1;", "enum { e, f };",
                     "enum class f { e };", "[[maybe_unused]] auto f() -> int;", "std::vector<int> f(4, 2);"):
            self.assertApart(ONE % (name, 1), ONE % ("double f(double x) { return x; }", 2))
        self.assertApart("static int f() { return 1; }", "static int f(int) { return 2; }")
        self.assertApart("constexpr int f = 1;", "namespace { int f = 2; }")
        self.assertApart("TAPER_OP_CASES(f, { return 1; })", "TAPER_OP_CASES(f, { return 2; })")
        self.assertTogether("TEST(F, a) {}", "TEST(F, b) {}")

    def test_a_local_name_that_means_another_thing_elsewhere(self):
        self.assertEqual(self.groups("int f(double); int a() { return f(1); }", "namespace { int f(int x) { return x; } }"),
                         [["<taper/ops/0.cpp>", "<taper/ops/1.cpp>"]])  # never the other way round
        self.assertEqual(self.groups("namespace { int f(int x) { return x; } }", "int f(double); int a() { return f(1); }"),
                         [["<taper/ops/1.cpp>", "<taper/ops/0.cpp>"]])
        self.assertTogether("namespace { int f(int); }", "int a() { return s.f(1) + p->f(2) + other::f(3); }")

    def test_aliases(self):
        self.assertTogether("namespace { using Shape = Dims; }", "namespace { using Shape = Dims; }")
        self.assertApart("namespace { using Shape = Dims; }", "namespace { using Shape = Sizes; }")
        self.assertApart("namespace n { using namespace m; }\nusing namespace m;", "int one();")

    def test_macros_and_pragmas(self):
        self.assertApart("#define F(x) \\\n  x\n", "#define F(x) 2\n")
        self.assertApart("#pragma GCC optimize(\"O3\")\n", "int one();")
        self.assertApart("#define F \"x\"\n#include <taper/ops/one.h>\n", "int one();")

    def test_headers_of_others(self):
        self.write("ops/f.h", "#pragma once\nnamespace torch::taper::nn { int f(int); }\nnamespace torch::taper::nn::detail { int g(); }")
        other = "#include <taper/ops/f.h>\n"
        self.assertApart(other, "namespace torch::taper::nn { namespace { int f(double); } }")
        self.assertApart(other, "namespace torch::taper::nn { int a() { return f(1.5); } }")  # taper::f
        self.assertApart(other, "namespace torch::taper::nn { int a() { return detail::g(); } }")  # taper::detail::g
        self.assertTogether(other, "namespace torch::taper::data { int a() { return f(1) + detail::g(); } }")
        self.assertTogether(other, other + "namespace torch::taper::nn { int a() { return f(1) + detail::g(); } }")

    def test_headers_under_a_condition_stay_there(self):
        text = "#include <taper/ops/one.h>\n#if HAS_PNG\n#include <png.h>\n#endif\n"
        self.assertTogether(text, "int one();")
        self.assertNotIn("png.h", groups.text_of(self.together[0]))

    def test_options_and_length(self):
        self.assertApart("int a();", "int b();", kinds="xy")
        self.assertApart("int a();\n" * 60, "int b();\n" * 60)
        self.assertTogether("int a();\n" * 60, "int b();\n" * 60, lines=120)


if __name__ == "__main__":
    unittest.main()
