"""vidconv.filter: which axis is which, and what else a call may say of an array."""
import numpy as np
import pytest

import vidconv


@pytest.mark.parametrize("shape", [(3, 48, 64), (1, 48, 64), (48, 64, 5), (8, 20, 30)])
def test_more_than_four_channels_are_refused_unless_asked_for(noise, shape):
    picture = noise(shape, np.uint8)
    with pytest.raises(ValueError, match=rf"{shape[2]} channels.*layout='chw'"):
        vidconv.filter(picture, "box")
    assert vidconv.filter(picture, "box", layout="hwc").shape == shape
    assert vidconv.filter(picture, "box", layout="chw").shape == shape


def test_layouts_of_one_picture(noise):
    picture = noise((20, 30, 3), np.uint8)
    expected = vidconv.filter(picture, "sobel")
    assert np.array_equal(vidconv.filter(picture, "sobel", layout="hwc"), expected)
    planes = np.ascontiguousarray(picture.transpose(2, 0, 1))
    for options in ({"layout": "chw"}, {"planar": True}, {"layout": "chw", "planar": True}):
        assert np.array_equal(vidconv.filter(planes, "sobel", **options), expected.transpose(2, 0, 1))
    assert np.array_equal(vidconv.filter(picture[..., 0], "sobel", layout="hw"), expected[..., 0])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_layouts_of_several_pictures(noise, dtype):
    pictures = noise((4, 20, 30, 3), dtype)
    expected = np.stack([vidconv.filter(picture, "gaussian:sigma=1") for picture in pictures])
    assert np.array_equal(vidconv.filter(pictures, "gaussian:sigma=1", layout="nhwc"), expected)
    first = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
    out = np.empty_like(first)
    assert vidconv.filter(first, "gaussian:sigma=1", layout="nchw", out=out) is out
    assert np.array_equal(out, expected.transpose(0, 3, 1, 2))
    grey = np.ascontiguousarray(pictures[..., 0])
    assert np.array_equal(vidconv.filter(grey, "gaussian:sigma=1", layout="nhw"), expected[..., 0])


@pytest.mark.parametrize("shape, options, words", [
    ((2, 3, 4, 3), {}, "layout='nhwc'"), ((4, 4), {"layout": "chw"}, "2 axes"), ((4, 4, 3), {"layout": "whc"}, "hw, hwc, chw"),
    ((3, 4, 4), {"layout": "hwc", "planar": True}, "planar=True"), ((0, 4, 4, 3), {"layout": "nhwc"}, "nothing"),
    ((4, 4), {"layout": "nchw"}, "2 axes"), ((4,), {}, r"\(rows, columns\)")])
def test_layouts_that_make_no_sense(shape, options, words):
    with pytest.raises(ValueError, match=words):
        vidconv.filter(np.zeros(shape, np.uint8), "box", **options)


@pytest.mark.parametrize("planes", [0, -1, [0, 2], (1,), [2, 0, 2]])
def test_chosen_channels(noise, planes):
    picture = noise((20, 30, 3), np.uint8)
    whole = vidconv.filter(picture, "sobel")
    expected = picture.copy()
    at = np.atleast_1d(planes)
    expected[..., at] = whole[..., at]
    assert np.array_equal(vidconv.filter(picture, "sobel", planes=planes), expected)
    first = np.ascontiguousarray(picture.transpose(2, 0, 1))
    assert np.array_equal(vidconv.filter(first, "sobel", planes=planes, layout="chw"), expected.transpose(2, 0, 1))
    several = np.stack([picture, picture])
    out = np.empty_like(several)
    assert vidconv.filter(several, "sobel", planes=planes, layout="nhwc", out=out) is out
    assert np.array_equal(out, np.stack([expected, expected]))


@pytest.mark.parametrize("planes", [3, [-4], [], ["r"], "luma", [0.5]])
def test_channels_that_there_are_not(planes):
    with pytest.raises(ValueError, match="3"):
        vidconv.filter(np.zeros((4, 4, 3), np.uint8), "box", planes=planes)


def test_regions(frame_of):
    picture = frame_of("64x48", "rgb24", "--kernel", "identity").reshape(48, 64, 3)
    expected = frame_of("64x48", "rgb24", "--kernel", "box:size=9:region=4,5,20,10;25%,50%,10,10")
    assert vidconv.filter(picture, "box:size=9", regions=[(4, 5, 20, 10), ("25%", "50%", 10, 10)]).tobytes() == expected.tobytes()
    one = vidconv.filter(picture, [[0, 1, 0], [1, -4, 1], [0, 1, 0]], regions=(4, 5, 20, 10))
    assert np.array_equal(one[:5], picture[:5]) and not np.array_equal(one[5:15, 4:24], picture[5:15, 4:24])
    for wrong in ([], [(1, 2, 3)], ["0,0,4,4"], [(0, 0, 1000, 4)]):
        with pytest.raises(ValueError):
            vidconv.filter(picture, "box", regions=wrong)
    with pytest.raises(TypeError, match="no frame of a video"):
        vidconv.filter(picture, "box", regions="faces.jsonl")


@pytest.mark.parametrize("pixel_format, shape", [("gray", (48, 64)), ("rgb24", (48, 64, 3)), ("gray16le", (48, 64)),
                                                 ("gbrp", (3, 48, 64))])
