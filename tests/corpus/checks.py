"""Shared by the scripts that each test one matter: a folder, ffmpeg, vidconv, and a count of failures."""

import pathlib
import shutil
import subprocess
import sys


class Checks:
    def __init__(self, vidconv, folder):
        self.vidconv, self.folder, self.wrong = vidconv, folder, []

    def run(self, *words, text=True):
        return subprocess.run([str(w) for w in words], capture_output=True, text=text, errors="replace" if text else None,
                              stdin=subprocess.DEVNULL, timeout=60)

    def ffmpeg(self, words, name):
        made = self.run("ffmpeg", "-nostdin", "-v", "error", "-y", *words.split(), self.folder / name)
        if made.returncode != 0:
            raise RuntimeError(f"ffmpeg cannot make {name}: {made.stderr}")
        return self.folder / name

    def filter(self, source, name, *options):
        """Filters a source, and returns the exit code and the messages."""
        kernel = () if "--kernel" in options else ("--kernel", "identity")
        done = self.run(self.vidconv, source, "-o", name if name == "null:" else self.folder / name, "-y", *kernel, "--progress", "none", *options)
        return done.returncode, done.stderr

    def expect(self, what, right):
        if not right:
            print("WRONG ", what, flush=True)
        self.wrong += [what] * (not right)


def run_checks(kind, *names):
    """Makes a `kind` from VIDCONV and DIR of the command line, calls its methods, and returns the exit code."""
    folder = pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    checks = kind(sys.argv[1], folder)
    for name in names:
        getattr(checks, name)()
        print(name, flush=True)
    print(f"{len(checks.wrong)} wrong")
    return 1 if checks.wrong else 0
