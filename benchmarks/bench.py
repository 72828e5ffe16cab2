#!/usr/bin/env python3
"""Times Taper beside PyTorch and LibTorch, all in one run, and makes the table of docs/contributing/performance.md.

    bench.py [--rounds N] [--only PROGRAM] [--machine NAME]     prints the tables (3 rounds: forty minutes)
    bench.py --only steps [--rows TEXT]     whole training steps alone; of them those whose names have TEXT in
                             them ("lstm", "bf16 threads 1")
    bench.py ... --write     writes them into docs/contributing/performance.md, and draws README's figures (--only steps: that table)
    bench.py --check         README's figures are those of docs/contributing/performance.md, which has little text

TAPER_PREFIX names an installed Taper, PYTORCH_DIR the folder `torch` of an unpacked PyTorch wheel (its C++
part for CPUs is enough), PYTHON an interpreter that has PyTorch, for steps under torch.compile. LibTorch is
Debian's (libtorch-dev), or what LIBTORCH names. The programs are the same for all, with one thread unless
the row says another number. A value is the least of all rounds, in which the libraries take turns.
"""
import argparse
import datetime
import glob
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import steps_table

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "docs", "site"))
import plots  # noqa: E402

PAGE = os.path.join(HERE, "..", "docs", "contributing", "performance.md")
PICTURE = os.path.join(HERE, "..", "docs", "pictures", "figures.svg")
PROGRAMS = ["overhead", "kernels", "training", "steps", "pointwise", "start"]
MOST_TEXT = 90  # lines of docs/contributing/performance.md that are no table

# Rows of the table. Of a group: the geometric mean and the least of the rows "GROUP....".
GROUPS = {
    "tiny": "one op on a tensor of 64 elements",
    "pointwise": "pointwise ops",
    "reductions": "reductions, cumulative sums",
    "copies": "copies, indexing, embedding",
    "order": "sorting, top k, median",
    "random": "random numbers, dropout",
    "softmax": "softmax, cross entropy",
    "norms": "normalisations",
    "pooling": "pooling",
    "products": "matrix products",
    "convolutions": "convolutions",
    "recurrent": "LSTM, GRU",
    "attention": "attention, encoder layer",
    "optimizers": "optimizers' steps",
    "transforms": "FFT, solve, Cholesky",
    "steps": "whole training steps, f32 and bf16, one and two threads",
    "fields": "diffusion on a grid, cellular automaton, loss of many terms",
    "fields captured": "the same, captured and replayed where there are graphs",
}
SINGLES = {
    "step.chain": "32 products in a chain, with gradients",
    "step.sgd": "training step of a 16-32-10 network, SGD",
    "step.sgd replayed": "the same, captured and replayed",
    "step.adam": "the same with Adam",
    "epoch.mlp": "MNIST epoch, 784-256-128-10 network",
    "epoch.cnn": "MNIST epoch, small CNN",
    "load.no worker": "DataLoader, an epoch of batches",
    "load.one worker": "the same with a worker",
    "compile": "compiling a file that includes `<torch/torch.h>`",
    "start": "start of a program that makes one tensor",
}
IN_README = ["tiny", "load.no worker", "epoch.cnn", "convolutions"]
GPT = "GPT-2 of 85 M parameters"  # the row of the page's table of a GPU that README shows


def read(path):
    with open(path) as f:
        return f.read()


def label_of(key):
    return GROUPS.get(key) or SINGLES[key]


# ---------------------------------------------------------------------- the libraries
class Library:
    def __init__(self, name, prefix, includes, libs, std="c++17", version=""):
        self.name, self.std, self.libs = name, std, libs
        self.includes = [os.path.join(prefix, i) for i in includes]
        self.folder = os.path.dirname(libs[0])
        if version:
            headers = [os.path.join(i, "torch", h) for i in self.includes for h in ("version.h", "headeronly/version.h")]
            text = "".join(map(read, filter(os.path.exists, headers)))
            self.name += " " + re.search(r'TORCH_VERSION[\s\\]+"(\d+\.\d+)', text).group(1)

    def compiler(self):
        return ["g++", "-std=" + self.std, "-O2", "-DNDEBUG", "-w", *["-I" + i for i in self.includes]]

    def linker(self):
        # Of PyTorch the part for CPUs, which names symbols of CUDA libraries that nobody calls.
        return ["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", *self.libs, "-Wl,-rpath," + self.folder]

    def environment(self):
        env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # they force other kernels than the CPU's
            env.pop(name, None)
        # libtorch_cpu.so asks for CUPTI and CUDA's runtime, which lie beside it in other wheels.
        beside = glob.glob(os.path.join(self.folder, "../../nvidia/**/libcu*.so*"), recursive=True)
        folders = sorted({os.path.dirname(f) for f in beside}) if "PyTorch" in self.name else []
        env["LD_LIBRARY_PATH"] = ":".join([*folders, env.get("LD_LIBRARY_PATH", "")]).strip(":")
        return env


