#!/usr/bin/env python3
"""Every encoder of this FFmpeg into containers, from video of full range and of limited range with a matrix that is
not the usual one, of HDR, from RGB and from grey: what a decoder shows of the output is what it shows of the input,
and what had to be converted for that, or is not known to players, is said. What vidconv refuses to put into a
container, ffmpeg cannot put there so that it is read again.

    colours.py VIDCONV DIR [ENCODER...] [--all] [--report FILE.md] [--results FILE] [--limit SECONDS] [--jobs N]

Few containers, or --all. What is in --results already is not run again. Exits with 1 where one is wrong.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

CONTAINERS = ("mkv", "mov", "nut", "mp4", "webm", "avi", "ts", "mpg", "flv", "ogv", "wmv", "mxf", "3gp", "ivf")
FEW = ("mkv", "mov", "nut", "mpg", "ogv")  # with all tags, without a range, without tags, and two with own lists
# The pixel formats, and the inputs' colour tags.
SOURCES = {"full": ("yuv420p", ["-vf", "setparams=range=pc:colorspace=bt709", "-color_range", "pc"]),
           "limited": ("yuv420p", ["-vf", "setparams=range=tv:colorspace=bt709", "-color_range", "tv"]),
           "HDR": ("yuv420p", ["-vf", "setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084"]),
           "RGB": ("gbrp", ["-color_range", "pc"]),
           "grey": ("gray", ["-color_range", "pc"])}
# Encoders that are not run, by the reason.
LEFT_OUT = {"hardware that is not here": "_(nvenc|qsv|vaapi|v4l2m2m|omx|amf|mf|videotoolbox)$",
            "no decoder shows them": "^a64",
            "two colours": "^(pbm|xbm|xface)$",
            "a frame in memory, no file": "^wrapped_avframe$"}
SIZES = {"dvvideo": (720, 576)}  # required sizes; the other encoders take CIF
OPTIONS = {"libaom-av1": ["--encoder-opt", "cpu-used=8"], "libsvtav1": ["--preset", "12"],
           "librav1e": ["--encoder-opt", "speed=10"]}
# Tolerances in the shown picture, in codes of 8 bits: these codecs have few colours or hardly any bits.
TOLERANCES = {"msvideo1": 40, "cinepak": 40, "roqvideo": 40, "rpza": 12, "smc": 40, "gif": 40, "cljr": 30, "flv": 8, "flashsv2": 20,
              "svq1": 12, "libwebp": 8, "vbn": 12, "hap": 12, "asv1": 12, "asv2": 12, "vc2": 12}
TOLERANCE = 6
# The container has no name for these codecs, and only FFmpeg guesses them.
NAMELESS = {("mkv", "gif"), ("avi", "prores"), ("mpg", "mjpeg"), ("nut", "prores"), ("mov", "utvideo"), ("mov", "speedhq"),
            ("avi", "hap"), ("nut", "hap")}
# FFmpeg's scaler takes untagged grey for limited range in floats, but for full range in integers.
# FFmpeg 7.1's decoder calls RGB in DNxHR BT.709, so that its scaler takes it for YUV.
SHOWN_OTHERWISE = {("exr", "grey"), ("pfm", "grey"), ("phm", "grey"), ("dnxhd", "RGB")}
# amv is for players of 2005, and only in a pixel format that FFmpeg itself calls obsolete. smc has indices into 256
# colours, for which FFmpeg's scaler always uses the same palette.
NOT_TAKEN = {"amv", "smc"}
FRAMES = 6  # ffprobe does not recognize a transport stream with fewer
LIMIT = 60  # seconds for one run, beyond which it hangs; --limit


def run(words, binary=False, limit=None):
    return subprocess.run(words, capture_output=True, text=not binary, stdin=subprocess.DEVNULL, timeout=limit or LIMIT)


def patches():
    """Returns Y, U and V in full range of colours that limited range holds too: greys and moderate colours."""
    greys = [(y, 128, 128) for y in (0, 16, 64, 128, 192, 235, 255)]
    return greys + [(90, 100, 160), (120, 160, 100), (160, 120, 90), (60, 150, 140), (200, 110, 135)]


def make_input(folder, kind, width, height):
    """Makes frames of 12 patches, lossless, in a container with all colour tags."""
    name = folder / f"{kind}-{width}x{height}.mkv"
    if name.exists():
        return name
    pix_fmt, words = SOURCES[kind]
    cells, planes = patches(), []
    subs = {"yuv420p": (1, 2, 2), "gbrp": (1, 1, 1), "gray": (1,)}[pix_fmt]
    for plane, sub in enumerate(subs):
        w, h = width // sub, height // sub
        rows = [bytes(cells[4 * (3 * y // h) + 4 * x // w][plane] for x in range(w)) for y in range(h)]
        planes.append(b"".join(rows))
    raw = folder / f"{kind}-{width}x{height}.raw"
    raw.write_bytes(b"".join(planes) * FRAMES)
    run(["ffmpeg", "-y", "-v", "error", "-f", "rawvideo", "-s", f"{width}x{height}", "-r", "25", "-pix_fmt", pix_fmt,
         "-i", str(raw), "-c:v", "ffv1", *words, str(name)]).check_returncode()
    return name


def memory(function):
    kept = {}

    def known(*what):
        if what not in kept:
            kept[what] = function(*what)
        return kept[what]
    return known


@memory
def shown_of_input(name, width, height):
    return shown(name, width, height)


def shown(name, width, height):
    """Returns the middle of each patch of the first frame as ffmpeg shows it; empty if it shows nothing."""
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


def first_frame(name):
    """Returns the codec, and the first frame's pixel format and colours, as ffprobe decodes it."""
    done = run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1", "-show_entries",
                "stream=codec_name:frame=pix_fmt,color_range,color_space,color_primaries,color_transfer", "-of", "json", str(name)])
    about = json.loads(done.stdout if done.returncode == 0 else "{}")  # incomplete output is no JSON
    frame = (about.get("frames") or [{}])[0]
    return (about.get("streams") or [{}])[0].get("codec_name", ""), frame


