"""Plants one fault at a time in a source, and restores the source whatever happens.

The original text is kept in a journal before the source is changed. An exception and Ctrl-C restore the source at once. If the
process was killed, the next start does.
"""
import contextlib
import json
import os
import signal

from mutants import planted


class Interrupted(Exception):
    """Ctrl-C, or a request to end."""


def read(path):
    with open(path, newline="") as f:
        return f.read()


def write(path, text):
    """Writes a file completely or not at all."""
    with open(path + ".part", "w", newline="") as f:
        f.write(text)
    os.replace(path + ".part", path)


@contextlib.contextmanager
def without_signals():
    """Signals that come inside of the block wait for its end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Journal:
    def __init__(self, path, root):
        self.path, self.root = path, root

    def restore(self):
        """Restores the source that the journal holds. Returns its path, or None."""
        if not os.path.exists(self.path):
            return None
        entry = json.loads(read(self.path))
        source = os.path.join(self.root, entry["path"])
        # Not by another file: its time must be newer than that of the object with the fault.
        with without_signals():
            with open(source, "w", newline="") as f:
                f.write(entry["text"])
            os.remove(self.path)
        return entry["path"]

    @contextlib.contextmanager
    def planted(self, fault):
        """The source has the fault inside of the block."""
        source = os.path.join(self.root, fault.path)
        text = read(source)
        changed = planted(text, fault)
        write(self.path, json.dumps({"path": fault.path, "text": text}))
        try:
            with open(source, "w", newline="") as f:
                f.write(changed)
            yield
        finally:
            self.restore()
