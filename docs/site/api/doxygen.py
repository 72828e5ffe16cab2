"""Runs Doxygen, whose XML model.py reads."""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def xml(headers, out):
    """The folder with the XML of the headers."""
    shutil.rmtree(out, ignore_errors=True)
    headers.write(out / "headers")
    settings = (HERE / "Doxyfile").read_text() + f"""
OUTPUT_DIRECTORY = {out}
INPUT = {out / 'headers'}
RECURSIVE = YES
FILE_PATTERNS = *.h
STRIP_FROM_PATH = {out / 'headers'}
"""
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"docs: doxygen failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return out / "xml"
