#!/usr/bin/env python3
"""Holds the machine code of the CUDA kernels to a budget, without a GPU.

usage: machine_code.py BUDGET OBJECT...

The objects are those of *_cuda.cu files, compiled for one GPU. cuobjdump tells each kernel's registers and
stack; for the kernels that the budget names, the instructions are read as well:
    packs       it has loads of 16 bytes
    loads=N     so many loads are on their way before the first of them is used
    no_calls    it calls no subroutine: those divide, or compute functions of doubles
    products=N  a loop that multiplies matrices (HMMA) and branches nowhere has at most N instructions
The first line of the budget that matches a kernel's demangled name gives its limits. Ends with 77, and says
why, where cuobjdump is not installed (it comes with the CUDA toolkit; $CUOBJDUMP names another).
"""
import os
import re
import shutil
import subprocess
import sys


def output_of(*command, given=None):
    return subprocess.run(command, input=given, text=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def demangled(names):
    lines = output_of("c++filt", given="\n".join(names)).splitlines()
    return dict(zip(names, lines))


def budget_of(path):
    """[(expression, {limit: number})], in the file's order."""
    budget = []
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line:
            expression, *limits = line.split()
            pairs = (limit.partition("=") for limit in limits)
            budget.append((re.compile(expression), {name: int(n or 1) for name, _, n in pairs}))
    return budget


def resources_of(tool, path):
    """{kernel: (registers, bytes of stack)}"""
    text = output_of(tool, "--dump-resource-usage", path)
    found = re.findall(r"Function (\S+):\s*\n\s*REG:(\d+) STACK:(\d+)", text)
    return {name: (int(registers), int(stack)) for name, registers, stack in found}


def code_of(tool, path):
    """{kernel: its instructions, with their addresses}"""
    kernels, lines = {}, []
    for line in output_of(tool, "-sass", path).splitlines():
        function = re.search(r"Function : (\S+)", line)
        if function:
            lines = kernels.setdefault(function.group(1), [])
        instruction = re.match(r"\s+/\*([0-9a-f]+)\*/\s+(.*?);", line)
        if instruction:
            lines.append((int(instruction.group(1), 16), instruction.group(2)))
    return kernels


def loads_on_their_way(code):
    """The most loads of global memory that begin before the first of them is used."""
    most, targets = 0, set()
    for _, line in code:
        registers = re.findall(r"\bR(\d+)\b", line)
        load = re.match(r"(?:@!?U?P\d+ )?LDG\S*\s+R(\d+)", line)
        uses = registers[1:] if load else registers
        if targets.intersection(uses) or re.match(r"(?:@!?U?P\d+ )?(BRA|BSYNC|EXIT|CALL)", line):
            targets.clear()
        if load:
            targets.add(load.group(1))
            most = max(most, len(targets))
    return most


def product_loop(code):
    """How long the shortest loop is that multiplies matrices and branches nowhere; None: there is none."""
    lengths = []
    for i, (_, line) in enumerate(code):
        if not (back := re.search(r"\bBRA\S* .*?(0x[0-9a-f]+)\s*$", line)):
            continue
        body = [text for at, text in code[:i] if at >= int(back.group(1), 16)]
        if any("HMMA" in text for text in body) and not any(
                re.match(r"(?:@!?U?P\d+ )?(BRA|BRX|BSYNC|EXIT|CALL|RET)", text) for text in body):
            lengths.append(len(body) + 1)
    return min(lengths, default=None)


def complaints_of(limits, resources, code):
    registers, stack = resources
    if registers > limits.get("registers", 255):
        yield f"{registers} registers, at most {limits['registers']} are allowed"
    if stack > limits.get("stack", 0):
        yield f"{stack} bytes of stack, at most {limits.get('stack', 0)} are allowed"
    if "packs" in limits and not any("LDG.E.128" in line for _, line in code):
        yield "no load of 16 bytes"
    if (found := loads_on_their_way(code)) < limits.get("loads", 0):
        yield f"{found} loads on their way at once, at least {limits['loads']} are wanted"
    if "no_calls" in limits and any("CALL" in line for _, line in code):
        yield "a call of a subroutine"
    if "products" in limits:
        found = product_loop(code)
        if found is None:
            yield "no loop of products without branches"
        elif found > limits["products"]:
            yield f"{found} instructions in a loop of products, at most {limits['products']} are allowed"


def main():
    budget_path, *objects = sys.argv[1:]
    tool = os.environ.get("CUOBJDUMP") or shutil.which("cuobjdump") or shutil.which(
        "cuobjdump", path=os.environ.get("CUDA_PATH", "/usr/local/cuda") + "/bin")
    if not tool:
        print("not run: cuobjdump, which reads machine code of GPUs, is not installed")
        return 77
    budget = budget_of(budget_path)
    unused, kernels, failures = set(range(len(budget))), 0, []
    for path in objects:
        resources = resources_of(tool, path)
        names = demangled(list(resources))
        named = any(e.search(names[k]) and {"packs", "loads", "no_calls", "products"} & limits.keys()
                    for k in resources for e, limits in budget)
        code = code_of(tool, path) if named else {}
        for kernel, used in resources.items():
            kernels += 1
            for i, (expression, limits) in enumerate(budget):
                if expression.search(names[kernel]):
                    unused.discard(i)
                    failures += [f"{names[kernel]}: {what}"
                                 for what in complaints_of(limits, used, code.get(kernel, []))]
                    break
    failures += [f"{budget_path}: no kernel is called {budget[i][0].pattern}" for i in sorted(unused)]
    print("\n".join(failures))
    print(f"machine code: {kernels} kernels of {len(objects)} files, {len(failures)} complaints")
    if not kernels:
        print("no kernels were found")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
