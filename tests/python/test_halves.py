"""vidconv.filter of half floats: what floats give, rounded to the nearest half."""
import numpy as np
import pytest

import vidconv

KERNELS = ["gaussian:sigma=2", "sobel", "box:size=9", "matrix:0 -1 0;-1 5 -1;0 -1 0", "random:1,5x7"]


def rounded(array, kernel, **more):
    return vidconv.filter(array.astype(np.float32), kernel, **more).astype(np.float16)


def halves(shape, seed):
    """Returns halves of all sizes: normal ones, subnormal ones and large ones."""
    random = np.random.default_rng(seed)
    numbers = random.standard_normal(shape) * random.choice([1, 1e-5, 1e-7, 3000], shape)
    return numbers.astype(np.float16)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape, layout", [((41, 67), "hw"), ((9, 30, 3), "hwc"), ((5, 12, 40), "chw"), ((2, 9, 8, 3), "nhwc"),
                                           ((2, 4, 9, 33), "nchw")])
def test_are_filtered_as_floats(kernel, shape, layout):
    array = halves(shape, 1)
    before = array.copy()
    result = vidconv.filter(array, kernel, layout=layout, border="wrap")
    assert result.dtype == np.float16
    assert result.tobytes() == rounded(array, kernel, layout=layout, border="wrap").tobytes()
    assert array.tobytes() == before.tobytes()


def test_every_size():
    for size in range(1, 41):
        array = halves((size, size * 17 % 40 + 1), size)
        for threads in (1, 2):
            assert vidconv.filter(array, "unsharp", threads=threads).tobytes() == rounded(array, "unsharp").tobytes()


@pytest.mark.parametrize("view", [lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[3:20, 5:31], lambda a: a.T])
def test_strides(view):
    array, room = view(halves((50, 64), 2)), view(halves((50, 64), 3))
    assert vidconv.filter(array, "box", out=room) is room
    assert np.array_equal(room, rounded(np.array(array), "box"))


def test_over_time_and_in_places():
    video = halves((9, 20, 30), 4)
    for kernel in ("time:1 2 3:scale=auto", "time-box:size=8", ["time-exp:decay=0.5", "box"]):
        assert vidconv.filter(video, kernel, axis=0).tobytes() == rounded(video, kernel, axis=0).tobytes()
    picture = video[0]
    blurred = vidconv.filter(picture, "box", regions=(5, 5, 10, 10))
    assert blurred.tobytes() == rounded(picture, "box", regions=(5, 5, 10, 10)).tobytes()


def test_a_copy_copies():
    """Outside of regions every bit stays, those of NaNs too."""
    every = np.arange(65536, dtype=np.uint16).view(np.float16).reshape(256, 256)
    result = vidconv.filter(every, "box", regions=(0, 0, 1, 1))
    assert np.array_equal(result.view(np.uint16).ravel()[1:], every.view(np.uint16).ravel()[1:])


def test_too_large_numbers_are_infinite():
    large = np.full((4, 4), 60000, np.float16)
    assert np.isposinf(vidconv.filter(large, "matrix:2")).all()


def test_linear_light_is_refused():
    with pytest.raises(ValueError, match="linear=True with float16"):
        vidconv.filter(np.zeros((4, 4, 3), np.float16), "box", linear=True)
