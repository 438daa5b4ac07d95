#!/usr/bin/env python3
"""Any folder of real files through vidconv, unfiltered, and every difference from what ffmpeg sees in
them: frames, times, colours shown, streams, tags, chapters, side data, damage. Each file goes losslessly
into Matroska, and into a container of its own kind as vidconv codes it without being told.

    real_files.py VIDCONV FOLDER [--report FILE.md] [--max-bytes N] [--only EXPRESSION] [--known FILE]
                  [--results FILE] [--limit SECONDS]

What is in --results already is not looked at again: a long run goes on where it was ended.

Differences that a line of --known explains (KIND, a tab, an expression, a tab, why) are counted apart.
Exits with 1 where one is unexplained, with 77 where there is no video in the folder.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import judge
from damage import ELSEWHERE

LIMIT = 120        # seconds for one run, beyond which it hangs; --limit
MEMORY = 12 << 30  # bytes of address space for one run: more is a leak, or a forged size
PIXELS = 600_000_000  # in all frames together: more takes too long
OWN = {"m4v": "mp4", "qt": "mov", "mts": "ts", "m2ts": "ts", "m2t": "ts", "mpeg": "mpg", "vob": "mpg", "ogg": "ogv",
       "asf": "wmv", "3g2": "3gp", "mk3d": "mkv", "png": "apng"}
CONTAINERS = {"mp4", "mov", "mkv", "webm", "avi", "ts", "flv", "gif", "apng", "mpg", "ogv", "wmv", "3gp", "mxf", "nut", "f4v"}
CELLS = 16  # cells in each direction of a picture, whose mean colours are compared


@dataclasses.dataclass
class Found:
    """The result for one file."""

    name: str
    kind: str = ""     # container and codec; empty: no video
    frames: int = 0
    left_out: str = ""  # why the file was not examined
    differences: list = dataclasses.field(default_factory=list)  # (kind, text)


# Fields that FLV's muxers compute themselves or leave out.
FLV_FIELDS = {"hasmetadata", "hasvideo", "hasaudio", "haskeyframes", "hascuepoints", "canseektoend", "datasize", "totalframes",
              "lasttimestamp", "audiosize", "videosize", "metadatacreator", "lastkeyframetimestamp"}
# The defaults of untagged files, as ffmpeg shows them: those of standard definition.
USUAL = {"color_space": ("smpte170m", "bt470bg"), "color_transfer": ("smpte170m", "bt709", "reserved"), "color_primaries": ("reserved",),
         "color_range": ("tv",)}


class Real(judge.Judge):
    """A judge that does not expect what vidconv names as left out or converted, and takes colours from frames
    rather than from headers."""

    def __init__(self, into, out, ending, same_container, said):
        lists = re.findall(r"left out: ((?:#\d+ \([^)]*\)(?:, )?)+)", said)
        lists += re.findall(r"(stream #\d+) \([^)]*\) has more and is left out", said)
        lost = {f"{number} " for text in lists for number in re.findall(r"#\d+", text)}
        super().__init__(into, out, ending, same_container, lost, (), said)
        if self.several_programs():
            self.find_filtered()
        words = lambda clip: {re.sub("0x[0-9a-f]+", "", line) for line in clip.complaints.splitlines()}
        if words(out) <= words(into):
            out.complaints = ""  # the faults were copied from the input
        for clip in (into, out):
            self.colours_of_frames(clip)
            clip.tags = {k: v for k, v in clip.tags.items() if k.lower() not in FLV_FIELDS and v != "1970-01-01T00:00:00.000000Z"}
            for key, value in clip.tags.items():
                if key.lower() == "creation_time" and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", value):
                    clip.tags[key] = value.replace(" ", "T") + ".000000Z"
        # In program streams a picture that begins in another's packet has no time.
        if ending == "mpg" and out.video and any("pts" not in p for p in out.packets[out.video["index"]]):
            plain, number = out.packet_times, out.video["index"]
            out.packet_times = lambda index: out.frame_times() if index == number else plain(index)
        # QuickTime's muxer makes a track of the timecode, which is a tag in other containers.
        own = [s for s in out.streams if s["codec_tag_string"] == "tmcd"]
        if own and not any(s["codec_tag_string"] == "tmcd" for s in into.streams):
            out.streams = [s for s in out.streams if s not in own]

    @staticmethod
    def colours_of_frames(clip):
        for key in ("color_range", "color_space", "color_primaries", "color_transfer"):
            known = next((f[key] for f in clip.frames[:1] if f.get(key) not in (None, "unknown")), None)
            if known and clip.video:
                clip.video[key] = known

    def name(self, stream):
        return f"#{stream['index']} "

    def in_order_of(self, copied, found):
        """MPEG-TS numbers streams as lists of programs happen to come: they are known by what they hold."""
        if not self.several_programs():
            return found
        rest, ordered = list(found), []
        for stream in copied:
            same = next((s for s in rest if s["codec_type"] == stream["codec_type"] and held_in(self.out, s) == held_in(self.into, stream)), None)
            ordered.append(same)
            rest = [s for s in rest if s is not same]
        return [s or rest.pop(0) for s in ordered if s or rest] + rest

    def find_filtered(self):
        """The video of the output that no stream of the input is."""
        copied = [held_in(self.into, s) for s in self.into.streams]
        moving = [s for s in self.out.streams if s["codec_type"] == "video" and held_in(self.out, s) not in copied]
        if moving and moving[0] is not self.out.video:
            self.out.video, self.out.filtered = moving[0], [moving[0]["index"]]
            self.out.frames = self.out._frames()

    def several_programs(self):
        return self.ending == "ts" and self.same and len(self.into.programs) > 1

    def expect(self, what, expected, found):
        if what in USUAL and expected in USUAL[what] and found in (None, "unknown"):
            return
        if what == "color_range" and re.search("range to|limited range|full range", self.said):
            return
        if what == "programs" and self.lost:
            return
        if what == "place of the video" and self.several_programs():
            return
        if what.endswith("packets") and "pgs" in what:
            return  # segments with one time form one packet
        if what == "frame times" and "[times-moved]" in self.said:
            return
        if what == "metadata":
            expected, found = places(expected), places(found)
        if what == "pix_fmt" and (samples(expected) == samples(found) or f"converted to {found}" in self.said
                                  or "converted to palettes" in self.said):
            return
        if what == "chroma_location" and not re.search("4[21][0-9]", self.into.video["pix_fmt"] or ""):
            return  # the format has no chroma between the pixels
        super().expect(what, expected, found)


def held_in(clip, stream):
    return [p.get("data_hash") for p in clip.packets[stream["index"]]]


def places(tags):
    """Returns tags with ISO 6709 locations without leading and trailing zeros, in which containers differ."""
    number = lambda m: f"{m[1]}{float(m[2]):.3f}"
    return {k: re.sub(r"([+-])([\d.]+)", number, v) if k.startswith("location") else v for k, v in tags.items()}


def samples(pix_fmt):
    """Returns a pixel format's name, with one name for RGB of 8 bits in any order."""
    name = str(pix_fmt).replace("yuvj", "yuv")
    rgb = re.fullmatch("([argb0]{3,4})|gbr(a?)p|rgb24|bgr24", name)
    return name if not rgb else "rgba" if "a" in (rgb[1] or rgb[2] or "") else "rgb"


