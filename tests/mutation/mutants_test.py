#!/usr/bin/env python3
"""Which faults are planted where, and what becomes of them. Nothing is built."""
import contextlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402
from mutants import blanked, faults_of, planted, sample  # noqa: E402
from planting import Journal, read  # noqa: E402

SOURCE = """// a <= b in a comment
#include <vector>
template <class T> struct S;
int f(int a, int b) {
  TAPER_CHECK(a < b, "expected a <= b (", a, ")");
  if (a == b && g(a)) return false;
  x.bump_version();
  stream.wait_stream(other);
  return h(y.contiguous(), a + b * 2, "a == b");
}
"""


def changes(line, text=SOURCE):
    """The lines that faults make of a line, by kind."""
    lines = set()
    for fault in faults_of("f.cpp", text):
        if fault.line == line:
            lines.add((fault.kind, planted(text, fault).split("\n")[line - 1].strip()))
    return lines


class Faults(unittest.TestCase):
    def test_comments_strings_directives_and_templates_get_none(self):
        for line in (1, 2, 3):
            self.assertEqual(changes(line), set())
        self.assertEqual(len(blanked(SOURCE)), len(SOURCE))
        self.assertNotIn("expected", blanked(SOURCE))
        self.assertEqual(changes(1, 'const char* s = R"(a < b)";'), set())

    def test_checks_are_dropped_whole(self):
        self.assertIn(("check", "(void)0;"), changes(5))
        self.assertIn(("bound", 'TAPER_CHECK(a <= b, "expected a <= b (", a, ")");'), changes(5))

    def test_conditions_bounds_operators_and_results(self):
        self.assertEqual(changes(6), {
            ("condition", "if (false && (a == b && g(a))) return false;"), ("condition", "if (true || (a == b && g(a))) return false;"),
            ("bound", "if (a != b && g(a)) return false;"), ("operator", "if (a == b || g(a)) return false;"),
            ("result", "if (a == b && g(a)) return true;")})

    def test_versions_and_waits(self):
        self.assertEqual(changes(7), {("version", "(void)0;")})
        self.assertEqual(changes(8), {("wait", "(void)0;")})

    def test_members_terms_and_constants(self):
        found = changes(9)
        for one in [("contiguous", 'return h(y, a + b * 2, "a == b");'), ("operator", 'return h(y.contiguous(), a - b * 2, "a == b");'),
                    ("term", 'return h(y.contiguous(), a + b, "a == b");'), ("constant", 'return h(y.contiguous(), a + b * 3, "a == b");')]:
            self.assertIn(one, found)

    def test_values_that_are_used_stay(self):
        self.assertEqual({kind for kind, _ in changes(1, "int x = check_it(a);")}, set())
        self.assertEqual(changes(2, "const bool b =\n    check_it(a);"), set())
        self.assertEqual(changes(1, "if (const int n = f(); n) g();"), set())

    def test_a_changed_source_is_an_error(self):
        fault = faults_of("f.cpp", SOURCE)[0]
        with self.assertRaisesRegex(ValueError, "the source has changed"):
            planted("x" + SOURCE, fault)

    def test_a_seed_gives_faults_of_different_lines(self):
        faults = faults_of("f.cpp", SOURCE)
        chosen = sample(faults, 4, random.Random(5))
        self.assertEqual(len({f.line for f in chosen}), 4)
        self.assertEqual(chosen, sample(faults, 4, random.Random(5)))
        self.assertEqual({tuple(sample(faults, 1, random.Random(s))) for s in range(200)}, {(f,) for f in faults})


class Stub:
    """A machine whose tests read the source. It notices lost checks only."""

    def __init__(self, root, limit=99):
        self.root, self.limit, self.seen = root, limit, []

    def prepare(self):
        pass

    def outcome(self, fault):
        self.seen.append(fault)
        if len(self.seen) > self.limit:
            raise run.Interrupted
        text = read(os.path.join(self.root, fault.path))
        assert text == planted(SOURCE, fault)
        return "survived" if "TAPER_CHECK(a < b" in text else "noticed"


