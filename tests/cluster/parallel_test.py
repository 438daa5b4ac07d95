#!/usr/bin/env python3
"""Parts under GNU parallel, by the job that `vidconv plan --script parallel` prints: parallel_test.py VIDCONV FAULTS"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest

FAULTS = sys.argv.pop()

from support import PROGRAM, PartsTest  # noqa: E402

# These names have characters that are special to shells, to parallel, and to terminals, and are no UTF-8.
SPECIAL = "'s {} {#} {= system(\"touch perl\") =} $(touch shell) `touch shell` %a ~ * é\t\\\n! | " + os.fsdecode(b"\xff")
JOB, OUTPUT, AUDIT = "the job" + SPECIAL, "-out" + SPECIAL + ".mkv", "audit" + SPECIAL

# The disk is full for one shard while the file exists.
WRAPPER = """#!/bin/bash
printf '%q %q\\n' "$1" "$2" >> {folder}/log
if [ "$1 $2" = "shard 1" ] && [ -e {folder}/full ]; then
  export LD_PRELOAD={faults} VIDCONV_DISK_BYTES=700 VIDCONV_DISK_ERROR=28
fi
exec {program} "$@"
"""


class Parallel(PartsTest):
    words = ("in.mp4", "--preset", "ultrafast", "--shards", "4")

    def setUp(self):
        super().setUp()
        self.folder = self.folder / "a folder's"  # names that have to be quoted
        self.folder.mkdir()
        (self.folder / "bin").mkdir()
        wrapper = self.folder / "bin/vidconv"
        wrapper.write_text(WRAPPER.format(folder=shlex.quote(str(self.folder)), faults=shlex.quote(FAULTS),
                                          program=shlex.quote(PROGRAM)))
        wrapper.chmod(0o755)
        self.clip()
        script = self.plan(*self.words, "--script", "parallel", "--audit", AUDIT, folder=JOB,
                           output=f"./{OUTPUT}")
        (self.folder / "job.sh").write_text(script, errors="surrogateescape")

    def run_job(self):
        (self.folder / "log").write_text("")
        return subprocess.run(["bash", "job.sh"], cwd=self.folder, capture_output=True, text=True, check=False, timeout=120,
                              errors="surrogateescape", stdin=subprocess.DEVNULL,
                              env={**os.environ, "LC_ALL": "C", "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})

    def test_what_has_failed_is_resumed(self):
        (self.folder / "full").touch()
        failed = self.run_job()
        self.assertNotEqual(failed.returncode, 0)
        codes = [line.split("\t")[6] for line in (self.folder / JOB / "joblog").read_text().splitlines()[1:]]
        self.assertEqual(sorted(codes), ["0", "0", "0", "75"])
        self.assertFalse((self.folder / OUTPUT).exists())
        log = (self.folder / "log").read_text().splitlines()
        self.assertEqual(log.count("shard 1"), 3)
        self.assertFalse(any(line.startswith("join ") for line in log))
        (self.folder / "full").unlink()
        done = self.run_job()
        self.assertEqual(done.returncode, 0, done.stderr)
        log = (self.folder / "log").read_text().splitlines()
        self.assertEqual([line.split()[0:2] for line in log][:1], [["shard", "1"]])
        self.assertEqual(len(log), 2)  # the shard and the join
        self.expect_bytes_of_one_process(*self.words, output=OUTPUT)
        self.assertEqual(self.bytes(AUDIT).count(b'{"frame":'), 200)
        self.assertFalse((self.folder / "perl").exists() or (self.folder / "shell").exists())

    def test_scripts_are_as_shellcheck_wants_them(self):
        for kind in ("slurm", "parallel"):
            script = self.folder / f"{kind}.sh"
            script.write_text(self.plan(*self.words, "--script", kind, folder="the job"))
            subprocess.run(["bash", "-n", str(script)], check=True)
            if shutil.which("shellcheck"):
                checked = subprocess.run(["shellcheck", str(script)], capture_output=True, text=True, check=False)
                self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertEqual(len(list(pathlib.Path(self.folder / "the job" / "parts").iterdir())), 0)


if __name__ == "__main__":
    if not shutil.which("parallel"):
        print("SKIPPED: GNU parallel is not installed")
        sys.exit(77)
    unittest.main()
