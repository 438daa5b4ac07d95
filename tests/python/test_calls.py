"""How Python programs call the package: paths, rates, names, exceptions."""
import builtins
import math
import os
import pickle
from fractions import Fraction
from pathlib import Path, PurePosixPath

import numpy as np
import pytest

import vidconv


@pytest.mark.parametrize("given, rate", [
    (25, Fraction(25)), (29.97, Fraction(30000, 1001)), (23.976, Fraction(24000, 1001)), (23.98, Fraction(24000, 1001)),
    (59.94, Fraction(60000, 1001)), (119.88, Fraction(120000, 1001)), (25.0, Fraction(25)), (12.5, Fraction(25, 2)), (0.5, Fraction(1, 2)),
    ("30000/1001", Fraction(30000, 1001)), ("29.97", Fraction(30000, 1001)), ("50", Fraction(50)), (Fraction(30000, 1001), Fraction(30000, 1001)),
    (Fraction(2997, 100), Fraction(2997, 100)), (np.float64(29.97), Fraction(30000, 1001)), (np.int64(30), Fraction(30)), (None, None)])
def test_frame_rates(given, rate):
    assert vidconv.Video("gray", 64, 48, frame_rate=given).frame_rate == rate


@pytest.mark.parametrize("wrong", [0, -25, math.nan, math.inf, "fast", "1/0", [25], 2**40, "1/9999999999"])
def test_frame_rates_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match="frame_rate="):
        vidconv.Video("gray", 64, 48, frame_rate=wrong)


def test_a_writer_takes_rates_as_they_are_said(tmp_path):
    for rate in (29.97, "30000/1001", Fraction(30000, 1001)):
        file = tmp_path / "a.mp4"
        with vidconv.Writer(file, vidconv.Video("gray", 64, 48, frame_rate=rate), overwrite=True) as writer:
            for _ in range(3):
                writer.write(np.zeros((48, 64), np.uint8))
        assert vidconv.open(file).video.frame_rate == Fraction(30000, 1001)
    with vidconv.Writer(tmp_path / "b.mkv", vidconv.Video("gray", 64, 48, time_base=0.001)) as writer:
        assert writer.video.time_base == Fraction(1, 1000)
        writer.write(np.zeros((48, 64), np.uint8), 0)
    with pytest.raises(ValueError, match="neither a frame_rate nor a time_base"):
        vidconv.Writer(tmp_path / "c.mkv", vidconv.Video("gray", 64, 48))


class Named(os.PathLike):
    def __init__(self, name):
        self.name = name

    def __fspath__(self):
        return self.name


@pytest.mark.parametrize("name", ["plain.y4m", "with:colon.y4m", "-", "null:", "pattern:64x48#2", "md5:"])
@pytest.mark.parametrize("kind", [Path, PurePosixPath, Named])
def test_paths_are_files(tmp_path, monkeypatch, name, kind):
    monkeypatch.chdir(tmp_path)
    vidconv.run("pattern:64x48#2", kind(name), kernel="box", format="y4m")
    assert os.listdir(tmp_path) == [name]
    assert vidconv.run(kind(name), "null:", kernel="box").written == 2
    assert len(vidconv.open(kind(name))) == 2
    with vidconv.Writer(kind("second.y4m"), vidconv.Video("gray", 64, 48, 25)) as writer:
        writer.write(np.zeros((48, 64), np.uint8))
    assert Path("second.y4m").exists()
    vidconv.run("pattern:64x48#2", "null:", kernel="box:region=0,0,8,8", audit=kind("audit.jsonl"))
    assert Path("audit.jsonl").exists()


