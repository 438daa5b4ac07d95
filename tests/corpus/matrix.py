#!/usr/bin/env python3
"""Every encoder of this ffmpeg, every container it may go into, and of each what is special: fields, transparency, full
range, 10 bits, sound that begins late. What comes out has it, or a line says that it has not.

    matrix.py VIDCONV DIR [ENCODER...] [--containers ENDING,...]    without names: all of ffmpeg's list; hours

Exits with 1 where one is unexplained, with 77 where nothing could be compared.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

CONTAINERS = "mkv mov mp4 avi nut mxf ts mpg vob webm ogv flv wmv gif apng y4m dv gxf rm roq amv asf 3gp m4v m2ts ivf %d.png %d.tiff %d.exr %d.dpx %d.webp".split()
SIZE = "720x576"
PLAIN = f"-f lavfi -i testsrc2=s={SIZE}:r=25:d=0.12 "
# What is special, how it is made, losslessly, and what a line may say of its loss.
SPECIAL = {
    "plain": (PLAIN + "-pix_fmt yuv420p -c:v ffv1", None),
    "fields": (PLAIN + "-vf setfield=tff -pix_fmt yuv422p -c:v ffv1 -level 3 -field_order tt", "interlaced"),
    "alpha": (PLAIN + "-vf format=yuva444p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='mod(X,256)' -c:v ffv1", "transparent|converted to|does not keep"),
    "full": (PLAIN + "-vf scale=out_range=full -pix_fmt yuv420p -color_range pc -c:v ffv1", "range|converted to"),
    "deep": (PLAIN + "-pix_fmt yuv420p10le -c:v ffv1", "converted to|keeps|does not keep"),
    "sound": (f"-f lavfi -i testsrc2=s={SIZE}:r=25:d=0.6 -itsoffset 0.3 -f lavfi -i sine=sample_rate=48000:duration=0.2 -map 0 -map 1 -pix_fmt yuv420p -c:v ffv1 -c:a pcm_s16le",
              "left out|cannot hold these streams"),
}


def run(*words, limit=60):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=limit)


def names_of(kind):
    lines = run("ffmpeg", "-v", "error", f"-{kind}").stdout.splitlines()
    return [w[1] for w in map(str.split, lines) if len(w) > 2 and w[0].startswith("V") and w[1] != "="]


def encoders():
    chips = re.compile("_(vaapi|nvenc|qsv|v4l2m2m|amf|omx|mf|videotoolbox|vulkan)$")
    return [name for name in names_of("encoders") if not chips.search(name)]


def described(path):
    found = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-show_frames", "-select_streams", "v:0", "-show_entries",
                           "frame=interlaced_frame,pix_fmt,color_range", "-of", "json", path).stdout or "{}")
    return found.get("streams", []), found.get("frames", [])


def kept(special, path, frames):
    first = frames[0] if frames else {}
    pixels = first.get("pix_fmt", "")
    if special == "fields":
        return first.get("interlaced_frame") == 1
    if special == "alpha":
        return bool(re.search("^(yuva|vuya|gbrap|ya|pal8)|^(argb|rgba|abgr|bgra)", pixels))
    if special == "full":
        return first.get("color_range") == "pc" or pixels.startswith(("yuvj", "rgb", "bgr", "gbr", "gray", "pal", "argb", "abgr", "0rgb", "0bgr", "mono"))
    if special == "deep":
        return bool(re.search("(9|10|12|14|16|32|48|64)(le|be)?$|p010|x2rgb", pixels))
    if special == "sound":
        return "audio" in run("ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", path).stdout
    return True


def check(vidconv, folder, encoder, ending, special):
    """What is unexplained; none where vidconv refuses and says why."""
    out = folder / (f"out{ending}" if ending.startswith("%") else f"out.{ending}")
    made = folder / out.name.replace("%d", "1")
    made.unlink(missing_ok=True)
    try:
        done = run(vidconv, folder / f"{special}.mkv", "-o", out, "-y", "--kernel", "identity", "--codec", encoder, "--progress", "none")
    except subprocess.TimeoutExpired:
        return "it hangs"
    said = "\n".join(line for line in done.stderr.splitlines() if "device-chosen" not in line)
    if done.returncode in (2, 4) and re.search(r"\[(output-unsuited|output-unwritable|command-line|encoder-option)\]", said):
        return None if "frame_thread" not in said else f"no reason: {said}"
    if done.returncode < 0 and run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", folder / f"{special}.mkv", "-c:v", encoder, "-strict", "-2", made).returncode < 0:
        return None  # the encoder ends any process: rpza, of large pictures
    if done.returncode != 0:
        return f"exit code {done.returncode}: {said[-300:]}"
    streams, frames = described(made)
    if not streams:
        return f"no video: {said[-300:]}"
    wanted = 1 if "%" in ending else 15 if special == "sound" else 3
    if len(frames) < wanted and not re.search("the same as the one|fewer frames", said):
        return f"{len(frames)} frames of {wanted}: {said[-300:]}"
    lost = SPECIAL[special][1]
    if not kept(special, made, frames) and not re.search(lost or "$^", said):
        return f"{special} is gone, and no line says so: {said[-300:]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vidconv")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("encoders", nargs="*")
    parser.add_argument("--containers", default=",".join(CONTAINERS))
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    for name, (words, _) in SPECIAL.items():
        made = run("ffmpeg", "-nostdin", "-v", "error", "-y", *words.split(), options.folder / f"{name}.mkv")
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
    compared, wrong, refused = 0, [], 0
    known = encoders()
    for encoder in [name for name in known if not options.encoders or name in options.encoders]:
        for ending in options.containers.split(","):
            for special in SPECIAL:
                result = check(options.vidconv, options.folder, encoder, ending, special)
                if result is None:
                    refused += 1
                    if special == "plain":
                        break  # as it would the others
                    continue
                compared += 1
                if result:
                    wrong.append(f"{encoder} in {ending}, {special}: {result}")
                    print("WRONG ", wrong[-1], flush=True)
    print(f"{compared} compared, {refused} refused with a reason, {len(wrong)} unexplained")
    return 1 if wrong else 0 if compared else 77


if __name__ == "__main__":
    sys.exit(main())
