"""A folder that is watched: what comes into it in which way, and what becomes of it.

watch_test.py VIDCONV FAULTS [TEST ...]
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from watched import FILTER, LIMIT, LOOKED_AT, PROGRAM, WatchTest, film  # noqa: E402


class Watch(WatchTest):
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
        os.link(self.into / "moved.y4m", self.into / "link.y4m")  # inotify calls it made, and never closed
        self.wait_for_words("in/link.y4m: 3 frames")
        os.symlink("new.y4m", self.into / "symbolic.y4m")
        self.wait_for_words("'in/symbolic.y4m' is left out: it is a link")
        self.end()
        expected = {"old.nut": old, "new.nut": new, "moved.nut": moved, "link.nut": moved}
        self.assertEqual(self.outputs(), {name: self.filtered(content) for name, content in expected.items()})
        self.assertIn("1 files are left out", self.said())
        self.assertIn("4 of 4 files done", self.said())
        self.assertIn('"exit_code": 0', (self.folder / "stats/new.json").read_text())

        # It goes on by what has happened meanwhile.
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
            if times == 2:  # another file of that name
                (self.folder / "a").write_bytes(content)
                os.rename(self.folder / "a", name)
            else:
                name.write_bytes(content)
            self.wait_for_words("in/a.y4m: 3 frames", times)
            self.assertEqual(self.outputs(), {"a.nut": self.filtered(content)})
        (self.into / "b.y4m").write_bytes(b"broken")
        self.wait_for_words("in/b.y4m: cannot")
        time.sleep(LOOKED_AT)  # it has been looked at again
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
                time.sleep(LOOKED_AT)  # longer than what is not seen to be written has to stay
                (self.into / "gone.y4m").unlink()
                self.assertEqual(self.outputs(), {})
                for file in (before, slow, renamed):
                    file.write(content[5000:])
        for name in ("before", "slow", "renamed"):
            self.wait_for_words(f"in/{name}.y4m: 9 frames")
        self.end()
        expected = self.filtered(content)
        self.assertEqual(self.outputs(), {f"{name}.nut": expected for name in ("before", "slow", "renamed")})
        self.assertIn("3 of 3 files done\n", self.said())

    def test_where_nobody_tells_who_writes_a_file_has_to_stay_as_it_is(self):
        """As on network file systems, and where there is no inotify."""
        slow, new = film(self.chance, 9), film(self.chance)
        for refused in ("fstatfs=38,inotify_init1=24", "fstatfs=38"):
            with self.subTest(refused=refused):
                self.log.unlink(missing_ok=True)
                shutil.rmtree(self.out, ignore_errors=True)
                with open(self.into / "a.y4m", "wb", 0) as file:
                    self.begin(refused=refused)
                    for at in range(0, len(slow), 2000):
                        file.write(slow[at:at + 2000])
                        time.sleep(1)
                    self.assertEqual(self.outputs(), {})
                self.wait_for_words("in/a.y4m: 9 frames")
                self.assertEqual(self.said().count("inotify does not watch 'in'"), refused.count("inotify"))
                (self.into / "a.y4m").write_bytes(new)
                self.wait_for_words("in/a.y4m: 3 frames")
                self.end()
                self.assertEqual(self.outputs(), {"a.nut": self.filtered(new)})
                self.assertIn("2 of 2 files done\n", self.said())

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
        files = pathlib.Path(f"/proc/{self.process.pid}/fd")
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
            time.sleep(LOOKED_AT)
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
        time.sleep(LOOKED_AT)
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
        self.assertEqual(self.process.wait(LIMIT), 3)
        self.assertIn("[input-missing]", self.said())

    def test_an_overflowing_queue_leads_to_a_look(self):
        most = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text())
        if most > 200000:
            self.skipTest(f"{most} events would have to be made")
        self.begin()
        self.process.send_signal(signal.SIGSTOP)
        names = [self.into / "a.txt", self.into / "b.txt"]
        for i in range(most + 10):  # two that are alike and follow each other are one
            with open(names[i % 2], "wb"):
                pass
        content = film(self.chance)
        (self.into / "a.y4m").write_bytes(content)
        self.process.send_signal(signal.SIGCONT)
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
        time.sleep(60)
        self.wait_for_words("in/a.y4m: 3 frames")
        self.end()

    def test_what_may_not_be_read_is_named_and_stops_nothing(self):
        # Root may read everything, unless it starts a program without that right.
        program = [PROGRAM]
        if os.geteuid() == 0:
            program = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", PROGRAM]
        hidden = [self.into / name for name in ("sub", "sub2")]
        for folder in hidden:
            folder.mkdir()
            (folder / "b.y4m").write_bytes(film(self.chance))
        secret = self.into / "secret.y4m"
        contents = {name: film(self.chance) for name in ("secret", "a", "later")}
        for name in ("secret", "a"):
            (self.into / f"{name}.y4m").write_bytes(contents[name])
        for path in (secret, hidden[0]):
            path.chmod(0)
        self.begin("--recursive", program=program)
        self.wait_for_words("cannot read the folder 'in/sub': Permission denied [input-missing]")
        self.wait_for_words("in/secret.y4m: cannot open the input 'in/secret.y4m': Permission denied [input-missing]")
        hidden[1].chmod(0)
        self.wait_for_words("cannot read the folder 'in/sub2': Permission denied [input-missing]")
        (self.into / "later.y4m").write_bytes(contents["later"])
        self.wait_for_words("in/later.y4m: 3 frames")
        time.sleep(LOOKED_AT)  # all has been looked at again
        self.assertEqual(self.said().count("Permission denied"), 3, self.said())
        secret.chmod(0o644)
        self.wait_for_words("in/secret.y4m: 3 frames")
        for folder in hidden:
            folder.chmod(0o755)
        self.wait_for_words("in/sub/b.y4m: 3 frames")
        self.end()
        outputs = self.outputs()
        for name, content in contents.items():
            self.assertEqual(outputs[f"{name}.nut"], self.filtered(content))

    def test_a_signal_leaves_nothing_half(self):
        one = film(self.chance, 1)
        (self.into / "long.y4m").write_bytes(one + one[one.index(b"FRAME"):] * 20000)
        self.begin()
        self.wait_for(lambda: any("/in/long.y4m" in os.path.realpath(p)
                                  for p in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()), "at work")
        time.sleep(0.2)
        self.end()
        self.assertIn("in/long.y4m: interrupted: there is no output [interrupted]", self.said())
        self.assertEqual(list(self.out.iterdir()), [])

    def test_refusals(self):
        (self.into / "a.y4m").write_bytes(film(self.chance))
        good = ["-o", "out/{stem}.nut"]
        for words, code, parts in [
                (["in/a.y4m", *good], 2, ["INPUT", "in/a.y4m", "folder"]),
                (["nowhere", *good], 3, ["nowhere", "no such folder", "[input-missing]"]),
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
