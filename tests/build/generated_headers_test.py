#!/usr/bin/env python3
"""What cmake/generated_headers.py writes, and which rows of its lists it refuses."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "cmake"))
import extension_forms
import generated_headers
import op_table

SOURCES = {
    "ops/one.h": """
namespace torch::taper {
/// Returns x + y.
Tensor add(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor abs(const Tensor& x), hidden;
Tensor exp(const Tensor& x);
Tensor& exp_out(Tensor& out, const Tensor& x);
std::tuple<Tensor, Tensor> frexp(const Tensor& x);
inline Tensor ones(IntArrayRef size, TensorOptions options = {}) { return {}; }
namespace detail {
Tensor internal(const Tensor& x);
}
namespace special {
Tensor& round_out(Tensor& out, const Tensor& x, int64_t decimals = 0);
}
Tensor fft_shift(const Tensor& x);
}
namespace torch::taper::fft {
using Norm = optional<std::string_view>;
Tensor fft(const Tensor& self, Norm norm = nullopt);
Tensor shift(const Tensor& x, int64_t dim = 0);
}""",
}


class Forms(unittest.TestCase):
    def headers(self, out="", foreach=""):
        return extension_forms.headers(f"[foreach]\n{foreach}\n[out]\n{out}\n", SOURCES)[0]

    def assertWritten(self, name, text, **lists):
        written = " ".join(self.headers(**lists)[f"taper/generated/{name}.h"].split())
        self.assertIn(" ".join(text.split()), written)

    def assertRefused(self, message, **lists):
        with self.assertRaisesRegex(extension_forms.ListError, message):
            self.headers(**lists)

    def test_out_form(self):
        self.assertWritten("out_forms", """
            /// Computes add() and stores the result in `out`.
            inline Tensor& add_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1) {
              const detail::OutScope scope("add", {out}, {x, y});
              return store_out("add", out, add(x, y, alpha), {x, y});
            }""", out="add")
        self.assertWritten("out_forms", "#include <taper/ops/one.h>", out="add")

    def test_out_form_with_parameters_of_the_list(self):
        self.assertWritten("out_forms", "add_out(Tensor& out, const Tensor& a, const Tensor& b, const Scalar& c = 2) {",
                           out="add(const Tensor& a, const Tensor& b, const Scalar& c = 2)")

    def test_out_form_of_several_results(self):
        self.assertWritten("out_forms", """
            inline std::tuple<Tensor&, Tensor&> frexp_out(Tensor& mantissa, Tensor& exponent, const Tensor& x) {
              const detail::OutScope scope("frexp", {mantissa, exponent}, {x});
              return detail::store_results("frexp", std::tie(mantissa, exponent), frexp(x), {x});
            }""", out="frexp -> mantissa, exponent")

    def test_out_form_of_a_factory_takes_options_of_the_result(self):
        self.assertWritten("out_forms", "ones(size, detail::options_of_result(out)), {}); }", out="ones")

    def test_outf_form(self):
        self.assertWritten("outf_forms", "inline Tensor& exp_outf(const Tensor& x, Tensor& out) { return exp_out(out, x); }")
        self.assertWritten("outf_forms", "inline Tensor& add_outf(const Tensor& x, const Tensor& y, const Scalar& alpha, Tensor& out)",
                           out="add")

    def test_options_one_by_one(self):
        self.assertWritten("unpacked_options", """
            inline Tensor ones(IntArrayRef size, optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                               optional<bool> pin_memory) {
              return ones(size, detail::packed(dtype, layout, device, pin_memory));
            }""")

    def test_longer_names(self):
        self.assertWritten("fft_names", """
            inline Tensor fft_fft(const Tensor& self, fft::Norm norm = nullopt) { return fft::fft(self, norm); }""")
        self.assertNotIn("fft_shift", self.headers()["taper/generated/fft_names.h"])  # a header declares it
        self.assertWritten("special_names", """
            inline Tensor& special_round_out(Tensor& out, const Tensor& x, int64_t decimals = 0) {
              return special::round_out(out, x, decimals);
            }""")
        self.assertWritten("outf_forms", "special_round_outf(const Tensor& x, int64_t decimals, Tensor& out)")

    def test_foreach_form(self):
        self.assertWritten("foreach", """
            inline void _foreach_plus_(TensorList self, TensorList other, const Scalar& alpha = 1) {
              detail::foreach_change("add", self, {&other, nullptr, nullptr, &alpha}); }""",
                           foreach="add(TensorList other, const Scalar& alpha = 1) -> plus")
        self.assertWritten("foreach_out", """
            detail::store_foreach("_foreach_exp", out, {self}, [&] { return _foreach_exp(self); });""", foreach="exp")

    def test_unknown_names_are_refused(self):
        for name in ("nothing", "internal", "nothing(const Tensor& x)", "nothing -> a, b"):
            self.assertRefused("^extension_forms.txt:4: expected the name of a function .* got '(nothing|internal)'$", out=name)
        self.assertRefused("^extension_forms.txt:2: expected the name of a function .* got 'nothing'$", foreach="exp nothing")

    def test_rows_that_cannot_be_followed_are_refused(self):
        self.assertRefused("no header of ops/ declares 'add' with these types", out="add(const Tensor& x)")
        self.assertRefused("every overload of 'exp' has an `out` form already", out="exp")
        self.assertRefused("'add' gets this `out` form by another row already",
                           out="add\nadd(const Tensor& a, const Tensor& b, const Scalar& c)")
        self.assertRefused("'add' stands in the list twice", out="add frexp add")
        self.assertRefused("expected 2 names of results for 'frexp', got 1", out="frexp -> mantissa")
        self.assertRefused("expected names of functions, or a name with its parameters, got 'add, frexp'", out="add, frexp")


class Ops(unittest.TestCase):
    """The rows of the table of ops."""

    def rows(self, declarations, text="", methods=""):
        texts = {"ops/one.h": f"namespace torch::taper {{\n{declarations}\n}}", op_table.METHODS[0]: methods}
        return op_table.table(text, texts)[0]

    def assertRow(self, expected, *arguments):
        self.assertIn(" ".join(expected.split()), " ".join(self.rows(*arguments).split()))

    def assertRefused(self, message, *arguments):
        with self.assertRaisesRegex(op_table.ListError, message):
            self.rows(*arguments)

    def test_row_of_a_function(self):
        self.assertRow("""template <> constinit const OpInfo OpAt<"logit", Tensor, optional<double>>::row =
            make_row<Tensor(const Tensor&, optional<double>), &taper::logit>(
            "logit", "aten::logit(Tensor self, float? eps=None) -> Tensor", 0, 0);""",
                       "Tensor logit(const Tensor& x, optional<double> eps = nullopt);")

    def test_row_of_a_method(self):
        self.assertRow("static Tensor& call_0(const Tensor& a0, const Scalar& a1) { return a0.mul_(a1); }", "", "",
                       "Tensor& mul_(const Scalar& other) const;")
        self.assertRow('"aten::mul_(Tensor(a!) self, Scalar other) -> Tensor(a!)", 16, 0', "", "",
                       "Tensor& mul_(const Scalar& other) const;")

    def test_forms(self):
        both = "Tensor sub(const Tensor& x, const Tensor& y); Tensor sub(const Tensor& x, const Scalar& y);"
        self.assertRow("aten::sub.Tensor(Tensor self, Tensor other) -> Tensor", both)
        self.assertRow("aten::sub.Scalar(Tensor self, Scalar other) -> Tensor", both)
        self.assertRow('"aten::abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", 33, 0',
                       "Tensor& abs_out(Tensor& out, const Tensor& x);")
        self.assertRow('OpAt<"linalg_inv", Tensor>::row = make_row<Tensor(const Tensor&), &taper::linalg::inv>',
                       "namespace linalg { Tensor inv(const Tensor& A); }")
        self.assertRow("*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                       "Tensor ones(IntArrayRef size, TensorOptions options = {});")

    def test_what_is_no_op(self):
        empty = "static constexpr const OpInfo* kRows[] = { };"
        for text in ("int64_t f(int64_t x);", "Tensor f(void* p);", "Tensor f(const detail::Plan& plan);",
                     "namespace detail { Tensor f(const Tensor& x); }"):
            self.assertRow(empty, text)
        self.assertRow(empty, "Tensor f(const Tensor& x);", "[no ops]\nf")

    def test_inline_functions_have_no_door(self):
        self.assertRow("static constexpr OpInfo row_0", "inline Tensor f(const Tensor& x) { return x; }")

    def test_lists(self):
        f = "Tensor f(const Tensor& x, const Tensor& y); Tensor& f_out(Tensor& out, const Tensor& x, const Tensor& y);"
        self.assertRow('-> Tensor", 5, 3)', f, "[pointwise]\nf\n[bilinear]\nf:01")
        self.assertRow('-> Tensor(a!)", 36, 6)', f, "[bilinear]\nf:01")
        self.assertRow('"aten::f.two(Tensor a, Tensor? b=None) -> (Tensor c)"', f, "[schemas]\nf.two(Tensor a, Tensor? b=None) -> (Tensor c)")
        self.assertRow('"taper::f(Tensor self, Tensor other) -> Tensor"', f, "[only here]\nf(Tensor, Tensor)")
        self.assertRefused("^op_table.txt:2: no declaration fits 'f.two", f, "[schemas]\nf.two(Tensor a) -> Tensor")
        self.assertRefused("^op_table.txt:2: no declaration fits 'f", f, "[only here]\nf(Tensor)")
        self.assertRefused("^op_table.txt:2: expected the name of an op, got 'g'$", f, "[view]\nf g")


class Forwarding(unittest.TestCase):
    def headers(self, rows, names="", kept=()):
        return generated_headers.forwarding_headers(rows, names, kept)

    def assertRefused(self, message, *lists):
        with self.assertRaisesRegex(generated_headers.ListError, message):
            self.headers(*lists)

    def test_text(self):
        made = self.headers("a/b.h c.h taper/d.h  # what it is\n\n# nothing\n", "add")
        self.assertEqual(set(made), {"a/b.h", "ATen/ops/add.h"})
        self.assertEqual(made["a/b.h"], "// what it is\n// Generated by cmake/generated_headers.py.\n#pragma once\n\n"
                                        "#include <c.h>\n#include <taper/d.h>\n")

    def test_headers_of_the_front_end_have_a_second_path(self):
        made = self.headers("torch/nn.h torch/torch.h\ntorch/csrc/a.h torch/torch.h", "", ["torch/torch.h"])
        self.assertEqual({p for p in made if "/api/" in p},
                         {"torch/csrc/api/include/torch/nn.h", "torch/csrc/api/include/torch/torch.h"})

    def test_one_path_twice_is_refused(self):
        self.assertRefused("^forwarding_headers.txt:2: 'a.h' is given by forwarding_headers.txt:1 already$", "a.h b.h\na.h c.h")
        self.assertRefused("^forwarding_headers.txt:1: 'a.h' is given by compat/ already$", "a.h b.h", "", ["a.h"])
        self.assertRefused("^aten_ops.txt: 'ATen/ops/add.h' is given by aten_ops.txt already$", "", "add add")
        self.assertRefused("torch/csrc/api/include/torch/a.h' is given by forwarding_headers.txt:2 already$",
                           "torch/a.h b.h\ntorch/csrc/api/include/torch/a.h b.h")

    def test_a_row_without_a_header_is_refused(self):
        self.assertRefused("^forwarding_headers.txt:1: expected a path and the headers that it includes, got 'a.h'$", "a.h")


class Tree(unittest.TestCase):
    """What the lists of the tree give."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        kept = [str(p.relative_to(generated_headers.COMPAT)) for p in generated_headers.COMPAT.rglob("*") if p.is_file()]
        cls.texts = {**generated_headers.forwarding_headers(generated_headers.LIST.read_text(),
                                                            generated_headers.NAMES.read_text(), kept),
                     **extension_forms.headers()[0]}

    def test_headers_include_what_is_there(self):
        for path, text in self.texts.items():
            for name in re.findall(r"#include <(.*)>", text):
                own = name[len("taper/"):] if name.startswith("taper/") else f"compat/{name}"
                self.assertTrue(name in self.texts or (ROOT / own).is_file(), f"{path} includes <{name}>, which is not there")

    def test_unchanged_files_stay_and_others_go(self):
        generated_headers.write(self.folder, self.texts)
        some = next(iter(self.texts))
        old, changed, stray = self.folder / some, self.folder / "taper/generated/foreach.h", self.folder / "c10/util/Stray.h"
        os.utime(old, (1, 1))
        stray.write_text("")
        changed.write_text("")
        generated_headers.write(self.folder, self.texts)
        self.assertEqual(old.stat().st_mtime, 1)
        self.assertFalse(stray.exists())
        self.assertEqual(changed.read_text(), self.texts["taper/generated/foreach.h"])


if __name__ == "__main__":
    unittest.main()
