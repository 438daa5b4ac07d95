#!/usr/bin/env python3
"""Ctrl-C at system calls of a reader, a writer and a run of the Python package: interruption.py INTERRUPTER [RUNS|all]

RUNS of each, at calls that the seed (VIDCONV_SEED) chooses, or all of them, from where the package is loaded to the end.
KeyboardInterrupt comes out or the work is done; nothing crashes, nothing is left, and an output that is there plays.
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

INTERRUPTER = str(pathlib.Path(sys.argv[1]).resolve())
RUNS = sys.argv[2] if len(sys.argv) > 2 else "12"
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
SYS_SCHED_GET_PRIORITY_MAX = {"x86_64": 146, "aarch64": 125}[os.uname().machine]  # nothing else makes this call
signal.signal(signal.SIGINT, signal.default_int_handler)

# Only the exception of Ctrl-C may be raised; it may come before or behind the `try`, too.
PROGRAM = """
import os, sys, numpy, vidconv
from fractions import Fraction
os.sched_get_priority_max(os.SCHED_FIFO)
try:
{}
except KeyboardInterrupt:
    sys.exit(130)
"""
READER = """
    for start in (0, 0.5):
        with vidconv.open("in.mkv", kernel="box", start=start) as frames:
            next(frames)
"""
WRITER = """
    with vidconv.Writer("out.mkv", vidconv.Video("rgb24", 64, 48, frame_rate=Fraction(25)), kernel="box") as writer:
        for level in range(3):
            writer.write(numpy.full((48, 64, 3), level, numpy.uint8))
"""
RUN = """
    vidconv.run("in.mkv", "out.mkv", kernel="box")
"""


class Interruption(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-g", "6", "-c:v", "libx264",
                        "in.mkv"], cwd=self.folder, check=True)

    def run_at(self, call, program):
        (self.folder / "out.mkv").unlink(missing_ok=True)
        return subprocess.run([INTERRUPTER, str(call), str(int(signal.SIGINT)), sys.executable, "-c", PROGRAM.format(program)],
                              cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "INTERRUPTER_FROM": str(SYS_SCHED_GET_PRIORITY_MAX)})

    def sweep(self, program):
        whole = self.run_at(1 << 40, program)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        calls = int(whole.stderr.split("interrupter: ")[1].split()[0])
        chosen = range(calls) if RUNS == "all" else random.Random(SEED).choices(range(calls), k=int(RUNS))
        interrupted = 0
        for call in chosen:
            run = self.run_at(call, program)
            what = f"call {call} of {calls}, seed {SEED}: {run.stderr}"
            self.assertIn(run.returncode, (0, 130), what)
            interrupted += run.returncode != 0
            self.assertEqual({path.name for path in self.folder.iterdir()} - {"in.mkv", "out.mkv"}, set(), what)
            if (self.folder / "out.mkv").exists():
                judged = subprocess.run(["ffmpeg", "-v", "error", "-xerror", "-i", "out.mkv", "-f", "null", "-"],
                                        cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual((judged.returncode, judged.stderr), (0, ""), what)
        print(f"{self.id().rpartition('_')[2]}: {len(chosen)} interruptions, {interrupted} of them ended it")

    def test_reader(self):
        self.sweep(READER)

    def test_writer(self):
        self.sweep(WRITER)

    def test_run(self):
        self.sweep(RUN)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
