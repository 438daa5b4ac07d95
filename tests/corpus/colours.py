#!/usr/bin/env python3
"""Every encoder of this FFmpeg into containers, from video of full range with a matrix that is not the
usual one: what a decoder shows of the output is what it shows of the input. And what vidconv refuses to
put into a container, ffmpeg cannot put there so that it is read again.

    colours.py VIDCONV DIR [--all] [ENCODER...]    few containers, or all; exits with 1 where one is wrong
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

LIMIT = 60  # seconds for one run: more is a hang
CONTAINERS = ("mkv", "mov", "nut", "mp4", "webm", "avi", "ts", "mpg", "flv", "ogv", "wmv", "mxf", "3gp", "ivf")
FEW = ("mkv", "mov", "nut", "mpg", "ogv")  # all is said, not the range, nothing, and two with lists of their own
# Hardware, and what is no picture for the eye.
LEFT_OUT = re.compile(r"_(nvenc|qsv|vaapi|v4l2m2m|omx|amf|mf|videotoolbox)$|^(a64|alias_pix|pbm|xbm|xface|wrapped_avframe|vbn)")
SIZES = {"dvvideo": (720, 576)}  # that these take; the others take CIF
OPTIONS = {"libaom-av1": ["--encoder-opt", "cpu-used=8"], "libsvtav1": ["--preset", "12"]}
# Of what is shown, codes of 8 bits: few colours, hardly any bits.
TOLERANCES = {"msvideo1": 40, "cinepak": 40, "roqvideo": 40, "rpza": 12, "smc": 40, "gif": 40, "cljr": 30, "flv": 8,
              "svq1": 12, "libwebp": 8, "vbn": 12, "hap": 12, "asv1": 12, "asv2": 12, "vc2": 12}
TOLERANCE = 6
# The container has no name for them, and only FFmpeg guesses what they are.
NAMELESS = {("mkv", "gif"), ("avi", "prores"), ("mpg", "mjpeg"), ("nut", "prores"), ("mov", "utvideo"), ("mov", "speedhq")}
# Of players of 2005, in a pixel format that FFmpeg itself calls obsolete and nothing else.
NOT_TAKEN = {"amv"}


def run(words, binary=False, limit=LIMIT):
    return subprocess.run(words, capture_output=True, text=not binary, stdin=subprocess.DEVNULL, timeout=limit)


def patches():
    """Y, U, V in full range, of colours that limited range holds too: greys, and not too strong colours."""
    greys = [(y, 128, 128) for y in (0, 16, 64, 128, 192, 235, 255)]
    return greys + [(90, 100, 160), (120, 160, 100), (160, 120, 90), (60, 150, 140), (200, 110, 135)]


def make_input(folder, width, height):
    """Lossless, in a container that says everything: 3 frames of 12 patches, full range, BT.709."""
    name = folder / f"patches-{width}x{height}.mkv"
    if name.exists():
        return name
    cells, planes = patches(), []
    for plane, sub in ((0, 1), (1, 2), (2, 2)):
        w, h = width // sub, height // sub
        rows = [bytes(cells[4 * (3 * y // h) + 4 * x // w][plane] for x in range(w)) for y in range(h)]
        planes.append(b"".join(rows))
    raw = folder / f"patches-{width}x{height}.yuv"
    raw.write_bytes(b"".join(planes) * 3)
    run(["ffmpeg", "-y", "-v", "error", "-f", "rawvideo", "-s", f"{width}x{height}", "-r", "25", "-pix_fmt", "yuv420p",
         "-i", str(raw), "-c:v", "ffv1", "-color_range", "pc", "-colorspace", "bt709", str(name)]).check_returncode()
    return name


def shown(name, width, height):
    """What ffmpeg shows of the middle of each patch of the first frame; none where it shows nothing."""
    done = run(["ffmpeg", "-nostdin", "-v", "quiet", "-i", str(name), "-frames:v", "1", "-vf",
                "scale=flags=accurate_rnd+full_chroma_int", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], binary=True)
    if len(done.stdout) != width * height * 3:
        return None
    found = []
    for row in range(3):
        for column in range(4):
            y, x = (2 * row + 1) * height // 6, (2 * column + 1) * width // 8
            spot = [done.stdout[3 * (width * (y + dy) + x + dx):][:3] for dy in range(-4, 4) for dx in range(-4, 4)]
            found.append(tuple(sum(p[c] for p in spot) / len(spot) for c in range(3)))
    return found


def codec_of(name):
    return run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name", "-of",
                "csv=p=0", str(name)]).stdout.strip().split("\n")[0].strip(",")


def ffmpeg_can(source, encoder, output, codec):
    """Whether ffmpeg writes it so that the same codec is found in it and decoded."""
    if encoder == "libsvtav1":
        return False  # SVT-AV1 1.4 waits for ever where the container refuses it
    try:
        done = run(["ffmpeg", "-y", "-nostdin", "-v", "warning", "-i", str(source), "-frames:v", "3", "-c:v", encoder,
                    "-strict", "-2", str(output)], limit=10)
    except subprocess.TimeoutExpired:
        return False
    can = done.returncode == 0 and "may be unplayable" not in done.stderr and codec_of(output) == codec and shown(output, *size_of(encoder)) is not None
    output.unlink(missing_ok=True)
    return can


def size_of(encoder):
    return SIZES.get(encoder, (352, 288))


def check(vidconv, folder, encoder, codec, ending):
    """What is wrong, and what came of it otherwise."""
    size = size_of(encoder)
    source = make_input(folder, *size)
    output = folder / f"{encoder}.{ending}"
    done = run([vidconv, str(source), "-o", str(output), "-y", "--kernel", "identity", "--codec", encoder,
                *OPTIONS.get(encoder, [])])
    if done.returncode != 0:
        output.unlink(missing_ok=True)
        if encoder in NOT_TAKEN or (ending, codec) in NAMELESS or not ffmpeg_can(source, encoder, folder / f"theirs-{encoder}.{ending}", codec):
            return "", "refused"
        return f"refused, but ffmpeg writes it: {done.stderr.strip()[:200]}", ""
    before, after = shown(source, *size), shown(output, *size)
    output.unlink()
    if after is None:
        return "nothing to be seen in the output", ""
    worst = max(abs(a - b) for p, q in zip(before, after) for a, b in zip(p, q))
    if worst > TOLERANCES.get(encoder, TOLERANCE):
        return f"what is shown differs by {worst:.1f}: {before} is {after}: {done.stderr.strip()}", ""
    return "", f"{worst:.1f}"


def encoders():
    """The video encoders of this ffmpeg, each with its codec."""
    names = re.findall(r"^ V\S+ (\S+)\s.*?(?:\(codec (\S+)\))?$", run(["ffmpeg", "-v", "quiet", "-encoders"]).stdout, re.M)
    return {name: codec or name for name, codec in names if name != "=" and not LEFT_OUT.search(name)}


def main():
    vidconv, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    containers = CONTAINERS if "--all" in names else FEW
    wanted = [n for n in names if n != "--all"]
    known = {e: c for e, c in encoders().items() if not wanted or e in wanted}
    for size in {size_of(e) for e in known}:
        make_input(folder, *size)

    def of(encoder):
        return [(ending, *check(vidconv, folder, encoder, known[encoder], ending)) for ending in containers]

    wrong = seen = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for encoder, results in zip(known, pool.map(of, known)):
            print(encoder, *(f"{ending}:{'WRONG' if bad else fine}" for ending, bad, fine in results), flush=True)
            for ending, bad, fine in results:
                if bad:
                    print("      ", ending, bad)
                wrong += bool(bad)
                seen += not bad and fine != "refused"
    print(f"{seen} outputs show what their input shows, {wrong} wrong")
    return 1 if wrong else 0 if seen else 77


if __name__ == "__main__":
    sys.exit(main())
