#!/usr/bin/env python3
"""The reference of the site (docs/site/api): comments, formulas, forms of functions, XML of Doxygen, pages."""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "docs" / "site"))
from api import comments, formula, forms, headers, index, markup, model, parts  # noqa: E402
from api.catalog import Catalog  # noqa: E402
from api.class_page import ClassPage  # noqa: E402
from api.page import FunctionPage  # noqa: E402
from api.reference import Reference  # noqa: E402

COMMENT = """Applies a map: y = x W^T + b. x is (..., in_features), y
+ 1 (..., out_features). The bias may be undefined. Throws Error for other sizes.

    g += d * p

- one
  thing
- another

    Linear linear(20, 30);
    Tensor y = linear(x);"""

MODULE = """<doxygen><compounddef id="i1" kind="class" prot="public"><compoundname>torch::taper::nn::LinearImpl</compoundname>
<basecompoundref prot="public" refid="i2">torch::taper::nn::Nd&lt; 2, LinearImpl &gt;</basecompoundref>
<sectiondef><memberdef kind="function" id="m1" prot="public" static="no" const="no" explicit="yes" virt="non-virtual"><type/>
<argsstring>(int64_t in=1)</argsstring><name>LinearImpl</name><param><type>int64_t</type><declname>in</declname><defval>1</defval></param>
<briefdescription/><detaileddescription><para><verbatim>Sets the size. </verbatim></para></detaileddescription>
<location file="nn/modules/linear.h" line="7"/></memberdef>
<memberdef kind="function" id="m2" prot="private" static="no"><type>int</type><name>hidden</name><briefdescription/><detaileddescription/>
<location file="nn/modules/linear.h" line="9"/></memberdef></sectiondef>
<briefdescription/><detaileddescription><para><verbatim>Applies a map: y = x W^T + b.
/// More. </verbatim></para></detaileddescription><location file="nn/modules/linear.h" line="5"/></compounddef></doxygen>"""

BASE = """<doxygen><compounddef id="i2" kind="class" prot="public"><compoundname>torch::taper::nn::Nd</compoundname>
<templateparamlist><param><type>size_t</type><declname>D</declname></param><param><type>class Derived</type></param></templateparamlist>
<sectiondef><memberdef kind="variable" id="m3" prot="public" static="no"><type>Array&lt; D &gt;</type><name>weight</name><briefdescription/>
<detaileddescription><para><verbatim>&lt;own&gt; (out, in) </verbatim></para></detaileddescription><location file="nn/modules/linear.h" line="3"/>
</memberdef></sectiondef><briefdescription/><detaileddescription><para><verbatim>Holds weights. They are small. </verbatim></para></detaileddescription>
<location file="nn/modules/linear.h" line="2"/></compounddef></doxygen>"""

OPTIONS = """<doxygen><compounddef id="i3" kind="struct" prot="public"><compoundname>torch::taper::nn::LinearOptions</compoundname>
<sectiondef><memberdef kind="function" id="m4" prot="public" static="no" explicit="no" virt="non-virtual"><type/><argsstring>(int64_t in)</argsstring>
<name>LinearOptions</name><param><type>int64_t</type><declname>in</declname></param><briefdescription/><detaileddescription/>
<location file="nn/options/linear.h" line="2"/></memberdef>
<memberdef kind="variable" id="m5" prot="public" static="no"><type>int64_t</type><name>in</name><briefdescription/><detaileddescription>
<para><verbatim>&lt;own&gt; size of the input </verbatim></para></detaileddescription><location file="nn/options/linear.h" line="3"/></memberdef>
<memberdef kind="variable" id="m6" prot="public" static="no"><type>bool</type><name>bias</name><initializer>= true</initializer><briefdescription/>
<detaileddescription/><location file="nn/options/linear.h" line="4"/></memberdef></sectiondef><briefdescription/><detaileddescription/>
<location file="nn/options/linear.h" line="1"/></compounddef></doxygen>"""

