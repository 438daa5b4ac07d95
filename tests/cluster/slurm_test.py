#!/usr/bin/env python3
"""Parts under a real Slurm whose nodes die: slurm_test.py VIDCONV FAULTS

The job is the one that `vidconv plan --script slurm` prints. `vidconv` on the nodes is a script around the
real one that notes who runs what, waits while the test holds its node, and fills the disk of a node.
"""
import os
import pathlib
import shlex
import shutil
import sys
import tempfile
import unittest

FAULTS = sys.argv.pop()

import slurm  # noqa: E402
from support import PROGRAM, PartsTest  # noqa: E402

WRAPPER = """#!/bin/bash
log={log} faults={faults}
echo "$SLURMD_NODENAME $1 $2 ${{SLURM_ARRAY_TASK_ID:-}} $$" >> "$log"
while [ "$1" = shard ] && [ -e "$log.hold.$SLURMD_NODENAME" ]; do sleep 0.1; done
if [ "$1" = shard ] && [ -e "$log.full" ]; then
  read -r left node < "$log.full"
  if [ "$left" -gt 0 ] && [[ "$SLURMD_NODENAME" = $node ]]; then
    echo "$((left - 1)) $node" > "$log.full"
    export LD_PRELOAD=$faults VIDCONV_DISK_BYTES=700 VIDCONV_DISK_ERROR=28
  fi
fi
{program} "$@"
code=$?
echo "$SLURMD_NODENAME $1 ${{SLURM_ARRAY_TASK_ID:-}} code $code" >> "$log"
exit $code
"""


