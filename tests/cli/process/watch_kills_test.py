"""A watched folder into which files come in every way, while the command is killed and started again.

watch_kills_test.py VIDCONV [FILES [ENDS]]: each whole file is filtered once. The seed (VIDCONV_SEED) says how each comes, and
when the command is killed: now and then while they come, or ENDS times, over which their coming is spread. Of many files a line
says what became of them:

    tests/cli/process/watch_kills_test.py build/release/vidconv 1000 200
"""
import collections
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from watched import FILTER, LIMIT, LOOKED_AT, PROGRAM, SEED, WatchTest, film  # noqa: E402

FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 60
ENDS = int(sys.argv[3]) if len(sys.argv) > 3 else 0


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
        kind = self.chance.choice(["moved", "written", "slow", "slow", "renamed", "renamed-open", "removed",
                                   "removed-open", "broken", "mended", "again", "again-slow", "below"])
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
                    coming, its_turn = todo.pop(), ENDS * (FILES - len(todo)) / FILES - 1
                while sum(self.starts.values()) < its_turn:
                    time.sleep(0.02)
                self.come(*coming)

        writers = [threading.Thread(target=write) for _ in range(self.WRITERS)]
        test.start("--recursive", "--jobs", "2")
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers) or sum(self.starts.values()) < ENDS:
            time.sleep(self.chance.uniform(0.2, 2.5) if not ENDS else self.chance.choice([0, 0.1, 0.3, 1]) * self.chance.random())
            number = self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
            test.process.send_signal(number)
            test.assertIn(test.process.wait(LIMIT), (-number, 128 + number), test.said()[-3000:])
            self.starts[number.name] += 1
            time.sleep(self.chance.choice([0, 0.5]))
            test.start("--recursive", "--jobs", "2")
        for writer in writers:
            writer.join()
        expected = self.expected()
        whole = lambda: all(test.outputs().get(name) == content for name, content in expected.items())
        test.wait_for(whole, "outputs")
        time.sleep(LOOKED_AT)  # and it is looked at once more
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
            print(f"\n{FILES} files ({dict(self.kinds)}), {runs} starts ({dict(self.starts)}): {len(expected)} outputs "
                  f"wanted and there, {sum(done.values())} made by {len(done)} inputs, seed {SEED}")


class WatchKills(WatchTest):
    def test_each_whole_file_is_filtered_once(self):
        Comings(self).check()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
