#!/usr/bin/env python3
"""When pictures and sounds are shown: inputs that do not begin at 0, frames far ahead of the others, times that nobody
says, field pictures. Judged by ffmpeg.

    times.py VIDCONV DIR    exits with 1 where one is wrong
"""

import json
import sys

from checks import Checks, run_checks

PICTURE = "-f lavfi -i testsrc2=s=64x48:r=25:d=1"
SOUND = "-f lavfi -i sine=sample_rate=48000:duration=1"


def field_pictures(frames):
    """Returns bare H.264 of 16x32 at 25 frames a second; each field is a picture of one macroblock of plain samples."""
    def bits(*fields):
        """Returns numbers of so many bits, or exp-Golomb codes if that is 0."""
        return "".join(format(value, f"0{count}b") if count else format(value + 1, "b").zfill(2 * (value + 1).bit_length() - 1) for value, count in fields)

    def unit(kind, payload, samples=b""):
        payload += "1" if not samples else ""
        data = int((payload + "0" * (-len(payload) % 8)), 2).to_bytes(-(-len(payload) // 8), "big") + samples + (b"\x80" if samples else b"")
        safe = bytearray()
        for byte in data:
            if safe[-2:] == b"\0\0" and byte < 4:
                safe.append(3)
            safe.append(byte)
        return b"\0\0\0\1" + bytes([3 << 5 | kind]) + bytes(safe)

    timing = ((0, 4), (1, 1), (1, 32), (50, 32), (1, 1), (0, 4))  # in the VUI: one tick is a field
    sequence = bits((77, 8), (0, 8), (30, 8), (0, 0), (0, 0), (2, 0), (1, 0), (0, 1), (0, 0), (0, 0), (0, 1), (0, 1), (1, 1), (0, 1), (1, 1), *timing)
    picture = bits((0, 0), (0, 0), (0, 1), (0, 1), (0, 0), (0, 0), (0, 0), (0, 1), (0, 2), (0, 0), (0, 0), (0, 0), (1, 1), (0, 1), (0, 1))
    stream = unit(7, sequence) + unit(8, picture)
    for n in range(frames):
        for bottom in (0, 1):
            begin = [(0, 0), (7, 0), (0, 0), (0, 4), (1, 1), (bottom, 1)]
            marking = [(0, 1)] if bottom else [(n % 2, 0), (0, 2)]
            block = bits(*begin, *marking, (0, 0), (1, 0), (25, 0))
            stream += unit(1 if bottom else 5, block, bytes([16 + 8 * n % 200]) * 256 + bytes([128]) * 128)
    return stream


def with_clocks_apart(stream, seconds):
    """Adds so many seconds to each program's clock in ffmpeg's MPEG-TS (ISO/IEC 13818-1), whose programs have two streams each."""
    made = bytearray(stream)
    for packet in range(0, len(made), 188):
        program = ((made[packet + 1] & 31) << 8 | made[packet + 2]) - 256 >> 1
        if program not in range(len(seconds)):
            continue
        later, at = round(seconds[program] * 90000), packet + 4
        if made[packet + 3] & 32:  # an adaptation field, with or without a clock reference
            if made[at] and made[at + 1] & 16:
                reference = int.from_bytes(made[at + 2:at + 8], "big")
                made[at + 2:at + 8] = (((reference >> 15) + later) % 2**33 << 15 | reference & 0x7fff).to_bytes(6, "big")
            at += 1 + made[at]
        if not (made[packet + 1] & 64 and made[at:at + 3] == b"\0\0\1"):
            continue
        for place in [at + 9 + 5 * i for i in range((0, 0, 1, 2)[made[at + 7] >> 6])]:  # PTS and DTS
            bits = int.from_bytes(made[place:place + 5], "big")
            time = ((bits >> 33 & 7) << 30 | (bits >> 17 & 0x7fff) << 15 | bits >> 1 & 0x7fff) + later
            bits = bits >> 36 << 36 | (time >> 30 & 7) << 33 | (time >> 15 & 0x7fff) << 17 | (time & 0x7fff) << 1 | 0x100010001
            made[place:place + 5] = bits.to_bytes(5, "big")
    return bytes(made)


class Times(Checks):
    def times(self, path, stream="v:0"):
        out = self.run("ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,dts_time", "-of", "json", path).stdout
        packets = json.loads(out or "{}").get("packets", [])
        return sorted(float(p.get("pts_time", p.get("dts_time", "nan"))) for p in packets)

    def begins_at_zero(self):
        late = self.ffmpeg(f"{PICTURE} {SOUND} -c:v libx264 -bf 2 -c:a aac -output_ts_offset 72000", "late.ts")
        for ending, coding in {"mp4": "libx264", "mov": "libx264", "mkv": "libx264", "avi": "mpeg4", "flv": "libx264", "nut": "ffv1", "ts": "libx264",
                               "mpg": "mpeg2video", "ogv": "libtheora", "wmv": "wmv2"}.items():
            code, said = self.filter(late, f"out.{ending}", "--codec", coding, "--audio", "copy" if ending not in ("mpg", "ogv", "wmv") else "none")
            found = self.times(self.folder / f"out.{ending}")
            self.expect(f"20 hours to {ending}: begins at 0, {found[:1]}: {said}", code == 0 and 0 <= found[0] < 0.7)
            # AVI's pictures have whole ticks; packets of the others have no times of their own.
            exact = ending not in ("avi", "mpg", "ogv")
            self.expect(f"20 hours to {ending}: lasts a second, {found[-1:]}", not exact or abs(found[-1] - found[0] - 0.96) < 0.005)
        apart = self.times(late)[0] - self.times(late, "a:0")[0]
        code, said = self.filter(late, "kept.mkv", "--codec", "ffv1", "--copy-times")
        found, sound = self.times(self.folder / "kept.mkv"), self.times(self.folder / "kept.mkv", "a:0")
        self.expect(f"--copy-times keeps them, {found[:1]}: {said}", code == 0 and abs(found[0] - self.times(late)[0]) < 0.002)
        self.expect("and sound beside them", abs(found[0] - sound[0] - apart) < 0.002)
        self.filter(late, "moved.mkv", "--codec", "ffv1")
        judge = self.ffmpeg(f"-i {late} -c:v ffv1 -c:a copy -fps_mode passthrough", "judge.mkv")
        for stream in ("v:0", "a:0"):
            ours, theirs = self.times(self.folder / "moved.mkv", stream), self.times(judge, stream)
            self.expect(f"all streams are moved as ffmpeg does it: {stream} {ours[:1]} {theirs[:1]}", abs(ours[0] - theirs[0]) < 0.03)
        code, said = self.filter(late, "strict.mkv", "--strict")
        self.expect(f"nothing is lost: {said}", code == 0)

    def programs(self):
        """Programs of a multiplex have clocks of their own: another program's clock is no jump, and no reason to begin later."""
        program = lambda i: f"-program program_num={i + 1}:st={2 * i}:st={2 * i + 1}"
        plain = self.ffmpeg(f"{PICTURE} {SOUND} {PICTURE} {SOUND} {PICTURE} {SOUND} {' '.join(f'-map {i}' for i in range(6))} -c:v mpeg2video -bf 2 -c:a mp2 "
                            f"{' '.join(map(program, range(3)))}", "programs.ts")
        parts = lambda *all_of: b"".join(with_clocks_apart(plain.read_bytes(), clocks) for clocks in all_of)
        for name, made, options in (("later", parts((0, 1000, 50000)), ()), ("earlier", parts((50000, 1000, 0)), ()), ("of the second", parts((0, 1000, 50000)), ("--video", "2")),
                                    ("joined", parts((0, 1000, 5), (1, 3000, 6)), ()), ("joined anew", parts((5000, 1000, 0), (0, 1001, 1)), ())):
            source = self.folder / "apart.ts"
            source.write_bytes(made)
            code, said = self.filter(source, "out.mkv", "--codec", "ffv1", *options)
            length = 2 if "joined" in name else 1
            for stream in ("v:0", "v:1", "v:2", "a:0", "a:1", "a:2"):
                found = self.times(self.folder / "out.mkv", stream)
                near = name == "joined" and stream.endswith("2")  # only 5 seconds apart, so it may be the same clock
                self.expect(f"programs, {name}: {stream} from {found[:1]} to {found[-1:]}: {said}",
                            code == 0 and (near or 0 <= found[0] < 0.1) and abs(found[-1] - found[0] - length) < 0.1)
            self.expect(f"programs, {name}: said: {said}", "programs of the input have clocks of their own: " in said)
        code, said = self.filter(source, "kept.mkv", "--codec", "ffv1", "--copy-times")
        found = [self.times(self.folder / "kept.mkv", stream)[0] for stream in ("v:0", "v:1", "v:2")]
        self.expect(f"programs: --copy-times keeps their clocks: {found}: {said}", abs(found[0] - found[1] - 4000) < 0.01 and abs(found[0] - found[2] - 5000) < 0.01)

    def sound_first(self):
        """Pictures that begin after the sound still do, even if ticks are as long as pictures."""
        for name in ("later.mkv", "later.nut"):
            source = self.ffmpeg(f"-itsoffset 5.5 {PICTURE} -itsoffset 5.1 {SOUND} -map 0 -map 1 -c:v ffv1 -c:a pcm_s16le -enc_time_base 1/25", name)
            self.filter(source, "out.mkv", "--codec", "ffv1")
            found, sound = self.times(self.folder / "out.mkv"), self.times(self.folder / "out.mkv", "a:0")
            expected = self.times(source)[0] - self.times(source, "a:0")[0]
            self.expect(f"{name}: sound {sound[:1]} begins before the picture {found[:1]} by {expected}", abs(found[0] - sound[0] - expected) < 0.002 and sound[0] < 0.04)

    def chapters(self):
        (self.folder / "words.txt").write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=5000\nEND=5400\ntitle=a\n"
                                               "[CHAPTER]\nTIMEBASE=1/1000\nSTART=5400\nEND=6000\ntitle=b\n")
        source = self.ffmpeg(f"{PICTURE} -i {self.folder}/words.txt -map 0 -map_chapters 1 -c:v ffv1 -output_ts_offset 5", "marks.mkv")
        self.filter(source, "out.mkv", "--codec", "ffv1")
        out = self.run("ffprobe", "-v", "error", "-show_entries", "chapter=start_time", "-of", "csv=p=0", self.folder / "out.mkv").stdout.split()
        self.expect(f"chapters are moved too: {out}", [float(t) for t in out] == [0, 0.4])

    def one_ahead(self):
        # One picture's time is hours after the next one's.
        for ending, hours in (("mkv", "7200/TB"), ("mp4", "3600/TB")):
            # Also two of them, and less far.
            for frame, count, far in ((7, 1, hours), (0, 1, hours), (0, 2, hours), (7, 2, "200/TB")) if ending == "mkv" else ((7, 1, hours),):
                source = self.ffmpeg(f"{PICTURE} -c:v mjpeg -bsf:v setts=pts='if(between(N\\,{frame}\\,{frame + count - 1})\\,PTS+{far}\\,PTS)'", f"ahead.{ending}")
                for to in ("mkv", "flv"):
                    code, said = self.filter(source, f"out.{to}", "--codec", "ffv1" if to == "mkv" else "flv")
                    found = self.times(self.folder / f"out.{to}")
                    steps = [b - a for a, b in zip(found, found[1:])]
                    self.expect(f"{ending}, frame {frame} ahead, to {to}: {found[:10]}: {said}", code == 0 and len(found) == 25 and 0 <= found[0] < 0.1 and 0.02 < min(steps) and max(steps) < 0.1)
                    self.expect(f"{ending}, frame {frame} ahead: said: {said}", f"frame {frame} of the input says a time far ahead" in said)
        source = self.ffmpeg(f"{PICTURE} -c:v mjpeg -fps_mode passthrough -vf setpts='if(gte(N\\,10)\\,PTS+7200/TB\\,PTS)'", "gap.mkv")
        code, said = self.filter(source, "out.mkv", "--codec", "ffv1")
        found = self.times(self.folder / "out.mkv")
        self.expect(f"a gap of hours stays a gap: {said}", code == 0 and abs(found[10] - found[9] - 7200.04) < 0.01 and "far ahead" not in said)
        code, said = self.filter(source, "out.avi", "--codec", "mpeg4")
        self.expect(f"a gap of hours is refused in avi, with advice: {said}", code == 4 and "a gap in the video lasts 180001 pictures" in said and "--format matroska" in said)

    def leading(self):
        """Tests pictures before the first one that has a time."""
        source = self.ffmpeg(f"{PICTURE} -c:v mjpeg -bsf:v setts=pts='if(lt(N\\,4)\\,NOPTS\\,PTS+10/TB)':dts='if(lt(N\\,4)\\,NOPTS\\,DTS+10/TB)'", "leading.nut") if self.can_leave_out() else None
        if not source:
            return
        self.filter(source, "out.mkv", "--codec", "ffv1")
        found = self.times(self.folder / "out.mkv")
        steps = [b - a for a, b in zip(found, found[1:])]
        self.expect(f"leading pictures without a time: {found[:6]}", len(found) == 25 and max(steps) < 0.05 and min(steps) > 0.03)

    def can_leave_out(self):
        return False  # this ffmpeg's muxers require times

    def heard(self, path):
        """Returns when the first and the last loud samples of the sound are heard, seconds after the first picture."""
        data = self.run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "a:0", "-ac", "1", "-ar", "48000", "-f", "s16le", "-", text=False).stdout
        loud = [i / 48000 for i, value in enumerate(memoryview(data).cast("h")) if abs(value) > 500]
        starts = [self.times(path, stream)[:1] for stream in ("v:0", "a:0")]
        apart = starts[1][0] - starts[0][0] if all(s and s[0] == s[0] for s in starts) else 0  # "nan" is no time
        return [round(loud[i] + apart, 2) for i in (0, -1)] if loud else []

    def timeless_sound(self):
        """Sound that begins late, has a gap, or is shorter or longer than the picture, in containers that give sound no times."""
        tone = "-f lavfi -i sine=sample_rate=48000:duration=0.5"
        picture = "-f lavfi -i testsrc2=s=720x576:r=25:d=2,setsar=16/15"
        coded = "-c:v dvvideo -pix_fmt yuv420p -c:a pcm_s16le -ac 2"
        late = self.ffmpeg(f"{picture} -itsoffset 0.5 {tone} -map 0 -map 1 {coded}", "late.mov")
        gap = self.ffmpeg(f"{picture} {tone} -filter_complex [1]asetpts='if(gte(T\\,0.25)\\,PTS+0.7/TB\\,PTS)'[a] -map 0 -map [a] {coded}", "gap.mkv")
        longer = self.ffmpeg(f"-t 0.4 {picture} {tone} -map 0 -map 1 {coded}", "longer.mov")
        for ending, codec, sound in (("mxf", "mpeg2video", "copy"), ("mxf", "dvvideo", "copy"), ("dv", "dvvideo", "copy"), ("avi", "mpeg4", "copy"), ("avi", "mpeg4", "libmp3lame"), ("avi", "mpeg4", "pcm_alaw"),
                                     ("gxf", "mpeg2video", "copy")):
            for source, wanted, why in ((late, [0.5, 1.0], "late"), (gap, [0.0, 1.2], "gap")):
                out = self.folder / f"out.{ending}"
                if ending == "gxf":  # holds one channel a track
                    source = self.ffmpeg(f"-i {source} -c:v copy -c:a pcm_s16le -ac 1", f"one-{why}.mkv")
                code, said = self.filter(source, out.name, "--codec", codec, "--audio", sound)
                found, frames = self.heard(out), len(self.times(out))
                self.expect(f"{why} sound to {ending}, {codec}, {sound}: {found}, {frames} pictures: {said}",
                            code == 0 and frames == 50 and len(found) == 2 and all(abs(a - b) < 0.06 for a, b in zip(found, wanted)))
        for ending in ("mxf", "dv"):
            code, said = self.filter(longer, f"out.{ending}", "--codec", "dvvideo")
            self.expect(f"longer sound to {ending}: named: {said}", code == 0 and len(self.times(self.folder / f"out.{ending}")) == 10 and "behind it are not kept" in said)
        code, said = self.filter(longer, "strict.mxf", "--codec", "dvvideo", "--strict")
        self.expect(f"longer sound: refused by --strict: {said}", code == 4 and "[strict]" in said)
        code, said = self.filter(longer, "out.avi", "--codec", "mpeg4")
        self.expect(f"longer sound to avi is kept: {said}", code == 0 and self.heard(self.folder / "out.avi")[1] > 0.45)
        early = self.ffmpeg(f"-itsoffset 0.5 {picture} {tone} -map 0 -map 1 -fps_mode passthrough {coded}", "early.mkv")
        code, said = self.filter(early, "out.mxf", "--codec", "dvvideo")
        self.expect(f"sound before the picture to mxf: named: {said}", code == 0 and "s before the picture" in said)
        far = self.ffmpeg(f"{picture} {tone} -map 0 -map 1 -c:v mpeg4 -c:a aac -output_ts_offset 400000", "far.mkv")
        for ending, codec, sound in (("mxf", "mpeg2video", "pcm_s16le"), ("avi", "mpeg4", "libmp3lame")):
            code, said = self.filter(far, f"out.{ending}", "--codec", codec, "--audio", sound)
            self.expect(f"no hours of silence in {ending}: {self.heard(self.folder / f'out.{ending}')}: {said}", code == 0 and self.heard(self.folder / f"out.{ending}")[0] < 0.06)
        code, said = self.filter(far, "out.mxf", "--codec", "mpeg2video", "--audio", "pcm_s16le", "--copy-times")
        self.expect(f"--copy-times has no hours of silence: {said}", code == 0 and self.heard(self.folder / "out.mxf")[0] < 0.06)
        coded = self.ffmpeg(f"{picture} -itsoffset 0.5 {tone} -map 0 -map 1 -c:v mpeg4 -c:a libmp3lame", "coded.mkv")
        code, said = self.filter(coded, "out.avi")
        self.expect(f"late MP3 copied to avi: named: {said}", code == 0 and "has no times for sound" in said)
        # Smooth Streaming's fragments keep gaps, but readers do not see when the first packet begins.
        smooth = self.ffmpeg(f"{picture} -itsoffset 0.5 {tone} -map 0 -map 1 -c:v libx264 -c:a aac", "smooth.mkv")
        code, said = self.filter(smooth, "out.ismv")
        self.expect(f"late AAC copied to ismv: named: {said}", code == 0 and "has no times for sound" in said)
        code, said = self.filter(smooth, "out.ismv", "--audio", "aac")
        self.expect(f"late AAC to ismv, coded anew: {self.heard(self.folder / 'out.ismv')}: {said}", code == 0 and abs(self.heard(self.folder / "out.ismv")[0] - 0.5) < 0.15)
        code, said = self.filter(coded, "out.avi", "--strict")
        self.expect(f"late MP3 copied to avi: refused by --strict: {said}", code == 4)
        plain = self.ffmpeg(f"{picture} -f lavfi -i sine=sample_rate=48000:duration=2 -map 0 -map 1 -c:v mpeg2video -c:a pcm_s16le", "plain.mkv")
        judge = self.ffmpeg(f"-i {plain} -f s16le", "plain.pcm").read_bytes()
        for ending in ("mxf", "avi", "gxf"):
            code, said = self.filter(plain, f"out.{ending}", "--strict")
            self.expect(f"sound that needs no silence gets none in {ending}: {said}", code == 0 and "has no times" not in said and self.ffmpeg(f"-i {self.folder}/out.{ending} -f s16le", "out.pcm").read_bytes()[:len(judge)] == judge)

    def rates(self):
        """Containers without times for pictures, from a clock of milliseconds."""
        source = self.ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=1 -c:v ffv1", "clock.mkv")
        for ending, codec in (("rm", "rv10"), ("swf", "flv"), ("gxf", "mjpeg"), ("mxf", "mpeg2video"), ("avi", "mpeg4")):
            if ending == "gxf":
                source = self.ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=1 -c:v ffv1", "clock.mkv")
            code, said = self.filter(source, f"rate.{ending}", "--codec", codec)
            length = self.run("ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=r_frame_rate,nb_read_packets", "-of", "csv=p=0", self.folder / f"rate.{ending}").stdout
            found = self.times(self.folder / f"rate.{ending}")
            self.expect(f"{ending}: 25 pictures a second: {length} {found[-1:]}: {said}", code == 0 and len(found) == 25 and ("25/1" in length or abs(found[-1] - 0.96) < 0.01))

    def field_pictures(self):
        source = self.folder / "paff.h264"
        source.write_bytes(field_pictures(25))
        for options, length in (((), 1.0), (("--fps", "50"), 0.5), (("--fps", "12.5"), 2.0)):
            code, said = self.filter(source, "out.mkv", "--codec", "ffv1", *options)
            found = self.times(self.folder / "out.mkv")
            step = length / 25
            self.expect(f"field pictures {options}: {len(found)} {found[-1:]}: {said}", code == 0 and len(found) == 25 and abs(found[-1] - found[0] - 24 * step) < 0.002)


if __name__ == "__main__":
    sys.exit(run_checks(Times, "begins_at_zero", "programs", "sound_first", "chapters", "one_ahead", "leading", "timeless_sound", "rates", "field_pictures"))
