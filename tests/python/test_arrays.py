"""vidconv.filter: the command's bytes, whatever the array's layout."""
import gc
import sys
import threading
import time
import timeit

import numpy as np
import pytest

import vidconv

KERNELS = ["gaussian:sigma=2", "sobel", "matrix:0 -1 0;-1 5 -1;0 -1 0", "box:size=9"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("pixel_format", ["gray", "gray16le", "grayf32le"])
@pytest.mark.parametrize("border", [None, "wrap", "constant:0.5"])
def test_the_bytes_of_the_command(frame_of, kernel, pixel_format, border):
    options = ["--kernel", kernel] + (["--border", border] if border else [])
    picture = frame_of("67x41", pixel_format, "--kernel", "identity").reshape(41, 67)
    expected = frame_of("67x41", pixel_format, *options).reshape(41, 67)
    result = vidconv.filter(picture, kernel, border=border)
    assert result.dtype == picture.dtype
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("pixel_format", ["yuv444p", "gbrp", "gbrpf32le"])
def test_planar_pictures(frame_of, pixel_format):
    picture = frame_of("50x40", pixel_format, "--kernel", "identity").reshape(3, 40, 50)
    expected = frame_of("50x40", pixel_format, "--kernel", "sobel", "--planes", "all")
    assert vidconv.filter(picture, "sobel", planar=True).tobytes() == expected.tobytes()


def test_channels_side_by_side_and_chains(frame_of):
    picture = frame_of("50x40", "rgb24", "--kernel", "identity").reshape(40, 50, 3)
    expected = frame_of("50x40", "rgb24", "--kernel", "box", "--kernel", "unsharp")
    assert vidconv.filter(picture, ["box", "unsharp"]).tobytes() == expected.tobytes()


def test_fewer_bits(frame_of):
    picture = frame_of("50x40", "gray10le", "--kernel", "identity").reshape(40, 50)
    expected = frame_of("50x40", "gray10le", "--kernel", "unsharp:amount=4")
    result = vidconv.filter(picture, "unsharp:amount=4", bits=10)
    assert result.tobytes() == expected.tobytes()
    assert result.max() <= 1023


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("view", [
    lambda a: a[5:30, 7:40], lambda a: a[::-1], lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[:, ::3], lambda a: a.T,
    lambda a: a[:1], lambda a: a[:, :1], lambda a: np.broadcast_to(a[0], a.shape), np.asfortranarray])
def test_strides(noise, dtype, view):
    picture = view(noise((64, 50), dtype))
    expected = vidconv.filter(np.array(picture, order="C"), "gaussian:sigma=1.5")
    assert np.array_equal(vidconv.filter(picture, "gaussian:sigma=1.5"), expected)
    room = view(noise((64, 50), dtype).copy()) if picture.flags.writeable else np.empty_like(expected)
    assert vidconv.filter(picture, "gaussian:sigma=1.5", out=room) is room
    assert np.array_equal(room, expected)


def test_strides_of_channels_and_planes(noise):
    picture = noise((20, 30, 4), np.uint8)
    expected = np.stack([vidconv.filter(picture[..., c].copy(), "sobel") for c in range(4)], axis=2)
    assert np.array_equal(vidconv.filter(picture, "sobel"), expected)
    assert np.array_equal(vidconv.filter(picture[:, :, :3], "sobel"), expected[:, :, :3])
    planes = picture.transpose(2, 0, 1)
    assert np.array_equal(vidconv.filter(planes, "sobel", planar=True), expected.transpose(2, 0, 1))
    stack = noise((8, 20, 30), np.uint16)
    assert np.array_equal(vidconv.filter(stack[::-2], "box", planar=True), vidconv.filter(stack, "box", planar=True)[::-2])


def test_only_the_samples_of_out_are_written(noise):
    picture, canvas = noise((10, 12), np.uint8), noise((30, 40), np.uint8)
    before = canvas.copy()
    vidconv.filter(picture, "box", out=canvas[5:15, 8:20])
    before[5:15, 8:20] = vidconv.filter(picture, "box")
    assert np.array_equal(canvas, before)


def test_input_is_read_only(noise):
    picture = noise((30, 30), np.uint8)
    before = picture.copy()
    picture.flags.writeable = False
    vidconv.filter(picture, "sobel")
    assert np.array_equal(picture, before)
    assert vidconv.filter(memoryview(before), "sobel").shape == (30, 30)


def test_nothing_is_copied():
    """The library gets the memory of the input and of `out`."""
    given = []

    class Plan:
        def run(self, *addresses):
            given.append(addresses)
    picture, out = np.zeros((2160, 3840), np.uint8), np.empty((2160, 3840), np.uint8)
    arrays = sys.modules["vidconv._arrays"]
    real, arrays.plan_of = arrays.plan_of, lambda *_: Plan()
    try:
        vidconv.filter(picture, "box", out=out)
    finally:
        arrays.plan_of = real
    assert given == [(picture.ctypes.data, 0, 3840, out.ctypes.data, 0, 3840, 0)]


@pytest.mark.parametrize("arguments, options, error, words", [
    ((np.zeros((4, 4), np.int32), "box"), {}, TypeError, "uint8, uint16, float16 or float32"),
    ((np.zeros((4, 4), ">u2"), "box"), {}, TypeError, "order of bytes"),
    ((np.zeros(4, np.uint8), "box"), {}, ValueError, r"\(rows, columns\)"),
    ((np.zeros((4, 0), np.uint8), "box"), {}, ValueError, "nothing"),
    ((np.zeros((4, 4), np.uint8), "box"), {"planar": True}, ValueError, "planar"),
    ((np.zeros((4, 4), np.uint8), "box"), {"bits": 10}, ValueError, "uint16"),
    ((np.zeros((4, 4), np.uint16), "box"), {"bits": 17}, vidconv.UsageError, "17"),
    ((np.zeros((4, 4), np.uint8), "box"), {"border": "sideways"}, vidconv.UsageError, "sideways"),
    ((np.zeros((4, 4), np.uint8), "box"), {"threads": -1}, vidconv.UsageError, "threads"),
    ((np.zeros((4, 4), np.uint8), []), {}, vidconv.UsageError, "there is no kernel"),
    ((np.zeros((4, 4), np.uint8), "box"), {"out": np.zeros((4, 5), np.uint8)}, ValueError, "shape"),
    ((np.zeros((4, 4), np.uint8), "box"), {"out": [1]}, TypeError, "list"),
])
def test_errors(arguments, options, error, words):
    with pytest.raises(error, match=words):
        vidconv.filter(*arguments, **options)


def test_errors_say_what_the_command_says():
    with pytest.raises(vidconv.UsageError) as caught:
        vidconv.filter(np.zeros((4, 4), np.uint8), "gaussian:sigme=2")
    error = caught.value
    assert (error.kind, error.status, error.frame, error.stats) == ("filter-spec", 2, None, None)
    assert error.column is not None and error.column > 1
    assert isinstance(error, ValueError) and isinstance(error, vidconv.Error)
    assert "sigma" in str(error) and str(error).endswith("[filter-spec]")


def test_out_may_not_be_the_input(noise):
    picture = noise((16, 16), np.uint8)
    before = picture.copy()
    with pytest.raises(vidconv.UsageError, match="overlap"):
        vidconv.filter(picture, "box", out=picture)
    assert np.array_equal(picture, before)
    locked = np.zeros((16, 16), np.uint8)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        vidconv.filter(picture, "box", out=locked)


def test_a_kernel_file_is_read_each_time(tmp_path, noise):
    picture, file = noise((16, 16), np.uint8), tmp_path / "kernel.txt"
    file.write_text("0 0 0\n0 1 0\n0 0 0\n")
    assert np.array_equal(vidconv.filter(picture, f"file:{file}"), picture)
    file.write_text("0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 1 0\n")
    assert not np.array_equal(vidconv.filter(picture, f"file:{file}"), picture)


@pytest.mark.parametrize("key", ["mask", "MASK"])
def test_a_mask_is_read_each_time(tmp_path, noise, key):
    picture, file = noise((16, 16), np.uint8), tmp_path / "mask.pgm"
    kernel = f"fill:white:{key}={file}"

    def filtered(inside):
        levels = np.zeros((16, 16), np.uint8)
        levels[inside] = 255
        file.write_bytes(b"P5 16 16 255\n" + levels.tobytes())
        return np.argwhere(vidconv.filter(np.zeros_like(picture), kernel) == 255).tolist()

    assert filtered((2, 3)) == [[2, 3]]
    assert filtered((9, 8)) == [[9, 8]]


def test_other_threads_run_meanwhile(noise):
    picture = noise((1500, 2000), np.float32)
    turns, done = [], threading.Event()

    def count():
        while not done.is_set():
            turns.append(0)
            time.sleep(0.0005)
    kernel = "disk:radius=12"
    vidconv.filter(picture, kernel, threads=1)
    thread = threading.Thread(target=count)
    thread.start()
    before = len(turns)
    vidconv.filter(picture, kernel, threads=1)
    meanwhile = len(turns) - before
    done.set()
    thread.join()
    assert meanwhile > 1


def test_many_threads_at_once(noise):
    pictures = [noise((64, 64), np.uint8) for _ in range(4)]
    expected = [vidconv.filter(p, "gaussian:sigma=3") for p in pictures]
    wrong = []

    def work(i):
        for _ in range(50):
            if not np.array_equal(vidconv.filter(pictures[i], "gaussian:sigma=3"), expected[i]):
                wrong.append(i)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_kept(noise):
    picture = noise((30, 30), np.uint8)
    out = np.empty_like(picture)
    before = sys.getrefcount(picture), sys.getrefcount(out)
    for _ in range(10):
        vidconv.filter(picture, "box", out=out)
    gc.collect()
    assert (sys.getrefcount(picture), sys.getrefcount(out)) == before


def print_overhead():
    """Not a test: python3 -c 'import test_arrays; test_arrays.print_overhead()' prints the cost of a call."""
    picture = np.zeros((1, 1), np.uint8)
    out = np.empty_like(picture)
    best = min(timeit.repeat(lambda: vidconv.filter(picture, "box", out=out, threads=1), number=200, repeat=50)) / 200
    print(f"a call of 1x1: {best * 1e6:.1f} us")
