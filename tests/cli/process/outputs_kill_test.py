"""Kills runs at moments of its own choice: random times, and where a file is just being given its name. An output is as
it was before, or has the bytes of a run that nothing has ended; the same command then makes all of them, and leaves nothing else.

outputs_kill_test.py VIDCONV FAULTS [KILLS]: so many of each mode; the seed (VIDCONV_SEED) says when. Of many each mode prints
a row: how often it was killed, how often some outputs had their names then, and what was half or lost:

    tests/cli/process/outputs_kill_test.py build/release/vidconv build/release/tests/cli/libvidconv_faults.so 200
"""
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

PROGRAM, FAULTS = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 8
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
OLD = b"precious"


class Kills(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(SEED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-killed-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=192x108:d=8", "-f", "lavfi", "-i", "sine=d=8", "-c:v",
             "libx264", "-g", "50", "-c:a", "aac", "in.mp4"], cwd=self.folder, check=True)

    def run_to_its_end(self, words):
        run = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(run.returncode, 0, f"seed {SEED}: {run.stderr}")

    def kill_somewhere(self, words, seconds, names):
        """Whether the run was killed before its end."""
        faults, at = {"LD_PRELOAD": FAULTS}, None
        if self.chance.random() < 0.5:
            # An output that is there already is replaced: a link, then another name.
            call = self.chance.choice(("linkat", "rename"))
            faults["VIDCONV_REFUSED"] = f"{call}@{self.chance.randrange(names)}=killed"
        else:
            at = self.chance.uniform(0, seconds)
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env=os.environ | faults) as run:
            if at is not None:
                time.sleep(at)
                run.kill()
            _, said = run.communicate(timeout=300)
        self.assertIn(run.returncode, (0, -signal.SIGKILL), f"seed {SEED}: {said}")
        return run.returncode != 0

    def content(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.name != "in.mp4"}

    def kill_again_and_again(self, mode, *words):
        words = [PROGRAM, "in.mp4", *words, "-y", "-q"]
        begun = time.monotonic()
        self.run_to_its_end(words)
        seconds = time.monotonic() - begun
        whole = self.content()
        kills = named = 0
        while kills < KILLS:
            old = self.chance.random() < 0.5
            for name in whole:
                (self.folder / name).unlink(missing_ok=True)
                if old:
                    (self.folder / name).write_bytes(OLD)
            killed = self.kill_somewhere(words, seconds, len(whole))
            kills += killed
            left = self.content()
            done = [name for name in whole if left.get(name) == whole[name]]
            named += killed and bool(done)
            for name in set(whole) - set(done):
                self.assertEqual(left.get(name), OLD if old else None, f"{mode}, seed {SEED}: {name}")
            if killed:
                self.run_to_its_end(words)
            self.assertTrue(self.content() == whole, f"{mode}, seed {SEED}: {sorted(self.content())}")
        if KILLS >= 100:
            print(f"\n| {mode} | {kills} | {named} | 0 |", flush=True)

    def test_keep_unchanged(self):
        self.kill_again_and_again("--keep-unchanged", "-o", "out.mp4", "--kernel", "box:between=2.5s-3.5s", "--keep-unchanged")

    def test_several_outputs(self):
        self.kill_again_and_again("several outputs", "-o", "a.mp4", "--kernel", "box", "-o", "b.mp4", "--kernel", "sobel",
                                  "--shards", "2", "-o", "c.mov", "--kernel", "mosaic", "--crf", "30")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=1)
