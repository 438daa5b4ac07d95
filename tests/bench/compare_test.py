#!/usr/bin/env python3
"""vidconv-bench compare: ratios, the exit code, and what it says of files that are something else.

    compare_test.py VIDCONV_BENCH
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)
COLUMNS = ["filter", "bits", "frame", "variant", "vidconv us", "Gsample/s", "peer"]


def data(*rows):
    return {"schema": 1, "tables": [{"id": "kernels-cpu", "columns": COLUMNS, "rows": list(rows)}]}


class Compare(unittest.TestCase):
    def compare(self, before, after, *options):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, content in (("before", before), ("after", after)):
                path = pathlib.Path(folder, name + ".json")
                path.write_text(json.dumps(content))
                paths.append(str(path))
            return subprocess.run([BENCH, "compare", *paths, "--json", "-", *options],
                                  capture_output=True, text=True)

    def rows(self, done):
        return json.loads(done.stdout)["tables"][0]["rows"]

    def test_ratios_by_row_whatever_their_order(self):
        done = self.compare(
            data(["box 3", "8", "4K", "a", 100.0, 1, ""], ["box 5", "8", "4K", "a", 50.0, 1, ""]),
            data(["box 5", "8", "4K", "b", 25.0, 1, ""], ["box 3", "8", "4K", "a", 105.0, 1, ""]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows(done), [["kernels-cpu, box 3, 8, 4K", "a", 100, 105, 1.05],
                                           ["kernels-cpu, box 5, 8, 4K", "a -> b", 50, 25, 0.5]])

    def test_a_row_for_each_peer_counts_once(self):
        both = data(["box 3", "8", "4K", "a", 1.0, 1, "x"], ["box 3", "8", "4K", "a", 1.0, 1, "y"])
        self.assertEqual(len(self.rows(self.compare(both, both))), 1)

    def test_slower_beyond_the_tolerance_fails(self):
        before = data(["box 3", "8", "4K", "a", 100.0, 1, ""])
        after = data(["box 3", "8", "4K", "a", 111.0, 1, ""])
        self.assertEqual(self.compare(before, after).returncode, 1)
        self.assertEqual(self.compare(before, after, "--tolerance", "1.2").returncode, 0)
        self.assertEqual(self.compare(after, before).returncode, 0)

    def test_a_row_that_is_gone_fails(self):
        done = self.compare(data(["box 3", "8", "4K", "a", 1.0, 1, ""],
                                 ["box 5", "8", "4K", "a", 1.0, 1, ""]),
                            data(["box 3", "8", "4K", "a", 1.0, 1, ""]))
        self.assertEqual(done.returncode, 1)

    def test_files_of_other_commands_are_refused(self):
        done = self.compare(data(["box 3", "8", "4K", "a", 1.0, 1, ""]), {"tables": []})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no table of vidconv-bench kernels", done.stderr)


if __name__ == "__main__":
    unittest.main()
