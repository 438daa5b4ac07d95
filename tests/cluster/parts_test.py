#!/usr/bin/env python3
"""vidconv plan, shard and join, one after the other and all at once: parts_test.py VIDCONV FAULTS"""
import http.server
import json

import pathlib
import re
import subprocess
import sys
import threading
import unittest

import jsonschema

FAULTS = sys.argv.pop()

from support import AGAIN, INPUT, PROGRAM, USAGE, OUTPUT, PartsTest  # noqa: E402

DOCS = pathlib.Path(__file__).parents[2] / "docs"


class WithRanges(http.server.BaseHTTPRequestHandler):
    """Serves a folder's files, with range requests."""

    def do_GET(self):
        path = pathlib.Path(self.server.folder) / self.path.strip("/")
        if not path.exists():
            return self.send_error(404)
        data, begin = path.read_bytes(), 0
        if asked := re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            begin = int(asked[1])
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        try:
            self.wfile.write(data[begin:])
        except OSError:
            pass

    def log_message(self, *arguments):
        pass


class Parts(PartsTest):
    words = ("--preset", "ultrafast", "--shards", "3")

    def setUp(self):
        super().setUp()
        self.clip()

    def make(self, *more, source="in.mp4", **options):
        self.plan(source, *self.words, *more, **options)

    def shard(self, part, *more, **expected):
        return self.vidconv("shard", part, "job", *more, **expected)

    def test_plans_are_of_the_schema(self):
        self.make()
        schema = json.loads((DOCS / "plan.schema.json").read_text())
        plan = self.read_plan()
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(plan, schema)
        self.assertEqual(sum(part["frames"] for part in plan["parts"]), 200)
        before = self.bytes("job/plan.json")
        self.make()  # making it again gives the same
        self.assertEqual(self.bytes("job/plan.json"), before)
        self.write_plan(plan)  # the keys follow the schema
        self.assertEqual(self.bytes("job/plan.json"), before)
        self.assertEqual(self.plan("in.mp4", *self.words, "--dry-run", folder="none"), before.decode())
        self.assertFalse((self.folder / "none").exists())

    def test_any_order_and_again_and_all_at_once(self):
        self.make()
        runs = [subprocess.Popen([PROGRAM, "shard", str(part), "job", "-q"], cwd=self.folder, stdin=subprocess.DEVNULL)
                for part in (2, 0, 1, 1, 0, 2, 1)]
        self.assertEqual([run.wait(60) for run in runs], [0] * len(runs))
        self.assertEqual(len(list((self.folder / "job/parts").iterdir())), 6)
        before = self.path_of(1).stat().st_mtime_ns
        self.shard(1, says=["part 1", "whole", "part-done"])
        self.assertEqual(self.path_of(1).stat().st_mtime_ns, before)
        self.vidconv("join", "job", "-o", "out.mkv")
        self.expect_bytes_of_one_process("in.mp4", *self.words)
        self.vidconv("join", "job", "-o", "out.mkv", code=OUTPUT, says=["out.mkv", "exists"])
        self.vidconv("join", "job", "-o", "out.mkv", "-y")

    def test_folders_that_nobody_shares(self):
        """With an object store, a worker gets only the plan, and leaves its shard and the ledger."""
        self.make()
        for part in self.parts():
            (self.folder / f"worker{part}/parts").mkdir(parents=True)
            (self.folder / f"worker{part}/plan.json").write_bytes(self.bytes("job/plan.json"))
            self.vidconv("shard", part, f"worker{part}", "-q")
            left = sorted(path.name for path in (self.folder / f"worker{part}/parts").iterdir())
            self.assertEqual(left, [self.path_of(part, "json").name, self.path_of(part).name])
            for name in left:
                (self.folder / f"worker{part}/parts" / name).rename(self.folder / "job/parts" / name)
        self.vidconv("join", "job", "-o", "out.mkv", "-q")
        self.expect_bytes_of_one_process("in.mp4", *self.words)

    def test_an_audit_is_that_of_one_process(self):
        self.clip()
        for filters in (("--kernel", "sobel:region=10,10,40,30"),
                        ("--kernel", "time-box:size=5:region=10,10,40,30", "--kernel", "box")):
            with self.subTest(filters):
                words = ("in.mp4", *filters, "--shards", "3")
                self.vidconv("plan", *words, "-o", "out.mkv", "--audit", "joined.jsonl", "--dir", "job", "-y")
                for part in self.parts():
                    self.vidconv("shard", part, "job", "-q")
                self.vidconv("join", "job", "-o", "out.mkv", "--audit", "joined.jsonl", "-q", "-y")
                self.vidconv(*words, "-o", "one.mkv", "--audit", "one.jsonl", "-q", "-y")
                self.assertEqual(self.bytes("out.mkv"), self.bytes("one.mkv"))
                self.assertEqual(self.bytes("joined.jsonl"), self.bytes("one.jsonl"))

    def test_numbers_come_from_schedulers(self):
        self.make()
        for name, part in (("SLURM_ARRAY_TASK_ID", 0), ("JOB_COMPLETION_INDEX", 2)):
            self.vidconv("shard", "job", "-q", environment={name: str(part)})
            self.assertTrue(self.path_of(part).exists())
        self.vidconv("shard", "job", code=USAGE, says=["JOB_COMPLETION_INDEX"])
        self.shard(3, code=USAGE, says=["part '3'", "has 3"])
        self.shard("many", code=USAGE, says=["many"])

    def test_workers_read_their_part_alone(self):
        self.make()
        self.shard(2, "--stats", "stats.json", "-q")
        video = json.loads(self.bytes("stats.json"))["ledger"]["streams"][0]
        self.assertLess(video["packets"]["read"], 120)

    def test_machines_differ_but_bytes_do_not(self):
        self.make("--slots", "2", "--device", "cpu")
        self.shard(0, "--slots", "7", "--variant", "reference", "-q")
        for part in (1, 2):
            self.shard(part, "-q")
        self.vidconv("join", "job", "-o", "out.mkv", "-q")
        self.expect_bytes_of_one_process("in.mp4", *self.words)
        self.shard(1, "--crf", "10", code=USAGE, says=["--crf"])

    def test_missing_corrupt_foreign_and_stale_parts(self):
        self.make()
        self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=["'0,1,2'", "missing", "[part]"])
        for part in self.parts():
            self.shard(part, "-q")
        whole = self.path_of(1).read_bytes()
        for broken in (whole[:-9], whole[:900] + b"x" + whole[901:]):
            self.path_of(1).write_bytes(broken)
            self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=["1-", "corrupt"])
            self.assertFalse((self.folder / "out.mkv").exists())
            self.shard(1, says=["made again", "corrupt"])
            self.assertEqual(self.path_of(1).read_bytes(), whole)
        self.path_of(2, "json").write_text("{")
        self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=["2-", "makes no sense"])
        self.shard(2, "-q")
        self.path_of(0).unlink()
        self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=["0-", "missing"])
        self.assertIn("part 1: 67 frames, whole", self.vidconv("join", "job", "--dry-run", code=INPUT))
        self.shard(0, "-q")
        # Shards of another job in the same folder are not mixed in.
        self.make("--crf", "40", code=OUTPUT, says=["plan.json", "-y"])
        self.make("--crf", "40", "-y")
        self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=["of another plan", "[part]"])

    def test_every_bit_of_a_ledger_counts(self):
        self.clip()
        self.plan("in.mp4", "--shards", "2")
        for part in self.parts():
            self.vidconv("shard", part, "job")
        ledger = self.path_of(1, "json")
        whole = ledger.read_bytes()
        for at in range(0, len(whole), max(1, len(whole) // 60)):
            for bit in (0, 5):
                changed = bytearray(whole)
                changed[at] ^= 1 << bit
                ledger.write_bytes(changed)
                self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=("[part]",))
                self.assertFalse((self.folder / "out.mkv").exists(), f"byte {at}, bit {bit}")
        self.vidconv("shard", 1, "job")
        self.assertEqual(ledger.read_bytes(), whole)
        self.vidconv("join", "job", "-o", "out.mkv")

    def test_links_that_somebody_has_planted_are_not_followed(self):
        self.clip()
        self.plan("in.mp4", "--shards", "2")
        victim = self.folder / "victim"
        victim.write_text("precious")
        for ending in ("nut", "json"):
            link = self.path_of(0, ending)
            link.symlink_to(victim)
            self.vidconv("shard", 0, "job", code=AGAIN if ending == "nut" else None)
            self.assertEqual(victim.read_text(), "precious")
            link.unlink()
        self.vidconv("shard", 0, "job")

    def test_stale_sources_kernels_and_libraries(self):
        (self.folder / "kernel.txt").write_text("1 2 1\n2 4 2\n1 2 1\n")
        self.make("--kernel", "file:kernel.txt:scale=auto")
        plan = self.read_plan()
        (self.folder / "kernel.txt").write_text("1 2 1\n2 5 2\n1 2 1\n")
        self.shard(0, code=INPUT, says=["kernel.txt", "[plan]"])
        (self.folder / "kernel.txt").write_text("1 2 1\n2 4 2\n1 2 1\n")
        self.shard(0, "-q")
        plan["versions"]["libavcodec"] = "1.2.3"
        self.write_plan(plan)
        self.shard(1, code=INPUT, says=["libavcodec", "1.2.3", "[plan]"])
        self.make("--kernel", "file:kernel.txt:scale=auto", "-y")
        self.clip("in.mp4", "-c:v", "libx264", "-g", "50", "-preset", "veryfast")
        self.shard(1, code=INPUT, says=["in.mp4", "not the one", "[plan]"])
        self.vidconv("join", "job", "-o", "out.mkv", code=INPUT)
        (self.folder / "job/plan.json").write_text("{}")
        self.shard(1, code=INPUT, says=["plan.json", "[plan]"])
        (self.folder / "job/plan.json").unlink()
        self.shard(1, code=INPUT, says=["plan.json", "no such file"])

    def test_plans_changed_by_hand(self):
        self.make()
        plan = self.read_plan()
        plan["parts"][1]["frames"] += 1
        (self.folder / "job/plan.json").write_text(json.dumps(plan))
        self.shard(1, code=INPUT, says=["by hand"])

    def test_parts_of_another_count_are_not_published(self):
        self.make()
        plan = self.read_plan()
        plan["parts"][1]["frames"] += 1
        self.write_plan(plan)
        self.shard(1, code=INPUT, says=["67 frames", "68", "--exact", "[part]"])
        self.assertEqual(list((self.folder / "job/parts").iterdir()), [])

    def test_what_may_pass_says_try_again(self):
        self.make()
        (self.folder / "in.mp4").rename(self.folder / "away.mp4")
        self.shard(0, code=AGAIN, says=["in.mp4", "[try-again]"])
        (self.folder / "away.mp4").rename(self.folder / "in.mp4")
        for room in (0, 700, 4000):
            full = {"LD_PRELOAD": FAULTS, "VIDCONV_DISK_BYTES": str(room), "VIDCONV_DISK_ERROR": "28"}
            self.shard(0, code=AGAIN, says=["No space left", "[try-again]"], environment=full)
            self.assertEqual(list((self.folder / "job/parts").iterdir()), [])
        for part in self.parts():
            self.shard(part, "-q")
        self.vidconv("join", "job", "-o", "out.mkv", code=AGAIN, says=["No space left"], environment=full)
        self.vidconv("join", "job", "-o", "out.mkv", "-q")
        self.expect_bytes_of_one_process("in.mp4", *self.words)

    def test_sources_by_address(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), WithRanges)
        server.folder = self.folder
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/in.mp4"
        self.make(source=url)
        self.shard(0, "-q")
        server.shutdown()
        server.server_close()
        self.shard(1, code=AGAIN, says=["in.mp4", "[try-again]"])
        server = http.server.ThreadingHTTPServer(server.server_address, WithRanges)
        server.folder = self.folder
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for part in (1, 2):
            self.shard(part, "-q")
        self.vidconv("join", "job", "-o", "out.mkv", "-q")
        self.expect_bytes_of_one_process("in.mp4", *self.words)

    def test_what_cannot_be_planned(self):
        for words, code, says in (
            (["in.mp4", "--shards", "3", "--frames", "9"], USAGE, ["--frames", "--duration"]),
            (["in.mp4"], USAGE, ["--shards"]),
            (["in.mp4", "--shards", "3", "--bitrate", "5M"], USAGE, ["--bitrate"]),
            (["in.mp4", "--shards", "3", "--decoder", "nvdec"], USAGE, ["--decoder", "CPU"]),
            (["pattern:64x48#50", "--shards", "3"], USAGE, ["pattern:64x48#50", "container"]),
            (["none.mp4", "--shards", "3"], INPUT, ["none.mp4"]),
        ):
            self.plan(*words, code=code, says=says)
        self.vidconv("plan", "in.mp4", "-o", "a.mkv", "--kernel", "box", "--shards", "2", code=USAGE, says=["--dir"])
        data = self.bytes("in.mp4")
        (self.folder / "broken.mp4").write_bytes(data[:40000] + bytes(3000) + data[43000:])
        self.plan("broken.mp4", *self.words, "--exact", code=7, says=["broken.mp4", "damaged"])
        self.assertIn("75 says", self.vidconv("shard", "--help"))

    def test_interrupted_workers_publish_nothing(self):
        self.clip("long.mp4", seconds=60)
        self.plan("long.mp4", "--shards", "1", "--preset", "veryslow")
        run = subprocess.Popen([PROGRAM, "shard", "0", "job", "--progress", "plain"], cwd=self.folder,
                               stderr=subprocess.PIPE, text=True)
        while "fps" not in run.stderr.readline():
            self.assertIsNone(run.poll())
        run.terminate()
        self.assertEqual(run.wait(30), 143)
        run.stderr.close()
        self.assertEqual(list((self.folder / "job/parts").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
