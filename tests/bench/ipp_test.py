#!/usr/bin/env python3
"""vidconv-bench kernels: Intel IPP as a peer, loaded from a folder, and --check, which looks at results.

    ipp_test.py VIDCONV_BENCH IPP_DOUBLE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, DOUBLE = sys.argv.pop(1), sys.argv.pop(1)


def measure(*options, **environment):
    return subprocess.run([BENCH, "kernels", "--device", "cpu", "--frame", "chroma", "--pairs", "1", "--threads", "1",
                           "--seconds", "0.001", "--json", "-", *options],
                          capture_output=True, text=True, env=os.environ | environment)


class Ipp(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name in ("core", "vm", "s", "i", "cv"):
            pathlib.Path(self.folder.name, f"libipp{name}.so.12").symlink_to(DOUBLE)

    def tearDown(self):
        self.folder.cleanup()

    def rows(self, *options, **environment):
        done = measure(*options, VIDCONV_IPP_DIR=self.folder.name, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = json.loads(done.stdout)["tables"][0]
        return [dict(zip(table["columns"], row)) for row in table["rows"]]

    def ipp(self, *options, **environment):
        return [row for row in self.rows("--kind", "box", "--size", "3", *options, **environment)
                if (row["peer"] or "").startswith("IPP")]

    def test_is_timed_and_right(self):
        row, = self.ipp("--check")
        self.assertEqual(row["peer"], "IPP FilterBoxBorder")
        self.assertGreater(row["peer us"], 0)
        self.assertEqual(row["equal %"], 100)
        self.assertLessEqual(row["peer off by"], 0.5)
        self.assertLessEqual(row["vidconv off by"], 0.5)

    def test_is_timed_and_wrong(self):
        row, = self.ipp("--check", IPP_DOUBLE_WRONG="3")
        self.assertLess(row["equal %"], 1)
        self.assertGreater(row["peer off by"], 2.5)
        self.assertLessEqual(row["vidconv off by"], 0.5)

    def test_without_check_there_is_no_column_of_it(self):
        row, = self.ipp()
        self.assertNotIn("equal %", row)

    def test_what_the_library_lacks_is_left_out(self):
        self.assertEqual(self.ipp("--depth", "16"), [])

    def test_results_of_floats_and_16_bits_are_checked(self):
        for depth in ("16", "32"):
            for row in self.rows("--kind", "box", "--kind", "sobel", "--size", "3", "--depth", depth, "--check"):
                if row["peer"]:
                    self.assertLessEqual(row["vidconv off by"], 0.51 if depth == "16" else 1e-5, row)
                    self.assertIsNotNone(row["equal %"], row)

    def test_a_folder_without_it_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = measure("--kind", "box", "--size", "3", VIDCONV_IPP_DIR=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(any(folder in line for line in json.loads(done.stdout)["machine"]))


if __name__ == "__main__":
    unittest.main()