def run(words, binary=False):
    limits = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                          preexec_fn=limits)
    text = done.stderr.decode(errors="replace")
    return done.returncode, done.stdout if binary else done.stdout.decode(errors="replace"), text


def shown(clip, turned, alpha):
    """Returns the mean colours of each frame's cells, as ffmpeg shows them: bytes of R, G, B, black in transparent
    areas if there is `alpha`, rotated if `turned`."""
    visible = "format=gbrap,premultiply=inplace=1,format=gbrp," if alpha else ""
    _, cells, _ = run(
        ["ffmpeg", "-nostdin", "-v", "quiet", *clip.decoder, *["-noautorotate"] * (not turned), "-i", clip.path,
         "-map", f"0:{clip.video['index']}", "-fps_mode", "passthrough", "-vf",
         f"{visible}scale={CELLS}:{CELLS}:flags=area+accurate_rnd+full_chroma_int,format=rgb24", "-f", "rawvideo", "-"], binary=True)
    size = CELLS * CELLS * 3
    return [cells[at:at + size] for at in range(0, len(cells) - size + 1, size)]


def has_alpha(clip):
    first = clip.frames[0].get("pix_fmt", "") if clip.frames else ""
    return bool(re.search("^(yuva|gbrap|ya|pal8)|^(argb|rgba|abgr|bgra)", first))


