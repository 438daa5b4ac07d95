#!/usr/bin/env python3
"""Plans with --keep-unchanged: unchanged_test.py VIDCONV

Workers encode what a filter changes, and join copies the rest: the bytes are those of one process, and what is copied has
the bytes of the input.
"""
import json
import pathlib
import subprocess
import sys
import unittest

from support import INPUT, OUTPUT, USAGE, PartsTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
X264 = ("-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p")
X265 = ("-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params",
        "keyint=25:open-gop=0:log-level=error:pools=2")
MPEG2 = ("-c:v", "mpeg2video", "-q:v", "3", "-g", "25", "-bf", "2", "-mpv_flags", "+strict_gop", "-sc_threshold",
         "1000000000")
FILTER = ("--kernel", "box:size=5:between=1.2s-1.8s", "--kernel", "sobel:between=4.1s-5.9s")


class KeepUnchanged(PartsTest):
    def plan_kept(self, name, *options, output="out.mkv", **expected):
        return self.vidconv("plan", name, "-o", output, *FILTER, "--keep-unchanged", *options, "--dir", "job", "-y",
                            **expected)

    def make(self, output="out.mkv"):
        for part in reversed(self.parts()):
            self.vidconv("shard", part, "job", "-q")
        self.vidconv("join", "job", "-o", output, "-q", "-y")

    def expect_bytes(self, name, *options, output="out.mkv", jobs_of=("3",)):
        one = "one-" + output
        for jobs in jobs_of:
            self.vidconv(name, "-o", one, *FILTER, "--keep-unchanged", *options, "-y", "-q", "--jobs", jobs)
            self.assertEqual(self.bytes(output), self.bytes(one), f"the bytes differ with {jobs} jobs")

    def packets(self, name):
        """When packets of the video are shown, and digests of their bytes."""
        shown = subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_data_hash", "md5", "-show_entries",
             "packet=pts_time,data_hash", "-of", "json", name],
            cwd=self.folder, capture_output=True, text=True, check=True)
        return {packet["pts_time"]: packet["data_hash"] for packet in json.loads(shown.stdout)["packets"]}

    def expect_same(self, name, *options, output="out.mkv", copied):
        words = (name, "--shards", "1.2s", *options)
        self.plan_kept(*words, output=output, says=[f"{copied} frames are copied", "[kept]"])
        plan = self.read_plan()
        self.assertIn("--keep-unchanged", plan["options"])
        self.assertEqual(plan["frames"], 200 - copied)
        self.make(output)
        self.expect_bytes(*words, output=output)
        before, after = self.packets(name), self.packets(output)
        self.assertEqual(len(after), 200)
        self.assertGreaterEqual(sum(before[time] == after.get(time) for time in before), copied)

    def test_each_codec(self):
        for name, encoding, copied in (
                ("h264.mp4", X264, 125), ("h264.mkv", (*X264, "-bf", "3"), 125), ("h264.mov", X264, 125),
                ("hevc.mp4", X265, 125), ("hevc.mkv", X265, 125), ("hvc1.mp4", (*X265, "-tag:v", "hvc1"), 125),
                ("open-mpeg2.mkv", MPEG2, 121), ("mpeg2.mkv", (*MPEG2, "-flags", "+cgop"), 125),
                ("prores.mov", ("-c:v", "prores_ks", "-profile:v", "3"), 140),
                ("dnxhr.mov", ("-c:v", "dnxhd", "-profile:v", "dnxhr_hq", "-pix_fmt", "yuv422p", "-s", "256x144"), 140),
                ("mjpeg.mov", ("-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"), 140),
                ("ffv1.mkv", ("-c:v", "ffv1", "-level", "3", "-g", "1", "-slices", "4"), 140),
                ("ffv1-groups.mkv", ("-c:v", "ffv1", "-level", "3", "-g", "5", "-slicecrc", "0"), 135),
                ("vp9.mkv", ("-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "20", "-g", "25", "-cpu-used", "8", "-pix_fmt",
                             "yuv420p"), 125),
                ("av1.mkv", ("-c:v", "libsvtav1", "-crf", "30", "-g", "25", "-preset", "12", "-pix_fmt", "yuv420p"), 125)):
            with self.subTest(name):
                self.clip(name, *encoding)
                options = ("--preset", "ultrafast") if encoding in (X264, X265) else ()
                self.expect_same(name, *options, output="out-" + name, copied=copied)

    def test_each_way_to_cut(self):
        self.clip("in.mp4", *X264)
        for shards in ("auto", "3", "10s"):
            with self.subTest(shards):
                self.plan_kept("in.mp4", "--shards", shards)
                self.assertEqual(self.read_plan()["shards"], shards)
                self.make()
                self.expect_bytes("in.mp4", "--shards", shards, jobs_of=("1", "3"))

    def test_an_audit_is_that_of_one_process(self):
        for name, encoding, region in (("in.mp4", X264, ""), ("in.mkv", ("-c:v", "ffv1", "-g", "5"), ":region=10,10,40,30")):
            with self.subTest(name):
                self.clip(name, *encoding)
                filters = ("--kernel", f"box:size=5:between=1.2s-1.8s{region}", *FILTER[2:])
                words = (name, "--shards", "1.2s", *filters, "--keep-unchanged")
                self.vidconv("plan", *words, "-o", "out.mkv", "--audit", "named-for-join.jsonl", "--dir", "job", "-y",
                             says=["--audit FILE", "vidconv join"])
                self.assertIs(self.read_plan()["audit"], True)
                self.make("without-audit.mkv")
                self.vidconv("join", "job", "-o", "out.mkv", "--audit", "joined.jsonl", "-q", "-y")
                self.vidconv(*words, "-o", "one.mkv", "--audit", "one.jsonl", "-q", "-y")
                self.assertEqual(self.bytes("out.mkv"), self.bytes("one.mkv"))
                self.assertEqual(self.bytes("joined.jsonl"), self.bytes("one.jsonl"))
                self.assertIn(b'"kept"', self.bytes("joined.jsonl"))
                self.assertFalse((self.folder / "named-for-join.jsonl").exists())
        check = ROOT / "samples/check_audit.py"
        subprocess.run([sys.executable, check, "joined.jsonl", "in.mkv", "out.mkv"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)

    def test_an_audit_that_is_missing_or_changed(self):
        self.clip("in.mp4", *X264)
        self.plan_kept("in.mp4", "--shards", "auto", "--audit", "audit.jsonl")
        self.make()
        join = ("join", "job", "-o", "out.mkv", "--audit", "audit.jsonl", "-q", "-y")
        self.vidconv(*join)
        whole = self.bytes("audit.jsonl")
        audit = self.path_of(1, "jsonl")
        for spoil in (audit.unlink, lambda: audit.write_bytes(audit.read_bytes()[:-1])):
            spoil()
            self.vidconv(*join, code=INPUT, says=["[part]", "part 1"])
            self.vidconv("shard", 1, "job", says=["made again"])
            self.vidconv("shard", 1, "job", says=["there and whole"])
            self.vidconv(*join)
            self.assertEqual(self.bytes("audit.jsonl"), whole)
        self.plan_kept("in.mp4", "--shards", "auto")
        self.assertNotIn("audit", self.read_plan())
        self.vidconv(*join, code=USAGE, says=["--audit", "the plan is without one"])

    def test_transport_streams(self):
        self.clip("in.ts", *X264, "-bf", "2")
        for output in ("out.ts", "out.mp4"):
            with self.subTest(output):
                self.plan_kept("in.ts", "--shards", "auto", output=output, says=["125 frames are copied"])
                self.make(output)
                self.expect_bytes("in.ts", "--shards", "auto", output=output)

    def test_a_plan_carries_what_workers_cannot_know(self):
        self.clip("in.mp4", *X264, "-x264-params", "sps-id=1")
        self.plan_kept("in.mp4", "--shards", "auto", "--encoder-opt", "x264-params=ref=2")
        plan = self.read_plan()
        self.assertEqual([(part["before"], part["frames"]) for part in plan["parts"]], [(25, 25), (100, 50)])
        self.assertIn("--encoder-opt=x264-params=ref=2", plan["fitting"])
        self.assertIn("--encoder-opt=x264-params=sps-id=2", plan["fitting"])
        self.assertTrue(all(word.startswith(("--crf=", "--encoder-opt=")) for word in plan["fitting"]))
        # Copied packets are the input's, and join finds them there.
        self.assertNotIn("copied", json.dumps(plan))

    def test_what_a_stranger_writes_is_refused(self):
        self.clip("in.mp4", *X264)
        self.plan_kept("in.mp4", "--shards", "auto")
        honest = self.read_plan()
        for part in self.parts():
            self.vidconv("shard", part, "job", "-q")
        for word, why in (("--encoder-opt=x264-params=dump-yuv=victim", "may name a file"),
                          ("--encoder-opt=unheard-of=victim", "may name a file"),
                          ("--output=victim", "--output=victim"), ("--codec=h264_nvenc", "--codec"), ("victim", "victim")):
            with self.subTest(word):
                self.write_plan({**honest, "fitting": [*honest["fitting"], word]})
                for words in (("shard", 0, "job"), ("join", "job", "-o", "out.mkv")):
                    self.vidconv(*words, code=INPUT, says=["[plan]", why])
                self.assertFalse((self.folder / "victim").exists())
        one, other = honest["parts"]
        for parts in ([{**one, "before": 30}, other], [{**one, "end": other["begin"] + 1}, other],
                      [{**one, "before": -1}, other], [{**one, "end": 0}, other], [one, {**other, "before": 3}]):
            with self.subTest(parts):
                self.write_plan({**honest, "parts": parts})
                self.vidconv("join", "job", "-o", "out.mkv", code=INPUT)
                self.assertFalse((self.folder / "out.mkv").exists())
        self.write_plan({**honest, "options": [word for word in honest["options"] if word != "--keep-unchanged"]})
        self.vidconv("shard", 0, "job", code=INPUT, says=["[plan]", "--keep-unchanged alone"])
        self.write_plan(honest)
        self.vidconv("join", "job", "-o", "out.mkv", "-q")

    def test_other_quality_is_noticed_by_join(self):
        self.clip("in.mp4", *X264)
        self.plan_kept("in.mp4", "--shards", "auto")
        plan = self.read_plan()
        plan["fitting"] = ["--crf=40" if word.startswith("--crf=") else word for word in plan["fitting"]]
        self.write_plan(plan)
        for part in self.parts():
            self.vidconv("shard", part, "job", "-q")
        self.vidconv("join", "job", "-o", "out.mkv", code=INPUT, says=["[plan]", "fitted otherwise"])

    def test_a_plan_of_all_frames_where_nothing_can_be_copied(self):
        self.clip("in.mp4", *X264)
        words = ("in.mp4", "--shards", "2", "--codec", "ffv1")
        self.plan_kept(*words, says=["all is encoded", "the output ffv1", "[all-encoded]"])
        with_option = self.read_plan()
        self.make()
        self.vidconv("in.mp4", "-o", "one.mkv", *FILTER, *words[1:], "-q")
        self.assertEqual(self.bytes("out.mkv"), self.bytes("one.mkv"))
        self.vidconv("plan", *words, "-o", "out.mkv", *FILTER, "--dir", "job", "-y")
        self.assertEqual(self.read_plan(), with_option)
        self.plan_kept(*words, "--strict", code=OUTPUT, says=["nothing is copied", "[strict]"])

    def test_what_cannot_be_planned_is_refused(self):
        self.clip("in.mp4", *X264)
        self.vidconv("plan", "in.mp4", "-o", "out.mkv", "--kernel", "box:between=30s-40s", "--keep-unchanged", "--shards",
                     "2", "--dir", "job", code=USAGE, says=["no filter acts on any frame"])
        self.plan_kept("in.mp4", "--shards", "2", "--exact", code=USAGE, says=["--exact", "--keep-unchanged"])
        self.plan_kept("in.mp4", "--shards", "2", "--bitrate", "1M", code=USAGE, says=["--keep-unchanged cannot be beside"])
        self.assertFalse((self.folder / "job/plan.json").exists())

    def test_a_part_is_lost_and_made_again(self):
        self.clip("in.mp4", *X264)
        self.plan_kept("in.mp4", "--shards", "auto")
        self.make()
        whole = self.bytes("out.mkv")
        path = self.path_of(1)
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        self.vidconv("join", "job", "-o", "out.mkv", "-y", code=INPUT, says=["corrupt"])
        self.vidconv("shard", 1, "job", "-q")
        self.vidconv("join", "job", "-o", "out.mkv", "-q", "-y")
        self.assertEqual(self.bytes("out.mkv"), whole)


if __name__ == "__main__":
    unittest.main()