class Compiled:
    """steps.py under torch.compile, whose graphs are kept in `work` for later runs."""

    def __init__(self, python, version, work):
        self.name, self.cache = "PyTorch %s, compiled" % version, os.path.join(work, "inductor")
        self.command = [python, os.path.join(HERE, "steps.py")]

    def environment(self):
        return {"TORCHINDUCTOR_CACHE_DIR": self.cache, **os.environ}


def compiled(work):
    """{"compiled": what runs steps.py} where PYTHON has PyTorch, else nothing and a message."""
    python = os.environ.get("PYTHON", "")
    ask = [python, "-c", "import torch; print(torch.__version__)"]
    answer = subprocess.run(ask, capture_output=True, text=True) if python else None
    if not answer or answer.returncode != 0:
        print("bench: there are no compiled steps: PYTHON names no interpreter that has torch", file=sys.stderr)
        return {}
    return {"compiled": Compiled(python, re.match(r"\d+\.\d+", answer.stdout).group(), work)}


def libraries():
    prefix = os.environ.get("TAPER_PREFIX")
    if not prefix:
        sys.exit("bench: set TAPER_PREFIX to an installed Taper")
    taper = glob.glob(os.path.join(prefix, "**/libtaper.so"), recursive=True)
    found = {"taper": Library("Taper", prefix, ["include", "include/taper/compat"], taper[:1])}
    api = ["include", "include/torch/csrc/api/include"]
    pytorch = os.environ.get("PYTORCH_DIR", "")
    libs = [os.path.join(pytorch, "lib", name) for name in ("libtorch_cpu.so", "libc10.so")]
    if all(map(os.path.exists, libs)):
        found["pytorch"] = Library("PyTorch", pytorch, api, libs, "c++20", version=True)
    else:
        print("bench: there is no PyTorch: PYTORCH_DIR names no folder `torch` of an unpacked wheel",
              file=sys.stderr)
    torch = os.environ.get("LIBTORCH", "/usr")
    libs = [f for name in ("libtorch_cpu.so", "libc10.so") for f in
            sorted(glob.glob(os.path.join(torch, "lib", name)) + glob.glob(os.path.join(torch, "lib/*/" + name)))[:1]]
    if len(libs) == 2:
        found["libtorch"] = Library("LibTorch", torch, api, libs, version=True)
    else:
        print("bench: there is no LibTorch (Debian: libtorch-dev)", file=sys.stderr)
    return found


# ---------------------------------------------------------------------- measuring
def usage_of(command, **arguments):
    """Runs it; its output, the seconds of its processor time, and those that passed."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **arguments)
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("bench: %s ended with code %d" % (" ".join(command), process.returncode))
    return output, used.ru_utime + used.ru_stime, time.monotonic() - start


def runs_with(key, program):
    """LibTorch 1.13 lacks the attention and the switches of autocast that steps.cpp uses."""
    return key != ("libtorch" if program == "steps" else "compiled")


def build(library, program, work):
    """The command that runs a program with a library."""
    if isinstance(library, Compiled):
        return library.command
    binary = os.path.join(work, "%s.%s" % (program, library.name.split()[0]))
    source = os.path.join(HERE, program + ".cpp")
    usage_of([*library.compiler(), source, "-o", binary, *library.linker()])
    return [binary]


def compile_time(library, work):
    source = os.path.join(HERE, "start.cpp")
    return usage_of([*library.compiler(), "-c", source, "-o", os.path.join(work, "start.o")])[1]


def write_images(folder):
    """Files of MNIST's format, with random pixels: the time does not depend on them."""
    os.makedirs(folder, exist_ok=True)
    numbers = random.Random(0)
    for part, count in (("train", 60000), ("t10k", 10000)):
        header = lambda *n: b"".join(i.to_bytes(4, "big") for i in n)
        with open(os.path.join(folder, part + "-images-idx3-ubyte"), "wb") as f:
            f.write(header(2051, count, 28, 28) + numbers.randbytes(count * 784))
        with open(os.path.join(folder, part + "-labels-idx1-ubyte"), "wb") as f:
            f.write(header(2049, count) + bytes(i % 10 for i in range(count)))