def compare_colours(into, out, said, lossless):
    worst, typical, at = 0, 0, 0
    turned = "cannot hold how the video is turned" not in said
    alpha = has_alpha(into) and has_alpha(out)  # a loss is named as a conversion
    pairs = list(zip(shown(into, turned, alpha), shown(out, turned, alpha)))
    for number, (before, after) in enumerate(pairs):
        apart = [abs(a - b) for a, b in zip(before, after)]
        if max(apart) > worst:
            worst, at = max(apart), number
        typical = max(typical, sum(apart) / len(apart))
    exact = lossless and "[converted]" not in said and "[picture-changes]" not in said
    if worst > (2 if exact else 24) or typical > (1 if exact else 4):
        return [("colours shown", f"a cell differs by {worst} codes (frame {at} of {len(pairs)}), a frame by {typical:.1f} on average")]
    return []


def complaints(clip):
    """Returns ffmpeg's messages about the picture and the other streams while it decodes, and whether it can."""
    command = ["ffmpeg", "-nostdin", "-v", "error", *clip.decoder, "-i", clip.path, "-map", f"0:{clip.video['index']}"]
    code, _, said = run([*command, "-map", "0:a?", "-c:a", "copy", "-f", "null", "-"])
    if "Could not write header" in said:  # the sound's format is unknown
        code, _, said = run([*command, "-f", "null", "-"])
    lines, of_picture = [], True
    for line in said.splitlines():
        of_picture = of_picture if "Last message repeated" in line else not ELSEWHERE.search(line)
        lines += [line] * of_picture
    return code, lines


def compare_damage(clip, code, said):
    failed, lines = complaints(clip)
    told = " | ".join(line for line in said.splitlines() if "[damaged]" in line)
    if code == 0 and (failed or lines):
        return [("damage untold", f"ffmpeg says: {' | '.join(lines[:2])}")]
    if code == 7 and not lines and not failed:
        return [("damage that ffmpeg does not see", told)]
    return []


def compare_hashes(vidconv, clip):
    """Compares the frames that vidconv filters with those that ffmpeg decodes, byte for byte."""
    code, listed, said = run([vidconv, clip.path, "-o", "md5:", "--kernel", "identity"])
    if "[converted]" in said or "[picture-changes]" in said or code not in (0, 7):
        return []
    found = [line.split()[1] for line in listed.splitlines() if line[:1].isdigit()]
    expected = clip.frame_hashes()
    if found == expected:
        return []
    same = sum(a == b for a, b in zip(found, expected))
    return [("frame hashes", f"{len(found)} frames, ffmpeg decodes {len(expected)}; {same} are the same")]


KINDS = ("ffprobe complains", "frames", "frame times", "streams", "place of the video", "side data", "interlacing",
         "metadata", "programs", "chapters", *judge.PICTURE)


def sorted_by_kind(text):
    kind = next((k for k in KINDS if text.startswith(k)), None) or re.sub(r"\d+", "N", text.split(":")[0])
    return re.sub(r" \(.*?\)", "", kind), text[:400]


def into(vidconv, clip, folder, ending, options, lossless):
    """Puts a clip into a container, and returns the differences."""
    output = pathlib.Path(folder) / f"out.{ending}"
    code, _, said = run([vidconv, clip.path, "-o", output, "-y", "--kernel", "identity", *options])
    found = compare_damage(clip, code, said) if lossless else []
    if code not in (0, 7):
        return found + [("refused", f"exit code {code}: {said.strip()[:400]}")]
    made = judge.Clip(output)
    if not made.video:
        return found + [("output", "has no video")]
    own = pathlib.Path(clip.path).suffix[1:].lower()
    wrong = Real(clip, made, ending, OWN.get(own, own) == ending, said).compare()
    found += [sorted_by_kind(text) for text in wrong]
    if len(made.frames) == len(clip.frames):
        found += compare_colours(clip, made, said, lossless)
    return found


def survey(vidconv, path, name):
    clip = judge.Clip(path)
    if not clip.video:
        return Found(name, left_out="ffprobe finds no video")
    found = Found(name, f"{path.suffix[1:].lower()} {clip.video.get('codec_name')} {clip.video.get('pix_fmt')}", len(clip.frames))
    if len(clip.frames) * clip.video["width"] * clip.video["height"] > PIXELS:
        found.left_out = "too long"
        return found
    if not clip.frames:
        code, _, said = run([vidconv, path, "-o", "null:", "--kernel", "identity"])
        if code not in (3, 7):
            found.differences.append(("damage untold", f"ffmpeg decodes no frame, exit code {code}: {said.strip()[:400]}"))
        return found
    own = OWN.get(path.suffix[1:].lower(), path.suffix[1:].lower())
    with tempfile.TemporaryDirectory() as folder:
        ways = [("mkv", ["--codec", "ffv1"], True), (own if own in CONTAINERS else "mp4", [], False)]
        for ending, options, lossless in ways:
            for kind, text in into(vidconv, clip, folder, ending, options, lossless):
                found.differences.append((kind, f"-> {ending}: {text}"))
    found.differences += compare_hashes(vidconv, clip)
    return found