SPACE = """<doxygen><compounddef id="n1" kind="namespace"><compoundname>torch::taper{scope}</compoundname><sectiondef>{members}</sectiondef>
</compounddef></doxygen>"""
FUNCTION = """<memberdef kind="function" id="f{line}" prot="public" static="no" virt="non-virtual"><type>Tensor</type><argsstring>(Tensor x)</argsstring>
<name>{name}</name><param><type>const Tensor &amp;</type><declname>x</declname></param><briefdescription/><detaileddescription>{text}
</detaileddescription><location file="{file}" line="{line}"/></memberdef>"""
HOLDER = """<memberdef kind="typedef" id="t1" prot="public" static="no"><type>ModuleHolder&lt; LinearImpl &gt;</type><name>Linear</name><briefdescription/>
<detaileddescription/><location file="nn/modules/linear.h" line="11"/></memberdef>"""


def function(name, line, text="", file="ops/nn/a.h"):
    return FUNCTION.format(name=name, line=line, file=file, text=f"<para><verbatim>{text} </verbatim></para>" if text else "")


def read(*texts):
    """(classes, members of namespaces) of XML files."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            kind = "namespace" if 'kind="namespace"' in text else "class"
            (pathlib.Path(folder) / f"{kind}{number}.xml").write_text(text)
        return model.read(pathlib.Path(folder))


class FakeHeaders:
    text = {"nn/modules/linear.h": "// Linear.\n//\n// Sizes are positive.\n#pragma once\n", "ops/nn/a.h": "// Ops.\n"}
    pieces = {}

    def reach(self, umbrella):
        return {"nn/modules/linear.h"} if umbrella == "taper.h" else {"ops/nn/a.h"} if umbrella == "train/trainer.h" else set()


def body(kind, path, *texts):
    """The blocks of a page."""
    reference = Reference.__new__(Reference)
    reference.headers = FakeHeaders()
    reference.classes, reference.free = read(*texts)
    reference.catalog = Catalog(reference.classes, reference.free)
    return "\n".join(filter(None, kind(reference.site(), reference.catalog.pages[path]).body()))


class Comments(unittest.TestCase):
    def test_sentences_find_their_places(self):
        c = comments.read(COMMENT)
        self.assertEqual(c.summary, "Applies a map: y = x W^T + b.")
        self.assertEqual(c.shapes, ["x is (..., in_features), y + 1 (..., out_features)."])
        self.assertEqual(c.errors, ["Throws Error for other sizes."])
        self.assertEqual(c.examples, [["Linear linear(20, 30);", "Tensor y = linear(x);"]])
        self.assertEqual([(b.kind, b.text) for b in c.rest], [
            ("text", "The bias may be undefined."), ("code", "g += d * p"), ("list", "- one thing - another")])

    def test_full_stops_that_end_no_sentence(self):
        self.assertEqual(comments.sentences('Keeps (a. B) and "c. D" of Grave et al. In e.g. Two. Then 3.5 more. (Or none.)'),
                         ['Keeps (a. B) and "c. D" of Grave et al. In e.g. Two.', "Then 3.5 more.", "(Or none.)"])


class Formulas(unittest.TestCase):
    def shown(self, text, names=()):
        return re.sub(r"</?i>", "", formula.markup(formula.find(text, names)))

    def test_formulas_of_sentences(self):
        self.assertEqual(self.shown("Applies a linear map: y = x W^T + b."), "y = x W<sup>T</sup> + b")
        self.assertEqual(self.shown("Computes y_i = exp(x_i) / sum_j exp(x_j) along `dim`."),
                         "y<sub>i</sub> = exp(x<sub>i</sub>) / Σ<sub>j</sub> exp(x<sub>j</sub>)")
        self.assertEqual(self.shown("Returns x if x > 0, else slope * x.", {"slope"}), "x if x &gt; 0, else slope · x".replace("&gt;", ">"))
        self.assertEqual(self.shown("Applies an RNN: h_t = tanh(W_ih x_t + h_{t-1}), or with ReLU."),
                         "h<sub>t</sub> = tanh(W<sub>ih</sub> x<sub>t</sub> + h<sub>t-1</sub>)")
        self.assertEqual(self.shown("Returns e^(-x) - 1, accurately near 0."), "e<sup>−x</sup> − 1")

    def test_what_is_no_formula_or_is_read_in_part(self):
        for text in ("Returns the sine of x.", "Returns |x| with the sign of y.", "Returns exp(x) divided by the sum.", "Applies sum() in place.",
                     "Returns -1, 0 or 1 for a sign.", "Returns sizes: (N, C).", "Returns x / |x|, or 0 if x lies there."):
            self.assertEqual(formula.find(text), [], text)


class Copies(unittest.TestCase):
    def test_comments_become_verbatim_and_lines_stay(self):
        text = "/// Adds\n/// + 1.\n///@{\nint a();  ///< own\n         ///< more\n///@}\n// plain\n//// line\nint b();"
        self.assertEqual(headers.with_verbatim(text).split("\n"), [
            "/// @verbatim  Adds", "/// + 1. @endverbatim", "///@{", "int a();  ///< @verbatim <own> own", "         ///< more @endverbatim",
            "///@}", "// plain", "//// line", "int b();"])

    def test_every_public_comment_keeps_its_line(self):
        for path in ("framework/core/tensor_methods.inc", "nn/modules/conv.h", "optim/adam.h"):
            lines = (ROOT / path).read_text().split("\n")
            turned = headers.with_verbatim("\n".join(lines)).split("\n")
            self.assertEqual(len(turned), len(lines))
            self.assertEqual([t for t, line in zip(turned, lines) if not headers.kind(line)], [x for x in lines if not headers.kind(x)])


class Forms(unittest.TestCase):
    def texts(self, file, source):
        """{line: documentation} of functions called after their lines: 'exp' is a function, '# Text' its comment."""
        lines, members, pending = source.strip("\n").split("\n"), [], ""
        for number, line in enumerate(lines, 1):
            if line.startswith("// "):
                pending = line[3:]
            elif line:
                name, _, own = line.partition(" ///< ")
                members.append(model.Member("function", "s", name, file, number, number, text=own or pending, own=bool(own)))
                pending = ""
        forms.share(members, lines)
        return [f"{m.name}: {m.text}" for m in members]

    def test_forms_below_a_comment_have_it(self):
        source = "// E.\nexp\nexp_\nexp_out\nlog\n\nexp"
        self.assertEqual(self.texts("nn/a.h", source), ["exp: E.", "exp_: E.", "exp_out: E.", "log: ", "exp: "])
        self.assertEqual(self.texts("nn/a.h", "// E.\nexp\n\nexp_"), ["exp: E.", "exp_: "])

    def test_of_ops_and_of_return_all_functions_below_have_it(self):
        self.assertEqual(self.texts("ops/a.h", "// M.\nmax\nmin\nn ///< own\nmean"), ["max: M.", "min: M.", "n: own", "mean: M."])
        self.assertEqual(self.texts("nn/a.h", "// Return f.\nmax\nmin"), ["max: Return f.", "min: Return f."])

    def test_a_comment_behind_the_bracket_of_a_body_counts(self):
        inside = "<inbodydescription><para><verbatim>&lt;own&gt; Goes on. </verbatim></para></inbodydescription></memberdef>"
        _, (m,) = read(SPACE.format(scope="", members=function("next", 1).replace("</memberdef>", inside)))
        self.assertEqual((m.text, m.own), ("Goes on.", True))
        _, (m,) = read(SPACE.format(scope="", members=function("next", 1, "Before.").replace("</memberdef>", inside)))
        self.assertEqual((m.text, m.own), ("Before.", False))

    def test_names_without_documentation(self):
        classes, free = read(MODULE, OPTIONS, SPACE.format(scope="", members=function("f", 1, "F.") + function("g", 3)))
        self.assertEqual(forms.undocumented(classes, free, lambda path: True), [
            "nn/options/linear.h: torch::taper::nn::LinearOptions", "nn/options/linear.h: torch::taper::nn::LinearOptions::LinearOptions",
            "nn/options/linear.h: torch::taper::nn::LinearOptions::bias", "ops/nn/a.h: torch::taper::g"])
        self.assertEqual(forms.undocumented(classes, free, lambda path: False), [])


class Pages(unittest.TestCase):
    MODULE = (MODULE, BASE, OPTIONS, SPACE.format(scope="::nn", members=HOLDER))

    def test_a_module_has_its_options_and_its_base_on_one_page(self):
        page = body(ClassPage, "torch::taper::nn::Linear", *self.MODULE)
        self.assertIn("# nn::Linear\n", page)
        self.assertIn("#include &lt;torch/torch.h&gt;\n// or only: #include &lt;taper/nn/modules/linear.h&gt;", page)
        self.assertIn("<p>Applies a map: y = x W^T + b.</p>", page)
        self.assertIn('<p class="formula">', page)
        self.assertIn("## LinearOptions { #options }", page)
        rows = re.findall(r"<tr>(.*?)</tr>", page)
        cells = [re.sub(r"<[^>]*>", "", "|".join(re.findall(r"<td[^>]*>(.*?)</td>", r))) for r in rows]
        self.assertIn("in|int64_t|required|size of the input", cells)
        self.assertIn("bias|bool|true|", cells)
        self.assertIn("weight|Array&lt;2&gt;|(out, in)", cells)
        self.assertIn("Linear(int64_t in = 1);", page)
        self.assertIn('href="../../files/nn/modules/linear.h.html#L5"', page)
        self.assertNotIn("hidden", page)
        self.assertNotIn("LinearImpl(", page)

    def test_overloads_share_a_page_and_internal_names_are_with_them(self):
        members = function("pad", 1, "Pads `x`. The tensor `x` stays. Throws Error.") + function("pad_out", 2) + function("_pad", 9, "Pads.")
        page = body(FunctionPage, "torch::taper::pad()", SPACE.format(scope="", members=members))
        self.assertEqual(page.count("# pad\n"), 1)
        self.assertIn("#include &lt;taper/train/trainer.h&gt;", page)
        self.assertIn("Tensor pad(const Tensor&amp; x);", page)
        self.assertIn("Tensor _pad(const Tensor&amp; x);", page)
        self.assertIn("The tensor <code>x</code> stays.</td>", page)
        self.assertIn('<div class="box errors">', page)

    def test_names_that_differ_in_capitals_only_have_files_of_their_own(self):
        space = SPACE.format(scope="::nn", members=function("pad", 1, "Pads.", "nn/a.h"))
        classes, free = read(BASE.replace("Nd", "pAd"), BASE.replace("Nd", "Pad"), space)
        addresses = [p.address for p in Catalog(classes, free).pages.values()]
        self.assertEqual(addresses, ["api/nn/pAd", "api/nn/Pad-class", "api/nn/pad-functions"])

    def test_what_shares_a_page(self):
        state = BASE.replace("Nd", "LinearParamState")
        plain = OPTIONS.replace('kind="variable"', 'kind="typedef"').replace("LinearOptions", "NdOptions")
        names = ("_pad_backward", "pad", "pad_", "log_backward", "_odd", "operator+")
        members = "".join(function(n, k, "Pads.") for k, n in enumerate(names, 1)) + function("pad_out", 1, "Pads.", "generated/a.h")
        pages = Catalog(*read(*self.MODULE, state, plain, SPACE.format(scope="", members=members))).pages
        self.assertEqual(sorted(pages), [
            "torch::taper::Internal functions of ops/nn/a.h()", "torch::taper::Operators of ops/nn/a.h()", "torch::taper::log_backward()",
            "torch::taper::nn::Linear", "torch::taper::nn::Nd", "torch::taper::nn::NdOptions", "torch::taper::pad()"])
        self.assertEqual([m.name for m in pages["torch::taper::pad()"].members], ["pad", "pad_", "_pad_backward", "pad_out"])
        self.assertEqual(pages["torch::taper::pad()"].file, "ops/nn/a.h")

    def test_groups_list_their_pages(self):
        catalog = Catalog(*read(*self.MODULE))
        text = "\n".join(index.group_page("modules", index.present(catalog)["modules"], catalog))
        self.assertIn('<a href="nn/Linear.html"><code>nn::Linear</code></a>', text)
        self.assertIn("Applies a map", text)
        self.assertIn('<a href="modules.html">Modules</a>', "\n".join(index.index_page(catalog)))

    def test_long_declarations_have_a_line_for_each_parameter(self):
        p = model.Parameter("const std::vector<Tensor>&", "tensors", "")
        m = model.Member("function", "s", "f", "a.h", 1, 1, "Tensor", parameters=[p, model.Parameter("int64_t", "a_long_dimension", "0")])
        self.assertEqual(markup.declaration(m), [
            "Tensor f(", "    const std::vector<Tensor>& tensors,", "    int64_t a_long_dimension = 0);"])

    def test_arguments_of_templates_are_put_in(self):
        self.assertEqual(parts.substituted("Array<D>(D, Dim)", {"D": "2"}), "Array<2>(2, Dim)")


if __name__ == "__main__":
    unittest.main()
