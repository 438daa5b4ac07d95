#!/usr/bin/env python3
"""Parts that workers cut out of all kinds of inputs: cuts_test.py VIDCONV

Each worker finds the frames of its own part alone; all of them joined are the bytes of one process.
"""
import subprocess
import unittest

from support import USAGE, PartsTest, ffmpeg

X264 = ("-c:v", "libx264", "-preset", "ultrafast", "-bf", "3")
OPEN_H264 = (*X264, "-x264-params", "open-gop=1:keyint=30:bframes=3:b-adapt=0:scenecut=0")
OPEN_HEVC = ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
             "open-gop=1:keyint=30:bframes=3:b-adapt=0:scenecut=0:log-level=error:pools=2")
FAST = ("--codec", "libx264", "--preset", "ultrafast")


class Cuts(PartsTest):
    def expect_same(self, name, *options, output="out.mkv", shards="4", counted=None, seeks=None):
        words = [name, *FAST, "--shards", shards, *options]
        self.plan(*words, "-y", output=output)
        plan = self.read_plan()
        self.assertGreater(len(plan["parts"]), 1)
        for part in reversed(self.parts()):
            self.vidconv("shard", part, "job", "-q")
        self.vidconv("join", "job", "-o", output, "-q", "-y")
        self.expect_bytes_of_one_process(*words, output=output)
        if counted:
            self.assertEqual(plan["counted"], counted)
        if seeks is not None:
            self.assertEqual(plan["seeks"], seeks)

    def test_open_gops_of_h264(self):
        for name in ("in.ts", "in.mp4", "in.mkv"):
            with self.subTest(name):
                self.setUp()
                self.expect_same(self.clip(name, *OPEN_H264), shards="5", counted="packets")

    def test_open_gops_of_hevc(self):
        for name in ("in.ts", "in.mp4"):
            with self.subTest(name):
                self.setUp()
                self.expect_same(self.clip(name, *OPEN_HEVC, seconds=6), shards="5", counted="packets")

    def test_av1(self):
        for name in ("in.mp4", "in.mkv"):
            with self.subTest(name):
                self.setUp()
                self.expect_same(self.clip(name, "-c:v", "libsvtav1", "-preset", "12", "-g", "30", seconds=5))

    def test_mpeg2(self):
        for name in ("in.ts", "in.mpg"):
            with self.subTest(name):
                self.setUp()
                self.expect_same(self.clip(name, "-c:v", "mpeg2video", "-bf", "2", "-g", "15"))

    def test_interlaced_h264(self):
        clip = self.clip("in.ts", *X264, "-flags", "+ildct+ilme", "-x264-params", "tff=1:keyint=30")
        self.expect_same(clip, counted="decoded")

    def test_vp8_has_frames_that_are_not_shown(self):
        self.expect_same(self.clip("in.webm", "-c:v", "libvpx", "-deadline", "realtime", "-auto-alt-ref", "1",
                                   "-lag-in-frames", "16", "-g", "30", seconds=4), counted="decoded")

    def test_variable_frame_rate(self):
        clip = self.clip("in.mkv", "-vf", "select=not(mod(n\\,3))+not(mod(n\\,4))", "-fps_mode", "vfr", *X264)
        self.expect_same(clip, counted="packets")
        self.expect_same(clip, output="out.mp4")

    def test_one_frame_of_several(self):
        """Parts are cut and counted by what comes out, of frames that begin anywhere among those of the input."""
        clip = self.clip("in.mp4", *X264, "-g", "30")
        for kernels, frames in ((["time-box:size=4:every=4"], 50),
                                (["time:1 2 3 2 1:scale=auto:every=3:phase=2:anchor=4"], 66),
                                (["time:1 1:scale=auto:anchor=0:every=7:phase=6", "sobel:between=2-5"], 28),
                                (["time-box:size=9:border=reflect:every=2", "time-gaussian:sigma=1.5:every=2:phase=1"], 50),
                                (["time-box:size=5:border=shrink", "time:1 2:scale=auto:every=40:phase=39"], 5)):
            with self.subTest(kernels):
                words = [word for kernel in kernels for word in ("--kernel", kernel)]
                self.expect_same(clip, *words, counted="packets")
                self.assertEqual(sum(part["frames"] for part in self.read_plan()["parts"]), frames)
                self.expect_same(clip, *words, "--start", "0.3", output="out.mp4")
        words = ("--kernel", "time-box:size=3:every=3:phase=1")
        self.expect_same(self.clip("ildct.ts", *X264, "-flags", "+ildct+ilme", "-x264-params", "tff=1:keyint=30"), *words,
                         counted="decoded")
        self.expect_same(self.clip("vfr.mkv", "-vf", "select=not(mod(n\\,3))+not(mod(n\\,4))", "-fps_mode", "vfr", *X264),
                         *words, output="out.mp4")

    def test_edit_lists(self):
        self.clip("long.mp4", *X264, "-g", "40")
        ffmpeg("-ss", "1.1", "-i", "long.mp4", "-c", "copy", "edited.mp4", cwd=self.folder)
        self.expect_same("edited.mp4")

    def test_times_that_do_not_begin_at_0(self):
        self.expect_same(self.clip("in.mkv", *X264, "-g", "30", "-output_ts_offset", "100.5"))

    def test_one_key_frame_in_all(self):
        self.expect_same(self.clip("in.mp4", *X264, "-g", "9999", "-sc_threshold", "0"), counted="packets")

    def test_no_times_at_all(self):
        self.clip("in.mp4", *X264, "-an")
        ffmpeg("-i", "in.mp4", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "in.h264", cwd=self.folder)
        self.expect_same("in.h264", shards="2s", seeks=False)

    def test_a_clock_that_begins_anew(self):
        for name in ("a.ts", "b.ts"):
            self.clip(name, *X264, "-g", "25", seconds=3)
        (self.folder / "both.ts").write_bytes(self.bytes("a.ts") + self.bytes("b.ts"))
        self.expect_same("both.ts", seeks=False)

    def test_a_part_of_the_input(self):
        clip = self.clip("in.ts", *OPEN_H264)
        self.expect_same(clip, "--start", "1.3", "--duration", "4.1")
        self.expect_same(clip, "--duration", "3", output="two.mp4")

    def test_other_encoders_and_containers(self):
        clip = self.clip("in.mp4", *X264, "-g", "30", seconds=4)
        for codec, output in (("libx265", "a.mp4"), ("ffv1", "b.mkv"), ("mpeg4", "c.mp4"), ("prores_ks", "d.mov"),
                              ("mjpeg", "e.mkv"), ("libx264", "f.ts"), ("libvpx-vp9", "g.webm"),
                              ("libsvtav1", "h.mkv"), ("mpeg2video", "i.ts"), ("libx264", "j.mp4")):
            with self.subTest(codec):
                words = [clip, "--codec", codec, "--shards", "2", "--audio", "none" if output == "g.webm" else "copy"]
                if codec in ("libx264", "libx265"):
                    words += ["--preset", "ultrafast"]
                if codec == "libsvtav1":
                    words += ["--preset", "12"]
                if codec == "libvpx-vp9":
                    words += ["--encoder-opt", "deadline=realtime", "--encoder-opt", "cpu-used=8"]
                self.plan(*words, folder=output + ".job", output=output)
                for part in self.parts(output + ".job"):
                    self.vidconv("shard", part, output + ".job", "-q")
                self.vidconv("join", output + ".job", "-o", output, "-q")
                self.expect_bytes_of_one_process(*words, output=output)

    def test_what_parts_do_not_hold(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:duration=1,format=yuva420p", "-c:v", "ffv1", "in.mkv",
               cwd=self.folder)
        for codec in ("libvpx-vp9", "libvpx"):
            words = ("in.mkv", "--codec", codec, "--shards", "2", "-o", "out.webm", "--kernel", "box", "-y", "-q")
            self.vidconv("plan", *words, "--dir", "job", code=USAGE, says=[codec, "what is transparent", "one host"])
            self.assertFalse((self.folder / "job/plan.json").exists())
            self.vidconv(*words)  # where packets do not leave the process
            shown = subprocess.run(["ffmpeg", "-v", "error", "-c:v", codec, "-i", "out.webm", "-vf", "alphaextract", "-f",
                                    "framehash", "-"], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(len([line for line in shown.stdout.splitlines() if not line.startswith("#")]), 25)

    def test_compare_and_subtitles(self):
        (self.folder / "a.srt").write_text("1\n00:00:00,500 --> 00:00:02,000\none\n\n2\n00:00:07,000 --> "
                                           "00:00:07,500\ntwo\n")
        self.clip("v.mkv", *X264, "-g", "30")
        ffmpeg("-i", "v.mkv", "-i", "a.srt", "-map", "0", "-map", "1", "-c", "copy", "in.mkv", cwd=self.folder)
        self.expect_same("in.mkv", "--compare", "side")
        self.expect_same("in.mkv", output="out.mp4")


if __name__ == "__main__":
    unittest.main()
