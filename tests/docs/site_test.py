#!/usr/bin/env python3
"""The site's own parts: bars of tables (docs/site/plots.py), pages with HTML of their own, links, films of a terminal
(docs/pictures/recording.py), programs of pages (code_blocks.py). api_test.py tests the reference."""
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "docs" / "site"))
sys.path.insert(0, str(ROOT / "docs" / "pictures"))
sys.path.insert(0, str(ROOT / "tests" / "docs"))
import code_blocks  # noqa: E402
import inserted  # noqa: E402
import links  # noqa: E402
import pages  # noqa: E402
import plots  # noqa: E402
import recording  # noqa: E402
import search  # noqa: E402
import sources  # noqa: E402

PAGE = """Before.

<!-- plot some.svg, times faster: 1 ours; 3 theirs -->
| | ours | unit | theirs |
|---|---:|---|---:|
| `one` | 695 ms, 1.25 | s | 0.89 (0.08) |
| two kinds: a; b | 2; 4 | | 3,165; 0.5 |
| nothing |  | s |  |

Behind.
"""


def widths(svg):
    return [float(w) for w in re.findall(r'class="bar" .*?width="([\d.]+)"', svg)]


class Plots(unittest.TestCase):
    def drawn(self, page):
        with tempfile.TemporaryDirectory() as folder:
            text = plots.drawn(page, pathlib.Path(folder) / "plots")
            return text, {p.name: p.read_text() for p in (pathlib.Path(folder) / "plots").glob("*")}

    def test_rows_and_values(self):
        names, rows = plots.read(PAGE.split("\n")[3:], "1 ours; 3 theirs")
        self.assertEqual(names, ["ours", "theirs"])
        self.assertEqual(rows, [("one", [1.25, 0.89]), ("two kinds: a", [2, 3165]), ("two kinds: b", [4, 0.5])])

    def test_the_picture_stands_behind_its_table(self):
        text, files = self.drawn(PAGE)
        self.assertEqual(list(files), ["some.svg"])
        self.assertIn("|  | s |  |\n\n![times faster](plots/some.svg)\n\nBehind.", text)
        self.assertNotIn("<!-- plot", text)
        self.assertEqual(len(widths(files["some.svg"])), 6)

    def test_bars_are_as_long_as_their_values(self):
        rows = [("a", [1.0]), ("b", [4.0]), ("c", [2.0])]
        one, four, two = widths(plots.svg("", ["x"], rows))
        self.assertAlmostEqual(four / one, 4, delta=0.02)
        self.assertAlmostEqual(two / one, 2, delta=0.02)
        # By the logarithm where they differ much: each power of ten is as long as the last.
        one, ten, thousand = widths(plots.svg("", ["x"], [("a", [0.11]), ("b", [1.1]), ("c", [110.0])]))
        self.assertAlmostEqual((thousand - ten) / (ten - one), 2, delta=0.02)

    def test_a_column_without_numbers_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "expected numbers in column 2"):
            self.drawn(PAGE.replace("3 theirs", "2 theirs"))

    def test_a_base_gets_a_line(self):
        rows = [("a", [0.5]), ("b", [4.0])]
        self.assertNotIn("stroke-dasharray", plots.svg("", [""], rows))
        text = plots.svg("", [""], rows, base=(1, "theirs"))
        left, (half, four) = 290, widths(text)
        line = float(re.search(r'M([\d.]+) \S+ stroke="#555"', text).group(1))
        self.assertAlmostEqual((line - left) / four, 1 / 4, delta=0.01)
        self.assertIn(">theirs</text>", text)

    def test_the_pages_have_theirs(self):
        text, files = self.drawn((ROOT / "docs" / "contributing" / "performance.md").read_text())
        self.assertGreaterEqual(len(files), 6)
        for name, svg in files.items():
            self.assertIn(f"(plots/{name})", text)
            self.assertGreater(len(widths(svg)), 5, name)


