"""Shared by the tests of shards on many hosts: vidconv as a process, and clips made by ffmpeg."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else "vidconv"

DONE, USAGE, INPUT, OUTPUT, DAMAGED, AGAIN = 0, 2, 3, 4, 7, 75


def ffmpeg(*words, cwd):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *words], cwd=cwd, check=True, stdin=subprocess.DEVNULL)


class PartsTest(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-parts-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def vidconv(self, *words, code=DONE, says=(), environment=None):
        """Runs vidconv, and expects the exit code and a line that contains all of `says`."""
        run = subprocess.run(
            [PROGRAM, *map(str, words)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env={**os.environ, "SVT_LOG": "1", **(environment or {})},
            check=False,
            timeout=120,
        )
        if code is None:
            self.assertNotEqual(run.returncode, DONE, run.stderr)
        else:
            self.assertEqual(run.returncode, code, run.stderr)
        if says:
            lines = run.stderr.splitlines()
            self.assertTrue(any(all(word in line for word in says) for line in lines), f"{says} in {run.stderr}")
        return run.stdout

    def clip(self, name="in.mp4", *encoding, seconds=8):
        """Makes a clip of a moving test picture with sound."""
        source = ["-f", "lavfi", "-i", f"testsrc2=size=128x96:rate=25:duration={seconds}"]
        sound = ["-f", "lavfi", "-i", f"sine=duration={seconds}"]
        ffmpeg(*source, *sound, *(encoding or ("-c:v", "libx264", "-preset", "ultrafast", "-g", "50")), name,
               cwd=self.folder)
        return name

    def plan(self, *words, folder="job", output="out.mkv", **expected):
        return self.vidconv("plan", *words, "-o", output, "--kernel", "box", "--dir", folder, **expected)

    def read_plan(self, folder="job"):
        return json.loads((self.folder / folder / "plan.json").read_text())

    def write_plan(self, plan, folder="job"):
        """Writes a plan with the keys that the schema describes."""
        common = {name: plan[name] for name in ("schema", "versions", "source", "options", "ending", "kernels",
                                                "header", "time_base", "fitting", "audit") if name in plan}
        common["source"] = {name: plan["source"][name] for name in ("bytes", "digest")}
        for part in plan["parts"]:
            own = {name: part[name] for name in ("begin", "frames", "end", "before") if name in part}
            text = json.dumps({**common, "first": plan["parts"][0]["begin"], **own}, separators=(",", ":"),
                              ensure_ascii=False)
            part["key"] = hashlib.sha256(text.encode()).hexdigest()[:16]
        (self.folder / folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n")

    def parts(self, folder="job"):
        return range(len(self.read_plan(folder)["parts"]))

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def path_of(self, part, ending="nut", folder="job"):
        key = self.read_plan(folder)["parts"][part]["key"]
        return self.folder / folder / "parts" / f"{part}-{key}.{ending}"

    def expect_bytes_of_one_process(self, *words, output="out.mkv"):
        """Expects that join's output equals that of one process with one job and with several."""
        one = "one" + pathlib.Path(output).suffix
        for jobs in ("1", "3"):
            self.vidconv(*words, "-o", one, "--kernel", "box", "-y", "-q", "--jobs", jobs)
            self.assertEqual(self.bytes(output), self.bytes(one), f"the bytes differ with {jobs} jobs")
