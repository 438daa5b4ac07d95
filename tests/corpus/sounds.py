#!/usr/bin/env python3
"""Every kind of sound that this ffmpeg can make, to every container that `ffmpeg -c copy` keeps it in beside a video:
the output has it too, or a line names what is missing.

    sounds.py VIDCONV DIR [ENCODER...]    without names: all encoders; exits with 1 where one is wrong

Where VIDCONV_TEST_THINNING is set, as in tests/run.sh, each meets a third of the containers, another one each day.
"""

import datetime
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

# Containers, each with the video that it usually holds.
CONTAINERS = {
    "mp4": "libx264", "mov": "libx264", "mkv": "libx264", "webm": "libvpx", "avi": "mpeg4", "ts": "mpeg2video",
    "m2ts": "libx264", "mpg": "mpeg1video", "vob": "mpeg2video", "mxf": "mpeg2video", "dv": "dvvideo", "gxf": "mpeg2video",
    "ogv": "libtheora", "nut": "mpeg4", "flv": "flv", "wmv": "wmv2", "3gp": "mpeg4", "rm": "rv10"}
PICTURE = "-f lavfi -i testsrc2=size=720x576:rate=25:duration=0.4".split()
ONLY_STEREO = {"dv", "pcm_bluray", "s302m"}


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=60)


def ffmpeg(*words):
    return run("ffmpeg", "-nostdin", "-v", "error", "-y", *words)


def sound_of(path):
    """Returns the codec and number of packets of the first sound."""
    done = run("ffprobe", "-v", "error", "-select_streams", "a:0", "-count_packets", "-show_entries",
               "stream=codec_name,nb_read_packets", "-of", "json", path)
    streams = json.loads(done.stdout).get("streams", []) if done.returncode == 0 else []
    return (streams[0].get("codec_name"), streams[0].get("nb_read_packets")) if streams else None


def decoded(path):
    """Returns how many bytes a decoder makes of the first sound."""
    words = ["ffmpeg", "-nostdin", "-v", "quiet", "-i", str(path), "-map", "0:a:0", "-f", "s16le", "-"]
    return len(subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=60).stdout)


def encoders():
    lines = run("ffmpeg", "-v", "error", "-encoders").stdout.splitlines()
    return [words[1] for words in map(str.split, lines) if len(words) > 2 and words[0].startswith("A") and words[1] != "="]


def codec_of(encoder):
    """Returns the codec's name, which is often the encoder's too."""
    lines = [line for line in run("ffmpeg", "-v", "error", "-codecs").stdout.splitlines() if f" {encoder} " in line.partition("(encoders:")[2]]
    return lines[0].split()[1] if lines else encoder


def make(folder, encoder):
    """Makes a file with that sound and a video, in the first container that returns it intact."""
    codec = codec_of(encoder)
    channels = "2" if encoder in ONLY_STEREO else "1"
    for rate, ending in itertools.product(("48000", "8000"), CONTAINERS):
        path = folder / f"{encoder}.{ending}"
        made = ffmpeg(*PICTURE, "-f", "lavfi", "-i", f"sine=sample_rate={rate}:duration=0.4", "-pix_fmt", "yuv420p", "-c:v", CONTAINERS[ending], "-c:a", encoder,
                      "-ac", "2" if ending == "dv" else channels, "-strict", "-2", path)
        if made.returncode == 0 and (found := sound_of(path)) and found[0] == codec and int(found[1] or 0) > 0:
            return path, found
        path.unlink(missing_ok=True)
    return None, None


def check(vidconv, folder, encoder, turn):
    """Returns the number of comparisons, and what is wrong. `turn` moves the share of a thinned run."""
    source, sound = make(folder, encoder)
    if not source:
        return 0, []
    compared, wrong, whole = 0, [], decoded(source)
    share = (datetime.date.today().toordinal() + turn) % 3
    containers = list(CONTAINERS.items())
    for ending, video in containers[share::3] if "VIDCONV_TEST_THINNING" in os.environ else containers:
        judge, out = folder / f"judge.{ending}", folder / f"out.{ending}"
        done = ffmpeg("-i", source, "-map", "0:v:0", "-map", "0:a:0", "-c:v", video, "-c:a", "copy", "-strict", "-2", judge)
        kept = done.returncode == 0 and (found := sound_of(judge)) and found[0] == sound[0] and decoded(judge) >= 0.9 * whole
        done = run(vidconv, source, "-o", out, "-y", "--kernel", "box", "--codec", video)
        found = sound_of(out) if done.returncode == 0 else None
        compared += bool(kept)
        if kept and (not found or found[0] != sound[0]):
            wrong.append(f"{source.name} -> {ending}: ffmpeg keeps {sound[0]}, vidconv has {found}: {done.stderr.strip()[-300:]}")
        if done.returncode == 0 and not found and "left out" not in done.stderr:
            wrong.append(f"{source.name} -> {ending}: the sound is gone, and no line says so: {done.stderr.strip()[-300:]}")
        elif found and decoded(out) < whole and "times for sound" not in done.stderr and "are not kept" not in done.stderr:
            wrong.append(f"{source.name} -> {ending}: a decoder makes {decoded(out)} bytes of it, and {whole} of the input's: {done.stderr.strip()[-300:]}")
        if found and found[0] != sound[0] and f"readers will take #1 (audio, {sound[0]}) for {found[0]}" not in done.stderr:
            wrong.append(f"{source.name} -> {ending}: {sound[0]} comes back as {found[0]}")
    return compared, wrong


def check_misnamed(vidconv, folder):
    """MP4 has one name for all layers of MPEG audio: layer 2, called layer 3, goes where layer 2 does, and nowhere else."""
    source = folder / "misnamed.mp4"
    ffmpeg(*PICTURE, "-f", "lavfi", "-i", "sine=duration=0.4", "-c:v", "mpeg4", "-c:a", "mp2", source)
    wrong = []
    for ending in ("flv", "mkv", "avi"):
        out = folder / f"out.{ending}"
        done = run(vidconv, source, "-o", out, "-y", "--kernel", "box")
        found = sound_of(out) if done.returncode == 0 else None
        right = found is None and "left out: #1 (audio, mp2)" in done.stderr if ending == "flv" else found is not None and found[0] == "mp2"
        if not right:
            wrong.append(f"{source.name} -> {ending}: {found}: {done.stderr.strip()[-300:]}")
    return 3, wrong


def main():
    vidconv, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compared, wrong = (0, []) if names else check_misnamed(vidconv, folder)
    print(f"misnamed: {compared}", *wrong, sep="\n    ", flush=True)
    failed = len(wrong)
    for turn, encoder in enumerate(encoders() if not names else [e for e in encoders() if e in names]):
        count, wrong = check(vidconv, folder, encoder, turn)
        compared += count
        failed += len(wrong)
        print(f"{encoder}: {count} containers", *wrong, sep="\n    ", flush=True)
    print(f"{compared} compared, {failed} wrong")
    return 1 if failed else 0 if compared else 77


if __name__ == "__main__":
    sys.exit(main())
