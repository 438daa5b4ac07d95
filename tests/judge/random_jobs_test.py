#!/usr/bin/env python3
"""random_jobs.py finds what is wrong, says it in the simplest command, and draws the same jobs again.

    random_jobs_test.py VIDCONV
"""
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import drawn_job

VIDCONV = sys.argv.pop(1)
TOOL = pathlib.Path(__file__).with_name("random_jobs.py")


def judge(program, *options):
    return subprocess.run([sys.executable, str(TOOL), str(program), "--parallel", "1", "--work", "2e6", *options],
                          capture_output=True, text=True)


class RandomJobs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, fault):
        """Writes a wrapper of the program that runs some lines of a shell first; $* are its words."""
        path = pathlib.Path(self.folder.name, "vidconv")
        path.write_text(f"#!/bin/bash\n{fault}\nexec {VIDCONV} \"$@\"\n")
        path.chmod(0o755)
        return path

    def test_other_bytes_are_found_and_shrunk(self):
        # The fault gives a box another digest by any variant but the reference.
        program = self.program("if [[ $* != *reference* && $* == *'--kernel box'* ]]; then\n"
                               f'  {VIDCONV} "$@" | sed "s/^all/none/"; exit ${{PIPESTATUS[0]}}\nfi')
        done = judge(program, "--seconds", "60", "--seed", "boxes")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "other bytes")
        commands = re.findall(r"^    (/.*--kernel.*)$", done.stdout, re.MULTILINE)
        self.assertGreaterEqual(len(commands), 2)
        self.assertTrue(all(c.count("--kernel") == 1 for c in commands), commands)
        self.assertTrue(all("box" in c for c in commands), commands)

    def test_an_exit_code_of_its_own_is_a_failure(self):
        program = self.program('[[ $* == *reference* || $* != *--border* ]] || { echo broken >&2; exit 5; }')
        done = judge(program, "--jobs", "40", "--seed", "codes", "--until-failure")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("ended with 5: broken", done.stdout)

    def test_a_definition_that_fails_is_a_failure(self):
        program = self.program('[[ $* != *reference* ]] || exit 1')
        self.assertEqual(judge(program, "--jobs", "3", "--until-failure").returncode, 1)

    def test_the_program_passes(self):
        done = judge(VIDCONV, "--jobs", "12")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("12 passed, 0 failed", done.stdout)

    def test_a_run_that_is_ended_says_what_it_has_seen(self):
        # The first job ends; the next never does.
        mark = pathlib.Path(self.folder.name, "hangs")
        program = self.program(f'if [[ $* == *--kernel* && -e {mark} ]]; then exec sleep 1000; fi\n'
                               f'[[ $* != *--kernel* || $* == *reference* ]] || touch {mark}')
        command = [sys.executable, str(TOOL), str(program), "--parallel", "1", "--work", "2e6", "--jobs", "50"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            while not mark.exists():
                self.assertIsNone(running.poll())
                time.sleep(0.01)
            mark_seen = time.monotonic()
            running.send_signal(signal.SIGTERM)
            said = running.communicate(timeout=30)[0]
        self.assertLess(time.monotonic() - mark_seen, 30)
        self.assertEqual(running.returncode, 3, said)
        self.assertIn("ended by SIGTERM\n", said)
        self.assertRegex(said, r"\n[0-9]+ passed, 0 failed\n$")

    def test_without_a_device_it_fails_where_one_is_required(self):
        program = self.program('[[ $1 != --list-devices ]] || { echo "cpu      CPU, 1 thread"; exit; }')
        self.assertEqual(judge(program, "--require-cuda", "--jobs", "1").returncode, 2)

    def test_the_same_seed_is_the_same_job(self):
        tables = drawn_job.Tables(VIDCONV)
        jobs = [drawn_job.draw(tables, f"1:{n}", 1e8) for n in range(300)]
        self.assertEqual(jobs, [drawn_job.draw(tables, f"1:{n}", 1e8) for n in range(300)])
        drawn = {word for job in jobs for option in job.options for word in option}
        self.assertTrue({"--border", "--planes", "--linear", "--scan", "--range", "--start", "--compare"} <= drawn)
        modifiers = {m.split("=")[0] for job in jobs for k in job.kernels for m in k.modifiers}
        self.assertTrue({"region", "mask", "between", "feather", "invert", "planes", "abs"} <= modifiers, modifiers)
        self.assertTrue(any(job.boxes for job in jobs) and any(job.noise for job in jobs))
        formats = {job.format for job in jobs}
        self.assertGreater(len(formats), 0.5 * len(tables.formats))

    def test_simpler_jobs_become_no_larger(self):
        tables = drawn_job.Tables(VIDCONV)
        job = drawn_job.draw(tables, "1:7", 1e8)
        for other in drawn_job.simpler(job, tables):
            self.assertLessEqual(other.width * other.height * other.frames, job.width * job.height * job.frames)
            self.assertNotEqual(other, job)


if __name__ == "__main__":
    unittest.main()