def runs_of(args, program, images):
    """The arguments of a program's runs."""
    if program == "steps":
        return [run for run in steps_table.RUNS if args.rows in steps_table.name_of(run)]
    return [[m, images] for m in ("mlp", "cnn", "load")] if program == "training" else [[]]


def rows_of(program, command, library):
    """One run of a program: name -> value."""
    env = library.environment()
    if program == "start":
        return {"start": usage_of(command, env=env)[2]}
    if program == "steps":
        env.pop("OMP_NUM_THREADS", None)  # an argument says it
    return steps_table.rows(usage_of(command, env=env)[0])


def keep_least(table, rows):
    for name, value in rows.items():
        table[name] = min(value, table.get(name, math.inf))


def build_all(found, programs, work):
    print("bench: compiling %d programs for %s" % (len(programs), ", ".join(l.name for l in found.values())),
          file=sys.stderr)
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        return dict(cores.map(lambda pair: (pair, build(found[pair[0]], pair[1], work)),
                              [(key, p) for p in programs for key in found if runs_with(key, p)]))


def measure(args, found, program, commands, images, tables):
    """One round of a program: the libraries take turns at each of its runs."""
    for arguments in runs_of(args, program, images):
        for key, library in ((k, l) for k, l in found.items() if runs_with(k, program)):
            rows = rows_of(program, [*commands[key, program], *arguments], library)
            keep_least(tables[key], rows)
            if program == "steps":
                print("bench: %s: %s" % (library.name, rows), file=sys.stderr)


def run(args):
    work = os.path.join(os.environ.get("TAPER_PREFIX", ""), "..", "bench")
    found = libraries()
    os.makedirs(work, exist_ok=True)
    programs = [p for p in PROGRAMS if args.only in ("", p)]
    if "steps" in programs:
        found.update(compiled(work))
    tables = {key: {} for key in found}
    commands = build_all(found, programs, work)
    facts = steps_table.facts(found["taper"], work, args.rows) if "steps" in programs else {}
    images = os.path.join(work, "images")
    write_images(images)
    for number in range(args.rounds):
        for program in programs:
            print("bench: round %d of %d, %s" % (number + 1, args.rounds, program), file=sys.stderr)
            measure(args, found, program, commands, images, tables)
        if args.only == "" and number < 2:
            for key, library in found.items():
                if key != "compiled":
                    keep_least(tables[key], {"compile": compile_time(library, work)})
    shutil.rmtree(images)
    return found, tables, facts


# ---------------------------------------------------------------------- the table
def quantity(key, value):
    if value is None:
        return ""
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1)):
        if value < 1000 * scale or unit == "s":
            return "%.3g %s" % (value / scale, unit)


def times(ratio):
    return "%.2f" % ratio if ratio < 10 else "%.1f" % ratio


def group_cells(key, ours, theirs):
    """Cells of a group for one peer: geometric mean, least row."""
    ratios = {name: theirs[name] / ours[name] for name in ours
              if name.startswith(key + ".") and name in theirs}
    if not ratios:
        return ["", ""]
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    least = min(ratios, key=ratios.get)
    return [times(mean), "%s (%s)" % (times(ratios[least]), least.partition(".")[2])]


