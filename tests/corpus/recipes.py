"""The corpus: how each file is made with ffmpeg, and what vidconv is expected to do with it.

A recipe is one row. Its name is the file's, and the ending the container's. `make` is ffmpeg's
arguments without the output's name; {dir} is the folder of the corpus, files that come earlier in
the table may be used. `outputs` are the endings to convert to, by default that of the file.
"""

from dataclasses import dataclass, field


@dataclass
class Recipe:
    name: str
    make: str  # ffmpeg's arguments, or the name of a function in make.py after an "!"
    outputs: tuple = ()
    exit: int = 0  # vidconv's expected exit code
    lost: tuple = ()  # codecs of streams that no output can hold: they are named and left out
    says: tuple = ()  # texts that a line on stderr must contain
    options: str = ""  # vidconv's options
    # Properties that this output cannot keep; each must be said in a line of `says` or be a matter
    # of the container: see judge.py.
    except_for: tuple = ()
    needs: tuple = ()  # encoders that the file needs
    frames: int = 10  # frames in the output; -1: unknown
    seconds: float = -1  # from the first frame to the last; -1: as in the input


V = "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 "
A = "-f lavfi -i sine=frequency=440:sample_rate=48000:duration=0.4 "
X264 = "-c:v libx264 -preset ultrafast -bf 2 -g 5 -pix_fmt yuv420p "
X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=error:pools=1:{} "
VFR = "-vf select='not(mod(n\\,3))+not(mod(n\\,4))' -fps_mode vfr "  # frames 0 3 4 6 8 9
HDR = (
    "hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
    "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
)
BT709 = "-vf setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709 "
WORDS = ("-i {{dir}}/words.txt -map 0 -map_metadata {0} -map_chapters {0} -c:v mpeg4 -metadata:s:v title=Picture "
         "-metadata:s:v language=ita -metadata:s:v own=1 ")


def size(text):
    return V.replace("64x48", text)


