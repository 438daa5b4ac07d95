#!/usr/bin/env python3
"""Metadata of each picture (HDR10+, Dolby Vision, HDR Vivid): it comes out with the picture that it came in with, or a line
names that it does not. What this FFmpeg can keep is asked of itself.

    hdr.py VIDCONV DIR    exits with 1 where something is wrong
"""

import json
import sys

import make
from checks import Checks, run_checks

NAMES = {"hdr10plus": "HDR10+", "vivid": "HDR Vivid", "dolby_vision": "Dolby Vision"}
OF_FRAMES = ("HDR Dynamic Metadata SMPTE2094-40 (HDR10+)", "Dolby Vision Metadata")
QUICK = {"libx265": ("--encoder-opt", "preset=ultrafast"), "libsvtav1": ("--encoder-opt", "preset=12"),
         "libaom-av1": ("--encoder-opt", "cpu-used=8"), "libx264": (), "ffv1": (), "libvpx-vp9": ("--encoder-opt", "cpu-used=8")}


class Hdr(Checks):
    def __init__(self, vidconv, folder):
        super().__init__(vidconv, folder)
        self.encoders = make.available_encoders()
        for kind in NAMES:
            make.dynamic_hdr(folder, f"{kind}.mp4", kind)
        versions = self.run("ffmpeg", "-version").stdout
        utilities = next(line for line in versions.splitlines() if line.startswith("libavutil"))
        numbers = [int(n) for n in utilities.split("/")[-1].replace(" ", "").split(".")]
        self.writes_hdr10plus = numbers >= [58, 5, 100]

    def metadata(self, path):
        """Returns ffprobe's metadata of each frame, in display order."""
        done = self.run("ffprobe", "-v", "error", "-select_streams", "v", "-show_frames", "-show_entries", "frame=side_data_list", "-of", "json", path)
        frames = json.loads(done.stdout or "{}").get("frames", [])
        return [[s for s in f.get("side_data_list", []) if s["side_data_type"] in OF_FRAMES] for f in frames]

    def keeps(self, kind, encoder, ending):
        if kind == "hdr10plus":
            return self.writes_hdr10plus and (encoder in ("libx265", "libsvtav1", "libaom-av1") or ending == "mkv")
        return kind == "dolby_vision" and "dolbyvision" in self.run("ffmpeg", "-v", "quiet", "-h", f"encoder={encoder}").stdout

    def compare(self, kind, name, kept, *options):
        what = f"{kind} {name} {' '.join(options)}"
        source = self.folder / f"{kind}.mp4"
        code, said = self.filter(source, name, *options)
        self.expect(f"{what}: exit code {code}, {said}", code == 0)
        has, made = self.metadata(source), self.metadata(self.folder / name)
        self.expect(f"{what}: {len(made)} frames of {len(has)}", len(made) == len(has) == 10)
        named = NAMES[kind] in said
        self.expect(f"{what}: kept {kept}, but said: {said}", named != kept)
        strict, _ = self.filter(source, f"strict-{name}", *options, "--strict")
        self.expect(f"{what}: exit code {strict} of --strict", strict == 0 or not kept)
        self.expect(f"{what}: --strict takes a loss", strict == 4 or kept)
        if kept:
            self.expect(f"{what}: {has} becomes {made}", all(has) and made == has)
        else:
            self.expect(f"{what}: it is not kept, and is there: {made}", not any(made))
        print("kept  " if kept else "named ", what, flush=True)

    def encoders_and_containers(self):
        for kind in NAMES:
            for encoder, options in QUICK.items():
                for ending in ("mkv", "mp4"):
                    if encoder in self.encoders and not (encoder == "ffv1" and ending == "mp4"):
                        self.compare(kind, f"{kind}-{encoder}.{ending}", self.keeps(kind, encoder, ending), "--codec", encoder, *options, "--kernel", "box")
        for kind in NAMES:
            self.compare(kind, f"{kind}.y4m", False)

    def in_parts(self):
        for kind in ("hdr10plus", "dolby_vision"):
            for encoder in ("libx265", "libsvtav1"):
                if encoder in self.encoders:
                    self.compare(kind, f"{kind}-{encoder}-parts.mp4", self.keeps(kind, encoder, "mp4"), "--codec", encoder, *QUICK[encoder],
                                 "--shards", "3", "--jobs", "2")

    def on_hosts(self):
        """Shards on other hosts hold packets only, without side data."""
        for kind, encoder in (("hdr10plus", "libx265"), ("dolby_vision", "libx265"), ("hdr10plus", "libx264"), ("hdr10plus", "libvpx-vp9")):
            name = f"{kind}-{encoder}"
            source, out, job = self.folder / f"{kind}.mp4", self.folder / f"{name}-joined.mkv", self.folder / f"{name}-job"
            steps = [("plan", source, "-o", out, "--kernel", "box", "--codec", encoder, *QUICK[encoder], "--shards", "2", "--dir", job),
                     ("shard", "0", job), ("shard", "1", job), ("join", job, "-o", out)]
            said = ""
            for step in steps:
                done = self.run(self.vidconv, *step)
                said += done.stderr
                self.expect(f"{name} {step[0]}: exit code {done.returncode}, {done.stderr}", done.returncode == 0)
            has, made = self.metadata(source), self.metadata(out)
            kept = self.keeps(kind, encoder, "mp4")
            self.expect(f"{name} on hosts: {has} becomes {made}", made == has if kept else len(made) == len(has) and not any(made))
            self.expect(f"{name} on hosts: kept {kept}, but said: {said}", (NAMES[kind] in said) != kept)

    def moved(self):
        """Metadata of a picture is dropped if the picture is rotated or put beside another."""
        for kind in ("hdr10plus", "dolby_vision"):
            self.compare(kind, f"{kind}-beside.mp4", False, "--codec", "libx265", "--compare", "side")
            self.compare(kind, f"{kind}-turned.mkv", False, "--codec", "libx264", "--orientation", "90")
            self.compare(kind, f"{kind}-upright.mp4", self.keeps(kind, "libx265", "mp4"), "--codec", "libx265", "--orientation", "0")


if __name__ == "__main__":
    sys.exit(run_checks(Hdr, "encoders_and_containers", "in_parts", "on_hosts", "moved"))