def ffmpeg_can(source, encoder, output, codec):
    """Returns whether ffmpeg can write the file so that the same codec is found in it and decoded."""
    if encoder == "libsvtav1":
        return False  # SVT-AV1 1.4 hangs if the container refuses it
    try:
        done = run(["ffmpeg", "-y", "-nostdin", "-v", "warning", "-i", str(source), "-frames:v", str(FRAMES), "-c:v", encoder,
                    "-strict", "-2", str(output)], limit=10)
    except subprocess.TimeoutExpired:
        return False
    can = done.returncode == 0 and "may be unplayable" not in done.stderr and first_frame(output)[0] == codec and shown(output, *size_of(encoder)) is not None
    output.unlink(missing_ok=True)
    return can


def size_of(encoder):
    return SIZES.get(encoder, (352, 288))


def is_full(frame):
    """Returns whether FFmpeg takes a frame for full range. Grey always is (MagicYUV's decoder calls it limited)."""
    kind = frame.get("pix_fmt", "")
    said = frame.get("color_range", "unknown") if not kind.startswith("gray") else "pc"
    return said == "pc" if said in ("pc", "tv") else bool(re.match("yuvj|gray|ya|pal8|(0?rgb|0?bgr|gbr|argb|abgr|mono)", kind))


def is_rgb(frame):
    return bool(re.match("pal8|(0?rgb|0?bgr|gbr|argb|abgr|x2rgb|x2bgr)", frame.get("pix_fmt", "")))


def outcome(frame, kind, said):
    """Returns what became of the colours: a word for the table, and changes without a message."""
    line = " ".join(re.findall(r".*\[(?:converted|colours-assumed|not-held)\].*", said))
    changed = [word for word, expression in (("range", "range to "), ("matrix", r"matrix \S+ to ")) if re.search(expression, line)]
    named = re.findall(r"(matrix|primaries|transfer) \w", "".join(re.findall("players will not know(.*)", said)))
    is_yuv = not is_rgb(frame) and not frame.get("pix_fmt", "").startswith("gray")
    if is_rgb(frame) or kind == "RGB":
        word = "kept" if is_rgb(frame) and kind == "RGB" else "RGB" if is_rgb(frame) else "YUV"
        silent = word == "RGB" and kind != "grey" and not line or word == "YUV" and "matrix" not in line
        return word, "RGB and YUV, which is not said" if silent else ""
    if is_full(frame) != (kind in ("full", "grey")) and "range" not in changed:
        return "", "the range has changed"
    if kind != "grey" and is_yuv and frame.get("color_space") not in (None, "unknown", {"HDR": "bt2020nc"}.get(kind, "bt709")) and "matrix" not in changed:
        return "", "the matrix has changed"
    if kind == "HDR":
        for word, ours in (("primaries", "bt2020"), ("transfer", "smpte2084")):
            if frame.get(f"color_{word}") != ours and word not in named:
                return "", f"{word} is lost"
    return "+".join(changed + ["named"] * bool(named)) or "kept", ""


