#!/usr/bin/env python3
"""Pictures whose colours change on the way, whose lines belong to two fields or to one, and those of decoders that write
beyond a plane: what comes out, judged by ffmpeg.

    pictures.py VIDCONV DIR    exits with 1 where one is wrong
"""

import sys

from checks import Checks, run_checks

# The filter sets the frames' properties, because later versions of FFmpeg ignore the option.
LABEL = ",setparams=color_primaries={0}:color_trc={0}:colorspace={0}"


class Pictures(Checks):
    def samples(self, path, pixels):
        return self.run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", pixels, "-", text=False).stdout

    def hashes(self, path):
        lines = self.run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "framemd5", "-").stdout.splitlines()
        return [line.split(",")[-1].strip() for line in lines if not line.startswith("#")]

    def joined(self, name, *parts):
        whole = b"".join(self.ffmpeg(f"{words} -output_ts_offset {0.2 * i}", f"{i}-{name}").read_bytes() for i, words in enumerate(parts))
        (self.folder / name).write_bytes(whole)
        return self.folder / name

    def changing_colours(self):
        red = "-f lavfi -i color=c=0xff0000:s=96x64:r=25:d=0.2,format=gbrp -vf scale=out_color_matrix={0}:out_range={1}"
        coded = " -pix_fmt {2} -c:v libx264 -qp 0 -bf 0 -color_range {1} "
        part = lambda matrix, range: (red + LABEL.format(matrix) + coded).format(matrix, range, "yuv444p")
        for name, parts in {"matrix.ts": (("bt709", "tv"), ("smpte170m", "tv")), "range.ts": (("bt709", "tv"), ("bt709", "pc"))}.items():
            code, said = self.filter(self.joined(name, *(part(*p) for p in parts)), name + ".mkv", "--kernel", "identity", "--codec", "ffv1")
            rgb = self.samples(self.folder / (name + ".mkv"), "rgb24")
            pixels = [tuple(rgb[i : i + 3]) for i in range(0, len(rgb), 96 * 64 * 3)]
            near = all(p[0] >= 250 and p[1] <= 4 and p[2] <= 4 for p in pixels)
            self.expect(f"{name}: red throughout, said: {pixels}", code == 0 and len(pixels) == 10 and near and "colours change" in said)
        hlg = part("bt709", "tv").replace("color_trc=bt709", "color_trc=arib-std-b67")
        code, said = self.filter(self.joined("transfer.ts", part("bt709", "tv"), hlg), "transfer.mkv", "--kernel", "identity", "--codec", "ffv1")
        self.expect("transfer.ts: named", code == 0 and "transfer bt709 to arib-std-b67" in said)
        code, said = self.filter(self.folder / "transfer.ts", "strict.mkv", "--kernel", "identity", "--codec", "ffv1", "--strict")
        self.expect("transfer.ts: refused by --strict", code == 4 and "[strict]" in said)

    def shapes(self, path):
        """Returns the shape of the pixels of each frame, as its own headers say it."""
        return [shape for shape in self.run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=sample_aspect_ratio", "-of", "csv=p=0", path).stdout.replace(",", " ").split()
                if ":" in shape]

    def changing_shapes(self):
        """Pixels of 16:9 are followed by those of 4:3, as in broadcasts: outputs whose headers come again follow, others are named."""
        part = lambda shape, begin: f"-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -vf setsar={shape} -c:v libx264 -bf 2 -muxdelay 0 -output_ts_offset {begin}"
        source = self.folder / "shapes.ts"
        source.write_bytes(b"".join(self.ffmpeg(part(*p), f"{i}.shape.ts").read_bytes() for i, p in enumerate((("64/45", 1), ("16/15", 1.4), ("64/45", 1.8)))))
        wanted = (["64:45"] * 10 + ["16:15"] * 10 + ["64:45"] * 10)
        self.expect(f"the clip's shapes: {self.shapes(source)}", self.shapes(source) == wanted)
        for name, codec in (("a.ts", "libx264"), ("a.ts", "libx265"), ("a.ts", "mpeg4"), ("a.h264", "libx264"), ("a.mjpeg", "mjpeg"),
                            ("a%d.png", "png"), ("a%d.jpg", "mjpeg")):
            code, said = self.filter(source, name, "--codec", codec, *(("--strict",) if codec in ("libx264", "libx265") else ()))
            self.expect(f"{codec} in {name} follows the shape: {self.shapes(self.folder / name)}: {said}", code == 0 and self.shapes(self.folder / name) == wanted)
            if name == "a.ts":
                times = [[int(t) for t in line.split(",")[:2]] for line in self.run("ffprobe", "-v", "error", "-show_entries", "packet=pts,dts", "-of", "csv=p=0", self.folder / name).stdout.split()]
                shown = sorted(pts for pts, dts in times)
                self.expect(f"{codec}: times go on where its shape changes: {times}", all(b - a == 3600 for a, b in zip(shown, shown[1:]))
                            and all(a[1] < b[1] for a, b in zip(times, times[1:])) and all(dts <= pts for pts, dts in times))
        # FFmpeg's decoder loses a picture where MPEG-2's headers change, so that its packets are counted.
        for name in ("a.ts", "a.vob"):
            code, said = self.filter(source, name, "--codec", "mpeg2video")
            found = self.shapes(self.folder / name)
            packets = self.run("ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", self.folder / name).stdout.split(",")[0].strip()
            self.expect(f"MPEG-2 in {name} follows the shape: {packets} {found}: {said}", code == 0 and packets == "30" and [s for i, s in enumerate(found) if found[i - 1 : i] != [s]] == ["64:45", "16:15", "64:45"])
            ends = (self.folder / name).read_bytes().count(b"\0\0\1\xb7\0\0\1\xb3")
            self.expect(f"a sequence ends before the next shape (H.262, 6.1.1.6): {ends}", ends == 2)
        self.filter(source, "a.dv", "--codec", "dvvideo")
        frames = (self.folder / "a.dv").read_bytes()
        for i in range(3):
            (self.folder / "third.dv").write_bytes(frames[i * len(frames) // 3 : (i + 1) * len(frames) // 3])
            self.expect(f"DV follows the shape, part {i}", set(self.shapes(self.folder / "third.dv")) == {wanted[10 * i]})
        for name, options in (("a.mkv", ()), ("a.mp4", ()), ("a.avi", ()), ("a.mxf", ()), ("a.y4m", ()), ("a.yuv", ()), ("a.ts", ("--shards", "2", "--codec", "libx264"))):
            code, said = self.filter(source, name, *options)
            self.expect(f"{name} {options}: a new shape is named: {said}", code == 0 and "changes at frame 10 from 64:45 to 16:15" in said)
            code, said = self.filter(source, name, *options, "--strict")
            self.expect(f"{name} {options}: refused by --strict: {said}", code == 4 and "[strict]" in said)
        code, said = self.filter(source, "null:", "--strict")
        self.expect(f"no output loses no shape: {said}", code == 0)
        # A picture that is scaled to another size has other pixels.
        wide = "-f lavfi -i testsrc2=s={0}:r=25:d=0.4 -vf setsar={1} -c:v mpeg2video -muxdelay 0 -output_ts_offset {2}"
        for shape, same in (("1/1", True), ("4/3", False)):
            source.write_bytes(self.ffmpeg(wide.format("720x576", "64/45", 0), "0.shape.ts").read_bytes() + self.ffmpeg(wide.format("1280x720", shape, 0.4), "1.shape.ts").read_bytes())
            code, said = self.filter(source, "a.mkv", "--codec", "ffv1")
            self.expect(f"scaled to the first, {shape}: {said}", code == 0 and ("the shape of pixels changes" in said) != same)

    def two_fields(self):
        for height in (64, 66, 70):
            source = self.ffmpeg(f"-f lavfi -i color=s=96x{height}:d=0.04:r=25,format=yuv420p,geq=lum=100:cb=if(mod(Y\\,2)\\,200\\,60):cr=128"
                                 ",setfield=tff -c:v ffv1 -field_order tt", f"chroma{height}.mkv")
            self.filter(source, "chroma.mkv", "--kernel", "identity", "--codec", "ffv1", "--pix-fmt", "yuv422p")
            data = self.samples(self.folder / "chroma.mkv", "yuv422p")[96 * height : 96 * height + 48 * height]
            rows = [set(data[y * 48 : y * 48 + 48]) for y in range(height)]
            self.expect(f"{height} lines: chroma of two fields is not mixed", rows == [{60}, {200}] * (height // 2))
        source = self.ffmpeg("-f lavfi -i testsrc2=s=352x288:d=0.2:r=25,setfield=tff -c:v mpeg2video -flags +ilme+ildct", "fields.mpg")
        for codec in "mjpeg mpeg1video wmv1 wmv2 flv h263p msmpeg4 utvideo huffyuv libvpx-vp9 mpeg4 mpeg2video libx264 ffv1".split():
            code, said = self.filter(source, "any.mkv", "--kernel", "box", "--codec", codec)
            kept = self.run("ffprobe", "-v", "error", "-show_entries", "frame=interlaced_frame", "-of", "csv=p=0", self.folder / "any.mkv").stdout
            self.expect(f"interlaced to {codec}: kept or named", code == 0 and ("1" in kept) == ("is interlaced" not in said))

    def with_fields_called(self, source, kinds):
        """Returns x265's bare HEVC with other values of pic_struct (H.265, D.3.3), which x265 does not write."""
        data = bytearray(source.read_bytes())
        found = []
        for at in range(len(data) - 8):
            if data[at : at + 5] != b"\0\0\1\x4e\1":  # a prefix SEI unit
                continue
            at += 5
            while data[at] != 0x80 and data[at : at + 3] not in (b"\0\0\0", b"\0\0\1"):
                kind, size = data[at], data[at + 1]
                if kind == 1:  # picture timing, which begins with pic_struct in 4 bits
                    found.append(data[at + 2] >> 4)
                    data[at + 2] = kinds.get(found[-1], found[-1]) << 4 | data[at + 2] & 15
                if kind != 1 or size == 255:
                    break
                at += 2 + size
        self.expect(f"each picture says which field it is: {found}", len(found) == 10 and set(found) == {1, 2})
        made = self.folder / f"fields-{kinds.get(1, 1)}.hevc"
        made.write_bytes(data)
        return made

    def one_field(self):
        bare = self.ffmpeg("-f lavfi -i testsrc2=s=128x96:d=0.2:r=50 -c:v libx265 -x265-params interlace=tff:log-level=error:pools=1", "field.hevc")
        # Fields may say that they are pairs with the one before, or with the next one.
        for kinds in ({}, {1: 9, 2: 10}, {1: 11, 2: 12}):
            source = self.with_fields_called(bare, kinds)
            _, said = self.filter(source, "field-auto.mkv", "--kernel", "box", "--codec", "ffv1")
            self.filter(source, "field-whole.mkv", "--kernel", "box", "--codec", "ffv1", "--scan", "progressive")
            found = self.hashes(self.folder / "field-auto.mkv")
            same = found == self.hashes(self.folder / "field-whole.mkv")
            self.expect(f"HEVC of field pictures {kinds}: each is filtered alone, and named: {len(found)}: {said}", same and len(found) == 10 and "one field" in said)
            # The test can fail: lines of two fields are filtered apart.
            self.filter(source, "field-lines.mkv", "--kernel", "box", "--codec", "ffv1", "--scan", "interlaced")
            self.expect("lines of fields filtered apart are other pictures", found != self.hashes(self.folder / "field-lines.mkv"))

    def range_of_vc2(self):
        """VC-2 (SMPTE ST 2042-1, 11.4.9) has numbers for a full range of 8 bits alone: deeper samples become those of the limited one."""
        for pixels, depth in {"yuv420p": 8, "yuv420p10le": 10, "yuv422p10le": 10, "yuv444p12le": 12}.items():
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s=128x96:d=0.04:r=25 -vf scale=out_range=full:out_color_matrix=bt709 -pix_fmt {pixels} -color_range pc -colorspace bt709 -c:v ffv1", "full.mkv")
            code, said = self.filter(source, "vc2.mkv", "--kernel", "identity", "--codec", "vc2", "--bitrate", "900M")
            full, made = (memoryview(self.samples(path, pixels)).cast("B" if depth == 8 else "H") for path in (source, self.folder / "vc2.mkv"))
            self.expect(f"{pixels} to VC-2: said: {said}", code == 0 and ("full range to limited" in said) == (depth > 8))
            most, unit = 2**depth - 1, 2 ** (depth - 8)
            limited = lambda i: (16 * unit + full[i] * 219 * unit / most if i < 128 * 96 else 128 * unit + (full[i] - 128 * unit) * 224 * unit / most) if depth > 8 else full[i]
            worst = max(abs(value - limited(i)) for i, value in enumerate(made))
            self.expect(f"{pixels} to VC-2: each sample at its place in the range, {worst}", len(made) == len(full) and worst <= 0.51)

    def room_behind_planes(self):
        for size in ("128x96", "320x240", "640x480", "720x576", "1280x720"):
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s={size}:d=0.12:r=25 -c:v cfhd -pix_fmt yuv422p10le", f"cfhd-{size}.mov")
            done = self.run(self.vidconv, source, "-o", "md5:", "--kernel", "identity")
            found = [line.split()[1] for line in done.stdout.splitlines() if line[:1].isdigit()]
            self.expect(f"CineForm of {size} as ffmpeg decodes it", found == self.hashes(source) != [])

    def transparent_vp8(self):
        source = self.ffmpeg("-f lavfi -i color=c=red:s=64x720:d=0.08:r=25,format=yuva420p -c:v libvpx -auto-alt-ref 0 -deadline realtime", "alpha.webm")
        self.filter(source, "alpha.mkv", "--kernel", "identity", "--codec", "ffv1")
        matrix = self.run("ffprobe", "-v", "error", "-show_entries", "stream=color_space", "-of", "csv=p=0", self.folder / "alpha.mkv").stdout
        self.expect(f"transparent VP8 of 720 lines is BT.601: {matrix.strip()}", matrix.strip() in ("bt470bg", "smpte170m"))


if __name__ == "__main__":
    sys.exit(run_checks(Pictures, "changing_colours", "changing_shapes", "two_fields", "one_field", "range_of_vc2", "room_behind_planes", "transparent_vp8"))
