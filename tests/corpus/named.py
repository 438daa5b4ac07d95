#!/usr/bin/env python3
"""Losses in an output are named, and refused by --strict; there is no message without a loss.

    named.py VIDCONV DIR    exits with 1 where one is wrong
"""

import http.server
import re
import subprocess
import sys
import threading
import time
import zlib

from checks import Checks, run_checks

PICTURE = "-f lavfi -i testsrc2=s=128x96:r=25:d=0.4"


class Named(Checks):
    def __init__(self, vidconv, folder):
        super().__init__(vidconv, folder)
        self.encoders = {w[1] for w in map(str.split, self.run("ffmpeg", "-v", "error", "-encoders").stdout.splitlines()) if len(w) > 1}

    def probe(self, path, entries):
        return self.run("ffprobe", "-v", "error", "-show_entries", entries, "-of", "csv=p=0", path).stdout

    def loses(self, source, name, words, *options):
        """Expects that the loss is named, and that --strict refuses it."""
        code, said = self.filter(source, name, *options)
        self.expect(f"{source.name} to {name} {options}: {words!r} is named: {said}", code == 0 and words in said)
        code, said = self.filter(source, name, *options, "--strict")
        self.expect(f"{source.name} to {name} {options}: --strict refuses: {said}", code == 4 and "[strict]" in said)

    def keeps(self, source, name, words, *options):
        code, said = self.filter(source, name, *options)
        self.expect(f"{source.name} to {name} {options}: {words!r} is kept: {said}", code == 0 and words not in said)

    def captioned(self):
        """Tests H.264 with captions (ATSC A/53) before each picture."""
        bare = self.ffmpeg(f"{PICTURE} -c:v libx264 -x264-params aud=1:slices=1:threads=1", "bare.h264").read_bytes()
        captions = b"\xb5\x00\x31GA94\x03\x42\xff" + b"\xfc\x94\x20" * 2 + b"\xff"
        sei = b"\x00\x00\x01\x06\x04" + bytes([len(captions)]) + captions + b"\x80"
        units = bare.split(b"\x00\x00\x01")
        made = units[0]
        for unit in units[1:]:
            made += (sei if unit[0] & 31 in (1, 5) else b"") + b"\x00\x00\x01" + unit
        (self.folder / "captions.h264").write_bytes(made)
        return self.ffmpeg(f"-i {self.folder}/captions.h264 -c copy", "captions.mp4")

    def captions(self):
        source = self.captioned()
        count = lambda path: self.probe(path, "frame_side_data=side_data_type").count("A53")
        self.expect("the clip has captions", count(source) > 0)
        for encoder in ("libx264", "mpeg2video"):
            self.keeps(source, "kept.mkv", "captions", "--codec", encoder)
            self.expect(f"{encoder} has written them", count(self.folder / "kept.mkv") > 0)
        for name, encoder in (("a.mkv", "libvpx-vp9"), ("a.mov", "prores_ks"), ("a.mkv", "ffv1"), ("a%d.png", "png")):
            self.loses(source, name, "captions", "--codec", encoder)
        for name in ("a.yuv", "a.y4m", "a.gif"):
            self.loses(source, name, "captions")
        self.keeps(source, "null:", "captions", "--strict")

    def bare_colours(self):
        """Bare frames say a range at most: colours that players would not take for granted are named."""
        source = self.ffmpeg(f"{PICTURE} -c:v libx264 -pix_fmt yuv420p -vf setparams=range=pc:colorspace=bt709:color_primaries=bt2020:color_trc=smpte2084 -colorspace bt709 -color_primaries bt2020 -color_trc smpte2084 -color_range pc", "colours.mkv")
        self.loses(source, "a.y4m", "matrix bt709, primaries bt2020, transfer smpte2084 [")
        self.loses(source, "a.yuv", "matrix bt709, primaries bt2020, transfer smpte2084, full range [")
        usual = self.ffmpeg(f"{PICTURE} -c:v libx264 -pix_fmt yuv420p -colorspace smpte170m -color_primaries smpte170m -color_trc bt709 -color_range tv", "usual.mkv")
        for name in ("a.y4m", "a.yuv"):
            self.keeps(usual, name, "players", "--strict")

    def colours_of_pictures(self):
        """Only FFmpeg 6.1 and later have a place for them in PNG."""
        source = self.ffmpeg(f"{PICTURE} -c:v ffv1 -pix_fmt gbrp -vf format=gbrp,setparams=color_primaries=bt2020:color_trc=smpte2084 -color_primaries bt2020 -color_trc smpte2084", "wide.mkv")
        for name in ("a%d.png", "a.apng", "a%d.tiff"):
            code, said = self.filter(source, name)
            shown = self.probe(self.folder / name, "stream=color_primaries,color_transfer")
            kept = "bt2020" in shown and "smpte2084" in shown
            self.expect(f"primaries and transfer to {name} ({shown}) are kept or named: {said}",
                        code == 0 and kept != ("primaries bt2020, transfer smpte2084" in said))

    def foreign_sounds(self):
        """Sounds that a container has no name of its own for: in MOV they have RIFF's, WMA Pro its header too."""
        data = bytearray(self.ffmpeg(f"{PICTURE} -f lavfi -i sine=d=0.4 -c:v mpeg4 -c:a wmav2", "wma.avi").read_bytes())
        at = data.find(b"strf", data.find(b"auds"))
        length = int.from_bytes(data[at + 4:at + 8], "little")
        made = b"\x62\1" + data[at + 10:at + 24] + b"\x12\0" + bytes((16, 0, 4)) + bytes(11) + b"\xe0" + bytes(3)
        for size in (4, data.find(b"hdrl") - 4, data.rfind(b"strl", 0, at) - 4, at + 4):
            data[size:size + 4] = (int.from_bytes(data[size:size + 4], "little") + len(made) - length).to_bytes(4, "little")
        data[at + 8:at + 8 + length] = made
        source = self.folder / "wmapro.avi"
        source.write_bytes(data)
        self.expect("the clip has WMA Pro", "wmapro" in self.probe(source, "stream=codec_name"))
        code, said = self.filter(source, "wmapro.mov")
        self.expect(f"WMA Pro goes into MOV: {said}", code == 0 and "wmapro" in self.probe(self.folder / "wmapro.mov", "stream=codec_name"))

        for sound, options in (("adpcm_ms", ""), ("adpcm_ima_wav", ""), ("g723_1", "-ar 8000 -ac 1"), ("wmav2", "")):
            if sound in self.encoders:
                source = self.ffmpeg(f"{PICTURE} -f lavfi -i sine=d=0.4 -c:v mpeg4 -c:a {sound} {options}", f"{sound}.mkv")
                code, said = self.filter(source, f"{sound}.mov")
                found = self.probe(self.folder / f"{sound}.mov", "stream=codec_name")
                self.expect(f"{sound} goes into MOV, or is named: {found}: {said}", code == 0 and (sound in found) != ("left out" in said))
        # RealMedia takes any sound; readers find those again that it has a name for.
        for sound, kept in (("ac3", True), ("eac3", False), ("libopus", False)):
            if sound in self.encoders:
                source = self.ffmpeg(f"{PICTURE} -f lavfi -i sine=d=0.4 -c:v libx264 -c:a {sound}", f"{sound}.mkv")
                (self.keeps if kept else self.loses)(source, "sound.rm", "left out: #1 (audio", "--codec", "rv10")

    def headers_of_sound(self):
        """NUT has RIFF's names without its header, Windows' recordings no place for AAC's, and MPEG-TS no number for TrueHD that readers know."""
        tone = f"{PICTURE} -f lavfi -i sine=sample_rate=48000:d=0.4 -c:v mpeg4"
        sources = {sound: self.ffmpeg(f"{tone} -c:a {sound} -strict -2 {more}", f"{sound}.mkv")
                   for sound, more in (("eac3", ""), ("wmav2", ""), ("g726", "-ar 8000 -ac 1"), ("aac", ""), ("truehd", ""), ("ac3", ""), ("adpcm_ms", ""))}
        adts = self.ffmpeg(f"-i {sources['aac']} -c:v mpeg2video -c:a copy", "aac.ts")
        for source, name, codec, kept in ((sources["eac3"], "a.nut", "mpeg4", False), (sources["wmav2"], "a.nut", "mpeg4", False), (sources["g726"], "a.nut", "mpeg4", False),
                                          (sources["ac3"], "a.nut", "mpeg4", True), (sources["adpcm_ms"], "a.nut", "mpeg4", True), (sources["aac"], "a.wtv", "mpeg2video", False), (adts, "a.wtv", "mpeg2video", True),
                                          (sources["truehd"], "a.ts", "mpeg2video", False), (sources["truehd"], "a.m2ts", "mpeg2video", True)):
            (self.keeps if kept else self.loses)(source, name, "left out: #1 (audio", "--codec", codec)
        for name, sound in (("a.nut", "wmav2"), ("a.wtv", "aac"), ("a.ts", "truehd")):
            code, said = self.filter(sources["ac3"], name, "--audio", sound, "--codec", "mpeg2video")
            self.expect(f"--audio {sound} is refused for {name}: {said}", code == 4 and "does not take the sound" in said)
        # A sound loses what it says beside its packets where nothing is known of it but its name.
        data = self.ffmpeg(f"-i {sources['ac3']} -c copy", "ac3.mp4").read_bytes()
        source = self.folder / "ac4.mp4"
        source.write_bytes(data.replace(b"ac-3", b"ac-4").replace(b"dac3", b"dac4"))
        # FFmpeg 9 has a name for it, ac4, and a place in QuickTime.
        named = "ac4" in self.run("ffprobe", "-v", "error", "-show_entries", "stream=codec_name", source).stdout
        for ending in ("mov", "mp4", "mkv", "nut"):
            (self.keeps if named and ending == "mov" else self.loses)(
                source, f"a.{ending}", f"left out: #1 (audio, {'ac4' if named else 'ac-4'})", "--codec", "mpeg4")
        # Such sound in MPEG-TS is data to FFmpeg, which has GoPro's name for any data in MP4.
        data = self.folder / "data.bin"
        data.write_bytes(bytes(range(256)) * 64)
        source = self.ffmpeg(f"{PICTURE} -f data -i {data} -map 0 -map 1 -c:v mpeg2video -c:d copy", "data.ts")
        self.expect("the clip has data", "bin_data" in self.probe(source, "stream=codec_name"))
        for ending in ("mp4", "mkv", "ts"):
            self.loses(source, f"a.{ending}", "left out: #1 (data, bin_data)", "--codec", "mpeg2video")

    def broadcast_sound(self):
        """AAC of broadcasts is in ADTS, which no container of the MOV family holds."""
        source = self.ffmpeg(f"{PICTURE} -f lavfi -i sine=d=0.4 -c:v libx264 -c:a aac", "adts.ts")
        sound = lambda path: self.run("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "framemd5", "-").stdout
        digests = lambda path: [line.split(",")[-1] for line in sound(path).splitlines() if not line.startswith("#")]
        for ending in ("mp4", "mov", "3gp", "f4v", "ismv", "mkv"):
            code, said = self.filter(source, f"adts.{ending}")
            self.expect(f"AAC in ADTS goes into {ending}: {said}", code == 0 and digests(self.folder / f"adts.{ending}") == digests(source) != [])

    def profiles(self):
        """Tests pictures with an ICC profile, which few encoders write."""
        profile = bytearray(132)
        profile[:4], profile[12:24], profile[36:40] = (132).to_bytes(4, "big"), b"mntrRGB XYZ ", b"acsp"
        chunk = b"iCCPtest\0\0" + zlib.compress(bytes(profile))
        plain = self.ffmpeg(f"{PICTURE} -frames:v 1", "plain.png").read_bytes()
        source = self.folder / "profile.png"
        source.write_bytes(plain[:33] + (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big") + plain[33:])
        for name in ("b.png", "b.jpg", "b.apng"):
            self.keeps(source, name, "ICC")
            self.expect(f"{name} has the profile", "ICC" in self.probe(self.folder / name, "frame_side_data=side_data_type"))
        for name in ("b.mp4", "b.mkv", "b.tif", "b.webp", "b.gif", "b.y4m", "b.yuv"):
            self.loses(source, name, "ICC profile")
        # A track of QuickTime has one for all its pictures.
        data = bytearray(self.ffmpeg(f"{PICTURE} -c:v libx264 -pix_fmt yuv420p", "plain.mp4").read_bytes())
        entry = data.rfind(b"avc1") - 4
        end = entry + int.from_bytes(data[entry:entry + 4], "big")
        data[end:end] = (12 + len(profile)).to_bytes(4, "big") + b"colrprof" + profile
        for box in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"avc1"):
            at = data.rfind(box) - 4
            data[at:at + 4] = (int.from_bytes(data[at:at + 4], "big") + 12 + len(profile)).to_bytes(4, "big")
        source = self.folder / "profile.mp4"
        source.write_bytes(data)
        for name in ("c.mp4", "c.mov"):
            self.keeps(source, name, "ICC")
            self.expect(f"{name} has the profile", "ICC" in self.probe(self.folder / name, "stream_side_data=side_data_type"))
        for name in ("c.mkv", "c.avi", "c.m4v", "c.3gp", "c.ts", "c.y4m", "c%d.png"):
            self.loses(source, name, "ICC Profile")

    def palettes(self):
        """Tests subtitles of a DVD, whose colours a program stream has no place for."""
        lines = bytes((0, 1)) * 8
        commands = b"\1\3\x32\x10\4\xff\xf0\5\0\0\x3f\0\0\x0f\6" + b"".join(n.to_bytes(2, "big") for n in (4, 20)) + b"\xff"
        until = 36 + 4 + len(commands)
        body = lines * 2 + b"\0\0" + until.to_bytes(2, "big") + commands + b"\0\x3c" + until.to_bytes(2, "big") + b"\2\xff"
        picture = (len(body) + 4).to_bytes(2, "big") + (36).to_bytes(2, "big") + body
        packet = b"\x81\x80\5\x21\0\1\x46\x51\x20" + picture
        data = b"\0\0\1\xba\x44\0\4\0\4\1\0\0\3\xf8" + b"\0\0\1\xbd" + len(packet).to_bytes(2, "big") + packet
        fill = 2048 - len(data) - 6
        (self.folder / "dvd.sub").write_bytes(data + b"\0\0\1\xbe" + fill.to_bytes(2, "big") + b"\xff" * fill)
        colours = ", ".join(("000000", "ffffff", "808080", "404040") * 4)
        (self.folder / "dvd.idx").write_text(f"# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\npalette: {colours}\n"
                                             "id: en, index: 0\ntimestamp: 00:00:00:100, filepos: 000000000\n")
        source = self.ffmpeg(f"-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -i {self.folder}/dvd.idx -map 0 -map 1 -c:v mpeg2video -c:s copy", "dvd.mkv")
        self.keeps(source, "dvd.mp4", "palette")
        for name in ("again.vob", "again.mpg"):
            self.loses(source, name, "palette of #1 (subtitle, dvd_subtitle)")
        self.keeps(self.folder / "again.vob", "third.vob", "palette")
        self.expect("VOB keeps the subtitles", "dvd_subtitle" in self.probe(self.folder / "third.vob", "stream=codec_name"))

    def ends_of_sound(self):
        """The last packet of sound whose packets have no duration, of TTA, whose length Matroska does not hold, and MP2, which MP4 calls as MP3."""
        heard = lambda path: self.run("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-", text=False).stdout
        for sound, options, endings in (("alac", "", ("mp4", "mov")), ("libspeex", "-ar 16000", ("mov",)), ("g722", "-ar 8000", ("mov",))):
            for length in (0.03, 0.5):
                if sound not in self.encoders:
                    continue
                source = self.ffmpeg(f"{PICTURE} -f lavfi -i sine=sample_rate=48000:d={length} -c:v mpeg4 -c:a {sound} {options}", f"{sound}.{'mov' if sound == 'g722' else 'mkv'}")
                for ending in endings:
                    self.keeps(source, f"end.{ending}", "left out")
                    said, kept = heard(source), heard(self.folder / f"end.{ending}")
                    # Matroska's delay is one sample short of Speex', which FFmpeg 9 heeds.
                    early = 2 if sound == "libspeex" else 0
                    self.expect(f"{sound} of {length} s to {ending} keeps its last packet",
                                kept and said.endswith(kept) and len(said) - len(kept) <= early)
        self.ffmpeg("-f lavfi -i sine=sample_rate=48000:d=1.3", "end.tta")
        for length, kept in ((0.4, True), (1.6, False)):
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s=128x96:r=25:d={length} -i {self.folder}/end.tta -c:v mpeg4 -c:a copy", "tta.mkv")
            self.keeps(source, "end.mkv", "how long sound in TTA")
            self.expect(f"TTA beside {length} s of pictures stays what it is", heard(self.folder / "end.mkv") == heard(source) != b"")
            self.expect(f"all of it is heard: {kept}", (len(heard(source)) == 2 * 62400) == kept)
        self.loses(self.folder / "tta.mkv", "end.mkv", "how long sound in TTA", "--duration", "0.8")
        source = self.ffmpeg(f"{PICTURE} -f lavfi -i sine=d=0.4 -c:v mpeg4 -c:a mp2", "layer.mkv")
        for name, kept in (("a.mov", True), ("a.mp4", False), ("a.ismv", False)):
            (self.keeps if kept else self.loses)(source, name, "for mp3")
            self.expect(f"mp2 in {name} is read as it is: {kept}", ("mp2" in self.probe(self.folder / name, "stream=codec_name")) == kept)
        self.loses(source, "a.mp4", "for mp3", "--audio", "mp2")

    def marks(self):
        """Tests what a stream is said to be for, which containers hold for some kinds of streams; uses the subtitles of palettes()."""
        lines = self.folder / "lines.srt"
        lines.write_text("1\n00:00:00,100 --> 00:00:00,300\nline\n")
        marked = lambda path: {line.split("|")[0]: set(re.findall("disposition:([a-z_]+)=1", line)) for line in
                               self.run("ffprobe", "-v", "error", "-show_entries", "stream=codec_type:stream_disposition", "-of", "compact=p=0:nk=0", path).stdout.replace("codec_type=", "").splitlines()
                               if "disposition" in line}
        numbers = {"video": 0, "audio": 1, "subtitle": 2}
        for ending, subtitles, coded in (("mkv", lines, "srt"), ("mp4", lines, "mov_text"), ("mkv", self.folder / "dvd.idx", "dvbsub"), ("ts", self.folder / "dvd.idx", "dvbsub")):
            for mark in ("dub+forced+hearing_impaired", "comment+visual_impaired", "captions", "descriptions"):
                words = "".join(f"-disposition:{kind} {mark} " for kind in "vas")
                source = self.ffmpeg(f"-f lavfi -i testsrc2=s=720x576:r=25:d=0.12 -f lavfi -i sine=d=0.2 -i {subtitles} -map 0 -map 1 -map 2 -c:v mpeg2video -c:a mp2 -c:s {coded} "
                                     f"-metadata:s language=eng {words}", f"marks.{ending}")
                for name in ("a.mkv", "a.mp4", "a.ts") + (("a.3gp", "a.m4v", "a.webm") if coded != "dvbsub" else ()):
                    options = {"a.3gp": ("--codec", "mpeg4", "--audio", "aac"), "a.m4v": ("--codec", "mpeg4", "--audio", "aac"), "a.webm": ("--codec", "libvpx", "--audio", "libvorbis")}
                    code, said = self.filter(source, name, *options.get(name, ()))
                    found = marked(self.folder / name)
                    for kind, wanted in marked(source).items():
                        for word in wanted - {"default"} if kind in found else ():
                            named = re.search(rf"#{numbers[kind]}: [^;]*that it is {word}\b", said) is not None
                            self.expect(f"{ending} to {name}: the {kind} is {word}, named: {named}: {said}", code == 0 and (word in found[kind]) != named)

    def starts(self):
        """With --copy-times a video that begins at an hour does so in the output, or a line says that it has no place for that."""
        source = self.ffmpeg(f"{PICTURE} -c:v libx264 -pix_fmt yuv420p -output_ts_offset 3600", "hour.mkv")
        for name in ("a.mp4", "a.mkv", "a.mov", "a.nut", "a.ts", "a.flv", "a.webm", "a.ivf"):
            self.keeps(source, name, "is shown at", "--copy-times")
            start = self.probe(self.folder / name, "format=start_time")
            self.expect(f"{name} begins at an hour: {start}", abs(float(start) - 3600) < 0.1)
        for name in ("a.y4m", "a.yuv", "a%d.png", "a.gif", "a.apng", "a.webp", "a.mxf", "a.h264", "a.mjpeg", "a.ismv", "a.rm", "a.swf"):
            self.loses(source, name, "cannot say that the first picture is shown at 3600 s", "--copy-times")
            self.keeps(source, name, "is shown at")
        self.loses(source, "a.avi", "begins at 0: all times are 3600 s earlier", "--copy-times", "--codec", "mpeg4")
        self.keeps(source, "a.avi", "begins at 0", "--codec", "mpeg4")

    def layouts(self):
        source = self.ffmpeg(f"{PICTURE} -c:v libx264 -metadata:s:v stereo_mode=left_right", "stereo.mkv")
        self.keeps(source, "a.mp4", "stereo", "--strict")
        for ending in ("mov", "avi"):
            self.loses(source, f"a.{ending}", "Stereo 3D")
        for name in ("a.y4m", "a.yuv", "a%d.png", "a%d.jpg"):
            self.loses(source, name, "Stereo 3D")

    def covers(self):
        picture = self.ffmpeg(f"{PICTURE} -frames:v 1", "cover.jpg")
        source = self.ffmpeg(f"{PICTURE} -i {picture} -map 0 -map 1 -c:v:0 libx264 -c:v:1 copy -disposition:v:1 attached_pic", "cover.mp4")
        for ending in ("mp4", "mkv"):
            code, said = self.filter(source, f"a.{ending}", "--strict")
            self.expect(f"{ending} holds a cover: {said}", code == 0 and "mjpeg" in self.probe(self.folder / f"a.{ending}", "stream=codec_name"))
        for ending in ("mov", "m4v", "f4v", "3gp", "webm", "avi", "ts"):
            code, said = self.filter(source, f"a.{ending}")
            kept = "mjpeg" in self.probe(self.folder / f"a.{ending}", "stream=codec_name")
            self.expect(f"{ending}: a cover is kept or named: {said}", code == 0 and kept != ("(video, mjpeg)" in said))

    def light(self):
        """HDR10's metadata beside codecs that do not say it."""
        if "libx265" not in self.encoders:
            return
        source = self.ffmpeg(f"{PICTURE} -pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=error:pools=1:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
                             "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)", "light.mp4")
        for name in ("a.mp4", "a.mov", "a.mkv", "a.3gp", "a.f4v", "a.mxf", "a.avi", "a.nut", "a.y4m", "a.yuv", "a%d.png", "a%d.jpg", "a%d.tiff"):
            code, said = self.filter(source, name, *(() if name.endswith(("y4m", "yuv")) or "%" in name else ("--codec", "libx264")))
            # FFmpeg's PNG decoder makes primaries of any kind a mastering display without a luminance.
            kept = "/" in self.probe(self.folder / name, "stream_side_data=max_luminance:frame_side_data=max_luminance")  # a fraction
            self.expect(f"the mastering display to {name} is kept or named: {said}", code == 0 and kept != ("Mastering display" in said))

    def sitings(self):
        """DV's chroma location is its decoder's; if every row has chroma, only columns matter."""
        for words, name in (("s=720x576:r=25 -pix_fmt yuv420p -c:v dvvideo", "pal.dv"), ("s=720x480:r=30000/1001 -pix_fmt yuv411p -c:v dvvideo", "ntsc.dv"),
                            ("s=720x576:r=25 -pix_fmt yuv422p -c:v dvvideo", "dv50.dv"), ("s=720x576:r=25 -pix_fmt yuv422p -c:v mpeg2video", "422.mpg")):
            source = self.ffmpeg(f"-f lavfi -t 0.2 -i testsrc2={words}", name)
            for ending in ("mov", "avi", "dv") if name != "422.mpg" else ("mov", "mxf", "mpg"):
                self.keeps(source, f"sited.{ending}", "chroma at", "--codec", "dvvideo" if name != "422.mpg" else "mpeg2video")
        self.loses(self.folder / "pal.dv", "sited.mpg", "chroma at topleft", "--codec", "mpeg2video")
        clocked = self.ffmpeg(f"-i {self.folder}/pal.dv -c copy -timecode 01:02:03:04", "clocked.dv")
        self.keeps(clocked, "again.dv", "timecode")
        self.expect("DV keeps its timecode", "01:02:03:04" in self.probe(self.folder / "again.dv", "format_tags=timecode"))

    def whole_ends(self):
        """Demuxers that call the end of a whole file an error; what is cut is damage."""
        for words, name in (("-f mpjpeg", "a.mpjpeg"), ("-c:v roqvideo -f roq", "a.roq"), ("-c:v mjpeg -f smjpeg", "a.smjpeg"), ("-s 720x576 -r 25 -c:v mpeg2video", "a.gxf")):
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s=256x128:r=30:d=1 {words}", name)
            code, said = self.filter(source, "null:")
            self.expect(f"{name} is whole: {said}", code == 0)
            code, said = self.filter_piped(source, "null:")
            self.expect(f"{name} from a pipe is whole: {said}", code == 0)
            data = source.read_bytes()
            for part in (0.5, 0.9):
                cut = self.folder / f"cut.{name}"
                cut.write_bytes(data[: int(len(data) * part)])
                code, said = self.filter(cut, "null:")
                self.expect(f"{name}, {part} of it, is damaged: {said}", code == 7)

    def read_again(self):
        """Muxers of rare containers write what no reader finds: refused, or found out when it is written."""
        source = self.ffmpeg("-f lavfi -i testsrc2=s=176x144:r=25:d=0.12 -c:v ffv1", "rare.mkv")
        code, said = self.filter(source, "rare.rm", "--codec", "mjpeg")
        self.expect(f"RealMedia has no name for JPEG: {said}", code == 4 and "does not take the codec 'mjpeg'" in said)
        for name, encoder in (("rare.m2ts", "vc2"), ("rare.flv", "h263")):
            if encoder in self.encoders:
                code, said = self.filter(source, name, "--codec", encoder)
                self.expect(f"{name} has no number for {encoder}: {said}", code == 4 and "does not take the codec" in said)
        for name, *words in (("jpeg.wtv", "--codec", "mjpeg"), ("rare.roq",), ("own.wtv",), ("own.rm",), ("header.wtv", "--codec", "ffv1", "--encoder-opt", "level=3")):
            made = self.folder / name
            code, said = self.filter(source, name, *words)
            count = len(self.probe(made, "packet=stream_index").split()) if made.exists() else 0
            self.expect(f"{name} has three pictures: {count}, {said}", code == 0 and count == 3 or code == 4 and "reader find" in said and not made.exists())

    def clocks(self):
        """GXF's timecode is a track that holds nothing else, and its own again."""
        source = self.ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -f lavfi -i sine=sample_rate=48000:duration=0.4 -c:v mpeg2video -pix_fmt yuv420p -c:a pcm_s16le -timecode 01:02:03:04", "clock.gxf")
        for name in ("again.gxf", "clock.mkv"):
            code, said = self.filter(source, name, "--strict")
            self.expect(f"GXF to {name} loses nothing: {said}", code == 0 and "01:02:03:04" in self.probe(self.folder / name, "format_tags=timecode:format_tags=TIMECODE"))
        kinds = self.probe(self.folder / "again.gxf", "stream=codec_type").replace(",", " ").split()
        self.expect(f"GXF has one track of time: {kinds}", kinds == ["video", "audio", "data"])
        self.loses(source, "clock.avi", "timecode_at_mark_in", "--codec", "ffv1")

    def manifests(self):
        """Tests manifests of a file's origin (C2PA): a box of MP4, a chunk of RIFF, a segment of JPEG, a chunk of PNG."""
        store = b"jumb\0\0\0\x1ejumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03c2pa\0"
        sized = lambda body: (len(body) + 4).to_bytes(4, "big") + body
        box = lambda body: sized(b"uuid\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81\0\0\0\0manifest\0" + bytes(8) + sized(body))
        made = {}
        plain = self.ffmpeg(f"{PICTURE} -c:v libx264 -movflags +faststart", "plain.mp4").read_bytes()
        made["end.mp4"] = plain + box(store)
        fragments = self.ffmpeg(f"{PICTURE} -c:v libx264 -movflags frag_keyframe+empty_moov+default_base_moof", "fragments.mp4").read_bytes()
        start = int.from_bytes(fragments[:4], "big")
        made["begin.mp4"] = fragments[:start] + box(store) + fragments[start:]
        avi = self.ffmpeg(f"{PICTURE} -c:v mjpeg", "plain.avi").read_bytes()
        made["end.avi"] = avi + b"C2PA" + len(store).to_bytes(4, "little") + store
        jpeg = self.ffmpeg(f"{PICTURE} -frames:v 1", "plain.jpg").read_bytes()
        made["a.jpg"] = jpeg[:2] + b"\xff\xeb" + (len(store) + 10).to_bytes(2, "big") + b"JP\0\1\0\0\0\1" + store + jpeg[2:]
        for name, data in made.items():
            (self.folder / name).write_bytes(data)
            self.loses(self.folder / name, "manifest.mkv", "C2PA")
        for name in ("plain.mp4", "plain.avi", "plain.jpg"):
            self.keeps(self.folder / name, "manifest.mkv", "C2PA")

    def shapes(self):
        """Tests the shape of pixels in every container, beside codecs that say it and codecs that do not."""
        source = self.ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.12 -vf setsar=64/45 -c:v ffv1", "shape.mkv")
        for name, encoder in (("a.flv", "flv"), ("a.flv", "libx264"), ("a.ivf", "libvpx"), ("a.ogv", "libtheora"), ("a.ogv", "libvpx"), ("a.wtv", "mpeg2video"), ("a.wtv", "wmv2"), ("a.wmv", "wmv2"),
                              ("a.avi", "huffyuv"), ("a.nut", "huffyuv"), ("a.mov", "qtrle"), ("a.mxf", "jpeg2000"), ("a.mxf", "mpeg2video"), ("a.mxf", "dnxhd"), ("a.mxf", "prores_ks"),
                              ("a.mxf", "libx264"), ("a.gxf", "mjpeg"), ("a.gxf", "dvvideo"), ("a.gxf", "mpeg2video"), ("a.ts", "vc2"), ("a.obu", "libaom-av1"), ("a.ivf", "libaom-av1"),
                              ("a.gif", "gif"), ("a.apng", "apng"), ("a.3gp", "mpeg4"), ("a.mpg", "mpeg1video"), ("a.vob", "mpeg2video"), ("a.webm", "libvpx"), ("a.ismv", "libx264"),
                              ("a%d.bmp", "bmp"), ("a%d.png", "png"), ("a%d.jpg", "mjpeg"), ("a%d.tiff", "tiff"), ("a%d.webp", "libwebp"), ("a%d.jp2", "jpeg2000"), ("a%d.dpx", "dpx"), ("a%d.exr", "exr"),
                              ("a%d.tga", "targa"), ("a%d.sgi", "sgi"), ("a%d.pcx", "pcx"), ("a%d.jxl", "libjxl"), ("a%d.ppm", "ppm"), ("a%d.xwd", "xwd")):
            if encoder not in self.encoders:
                continue
            code, said = self.filter(source, name, "--codec", encoder)
            found = self.probe(self.folder / name, "frame=sample_aspect_ratio").replace(",", "").split()
            wide, tall = map(int, (found[0] if found and ":" in found[0] else "1:1").split(":"))
            kept = abs(wide / tall / (64 / 45) - 1) < 0.01
            self.expect(f"{encoder} in {name}: {found[:1]} is kept or named: {said}", code == 0 and kept != ("pixels of 64:45" in said))

    def foreign_pictures(self):
        """A picture's name says what it is: no other codec goes into it."""
        source = self.ffmpeg(PICTURE + " -c:v ffv1", "any.mkv")
        for encoder, name in (("cinepak", "foreign%d.png"), ("libx264", "foreign%d.jpg"), ("png", "foreign%d.tiff"), ("ffv1", "foreign%d.exr")):
            code, said = self.filter(source, name, "--codec", encoder)
            self.expect(f"{encoder} in {name} is refused: {said}", code in (2, 4) and "does not take the codec" in said and not (self.folder / name.replace("%d", "1")).exists())
        self.keeps(source, "a%d.jpg", "does not take", "--codec", "ljpeg")

    def speed(self):
        source = self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=2400:d=0.02 -c:v ffv1", "fast.nut")
        for ending in ("mkv", "webm", "flv"):
            self.loses(source, f"a.{ending}", "counts time in steps of 1 ms")
        self.keeps(source, "a.mp4", "counts time", "--codec", "libx264", "--strict")

    def what_encoders_take(self):
        alpha = self.ffmpeg(f"{PICTURE} -vf format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='mod(X*3,256)' -c:v ffv1", "alpha.mkv")
        if "hap" in self.encoders:
            self.keeps(alpha, "hap.mov", "transparency", "--codec", "hap")
            self.expect("Hap keeps transparency", "Hap5" in self.probe(self.folder / "hap.mov", "stream=codec_tag_string"))
            self.loses(alpha, "plain.mov", "transparency", "--codec", "hap", "--encoder-opt", "format=hap")
            source = self.ffmpeg(f"{PICTURE} -c:v hap -format hap_q", "q.mov")
            self.filter(source, "again.mov")
            self.expect("Hap Q stays Hap Q", "HapY" in self.probe(self.folder / "again.mov", "stream=codec_tag_string"))
        # A loss of values means fewer bits than the format has, not the loss of lossy coding.
        plain = self.ffmpeg(f"{PICTURE} -pix_fmt yuv420p -c:v ffv1", "420.mkv")
        if "cljr" in self.encoders:
            self.loses(plain, "cljr.avi", "8 bits a sample as about 5", "--codec", "cljr")
        if "hap" in self.encoders:
            self.loses(plain, "hap.mov", "8 bits a sample as about", "--codec", "hap")
            self.keeps(plain, "hap.mov", "transparency", "--codec", "hap")
        dark = self.ffmpeg(f"{PICTURE} -vf eq=brightness=-0.4:contrast=0.3 -pix_fmt yuv420p -c:v ffv1", "dark.mkv")
        for source in (plain, dark):
            for encoder, options in (("libx264", ("--crf", "51")), ("mpeg2video", ("--encoder-opt", "qscale=31")), ("mjpeg", ("--encoder-opt", "qscale=31")), ("cinepak", ())):
                self.keeps(source, "lossy.mov" if encoder != "mpeg2video" else "lossy.mpg", "does not keep", "--codec", encoder, *options)
        for encoder in ("ffv1", "png", "qtrle", "prores_ks"):
            self.keeps(alpha, "kept.mov" if encoder != "ffv1" else "kept.mkv", "does not keep", "--codec", encoder)

    def fields(self):
        source = self.ffmpeg(f"{PICTURE} -vf setfield=tff -c:v mpeg2video -flags +ilme+ildct", "fields.mpg")
        for encoder, name in (("libxvid", "a.mkv"), ("vc2", "a.nut"), ("rawvideo", "a.nut"), ("mjpeg", "a.avi"), ("wmv2", "a.wmv"), ("flv", "a.flv")):
            if encoder in self.encoders:
                self.loses(source, name, "is interlaced", "--codec", encoder)
        for encoder, name in (("rawvideo", "a.mov"), ("ffv1", "a.nut"), ("mpeg2video", "a.mpg")):
            self.keeps(source, name, "is interlaced", "--codec", encoder)
            self.expect(f"{encoder} in {name} is interlaced", self.probe(self.folder / name, "frame=interlaced_frame").startswith("1"))

        self.loses(self.ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.12 -vf setfield=tff -c:v mpeg2video -flags +ilme+ildct", "large.mpg"), "a.mov", "is interlaced", "--codec", "dnxhd")

    def codecs(self):
        """A codec without a name in the container, or without an encoder, is replaced. Matroska claims to hold any codec."""
        for encoder, name in (("roqvideo", "a.roq"), ("flashsv2", "a.flv"), ("prores_ks", "a.mov")):
            if encoder not in self.encoders:
                continue
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s=128x128:r=25:d=0.12 -c:v {encoder}", name)
            for to in ("b.mp4",) if encoder == "prores_ks" else ("b.mkv", "b.mp4"):
                self.loses(source, to, ": coded as h264")
                self.expect(f"{encoder} to {to}: it is H.264", self.probe(self.folder / to, "stream=codec_name").startswith("h264"))
                self.keeps(source, to, "coded as", "--codec", "libx264")
        code, said = self.filter(self.ffmpeg("-f lavfi -i testsrc2=s=128x128:r=25:d=0.12 -c:v rawvideo", "a.avi"), "b.wtv")
        self.expect(f"WTV holds no samples: {said}", code == 0 and self.probe(self.folder / "b.wtv", "stream=codec_name").startswith("h264"))
        # QuickTime's list has codecs that FFmpeg's muxers of it refuse.
        for encoder, name in (("libvpx", "a.webm"), ("libvpx-vp9", "a.webm"), ("libsvtav1", "a.webm")):
            if encoder not in self.encoders:
                continue
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s=128x128:r=25:d=0.12 -c:v {encoder}", name)
            for to in ("b.mov", "b.ismv"):
                self.loses(source, to, ": coded as h264")
        for encoder, name in (("cinepak", "a.avi"), ("mpeg2video", "a.ts"), ("prores_ks", "a.mov"), ("hap", "a.mov"), ("svq1", "a.mov"), ("rawvideo", "a.nut")):
            if encoder in self.encoders:
                self.keeps(self.ffmpeg(f"-f lavfi -i testsrc2=s=128x128:r=25:d=0.12 -c:v {encoder}", name), "b.mkv", "coded as")
        # A container without a list of its codecs is asked with the real video.
        for codec, options in (("dnxhd", "-profile:v dnxhr_hqx -pix_fmt yuv422p10le"), ("jpeg2000", "-pix_fmt yuv422p"), ("dvvideo", "-pix_fmt yuv420p"), ("prores", ""),
                               ("libx264", "-bf 3 -pix_fmt yuv420p"), ("libx264", "-flags +ilme+ildct -vf setfield=tff"), ("libx264", "-g 1 -pix_fmt yuv422p10le")):
            source = self.ffmpeg(f"-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -c:v {codec} {options}", "a.mov")
            code, said = self.filter(source, "b.mxf", "--strict")
            words = "stream=codec_name,profile" if codec == "libx264" and "-g 1" in options else "stream=codec_name"
            self.expect(f"{codec} {options} to mxf stays what it is: {said}", code == 0 and self.probe(self.folder / "b.mxf", words) == self.probe(source, words))
            self.expect(f"{codec} {options} to mxf: each picture in its place", self.shown(self.folder / "b.mxf") == self.shown(source))
        source = self.ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -c:v libx264 -bf 3", "a.mov")
        self.loses(source, "b.mxf", "does not say when pictures are shown", "--codec", "libx264", "--encoder-opt", "bf=2")
        if "libx265" in self.encoders:
            self.loses(self.ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.12 -c:v libx265 -x265-params log-level=error:pools=1", "a.mp4"), "b.mxf", "mxf cannot hold hevc: coded as mpeg2video")

    def shown(self, path):
        """When each picture is shown, and about how bright its eighths are."""
        times = self.probe(path, "packet=pts_time").split()
        data = self.run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-vf", "scale=4:2:flags=area", "-pix_fmt", "gray", "-f", "rawvideo", "-", text=False).stdout
        return sorted(map(float, times)), [value // 16 for value in data]

    def grey_first(self):
        self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 -pix_fmt rgb24", "seq%d.png")
        self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 -pix_fmt gray", "seq1.png")
        self.loses(self.folder / "seq%d.png", "grey.mkv", "without its colours", "--codec", "ffv1")
        self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 -pix_fmt yuvj444p", "fine%d.jpg")
        self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 -pix_fmt yuvj420p", "fine1.jpg")
        self.loses(self.folder / "fine%d.jpg", "fine.mkv", "without its finer chroma", "--codec", "ffv1")

    def counted(self, path):
        """Returns the number of packets of each stream."""
        lines = self.run("ffprobe", "-v", "error", "-analyzeduration", "100M", "-probesize", "100M", "-count_packets", "-show_entries", "stream=codec_type,nb_read_packets", "-of", "csv=p=0", path).stdout
        return {kind: int(count) for kind, count in re.findall("(video|audio),([0-9]+)", lines)}

    def late_sound(self):
        """Tests sound that begins long after the picture, later than libavformat probes, in containers whose headers do not tell of it."""
        picture = self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=72 -c:v mpeg2video -b:v 200k", "picture.ts")
        for ending, video, sound in (("ts", "copy", "mp2"), ("mpg", "copy", "mp2"), ("mkv", "copy", "mp2"), ("flv", "flv", "mp3"), ("ts", "copy", "aac"), ("mpg", "copy", "ac3")):
            for begin in (9, 66):
                source = self.ffmpeg(f"-i {picture} -itsoffset {begin} -f lavfi -i sine=sample_rate=44100:duration=2 -map 0 -map 1 -c:v {video} -c:a {sound} -muxdelay 0", f"late.{ending}")
                code, said = self.filter(source, "late.out.mkv", "--strict")
                found, wanted = self.counted(self.folder / "late.out.mkv"), self.counted(source)
                self.expect(f"{sound} of {ending} from {begin} s on is kept: {found} of {wanted}: {said}", code == 0 and found == wanted and "audio" in found)
        source = self.ffmpeg(f"-i {picture} -itsoffset 62 -f lavfi -i sine=sample_rate=44100:duration=2 -itsoffset 68 -f lavfi -i sine=sample_rate=48000:duration=2 -map 0 -map 1 -map 2 "
                             "-c:v copy -c:a mp2 -muxdelay 0", "several.ts")
        code, said = self.filter(source, "several.mkv", "--strict")
        rates = re.findall("[0-9]{5}", self.probe(self.folder / "several.mkv", "stream=sample_rate"))
        self.expect(f"several late sounds are kept: {rates}: {said}", code == 0 and sorted(rates) == ["44100", "48000"])
        # A pipe is read once: streams that are not found at its beginning are named.
        for ending, sound in (("ts", "mp2"), ("mpg", "mp2")):
            source = self.ffmpeg(f"-i {picture} -itsoffset 9 -f lavfi -i sine=sample_rate=44100:duration=2 -map 0 -map 1 -c:v copy -c:a {sound} -muxdelay 0", f"late.{ending}")
            for options in ((), ("--strict",)):
                code, said = self.filter_piped(source, "late.out.mkv", *options)
                self.expect(f"late sound of {ending} in a pipe is named {options}: {said}",
                            code == (4 if options else 0) and "cannot hold" not in said.replace("the output cannot hold it all", "")
                            and re.search("what these streams are was not found|was found too late", said))

    def never_any(self):
        """Tests a table of streams with one that never comes: nothing is lost."""
        silent = self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -itsoffset 1.5 -f lavfi -i sine=duration=0.5 -map 0 -map 1 -c:v mpeg2video -c:a mp2 -streamid 1:257", "silent.ts")
        packets = silent.read_bytes()
        packets = [packets[at : at + 188] for at in range(0, len(packets), 188)]
        silent.write_bytes(b"".join(p for p in packets if (p[1] & 31) << 8 | p[2] != 257))
        code, said = self.filter(silent, "silent.mkv", "--strict")
        self.expect(f"a stream without a packet is not missed: {said}", code == 0)

    def filter_piped(self, source, name, *options):
        with open(source, "rb") as file:
            done = subprocess.run([self.vidconv, "-", "-o", name if name == "null:" else str(self.folder / name), "-y", "--kernel", "identity", "--progress", "none", *options],
                                  stdin=file, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def other_numbers(self):
        """Tests a broadcast whose streams change numbers: in the same program, in another, in one whose table has another number."""
        hashes = lambda path: [line.split(",")[-1].strip() for line in self.run("ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-").stdout.splitlines()
                               if not line.startswith("#")]
        in_order = lambda some, all_of: (rest := iter(all_of)) and all(h in rest for h in some)
        part = lambda number, start, more: self.ffmpeg(
            f"-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=duration=2 -c:v mpeg2video -c:a mp2 -streamid 0:{number} -streamid 1:{number + 1} "
            f"-output_ts_offset {start} -mpegts_flags +initial_discontinuity {more}", f"part{number}.ts")
        for more in ("", "-mpegts_service_id 7", "-mpegts_service_id 7 -mpegts_pmt_start_pid 3000"):
            parts = [part(256, 0, ""), part(400, 2.04, more), part(500, 4.04, "-mpegts_service_id 9")]
            source = self.folder / "numbers.ts"
            source.write_bytes(b"".join(p.read_bytes() for p in parts))
            code, said = self.filter(source, "numbers.mkv", "--codec", "ffv1", "--strict")
            out = self.folder / "numbers.mkv"
            wanted = [h for p in parts for h in hashes(p)]
            self.expect(f"other numbers ({more}): all pictures in their order: {said}", code == 0 and hashes(out) == wanted)
            self.expect(f"other numbers ({more}): the sound goes on", self.counted(out) == {"video": 150, "audio": 77 * 3})
            times = [float(t) for t in self.run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", out).stdout.split()]
            self.expect(f"their times go on: {times[45:55]} {times[95:105]}", all(0.03 < b - a < 0.06 for a, b in zip(times, times[1:])))
            # From a pipe, the pictures that the demuxer holds until the end are missing.
            code, said = self.filter_piped(source, "piped.mkv", "--codec", "ffv1")
            kept = hashes(self.folder / "piped.mkv")
            self.expect(f"other numbers in a pipe ({more}): {len(kept)} pictures, and the others are damage: {said}",
                        code == 7 and "[damaged]" in said and len(kept) >= 145 and in_order(kept, wanted))

    def serve(self):
        """Serves a file in chunks: all of them, two thirds of them without an end, or small ones every tenth of a second."""
        folder = self.folder

        class Answer(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                _, how, name = self.path.split("/")
                data = (folder / name).read_bytes()
                data = data[: len(data) * 2 // 3] if how in ("cut", "closed-cut") else data
                step = 564 if how == "slow" else 4096
                self.send_response(200)
                if how.startswith("closed"):
                    self.send_header("Connection", "close")
                else:
                    self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.close_connection = True
                try:
                    if how.startswith("closed"):
                        return self.wfile.write(data)
                    for at in range(0, len(data), step):
                        part = data[at : at + step]
                        self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")
                        time.sleep(0.1 if how == "slow" else 0)
                    if how != "cut":
                        self.wfile.write(b"0\r\n\r\n")
                except OSError:
                    pass  # the client has gone

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    def answers_in_chunks(self):
        address = self.serve()
        for ending in ("ts", "mkv", "mp4", "flv"):
            self.ffmpeg(f"-f lavfi -i testsrc2=s=320x240:r=24:d=2 -c:v libx264 {'-movflags +faststart' if ending == 'mp4' else ''}", f"served.{ending}")
            code, said = self.filter(f"{address}/whole/served.{ending}", "served.out.mkv")
            self.expect(f"{ending}, a whole answer: {said}", code == 0)
            code, said = self.filter(f"{address}/cut/served.{ending}", "served.out.mkv")
            self.expect(f"{ending}, an answer that is cut: {said}", code == 7 and "before the last of its chunks" in said)
            # Without a length and without chunks the end of the connection is the end (RFC 9112, 8).
            code, said = self.filter(f"{address}/closed/served.{ending}", "served.out.mkv")
            self.expect(f"{ending}, a whole answer without a length: {said}", code == 0)
            if ending in ("mkv", "mp4"):  # both say how long they are
                code, said = self.filter(f"{address}/closed-cut/served.{ending}", "served.out.mkv")
                self.expect(f"{ending}, an answer without a length that is cut: {said}", code == 7)
        self.ffmpeg("-f lavfi -i testsrc2=s=160x120:r=5:d=1 -c:v mpeg2video -q:v 2", "slow.ts")
        code, said = self.filter(f"{address}/slow/slow.ts", "slow.mkv", "--timeout", "0.5")
        self.expect(f"what sends every tenth of a second is not silent: {said}", code == 0)


if __name__ == "__main__":
    sys.exit(run_checks(Named, "captions", "bare_colours", "colours_of_pictures", "foreign_sounds", "headers_of_sound", "broadcast_sound", "profiles", "palettes", "marks", "ends_of_sound", "starts", "layouts", "covers", "light", "sitings", "whole_ends", "read_again", "clocks", "manifests", "shapes", "foreign_pictures", "speed", "what_encoders_take", "fields", "codecs", "grey_first", "late_sound", "never_any", "other_numbers", "answers_in_chunks"))