class Recording(unittest.TestCase):
    def test_a_screen_shows_what_a_terminal_shows(self):
        screen = recording.Screen()
        screen.write("one\nfivefive\rfo\x1b[Kx\x1b[1mB\r\n")
        self.assertEqual(screen.lines, ["one", "foxB", ""])

    def test_commands_run_in_one_shell_on_a_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            frames, status = recording.run([f"cd {folder}", "mkdir made && cd made", "pwd; test -t 1 && echo terminal"], 80, 10)
        self.assertEqual((frames[-1][1][3:], status), ([f"{os.path.realpath(folder)}/made", "terminal"], 0))

    def test_a_command_that_fails_ends_it(self):
        frames, status = recording.run(["echo no; exit 3", "echo never"], 80, 10)
        self.assertEqual((frames[-1][1][:2], status), (["$ echo no; exit 3", "no"], 3))

    def test_a_row_takes_a_while_at_most_and_quick_frames_are_one(self):
        frames = [(0, ["a"]), (10, ["a", "1%"]), (15, ["a", "2%"]), (15.01, ["a", "3%"]), (20, ["a", "3%", "b"]), (20.5, ["a", "3%", "c"])]
        film = recording.film(frames, 1.0)
        self.assertEqual([lines[-1] for _, lines in film], ["a", "1%", "3%", "b", "c"])
        self.assertEqual([round(t, 6) for t, _ in film], [0, 1, 1.5, 2, 2.5])

    def test_texts_stand_as_long_as_their_lines(self):
        frames = [(0, ["$ x"]), (1, ["$ x", "1%"]), (2, ["$ x", "2%", "<&"])]
        self.assertEqual(recording.pieces(frames, 5), [(0, "$ x", 0, 5), (1, "1%", 1, 2), (1, "2%", 2, 5), (2, "<&", 2, 5)])
        text = recording.svg(frames, 20, 2)
        root = xml.etree.ElementTree.fromstring(text)
        shown = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text") if t.get("visibility") != "hidden"]
        self.assertEqual(shown, ["$ x", "2%", "<&"])  # without animation: the last screen
        self.assertIn("translateY(-17px)", text)      # three lines in two rows
        self.assertIn("@keyframes k1{0.00%{visibility:hidden}12.50%{visibility:visible}25.00%{visibility:hidden}}", text)


