"""vidconv.open: frames as pictures people compute with, and frames by number and time."""
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import vidconv

# Kr and Kb, by FFmpeg's names of the matrices.
MATRICES = {"bt709": (0.2126, 0.0722), "smpte170m": (0.299, 0.114), "bt2020nc": (0.2627, 0.0593)}


def make(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True)


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """H.264 with B-frames, a key frame every 12 frames, 50 frames."""
    file = tmp_path_factory.mktemp("film") / "film.mp4"
    make("-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-c:v", "libx264", "-g", 12, "-bf", 3, "-pix_fmt", "yuv420p", file)
    return file


def bytes_of(frame):
    return b"".join(plane.tobytes() for plane in frame.planes)


def yuv_to_rgb(y, u, v, matrix, full):
    """Returns red, green and blue from 0 to 1, by the definition."""
    kr, kb = MATRICES[matrix]
    y, u, v = (np.asarray(x, np.float64) for x in (y, u, v))
    y, u, v = (y / 255, (u - 128) / 255, (v - 128) / 255) if full else ((y - 16) / 219, (u - 128) / 224, (v - 128) / 224)
    red, blue = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    green = (y - kr * red - kb * blue) / (1 - kr - kb)
    return np.clip(np.stack([red, green, blue], axis=-1), 0, 1)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("colour_range", ["tv", "pc"])
