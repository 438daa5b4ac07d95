#!/usr/bin/env python3
"""Every encoder of this ffmpeg, every container it may go into, and of each what is special: fields, transparency, full
range, 10 bits, sound that begins late. What comes out has it, or a line says that it has not.

    matrix.py VIDCONV DIR [NAME...] [--containers ENDING,...] [--size WxH] [--decoders]

Without names it is all of ffmpeg's list, which takes hours; less with a smaller size, which DV does not have.

With --decoders each codec that ffmpeg has an encoder for is what comes in, in the first container that keeps what is
special, and goes into every container as vidconv codes it by itself, and without loss. What encoders are given does not
depend on where it comes from but by its format, so that both axes together stand for all pairs.

Exits with 1 where one is unexplained, with 77 where nothing could be compared.
"""

import argparse
import collections
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys

CONTAINERS = "mkv mov mp4 avi nut mxf ts mpg vob webm ogv flv wmv gif apng y4m yuv dv gxf rm roq amv asf 3gp 3g2 m4v f4v ismv m2ts ivf mpjpeg smjpeg swf h264 hevc mjpeg m1v m2v obu psp wtv %d.jpg %d.png %d.tiff %d.exr %d.dpx %d.webp".split()
BY_NAME = ("mpjpeg", "smjpeg")  # muxers that no ending stands for
# Containers to find a codec for, those with the most metadata first.
IN = "mkv mov nut avi mxf mpg ogv webm flv gif apng dv roq amv ivf".split()
PLAIN = "-f lavfi -i testsrc2=s=SIZE:r=25:d=0.12 "
# Each special property, the arguments that make it losslessly, and a pattern for the message of its loss.
SPECIAL = {
    "plain": (PLAIN + "-pix_fmt yuv420p -c:v ffv1", None),
    "fields": (PLAIN + "-vf setfield=tff -pix_fmt yuv422p -c:v ffv1 -level 3 -field_order tt", "interlaced"),
    "alpha": (PLAIN + "-vf format=yuva444p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='mod(X,256)' -c:v ffv1", "transparent|converted to|does not keep"),
    "full": (PLAIN + "-vf scale=out_range=full -pix_fmt yuv420p -color_range pc -c:v ffv1", "range|converted to"),
    "deep": (PLAIN + "-pix_fmt yuv420p10le -c:v ffv1", "converted to|keeps|does not keep"),
    "sound": ("-f lavfi -i testsrc2=s=SIZE:r=25:d=0.6 -itsoffset 0.3 -f lavfi -i sine=sample_rate=48000:duration=1.4 -map 0 -map 1 -pix_fmt yuv420p -c:v ffv1 -c:a pcm_s16le",
              "left out|cannot hold these streams|has no times for sound"),
}


# Why a pair cannot be: what it is called here, what a line says, and whether ffmpeg has to refuse it too.
REASONS = (
    ("the container has no place for the codec", "the container does not take the codec|such a picture does not take the codec|there is no video encoder for the container", False),
    ("the muxer refuses", r"cannot write the output .*\[output-unwritable\]", True),
    ("the encoder has no such size, rate or format", r"cannot (open|encode with) .*\[(output-unwritable|encoder-option)\]", True),
    ("the output holds samples, not a codec", r"there is no encoder for '--codec .*the output is (y4m|raw) \[command-line\]", False),
    ("FFmpeg does not read again what it writes", r"reader (finds|takes).*\[output-unwritable\]", False),
    ("the encoder makes one picture of all", r"makes one picture of all frames.*\[output-unsuited\]", False),
    ("the encoder loses pictures", r"the encoder lost frames.*\[unaccounted\]", False),
    ("palettes are made for GIF alone", r"it takes pictures with a palette only.*\[output-unwritable\]", False),
)


def reason_of(said, refused_by_ffmpeg):
    """The name of the reason; none where no line says one, or where ffmpeg does what was refused."""
    return next((name for name, words, too in REASONS if re.search(words, said) and (not too or refused_by_ffmpeg())), None)


def run(*words, limit=60, text=True):
    return subprocess.run([str(w) for w in words], capture_output=True, text=text, errors="replace" if text else None, stdin=subprocess.DEVNULL, timeout=limit)


def names_of(kind):
    lines = run("ffmpeg", "-v", "error", f"-{kind}").stdout.splitlines()
    return [w[1] for w in map(str.split, lines) if len(w) > 2 and w[0].startswith("V") and w[1] != "="]


def encoders():
    chips = re.compile("_(vaapi|nvenc|qsv|v4l2m2m|amf|omx|mf|videotoolbox|vulkan)$")
    return [name for name in names_of("encoders") if not chips.search(name)]


def described(path):
    try:
        found = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-show_frames", "-select_streams", "v:0", "-show_entries",
                               "frame=interlaced_frame,pix_fmt,color_range", "-of", "json", path).stdout or "{}")
    except ValueError:  # ffprobe was ended by the file
        return [], []
    return found.get("streams", []), found.get("frames", [])


@functools.cache
def is_kept_by(special, source):
    """Returns the source's number of frames, and whether it has the special property."""
    frames = described(source)[1]
    return len(frames), kept(special, source, frames)


