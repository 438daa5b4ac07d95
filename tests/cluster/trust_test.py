#!/usr/bin/env python3
"""Plans that a stranger has written: trust_test.py VIDCONV

A plan is data. What it may bring is a list, what is written is named on the worker's command line, and nothing that is
found in its folder keeps a worker waiting or grows without end.
"""
import hashlib
import os
import re
import unittest

from support import AGAIN, INPUT, OUTPUT, USAGE, PartsTest

# A plan may carry only these options: they bear on the bytes of the output and name no file to be written.
CARRIED = {"--kernel", "--border", "--planes", "--range", "--linear", "--alpha", "--scan", "--compare", "--fps",
           "--format-in", "--input-opt", "--start", "--duration", "--video", "--copy-times", "--codec", "--crf",
           "--preset", "--encoder-opt", "--bitrate", "--shards", "--pix-fmt", "--audio", "--muxer-opt", "--format",
           "--threads", "--keep-unchanged"}


class Trust(PartsTest):
    def setUp(self):
        super().setUp()
        self.clip()
        self.plan("in.mp4", "--shards", "2", "--preset", "ultrafast")
        self.honest = self.read_plan()
        self.before = self.names()

    def names(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}

    def with_options(self, *words):
        self.write_plan({**self.honest, "options": [*self.honest["options"], *words]})

    def expect_refused(self, *says):
        for words in (("shard", 0, "job"), ("join", "job", "-o", "out.mkv", "-y")):
            self.vidconv(*words, code=INPUT, says=["[plan]", *says])
        self.assertEqual(self.names(), self.before)

    def test_every_option_that_a_plan_may_not_carry(self):
        options = set(re.findall(r"^ +(-y|--[a-z-]+)|, (--[a-z-]+)", self.vidconv("--help"), re.MULTILINE))
        options = {one or other for one, other in options}
        self.assertTrue(options > CARRIED, CARRIED - options)
        for option in sorted(options - CARRIED):
            for word in (option, option + "=victim"):
                with self.subTest(word):
                    self.with_options(word)
                    self.expect_refused(option)
        for word in ("in.mp4", "-o", "-ovictim", "--", "-", "victim.mkv", "--kern=box", ""):
            with self.subTest(word):
                self.with_options(word)
                self.expect_refused()

    def test_options_that_name_files(self):
        for option in ("--encoder-opt=x264-params=dump-yuv=victim", "--encoder-opt=x264opts=dump-yuv=1",
                       "--encoder-opt=x264-params=dump_yuv", "--encoder-opt=x264-params=ref=2:STATS=1:me=hex",
                       "--encoder-opt=x264-params='dump-yuv'=1", "--encoder-opt=x264-params=me=/victim",
                       "--encoder-opt=x265-params=csv=victim", "--encoder-opt=x265-params=recon=victim",
                       "--encoder-opt=aom-params=film-grain-table=victim", "--encoder-opt=stats=victim",
                       "--encoder-opt=aom-params=second-pass-log=1", "--encoder-opt=aom-params=two_pass_input=1",
                       "--encoder-opt=x264-params= dump-yuv=1", "--encoder-opt=x264-params=dump-yuv =1",
                       "--encoder-opt=x264-params=ref=2:no-dump-yuv=1", "--encoder-opt=x264opts=nodump-yuv=0",
                       "--encoder-opt=x265-params=--csv=1", "--encoder-opt=x265-params=--no-csv",
                       "--encoder-opt=x265-params=\tnocsv=1",
                       "--encoder-opt=x265-params=film-grain=1", "--encoder-opt=x265-params=aom-film-grain=1",
                       "--encoder-opt=vvenc-params=tracefile=1", "--encoder-opt=xeve-params=recon=1",
                       "--encoder-opt=svtav1-params=fgs-table=victim", "--encoder-opt=unheard-of=victim",
                       "--encoder-opt=x264-params=zones=0,9,dump-yuv=victim", "--muxer-opt=unheard-of=victim",
                       "--muxer-opt=dump_separator=victim", "--input-opt=protocol_whitelist=file,http",
                       "--input-opt=cert_file=victim", "--input-opt=post_data=0123"):
            with self.subTest(option):
                self.with_options(option)
                self.expect_refused("may name a file")
                self.plan("in.mp4", "--shards", "2", *option.split("=", 1), folder="another", code=USAGE,
                          says=["may name a file"])
        for option in ("--format-in=sdp", "--format-in=lavfi", "--format-in=x11grab", "--codec=h264_nvenc",
                       "--codec=h264_v4l2m2m"):
            self.with_options(option)
            self.expect_refused(option)

    def test_options_that_name_none_are_taken(self):
        words = ("in.mp4", "--shards", "2", "--preset", "ultrafast", "--encoder-opt", "tune=film", "--encoder-opt",
                 "x264-params=ref=2:me=hex:psy-rd=0.5,0:no-cabac:colorprim=bt709", "--encoder-opt", "bf=1",
                 "--encoder-opt", "aq-mode=variance", "--muxer-opt", "reserve_index_space=1024", "--input-opt",
                 "ignore_editlist=0")
        self.plan(*words, "-y")
        for part in self.parts():
            self.vidconv("shard", part, "job", "-q")
        self.vidconv("join", "job", "-o", "out.mkv", "-q")
        self.expect_bytes_of_one_process(*words)

    def test_the_output_is_named_by_who_joins(self):
        for part in self.parts():
            self.vidconv("shard", part, "job", "-q")
        self.vidconv("join", "job", code=USAGE, says=["--output", "-o OUTPUT"])
        self.vidconv("join", "job", "-o", "out.mp4", code=INPUT, says=["out.mp4", "'.mkv'"])
        for output in ("-", "udp://127.0.0.1:9/a.mkv"):
            self.vidconv("join", "job", "-o", output, code=USAGE, says=["joined into a file"])
        self.vidconv("join", "job", "--dry-run")
        (self.folder / "other.mkv").write_text("precious")
        self.vidconv("join", "job", "-o", "other.mkv", code=OUTPUT, says=["other.mkv", "exists"])
        self.vidconv("join", "job", "-o", "other.mkv", "-q", "-y")
        self.expect_bytes_of_one_process("in.mp4", "--shards", "2", "--preset", "ultrafast", output="other.mkv")

    def test_what_workers_are_told_stands_in_the_job(self):
        told = ("--device", "cpu", "--max-pixels", "99999", "-y", "--strict")
        self.plan("in.mp4", "--shards", "2", *told, says=["--max-pixels=99999", "vidconv shard", "no-effect"])
        plan = self.read_plan()
        self.assertFalse([word for word in plan["options"] if "max-pixels" in word or "strict" in word])
        for kind in ("slurm", "parallel", "kubernetes"):
            script = self.plan("in.mp4", "--shards", "2", *told, "--script", kind)
            for command in (" join", '"join"') if kind == "kubernetes" else ("vidconv shard", "vidconv join"):
                lines = [line for line in script.splitlines() if command in line and not line.startswith("#")]
                for word in ("--device=cpu", "--max-pixels=99999", "--strict"):
                    self.assertTrue(all(word in line for line in lines), (kind, lines))

    def replaced(self, path):
        """Replaces a file by things that block a reader, have no end, or are no files."""
        for make in (lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero"), path.mkdir,
                     lambda: path.symlink_to(path.name)):
            whole = path.read_bytes()
            path.unlink()
            make()
            yield
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
            path.write_bytes(whole)

    def test_pipes_and_devices_in_place_of_files(self):
        for part in self.parts():
            self.vidconv("shard", part, "job", "-q")
        for path in (self.folder / "job/plan.json", self.path_of(0, "json"), self.path_of(0)):
            for _ in self.replaced(path):
                self.vidconv("join", "job", "-o", "out.mkv", code=INPUT)
                if path.name == "plan.json":
                    self.vidconv("shard", 0, "job", code=INPUT)
        for _ in self.replaced(self.folder / "in.mp4"):
            self.path_of(1, "json").unlink(missing_ok=True)
            self.vidconv("shard", 1, "job", code=None)
            self.vidconv("join", "job", "-o", "out.mkv", code=None)
            self.plan("in.mp4", "--shards", "2", folder="another", code=None)

    def test_numbers_that_are_none(self):
        def changed(name, value):
            self.write_plan({**self.honest, name: value})
            self.vidconv("shard", 0, "job", code=INPUT, says=["[plan]", "whole number"])
        parts = self.honest["parts"]
        for number in (1e300, 1 << 63, -1, 0, 0.5, "1", None, True):
            changed("time_base", [number, 1])
            changed("parts", [{**parts[0], "frames": number}, *parts[1:]])
            changed("source", {**self.honest["source"], "bytes": number})
        changed("parts", [{**part, "frames": (1 << 62) + 1} for part in parts])
        changed("parts", [{**part, "begin": 7} for part in parts])
        changed("parts", [{**part, "begin": (1 << 63) - 1} for part in parts])

    def test_numbers_that_are_too_large(self):
        """A part that claims more frames than there can be is not published; workers of others end in order."""
        self.plan("in.mp4", "--kernel", "time-box:size=5:every=4:phase=1", "--shards", "3", "-y")
        plan = self.read_plan()
        plan["parts"][0]["frames"] = 2**62
        plan["frames"] = sum(part["frames"] for part in plan["parts"])
        self.write_plan(plan)
        self.vidconv("shard", 0, "job", code=INPUT, says=["has 17 frames", str(2**62)])
        self.vidconv("shard", 2, "job", "-q")

    def test_playlists(self):
        """A plan holds no digest of what a playlist leads to: a stranger's may lead to any video below its folder."""
        (self.folder / "private").mkdir()
        self.clip("private/a.ts")
        lists = {"list.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:8\n#EXTINF:8,\nprivate/a.ts\n#EXT-X-ENDLIST\n",
                 "list.ffconcat": "ffconcat version 1.0\nfile private/a.ts\n", "list.txt": "file private/a.ts\n"}
        for name, text in lists.items():
            path = self.folder / name
            path.write_text(text)
            reading = ["--format-in=concat"] if name == "list.txt" else []
            self.plan(name, "--shards", "4s", *reading, folder="another", code=INPUT, says=["refers to other files"])
            self.write_plan({**self.honest, "options": [*self.honest["options"], *reading],
                             "source": {"path": str(path), "bytes": len(text),
                                        "digest": hashlib.sha256(text.encode()).hexdigest()}})
            self.vidconv("shard", 0, "job", code=INPUT, says=["refers to other files"])
        self.assertEqual(list((self.folder / "job/parts").iterdir()), [])

    def test_sources_that_are_no_files(self):
        for path in ("in.mp4", "-", "pattern:64x48", "v4l2:/dev/video0"):
            self.write_plan({**self.honest, "source": {**self.honest["source"], "path": path}})
            self.expect_refused("absolute")
        self.write_plan({**self.honest, "source": {**self.honest["source"], "path": "/dev/zero"}})
        self.expect_refused("every host")
        self.write_plan({**self.honest, "source": {**self.honest["source"], "path": str(self.folder / "none")}})
        self.vidconv("shard", 0, "job", code=AGAIN)


if __name__ == "__main__":
    unittest.main()
