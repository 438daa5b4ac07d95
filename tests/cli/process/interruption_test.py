"""Interrupts every mode of the command at moments of its own choice, from its start to its end: every second time where
one of its threads begins a system call, else after so many microseconds.

interruption_test.py VIDCONV INTERRUPTER [RUNS]: RUNS of each mode, and the seed (VIDCONV_SEED) says which. Nothing
crashes, nothing is left, and an older output is as it was or a new one plays. Of many runs a table is printed:

    tests/cli/process/interruption_test.py build/release/vidconv build/release/tests/cli/vidconv_interrupter 2000
"""
import collections
import fcntl
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PROGRAM, INTERRUPTER = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
OLD = b"precious"
MOST_SECONDS = 300  # a traced run on a busy machine takes over a minute
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for programs started with '&'


class Interruption(unittest.TestCase):
    figures = {}  # the outcomes of each mode's runs

    @classmethod
    def tearDownClass(cls):
        if RUNS < 100:
            return
        print("\n| mode | runs | interrupted | done before | crashed or left something |\n| --- | ---: | ---: | ---: | ---: |")
        for mode, ends in cls.figures.items():
            print(f"| {mode} | {sum(ends.values())} | {ends['interrupted']} | {ends['done']} | {ends['failed']} |")

    def setUp(self):
        self.chance = random.Random(SEED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-interrupted-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=128x72:d=1", "-f", "lavfi", "-i", "sine=d=1",
             "-c:v", "libx264", "-g", "6", "-c:a", "aac", "in.mkv"], cwd=self.folder, check=True)
        self.film = (self.folder / "in.mkv").read_bytes()

    def run_in(self, words, **more):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=MOST_SECONDS, **more)

    def run_until(self, words, seconds, number):
        """Runs a command that gets the signal after that time, and returns its exit code as in a shell."""
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True) as run:
            time.sleep(seconds)
            run.send_signal(number)
            _, err = run.communicate(timeout=MOST_SECONDS)
        code = run.returncode if run.returncode >= 0 else 128 - run.returncode
        return subprocess.CompletedProcess(words, code, "", err)

    def begin_anew(self, *outputs):
        for entry in self.folder.iterdir():
            if entry.name == "in.mkv":
                continue
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for output in outputs:
            (self.folder / output).parent.mkdir(exist_ok=True)
            (self.folder / output).write_bytes(OLD)

    def check(self, run, what, outputs, number):
        self.assertIn(run.returncode, (0, 128 + number), f"{what}, seed {SEED}: {run.stderr}")
        left = {str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file()}
        self.assertEqual({name for name in left if ".part" in name}, set(), what)
        for output in outputs:
            data = (self.folder / output).read_bytes()
            if data == OLD:
                self.assertEqual(run.returncode, 128 + number, what)
                continue
            judged = self.run_in(["ffmpeg", "-v", "error", "-xerror", "-i", output, "-f", "null", "-"])
            self.assertEqual((judged.returncode, judged.stderr), (0, ""), f"{what}, seed {SEED}: {output}")
        return left

    def sweep(self, words, outputs=(), before=lambda: None, expected=None):
        """Interrupts one mode RUNS times."""
        self.begin_anew(*outputs)
        before()
        whole = self.run_in([INTERRUPTER, "1000000000", "15", PROGRAM, *words])
        self.assertEqual(whole.returncode, 0, whole.stderr)
        calls = int(whole.stderr.split("interrupter: ")[1].split()[0])
        self.begin_anew(*outputs)
        before()
        begun = time.monotonic()
        self.assertEqual(self.run_in([PROGRAM, *words]).returncode, 0)
        seconds = time.monotonic() - begun
        ends = self.figures.setdefault(self.id().rpartition("test_")[2], collections.Counter())
        for i in range(RUNS):
            self.begin_anew(*outputs)
            before()
            number = self.chance.choice([signal.SIGTERM, signal.SIGINT])
            if i % 2 == 0:
                moment = self.chance.randrange(calls)
                run = self.run_in([INTERRUPTER, str(moment), str(int(number)), PROGRAM, *words])
            else:
                moment = self.chance.uniform(0, seconds)
                run = self.run_until(words, moment, number)
            ends["failed"] += 1
            left = self.check(run, f"{moment} of {words}", outputs, number)
            if expected:
                expected(left)
            ends["failed"] -= 1
            ends["done" if run.returncode == 0 else "interrupted"] += 1

    def test_command(self):
        self.sweep(["in.mkv", "-o", "out.mkv", "-y", "--kernel", "box", "-q"], ["out.mkv"])

    def test_what_is_ignored_stays_so(self):
        """A run goes on to its end if the signal is ignored, as nohup and scripts with '&' want it."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.begin_anew()
            run = self.run_in([INTERRUPTER, "700", str(int(number)), PROGRAM, "in.mkv", "-o", "out.mkv", "--kernel",
                               "box", "-q"], preexec_fn=lambda number=number: signal.signal(number, signal.SIG_IGN))
            self.assertEqual((run.returncode, run.stderr), (0, ""), number)
            self.assertTrue((self.folder / "out.mkv").exists())

    def test_start_within(self):
        self.sweep(["in.mkv", "-o", "out.mkv", "-y", "--kernel", "box", "-q", "--start", "0.6"], ["out.mkv"])

    def test_shards(self):
        self.sweep(["in.mkv", "-o", "out.mkv", "-y", "--kernel", "box", "-q", "--shards", "3", "--jobs", "3"],
                   ["out.mkv"])

    def test_every_video(self):
        self.sweep(["in.mkv", "-o", "out.mkv", "-y", "--kernel", "box", "-q", "--video", "all", "--measure", "psnr"],
                   ["out.mkv"])

    def test_target(self):
        self.sweep(["in.mkv", "-o", "out.mkv", "-y", "--kernel", "box", "-q", "--target", "psnr=40"], ["out.mkv"])

    def test_batch(self):
        def several():
            for name in ("a", "b", "c"):
                shutil.copy(self.folder / "in.mkv", self.folder / f"{name}.mkv")
        self.sweep(["a.mkv", "b.mkv", "c.mkv", "-o", "{stem}-out.mkv", "-y", "--kernel", "box", "-q", "--jobs", "2"],
                   [f"{name}-out.mkv" for name in "abc"], several)

    def plan(self):
        done = self.run_in([PROGRAM, "plan", "in.mkv", "-o", "out.mkv", "-y", "--kernel", "box", "--shards", "2",
                            "--dir", "job", "-q"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_plan(self):
        self.sweep(["plan", "in.mkv", "-o", "out.mkv", "--kernel", "box", "--shards", "2", "--dir", "job", "--exact"])

    def test_shard(self):
        def whole_or_none(left):  # a ledger is written last
            ledgers = [name for name in left if name.startswith("job/parts/") and name.endswith(".json")]
            self.assertTrue(all(name[:-5] + ".nut" in left for name in ledgers), left)
        self.sweep(["shard", "1", "job", "--progress", "none"], (), self.plan, whole_or_none)

    def test_join(self):
        def parts():
            self.plan()
            for part in ("0", "1"):
                self.run_in([PROGRAM, "shard", part, "job", "-q"])
        self.sweep(["join", "job", "-o", "out.mkv", "-y"], ["out.mkv"], parts)

    @staticmethod
    def handles_and_waits(process):
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        handled = int(status.split("SigCgt:")[1].split()[0], 16)
        return handled & 1 << signal.SIGTERM - 1 and "State:\tS" in status

    def test_pipes_that_nobody_opens(self):
        """A signal ends a run that waits for whoever reads its report or its output, or writes its list of inputs."""
        for name in ("pipe", "pipe.png"):
            os.mkfifo(self.folder / name)
        filtered = ["in.mkv", "-o", "out.mkv", "-y", "--kernel", "box"]
        reports = [[*filtered, option, "pipe"] for option in ("--stats", "--metrics", "--report", "--trace", "--audit")]
        for words in (*reports, [*filtered, "--measure", "psnr", "--measure-log", "pipe"],
                      ["in.mkv", "-o", "pipe", "-y", "--format", "nut", "--kernel", "box"],
                      ["in.mkv", "-o", "pipe.png", "-y", "--gallery"],
                      ["--files-from", "pipe", "-o", "{stem}.out.mkv", "--kernel", "box"]):
            with self.subTest(words), subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                                       stderr=subprocess.PIPE, text=True) as run:
                try:
                    while not self.handles_and_waits(run.pid):
                        self.assertIsNone(run.poll(), words)
                    run.send_signal(signal.SIGTERM)
                    _, said = run.communicate(timeout=30)
                    self.assertEqual(run.returncode, 143, said)
                    self.assertIn("[interrupted]", said)
                finally:
                    run.kill()
            self.assertFalse((self.folder / "out.mkv").exists(), words)

    def test_beginning_of_an_input_that_waits(self):
        """A signal ends a run while the beginning of its input is incomplete, whatever the input's format is."""
        copy = ["-c", "copy"]
        made = {"in.mkv": copy, "in.mp4": [*copy, "-movflags", "frag_keyframe+empty_moov"], "in.ts": copy,
                "in.webm": ["-c:v", "libvpx", "-an"], "in.avi": ["-c:v", "mjpeg"], "in.y4m": ["-an"]}
        for name, encoding in made.items():
            if name != "in.mkv":
                subprocess.run(["ffmpeg", "-v", "error", "-i", "in.mkv", *encoding, name], cwd=self.folder, check=True)
            data = (self.folder / name).read_bytes()
            for size in (0, 20, 1000, 3000, len(data) // 2):
                for words in ([], ["--start", "0.5"]):
                    self.wait_and_stop(name, data[:size], words)

    def wait_and_stop(self, name, data, words):
        what = f"{name}, {len(data)} bytes, {words}"
        (self.folder / "out.mkv").unlink(missing_ok=True)
        with subprocess.Popen([PROGRAM, "-", "-o", "out.mkv", "--kernel", "matrix:1 1;1 1", *words], cwd=self.folder,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            try:
                self.assertIn(b"[gain]", run.stderr.readline(), what)  # printed before anything is read
                run.stdin.write(data)
                run.stdin.flush()
                while run.poll() is None and struct.unpack("i", fcntl.ioctl(run.stdin, termios.FIONREAD, bytes(4)))[0]:
                    os.sched_yield()  # until it has taken all and waits for more
                run.send_signal(signal.SIGTERM)
                self.assertEqual(run.wait(MOST_SECONDS), 143, what)
            finally:
                run.kill()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