def test_kernels_of_videos(command, tmp_path):
    ours, theirs = tmp_path / "a.y4m", tmp_path / "b.y4m"
    rows = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]
    vidconv.run("pattern:64x48#3", ours, kernel=["box", np.array(rows)], border="wrap", planes="luma", device="cpu", linear=False)
    command("pattern:64x48#3", "-o", theirs, "--kernel", "box", "--kernel", "matrix:0 -1 0;-1 5 -1;0 -1 0", "--border", "wrap", "--planes",
            "luma", "-q")
    assert ours.read_bytes() == theirs.read_bytes()
    vidconv.run("pattern:64x48#3", ours, kernel="box:size=9", regions=[(0, 0, 10, 10), ("50%", "50%", 8, 8)], overwrite=True)
    command("pattern:64x48#3", "-o", theirs, "--kernel", "box:size=9:region=0,0,10,10;50%,50%,8,8", "-q", "-y")
    assert ours.read_bytes() == theirs.read_bytes()
    vidconv.run("pattern:64x48#3", ours, kernel=rows, linear=True, overwrite=True)
    command("pattern:64x48#3", "-o", theirs, "--kernel", "matrix:0 -1 0;-1 5 -1;0 -1 0", "--linear", "-q", "-y")
    assert ours.read_bytes() == theirs.read_bytes()


def test_all_names_but_those_of_python():
    names = {}
    exec("from vidconv import *", names)  # pylint: disable=exec-used
    shadowed = {name for name in names if hasattr(builtins, name)} - {"__builtins__", "__doc__", "__name__", "__package__"}
    assert not shadowed
    assert {"Writer", "Video", "run", "Error", "Frame", "settings", "formats"} <= set(names)


@pytest.mark.parametrize("call, ours, pythons", [
    (lambda d: vidconv.open(d / "none.mp4"), vidconv.InputError, FileNotFoundError),
    (lambda d: vidconv.run(d / "none.mp4", "null:", kernel="box"), vidconv.InputError, FileNotFoundError),
    (lambda d: vidconv.run("pattern:64x48#1", d / "there.y4m", kernel="box"), vidconv.OutputError, FileExistsError),
    (lambda d: vidconv.run("pattern:64x48#1", d / "none" / "a.y4m", kernel="box"), vidconv.OutputError, FileNotFoundError),
    (lambda d: vidconv.filter(np.zeros((4, 4), np.uint8), "bax"), vidconv.UsageError, ValueError),
])
def test_failures_are_pythons_own_too(tmp_path, call, ours, pythons):
    (tmp_path / "there.y4m").write_bytes(b"")
    with pytest.raises(pythons) as caught:
        call(tmp_path)
    error = caught.value
    assert isinstance(error, ours) and isinstance(error, vidconv.Error) and error.kind in str(error)
    if isinstance(error, OSError):
        assert error.errno and os.strerror(error.errno)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.kind == error.kind


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permissions(tmp_path):
    file = tmp_path / "a.y4m"
    file.write_bytes(b"YUV4MPEG2")
    file.chmod(0)
    with pytest.raises(PermissionError) as caught:
        vidconv.open(file)
    assert isinstance(caught.value, vidconv.InputError)


@pytest.mark.parametrize("call", [
    lambda: vidconv.run("pattern:64x48#1", "null:", kernal="box"),
    lambda: vidconv.filter(np.zeros((4, 4), np.uint8), "box", threads=-1),
    lambda: vidconv.filter(np.zeros((4, 4), np.uint8), "box", threads=10**6),
    lambda: vidconv.filter(np.zeros((4, 4), np.uint8), "box", border="mirror"),
    lambda: vidconv.Writer("null:", vidconv.Video("bgr42", 64, 48, 25)),
    lambda: vidconv.Writer("null:", vidconv.Video("gray", 0, 48, 25)),
    lambda: vidconv.Writer("null:", vidconv.Video("gray", 64, 48, 25, matrix="bt42")),
    lambda: vidconv.open("pattern:64x48#1", format="bgr42"),
    lambda: _two_frames_at_once(),
    lambda: vidconv.filter(np.zeros((4, 4), np.uint8), "time:1 2 1"),
    lambda: vidconv.run("pattern:64x48#1", "null:", kernel="box", variant="slow"),
])
def test_messages_have_pythons_names(call):
    with pytest.raises(vidconv.UsageError) as caught:
        call()
    for foreign in ("vidconv.h", "vidconv_", "--", "VIDCONV_", "`variants`", "a reader"):
        assert foreign not in str(caught.value)


def _two_frames_at_once():
    with vidconv.Writer("null:", vidconv.Video("gray", 64, 48, 25)) as writer:
        writer.write(np.zeros((48, 64), np.uint8), 5)
        writer.write(np.zeros((48, 64), np.uint8), 5)
