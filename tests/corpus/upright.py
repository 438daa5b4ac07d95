#!/usr/bin/env python3
"""Video that is stored turned or mirrored, into outputs that cannot say so, sample by sample: all eight orientations,
odd sizes, every kind of subsampling.

    upright.py VIDCONV DIR    exits with 1 where one is wrong
"""

import base64
import json
import re
import struct
import sys

from checks import Checks, run_checks

# a, b, c, d of the matrix: the pixel at (x, y) is shown at (a x + c y, b x + d y).
ORIENTATIONS = {
    "upright": (1, 0, 0, 1), "clockwise": (0, 1, -1, 0), "upside down": (-1, 0, 0, -1), "anticlockwise": (0, -1, 1, 0),
    "mirrored": (-1, 0, 0, 1), "flipped": (1, 0, 0, -1), "transposed": (0, 1, 1, 0), "transversed": (0, -1, -1, 0)}
# Columns and rows of luma for a sample of chroma, and the format after a rotation.
FORMATS = {
    "yuv420p": (2, 2, "yuv420p"), "yuv422p": (2, 1, "yuv440p"), "yuv440p": (1, 2, "yuv422p"), "yuv444p": (1, 1, "yuv444p"),
    "yuv422p10le": (2, 1, "yuv440p10le"), "yuva420p": (2, 2, "yuva420p"), "yuv410p": (4, 4, "yuv410p"), "gray": (1, 1, "gray"),
    "gbrp": (1, 1, "gbrp"), "gray16le": (1, 1, "gray16le")}
PLANES = {"gray": "y", "gray16le": "y", "yuva420p": "yuvy", "gbrp": "yyy"}
SIZES = ((48, 32), (45, 31))
LOSSLESS = ("--codec", "libx264", "--encoder-opt", "qp=0")


