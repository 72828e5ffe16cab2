#!/usr/bin/env python3
"""Runs commands on a terminal of its own and draws what they print as a film, an animated SVG file.

    recording.py OUT.svg [--rows N] [--columns N] [--wait SECONDS] COMMAND...

The commands run one after the other in one shell, so `cd` holds for the next ones. Each time at which the screen changes is
recorded. In the film, a line that changes takes at most --wait seconds. The picture without animation is the last screen.
The film of README.md, with this repository as ./REPOSITORY_URL and the data in ./mnist:

    recording.py mnist.svg 'git clone REPOSITORY_URL taper && cd taper' './dev mnist --data ../mnist'
"""
import argparse
import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios
import time

ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
PROMPT, SHORTEST, HOLD = "$ ", 0.15, 6.0  # seconds: screens that follow faster are one; the last one stands so long
LINE, LETTER, MARGIN = 17, 7.8, 12       # pixels


class Screen:
    """Lines as a terminal would show them: \\r, \\n, and the sequence that clears the rest of a line."""

    def __init__(self):
        self.lines, self.column = [""], 0

    def write(self, text):
        at = 0
        while at < len(text):
            escape = ESCAPE.match(text, at)
            if escape:
                if escape.group(2) == "K":
                    self.lines[-1] = self.lines[-1][:self.column]
                at = escape.end()
                continue
            self.put(text[at])
            at += 1

    def put(self, letter):
        if letter == "\n":
            self.lines.append("")
            self.column = 0
        elif letter == "\r":
            self.column = 0
        elif letter.isprintable():
            line = self.lines[-1].ljust(self.column)
            self.lines[-1] = line[:self.column] + letter + line[self.column + 1:]
            self.column += 1


def run(commands, columns, rows, clock=time.monotonic):
    """[(seconds, lines of the screen)] of the commands, and the status of the first one that failed, or 0."""
    screen, frames, start = Screen(), [], clock()

    def shown():
        frames.append((clock() - start, list(screen.lines)))

    folder = os.getcwd()
    for command in commands:
        screen.write(PROMPT + command + "\n")
        shown()
        status, folder = run_one(command, folder, columns, rows, screen, shown)
        if status != 0:
            return frames, status
    if screen.lines[-1] == "":
        screen.lines.pop()
    shown()
    return frames, 0


def run_one(command, folder, columns, rows, screen, shown):
    """Runs a command in a folder; returns its status and the folder in which it ended."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    told, tells = os.pipe()
    script = f"{command}\nstatus=$?\npwd >&{tells}\nexit $status"
    process = subprocess.Popen(["bash", "-c", script], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, pass_fds=[tells])
    os.close(theirs)
    os.close(tells)
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the command has closed its terminal
            break
        if not data:
            break
        screen.write(data.decode(errors="replace"))
        shown()
    status = process.wait()
    with os.fdopen(told) as pipe:
        folder = pipe.read().strip() or folder
    os.close(ours)
    return status, folder


def film(frames, wait):
    """Frames with the times of the film: one row that changes takes at most `wait` seconds, however often it changes."""
    times, now, at = [], 0.0, 0
    while at < len(frames):
        behind = next((i for i in range(at, len(frames)) if len(frames[i][1]) != len(frames[at][1])), len(frames))
        end = frames[min(behind, len(frames) - 1)][0]
        took = end - frames[at][0]
        speed = min(1.0, wait / took) if took > 0 else 1.0
        times += [now + speed * (seconds - frames[at][0]) for seconds, _ in frames[at:behind]]
        now, at = now + speed * took, behind
    return without_quick([(t, lines) for t, (_, lines) in zip(times, frames)])


def without_quick(frames):
    """Of frames in quick succession the last one, and none that shows nothing new."""
    kept = []
    for seconds, lines in frames:
        if kept and seconds - kept[-1][0] < SHORTEST:
            kept[-1] = (kept[-1][0], lines)
        elif not kept or lines != kept[-1][1]:
            kept.append((seconds, lines))
    return kept


def pieces(frames, end):
    """[(row, text, from, until)]: how long each text stands in its row."""
    rows = max(len(lines) for _, lines in frames)
    found = []
    for row in range(rows):
        since, text = None, ""
        for t, lines in [*frames, (end, None)]:
            here = lines[row] if lines is not None and row < len(lines) else ""
            if lines is None or here != text:
                if text:
                    found.append((row, text, since, t))
                since, text = t, here
    return found


def keyframes(name, times, end):
    """The steps of an animation from [(seconds, property and value)]."""
    steps = "".join(f"{100 * t / end:.2f}%{{{value}}}" for t, value in times)
    return f"@keyframes {name}{{{steps}}}"


def drawn(number, piece, columns, end):
    """The element of a piece of text, and the style that shows and hides it."""
    row, text, since, until = piece
    times = [(since, "visibility:visible")]
    if since > 0:
        times.insert(0, (0, "visibility:hidden"))
    if until < end:
        times.append((until, "visibility:hidden"))
    style = f"{keyframes(f'k{number}', times, end)}#t{number}{{animation-name:k{number}}}" if len(times) > 1 else ""
    kind = ' class="command"' if text.startswith(PROMPT) else ""
    hidden = ' visibility="hidden"' if until < end else ""
    place = f'x="{MARGIN}" y="{MARGIN + LINE * row + 13}"'
    return f'<text id="t{number}"{kind} {place}{hidden}>{html.escape(text[:columns])}</text>', style


def scrolled(frames, rows):
    """[(seconds, pixels)]: how far the lines have moved up."""
    moves = []
    for t, lines in frames:
        up = LINE * max(0, len(lines) - rows)
        if not moves or moves[-1][1] != up:
            moves.append((t, up))
    return moves


def svg(frames, columns, rows):
    """The film's text."""
    end = frames[-1][0] + HOLD
    width, height = round(columns * LETTER + 2 * MARGIN), rows * LINE + 2 * MARGIN
    moves = scrolled(frames, rows)
    elements = [drawn(i, piece, columns, end) for i, piece in enumerate(pieces(frames, end))]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" xml:space="preserve">',
        "<style>text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#ddd;white-space:pre}.command{fill:#8fd18f}",
        f"text,#all{{animation:{end:.2f}s step-end infinite}}",
        f"#all{{animation-name:all;transform:translateY({-moves[-1][1]}px)}}",
        keyframes("all", [(t, f"transform:translateY({-up}px)") for t, up in moves], end),
        *(style for _, style in elements if style),
        "@media (prefers-reduced-motion:reduce){text,#all{animation:none}}</style>",
        f'<clipPath id="in"><rect width="{width}" height="{height - MARGIN}"/></clipPath>',
        f'<rect width="{width}" height="{height}" rx="6" fill="#1c1f24"/>',
        '<g clip-path="url(#in)"><g id="all">', *(element for element, _ in elements), "</g></g>", "</svg>", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--columns", type=int, default=96)
    parser.add_argument("--wait", type=float, default=3.0)
    parser.add_argument("commands", nargs="+")
    arguments = parser.parse_args()
    frames, status = run(arguments.commands, arguments.columns, arguments.rows)
    if status != 0:
        sys.exit("\n".join([*frames[-1][1], f"recording: a command ended with {status}, and nothing is written"]))
    arguments.out.write_text(svg(film(frames, arguments.wait), arguments.columns, arguments.rows))
    print(f"recording: {frames[-1][0]:.0f} seconds, {arguments.out} has {arguments.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