def check(vidconv, folder, encoder, codec, ending, kind, can):
    """Returns what is wrong, and the outcome otherwise. `can` caches what ffmpeg can do."""
    size = size_of(encoder)
    source = make_input(folder, kind, *size)
    output = folder / f"{encoder}-{kind}.{ending}"
    if can.get(ending) is None and ending in can:
        return "", "refused"  # because of the codec's name, whatever the pictures are
    try:
        done = run([vidconv, str(source), "-o", str(output), "-y", "--kernel", "identity", "--codec", encoder, *OPTIONS.get(encoder, [])])
        if done.returncode != 0:
            if ending not in can:
                can[ending] = (encoder not in NOT_TAKEN and (ending, codec) not in NAMELESS and
                               ffmpeg_can(source, encoder, folder / f"theirs-{encoder}.{ending}", codec))
                if "does not take the codec" in done.stderr and not can[ending]:
                    can[ending] = None
            return (f"refused, but ffmpeg writes it: {done.stderr.strip()[:200]}", "") if can[ending] else ("", "refused")
        before, after = shown_of_input(source, *size), shown(output, *size)
        if after is None:
            return "nothing to be seen in the output", ""
        word, unsaid = outcome(first_frame(output)[1], kind, done.stderr)
    except subprocess.TimeoutExpired as late:
        return f"still running after {late.timeout} s: {late.cmd[0]}", ""
    finally:
        output.unlink(missing_ok=True)
    worst = max(abs(a - b) for p, q in zip(before, after) for a, b in zip(p, q))
    if worst > TOLERANCES.get(encoder, TOLERANCE) and (encoder, kind) not in SHOWN_OTHERWISE:
        return f"what is shown differs by {worst:.1f}: {before} is {after}: {done.stderr.strip()}", ""
    return (f"not said: {unsaid}: {done.stderr.strip()}", "") if unsaid else ("", word)


def encoders():
    """Returns this ffmpeg's video encoders with their codecs, and those that are not run, by the reason."""
    names = re.findall(r"^ V\S+ (\S+)\s.*?(?:\(codec (\S+)\))?$", run(["ffmpeg", "-v", "quiet", "-encoders"]).stdout, re.M)
    out = {why: [n for n, _ in names if re.search(expression, n)] for why, expression in LEFT_OUT.items()}
    gone = {n for left in out.values() for n in left}
    return {name: codec or name for name, codec in names if name != "=" and name not in gone}, out


def table(results, containers, left_out):
    """Returns Markdown: the outcome of each encoder in each container, with equal encoders and inputs in one row."""
    alike = {}  # encoders by their rows
    for encoder in sorted(results):
        inputs = {}
        for kind in SOURCES:
            row = tuple("**wrong**" if bad else "–" if fine == "refused" else fine
                        for bad, fine in (results[encoder][kind][c] for c in containers))
            inputs.setdefault(row, []).append(kind)
        alike.setdefault(tuple((row, tuple(kinds)) for row, kinds in inputs.items()), []).append(encoder)
    lines = [f"| encoder | input | {' | '.join(containers)} |", "| --- " * (len(containers) + 2) + "|"]
    for rows, names in alike.items():
        for row, kinds in rows:
            lines.append(f"| {', '.join(names)} | {'all' if len(kinds) == len(SOURCES) else ', '.join(kinds)} | {' | '.join(row)} |")
    lines += ["", "Not run:", ""]
    lines += [f"- {why}: {', '.join(names)}" for why, names in left_out.items() if names]
    return "\n".join(lines)


def main():
    global LIMIT
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("vidconv")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("encoders", nargs="*")
    options.add_argument("--all", action="store_true")
    options.add_argument("--report", type=pathlib.Path)
    options.add_argument("--results", type=pathlib.Path)
    options.add_argument("--limit", type=int, default=LIMIT)
    options.add_argument("--jobs", type=int, default=2)
    options = options.parse_intermixed_args()
    LIMIT = options.limit
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    containers = CONTAINERS if options.all else FEW
    here, left_out = encoders()
    known = {e: c for e, c in here.items() if not options.encoders or e in options.encoders}
    before = options.results.read_text().splitlines() if options.results and options.results.exists() else []
    results = {e: r for e, r in map(json.loads, before) if e in known}
    for size in {size_of(e) for e in known}:
        for kind in SOURCES:
            make_input(folder, kind, *size)

    def of(encoder):
        can = {}
        return {kind: {ending: check(options.vidconv, folder, encoder, known[encoder], ending, kind, can) for ending in containers}
                for kind in SOURCES}

    left = [e for e in known if e not in results]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for encoder, found in zip(left, pool.map(of, left)):
            results[encoder] = found
            if options.results:
                with options.results.open("a") as file:
                    print(json.dumps([encoder, found]), file=file)
            for kind, row in found.items():
                print(encoder, kind, *(f"{ending}:{'WRONG' if bad else fine}" for ending, (bad, fine) in row.items()), flush=True)
                for ending, (bad, _) in row.items():
                    if bad:
                        print("      ", ending, bad)
    cells = [cell for found in results.values() for row in found.values() for cell in row.values()]
    wrong, seen = sum(bool(bad) for bad, _ in cells), sum(not bad and fine != "refused" for bad, fine in cells)
    said = f"{len(results)} encoders: {seen} outputs show what their input shows, {len(cells) - seen - wrong} refused, {wrong} wrong"
    if options.report:
        options.report.write_text(table(results, containers, left_out) + f"\n\n{said}\n")
    print(said)
    return 1 if wrong else 0 if seen else 77


if __name__ == "__main__":
    sys.exit(main())