def test_colours_by_the_videos_own_matrix_and_range(tmp_path, noise, matrix, colour_range):
    file = tmp_path / "a.mkv"
    planes = [noise((48, 64), np.uint8) // 2 + 64 for _ in range(3)]
    with vidconv.Writer(file, vidconv.Video("yuv444p", 64, 48, 25, range=colour_range, matrix=matrix), codec="ffv1") as writer:
        writer.write(planes)
    expected = yuv_to_rgb(*planes, matrix, colour_range == "pc")
    for name, scale, tolerance, order in (("rgb24", 255, 0.501, (0, 1, 2)), ("bgr24", 255, 0.501, (2, 1, 0)),
                                          ("rgb48", 65535, 0.6, (0, 1, 2)), ("rgbf32", 1, 1e-6, (0, 1, 2)),
                                          ("bgrf32", 1, 1e-6, (2, 1, 0))):
        reader = vidconv.open(file, format=name)
        assert reader.video.format.startswith(name)
        frame = next(reader)
        picture = np.asarray(frame)
        assert picture.shape == frame.shape == (48, 64, 3)
        assert np.abs(picture - expected[..., order] * scale).max() <= tolerance, name
        assert np.array_equal(next(vidconv.open(file)).to_ndarray(name), picture), name


def test_grey_is_luma_in_full_range(tmp_path):
    file = tmp_path / "a.mkv"
    luma = np.arange(16, 236, dtype=np.uint8).reshape(11, 20)
    with vidconv.Writer(file, vidconv.Video("yuv444p", 20, 11, 25, range="tv"), codec="ffv1") as writer:
        writer.write([luma, np.full_like(luma, 90), np.full_like(luma, 200)])
    grey = np.asarray(next(vidconv.open(file, format="gray")))
    assert np.abs(grey - (luma - 16.0) * 255 / 219).max() <= 0.501
    exact = np.asarray(next(vidconv.open(file, format="grayf32")))
    assert exact.dtype == np.float32 and np.abs(exact - (luma - 16.0) / 219).max() < 1e-6 and exact.max() == 1


# As H.264 counts them, with pixels to the right of the first one, and below it.
LOCATIONS = {"left": (0, 0, 0.5), "center": (1, 0.5, 0.5), "topleft": (2, 0, 0), "top": (3, 0.5, 0), "bottomleft": (4, 0, 1), "bottom": (5, 0.5, 1)}


def make_chroma(folder, location, u, v, *flags, format="rgbf32"):
    """Makes a video of 64x48, of which only chroma varies, without loss."""
    raw, file = folder / "a.yuv", folder / "a.mkv"
    raw.write_bytes(np.full((48, 64), 120, np.uint8).tobytes() + u.tobytes() + v.tobytes())
    make("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "64x48", "-i", raw, *flags, "-c:v", "libx264", "-x264-params",
         f"qp=0:chromaloc={LOCATIONS[location][0]}", "-color_range", "tv", "-colorspace", "bt709", file)
    return next(vidconv.open(file, format=format))


@pytest.mark.parametrize("location", LOCATIONS)
def test_chroma_lies_where_the_video_says(tmp_path, location):
    # Chroma rises by 4 from one of its columns to the next, that is by 2 from pixel to pixel.
    u = np.tile((64 + 4 * np.arange(32)).astype(np.uint8), (24, 1))
    blue = np.asarray(make_chroma(tmp_path, location, u, np.full_like(u, 128)))[24, 8:56, 2]
    wanted = yuv_to_rgb(np.full(48, 120), 64 + 2 * (np.arange(8, 56) - LOCATIONS[location][1]), np.full(48, 128), "bt709", False)[:, 2]
    assert np.abs(blue - wanted).max() < 1e-5


@pytest.mark.parametrize("location", LOCATIONS)
@pytest.mark.parametrize("interlaced", [False, True])
def test_chroma_lies_there_for_other_formats_too(tmp_path, location, interlaced):
    ramp = (64 + 4 * np.arange(32)).astype(np.uint8)
    flags = ["-vf", "setfield=tff", "-flags", "+ildct"] if interlaced else []
    _, across, below = LOCATIONS[location]
    made = make_chroma(tmp_path, location, np.tile(ramp, (24, 1)), np.tile(ramp[:24, None], (1, 32)), *flags, format="yuv444p")
    columns = np.abs(made.planes[1][24, 8:56].astype(float) - (64 + 2 * (np.arange(8, 56) - across)))
    rows, wanted = np.arange(48, dtype=float), 64 + 2 * (np.arange(48) - below)
    if interlaced:
        place = below if below != 0.5 else 0.5 + np.where(rows % 2 == 0, -0.25, 0.25)
        wanted = 64 + 8 * (rows // 2 - place) / 2 + 4 * (rows % 2)
    assert columns.max() <= 0.75 and np.abs(made.planes[2][8:40, 20] - wanted[8:40]).max() <= 0.75
    assert np.array_equal(make_chroma(tmp_path, location, np.tile(ramp, (24, 1)), np.tile(ramp[:24, None], (1, 32)), *flags,
                                      format="nv12").planes[1][:, ::2], np.tile(ramp, (24, 1)))


@pytest.mark.parametrize("location", LOCATIONS)
@pytest.mark.parametrize("interlaced", [False, True])
def test_chroma_lies_between_rows_where_the_video_says(tmp_path, location, interlaced):
    v = np.tile((64 + 4 * np.arange(24)).astype(np.uint8)[:, None], (1, 32))
    rows, below = np.arange(48, dtype=float), LOCATIONS[location][2]
    wanted = 64 + 2 * (rows - below)
    if interlaced:  # each field by itself: its rows of chroma are 2 apart, and rise by 8
        parity = rows % 2
        place = below if below != 0.5 else 0.5 + np.where(parity == 0, -0.25, 0.25)
        wanted = 64 + 8 * (rows // 2 - place) / 2 + 4 * parity
    frame = make_chroma(tmp_path, location, np.full_like(v, 128), v, *(["-vf", "setfield=tff", "-flags", "+ildct"] if interlaced else []))
    assert frame.interlaced == interlaced
    red = yuv_to_rgb(np.full(48, 120), np.full(48, 128), wanted, "bt709", False)[:, 0]
    assert np.abs(np.asarray(frame)[8:40, 20, 0] - red[8:40]).max() < 1e-5


def test_frames_are_filtered_before_they_are_converted(film):
    filtered = next(vidconv.open(film, kernel="gaussian:sigma=2"))
    assert np.array_equal(np.asarray(next(vidconv.open(film, kernel="gaussian:sigma=2", format="bgr24"))), filtered.to_ndarray("bgr24"))


def test_pixel_format_is_not_ignored(film):
    assert np.asarray(next(vidconv.open(film, pixel_format="bgr24"))).shape == (64, 96, 3)
    with pytest.raises(ValueError, match="give one"):
        vidconv.open(film, pixel_format="bgr24", format="rgb24")
    for wrong in ("bgr42", "rgb24be", "cuda", "monow"):
        with pytest.raises(vidconv.UsageError, match=wrong):
            vidconv.open(film, format=wrong)
    with pytest.raises(vidconv.UsageError, match=r"vidconv\.formats\(\) lists them"):
        next(vidconv.open(film)).to_ndarray("bgr42")
    assert {"rgb24", "bgr24", "gray", "yuv420p10le"} <= set(vidconv.formats())


@pytest.mark.parametrize("name", ["rgb24", "bgr24", "rgba", "gray", "gray16", "grayf32", "gbrpf32", "rgb48", "yuv444p", "nv12", "rgbf32"])
@pytest.mark.parametrize("source", ["yuv420p", "yuv422p10le", "rgb24", "gray", "gbrpf32le", "nv12", "yuva420p", "gray16le"])
def test_every_way_between_formats(source, name):
    frame = next(vidconv.open(f"pattern:66x50:{source}#1", format=name))
    assert frame.format.startswith(name) and frame.planes[0].shape[:2] == (50, 66)
    if len(frame.planes) == 1:
        assert np.array_equal(next(vidconv.open(f"pattern:66x50:{source}#1")).to_ndarray(name), np.asarray(frame))


def test_a_frame_tells_what_it_is(film):
    frame = next(vidconv.open(film))
    assert repr(frame) == "<vidconv.Frame 0 at 0.000 s: 96x64 yuv420p>"
    assert frame.shape == (64, 96) and frame.format == "yuv420p"
    assert repr(vidconv.open(film, format="rgb24")) == "<vidconv.Reader: 96x64 rgb24, 25 frames/s>"
    with pytest.raises(TypeError, match=r"3 planes.*to_ndarray\('rgb24'\)"):
        np.asarray(frame)
    picture = frame.to_ndarray("rgb24")
    del frame
    assert picture.shape == (64, 96, 3) and not picture.flags.writeable


def numbered(file, **options):
    return [(frame.number, frame.pts, bytes_of(frame)) for frame in vidconv.open(file, **options)]


CODECS = {"h264.mp4": ["-c:v", "libx264", "-g", 12, "-bf", 3], "open.mkv": ["-c:v", "libx265", "-x265-params", "keyint=12:open-gop=1:log-level=none"],
          "mpeg2.ts": ["-c:v", "mpeg2video", "-g", 12, "-bf", 2], "intra.mkv": ["-c:v", "ffv1"], "vp9.webm": ["-c:v", "libvpx-vp9", "-g", 12],
          "mpeg4.avi": ["-c:v", "mpeg4", "-g", 12, "-bf", 2], "bare.y4m": [], "vp8.webm": ["-c:v", "libvpx", "-g", 12],
          "bare.h264": ["-c:v", "libx264", "-g", 12, "-bf", 3], "fields.ts": ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-g", 12, "-bf", 2]}


@pytest.mark.parametrize("name", CODECS)
def test_any_frame_by_its_number(tmp_path, name):
    file = tmp_path / name
    make("-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1.6", *CODECS[name], "-pix_fmt", "yuv420p", file)
    expected = numbered(file)
    reader = vidconv.open(file)
    assert len(reader) == len(expected) == 40
    for number in (39, 0, 13, 12, 11, 14, 15, 30, 5, 25, 24, 38, 38, 1):
        frame = reader[number]
        assert (frame.number, frame.pts, bytes_of(frame)) == expected[number], number
    assert reader[-1].number == 39 and reader[np.int64(-40)].number == 0
    assert [frame.number for frame in reader[30:20:-4]] == [30, 26, 22]
    for wrong in (40, -41):
        with pytest.raises(IndexError, match="40 frames"):
            reader[wrong]
    assert [(frame.number, frame.pts, bytes_of(frame)) for frame in reader] == expected  # the iteration was not moved


@pytest.mark.parametrize("options", [{"start": 0.5}, {"start": 0.5, "duration": 0.6}, {"frames": 17}, {"start": 0.3, "frames": 20},
                                     {"kernel": "time:1 2 3:scale=auto"}, {"kernel": ["time-box:size=5", "sobel"]}, {"kernel": "time:1 1:scale=auto:every=2"},
                                     {"kernel": "box:size=5:between=0.4-0.9"}, {"kernel": "time-exp:decay=0.5"},
                                     {"kernel": "gaussian:sigma=0..8@0-2"}, {"kernel": "box", "compare": "flip:0.3"}, {"format": "rgb24", "kernel": "sobel"}])
def test_any_frame_with_options(film, options):
    expected = numbered(film, **options)
    reader = vidconv.open(film, **options)
    assert len(reader) == len(expected) > 5
    for number in (len(expected) - 1, 0, len(expected) // 2, 3, len(expected) - 2):
        frame = reader[number]
        assert (frame.number, frame.pts, bytes_of(frame)) == expected[number], number


def test_any_frame_of_what_is_no_file():
    reader = vidconv.open("pattern:64x48:gray@25#30")
    assert len(vidconv.open("pattern:64x48:gray@25", frames=7)) == 7
    assert len(vidconv.open("pattern:64x48:gray@25#1000000000")) == 1000000000
    assert len(reader) == 30 and bytes_of(reader[20]) == bytes_of(list(vidconv.open("pattern:64x48:gray@25#21"))[-1])


def test_frames_by_their_time(film):
    reader = vidconv.open(film)
    assert [reader.at(t).number for t in (0, 0.04, 0.079, 1.0, Fraction(49, 25), 100)] == [0, 1, 1, 25, 49, 49]
    with pytest.raises(IndexError, match="no frame yet"):
        reader.at(-0.1)


def test_variable_frame_rate(tmp_path):
    file = tmp_path / "vfr.mkv"
    make("-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-vf", "select='not(mod(n\\,3))+gt(n\\,30)'", "-vsync", "vfr", "-c:v", "libx264", file)
    expected = numbered(file)
    reader = vidconv.open(file)
    assert len(reader) == len(expected)
    for number in (20, 3, len(expected) - 1):
        assert (reader[number].pts, bytes_of(reader[number])) == expected[number][1:]
        assert reader.at(reader[number].time).number == number


def test_batches(film):
    reader = vidconv.open(film, format="rgb24")
    every = [np.asarray(frame).copy() for frame in vidconv.open(film, format="rgb24")]
    batch = reader.frames([5, 30, -1, 5])
    assert batch.shape == (4, 64, 96, 3) and batch.dtype == np.uint8
    assert np.array_equal(batch, np.stack([every[n] for n in (5, 30, 49, 5)]))
    out = np.empty((2, 64, 96, 3), np.uint8)
    assert reader.frames(iter((1, 0)), out=out) is out and np.array_equal(out[1], every[0])
    for wrong, error in (([], ValueError), ([50], IndexError)):
        with pytest.raises(error):
            reader.frames(wrong)
    with pytest.raises(ValueError, match="out is of shape"):
        reader.frames([1, 2, 3], out=out)
    with pytest.raises(TypeError, match="planes"):
        vidconv.open(film).frames([0])


def test_totals_for_progress_bars(film):
    reader = vidconv.open(film)
    assert bool(reader) and len(reader) == 50 == sum(1 for _ in reader)
    assert bool(vidconv.open("pattern:64x48#1"))


def test_damage_is_where_it_is(film, tmp_path):
    """The frames that can be decoded have the numbers that they have in the iteration."""
    broken = tmp_path / "broken.ts"
    make("-i", film, "-c", "copy", broken)
    data = bytearray(broken.read_bytes())
    data[len(data) // 2:len(data) // 2 + 376] = bytes(376)
    broken.write_bytes(data)
    expected = []
    with pytest.raises(vidconv.DamagedError):
        for frame in vidconv.open(broken):
            expected.append((frame.number, frame.pts))
    reader = vidconv.open(broken)
    assert len(reader) == len(expected)
    for number in (len(expected) - 1, 2, len(expected) // 2):
        assert (reader[number].number, reader[number].pts) == expected[number]


def test_inputs_that_can_be_read_once(tmp_path, film):
    import os
    import threading
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: vidconv.run(film, pipe, kernel="box", format="y4m", overwrite=True), daemon=True)
    writer.start()
    reader = vidconv.open(pipe)
    for call in (len, lambda r: r[3], lambda r: r.at(1)):
        with pytest.raises(vidconv.UsageError, match="read once") as caught:
            call(reader)
        assert isinstance(caught.value, TypeError)
    assert len(list(reader)) == 50  # list() asks for the length first
    writer.join()


def test_a_closed_reader_gives_nothing(film):
    with vidconv.open(film) as reader:
        assert reader[3].number == 3
    with pytest.raises(ValueError, match="closed"):
        reader[3]
    assert list(reader) == []
