#!/usr/bin/env python3
"""The sample filter_file gives the command's output and exit codes.

    filter_file_test.py FILTER_FILE VIDCONV
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SAMPLE, VIDCONV = sys.argv.pop(1), sys.argv.pop(1)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


class FilterFileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_same_bytes(self):
        ours, theirs = self.folder / "a.y4m", self.folder / "b.y4m"
        result = run(SAMPLE, "pattern:64x48#7", str(ours), "sobel", "gaussian:sigma=2")
        self.assertEqual((result.returncode, result.stdout), (0, "7 frames filtered\n"), result.stderr)
        kernels = ["--kernel", "sobel", "--kernel", "gaussian:sigma=2"]
        self.assertEqual(run(VIDCONV, "pattern:64x48#7", "-o", str(theirs), *kernels).returncode, 0)
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_same_ending(self):
        for arguments, code, words in ((["no-such.mp4", "a.y4m", "box"], 3, "no-such.mp4"),
                                       (["pattern:64x48#2", "a.y4m", "sobell"], 2, "sobell"),
                                       (["pattern:64x48#2", "/no/such/folder/a.y4m", "box"], 4, "/no/such/folder")):
            result = run(SAMPLE, *arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)

    def test_input_is_kept(self):
        file = self.folder / "a.y4m"
        self.assertEqual(run(SAMPLE, "pattern:64x48#2", str(file), "box").returncode, 0)
        before = file.read_bytes()
        self.assertEqual(run(SAMPLE, str(file), str(file), "sobel").returncode, 4)
        self.assertEqual(file.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
