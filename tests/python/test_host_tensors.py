"""vidconv.filter of tensors in the host's memory: they come back as tensors of their library."""
import numpy as np
import pytest

import vidconv


class Tensor:
    """What the array libraries of Python have in common."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        del dtype, copy
        return self.array

    def __array_namespace__(self):
        return Library


class Library:
    @staticmethod
    def from_dlpack(array):
        return Tensor(np.from_dlpack(array))


class Elsewhere(Tensor):
    """A tensor on a device of which nothing is known here."""

    def __dlpack_device__(self):
        return (8, 0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float16, np.float32])
@pytest.mark.parametrize("options", [{}, {"layout": "hwc"}, {"planes": 1}, {"axis": 0, "layout": "hw"}], ids=str)
def test_come_back_as_tensors(noise, dtype, options):
    array = noise((12, 30, 4), dtype)
    kernel = "time:1 2 1:scale=auto" if "axis" in options else "gaussian:sigma=2"
    result = vidconv.filter(Tensor(array), kernel, **options)
    assert type(result) is Tensor
    assert result.array.tobytes() == vidconv.filter(array, kernel, **options).tobytes()


def test_out_is_written_and_returned(noise):
    array, room = noise((12, 30), np.uint8), Tensor(np.zeros((12, 30), np.uint8))
    assert vidconv.filter(Tensor(array), "sobel", out=room) is room
    assert room.array.tobytes() == vidconv.filter(array, "sobel").tobytes()
    arrays_room = np.zeros((12, 30), np.uint8)
    assert vidconv.filter(Tensor(array), "sobel", out=arrays_room) is arrays_room
    assert arrays_room.tobytes() == room.array.tobytes()


def test_those_of_other_devices_are_arrays_if_numpy_takes_them(noise):
    array = noise((12, 30), np.uint8)
    assert type(vidconv.filter(Elsewhere(array), "box")) is np.ndarray


def test_jax(noise):
    jax = pytest.importorskip("jax")
    array = noise((12, 30, 3), np.float32)
    result = vidconv.filter(jax.numpy.asarray(array), "unsharp")
    assert isinstance(result, jax.Array)
    assert np.asarray(result).tobytes() == vidconv.filter(array, "unsharp").tobytes()
    with pytest.raises(ValueError, match="read-only"):
        vidconv.filter(array, "box", out=np.asarray(jax.numpy.asarray(array)))


def test_torch(noise):
    torch = pytest.importorskip("torch")
    array = noise((12, 30, 3), np.uint8)
    result = vidconv.filter(torch.from_numpy(array), "unsharp")
    assert isinstance(result, torch.Tensor)
    assert result.numpy().tobytes() == vidconv.filter(array, "unsharp").tobytes()