def test_linear_light(frame_of, pixel_format, shape):
    picture = frame_of("64x48", pixel_format, "--kernel", "identity").reshape(shape)
    expected = frame_of("64x48", pixel_format, "--kernel", "gaussian:sigma=2", "--linear")
    layout = "chw" if shape[0] == 3 else None
    result = vidconv.filter(picture, "gaussian:sigma=2", linear=True, layout=layout)
    assert result.tobytes() == expected.tobytes()
    assert not np.array_equal(result, vidconv.filter(picture, "gaussian:sigma=2", layout=layout))


@pytest.mark.parametrize("array, words", [(np.zeros((4, 4), np.float32), "floats"), (np.zeros((4, 4, 5), np.uint8), "5 channels"),
                                          (np.zeros((2, 4, 4), np.uint8), "2 channels")])
def test_linear_light_that_makes_no_sense(array, words):
    with pytest.raises(ValueError, match=words):
        vidconv.filter(array, "box", linear=True, layout="hw" if array.ndim == 2 else "hwc" if array.shape[2] == 5 else "chw")


def test_devices(noise):
    picture = noise((20, 30), np.uint8)
    assert np.array_equal(vidconv.filter(picture, "box", device="cpu"), vidconv.filter(picture, "box"))
    if vidconv.cuda_devices() == 0:
        for device in ("cuda", "cuda:0"):
            with pytest.raises(vidconv.DeviceError):
                vidconv.filter(picture, "box", device=device)
    else:
        assert np.array_equal(vidconv.filter(picture, "box", device="cuda"), vidconv.filter(picture, "box"))
    with pytest.raises(vidconv.UsageError, match="auto"):
        vidconv.filter(picture, "box", device="auto")


def test_kernels_of_numbers(noise):
    picture = noise((20, 30), np.uint8)
    expected = vidconv.filter(picture, "matrix:0 -1 0;-1 5 -1;0 -1 0")
    rows = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]
    for kernel in (rows, np.array(rows), np.array(rows, np.float32), np.array(rows, np.int8), tuple(map(tuple, rows)),
                   [np.array(row) for row in rows], [np.array(rows)], [rows]):
        assert np.array_equal(vidconv.filter(picture, kernel), expected), kernel
    row = vidconv.filter(picture, "matrix:0.25 0.5 0.25")
    for kernel in ([0.25, 0.5, 0.25], np.array([0.25, 0.5, 0.25]), np.array([[0.25, 0.5, 0.25]])):
        assert np.array_equal(vidconv.filter(picture, kernel), row)
    third = np.full((3, 3), 1 / 9)
    assert np.array_equal(vidconv.filter(picture, third), vidconv.filter(picture, ";".join(["0.1111111111111111 " * 3] * 3)
                                                                         .join(["matrix:", ""])))
    tiny = [[1e-7, 1.0], [1e-7, 0.0]]
    assert vidconv.filter(picture, tiny).shape == picture.shape
    chain = vidconv.filter(vidconv.filter(picture, "box"), rows)
    assert np.array_equal(vidconv.filter(picture, ["box", rows]), chain)
    assert np.array_equal(vidconv.filter(picture, ["box", np.array(rows)]), chain)
    assert np.array_equal(vidconv.filter(picture, [[[1, 2, 1]], rows]), vidconv.filter(vidconv.filter(picture, [1, 2, 1]), rows))


def test_a_kernel_of_opencv(noise):
    cv2 = pytest.importorskip("cv2")
    picture = noise((40, 50, 3), np.uint8)
    kernel = np.array([[0, -1, 0], [-1, 5, -2], [0, -1, 0]])
    assert np.array_equal(vidconv.filter(picture, kernel), cv2.filter2D(picture, -1, kernel))


@pytest.mark.parametrize("kernel, error, words", [
    ([[1, 2], [1]], ValueError, "rows of 1 and 2"), (np.zeros((2, 2, 2)), ValueError, "shape"), (np.zeros((0, 3)), ValueError, "without"),
    ([[float("nan")]], ValueError, "finite"), (np.array([[True]]), TypeError, "bool"), (np.array([["a"]]), TypeError, "numbers"),
    (3, TypeError, "int"), ({"sigma": 2}, TypeError, "dict"), ([["box"]], TypeError, "list"), (None, TypeError, "NoneType"),
    (np.array([[1j]]), TypeError, "complex")])
def test_kernels_that_make_no_sense(kernel, error, words):
    with pytest.raises(error, match=words):
        vidconv.filter(np.zeros((4, 4), np.uint8), kernel)


def test_a_kernel_in_a_file(tmp_path, noise):
    picture, file = noise((16, 16), np.uint8), tmp_path / "kernel.txt"
    file.write_text("0 1 0\n1 -4 1\n0 1 0\n")
    expected = vidconv.filter(picture, f"file:{file}")
    assert np.array_equal(vidconv.filter(picture, file), expected)
    assert np.array_equal(vidconv.filter(picture, ["box", file]), vidconv.filter(vidconv.filter(picture, "box"), file))


@pytest.mark.parametrize("border, words", [(4, "OpenCV's BORDER_REFLECT_101 is 'reflect101'"), (1, "'replicate'"), (0, "'zero'"),
                                           (99, "'constant:V'"), (("constant", 1), "'constant:V'"), (1.5, "name"), (False, "name")])
def test_borders_have_names(border, words):
    for call in (lambda: vidconv.filter(np.zeros((4, 4), np.uint8), "box", border=border),
                 lambda: vidconv.run("pattern:64x48#1", "null:", kernel="box", border=border)):
        with pytest.raises(TypeError, match=words):
            call()
