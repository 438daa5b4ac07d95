#!/usr/bin/env python3
"""The programs of docs/c-api.md compile without a warning, run, and make what the command makes.

    recipes_test.py PAGE PREFIX C_COMPILER VIDCONV
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE, PREFIX, COMPILER, VIDCONV = Path(sys.argv.pop(1)), Path(sys.argv.pop(1)), sys.argv.pop(1), sys.argv.pop(1)
PROGRAMS = re.findall(r"^```c\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
FLAGS = os.environ.get("CFLAGS", "").split()


class RecipesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_command("pattern:64x48#9", "in.mkv", "--kernel", "identity", "--codec", "ffv1")

    def run_command(self, source, to, *options):
        subprocess.run([VIDCONV, source, "-o", to, "-q", *options], check=True, cwd=self.folder)

    def run_recipe(self, number, *arguments):
        (self.folder / "a.c").write_text(PROGRAMS[number], encoding="utf-8")
        libraries = next(PREFIX.rglob("libvidconv.so")).parent
        subprocess.run([COMPILER, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", *FLAGS, "a.c",
                        f"-I{PREFIX / 'include'}", f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lvidconv", "-o", "a"],
                       check=True, cwd=self.folder)
        result = subprocess.run([self.folder / "a", *arguments], capture_output=True, text=True, check=False,
                                cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def same(self, a, b):
        self.assertEqual((self.folder / a).read_bytes(), (self.folder / b).read_bytes())

    def test_all_are_here(self):
        self.assertEqual(len(PROGRAMS), 9)

    def test_every_function_is_used(self):
        header = (PREFIX / "include/vidconv/vidconv.h").read_text(encoding="utf-8")
        functions = set(re.findall(r"^VIDCONV_API[^;]*?\b(vidconv_\w+)\(", header, re.MULTILINE))
        self.assertGreater(len(functions), 40)
        self.assertEqual(functions - set(re.findall(r"\b(vidconv_\w+)\(", "\n".join(PROGRAMS))), set())

    def test_picture(self):
        self.assertEqual(self.run_recipe(0), "")

    def test_pictures_over_time(self):
        self.assertEqual(self.run_recipe(1), "")

    def test_file(self):
        self.run_command("in.mkv", "command.mp4", "--kernel", "gaussian:sigma=1", "--kernel", "sobel")
        self.assertIn("9 frames, libx264", self.run_recipe(2, "in.mkv", "ours.mp4"))
        self.same("ours.mp4", "command.mp4")

    def test_frames(self):
        self.run_command("in.mkv", "command.y4m", "--kernel", "unsharp")
        self.run_recipe(3, "in.mkv", "ours.y4m")
        self.same("ours.y4m", "command.y4m")

    def test_any_frame(self):
        self.assertRegex(self.run_recipe(4, "in.mkv"), r"^frame 5 of 9, .* pixel is \d+ \d+ \d+, \d+ as grey\n$")

    def test_frames_on_a_device(self):
        self.run_command("in.mkv", "command.y4m", "--kernel", "unsharp")
        if "no CUDA device" not in self.run_recipe(5, "in.mkv", "ours.y4m"):
            self.same("ours.y4m", "command.y4m")

    def test_what_is_there(self):
        said = self.run_recipe(6)
        self.assertIn("\nmatrix:1 2 1: 3 planes, exact\n", said)
        self.assertIn(":scale=1/4 keeps the brightness", said)
        self.assertIn("plane 1: 120 rows of 160 bytes", said)
        self.assertRegex(said, r"filter Y by cpu-\w+")

    def test_boxes(self):
        (self.folder / "boxes.jsonl").write_text('{"frame": 1, "id": "face 1", "box": [4, 4, 16, 16]}\n'
                                                 '{"frame": 7, "id": "face 1", "box": [40, 4, 16, 16]}\n', encoding="utf-8")
        self.run_command("in.mkv", "command.y4m", "--kernel", "mosaic:size=8", "--regions", "boxes.jsonl:grow=15%:hold=1")
        self.assertEqual(self.run_recipe(7, "in.mkv", "ours.y4m"), "")
        self.same("ours.y4m", "command.y4m")

    def test_ending_early(self):
        self.run_command("in.mkv", "command.mp4", "--kernel", "unsharp", "--frames", "5", "--crf", "18.5")
        self.assertEqual(self.run_recipe(8, "in.mkv", "ours.mp4", "none.mp4"), "reading: 130\nwriting: 130\n")
        self.same("ours.mp4", "command.mp4")
        self.assertFalse((self.folder / "none.mp4").exists())


if __name__ == "__main__":
    unittest.main()
