"""Compares with OpenCV and SciPy, if they are installed: results differ by one code at most."""
import numpy as np
import pytest

import vidconv

BORDERS = {"reflect101": ("mirror", "BORDER_REFLECT_101"), "reflect": ("reflect", "BORDER_REFLECT"),
           "replicate": ("nearest", "BORDER_REPLICATE"), "wrap": ("wrap", None), "zero": ("constant", "BORDER_CONSTANT")}
MATRIX = np.array([[0, -1, 0.5], [-1, 5, -1], [0.25, -1, 0]])


def codes(real, dtype):
    """Returns real numbers as samples: rounded once, ties upward, clamped to the type's range."""
    if dtype == np.float32:
        return real
    return np.clip(np.floor(real + 0.5), 0, np.iinfo(dtype).max)


def far(ours, theirs, dtype):
    unit = 1e-6 if dtype == np.float32 else 1
    return np.abs(ours.astype(np.float64) - codes(theirs, dtype)).max() / unit


def spec(matrix):
    return "matrix:" + ";".join(" ".join(repr(float(w)) for w in row) for row in matrix)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("border", BORDERS)
def test_scipy(noise, dtype, border):
    ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
    picture = noise((48, 65), dtype)
    real, mode = picture.astype(np.float64), BORDERS[border][0]
    theirs = ndimage.correlate(real, MATRIX, mode=mode)
    assert far(vidconv.filter(picture, spec(MATRIX), border=border), theirs, dtype) <= (3 if dtype == np.float32 else 1)
    theirs = ndimage.gaussian_filter(real, 1.5, radius=5, mode=mode)
    assert far(vidconv.filter(picture, "gaussian:sigma=1.5", border=border), theirs, dtype) <= 1
    both = np.hypot(ndimage.sobel(real, 0, mode=mode), ndimage.sobel(real, 1, mode=mode))
    assert far(vidconv.filter(picture, "sobel", border=border), both, dtype) <= (9 if dtype == np.float32 else 1)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("border", [b for b in BORDERS if BORDERS[b][1]])
@pytest.mark.parametrize("channels", [1, 3])
def test_opencv(noise, dtype, border, channels):
    cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
    picture = noise((48, 65, channels), dtype)
    real, mode = picture.astype(np.float64), getattr(cv2, BORDERS[border][1])

    def shaped(result):
        return result.reshape(picture.shape)
    theirs = shaped(cv2.filter2D(real, -1, MATRIX, borderType=mode))
    assert far(vidconv.filter(picture, spec(MATRIX), border=border), theirs, dtype) <= (3 if dtype == np.float32 else 1)
    theirs = shaped(cv2.GaussianBlur(real, (11, 11), 1.5, borderType=mode))
    assert far(vidconv.filter(picture, "gaussian:sigma=1.5", border=border), theirs, dtype) <= 1
    across, down = (shaped(cv2.Sobel(real, cv2.CV_64F, *d, borderType=mode)) for d in ((1, 0), (0, 1)))
    assert far(vidconv.filter(picture, "sobel", border=border), np.hypot(across, down), dtype) <= (
        9 if dtype == np.float32 else 1)


def test_other_programs_read_what_a_writer_wrote(tmp_path, noise):
    av = pytest.importorskip("av", reason="PyAV is not installed")
    pictures = [noise((48, 64), np.uint8) for _ in range(3)]
    file = tmp_path / "a.mkv"
    with vidconv.Writer(file, vidconv.Video("gray", 64, 48, 25), codec="ffv1") as writer:
        for picture in pictures:
            writer.write(picture)
    with av.open(str(file)) as container:
        read = [frame.to_ndarray() for frame in container.decode(video=0)]
    assert all(np.array_equal(a, b) for a, b in zip(read, pictures)) and len(read) == 3
