"""Ends runs of --resume at moments of its own choice, again and again, until one has come to its end: its bytes are those
of a run that nothing has ended. The moments are random times of SIGKILL, names that are just being given, and power cuts:
after these nothing is left but what was synced, and of the rest whatever the disk has happened to write.

resume_kill_test.py VIDCONV FAULTS [ENDS]: so many ends of each mode; the seed (VIDCONV_SEED) says which. Of many
each mode prints a row: how often it was ended, how often it went on with shards, and what was lost or wrong:

    tests/cli/process/resume_kill_test.py build/release/vidconv build/release/tests/cli/libvidconv_faults.so 200
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
ENDS = int(sys.argv[3]) if len(sys.argv) > 3 else 6
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
SHARDS = 8


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.input = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-resume-in-"))
        cls.addClassCleanup(shutil.rmtree, cls.input, ignore_errors=True)
        picture = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=192x108:d=8"]
        sound = ["-f", "lavfi", "-i", "sine=d=8", "-c:a", "aac"]
        for words in (picture + sound + ["-c:v", "libx264", "-g", "50", "in.mkv"],
                      picture + sound + ["-c:v", "libx264", "-g", "1000", "long.mp4"],
                      picture + ["-pix_fmt", "yuv420p", "in.y4m"]):
            subprocess.run(words, cwd=cls.input, check=True)

    def setUp(self):
        self.chance = random.Random(SEED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-resume-"))
        self.durable = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-durable-"))
        for folder in (self.folder, self.durable):
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)

    def words(self, name, *more, kernel="box"):
        source = name if name.startswith("pattern:") else str(self.input / name)
        return [PROGRAM, source, "-o", "out.mkv", "--kernel", kernel, "--shards", str(SHARDS), "--preset", "medium", *more]

    def run_to_its_end(self, words):
        run = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(run.returncode, 0, f"seed {SEED}: {run.stderr}")
        return run

    def end_somewhere(self, words, seconds, first, environment=None):
        """Whether the run was ended; what it said. The first end of a mode comes when shards are kept; those at random may
        all come before that."""
        faults = {"LD_PRELOAD": FAULTS}
        at = None
        if first:
            faults["VIDCONV_REFUSED"] = f"linkat@{SHARDS}=killed"
        elif self.chance.random() < 0.5:
            # run.json, each shard and its ledger, run.json again, and the output
            faults["VIDCONV_REFUSED"] = f"linkat@{self.chance.randrange(2 * SHARDS + 3)}=killed"
        else:
            at = self.chance.uniform(0, seconds)
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env=os.environ | faults | (environment or {})) as run:
            if at is not None:
                time.sleep(at)
                run.kill()
            _, said = run.communicate(timeout=300)
        self.assertIn(run.returncode, (0, -signal.SIGKILL), f"seed {SEED}: {said}")
        return run.returncode != 0, said

    def cut_power(self, folder):
        """What such a disk has when it comes back: of a folder the names that were synced, and perhaps others; of a
        file the bytes that were synced, or else none, or some."""
        def restore(path, inode, live):
            synced = self.durable / f"{'d' if live and live.is_dir() else 'f'}{inode}"
            if live and live.is_dir():
                path.mkdir()
                names = {}
                if synced.exists():
                    names = {name: number for number, name in
                             (line.split(" ", 1) for line in synced.read_text().splitlines())}
                for entry in live.iterdir():
                    if self.name_of(entry) not in names and self.chance.random() < 0.5:
                        names[self.name_of(entry)] = entry.lstat().st_ino
                for name, number in names.items():
                    there = live / name
                    same = there.exists() and str(there.lstat().st_ino) == str(number)
                    # A folder that was removed does not become a file that has got its number since.
                    if same or not name.endswith("/"):
                        restore(path / name, number, there if same else None)
            elif synced.exists():
                path.write_bytes(synced.read_bytes())
            elif live:
                data = live.read_bytes()
                path.write_bytes(data[:self.chance.choice((0, self.chance.randrange(len(data) + 1)))])
        before = folder.with_name(folder.name + "-before")
        folder.rename(before)
        restore(folder, before.stat().st_ino, before)
        shutil.rmtree(before)
        self.note_all(folder)

    @staticmethod
    def name_of(entry):
        return entry.name + ("/" if entry.is_dir() else "")

    def note_all(self, folder):
        """All that is there is on the disk."""
        shutil.rmtree(self.durable)
        self.durable.mkdir()
        for path in [folder, *folder.rglob("*")]:
            inode = path.lstat().st_ino
            if path.is_dir():
                names = [f"{entry.lstat().st_ino} {self.name_of(entry)}\n" for entry in path.iterdir()]
                (self.durable / f"d{inode}").write_text("".join(names))
            else:
                (self.durable / f"f{inode}").write_bytes(path.read_bytes())

    def end_again_and_again(self, mode, words, power=False):
        started = time.monotonic()
        self.run_to_its_end(words)
        seconds = time.monotonic() - started
        whole = (self.folder / "out.mkv").read_bytes()
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.note_all(self.folder)
        ends = went_on = 0
        # The sandbox would not let the double write its notes.
        words = words + ["--resume"] + (["--no-sandbox"] if power else [])
        while ends < ENDS:
            ended, said = self.end_somewhere(words, seconds, ends == 0,
                                             {"VIDCONV_DURABLE": str(self.durable)} if power else None)
            ends += ended
            went_on += "going on" in said
            if ended and power:
                self.cut_power(self.folder)
            if not ended:
                self.finish(whole)
            elif (self.folder / "out.mkv").exists():  # a name is given to what is whole alone
                self.assertTrue((self.folder / "out.mkv").read_bytes() == whole, f"seed {SEED}: other bytes")
                # It removes what is kept, and knows the output unless the notes of whose file that is were gone already, as
                # they may be after a power cut.
                knows = not power and (self.folder / ".out.mkv.vidconv/run.json").exists()
                self.run_to_its_end(words + ([] if knows else ["-y"]))
                self.finish(whole)
        if "going on" in self.run_to_its_end(words + ["-y"]).stderr:
            went_on += 1
        self.finish(whole)
        if ENDS >= 100:
            print(f"\n| {mode} | {ends} | {went_on} | 0 |", flush=True)
        self.assertGreater(went_on, 0, f"{mode}, seed {SEED}: no end was one to go on from")

    def finish(self, whole):
        self.assertTrue((self.folder / "out.mkv").read_bytes() == whole, f"seed {SEED}: other bytes")
        left = {entry.name for entry in self.folder.iterdir()} - {"out.mkv"}
        self.assertEqual(left, set(), f"seed {SEED}")
        (self.folder / "out.mkv").unlink()
        self.note_all(self.folder)

    def test_one_encoder(self):
        self.end_again_and_again("one encoder", self.words("in.mkv", "--jobs", "1"))

    def test_three_encoders(self):
        self.end_again_and_again("three encoders", self.words("in.mkv", "--jobs", "3"))

    def test_in_order(self):
        self.end_again_and_again("in order of time", self.words("long.mp4", "--jobs", "2", "--frames", "190"))

    def test_y4m(self):
        self.end_again_and_again("y4m", self.words("in.y4m", "--jobs", "2"))

    def test_pattern(self):
        self.end_again_and_again("pattern", self.words("pattern:192x108@25#200", "--jobs", "2"))

    def test_keep_unchanged(self):
        """The first two seconds are copied, which is never kept."""
        self.end_again_and_again("with --keep-unchanged", self.words(
            "in.mkv", "--jobs", "2", "--keep-unchanged", kernel="box:between=2.5s-7.5s"))

    def test_power_cuts(self):
        self.end_again_and_again("power cuts", self.words("in.mkv", "--jobs", "2"), power=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=1)