class Slurm(PartsTest):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="vidconv-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        cls.cluster = slurm.Cluster(cls.root)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.log.touch()
        (self.folder / "bin").mkdir()
        wrapper = self.folder / "bin/vidconv"
        wrapper.write_text(WRAPPER.format(log=shlex.quote(str(self.log)), faults=shlex.quote(FAULTS),
                                          program=shlex.quote(PROGRAM)))
        wrapper.chmod(0o755)
        self.clip(seconds=4)

    words = ("in.mp4", "--preset", "ultrafast")

    def submit(self, parts, environment=None, folder="job", output="out.mkv", told=()):
        script = self.vidconv("plan", *self.words, "--shards", parts, "-o", output, "--kernel", "box", "--dir", folder,
                              "--script", "slurm", *told)
        (self.folder / "job.sh").write_text(script, errors="surrogateescape")
        path = f"{self.folder}/bin:{self.cluster.environment['PATH']}"
        out = self.cluster.run("bash", "job.sh", cwd=self.folder, environment={"PATH": path, **(environment or {})})
        return out.split()

    def lines(self, *words):
        """Returns the lines of the log that have all of these words."""
        return [line for line in self.log.read_text().splitlines() if all(word in line.split() for word in words)]

    def finish(self, parts, seconds=180):
        slurm.wait_until(f"{self.log.read_text()} {self.cluster.jobs()}",
                         lambda: (self.folder / "out.mkv").exists() and not self.cluster.jobs(), seconds)
        self.expect_bytes_of_one_process(*self.words, "--shards", parts)

    def begun(self):
        return [line for line in self.lines("shard") if "code" not in line.split()]

    def running_on(self, node):
        return [line.split()[4] for line in self.begun() if line.split()[0] == node]

    def test_array_join_gpus_and_a_full_disk(self):
        self.log.with_suffix(".full").write_text("2 n2\n")  # the disk is full twice, until somebody cleans up
        self.submit("6", {"SBATCH_GRES": "gpu:1"})
        jobs = self.cluster.jobs()
        self.finish("6")
        self.assertTrue(any("_" in job for job in jobs), jobs)
        self.assertEqual(len(self.lines("n2", "code", "75")), 2)
        self.assertEqual(sum(line.endswith(" code 0") for line in self.lines("code")), 7)

    def test_names_that_shells_and_slurm_have_an_eye_on(self):
        folder = "the job's $(touch shell) `touch shell` $HOME %a %% \"%j\" é\ta !\nEOF\n" + os.fsdecode(b"\xff")
        output = "out's $(touch shell) %j \\ é.mkv"
        self.vidconv("plan", *self.words, "--shards", "2", "-o", "out.mkv", "--kernel", "box", "--dir", "a\\b", "--script",
                     "slurm", code=2, says=("backslash",))
        self.submit("2", folder=folder, output=output, told=("--device", "cpu", "-y", "--strict"))
        slurm.wait_until("an output",
                         lambda: (self.folder / output).exists() and not self.cluster.jobs(), 120)
        self.expect_bytes_of_one_process(*self.words, "--shards", "2", output=output)
        self.assertFalse(list(self.folder.rglob("shell")))
        logs = sorted(path.name for path in (self.folder / folder).glob("*.log"))
        self.assertEqual(logs, ["join.log", "shard-0.log", "shard-1.log"])

    def test_a_part_is_given_up_after_three_times(self):
        self.log.with_suffix(".full").write_text("99 n*\n")
        self.submit("1")
        slurm.wait_until("the end of all", lambda: not self.cluster.jobs(), 90)
        self.assertEqual(len(self.lines("shard", "code", "75")), 4)
        self.assertEqual(self.lines("join"), [])
        self.assertFalse((self.folder / "out.mkv").exists())
        self.assertIn("part 0 is given up: it was requeued three times", (self.folder / "job/shard-0.log").read_text())
        self.log.with_suffix(".full").unlink()  # somebody has cleaned up
        self.submit("1")
        self.finish("1")

    def hold(self, *nodes):
        for node in nodes:
            pathlib.Path(f"{self.log}.hold.{node}").touch()

    def release(self, *nodes):
        for node in nodes:
            pathlib.Path(f"{self.log}.hold.{node}").unlink()

    def test_nodes_and_daemons_die(self):
        self.hold(*slurm.NODES)
        self.submit("3")
        slurm.wait_until("three nodes at work", lambda: all(self.running_on(node) for node in slurm.NODES))
        _, _, _, part, alone = self.lines("n1", "shard")[0].split()
        self.cluster.kill_daemon("n1")  # its task lives on, and is given to another node
        self.cluster.kill_node("n3")
        self.assertTrue(slurm.alive(alone))
        self.release("n2")
        slurm.wait_until("the part of the node that lives", lambda: any(line.endswith(" code 0") for line in self.lines("n2", "shard")))
        self.hold("n2")
        self.cluster.wait_for_loss("n3")
        self.cluster.start_node("n3")
        slurm.wait_until("a second writer",
                         lambda: len([line for line in self.begun() if line.split()[3] == part]) == 2)
        self.assertTrue(slurm.alive(alone))
        self.release(*slurm.NODES)
        slurm.wait_until("both writers", lambda: len([line for line in self.log.read_text().splitlines()
                                                       if line.endswith(f" shard {part} code 0")]) == 2)
        self.cluster.start_node("n1")
        self.finish("3")
        self.assertEqual(sum(line.endswith(" code 0") for line in self.lines("shard")), 4)

    def test_killed_tasks_are_submitted_again(self):
        self.hold(*slurm.NODES)
        array, _ = self.submit("3")
        slurm.wait_until("a task on each", lambda: all(self.running_on(node) for node in slurm.NODES))
        self.cluster.kill(int(self.running_on("n2")[0]))
        self.release(*slurm.NODES)
        slurm.wait_until("the end of all", lambda: not self.cluster.jobs(), 40)
        self.assertFalse((self.folder / "out.mkv").exists())
        self.assertEqual(self.lines("join"), [])
        before = {path: path.stat().st_mtime_ns for path in (self.folder / "job/parts").iterdir()}
        self.assertEqual(len(before), 4)
        again, _ = self.submit("3")
        self.assertNotEqual(array, again)
        self.finish("3")
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)


if __name__ == "__main__":
    if why := slurm.missing():
        print(f"SKIPPED: {why}")
        sys.exit(77)
    os.environ.setdefault("SVT_LOG", "1")
    unittest.main()
