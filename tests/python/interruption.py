#!/usr/bin/env python3
"""Ctrl-C at system calls of a reader, a writer and a run of the Python package: interruption.py INTERRUPTER [RUNS|all]

RUNS of each, at calls that the seed (VIDCONV_SEED) chooses, or all of them, from where the package is loaded to the end.
KeyboardInterrupt comes out or the work is done; nothing crashes, nothing is left, and an output that is there plays.
Of many runs a table is printed.
"""
import collections
import os
import pathlib
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

INTERRUPTER = str(pathlib.Path(sys.argv[1]).resolve())
RUNS = sys.argv[2] if len(sys.argv) > 2 else "12"
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
MOST_SECONDS = 120  # on a busy machine

# Runs each program that it is sent in a process of its own, because loading the package takes longer than all the rest.
# Only the exception of Ctrl-C may be raised; it may come before or behind the `try`, too.
RUNNER = """
import ast, ctypes, os, signal, sys, numpy, vidconv
from fractions import Fraction
signal.signal(signal.SIGINT, signal.default_int_handler)
for line in iter(sys.stdin.readline, ""):
    child = os.fork()
    if child == 0:
        break
    os.waitpid(child, os.WUNTRACED)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
PR_SET_PTRACER, ANY = 0x59616d61, -1
ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_long(ANY))
os.kill(os.getpid(), signal.SIGSTOP)
try:
    exec(ast.literal_eval(line))
except KeyboardInterrupt:
    sys.exit(130)
"""
READER = """
for start in (0, 0.5):
    with vidconv.open("in.mkv", kernel="box", start=start) as frames:
        next(frames)
        frames[4]
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
    figures = {}  # the outcomes of each program's runs

    @classmethod
    def tearDownClass(cls):
        print("\n| program | runs | interrupted | done before | crashed or left something |\n| --- | ---: | ---: | ---: | ---: |")
        for program, ends in cls.figures.items():
            print(f"| {program} | {sum(ends.values())} | {ends['interrupted']} | {ends['done']} | {ends['failed']} |")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-g", "6", "-c:v", "libx264",
                        "in.mkv"], cwd=self.folder, check=True)
        self.said = tempfile.TemporaryFile("a+")
        self.addCleanup(self.said.close)
        self.runner = subprocess.Popen([sys.executable, "-c", RUNNER], cwd=self.folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=self.said, text=True)
        self.addCleanup(self.runner.communicate)
        self.addCleanup(self.runner.kill)

    def answer(self):
        """Returns the runner's next number."""
        if not select.select([self.runner.stdout], [], [], MOST_SECONDS)[0]:
            self.fail(f"no answer after {MOST_SECONDS} s, seed {SEED}")
        return int(self.runner.stdout.readline())

    def run_at(self, call, program):
        """Returns the exit code, what was said, and what the interrupter says."""
        (self.folder / "out.mkv").unlink(missing_ok=True)
        self.said.truncate(0)
        print(repr(program), file=self.runner.stdin, flush=True)
        child = self.answer()
        try:
            done = subprocess.run([INTERRUPTER, str(call), str(int(signal.SIGINT)), "-p", str(child)], capture_output=True,
                                  text=True, timeout=MOST_SECONDS, check=False)
            code = self.answer()
        except BaseException:
            os.kill(child, signal.SIGKILL)
            raise
        self.said.seek(0)
        return code, self.said.read(), done.stderr

    def sweep(self, name, program):
        code, said, counted = self.run_at(1 << 40, program)
        self.assertEqual(code, 0, said)
        calls = int(counted.split("interrupter: ")[1].split()[0])
        ends = self.figures.setdefault(name, collections.Counter())
        for call in range(calls) if RUNS == "all" else random.Random(SEED).choices(range(calls), k=int(RUNS)):
            ends["failed"] += 1
            code, said, _ = self.run_at(call, program)
            what = f"call {call} of {calls}, seed {SEED}: {said}"
            self.assertIn(code, (0, 130, -signal.SIGINT), what)
            self.assertEqual({path.name for path in self.folder.iterdir()} - {"in.mkv", "out.mkv"}, set(), what)
            if (self.folder / "out.mkv").exists():
                judged = subprocess.run(["ffmpeg", "-v", "error", "-xerror", "-i", "out.mkv", "-f", "null", "-"],
                                        cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual((judged.returncode, judged.stderr), (0, ""), what)
            ends["failed"] -= 1
            ends["done" if code == 0 else "interrupted"] += 1

    def test_reader(self):
        self.sweep("reader", READER)

    def test_writer(self):
        self.sweep("writer", WRITER)

    def test_run(self):
        self.sweep("run", RUN)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
