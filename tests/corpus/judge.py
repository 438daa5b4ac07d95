"""Compares two files as ffprobe and ffmpeg see them: what went into vidconv and what came out."""

import fractions
import json
import re
import subprocess

Fraction = fractions.Fraction

# Languages with two codes, of which a container uses one.
SAME_LANGUAGE = {"fre": "fra", "ger": "deu", "dut": "nld", "chi": "zho", "cze": "ces", "gre": "ell"}
# Dispositions that other containers express differently, or that mark the only stream of its kind.
OWN_DISPOSITIONS = {"default", "attached_pic", "timed_thumbnails", "still_image", "metadata", "non_diegetic"}

# Metadata about the writer of a file, or internal to the container.
OWN_TAGS = {"encoder", "major_brand", "minor_version", "compatible_brands", "vendor_id", "duration",
            "handler_name", "creation_time", "_statistics_writing_app", "_statistics_tags", "bps",
            "file_package_umid", "material_package_umid", "number_of_frames", "number_of_bytes", "service_name", "service_provider"}
PICTURE = ("width", "height", "pix_fmt", "sample_aspect_ratio", "color_range", "color_space",
           "color_transfer", "color_primaries", "chroma_location")
FRAME_FLAGS = ("interlaced_frame", "top_field_first")
# Side data of a stream that stays valid when its pictures are filtered.
SIDE_DATA = {"Display Matrix", "Mastering display metadata", "Content light level metadata"}


LIMIT = 120  # seconds for one run of ffprobe or ffmpeg, beyond which it hangs


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          timeout=LIMIT)
    return done.returncode, done.stdout, done.stderr


def time(value, base):
    return None if value is None else int(value) * Fraction(base)