@unittest.skipUnless(shutil.which("git"), "git is missing")
class Sessions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.build = folder.name, os.path.join(folder.name, "build")
        self.source = os.path.join(self.root, "ops", "f.cpp")
        os.makedirs(os.path.dirname(self.source))
        with open(self.source, "w") as f:
            f.write(SOURCE)
        git = ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b"]
        for command in (["init", "-q"], ["add", "ops"], ["commit", "-qm", "A source"]):
            subprocess.run([*git, *command], check=True)

    def session(self, *options, machine=None):
        self.machine = machine or Stub(self.root)
        args = run.parse([self.root, self.build, "--count", "5", *options])
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.code = run.session(args, self.machine)
        return out.getvalue()

    def tearDown(self):
        self.assertEqual(read(self.source), SOURCE)
        self.assertFalse(os.path.exists(os.path.join(self.build, "mutate.journal")))

    def test_survivors_are_printed_with_their_lines(self):
        text = self.session()
        self.assertEqual(len(self.machine.seen), 5)
        self.assertEqual(self.code, 1)
        self.assertRegex(text, r"survived: ops/f\.cpp:\d+: \w+: '")
        self.assertRegex(text, r"\| ops \| 5 \| \d \| \d \|")

    def test_the_same_command_goes_on(self):
        with self.assertRaises(run.Interrupted):
            self.session(machine=Stub(self.root, 2))
        self.session()
        self.assertEqual(len(self.machine.seen), 3)
        self.session("--restart")
        self.assertEqual(len(self.machine.seen), 5)
        self.session("--seed", "2")
        self.assertEqual(len(self.machine.seen), 5)

    def test_time_ends(self):
        self.assertIn("the time is over: 5 of 5", self.session("--minutes", "0.0000001"))

    def test_a_dirty_tree_is_refused_unless_forced(self):
        with open(self.source, "a") as f:
            f.write("// mine\n")
        with self.assertRaisesRegex(run.Usage, "a tree without changes"):
            self.session()
        with self.assertRaises(AssertionError):  # the stub knows the text without the change
            self.session("--force")
        self.assertEqual(read(self.source), SOURCE + "// mine\n")
        subprocess.run(["git", "-C", self.root, "checkout", "-q", "ops"], check=True)

    def test_unknown_folders_and_kinds_are_refused(self):
        with self.assertRaisesRegex(run.Usage, "got 'nowhere'"):
            self.session("nowhere")
        with self.assertRaisesRegex(run.Usage, "expected kinds among"):
            self.session("--kinds", "bound,nonsense")
        self.session("ops", "--kinds", "wait,version")
        self.assertEqual({f.kind for f in self.machine.seen}, {"wait", "version"})

    def test_an_error_in_the_machine_restores(self):
        class Broken(Stub):
            def outcome(self, fault):
                raise RuntimeError("mine")
        with self.assertRaisesRegex(RuntimeError, "mine"):
            self.session(machine=Broken(self.root))

    def test_a_killed_session_is_restored_by_the_next(self):
        fault = faults_of("ops/f.cpp", SOURCE)[3]
        os.makedirs(self.build)
        with open(os.path.join(self.build, "mutate.journal"), "w") as f:
            json.dump({"path": fault.path, "text": SOURCE}, f)
        with open(self.source, "w") as f:
            f.write(planted(SOURCE, fault))
        self.assertIn("restored ops/f.cpp", self.session("--list"))

    def test_signals_restore(self):
        program = ("import sys, time; sys.path.insert(0, %r); import run\n"
                   "run.Machine.prepare = lambda self: None\n"
                   "run.Machine.outcome = lambda self, fault: (print('planted', flush=True), time.sleep(60))\n"
                   "sys.exit(run.main(sys.argv[1:]))\n" % os.path.dirname(os.path.abspath(__file__)))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([sys.executable, "-c", program, self.root, self.build], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
            self.assertEqual(process.stdout.readline(), "planted\n")
            self.assertNotEqual(read(self.source), SOURCE)
            time.sleep(0.1)
            process.send_signal(number)
            process.stdout.read()
            process.stdout.close()
            self.assertEqual(process.wait(), 130)
            self.assertEqual(read(self.source), SOURCE)


class Machines(unittest.TestCase):
    """The commands that build and test, with programs in their place that only look at a file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        path = os.environ["PATH"]
        self.addCleanup(os.environ.update, PATH=path)
        os.environ["PATH"] = os.path.join(self.root, "bin") + ":" + path
        os.mkdir(os.path.join(self.root, "bin"))
        self.program("cmake", "! grep -q broken source")
        self.program("ninja", "echo tests/taper_tests: EXE; echo utils_tests: phony")
        self.program("ctest", 'echo "$*" >>calls; grep -q slow source && sleep 600; case "$*" in *-R*) ! grep -q near source ;; '
                              "*-E*) ! grep -q far source ;; esac")
        self.source("sound")
        self.machine = run.Machine(self.root, os.path.join(self.root, "build"), 2)
        self.machine.prepare()

    def tearDown(self):
        self.machine.log.close()

    def program(self, name, text):
        path = os.path.join(self.root, "bin", name)
        with open(path, "w") as f:
            f.write("#!/bin/bash\ncd '%s'\n%s\n" % (self.root, text))
        os.chmod(path, 0o755)

    def source(self, text):
        with open(os.path.join(self.root, "source"), "w") as f:
            f.write(text)

    def outcome(self, text):
        self.source(text)
        open(os.path.join(self.root, "calls"), "w").close()
        outcome = self.machine.outcome(faults_of("ops/nn/f.cpp", SOURCE)[0])
        return outcome, read(os.path.join(self.root, "calls")).count("\n")

    def test_the_folders_entries_run_first(self):
        self.assertEqual(self.outcome("sound"), ("survived", 2))
        self.assertEqual(self.outcome("near"), ("noticed", 1))
        self.assertEqual(self.outcome("far"), ("noticed", 2))
        self.assertEqual(self.outcome("broken"), ("does not compile", 0))

    def test_a_run_that_takes_too_long_has_noticed(self):
        self.machine.limit_s = 0.3
        begin = time.monotonic()
        self.assertEqual(self.outcome("slow")[0], "noticed")
        self.assertLess(time.monotonic() - begin, 300)

    def test_a_tree_that_fails_without_a_fault_is_refused(self):
        self.source("broken")
        self.machine.log.close()
        with self.assertRaisesRegex(run.Usage, "does not build"):
            self.machine.prepare()
        self.machine.log.close()
        self.program("ctest", "exit 1")
        self.source("sound")
        with self.assertRaisesRegex(run.Usage, "tests that pass without a fault"):
            self.machine.prepare()


class Entries(unittest.TestCase):
    def test_are_those_of_the_folder_first(self):
        self.assertRegex("cases.Value.1", run.entries_of("ops/nn/softmax.cpp"))
        self.assertRegex("ops.nn", run.entries_of("ops/nn/softmax.cpp"))
        self.assertNotRegex("nn", run.entries_of("ops/nn/softmax.cpp"))
        self.assertRegex("framework.io", run.entries_of("framework/io/zip.cpp"))
        self.assertRegex("distributed", run.entries_of("distributed/socket.cpp"))


if __name__ == "__main__":
    unittest.main()