def guarded(vidconv, path, name):
    try:
        found = survey(vidconv, path, name)
        found.differences = [(kind, text.replace(str(path), path.name)) for kind, text in found.differences]
        return found
    except subprocess.TimeoutExpired as late:
        return Found(name, "?", 0, "", [("hang", f"still running after {late.timeout} s: {' '.join(map(str, late.cmd[:3]))}")])
    except Exception as failure:  # an unforeseen file makes this script fail: it is reported, and others go on
        return Found(name, "?", 0, "", [("not judged", f"{type(failure).__name__}: {failure}")])


def files_in(folder, most, only):
    """Yields the files, each content once."""
    seen = set()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and re.search(only, str(p.relative_to(folder)))):
        if path.stat().st_size > most:
            continue
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest not in seen:
            seen.add(digest)
            yield path


def explanations(file):
    lines = pathlib.Path(file).read_text().splitlines() if file else []
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def why(known, name, kind, text):
    return next((reason for k, expression, reason in known
                 if k == kind and re.search(expression, f"{name}: {text}", re.S)), None)


def table(results, known):
    """Returns Markdown: the examined files, the kinds of differences, and each difference."""
    judged = [r for r in results if r.kind and not r.left_out]
    by_kind = collections.defaultdict(list)
    for r in judged:
        for kind, text in r.differences:
            by_kind[kind].append((r.name, text, why(known, r.name, kind, text)))
    alike = sum(not r.differences for r in judged)
    silent = sum(r.frames == 0 for r in judged)
    lines = [f"{len(judged)} files with {sum(r.frames for r in judged)} frames, {alike} of them without any difference; {silent} of "
             f"them hold no frame that ffmpeg decodes. {len(results) - len(judged)} others have no video or are too long.", "",
             "| difference | files | unexplained |", "| --- | --- | --- |"]
    for kind, all_of in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        lines.append(f"| {kind} | {len({n for n, _, _ in all_of})} | {len({n for n, _, w in all_of if not w})} |")
    lines += ["", "| file | | frames | differences |", "| --- | --- | --- | --- |"]
    for r in judged:
        told = "; ".join(f"{kind}: {why(known, r.name, kind, text) or text}" for kind, text in r.differences)
        lines.append(f"| {r.name} | {r.kind} | {r.frames} | {told.replace('|', '/').replace(chr(10), ' ')} |")
    return "\n".join(lines), sum(not w for all_of in by_kind.values() for _, _, w in all_of), len(judged)


def main():
    global LIMIT
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("vidconv")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--report")
    options.add_argument("--max-bytes", type=int, default=12_000_000)
    options.add_argument("--only", default="")
    options.add_argument("--known")
    options.add_argument("--results", type=pathlib.Path)
    options.add_argument("--limit", type=int, default=LIMIT)
    options = options.parse_args()
    LIMIT = judge.LIMIT = options.limit
    known = explanations(options.known)
    paths = list(files_in(options.folder, options.max_bytes, options.only))
    before = options.results.read_text().splitlines() if options.results and options.results.exists() else []
    results = [r for r in (Found(**json.loads(line)) for line in before) if re.search(options.only, r.name)]
    done = {r.name for r in results}
    paths = [p for p in paths if str(p.relative_to(options.folder)) not in done]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda p: guarded(options.vidconv, p, str(p.relative_to(options.folder))), paths):
            results.append(found)
            if options.results:
                with options.results.open("a") as file:
                    print(json.dumps(dataclasses.asdict(found)), file=file)
            if not found.kind or found.left_out:
                continue
            print("differs" if found.differences else "alike  ", found.name, f"({found.kind}, {found.frames} frames)", flush=True)
            for kind, text in found.differences:
                reason = why(known, found.name, kind, text)
                print("        ", "explained" if reason else "OPEN", kind, "|", text.replace("\n", "\n             "), flush=True)
    text, unexplained, judged = table(sorted(results, key=lambda r: r.name), known)
    if options.report:
        pathlib.Path(options.report).write_text(text + "\n")
    print(text.split("\n\n| file")[0], f"{unexplained} differences unexplained", sep="\n")
    return 1 if unexplained else 0 if judged else 77


if __name__ == "__main__":
    sys.exit(main())
