#!/usr/bin/env python3
"""bench/scripts/study_check.py: finds rows where a published system is faster, and the committed run has none."""
import importlib.util
import json
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("study_check", ROOT / "bench/scripts/study_check.py")
study_check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(study_check)


def table(name, columns, *rows):
    return {"tables": [{"id": name, "columns": columns, "rows": list(rows)}]}


class StudyCheck(unittest.TestCase):
    def faults(self, report, tolerance=1.0):
        return list(study_check.faults(report, tolerance))

    def test_times_by_column(self):
        columns = ["radius", "study-cuda-separable", study_check.CHOICE]
        self.assertEqual(self.faults(table("C-grid", columns, ["1", 2.0, 1.0])), [])
        self.assertEqual(self.faults(table("C-grid", columns, ["1", "2", "1"], ["2", 1.0, 1.5])),
                         ["C-grid, 2: 1.50 times as long as study-cuda-separable"])
        self.assertEqual(self.faults(table("C-grid", columns, ["1", 1.0, 1.04]), 1.05), [])

    def test_speed_ups_are_better_where_they_are_more(self):
        columns = ["picture", "kernel", "global", study_check.CHOICE]
        self.assertEqual(self.faults(table("D", columns, ["HD", "3x3", 10, 20])), [])
        self.assertEqual(self.faults(table("D", columns, ["HD", "3x3", 20, 10])),
                         ["D, HD, 3x3: 2.00 times as long as global"])

    def test_systems_by_row_that_compute_the_same(self):
        columns = ["system", "variant", "8-bit", "fp32"]
        rows = [["1D along rows", "study-cuda-row", 1, 1], ["2D, global", "study-cuda-global", 5, 5],
                ["2D, choice", "best-cuda", 4, 6]]
        self.assertEqual(self.faults(table("B", columns, *rows)),
                         ["B, fp32: 1.20 times as long as study-cuda-global"])

    def test_nothing_to_compare_is_a_fault(self):
        columns = ["radius", "study-cuda-separable", study_check.CHOICE]
        self.assertEqual(len(self.faults(table("C-grid", columns, ["1", None, None]))), 1)

    def test_the_committed_run(self):
        report = json.loads((ROOT / "docs/measurements/data/h200-study.json").read_text())
        self.assertEqual(self.faults(report, 1.05), [])


unittest.main()
