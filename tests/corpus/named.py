#!/usr/bin/env python3
"""What an output cannot hold is named, and refused by --strict; what it holds is not.

    named.py VIDCONV DIR    exits with 1 where one is wrong
"""

import http.server
import sys
import threading
import time

from checks import Checks, run_checks

PICTURE = "-f lavfi -i testsrc2=s=128x96:r=25:d=0.4"


class Named(Checks):
    def __init__(self, vidconv, folder):
        super().__init__(vidconv, folder)
        self.encoders = {w[1] for w in map(str.split, self.run("ffmpeg", "-v", "error", "-encoders").stdout.splitlines()) if len(w) > 1}

    def probe(self, path, entries):
        return self.run("ffprobe", "-v", "error", "-show_entries", entries, "-of", "csv=p=0", path).stdout

    def loses(self, source, name, words, *options):
        """It is named, and --strict refuses."""
        code, said = self.filter(source, name, *options)
        self.expect(f"{source.name} to {name} {options}: {words!r} is named: {said}", code == 0 and words in said)
        code, said = self.filter(source, name, *options, "--strict")
        self.expect(f"{source.name} to {name} {options}: --strict refuses: {said}", code == 4 and "[strict]" in said)

    def keeps(self, source, name, words, *options):
        code, said = self.filter(source, name, *options)
        self.expect(f"{source.name} to {name} {options}: {words!r} is kept: {said}", code == 0 and words not in said)

    def captioned(self):
        """H.264 with captions (ATSC A/53) before each picture."""
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

    def layouts(self):
        source = self.ffmpeg(f"{PICTURE} -c:v libx264 -metadata:s:v stereo_mode=left_right", "stereo.mkv")
        self.keeps(source, "a.mp4", "stereo", "--strict")
        for ending in ("mov", "avi"):
            self.loses(source, f"a.{ending}", "Stereo 3D")

    def speed(self):
        source = self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=2400:d=0.02 -c:v ffv1", "fast.nut")
        for ending in ("mkv", "webm", "flv"):
            self.loses(source, f"a.{ending}", "counts time in steps of 1 ms")
        self.keeps(source, "a.mp4", "counts time", "--strict")

    def what_encoders_take(self):
        alpha = self.ffmpeg(f"{PICTURE} -vf format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='mod(X*3,256)' -c:v ffv1", "alpha.mkv")
        if "hap" in self.encoders:
            self.keeps(alpha, "hap.mov", "transparency", "--codec", "hap")
            self.expect("Hap keeps transparency", "Hap5" in self.probe(self.folder / "hap.mov", "stream=codec_tag_string"))
            self.loses(alpha, "plain.mov", "transparency", "--codec", "hap", "--encoder-opt", "format=hap")
            source = self.ffmpeg(f"{PICTURE} -c:v hap -format hap_q", "q.mov")
            self.filter(source, "again.mov")
            self.expect("Hap Q stays Hap Q", "HapY" in self.probe(self.folder / "again.mov", "stream=codec_tag_string"))
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

    def grey_first(self):
        self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 -pix_fmt rgb24", "seq%d.png")
        self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 -pix_fmt gray", "seq1.png")
        self.loses(self.folder / "seq%d.png", "grey.mkv", "its colours are lost", "--codec", "ffv1")

    def late_sound(self):
        """Sound that begins long after the picture, in containers whose headers do not tell of it."""
        for ending in ("ts", "mpg", "mkv"):
            picture = self.ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=12 -c:v mpeg2video -b:v 300k", f"p.{ending}")
            source = self.ffmpeg(f"-i {picture} -itsoffset 9 -f lavfi -i sine=sample_rate=48000:duration=2 -map 0 -map 1 -c:v copy -c:a mp2 -muxdelay 0", f"late.{ending}")
            code, said = self.filter(source, "late.out.mkv")
            found = self.probe(self.folder / "late.out.mkv", "stream=codec_name")
            self.expect(f"late sound of {ending} is kept: {found.split()}: {said}", code == 0 and any(sound in found for sound in ("mp2", "mp3")))

    def other_numbers(self):
        """A broadcast whose streams get other numbers on the way."""
        parts = b""
        for number, start in ((256, 0), (400, 2)):
            parts += self.ffmpeg(f"-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=duration=2 -c:v mpeg2video -c:a mp2 -streamid 0:{number} -streamid 1:{number + 1} "
                                 f"-output_ts_offset {start} -mpegts_flags +initial_discontinuity", "part.ts").read_bytes()
        (self.folder / "numbers.ts").write_bytes(parts)
        code, said = self.filter(self.folder / "numbers.ts", "numbers.mkv", "--codec", "ffv1")
        found = len(self.probe(self.folder / "numbers.mkv", "packet=pts").split())
        frames = int(self.run("ffprobe", "-v", "error", "-select_streams", "v", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0",
                              self.folder / "numbers.mkv").stdout.split(",")[0] or 0)
        self.expect(f"streams with other numbers go on, or what is missing is damage: {frames} pictures: {said}", (code == 0 and frames == 100) or code == 7)


    def serve(self):
        """Answers in chunks: all of them, two thirds of them and no end, or small ones at every tenth of a second."""
        folder = self.folder

        class Answer(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                _, how, name = self.path.split("/")
                data = (folder / name).read_bytes()
                data = data[: len(data) * 2 // 3] if how == "cut" else data
                step = 564 if how == "slow" else 4096
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.close_connection = True
                try:
                    for at in range(0, len(data), step):
                        part = data[at : at + step]
                        self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")
                        time.sleep(0.1 if how == "slow" else 0)
                    if how != "cut":
                        self.wfile.write(b"0\r\n\r\n")
                except OSError:
                    pass  # nobody listens any more

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
        self.ffmpeg("-f lavfi -i testsrc2=s=160x120:r=5:d=1 -c:v mpeg2video -q:v 2", "slow.ts")
        code, said = self.filter(f"{address}/slow/slow.ts", "slow.mkv", "--timeout", "0.5")
        self.expect(f"what sends every tenth of a second is not silent: {said}", code == 0)


if __name__ == "__main__":
    sys.exit(run_checks(Named, "captions", "layouts", "speed", "what_encoders_take", "fields", "grey_first", "late_sound", "other_numbers", "answers_in_chunks"))
