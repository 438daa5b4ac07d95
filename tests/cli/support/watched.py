"""What the tests of a watched folder have in common: the command, what it says, and videos of a few kilobytes."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
FAULTS = sys.argv[2] if len(sys.argv) > 2 else ""
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
FILTER = ["--kernel", "box", "--codec", "ffv1"]
LIMIT = 60  # seconds, for what takes one of them on an idle machine
LOOKED_AT = 6.5  # after so many the folder has been looked at again, and what is not seen to be written is whole


def film(chance, frames=3):
    """A video of which no other has the content, whole at the end of each of its frames."""
    pictures = (b"FRAME\n" + chance.randbytes(32 * 24 * 3 // 2) for _ in range(frames))
    return b"YUV4MPEG2 W32 H24 F25:1 C420mpeg2\n" + b"".join(pictures)


class WatchTest(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(SEED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-watched-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.into, self.out = self.folder / "in", self.folder / "out"
        self.into.mkdir()
        self.log = self.folder / "log"
        self.process = None
        self.addCleanup(self.kill)

    def start(self, *words, output="out/{stem}.nut", refused="", program=(PROGRAM,)):
        """`refused`: what the system does not do for it, as tests/doubles/faults.cpp has it."""
        faults = {"LD_PRELOAD": FAULTS, "VIDCONV_REFUSED": refused, "ASAN_OPTIONS": "verify_asan_link_order=0"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*program, "in", "--watch", "-o", output, *FILTER, *words], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stderr=log,
                                        env=os.environ | (faults if refused else {}))
        return self.process

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.assertEqual(self.process.wait(LIMIT), 128 + number, self.said())

    def said(self):
        return self.log.read_text() if self.log.exists() else ""

    def wait_for(self, condition, what):
        until = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), until, f"{what}, seed {SEED}: {self.said()[-3000:]}")
            self.assertIsNone(self.process.poll(), f"{what}, seed {SEED}: {self.said()[-3000:]}")
            time.sleep(0.02)

    def wait_for_words(self, words, times=1):
        self.wait_for(lambda: self.said().count(words) >= times, words)

    def begin(self, *words, **more):
        """Started, and at work: from now on inotify tells what comes."""
        before = self.said().count("watching in")
        self.start(*words, **more)
        self.wait_for_words("watching in", before + 1)

    def filtered(self, content, name="x"):
        """What a run of its own makes of it."""
        alone = self.folder / "alone"
        alone.mkdir(exist_ok=True)
        (alone / f"{name}.y4m").write_bytes(content)
        run = subprocess.run([PROGRAM, f"{name}.y4m", "-o", f"{name}.nut", "-y", "-q", *FILTER], cwd=alone, check=False,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return (alone / f"{name}.nut").read_bytes()

    def outputs(self, folder="out"):
        root = self.folder / folder
        return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*.nut")} if root.exists() else {}

    def times_done(self, name):
        return self.said().count(f"vidconv: in/{name}: 3 frames")
