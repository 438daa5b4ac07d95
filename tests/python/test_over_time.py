"""vidconv.filter with axis=: the command's bytes for pictures that follow each other, whatever the array's layout."""
import numpy as np
import pytest

import vidconv

CHAINS = ["time:1 2 1:scale=auto", "time-box:size=9:border=shrink", ["sobel", "time-exp:decay=0.6", "box"],
          ["time:1 1:scale=auto:border=reflect", "time:-1 0 1:abs=1"], "time-box:size=4:every=3:phase=1",
          "volume:0 1 0;1 2 1;0 1 0|1 1 1;1 1 1;1 1 1:scale=auto", "gaussian"]


def kernel_words(chain):
    return [word for kernel in ([chain] if isinstance(chain, str) else chain) for word in ("--kernel", kernel)]


@pytest.fixture
def video_of(command):
    """Returns the frames of the built-in pattern, filtered by the command."""
    def make(size, pixel_format, frames, dtype, *options):
        data = command(f"pattern:{size}:{pixel_format}#{frames}", "-o", "-", "--format", "raw", "-q", *options)
        return np.frombuffer(data, dtype)
    return make


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("pixel_format, shape, dtype, planar", [
    ("gray", (20, 31), np.uint8, False), ("rgb24", (20, 31, 3), np.uint8, False), ("gray16le", (20, 31), np.uint16, False),
    ("gbrp", (3, 20, 31), np.uint8, True), ("gbrpf32le", (3, 20, 31), np.float32, True)])
def test_the_bytes_of_the_command(video_of, chain, pixel_format, shape, dtype, planar):
    words = [*kernel_words(chain), "--planes", "all"]
    for frames in (1, 11):
        if frames == 1 and "every=" in str(chain):
            continue
        video = video_of("31x20", pixel_format, frames, dtype, "--kernel", "identity").reshape(frames, *shape)
        expected = video_of("31x20", pixel_format, frames, dtype, *words).reshape(-1, *shape)
        result = vidconv.filter(video, chain, axis=0, planar=planar)
        assert result.dtype == dtype and result.shape == expected.shape
        assert result.tobytes() == expected.tobytes()


def test_any_axis_counts_pictures_and_any_layout_is_taken(noise):
    video = noise((9, 12, 15, 3), np.uint8)
    kernel = "time:1 2 3:scale=auto:anchor=0"
    expected = vidconv.filter(video, kernel, axis=0)
    for view in (lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[:, :, ::2], lambda a: a[:, :, :, :1], lambda a: a[1::2, 3:]):
        assert np.array_equal(vidconv.filter(view(video), kernel, axis=0), vidconv.filter(view(video).copy(), kernel, axis=0))
    for axis in (1, 2, 3, -1):
        moved = np.moveaxis(video, 0, axis)
        assert np.array_equal(vidconv.filter(moved, kernel, axis=axis), np.moveaxis(expected, 0, axis))
        room = np.empty_like(moved)
        assert vidconv.filter(moved, kernel, axis=axis, out=room) is room
        assert np.array_equal(room, np.moveaxis(expected, 0, axis))


def test_numpy_agrees(noise):
    video = noise((12, 5, 7), np.uint16).astype(np.int64)
    padded = np.concatenate([video[:1]] * 3 + [video] + [video[-1:]] * 3)
    mean = (2 * sum(padded[k:k + 12] for k in range(7)) + 7) // 14
    assert np.array_equal(vidconv.filter(video.astype(np.uint16), "time-box:size=7", axis=0), mean)


def test_what_cannot_be_is_refused(noise):
    video = noise((4, 6, 6), np.uint8)
    with pytest.raises(vidconv.UsageError, match="over time"):
        vidconv.filter(video[0], "time:1 2 1")
    for axis in (3, -4):
        with pytest.raises(ValueError, match="no such dimension"):
            vidconv.filter(video, "box", axis=axis)
    with pytest.raises(ValueError, match="nothing in it"):
        vidconv.filter(video[:0], "box", axis=0)
    with pytest.raises(ValueError, match="shape"):
        vidconv.filter(video[0], "box", axis=0)
    with pytest.raises(ValueError, match="counted by dimension 0"):
        vidconv.filter(video, "time-box:every=2", axis=0, out=np.empty_like(video))
    with pytest.raises(ValueError, match="shares memory"):
        vidconv.filter(video, "box", axis=0, out=video)
    with pytest.raises(TypeError, match="torch or cupy"):
        vidconv.filter(type("Tensor", (), {"__cuda_array_interface__": {}})(), "time:1 1", axis=0)
    assert vidconv.filter(video, "time-box:every=9:phase=5", axis=0).shape == (0, 6, 6)
