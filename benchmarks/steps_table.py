"""The table of whole training steps in docs/contributing/performance.md, for bench.py.

Times are of steps.cpp, once with each library, and of steps.py under torch.compile; with one thread they are
processor time. A step's share of the peak is what its products, convolutions, attention and recurrent layers
take by Taper's count_flops, divided by its time and by what peak.cpp reaches in multiply-adds in registers.
"""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TITLE = "./dev bench --only steps"
MODELS = {
    "gpt10m": "GPT, 10 M parameters, 4 x 256 tokens",
    "gpt124m": "GPT-2, 124 M parameters, 256 tokens",
    "resnet18": "ResNet-18, 32 x 3 x 32 x 32",
    "lenet": "LeNet, 128 x 1 x 28 x 28",
    "lstm": "LSTM language model",
    "vae": "VAE",
    "dqn": "DQN",
    "heat": "heat equation, second derivatives",
}
RUNS = [[model, dtype, threads] for dtype in ("f32", "bf16") for threads in ("1", "2") for model in MODELS
        if (model, threads) != ("gpt124m", "2")]
SIDES = ["taper", "pytorch", "compiled"]


def name_of(run):
    return "%s %s threads %s" % tuple(run)


def rows(output):
    """name -> value, of lines "name<TAB>value"."""
    return {name: float(value) for name, value in (line.split("\t") for line in output.splitlines())}


# ---------------------------------------------------------------------- what shares of the peak need
def compile_with(library, source, binary, flags, libraries=()):
    source = os.path.join(HERE, source)
    subprocess.run([*library.compiler(), *flags, source, "-o", binary, *libraries, *library.linker()], check=True)
    return binary


def facts(taper, work, wanted):
    """"flops.MODEL": of a step, where taper::utils is installed; "peak.DTYPE threads N": a second."""
    found = {}
    peak = compile_with(taper, "peak.cpp", os.path.join(work, "peak"), ["-march=native", "-pthread"])
    for threads in sorted({run[2] for run in RUNS}):
        found.update(rows(subprocess.check_output([peak, threads], text=True)))
    utils = os.path.join(taper.folder, "libtaper_utils.so")
    if not os.path.exists(utils):
        return found
    count = compile_with(taper, "steps.cpp", os.path.join(work, "flops"), ["-DSTEPS_FLOPS"], [utils])
    for model in MODELS:
        if any(wanted in name_of(run) for run in RUNS if run[0] == model):
            command = [count, model, "f32", "1"]
            found.update(rows(subprocess.check_output(command, text=True, env=taper.environment())))
    return found


# ---------------------------------------------------------------------- the table
def quantity(seconds):
    for unit, scale in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * scale:
            return "%.3g %s" % (seconds / scale, unit)
    return "%.3g s" % seconds


def percentage(share):
    """Two digits, or more of a hundred and above."""
    return "%.0f%%" % share if share >= 10 else "%.2g%%" % share


def all_of(tables, kind, run, form, sides=SIDES):
    """What all sides have of a kind, with slashes between."""
    values = [tables.get(side, {}).get("%s.%s" % (kind, name_of(run))) for side in sides]
    return " / ".join("-" if value is None else form(value) for value in values)


def memory_of(tables, run):
    """Peaks of memory, less those of the DQN step: what a library takes by itself."""
    own = {}
    for side in SIDES[:2]:
        table = tables.get(side, {})
        least, most = (table.get("memory." + name_of(r)) for r in (["dqn", *run[1:]], run))
        own[side] = {"memory." + name_of(run): most - least} if least and most else {}
    if run[0] == "dqn" or not own["taper"]:
        return ""
    return all_of(own, "memory", run, lambda b: "%.0f MB" % (b / 1e6), SIDES[:2])


def line_of(tables, facts, run):
    name = "steps." + name_of(run)
    ours = tables["taper"][name]
    threads = "1 thread" if run[2] == "1" else run[2] + " threads"
    cells = ["%s, %s, %s" % (MODELS[run[0]], run[1], threads), quantity(ours)]
    for side in SIDES[1:]:
        theirs = tables.get(side, {}).get(name)
        cells.append("%s, %.2f" % (quantity(theirs), theirs / ours) if theirs else "")
    flops, peak = facts.get("flops." + run[0]), facts.get("peak.%s threads %s" % tuple(run[1:]))
    share = lambda seconds: percentage(100 * flops / seconds / peak)
    cells.append(all_of(tables, "steps", run, share) if flops and peak else "")
    cells.append(all_of(tables, "loss", run, lambda loss: "%.5g" % loss))
    cells.append(memory_of(tables, run))
    return "| %s |" % " | ".join(cells)


def section(machine, date, found, tables, facts):
    peer = found["pytorch"].name if "pytorch" in found else "PyTorch"
    peaks = ", ".join("%.0f GFLOP/s in %s" % (rate / 1e9, name[5:].replace(" threads 1", " with one thread").replace(
        "threads", "with")) for name, rate in sorted(facts.items()) if name.startswith("peak."))
    head = ["", "Taper", peer + ", eager", "compiled", "of the peak", "loss of the fifth step", "memory, Taper / eager"]
    text = ["| %s |" % " | ".join(head), "|---|---:|---:|---:|---:|---:|---:|"]
    text += [line_of(tables, facts, run) for run in RUNS if "steps." + name_of(run) in tables["taper"]]
    plot = "<!-- plot steps.svg, steps, times faster than %s: 2 eager; 3 compiled -->" % peer
    return "<!-- %s -->\n**%s, %s.** Peaks: %s.\n\n%s\n%s\n<!-- end -->" % (
        TITLE, machine, date, peaks or "not known", plot, "\n".join(text))
