"""A folder that is watched: files that come in every way, while the command is killed and started again.

watch_test.py VIDCONV [FILES]: so many files, and the seed (VIDCONV_SEED) says how each comes and when it is killed. A table
says what became of them:

    tests/cli/process/watch_test.py build/release/vidconv 1000
"""
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 60
SEED = int(os.environ.get("VIDCONV_SEED", random.randrange(1 << 31)))
FILTER = ["--kernel", "box", "--codec", "ffv1"]
LIMIT = 60  # seconds, for what takes one of them on an idle machine


def film(chance, frames=3):
    """A video of which no other has the content, whole at the end of each of its frames."""
    pictures = (b"FRAME\n" + chance.randbytes(32 * 24 * 3 // 2) for _ in range(frames))
    return b"YUV4MPEG2 W32 H24 F25:1 C420mpeg2\n" + b"".join(pictures)


class Watch(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(SEED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-watched-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.into, self.out = self.folder / "in", self.folder / "out"
        self.into.mkdir()
        self.log = self.folder / "log"
        self.run = None
        self.addCleanup(self.kill)

    def start(self, *words, output="out/{stem}.nut"):
        with open(self.log, "ab") as log:
            self.run = subprocess.Popen([PROGRAM, "in", "--watch", "-o", output, *FILTER, *words], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stderr=log)
        return self.run

    def kill(self):
        if self.run and self.run.poll() is None:
            self.run.kill()
            self.run.wait()

    def end(self, number=signal.SIGTERM):
        self.run.send_signal(number)
        self.assertEqual(self.run.wait(LIMIT), 128 + number, self.said())

    def said(self):
        return self.log.read_text() if self.log.exists() else ""

    def wait_for(self, condition, what):
        until = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), until, f"{what}, seed {SEED}: {self.said()[-3000:]}")
            self.assertIsNone(self.run.poll(), f"{what}, seed {SEED}: {self.said()[-3000:]}")
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

    def test_what_is_there_and_what_comes(self):
        old, new, newer, moved = (film(self.chance) for _ in range(4))
        (self.into / "old.y4m").write_bytes(old)
        (self.into / "notes.txt").write_text("notes")
        self.begin("--stats", "stats/{stem}.json")
        self.wait_for_words("in/old.y4m: 3 frames")
        (self.into / "new.y4m").write_bytes(new)
        self.wait_for_words("in/new.y4m: 3 frames")
        (self.folder / "moved").write_bytes(moved)
        os.rename(self.folder / "moved", self.into / "moved.y4m")
        self.wait_for_words("in/moved.y4m: 3 frames")
        os.link(self.into / "moved.y4m", self.into / "link.y4m")  # which inotify calls made, and never closed
        self.wait_for_words("in/link.y4m: 3 frames")
        os.symlink("new.y4m", self.into / "symbolic.y4m")
        self.wait_for_words("'in/symbolic.y4m' is left out: it is a link")
        self.end()
        expected = {"old.nut": old, "new.nut": new, "moved.nut": moved, "link.nut": moved}
        self.assertEqual(self.outputs(), {name: self.filtered(content) for name, content in expected.items()})
        self.assertIn("1 files are left out", self.said())
        self.assertIn("4 of 4 files done", self.said())
        self.assertIn('"exit_code": 0', (self.folder / "stats/new.json").read_text())

        # The same again, by what has happened meanwhile.
        (self.into / "new.y4m").write_bytes(newer)
        self.begin()
        self.wait_for_words("in/new.y4m: 3 frames", 2)
        self.wait_for_words("done before", 3)
        self.end(signal.SIGINT)
        self.assertEqual(self.outputs()["new.nut"], self.filtered(newer))
        self.assertIn("1 of 4 files done, 3 had been done before", self.said())
        # Others are not replaced unasked.
        self.begin("--frames", "1")
        self.wait_for_words("[output-exists]", 4)
        self.end(signal.SIGHUP)

    def test_new_content_is_filtered_again_and_broken_content_once(self):
        self.begin()
        name = self.into / "a.y4m"
        for times in (1, 2, 3):
            name.write_bytes(b"broken" * times)
            self.wait_for_words("in/a.y4m: cannot", times)
        for times in (1, 2, 3):
            content = film(self.chance)
            if times == 2:  # of the same name, but another file
                (self.folder / "a").write_bytes(content)
                os.rename(self.folder / "a", name)
            else:
                name.write_bytes(content)
            self.wait_for_words("in/a.y4m: 3 frames", times)
            self.assertEqual(self.outputs(), {"a.nut": self.filtered(content)})
        (self.into / "b.y4m").write_bytes(b"broken")
        self.wait_for_words("in/b.y4m: cannot")
        time.sleep(6)  # it has been looked at again
        with open(name, "ab"), open(self.into / "b.y4m", "ab"):
            pass  # opened, and closed as they were
        (self.into / "c.y4m").write_bytes(film(self.chance))
        self.wait_for_words("in/c.y4m: 3 frames")
        self.end()
        self.assertEqual([self.said().count(f"in/{n}.y4m: ") for n in "abc"], [6, 1, 1], self.said())

    def test_slow_writers_are_waited_for(self):
        content = film(self.chance, 9)
        self.into.joinpath("before.y4m").touch()
        with open(self.into / "before.y4m", "ab", 0) as before:  # open before the watch begins
            before.write(content[:5000])
            self.begin()
            with open(self.into / "slow.y4m", "wb", 0) as slow, open(self.into / "name.y4m", "wb", 0) as renamed, \
                    open(self.into / "gone.y4m", "wb", 0) as gone:
                for file in (slow, renamed, gone):
                    file.write(content[:5000])
                os.rename(self.into / "name.y4m", self.into / "renamed.y4m")
                time.sleep(6.5)  # longer than what is not seen to be written has to stay
                (self.into / "gone.y4m").unlink()
                self.assertEqual(self.outputs(), {})
                for file in (before, slow, renamed):
                    file.write(content[5000:])
        for name in ("before", "slow", "renamed"):
            self.wait_for_words(f"in/{name}.y4m: 9 frames")
        self.end()
        self.assertEqual(self.outputs(), dict.fromkeys(["before.nut", "slow.nut", "renamed.nut"], self.filtered(content)))
        self.assertIn("3 of 3 files done\n", self.said())

    def test_an_input_that_is_written_to_meanwhile_makes_no_output(self):
        pictures = 4000
        old, new = (film(self.chance, 1) for _ in range(2))
        first = old + old[old.index(b"FRAME"):] * pictures
        self.begin()
        (self.into / "a.y4m").write_bytes(first)
        self.wait_for(lambda: self.out.exists() and self.is_at_work(), "at work")
        with open(self.into / "a.y4m", "r+b") as file:
            file.write(new)
        self.wait_for_words("in/a.y4m: 4001 frames")
        self.end()
        self.assertIn("written to meanwhile", self.said())
        self.assertEqual(self.outputs(), {"a.nut": self.filtered(new + first[len(new):])})

    def is_at_work(self):
        files = pathlib.Path(f"/proc/{self.run.pid}/fd")
        links = []
        for file in files.iterdir():
            try:
                links.append(os.readlink(file))
            except OSError:
                pass
        return any("/in/a.y4m" in link for link in links) and any("/out/" in link for link in links)

    def test_outputs_in_the_folder_are_no_inputs(self):
        (self.into / "a.y4m").write_bytes(film(self.chance))
        (self.into / "b.out.nut").write_bytes(b"mine")
        for _ in range(2):
            self.begin(output="in/{stem}.out.nut")
            time.sleep(6)
            (self.into / "b.y4m").write_bytes(film(self.chance))
            self.wait_for_words("cannot write the output of 'in/b.y4m' 'in/b.out.nut'")
            (self.into / "c.y4m").write_bytes(film(self.chance))
            self.wait_for_words("in/c.y4m: 3 frames")
            self.end()
        self.assertEqual(self.times_done("a.y4m"), 1)
        self.assertEqual((self.into / "b.out.nut").read_bytes(), b"mine")
        self.assertEqual(set(self.outputs("in")), {"a.out.nut", "b.out.nut", "c.out.nut"})
        (self.into / "sub").mkdir()
        self.begin("--recursive", output="in/done/{stem}.nut")
        (self.into / "d.y4m").write_bytes(film(self.chance))
        self.wait_for_words("in/d.y4m: 3 frames")
        time.sleep(6)
        self.end()
        self.assertNotIn("in/done/d.nut: ", self.said())

    def test_folders_below(self):
        self.begin("--recursive")
        (self.into / "s/t").mkdir(parents=True)
        (self.into / "s/t/a.y4m").write_bytes(film(self.chance))
        self.wait_for_words("in/s/t/a.y4m: 3 frames")
        os.rename(self.into / "s", self.into / "r")
        (self.into / "r/t/b.y4m").write_bytes(film(self.chance))
        self.wait_for_words("in/r/t/b.y4m: 3 frames")
        shutil.rmtree(self.into / "r")
        (self.into / "c.y4m").write_bytes(film(self.chance))
        self.wait_for_words("in/c.y4m: 3 frames")
        self.assertLessEqual({"s/t/a.nut", "r/t/b.nut", "c.nut"}, set(self.outputs()))
        shutil.rmtree(self.into)
        self.assertEqual(self.run.wait(LIMIT), 3)
        self.assertIn("[input-missing]", self.said())

    def test_an_overflowing_queue_leads_to_a_look(self):
        most = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text())
        if most > 200000:
            self.skipTest(f"{most} events would have to be made")
        self.begin()
        self.run.send_signal(signal.SIGSTOP)
        names = [self.into / "a.txt", self.into / "b.txt"]
        for i in range(most + 10):  # two that are alike and follow each other are one
            with open(names[i % 2], "wb"):
                pass
        content = film(self.chance)
        (self.into / "a.y4m").write_bytes(content)
        self.run.send_signal(signal.SIGCONT)
        self.wait_for_words("in/a.y4m: 3 frames")
        (self.into / "b.y4m").write_bytes(content)
        self.wait_for_words("in/b.y4m: 3 frames")
        self.end()
        self.assertEqual((self.times_done("a.y4m"), self.times_done("b.y4m")), (1, 1))

    def test_what_fails_by_no_fault_of_the_input_is_tried_again(self):
        self.out.mkdir()
        (self.out / "a.nut").write_bytes(b"mine")
        (self.into / "a.y4m").write_bytes(film(self.chance))
        self.begin()
        self.wait_for_words("[output-exists]")
        (self.out / "a.nut").unlink()
        if FILES < 1000:  # it takes a minute
            self.end()
            return
        until = time.monotonic() + 70
        while self.times_done("a.y4m") == 0 and time.monotonic() < until:
            time.sleep(0.1)
        self.end()
        self.assertEqual(self.times_done("a.y4m"), 1)

    def test_a_signal_leaves_nothing_half(self):
        one = film(self.chance, 1)
        (self.into / "long.y4m").write_bytes(one + one[one.index(b"FRAME"):] * 20000)
        self.begin()
        self.wait_for(lambda: any("/in/long.y4m" in os.path.realpath(p)
                                  for p in pathlib.Path(f"/proc/{self.run.pid}/fd").iterdir()), "at work")
        time.sleep(0.2)
        self.end()
        self.assertIn("in/long.y4m: interrupted: there is no output [interrupted]", self.said())
        self.assertEqual(list(self.out.iterdir()), [])

    def test_refusals(self):
        (self.into / "a.y4m").write_bytes(film(self.chance))
        good = ["-o", "out/{stem}.nut"]
        for words, code, parts in [
                (["in/a.y4m", *good], 2, ["INPUT", "in/a.y4m", "folder"]),
                (["nowhere", *good], 3, ["nowhere", "not there", "[input-missing]"]),
                (["-", *good], 3, ["'-'"]),
                (["pattern:32x24", *good], 3, ["pattern:32x24"]),
                (["in", "out", *good], 2, ["--watch", "one folder"]),
                (["in", "-o", "out.nut"], 2, ["--output", "out.nut", "{stem}"]),
                (["in", "-o", "out/{n}.nut"], 2, ["--output", "out/{n}.nut", "{stem}"]),
                (["in", *good, "--stats", "r.json"], 2, ["--stats", "r.json"]),
                (["in", *good, "--stats", "{n}.json"], 2, ["--stats", "{n}.json"]),
                (["in", "-o", "null:"], 2, ["--output", "null:"]),
                (["in", "-o", "md5:"], 2, ["--output", "md5:"]),
                (["in", "-o", "-"], 2, ["--output", "-"]),
                (["in"], 2, ["--output"]),
                (["in", *good, "--files-from", "list"], 2, ["--files-from", "list"]),
                (["in", *good, "--gallery"], 2, ["--gallery"]),
                (["in", *good, "--explain"], 2, ["--explain"]),
                (["in", *good, "--benchmark"], 2, ["--benchmark"]),
                (["in", *good, "--target", "psnr=40"], 2, ["--target"]),
                (["in", *good, "--report", "r.html"], 2, ["--report"]),
                (["in", *good, "--latency", "100"], 2, ["--latency"]),
                (["in", "-o", "in/{stem}.out.nut", "-y"], 2, ["-y", "watched"]),
                (["in", "-o", "{stem}/x.nut", "-y"], 2, ["-y", "watched"])]:
            with self.subTest(words=words):
                run = subprocess.run([PROGRAM, *words, "--watch", "--kernel", "box"], cwd=self.folder, check=False,
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
                self.assertEqual((run.returncode, run.stderr.count("\n")), (code, 1), run.stderr)
                for part in parts:
                    self.assertIn(part, run.stderr)
                self.assertEqual({p.name for p in self.folder.iterdir()}, {"in"})

    def test_each_whole_file_once_through_kills(self):
        Comings(self).check()


class Comings:
    """FILES that come each in its own way, from several writers, while the command is killed and started again."""
    WRITERS = 6

    def __init__(self, test):
        self.test, self.chance = test, test.chance
        self.wanted = {}  # the last content by the output's name
        self.versions = collections.Counter()  # contents by the input's name
        self.allowed = set()  # outputs that may be there, of inputs that were there for a moment
        self.kinds = collections.Counter()
        self.starts = collections.Counter()
        self.broken = set()
        self.lock = threading.Lock()

    def plan(self, number):
        kind = self.chance.choice(["moved", "written", "slow", "slow", "renamed", "renamed-open", "removed", "removed-open",
                                   "broken", "mended", "again", "again-slow", "below"])
        self.kinds[kind] += 1
        return kind, f"{number:04}", [film(self.chance) for _ in range(2)], random.Random(self.chance.random())

    def come(self, kind, stem, films, chance):
        into = self.test.into
        path = into / f"{stem}.y4m"

        def slowly(path, content):
            with open(path, "wb", 0) as file:
                while content:
                    size = chance.randrange(1, 3000)
                    file.write(content[:size])
                    content = content[size:]
                    time.sleep(chance.choice([0, 0.02, 0.3]))

        def moved(path, content):
            away = self.test.folder / f"{stem}.away"
            away.write_bytes(content)
            os.rename(away, path)

        def want(name, content, versions=1):
            with self.lock:
                self.wanted[name + ".nut"] = content
                self.versions[name + ".y4m"] += versions

        if kind == "moved":
            want(stem, films[0])
            moved(path, films[0])
        elif kind == "written":
            want(stem, films[0])
            path.write_bytes(films[0])
        elif kind == "slow":
            want(stem, films[0])
            slowly(path, films[0])
        elif kind == "renamed":  # whole before, so that either name may have its output
            want(stem + "b", films[0])
            with self.lock:
                self.allowed.add(stem + ".nut")
                self.versions[stem + ".y4m"] += 1
            path.write_bytes(films[0])
            time.sleep(chance.choice([0, 0.05]))
            os.rename(path, into / f"{stem}b.y4m")
        elif kind == "renamed-open":
            want(stem + "b", films[0])
            with open(path, "wb", 0) as file:
                file.write(films[0][:2000])
                time.sleep(0.3)
                os.rename(path, into / f"{stem}b.y4m")
                time.sleep(0.3)
                file.write(films[0][2000:])
        elif kind == "removed":
            with self.lock:
                self.allowed.add(stem + ".nut")
                self.versions[stem + ".y4m"] += 1
            path.write_bytes(films[0])
            time.sleep(chance.choice([0, 0.05]))
            path.unlink()
        elif kind == "removed-open":
            with open(path, "wb", 0) as file:
                file.write(films[0][:3000])
                time.sleep(0.3)
                path.unlink()
        elif kind in ("broken", "mended"):
            path.write_bytes(chance.randbytes(500))
            with self.lock:
                self.broken.add(path.name)
            if kind == "mended":
                time.sleep(chance.choice([0, 0.5]))
                want(stem, films[0])
                path.write_bytes(films[0])
        elif kind in ("again", "again-slow"):
            path.write_bytes(films[1])
            time.sleep(chance.choice([0, 0.5]))
            want(stem, films[0], 2)
            (moved if kind == "again" else slowly)(path, films[0])
        elif kind == "below":
            (into / stem).mkdir()
            with self.lock:
                self.wanted[f"{stem}/x.nut"] = films[0]
                self.versions[f"{stem}/x.y4m"] += 1
            slowly(into / stem / "x.y4m", films[0])

    def check(self):
        test = self.test
        todo = [self.plan(number) for number in range(FILES)]

        def write():
            while True:
                with self.lock:
                    if not todo:
                        return
                    coming = todo.pop()
                self.come(*coming)

        writers = [threading.Thread(target=write) for _ in range(self.WRITERS)]
        test.start("--recursive", "--jobs", "2")
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            time.sleep(self.chance.uniform(0.2, 2.5))
            number = self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
            test.run.send_signal(number)
            test.assertIn(test.run.wait(LIMIT), (-number, 128 + number), test.said()[-3000:])
            self.starts[number.name] += 1
            time.sleep(self.chance.choice([0, 0.5]))
            test.start("--recursive", "--jobs", "2")
        for writer in writers:
            writer.join()
        expected = self.expected()
        whole = lambda: all(test.outputs().get(name) == content for name, content in expected.items())
        test.wait_for(whole, "outputs")
        time.sleep(6)  # and it is looked at once more
        test.end()
        self.judge(expected)

    def expected(self):
        """What one run of all that is wanted makes of it, without being disturbed."""
        alone = self.test.folder / "alone"
        for name, content in self.wanted.items():
            path = (alone / "in" / name).with_suffix(".y4m")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        subprocess.run([PROGRAM, "in", "--recursive", "-o", "out/{stem}.nut", "-q", *FILTER], cwd=alone, check=True)
        return self.test.outputs("alone/out")

    def judge(self, expected):
        test = self.test
        outputs = test.outputs()
        test.assertEqual({n: c for n, c in outputs.items() if n in expected}, expected)
        test.assertLessEqual(set(outputs) - set(expected), self.allowed, f"seed {SEED}")
        left = [str(p) for p in test.out.rglob("*") if p.is_file() and p.suffix != ".nut"]
        test.assertEqual(left, [], f"seed {SEED}")
        done = collections.Counter(re.findall(r"vidconv: in/(\S+): \d+ frames .*-> out/", test.said()))
        for name, times in done.items():
            test.assertLessEqual(times, self.versions[name], f"{name}, seed {SEED}: {test.said()}")
        runs = sum(self.starts.values()) + 1
        refused = collections.Counter(re.findall(r"vidconv: in/(\S+): [^\n]*\[input-unreadable\]", test.said()))
        for name in self.broken:
            test.assertLessEqual(refused[name], runs, f"{name}, seed {SEED}")
        if FILES >= 200:
            print(f"\n{FILES} files ({dict(self.kinds)}), {runs} starts ({dict(self.starts)}): {len(expected)} outputs wanted and "
                  f"there, {sum(done.values())} made by {len(done)} inputs, seed {SEED}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