def table_of(found, tables):
    peers = [key for key in ("pytorch", "libtorch") if key in found]
    ours = tables["taper"]
    head, line = ["", "Taper"], ["---", "---:"]
    for key in peers:
        head += [found[key].name, "times", "least row"]
        line += ["---:", "---:", "---"]
    text = ["| %s |" % " | ".join(cells) for cells in (head, line)]
    for key in [*SINGLES, *GROUPS]:
        count = sum(name.startswith(key + ".") for name in ours) if key in GROUPS else int(key in ours)
        if count == 0:
            continue
        cells = [label_of(key) + (", %d rows" % count if key in GROUPS else ""), quantity(key, ours.get(key))]
        for peer in peers:
            theirs = tables[peer]
            if key in GROUPS:
                cells += ["", *group_cells(key, ours, theirs)]
            elif key in theirs:
                cells += [quantity(key, theirs[key]), times(theirs[key] / ours[key]), ""]
            else:
                cells += ["", "", ""]
        text.append("| %s |" % " | ".join(cells))
    return "\n".join(text)


def machine():
    with open("/proc/cpuinfo") as f:
        facts = dict(re.findall(r"^(model name|cpu family|model)\s*: (.*)$", f.read(), re.M))
    return "%s (family %s, model %s), %d cores" % (
        facts.get("model name", "a CPU"), facts.get("cpu family", "?"), facts.get("model", "?"), os.cpu_count())


def today():
    return datetime.date.today().strftime("%-d %B %Y")


def section(name, found, tables):
    peers = " and ".join(found[key].name for key in ("pytorch", "libtorch") if key in found) or "nothing"
    return ("<!-- ./dev bench: %s -->\n**%s, %s, one thread.** \"times\" is the peer's time divided by "
            "Taper's:\nmore than 1 is faster. Peers: %s.\n\n%s\n<!-- end -->" %
            (name, name, today(), peers, table_of(found, tables)))


# ---------------------------------------------------------------------- the pages
def rows_of(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def readme_figures(page):
    """README's picture: rows of the page's last table, and a row in which Taper is slower."""
    rows = rows_of(re.search(r"<!-- ./dev bench: .*?<!-- end -->", page, re.S).group())
    found = []
    for key in IN_README:
        row = next(r for r in rows if re.sub(r", \d+ rows$", "", r[0]) == label_of(key))
        found.append((row[0], [float(row[3])]))
    gpt = next(r for r in rows_of(page) if r[0].startswith(GPT))
    found.append(("training GPT-2 in f32 on an NVIDIA H200", [float(gpt[3].split(";")[0])]))
    return plots.svg("Times as fast as PyTorch", [""], found, base=(1, "PyTorch"))


def put(path, text):
    with open(path, "w") as f:
        f.write(text)


def write(title, text):
    """Puts a section in the place of the one of the same title, or at the end, and draws README's figures."""
    page = read(PAGE)
    old = re.compile(r"<!-- %s -->\n.*?<!-- end -->" % re.escape(title), re.S)
    page = old.sub(lambda _: text, page) if old.search(page) else page.rstrip("\n") + "\n\n" + text + "\n"
    put(PAGE, page)
    put(PICTURE, readme_figures(page))


def check():
    page = read(PAGE)
    if read(PICTURE) != readme_figures(page):
        sys.exit("bench: docs/pictures/figures.svg has not the figures of docs/contributing/performance.md: ./dev bench --write makes both")
    text = [line for line in page.splitlines() if line.strip() and not line.startswith(("|", "<!--"))]
    if len(text) > MOST_TEXT:
        sys.exit("bench: docs/contributing/performance.md has %d lines of text, at most %d are allowed" % (len(text), MOST_TEXT))
    print("bench: README's picture has the figures of docs/contributing/performance.md, which has %d lines of text" % len(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", choices=["", *PROGRAMS], help="one program")
    parser.add_argument("--machine", default=machine(), help="what the table is called")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rows", default="", help="of whole steps those whose names have this in them")
    args = parser.parse_args()
    if args.check:
        return check()
    if args.write and (args.only not in ("", "steps") or args.rows):
        parser.error("--write needs all programs, or all rows of steps")
    found, tables, facts = run(args)
    sections = {}
    if args.only in ("", "steps"):
        sections[steps_table.TITLE] = steps_table.section(args.machine, today(), found, tables, facts)
    if args.only != "steps":
        sections["./dev bench: " + args.machine] = section(args.machine, found, tables)
    for title, text in sections.items():
        print(text)
        if args.write:
            write(title, text)


if __name__ == "__main__":
    main()