class Pages(unittest.TestCase):
    def written(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "some.md"
            inserted.write(page, text)
            return page.read_text(), inserted.beside(page).read_text(), inserted.filled(page.read_text(), page)

    def test_html_between_headings_comes_back(self):
        markdown, beside, filled = self.written(["# A", "<p>1</p>", "", "<p>2</p>", "## B", "<p>3</p>"])
        self.assertEqual(markdown.count(inserted.MARK), 2)
        self.assertNotIn("<p>", markdown)
        self.assertIn("<p>1</p>\n<p>2</p>", beside)
        self.assertEqual(filled, "---\ntitle: \"A\"\n---\n\n# A\n\n<p>1</p>\n<p>2</p>\n\n## B\n\n<p>3</p>\n")

    def test_sources_keep_their_text(self):
        with tempfile.TemporaryDirectory() as folder:
            sources.write(pathlib.Path(folder), "nn/a_b.h", "template <class T>\nint a;\n")
            page = pathlib.Path(folder) / "files" / "nn" / "a_b.h.md"
            self.assertEqual(page.read_text().split("\n")[:5], ["---", 'title: "nn/a_b.h"', "---", "", "# nn/a&#95;b.h"])
            self.assertIn('<pre data-language="c++">template &lt;class T&gt;\nint a;</pre>', inserted.beside(page).read_text())

    def test_examples_come_in_the_order_of_their_difficulty(self):
        names = pages.examples()
        self.assertEqual(names[:2], ["linear_regression", "mnist_minimal"])
        for name, harder in zip(names, names[1:]):
            text = (ROOT / "examples" / name / "README.md").read_text()
            self.assertIn(f"](../{harder}/README.md).", text.rstrip().split("\n")[-1], name)
        self.assertEqual([n for n in pages.pages().values() if pages.is_example(n)], [f"example_{n}.md" for n in names])

    def test_examples_list_their_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pages.files_of("examples/mnist_minimal/README.md", pathlib.Path(folder))
            self.assertIn("- [main.cpp](files/examples/mnist_minimal/main.cpp.md)", text)
            self.assertTrue((pathlib.Path(folder) / "files/examples/mnist_minimal/main.cpp.md").exists())


class Links(unittest.TestCase):
    def dead(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (pathlib.Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(folder) / name).write_text(text)
            return links.dead_links(pathlib.Path(folder).resolve())

    def test_pages_and_places_must_exist(self):
        page = '<a href="b/c.html">1</a><a href="b/c.html#x">2</a><a href="b/c.html#y">3</a><img src="no.png"><a href="https://a.b/c">4</a>'
        self.assertEqual(self.dead({"a.html": page, "b/c.html": '<p id="x"></p><a href="../a.html">5</a>'}),
                         ["a.html: b/c.html#y (no such place in the page)", "a.html: no.png"])

    def test_places_of_the_page_itself(self):
        self.assertEqual(self.dead({"a.html": '<a href="#x"></a><p id="y">', "b.html": '<a href="#x"></a><p id="x">'}),
                         ["a.html: #x (no such place in the page)"])


class Search(unittest.TestCase):
    def test_the_reference_is_indexed_by_names_and_first_words(self):
        entry = lambda location, title, text="T.": {"location": location, "title": title, "text": text}
        head = "API reference / Modules x ¶ #include <torch/torch.h> // or only: #include <taper/x.h> "
        entries = [entry("api/f.html", "f_", head + "Does f. ¶ " + "x" * 400), entry("api/f.html#f_", "f&#95;"), entry("api/f.html#methods", "Methods"),
                   entry("api/f.html#g", "g"), entry("guide.html#methods", "Methods", "y" * 400), entry("files/a.h.html", "a.h")]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "index.json"
            file.write_text(json.dumps({"config": {}, "docs": entries}))
            search.shrink(file)
            found = json.loads(file.read_text())
        self.assertEqual(found["config"], {})
        self.assertEqual([e["location"] for e in found["docs"]], ["api/f.html", "api/f.html#g", "guide.html#methods"])
        self.assertEqual(found["docs"][0]["text"], ("Does f. " + "x" * 400)[:300])
        self.assertEqual(len(found["docs"][2]["text"]), 400)


class Programs(unittest.TestCase):
    FIRST = "```cpp\n#include <a>\n\nint main() {\n  f();\n}\n```\n"

    def test_a_complete_program_stands_alone_and_the_other_blocks_continue_the_first(self):
        page = self.FIRST + "\n```console\nout\n```\n\n```cpp\nstruct S {};\n```\n```cpp\nS s;\n```\n" + self.FIRST
        (first, prints), (second, nothing), (joined, _) = code_blocks.programs(page)
        self.assertEqual((prints, nothing), ("out\n", None))
        self.assertNotIn("struct S", first + second)
        self.assertEqual([x for x in joined.split("\n") if x and not x.startswith("#line")],
                         ["#include <a>", "struct S {};", "int main() {", "  f();", "S s;", "}"])

    def test_blocks_without_a_main_are_one_program(self):
        ((source, prints),) = code_blocks.programs("```cpp\n#include <a>\n```\n```cpp\nf();\n```\n")
        self.assertEqual(source.count("int main() {"), 1)
        self.assertIsNone(prints)

    def test_a_page_with_complete_programs_hides_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("<!-- code\nint x;\n-->\n" + self.FIRST)
            self.assertIn("hides no code", code_blocks.check(page, ["false"]))


if __name__ == "__main__":
    unittest.main()