class Clip:
    """A file as ffprobe describes it; `video` is the number of the filtered stream among its
    moving pictures, counted from 1, and `all` says whether the others are filtered too."""

    def __init__(self, path, video=1, all=False):
        self.path = str(path)
        self.files = ["-start_number", "7"] if "seq%03d" in self.path else []
        self.decoder = []  # options of ffmpeg that choose another decoder than ffprobe's
        code, out, self.complaints = run(
            ["ffprobe", "-v", "error", *self.files, "-show_streams", "-show_format", "-show_chapters",
             "-show_programs", "-show_packets", "-show_data_hash", "md5", "-of", "json", self.path])
        self.readable = code == 0
        shown = json.loads(out or "{}") if self.readable else {}  # incomplete output is no JSON
        self.streams = [{"codec_type": "unknown", **s} for s in shown.get("streams", [])]
        self.chapters = shown.get("chapters", [])
        self.programs = shown.get("programs", [])
        self.tags = shown.get("format", {}).get("tags", {})
        self.begin = Fraction(shown.get("format", {}).get("start_time", 0))  # 0 in the output, unless times are copied
        self.packets = [[] for _ in self.streams]
        for packet in shown.get("packets", []):
            self.packets[packet["stream_index"]].append(packet)
        moving = [s for s in self.streams if s["codec_type"] == "video"
                  and not s["disposition"]["attached_pic"]]
        self.video = moving[min(video, len(moving)) - 1] if moving else None
        self.filtered = [s["index"] for s in moving] if all else [s["index"] for s in [self.video] if s]
        self.frames = self._frames() if self.video else []
        if self.video:
            self._see_transparency()

    def _frames(self):
        entries = ("frame=pts,best_effort_timestamp,width,height,pix_fmt,color_range,color_space,color_primaries,"
                   "color_transfer,side_data_list," + ",".join(FRAME_FLAGS))
        code, out, errors = run(
            ["ffprobe", "-v", "error", *self.files, "-select_streams", str(self.video["index"]),
             "-show_frames", "-show_entries", entries, "-of", "json", self.path])
        self.complaints += errors
        self.undecodable = errors
        return json.loads(out or "{}").get("frames", [])

    def _see_transparency(self):
        """Uses a decoder that supports transparency: FFmpeg's own decoders of WebM do not."""
        says = {k.lower(): v for k, v in self.video.get("tags", {}).items()}.get("alpha_mode") == "1"
        decoder = {"vp8": "libvpx", "vp9": "libvpx-vp9"}.get(self.video["codec_name"]) if says else None
        if not decoder:
            return
        if "yuva" not in run(["ffmpeg", "-nostdin", "-c:v", decoder, "-i", self.path, "-frames:v", "1", "-f", "null", "-"])[2]:
            self.video["tags"] = {k: v for k, v in self.video["tags"].items() if k.lower() != "alpha_mode"}  # tagged, but without alpha
            return
        self.decoder = ["-c:v", decoder]
        for about in (self.video, *self.frames):
            about["pix_fmt"] = "yuva420p"

    def frame_times(self):
        return [time(f.get("pts", f.get("best_effort_timestamp")), self.video["time_base"])
                for f in self.frames]

    def packet_times(self, index):
        base = self.streams[index]["time_base"]
        return [time(p.get("pts", p.get("dts")), base) for p in self.packets[index]]

    def frame_hashes(self):
        """Returns the MD5 of every decoded picture."""
        if not self.video:
            return []
        code, out, _ = run(
            ["ffmpeg", "-nostdin", "-v", "quiet", "-noautorotate", *self.decoder, *self.files, "-i", self.path, "-map",
             f"0:{self.video['index']}", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
        return [line.split(",")[-1].strip() for line in out.splitlines() if not line.startswith("#")]


WRITERS = ("variant", "_statistics", "bps", "number_of_", "duration", "product_", "toolkit_", "software", "uid",
           "generation_uid", "operational_pattern_ul", "company_name", "application_platform", "modification_date")


def tags(of, also=()):
    return {k.lower(): v for k, v in of.items()
            if k.lower() in also or (k.lower() not in OWN_TAGS and not k.lower().startswith(WRITERS))}


class Judge:
    """Collects what is wrong with `out`, made from `into`; `ending` is its container's extension."""

    def __init__(self, into, out, ending, same_container, lost, except_for, said):
        self.into, self.out, self.ending, self.said = into, out, ending, said
        self.same, self.lost, self.except_for = same_container, lost, except_for
        self.wrong = []

    def expect(self, what, expected, found):
        if expected == found or what in self.except_for:
            return
        if isinstance(expected, dict) and isinstance(found, dict):  # only differences are shown
            differ = {k for k in expected | found if expected.get(k) != found.get(k)}
            expected = {k: v for k, v in expected.items() if k in differ}
            found = {k: v for k, v in found.items() if k in differ}
        self.wrong.append(f"{what}: expected {expected}, found {found}")

    def compare(self):
        if not self.out.readable or self.out.complaints:
            self.wrong.append(f"ffprobe complains: {self.out.complaints.strip()[:300]}")
        if not self.out.video:
            return self.wrong
        pairs = self.pair_streams()
        shift = self.compare_times()
        self.compare_picture()
        for source, copy in pairs:
            self.compare_copy(source, copy, shift)
            self.compare_description(source, copy)
        self.compare_description(self.into.video, self.out.video)
        self.compare_file()
        return self.wrong

    def name(self, stream):
        known = stream.get("codec_name", "none")
        return (stream.get("tags", {}).get("filename")
                or (known if known != "none" else stream["codec_tag_string"]))

    def pair_streams(self):
        copied = [s for s in self.into.streams if s["index"] not in self.into.filtered
                  and self.name(s) not in self.lost]
        found = [s for s in self.out.streams if s["index"] not in self.out.filtered]
        # Chapters' titles are a stream in MP4, but not in other containers.
        titles = lambda s: s.get("codec_name") == "bin_data" and s["codec_tag_string"] == "text"
        copied = [s for s in copied if not titles(s)]
        found = [s for s in found if not titles(s)]
        found = self.in_order_of(copied, found)
        kinds = lambda streams: [s["codec_type"] for s in streams]
        self.expect("streams", kinds(copied), kinds(found))
        if not self.lost:
            self.expect("place of the video", self.into.video["index"], self.out.video["index"])
        return list(zip(copied, found))

    def in_order_of(self, copied, found):
        """The streams that were found, each in the place of the one that it should be."""
        return found

    def compare_times(self):
        """Checks that the filtered stream's packets have the times of the input's frames. Returns by how much
        all times of the output are shifted: 0, except in containers that hold no time before 0."""
        tick = Fraction(self.out.video["time_base"])
        expected = [t if t is None else t - self.into.begin for t in self.into.frame_times()]
        found = sorted(t for t in self.out.packet_times(self.out.video["index"]) if t is not None)
        self.expect("frames", len(expected), len(found))
        if None in expected or not expected or not found:
            return 0
        later = re.search(r"holds no times before 0: all are (\S+) s later", self.said)
        shift = Fraction(later.group(1)) if later else 0
        if self.ending == "gif" and self.same:
            last = lambda clip: clip.packets[clip.video["index"]][-1].get("duration_time")
            self.expect("last delay", last(self.into), last(self.out))
        worst = max((abs(f - e - shift) for e, f in zip(expected, found)), default=0)
        if worst > tick / 2 + (Fraction(1, 10**6) if shift or self.into.begin else 0):
            show = lambda times: [float(t) for t in times]
            self.expect("frame times", show(expected), show(found))
        return shift

    def as_turned(self, key):
        """Returns a property of the input's pictures as it is after their rotation."""
        known = self.into.video.get(key)
        if not re.search(r"pictures are turned, \d+x\d+ becomes", self.said):
            return known
        if key in ("width", "height"):
            return self.into.video["height" if key == "width" else "width"]
        if key == "sample_aspect_ratio" and known not in (None, "0:1"):
            return ":".join(reversed(known.split(":")))
        return known if key != "chroma_location" else None  # rotated, some locations have no name

    def compare_picture(self):
        for key in PICTURE:
            known = self.as_turned(key)
            if known in (None, "unknown", "unspecified", "0:1", "N/A"):
                continue
            if key == "sample_aspect_ratio" and known == "1:1":
                continue
            found = self.out.video.get(key)
            if key == "color_range" and known == "tv" and found in (None, "unknown"):
                continue  # the default of an untagged file
            if key == "color_space" and known == "gbr":
                continue  # new decoders report RGB, YUV has another value, and files need not tell it
            plain = lambda s: s.replace("yuvj", "yuv") if isinstance(s, str) else s
            self.expect(key, plain(known), plain(found))
        flags = lambda clip: [tuple(f.get(k) for k in FRAME_FLAGS) for f in clip.frames]
        if any(f[0] for f in flags(self.into)):
            self.expect("interlacing", flags(self.into), flags(self.out))
        for side in self.side_data(self.into):
            named = {"Display Matrix": "turned"}.get(side[0], side[0])
            if side not in self.side_data(self.out) and named not in self.said:
                self.wrong.append(f"side data: {side} is missing and not named")

    def side_data(self, clip):
        first = clip.frames[0] if clip.frames else {}
        lists = clip.video.get("side_data_list", []) + first.get("side_data_list", [])
        number = lambda v: str(Fraction(v)) if re.fullmatch(r"-?\d+/[1-9]\d*", str(v)) else str(v)
        numbers = lambda s: tuple(sorted((k, number(v)) for k, v in s.items() if k != "side_data_type"))
        known = {(s["side_data_type"], numbers(s)) for s in lists if s.get("side_data_type") in SIDE_DATA}
        return sorted(known)

    def compare_copy(self, source, copy, shift):
        """Checks that a copied stream has the same packets at the same times."""
        name = f"stream {source['index']} ({source.get('codec_name')})"
        shown = lambda packets: [p for p in packets if not (
            source.get("codec_type") == "subtitle" and int(p["size"]) <= 2)]  # MP4 fills the gaps
        into = shown(self.into.packets[source["index"]])
        out = shown(self.out.packets[copy["index"]])
        self.expect(f"{name} packets", len(into), len(out))
        if self.same:
            self.expect(f"{name} codec", source.get("codec_name"), copy.get("codec_name"))
            self.expect(f"{name} hashes", [p.get("data_hash") for p in into],
                        [p.get("data_hash") for p in out])
            self.expect(f"{name} tag", source.get("codec_tag_string"), copy.get("codec_tag_string"))
        if source["disposition"]["attached_pic"]:
            return
        tick = max(Fraction(copy["time_base"]), Fraction(source["time_base"]))
        times = lambda packets, base: [time(p.get("pts", p.get("dts")), base) for p in packets]
        for e, f in zip(times(into, source["time_base"]), times(out, copy["time_base"])):
            if e is not None and f is not None and abs(f - e + self.into.begin - shift) > tick:
                self.expect(f"{name} times", float(e), float(f))
                break

    def compare_description(self, source, copy):
        """Checks that a stream's metadata is kept or named as lost."""
        name = f"stream {source['index']}"
        said = self.said_of(source["index"])
        there = tags(copy.get("tags", {}))
        there["title"] = there.get("title", copy.get("tags", {}).get("handler_name"))
        for key, value in tags(source.get("tags", {})).items():
            if key == "language" and value == "und" or key in said:
                continue
            if key in ("filename", "mimetype") and self.ending != "mkv":
                continue  # it belongs to an attached file, which is a stream in other containers
            plain = lambda text: SAME_LANGUAGE.get(text, text) if key == "language" else text
            self.expect(f"{name} {key}", plain(value), plain(there.get(key)))
        for flag, value in source["disposition"].items():
            if value and flag not in OWN_DISPOSITIONS and f"is {flag}" not in said:
                self.expect(f"{name} {flag}", value, copy["disposition"][flag])
        if self.same or self.ending in ("mkv", "webm", "mp4", "mov"):
            expected = source["disposition"]["default"]
            if self.ending in ("mp4", "mov") and not self.has_default(source["codec_type"]):
                expected = copy["disposition"]["default"]  # one of them has to be
            self.expect(f"{name} default", expected, copy["disposition"]["default"])

    def said_of(self, index):
        """Returns the properties of a stream that the output cannot hold, according to a message."""
        found = re.findall(rf"cannot hold: .*?of stream #{index}: ([^;\[]*)", self.said)
        return found[0].lower() if found else ""

    def has_default(self, kind):
        return any(s["disposition"]["default"] for s in self.into.streams if s["codec_type"] == kind)

    def compare_file(self):
        lost = re.findall(r"cannot hold: (?:chapters; )?the tags ([^;\[]*)|cannot hold these tags: ([^;\[]*)", self.said)
        lost = [tag for names in lost for tag in "".join(names).lower().strip().split(", ")]
        there = tags(self.out.tags, also=("creation_time",))
        for stream in self.out.streams:  # Ogg keeps the file's tags there
            if self.ending in ("ogv", "ogg"):
                there = {**tags(stream.get("tags", {})), **there}
        for program in self.out.programs:
            there.setdefault("title", program.get("tags", {}).get("service_name"))
        into = {k: v for k, v in tags(self.into.tags, also=("creation_time",)).items() if k not in lost}
        self.expect("metadata", into, {k: v for k, v in there.items() if k in into})
        if self.same:
            self.expect("programs", [(p["program_num"], p["nb_streams"]) for p in self.into.programs],
                        [(p["program_num"], p["nb_streams"]) for p in self.out.programs])
        mark = lambda c, begin: (round(float(c["start_time"]) - float(begin), 3), round(float(c["end_time"]) - float(begin), 3),
                                 c.get("tags", {}).get("title"))
        if self.into.chapters and "cannot hold: chapters" not in self.said:
            ends = slice(0, 3) if self.ending != "wmv" else slice(0, 3, 2)  # ASF has marks without ends
            wanted = [mark(c, self.into.begin)[ends] for c in self.into.chapters]
            if self.ending in ("mp4", "mov") and wanted[0][0] < 0.1:
                wanted[0] = (0.0, *wanted[0][1:])  # the first title begins with the file
            self.expect("chapters", wanted, [mark(c, 0)[ends] for c in self.out.chapters])
