#!/usr/bin/env python3
"""vidconv-bench kernels --targets: what it measures, what it says of misses, and files that are none.

    targets_test.py VIDCONV_BENCH
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)
COMMITTED = pathlib.Path(__file__).resolve().parents[2] / "bench/targets/h200.json"


def targets(*lines, device="cpu", frame="chroma"):
    return json.dumps({"what": "a test", "device": device, "frame": frame, "targets": list(lines)})


class Targets(unittest.TestCase):
    def measure(self, content, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "targets.json")
            path.write_text(content)
            return subprocess.run([BENCH, "kernels", "--targets", str(path), "--seconds", "0.001",
                                   "--threads", "1", "--json", "-", *options],
                                  capture_output=True, text=True)

    def tables(self, content):
        done = self.measure(content)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {table["id"]: table for table in json.loads(done.stdout)["tables"]}

    def test_every_target_is_measured_beside_it(self):
        tables = self.tables(targets({"filter": "box", "bits": 8, "us": {"3": 1e-9, "15": 1e9}},
                                     {"filter": "sobel", "bits": 10, "us": {"3": 1e9}}))
        rows = tables["kernels-targets"]["rows"]
        self.assertEqual([row[:3] for row in rows],
                         [["box 3", "8", "chroma"], ["box 15", "8", "chroma"],
                          ["sobel 3", "10", "chroma"]])
        for row in rows:
            self.assertAlmostEqual(row[6], row[4] / row[5])
        grid = tables["targets"]
        self.assertEqual(grid["columns"], ["filter", "samples", "3", "15"])
        self.assertTrue(grid["rows"][0][2].startswith("**"), grid)  # a miss
        self.assertFalse(grid["rows"][0][3].startswith("**"), grid)
        self.assertEqual(grid["rows"][1][3], "")
        self.assertIn("2 of 3 targets are met", " ".join(grid["notes"]))

    def test_what_is_no_file_of_targets_is_refused_by_name(self):
        for content in ("", "{}", targets(), targets({"filter": "box", "bits": 8, "us": {"3": 0}}),
                        targets({"filter": "nothing", "bits": 8, "us": {"3": 1}}),
                        targets({"filter": "box", "bits": 8, "us": {"3": 1}}, frame="16K")):
            done = self.measure(content)
            self.assertEqual(done.returncode, 1, content)
            self.assertIn("targets", done.stderr)

    def test_a_selection_beside_targets_is_refused(self):
        self.assertNotEqual(self.measure(targets(), "--kind", "box").returncode, 0)

    def test_the_committed_file_is_the_table_of_an_h200(self):
        committed = json.loads(COMMITTED.read_text())
        self.assertEqual((committed["device"], committed["frame"]), ("cuda", "4K"))
        self.assertEqual(sum(len(line["us"]) for line in committed["targets"]), 61)


unittest.main()