def sound_begins(path):
    """Returns when the first sound is heard, in seconds after the first picture; infinity where there is none."""
    # ASF tells when pictures are decoded, and of some codecs not when they are shown.
    lines = lambda stream: run("ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,dts_time", "-of", "csv=p=0", path).stdout.splitlines()
    first = lambda stream: min((float(next(t for t in words if t not in ("N/A", ""))) for words in (line.split(",") for line in lines(stream)) if set(words) - {"N/A", ""}), default=None)
    samples = run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "a:0", "-ac", "1", "-ar", "48000", "-f", "s16le", "-", text=False).stdout
    loud = next((i / 48000 for i, value in enumerate(memoryview(samples[:len(samples) // 2 * 2]).cast("h")) if abs(value) > 500), float("inf"))
    picture, sound = first("v:0"), first("a:0")
    return loud if picture is None or sound is None else loud + sound - picture


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
        return abs(sound_begins(path) - 0.3) < 0.1
    return True


def coded_by(folder, encoder, special):
    """Makes a file of that codec by ffmpeg, with the special property if possible; None if ffmpeg makes none that it decodes."""
    found, tries = None, 0
    for ending in IN:
        made = folder / f"in-{encoder}-{special}.{ending}"
        fields = "-flags +ilme+ildct -alternate_scan 1" if special == "fields" and encoder in ("mpeg2video", "mpeg4") else ""
        try:
            done = run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", folder / f"{special}.mkv", "-c:v", encoder, "-strict", "-2", *fields.split(), made)
        except subprocess.TimeoutExpired:
            return found  # old games' encoders take minutes for a picture
        frames = described(made)[1] if done.returncode == 0 else []
        if not frames or run("ffmpeg", "-v", "error", "-i", made, "-map", "0:v", "-f", "null", "-").stderr:
            continue
        found, tries = found or made, tries + 1
        if kept(special, made, frames):
            return made
        if tries == 3:
            break  # the codec itself cannot express it
    return found


def check(vidconv, folder, source, options, ending, special, refused):
    """What is unexplained; none where vidconv refuses and says why, which `refused` counts."""
    by_name = ["--format", ending] if ending in BY_NAME else []
    out = folder / (f"out{ending}" if ending.startswith("%") else f"out.{ending}")
    made = folder / out.name.replace("%d", "1")
    made.unlink(missing_ok=True)
    try:
        done = run(vidconv, source, "-o", out, "-y", "--kernel", "identity", *options, *by_name, "--progress", "none")
    except subprocess.TimeoutExpired:
        return "it hangs"
    said = "\n".join(line for line in done.stderr.splitlines() if "device-chosen" not in line)

    def by_ffmpeg():
        words = ["-i", source, *(["-c:v", options[1]] if options else []), "-strict", "-2", *(["-f", ending] if by_name else []), made]
        try:
            return run("ffmpeg", "-nostdin", "-v", "error", "-y", *words).returncode
        except subprocess.TimeoutExpired:
            return 1  # SVT-AV1 in a container that refuses it

    if done.returncode in (2, 4) or "the encoder lost frames" in said:
        reason = reason_of(said, lambda: by_ffmpeg() != 0)
        refused[reason] += reason is not None
        return None if reason else f"refused without a reason that is known: {said[-300:]}"
    if done.returncode < 0 and by_ffmpeg() < 0:  # rpza, of large pictures
        refused["the encoder ends any process"] += 1
        return None
    if done.returncode != 0:
        return f"exit code {done.returncode}: {said[-300:]}"
    if ending == "yuv":
        return ""  # the format cannot express any property
    streams, frames = described(made)
    if not streams:
        return f"no video: {said[-300:]}"
    wanted, is_there = is_kept_by(special, source)
    wanted = 1 if "%" in ending else wanted
    if len(frames) < wanted and not re.search("the same as the one|fewer frames", said):
        return f"{len(frames)} frames of {wanted}: {said[-300:]}"
    lost = SPECIAL[special][1]
    if is_there and not kept(special, made, frames) and not re.search(lost or "$^", said):
        return f"{special} is gone, and no line says so: {said[-300:]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vidconv")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--decoders", action="store_true")
    parser.add_argument("--containers", default=",".join(CONTAINERS))
    parser.add_argument("--size", default="720x576")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    for name, (words, _) in SPECIAL.items():
        made = run("ffmpeg", "-nostdin", "-v", "error", "-y", *words.replace("SIZE", options.size).split(), options.folder / f"{name}.mkv")
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
    compared, wrong, refused, unmade = 0, [], collections.Counter(), 0
    for name in [name for name in encoders() if not options.names or name in options.names]:
        ways = (["--codec", name],) if not options.decoders else ([], ["--codec", "ffv1"])
        sources = {special: coded_by(options.folder, name, special) if options.decoders else options.folder / f"{special}.mkv" for special in SPECIAL}
        for ending, way in [(ending, way) for ending in options.containers.split(",") for way in ways if len(way) == 0 or not options.decoders or ending == "mkv"]:
            for special, source in sources.items():
                unmade += not source
                result = check(options.vidconv, options.folder, source, way, ending, special, refused) if source else None
                if result is None:
                    if special == "plain":
                        break  # as it would the others
                    continue
                compared += 1
                if result:
                    wrong.append(f"{name} {'from' if options.decoders else 'in'} {source.suffix} {' '.join(way)} to {ending}, {special}: {result}")
                    print("WRONG ", wrong[-1], flush=True)
    print(f"{compared} compared, {refused.total()} refused with a reason, {unmade} that ffmpeg does not make, {len(wrong)} unexplained")
    for reason, count in refused.items():
        print(f"refused, {count}: {reason}")
    return 1 if wrong else 0 if compared else 77


if __name__ == "__main__":
    sys.exit(main())