def planes_of(pixels, width, height):
    """Returns each plane's width, height and bytes of a sample."""
    across, down, _ = FORMATS[pixels]
    size = 2 if pixels.endswith("le") else 1
    rounded = lambda whole, by: -(-whole // by)
    return [(width, height, size) if kind == "y" else (rounded(width, across), rounded(height, down), size)
            for kind in PLANES.get(pixels, "yuv")]


def turned(data, pixels, width, height, matrix):
    """Returns a frame of bare samples, rotated as it is shown."""
    a, b, c, d = matrix
    made, at = b"", 0
    for w, h, size in planes_of(pixels, width, height):
        plane = data[at : at + w * h * size]
        at += w * h * size
        seen_w, seen_h = (h, w) if a == 0 else (w, h)
        first_x, first_y = (w - 1) * (a + b < 0), (h - 1) * (c + d < 0)
        for y in range(seen_h):
            for x in range(seen_w):
                from_x, from_y = first_x + a * x + b * y, first_y + c * x + d * y
                begin = (from_y * w + from_x) * size
                made += plane[begin : begin + size]
    return made


def with_properties(data, properties):
    """Returns an AVIF whose one picture has these properties too."""
    added = b"".join(struct.pack(">I4sB", 9, name.encode(), value) for name, value in properties)
    data = bytearray(data)
    at = data.index(b"ipco") - 4
    size, = struct.unpack_from(">I", data, at)
    count, inside = 0, at + 8
    while inside < at + size:  # the properties so far
        inside, count = inside + struct.unpack_from(">I", data, inside)[0], count + 1
    data[at + size : at + size] = added
    links = data.index(b"ipma") + 4 + 4 + 4 + 2  # version and flags, one picture, its number
    for i in range(len(properties)):
        data[links + 1 + data[links] : links + 1 + data[links]] = bytes([0x80 | count + 1 + i])
        data[links] += 1
    more = len(added) + len(properties)
    for name, grows in (("meta", more), ("iprp", more), ("ipco", len(added)), ("ipma", len(properties))):
        place = data.index(name.encode()) - 4
        struct.pack_into(">I", data, place, struct.unpack_from(">I", data, place)[0] + grows)
    place = data.index(b"iloc") + 4 + 4 + 2 + 2 + 2 + 2 + 2  # sizes, count, number, where, extents
    struct.pack_into(">I", data, place, struct.unpack_from(">I", data, place)[0] + more)
    return bytes(data)


class Upright(Checks):
    def ffmpeg(self, *words):
        made = self.run("ffmpeg", "-nostdin", "-v", "error", "-y", *words)
        if made.returncode != 0:
            raise RuntimeError(f"ffmpeg {words}: {made.stderr}")

    def samples(self, path, pixels, *options):
        return self.run("ffmpeg", "-nostdin", "-v", "error", *options, "-i", path, "-f", "rawvideo", "-pix_fmt", pixels, "-", text=False).stdout

    def probe(self, path, entries):
        return self.run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0", path).stdout.strip(",\n ")

    def stored(self, name, matrix, pixels="yuv420p", size=(48, 32), filters=""):
        """Makes FFV1 in QuickTime, with that matrix in the track's header."""
        path = self.folder / name
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.08", "-vf", f"scale={size[0]}:{size[1]},format={pixels}{filters}", "-c:v", "ffv1",
                    "-pix_fmt", pixels, path)
        data = bytearray(path.read_bytes())
        at = data.index(b"tkhd") + 4 + 40
        one = [v << 16 for v in matrix]
        data[at : at + 36] = struct.pack(">9i", one[0], one[1], 0, one[2], one[3], 0, 0, 0, 1 << 30)
        path.write_bytes(data)
        return path

    def every_orientation(self):
        for pixels, (_, _, crosswise) in FORMATS.items():
            for size in SIZES:
                for name, matrix in ORIENTATIONS.items():
                    if pixels != "yuv420p" and (name not in ("clockwise", "transversed") or size == SIZES[0]):
                        continue  # all planes are rotated alike
                    what = f"{pixels} {size[0]}x{size[1]} {name}"
                    path = self.stored("in.mov", matrix, pixels, size)
                    code, said = self.filter(path, "out.nut", "--codec", "ffv1", "--strict")
                    after = crosswise if matrix[0] == 0 else pixels
                    data = self.samples(path, pixels, "-noautorotate")
                    frame = len(data) // 2
                    right = b"".join(turned(data[i * frame : (i + 1) * frame], pixels, *size, matrix) for i in range(2))
                    self.expect(f"{what}: each sample is where it is seen: {said}", code == 0 and self.samples(self.folder / "out.nut", after) == right)
                    self.expect(f"{what}: said", ("pictures are turned" in said) == (name != "upright"))
                    if after == pixels:
                        self.expect(f"{what}: as ffmpeg turns it", self.samples(path, pixels) == right)
                    if pixels == "yuv420p" and size == SIZES[0]:
                        code, said = self.filter(path, "out.mov", *LOSSLESS)
                        kept = self.samples(self.folder / "out.mov", pixels, "-noautorotate") == data
                        self.expect(f"{what}: QuickTime has a word for it: {said}", code == 0 and kept and "pictures are turned" not in said)

    def other_subsampling(self):
        path = self.stored("in411.mov", ORIENTATIONS["clockwise"], "yuv420p", (48, 32))
        self.ffmpeg("-noautorotate", "-i", path, "-c:v", "ffv1", "-pix_fmt", "yuv411p", self.folder / "plain.mov")
        path = self.folder / "plain.mov"
        code, said = self.filter(path, "out.nut", "--codec", "ffv1", "--orientation", "90")
        self.expect(f"4:1:1 becomes 4:4:4: {said}", code == 0 and self.probe(self.folder / "out.nut", "stream=pix_fmt") == "yuv444p" and "yuv411p becomes yuv444p" in said)

    def every_output(self):
        path = self.stored("phone.mov", ORIENTATIONS["clockwise"], filters=",setsar=2")
        for name in ("out.webm", "out.gif", "out.avi", "out.ts", "out.flv", "out%d.png", "out.y4m", "out.mpg", "out.ogv", "out.apng"):
            code, said = self.filter(path, name)
            made = self.folder / name.replace("%d", "1")
            found = self.probe(made, "stream=width,height").split()[0]
            kept = name == "out.webm" and found == "48,32" and self.probe(made, "stream_side_data=rotation") == "-90"  # from FFmpeg 7 on
            self.expect(f"{name}: upright, {found}: {said}", code == 0 and (kept or found == "32,48") and "cannot hold how" not in said)
        self.expect("the shape of pixels is turned too", self.probe(self.folder / "out.y4m", "stream=sample_aspect_ratio") in ("1:2", "1/2"))
        code, _ = self.filter(path, "out.yuv")
        self.expect("bare frames are upright", code == 0 and (self.folder / "out.yuv").read_bytes() == self.samples(path, "yuv420p"))

    def as_asked(self):
        path = self.stored("phone.mov", ORIENTATIONS["clockwise"])
        data = self.samples(path, "yuv420p", "-noautorotate")
        code, said = self.filter(path, "kept.nut", "--codec", "ffv1", "--orientation", "keep")
        self.expect(f"keep: {said}", code == 0 and self.samples(self.folder / "kept.nut", "yuv420p") == data and "sideways" in said)
        code, said = self.filter(path, "strict.nut", "--codec", "ffv1", "--orientation", "keep", "--strict")
        self.expect(f"keep is refused by --strict: {said}", code == 4)
        code, said = self.filter(path, "applied.mov", *LOSSLESS, "--orientation", "apply")
        applied = self.samples(self.folder / "applied.mov", "yuv420p", "-noautorotate")
        self.expect(f"apply: {said}", code == 0 and applied == self.samples(path, "yuv420p") and not self.probe(self.folder / "applied.mov", "stream_side_data=rotation"))
        frame = len(data) // 2
        for degrees, name in {"0": "upright", "90": "clockwise", "180": "upside down", "270": "anticlockwise"}.items():
            code, said = self.filter(path, "n.mov", *LOSSLESS, "--orientation", degrees)
            right = b"".join(turned(data[i * frame : (i + 1) * frame], "yuv420p", 48, 32, ORIENTATIONS[name]) for i in range(2))
            found = self.samples(self.folder / "n.mov", "yuv420p", "-noautorotate")
            self.expect(f"{degrees} degrees clockwise: {said}", code == 0 and found == right and not self.probe(self.folder / "n.mov", "stream_side_data=rotation"))
        code, said = self.filter(path, "n.mov", "--orientation", "45")
        self.expect(f"45 degrees are refused: {said}", code == 2 and "--orientation" in said)

    def stills(self):
        """AVIF says by two properties how it is turned: irot, against the clock, then imir. FFmpeg reads them from 7.1 on."""
        still = self.folder / "still.avif"
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.04", "-c:v", "libaom-av1", "-crf", "0", "-pix_fmt", "yuv420p", "-strict", "-2", still)
        data = still.read_bytes()
        if b"ipco" not in data:
            return  # this ffmpeg makes no pictures of it
        for properties, matrix in (((("irot", 1),), (0, -1, 1, 0)), ((("irot", 3),), (0, 1, -1, 0)), ((("irot", 2),), (-1, 0, 0, -1)),
                                   ((("imir", 0),), (1, 0, 0, -1)), ((("imir", 1),), (-1, 0, 0, 1)), ((("irot", 1), ("imir", 1)), (0, -1, -1, 0))):
            path = self.folder / "turned.avif"
            path.write_bytes(with_properties(data, properties))
            code, said = self.filter(path, "out.nut", "--codec", "ffv1")
            stored = self.samples(path, "yuv420p", "-noautorotate")
            self.expect(f"AVIF with {properties}: {said}", code == 0 and self.samples(self.folder / "out.nut", "yuv420p") == turned(stored, "yuv420p", 64, 48, matrix))

    def fields(self):
        path = self.stored("fields.mov", ORIENTATIONS["upside down"], filters=",setfield=tff")
        self.ffmpeg("-noautorotate", "-i", path, "-c:v", "ffv1", "-field_order", "tt", self.folder / "tt.mov")
        self.filter(self.folder / "tt.mov", "bb.nut", "--codec", "ffv1", "--orientation", "180")
        found = self.probe(self.folder / "bb.nut", "frame=interlaced_frame,top_field_first").split("\n")[0]
        self.expect(f"upside down, the bottom field is first: {found}", found.startswith("1,0"))
        code, said = self.filter(self.folder / "tt.mov", "strict.nut", "--codec", "ffv1", "--orientation", "90", "--strict")
        self.expect(f"fields that become columns are a loss: {said}", code == 4 and "interlaced" in said)

    def looked_at(self):
        path = self.stored("phone.mov", ORIENTATIONS["clockwise"])
        self.filter(path, "upright.nut", "--codec", "ffv1")
        for source, name in ((path, "a.png"), (self.folder / "upright.nut", "b.png")):
            self.run(self.vidconv, source, "--gallery", "-o", self.folder / name, "-y", "--kernel", "sobel:axis=x")
        self.expect("the gallery is upright", (self.folder / "a.png").read_bytes() == (self.folder / "b.png").read_bytes())
        for name in ("report.mov", "report.nut"):
            self.filter(path, name, "--codec", "libx264", "--report", self.folder / "page.html")
            text = re.search(r'<script type="application/json" id="data">(.*?)</script>', (self.folder / "page.html").read_text(), re.S)[1]
            pictures = json.loads(text)["pictures"]
            sizes = {struct.unpack(">2I", base64.b64decode(p[key].split(",")[1])[16:24]) for p in pictures for key in ("before", "after")}
            self.expect(f"{name}: the report shows upright pictures: {sizes}", sizes == {(32, 48)})


if __name__ == "__main__":
    sys.exit(run_checks(Upright, "every_orientation", "other_subsampling", "every_output", "as_asked", "stills", "fields", "looked_at"))