RECIPES = [
    # These test containers and codecs.
    Recipe("h264-aac.mp4", V + A + X264 + "-c:a aac", ("mp4", "mkv", "mov", "ts", "nut", "flv")),
    Recipe("hevc-aac.mp4", V + A + X265.format("bframes=2") + "-tag:v hvc1 -c:a aac", ("mp4", "mkv")),
    Recipe("h264-pcm.mov", V + A + X264 + "-c:a pcm_s16le", ("mov", "mkv")),
    Recipe("prores-pcm.mov", V + A + "-c:v prores_ks -c:a pcm_s24le"),
    Recipe("dnxhr.mov", size("256x128") + "-c:v dnxhd -profile:v dnxhr_hq -pix_fmt yuv422p"),
    Recipe("qtrle.mov", V + "-c:v qtrle -pix_fmt rgb24"),
    Recipe("mpeg4-mp3.avi", V + A + "-c:v mpeg4 -c:a libmp3lame", ("avi", "mkv", "mp4")),
    Recipe("mjpeg-pcm.avi", V + A + "-c:v mjpeg -pix_fmt yuvj422p -c:a pcm_s16le", ("avi", "mkv")),
    Recipe("utvideo.avi", V + "-c:v utvideo -pix_fmt yuv422p", ("avi", "mkv")),
    Recipe("h264-flac.mkv", V + A + X264 + "-c:a flac", ("mkv", "mp4")),
    Recipe("ffv1.mkv", V + "-c:v ffv1 -pix_fmt yuv420p"),
    Recipe("huffyuv.mkv", V + "-c:v ffvhuff -pix_fmt yuv422p"),
    Recipe("mpeg4-ac3.mkv", V + A + "-c:v mpeg4 -bf 2 -c:a ac3", ("mkv", "avi")),
    Recipe("vp8-vorbis.webm", V + A + "-c:v libvpx -deadline realtime -c:a libvorbis"),
    Recipe("vp9-opus.webm", V + A + "-c:v libvpx-vp9 -deadline realtime -c:a libopus", ("webm", "mkv")),
    Recipe("av1.mkv", size("64x64") + "-c:v libsvtav1 -preset 12", ("mkv",), needs=("libsvtav1",)),
    Recipe("mpeg2-mp2.ts", V + A + "-c:v mpeg2video -bf 2 -c:a mp2", ("ts", "mkv", "mpg"), except_for=("mpg:frame times",)),
    Recipe("h264-ac3.ts", V + A + X264 + "-c:a ac3", ("ts", "mp4")),
    Recipe("hevc.ts", V + X265.format("bframes=2")),
    Recipe("mpeg1-mp2.mpg", V + A + "-c:v mpeg1video -c:a mp2", ("mkv",)),
    Recipe("h264-aac.flv", V + A + X264 + "-c:a aac", ("flv", "mp4")),
    Recipe("wmv2.wmv", V + A + "-c:v wmv2 -c:a wmav2", ("wmv", "mkv")),
    Recipe("theora.ogv", V + A + "-vf noise=alls=30:allf=t -c:v libtheora -q:v 10 -c:a libvorbis", ("ogv", "mkv", "nut")),
    Recipe("raw.nut", V + A + "-c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le", ("nut", "mkv")),
    Recipe("mpeg2.mxf", V + "-c:v mpeg2video -pix_fmt yuv420p -bf 2", ("mxf", "mkv")),
    Recipe("plain.y4m", V + "-pix_fmt yuv420p", ("y4m", "mkv")),
    Recipe("deep.y4m", V + "-pix_fmt yuv422p10le -strict -1", ("y4m",)),
    Recipe("deeper.y4m", V + "-pix_fmt yuv444p12le -strict -1", ("y4m",)),
    Recipe("deepest.y4m", V + "-pix_fmt yuv420p16le -strict -1", ("y4m",)),
    Recipe("grey12.y4m", V + "-pix_fmt gray12le -strict -1", ("y4m",)),
    Recipe("moving.gif", V + "-final_delay 300 -loop 3 ", ("gif", "mkv"), says=("converted to",), except_for=("pix_fmt", "color_range")),
    Recipe("moving.apng", V + "-pix_fmt rgba -f apng -plays 0", ("apng", "mkv"), says=("mkv:converted to yuv420p",),
           except_for=("mkv:pix_fmt", "mkv:color_range")),
    Recipe("one.png", V + "-frames:v 1 -pix_fmt rgb24", ("png", "jpg"), frames=1, says=("jpg:matrix bt470bg, full range",),
           except_for=("jpg:pix_fmt",)),
    Recipe("one.jpg", V + "-frames:v 1 -pix_fmt yuvj420p", ("jpg",), frames=1),
    Recipe("seq%04d.png", V + "-pix_fmt rgb24", ("%04d.png", "%04d.tiff", "mkv"), says=("mkv:converted to yuv420p",),
           except_for=("tiff:color_range", "mkv:pix_fmt", "mkv:color_range")),
    Recipe("seq%03d.jpg", V + "-pix_fmt yuvj420p -start_number 7", ("%03d.jpg",)),
    Recipe("rgb%02d.bmp", V + "-pix_fmt bgr24", ("%02d.bmp", "mkv", "mp4"), says=("mkv:converted to yuv420p",),
           except_for=tuple(f"{e}:{what}" for e in ("mkv", "mp4") for what in ("pix_fmt", "color_range"))),
    # These test times.
    Recipe("vfr.mkv", V + VFR + X264, ("mkv", "mp4", "nut"), frames=6),
    Recipe("vfr.mp4", V + A + VFR + X264 + "-c:a aac", ("mp4", "mkv", "ts"), frames=6),
    Recipe("vfr.ts", V + VFR + X264, ("ts", "mkv"), frames=6),
    Recipe("ntsc.mp4", V.replace("rate=25", "rate=30000/1001") + X264, ("mp4", "mkv", "avi"), frames=12),
    Recipe("film.mkv", V.replace("rate=25", "rate=24000/1001") + X264, ("mkv", "mp4")),
    Recipe("pyramid.mkv", V + "-c:v libx264 -bf 4 -b-pyramid normal -g 10", ("mkv", "mp4", "ts")),
    Recipe("starts-later.mkv", V + A + X264 + "-c:a aac -output_ts_offset 1.5", ("mkv", "mp4", "nut")),
    Recipe("starts-later.ts", V + A + X264 + "-c:a mp2 -output_ts_offset 3600", ("ts", "mkv", "mp4")),
    Recipe("starts-at-20-hours.ts", V + X264 + "-output_ts_offset 72000", ("ts", "mkv")),
    Recipe("negative.mp4", V + A + X264 + "-c:a aac -output_ts_offset -0.2 -avoid_negative_ts disabled",
           ("mp4", "mov"), frames=-1),
    Recipe("edit-list.mp4", "-ss 0.1 -i {dir}/h264-aac.mp4 -c copy", ("mp4", "mov", "mkv"), frames=-1),
    Recipe("sound-later.mp4", V + "-itsoffset 0.2 " + A + X264 + "-c:a aac", ("mp4", "mkv")),
    Recipe("picture-later.mp4", "-itsoffset 0.2 " + V + A + X264 + "-fps_mode passthrough -c:a aac", ("mp4", "mkv")),
    Recipe("one-frame.mp4", V + "-frames:v 1 " + X264, ("mp4", "mkv", "avi", "ts"), frames=1),
    # In these the clock restarts midway; the judge is told the total duration, which ffprobe does not know.
    Recipe("again.mpg", "!again mpg 0 0 0", ("mkv",), says=("times jump", "--copy-times"), frames=30, seconds=1.18,
           except_for=("frame times", "stream 1 (mp2) times")),
    Recipe("forward.ts", "!again ts 0 1000", ("mkv", "mp4"), says=("times jump", "--copy-times"), frames=20, seconds=0.76,
           except_for=("frame times", "stream 1 (mp2) times")),
    Recipe("left-alone.ts", "!again ts 0 1000", ("mkv",), options="--copy-times", frames=20, seconds=1000.32,
           except_for=("frame times", "stream 1 (mp2) times")),
    # These test properties of the picture.
    Recipe("rotated.mp4", "!rotated", ("mp4", "mov", "mkv", "avi"), says=("avi:pictures are turned",), except_for=("avi:stream 1 (aac) times",)),
    Recipe("rotated-alone.mp4", "-i {dir}/rotated.mp4 -an -c copy", ("y4m", "%d.png"), says=("pictures are turned",), except_for=("png:pix_fmt", "png:color_range", "png:chroma_location")),
    Recipe("anamorphic.mp4", V + "-vf setsar=16/11 " + X264, ("mp4", "mkv", "avi", "ts", "y4m")),
    Recipe("full-range.mkv", V + "-vf scale=out_range=full -c:v libx264 -pix_fmt yuvj420p", ("mkv", "mp4", "y4m")),
    Recipe("bt709.mkv", V + X264 + BT709, ("mkv", "mp4", "ts", "mov")),
    Recipe("hlg.mkv", V + "-vf setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=arib-std-b67 "
           "-pix_fmt yuv420p10le -c:v libx264", ("mkv", "mp4")),
    Recipe("hdr10.mkv", V + "-pix_fmt yuv420p10le " + X265.format(HDR), ("mkv", "mp4", "ts")),
    Recipe("hdr10.mp4", V + "-pix_fmt yuv420p10le " + X265.format(HDR) + "-tag:v hvc1", ("mp4", "mkv")),
    Recipe("hdr10plus.mp4", "!dynamic_hdr hdr10plus", ("mp4", "mkv")),  # hdr.py tests the metadata
    Recipe("vivid.mp4", "!dynamic_hdr vivid", ("mp4", "mkv"), says=("HDR Vivid",)),
    Recipe("vivid-strict.mp4", "!dynamic_hdr vivid", exit=4, options="--strict", says=("HDR Vivid", "[strict]")),
    Recipe("dolby-vision.mp4", "!dolby_vision hdr10.mp4", ("mp4", "mkv"), says=("Dolby Vision",)),
    Recipe("dolby-vision-strict.mp4", "!dolby_vision hdr10.mp4", exit=4, options="--strict",
           says=("Dolby Vision", "[strict]")),
    Recipe("full-range-mpeg4.mkv", V + "-vf scale=out_range=full -c:v mpeg4 -pix_fmt yuv420p -color_range pc", ("mkv", "avi", "mp4"),
           says=("avi:full range to limited", "mp4:full range to limited"), except_for=("avi:color_range", "mp4:color_range")),
    Recipe("full-range-prores.mkv", "-i {dir}/full-range.mkv -c copy", ("mov",), options="--codec prores_ks --strict",
           says=("full range to limited",), except_for=("color_range", "pix_fmt", "chroma_location", "frame hashes")),
    Recipe("siting.mkv", V + X264 + "-chroma_sample_location topleft", ("mkv", "mp4")),
    Recipe("interlaced-tff.mkv", V + "-vf setfield=tff -flags +ilme+ildct " + X264, ("mkv", "mp4")),
    Recipe("called-progressive.mkv", "!other_fields interlaced-tff.mkv 2 1", ("mkv", "mp4")),
    Recipe("called-bottom-first.mkv", "!other_fields interlaced-tff.mkv 1 6", options="--codec ffv1",
           except_for=("frame hashes",)),
    Recipe("interlaced-bff.ts", V + "-vf setfield=bff -c:v mpeg2video -flags +ilme+ildct", ("ts", "mkv")),
    Recipe("interlaced.mov", V + "-vf setfield=tff -c:v prores_ks -flags +ildct", ("mov", "mkv")),
    Recipe("interlaced.y4m", V + "-vf setfield=tff -pix_fmt yuv420p", ("y4m", "mkv")),
    Recipe("alpha-ffv1.mkv", V + "-vf 'format=yuva420p,geq=lum=p(X\\,Y):a=X*4' -c:v ffv1"),
    Recipe("alpha-prores.mov", V + "-vf format=yuva444p10le -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le"),
    Recipe("alpha-png.mov", V + "-c:v png -pix_fmt rgba", ("mov", "mkv")),
    Recipe("alpha-vp9.webm", V + "-vf 'format=yuva420p,geq=lum=p(X\\,Y):a=X*4' -c:v libvpx-vp9 -deadline realtime",
           outputs=("webm", "mkv", "mp4"), says=("mp4:converted to yuv420p",), except_for=("mp4:pix_fmt", "mp4:stream 0 alpha_mode")),
    Recipe("alpha-vp8.webm", V + "-vf 'format=yuva420p,geq=lum=p(X\\,Y):a=X*4' -c:v libvpx -deadline realtime -auto-alt-ref 0",
           ("webm",)),
    Recipe("grey.mkv", V + "-c:v ffv1 -pix_fmt gray"),
    Recipe("grey16.mkv", V + "-c:v ffv1 -pix_fmt gray16le"),
    Recipe("rgb.mkv", V + "-c:v libx264rgb -pix_fmt rgb24 -qp 0"),
    Recipe("gbr.mkv", V + "-c:v ffv1 -pix_fmt gbrp"),
    Recipe("444-10bit.mkv", V + "-c:v libx264 -pix_fmt yuv444p10le", ("mkv", "mp4")),
    Recipe("422-12bit.mkv", V + "-c:v ffv1 -pix_fmt yuv422p12le"),
    Recipe("420-16bit.mkv", V + "-c:v ffv1 -pix_fmt yuv420p16le"),
    Recipe("1x1.mkv", V + "-vf scale=1:1 -c:v ffv1 -pix_fmt yuv420p"),
    Recipe("1x7.mkv", V + "-vf format=yuv444p,crop=1:7 -c:v ffv1 -slices 1"),
    Recipe("3x5.avi", size("3x5") + "-c:v utvideo -pix_fmt gbrp", ("mkv",)),
    Recipe("17x13.avi", size("17x13") + "-c:v mpeg4 -pix_fmt yuv420p", ("avi", "mkv")),
    Recipe("35x21.mkv", size("35x21") + "-c:v libx264 -pix_fmt yuv444p", ("mkv", "mp4")),
    # These test streams, tags and chapters.
    Recipe("languages.mkv", V + A + A + A + X264 + "-map 0 -map 1 -map 2 -map 3 -c:a aac "
           "-metadata:s:a:0 language=fra -metadata:s:a:1 language=deu -metadata:s:a:2 language=eng "
           "-metadata:s:a:2 title=Commentary -disposition:a:0 0 -disposition:a:1 default "
           "-disposition:a:2 comment", ("mkv", "mp4")),
    Recipe("languages.mp4", V + A + A + X264 + "-map 0 -map 1 -map 2 -c:a aac -metadata:s:v language=ita "
           "-metadata:s:a:0 language=fra -metadata:s:a:1 language=jpn -disposition:a:0 0 "
           "-disposition:a:1 default", ("mp4", "mkv")),
    Recipe("tags.mkv", V + X264 + "-metadata title=Überschrift -metadata artist=日本 -metadata comment='a=b;c' "
           "-metadata:s:v title=Picture -metadata creation_time=2020-02-03T04:05:06Z", ("mkv", "mp4")),
    Recipe("phone.mov", V + X264 + "-metadata title=Walk -metadata com.apple.quicktime.make=Apple "
           "-metadata location=+48.1000+011.5000/ -movflags use_metadata_tags", ("mov", "mp4")),
    Recipe("phone.mp4", V + X264 + "-metadata com.android.version=14 -metadata title=Walk "
           "-metadata location=+48.1000+011.5000/ -movflags use_metadata_tags", ("mp4", "mov")),
    Recipe("chapters.mkv", V + "-i {dir}/chapters.txt -map 0 -map_metadata 1 " + X264, ("mkv", "mp4")),
    Recipe("chapters.mp4", V + "-i {dir}/chapters.txt -map 0 -map_metadata 1 " + X264, ("mp4", "mkv")),
    # These put all kinds of metadata into every container: each is kept or named.
    Recipe("words.mkv", V + A + A + WORDS.format(3) + "-map 1 -map 2 -c:a libmp3lame -metadata:s:a:0 language=fra "
           "-metadata:s:a:0 title=Main -metadata:s:a:1 language=jpn -metadata:s:a:1 title=Remarks -metadata:s:a:1 own=1 "
           "-disposition:a:0 original -disposition:a:1 default+comment",
           ("mkv", "mp4", "mov", "avi", "ts", "nut"),
           says=("avi:cannot hold: chapters", "avi:language", "ts:cannot hold: chapters", "ts:ARTIST", "mp4:OWN"),
           except_for=("avi:frame times",)),
    Recipe("words-alone.mkv", V + WORDS.format(1) + "-vf noise=alls=30:allf=t " + X264 + "-bf 0", ("webm", "flv", "ogv", "wmv", "mxf", "3gp", "y4m", "gif"),
           says=("flv:cannot hold: chapters", "y4m:cannot hold: chapters", "gif:ARTIST"),
           except_for=("gif:pix_fmt", "gif:color_range", "gif:chroma_location", "ogv:chroma_location")),
    Recipe("words-strict.mkv", "-i {dir}/words.mkv -map 0 -c copy", ("avi",), exit=4, options="--strict",
           says=("cannot hold: chapters", "[strict]")),
    Recipe("srt.mkv", V + "-i {dir}/words.srt -map 0 -map 1 -c:s srt -metadata:s:s language=fra " + X264,
           ("mkv", "mp4")),
    Recipe("latin-srt.mkv", V + "-i {dir}/latin.srt -map 0 -map 1 -c:s copy " + X264, ("mkv", "mp4", "webm"),
           says=("mp4:make no sense, left out", "webm:make no sense, left out"),
           except_for=tuple(f"{e}:stream 1 (subrip) {what}" for e in ("mp4", "webm") for what in ("packets", "times"))),
    Recipe("ass-font.mkv", V + "-i {dir}/words.srt -map 0 -map 1 -c:s ass -attach {dir}/font.ttf "
           "-metadata:s:t mimetype=font/ttf " + X264, ("mkv", "mp4"), lost=("mp4:font.ttf",)),
    Recipe("mov_text.mp4", V + "-i {dir}/words.srt -map 0 -map 1 -c:s mov_text -metadata:s:s language=eng "
           + X264, ("mp4", "mov", "mkv")),
    Recipe("webvtt.webm", V + "-i {dir}/words.srt -map 0 -map 1 -c:v libvpx -deadline realtime -c:s webvtt",
           ("webm", "mkv", "mp4")),
    Recipe("pgs.mkv", V + "-i {dir}/words.sup -map 0 -map 1 -c:s copy " + X264, ("mkv", "ts", "mp4"),
           lost=("mp4:hdmv_pgs_subtitle", "ts:hdmv_pgs_subtitle")),
    Recipe("dvbsub.ts", V + "-i {dir}/words.sup -map 0 -map 1 -c:s dvbsub " + X264, ("ts", "mkv"),
           says=("ts:do not grow",), except_for=("stream 1 (dvb_subtitle) times",)),
    Recipe("cover.mp4", V + A + "-i {dir}/one.jpg -map 0 -map 1 -map 2 -c:v:0 libx264 -c:v:1 copy "
           "-c:a aac -disposition:v:1 attached_pic", ("mp4", "mkv")),
    Recipe("cover.mkv", V + A + X264 + "-c:a aac -attach {dir}/one.jpg -metadata:s:t mimetype=image/jpeg "
           "-metadata:s:t filename=cover.jpg", ("mkv", "mp4")),
    Recipe("timecode.mov", V + X264 + "-timecode 01:02:03:04", ("mov", "mp4", "mkv"), lost=("mkv:tmcd",),
           options="--strict"),
    Recipe("timecode-lost.mov", V + "-c:v mpeg4 -timecode 01:02:03:04", ("avi",), lost=("tmcd",), says=("left out",)),
    Recipe("two-videos.mkv", V + size("32x32") + "-map 0 -map 1 " + X264, ("mkv", "mp4")),
    Recipe("three-videos.mkv", V + size("32x32").replace("rate=25", "rate=30000/1001")
           + size("48x16").replace("rate=25", "rate=10") + A + "-map 0 -map 1 -map 2 -map 3 -c:a aac " + X264,
           ("mkv", "mp4")),
    Recipe("all-videos.mkv", "-i {dir}/three-videos.mkv -map 0 -c copy", ("mkv", "mp4", "nut", "ts"),
           options="--video all", except_for=("frame hashes",)),
    Recipe("all-videos-and-cover.mp4", V + size("32x32") + A + "-i {dir}/one.jpg -map 0 -map 1 -map 2 -map 3 "
           "-c:v libx264 -pix_fmt yuv420p -c:v:2 copy -c:a aac -disposition:v:2 attached_pic", ("mp4", "mkv"),
           options="--video all", except_for=("frame hashes",)),
    Recipe("second-video.mkv", "-i {dir}/two-videos.mkv -map 0 -c copy", ("mkv",), options="--video 2"),
    Recipe("programs.ts", V + A + V + A + "-map 0 -map 1 -map 2 -map 3 -c:v mpeg2video -c:a mp2 "
           "-program title=One:program_num=1:st=0:st=1 -program title=Two:program_num=2:st=2:st=3"),
    # These test damage.
    Recipe("cut.mkv", "!cut h264-flac.mkv 0.6", exit=7, frames=-1),
    Recipe("cut.mp4", "!cut_fast_start", exit=7, frames=-1),
    Recipe("cut.ts", "!cut mpeg2-mp2.ts 0.67", frames=-1, except_for=("frame hashes",)),
    Recipe("cut.avi", "!cut mpeg4-mp3.avi 0.85", exit=7, frames=-1),
    Recipe("cut.y4m", "!cut plain.y4m 0.55", exit=7, frames=5),
    Recipe("no-index.mp4", "!cut h264-aac.mp4 0.5", exit=3),
    Recipe("holes.ts", "!drop_packets mpeg2-mp2.ts", exit=7, frames=-1),
    Recipe("zeros.avi", "!zeros mpeg4-mp3.avi", exit=7, frames=-1),
    Recipe("flipped.mkv", "!flip bt709.mkv", exit=7, frames=-1),
    Recipe("flipped.avi", "!flip mjpeg-pcm.avi", exit=7, frames=-1),
    Recipe("no-key.ts", "!without_start h264-ac3.ts", exit=7, frames=-1),
    Recipe("broken-header.mkv", "!broken_header ffv1.mkv", exit=3),
    Recipe("empty.mp4", "!empty", exit=3),
    Recipe("text.mp4", "!text", exit=3),
    # These are complete, though their containers count in ways of their own; each is also tested cut.
    Recipe("h264.avi", "-i {dir}/h264-aac.mp4 -an -c copy", ("mkv",), options="--strict", except_for=("frame times",)),
    Recipe("cut-h264.avi", "!cut h264.avi 0.9", exit=7, frames=-1),
    Recipe("dropped.avi", V + "-vf select='not(between(n\\,3\\,5))' -fps_mode vfr -c:v mpeg4", ("avi", "mkv"), options="--strict", frames=7,
           except_for=("avi:frame times",)),
    Recipe("cut-dropped.avi", "!cut dropped.avi 0.9", exit=7, frames=-1),
    Recipe("later.mp4", "!fragments 3 4", ("mp4", "mkv"), options="--strict", frames=20),
    Recipe("cut-later.mp4", "!cut later.mp4 0.9", exit=7, frames=-1),
    Recipe("segments.ts", "!segments", ("ts", "mkv"), options="--strict"),
    Recipe("cut-segments.ts", "!drop_packets segments.ts 6", exit=7, frames=-1),
    # These cannot be read, for a reason that is named.
    Recipe("encrypted.mp4", "-i {dir}/h264-aac.mp4 -c copy -encryption_scheme cenc-aes-ctr -encryption_key "
           "76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8", exit=3, says=("encrypted", "decrypt")),
    Recipe("noise.mkv", "!noise", exit=3),
    Recipe("two-entries.mp4", "!two_entries", ("mp4", "mkv"), frames=20),
    *(Recipe(f"{codec}-size-changes.{'ts' if codec in ('h264', 'hevc') else 'mkv'}", f"!coded_size_changes {codec}", frames=30,
             says=("64x48", "96x64"), except_for=("frame hashes", "width", "height"))
      for codec in ("vp8", "vp9", "h264", "hevc")),
    Recipe("size-changes.ts", "!size_changes", frames=-1, says=("64x48", "96x32"),
           except_for=("frame hashes", "width", "height")),
]
