#!/usr/bin/env python3
"""Tests tests/count.py with reports of each kind."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from count import count

CTEST = """<testsuite>
  <testcase name="a" status="run"/><testcase name="b" status="fail"><failure message=""/></testcase>
  <testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
  <testcase name="d" status="disabled"/>
  <testcase name="e" status="notrun"><skipped message="Unable to find executable"/></testcase>
  {}
</testsuite>"""
PROCESS = """<testsuites><testsuite>
  <testcase name="f" status="run" result="completed"/><testcase name="g" status="run" result="skipped"><skipped/></testcase>
  <testcase name="h" status="notrun" result="suppressed"/>{}
</testsuite></testsuites>"""
FAILED = '<testcase name="i" status="run" result="completed"><failure message="no"/></testcase>'


class Count(unittest.TestCase):
    def of(self, status=None, inside=None):
        """Returns the counts for a process with that status and report."""
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            case = f'<testcase name="room.process-1" status="{status}"/>' if status else ""
            (build / "tests.xml").write_text(CTEST.format(case), encoding="utf-8")
            (build / "processes").mkdir()
            if inside is not None:
                (build / "processes/room-1.xml").write_text(inside, encoding="utf-8")
            return count(build)

    def test_tests_of_ctest(self):
        self.assertEqual(self.of(), (1, 2, 2))  # a; b and e, which has no program; c and d

    def test_processes_count_as_their_tests(self):
        self.assertEqual(self.of("run", PROCESS.format("")), (2, 2, 3))
        self.assertEqual(self.of("fail", PROCESS.format(FAILED)), (2, 3, 3))

    def test_processes_that_end_badly_have_failed(self):
        self.assertEqual(self.of("fail"), (1, 3, 2))  # no report
        self.assertEqual(self.of("fail", PROCESS.format("")), (2, 3, 3))  # after its tests
        self.assertEqual(self.of("run", "<testsuites/>"), (1, 3, 2))  # ran nothing

    def test_a_report_alone(self):
        script = Path(__file__).with_name("count.py")

        def said(report):
            return subprocess.run([sys.executable, script, "--report", report], check=True, capture_output=True, text=True).stdout

        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "a.xml"
            self.assertEqual(said(report), "0 1 0\n")  # none: the program has died
            report.write_text(PROCESS.format(FAILED), encoding="utf-8")
            self.assertEqual(said(report), "1 1 1\n")


if __name__ == "__main__":
    unittest.main()
