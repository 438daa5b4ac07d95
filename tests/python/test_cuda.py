"""Tests tensors on a CUDA device with a double of torch: which addresses, device and stream reach the library. The
device's results are tested where there is one (tests/api, and test_tensors.py with torch itself)."""
import sys
import types

import numpy as np
import pytest

import vidconv


class Device:
    index = 3

    def __eq__(self, other):
        return isinstance(other, Device)


class Tensor:
    """A tensor of torch, as far as vidconv uses it; its memory is the host's, and nothing reads its address."""

    device = Device()

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    @property
    def ndim(self):
        return self.array.ndim

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        return Tensor(self.array[index])

    def __iter__(self):
        return map(Tensor, self.array)

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__array_interface__, "version": 2}


class Described(Tensor):
    """A tensor of torch that is described by its own members."""

    is_cuda, requires_grad, layout = True, False, "strided"

    def __init__(self, array, dtype):
        super().__init__(array)
        self.dtype = dtype

    @property
    def __cuda_array_interface__(self):
        raise AssertionError("asked for what takes long")

    def is_neg(self):
        return False

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def data_ptr(self):
        return self.array.ctypes.data


Tensor.__module__ = Described.__module__ = "torch"


@pytest.fixture
def runs(monkeypatch):
    """Records the arguments of every run instead of running."""
    torch = types.ModuleType("torch")
    torch.empty = lambda shape, dtype, device: Tensor(np.empty(shape, dtype))
    torch.strided = "strided"
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=4711))
    monkeypatch.setitem(sys.modules, "torch", torch)
    seen = []

    def plan(kernels, layout, width, height, border, device, host, threads, linear):
        assert not host
        return types.SimpleNamespace(run=lambda *arguments: seen.append((kernels, layout, width, height, device, arguments)))
    monkeypatch.setattr(sys.modules["vidconv._arrays"], "plan_of", plan)
    return seen


def test_addresses_device_and_stream(runs):
    tensor, out = Tensor(np.zeros((3, 8, 10), np.float32)), Tensor(np.zeros((3, 8, 10), np.float32))
    assert vidconv.filter(tensor, "sobel", planar=True, out=out) is out
    addresses = (tensor.array.ctypes.data, 320, 40, out.array.ctypes.data, 320, 40, 4711)
    assert runs == [(("sobel",), "f32p3", 10, 8, "cuda:3", addresses)]


@pytest.mark.parametrize("name, dtype", [("u8", np.uint8), ("u16", np.uint16), ("f32", np.float32)])
def test_members_say_the_same(runs, name, dtype):
    tensor, out = (Described(np.zeros((8, 12), dtype)[:, 2:7], f"torch.{np.dtype(dtype).name}") for _ in range(2))
    assert vidconv.filter(tensor, "box", out=out) is out
    row = 12 * np.dtype(dtype).itemsize
    addresses = (tensor.data_ptr(), 0, row, out.data_ptr(), 0, row, 4711)
    assert runs == [(("box",), name, 5, 8, "cuda:3", addresses)]


def test_a_new_tensor_comes_back(runs):
    result = vidconv.filter(Tensor(np.zeros((8, 10), np.uint8)[:, 2:7]), "box")
    assert isinstance(result, Tensor) and result.shape == (8, 5)
    assert runs[0][1:5] == ("u8", 5, 8, "cuda:3") and runs[0][5][2] == 10 and runs[0][5][5] == 5


def test_what_is_refused(runs):
    tensor = Tensor(np.zeros((8, 10), np.uint8))
    with pytest.raises(ValueError, match="contiguous"):
        vidconv.filter(Tensor(np.zeros((8, 10), np.uint8)[:, ::2]), "box")
    for out in (Tensor(np.zeros((8, 11), np.uint8)), Tensor(np.zeros((8, 10), np.uint16)), np.zeros((8, 10), np.uint8)):
        with pytest.raises(ValueError, match="out is not"):
            vidconv.filter(tensor, "box", out=out)
    stranger = type("Stranger", (Tensor,), {"__module__": "elsewhere"})
    with pytest.raises(TypeError, match="torch or cupy"):
        vidconv.filter(stranger(np.zeros((8, 10), np.uint8)), "box")
    assert not runs


def test_layouts_and_devices_of_tensors(runs):
    with pytest.raises(ValueError, match="10 channels"):
        vidconv.filter(Tensor(np.zeros((3, 8, 10), np.uint8)), "box")
    with pytest.raises(ValueError, match="the tensor lies on cuda:3"):
        vidconv.filter(Tensor(np.zeros((8, 10), np.uint8)), "box", device="cuda:0")
    batch = Tensor(np.zeros((2, 3, 8, 10), np.float32))
    result = vidconv.filter(batch, "box", layout="nchw", device="cuda:3")
    assert isinstance(result, Tensor) and result.shape == batch.shape
    assert [run[1:5] for run in runs] == [("f32p6", 10, 8, "cuda:3")]
    assert runs[0][5][:3] == (batch.array.ctypes.data, 320, 40) and runs[0][5][3:6] == (result.array.ctypes.data, 320, 40)


def test_pictures_of_a_batch_are_filtered_together(runs, monkeypatch):
    from vidconv import _arrays
    monkeypatch.setattr(_arrays, "_BYTES_TOGETHER", 2000)  # two pictures of 3 * 80 floats
    def places(batch, layout, **more):
        del runs[:]
        vidconv.filter(batch, "box", layout=layout, **more)
        return [(run[1], run[5][0] - batch.array.ctypes.data, run[5][1]) for run in runs]
    batch = np.zeros((5, 3, 8, 10), np.float32)
    assert places(Tensor(batch), "nchw") == [("f32p6", 0, 320), ("f32p6", 1920, 320), ("f32p3", 3840, 320)]
    assert places(Tensor(batch[:, :1]), "nchw") == [("f32p5", 0, 960)]
    assert places(Tensor(batch[:1]), "nchw") == [("f32p3", 0, 320)]
    assert places(Tensor(batch[:, 0]), "nhw") == [("f32p5", 0, 960)]
    # Planes that are not evenly apart, components side by side, and colours that make light stay pictures.
    assert places(Tensor(batch[:, :2]), "nchw") == [("f32p2", 960 * i, 320) for i in range(5)]
    assert places(Tensor(np.zeros((2, 8, 10, 3), np.uint8)), "nhwc") == [("u8x3", 240 * i, 0) for i in range(2)]
    assert [of for of, *_ in places(Tensor(np.zeros((2, 3, 8, 10), np.uint8)), "nchw", linear=True)] == ["gbrp"] * 2


def test_a_device_that_is_not_there():
    if vidconv.cuda_devices() > 3:
        pytest.skip("there is such a device")
    torch = types.ModuleType("torch")
    torch.empty = lambda shape, dtype, device: Tensor(np.empty(shape, dtype))
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=0))
    real, sys.modules["torch"] = sys.modules.get("torch"), torch
    try:
        with pytest.raises(vidconv.DeviceError):
            vidconv.filter(Tensor(np.zeros((8, 10), np.uint8)), "box")
    finally:
        del sys.modules["torch"]
        if real:
            sys.modules["torch"] = real


@pytest.fixture
def windows(runs, monkeypatch):
    """Records the arguments of every run of a window instead of running."""
    sys.modules["torch"].moveaxis = lambda tensor, source, target: Tensor(np.moveaxis(tensor.array, source, target))
    seen = []

    def plan(kernels, layout, width, height, border, device, host, threads, linear):
        about = layout, width, height, device, host
        return types.SimpleNamespace(reach=(1, 1, 1, 0), run_window=lambda *arguments: seen.append((*about, arguments)))
    monkeypatch.setattr("vidconv._over_time.new_plan", plan)
    return seen


def test_windows_of_tensors(windows):
    tensor, out = (Tensor(np.zeros((8, 3, 10), np.uint16)) for _ in range(2))
    assert vidconv.filter(tensor, "time:1 1 1", axis=1, out=out) is out
    at, to = tensor.array.ctypes.data, out.array.ctypes.data
    assert windows == [("u16", 10, 8, "cuda:3", False, (n, 0, min(3, n + 2), n > 0, at, 20, 0, 60, to + 20 * n, 0, 60, 4711))
                       for n in range(3)]
    result = vidconv.filter(tensor, "time:1 1 1", axis=1, device="cuda")
    assert isinstance(result, Tensor) and result.shape == (8, 3, 10)


def test_windows_of_arrays_on_a_device(windows):
    assert vidconv.filter(np.zeros((2, 8, 10), np.uint8), "time:1 1 1", axis=0, device="cuda").shape == (2, 8, 10)
    assert [(*run[:5], run[5][:4], run[5][-1]) for run in windows] == [
        ("u8", 10, 8, "cuda:0", True, (n, 0, 2, n > 0), 0) for n in range(2)]


def test_what_windows_refuse(windows):
    tensor = Tensor(np.zeros((4, 8, 10), np.uint8))
    for call, error, words in (
            (lambda: vidconv.filter(tensor, "box", axis=0, device="cpu"), ValueError, "lies on cuda:3"),
            (lambda: vidconv.filter(tensor, "box", axis=0, out=np.zeros((4, 8, 10), np.uint8)), ValueError, "type and device"),
            (lambda: vidconv.filter(tensor, "box", axis=0, out=Tensor(np.zeros((3, 8, 10), np.uint8))), ValueError,
             "out is of shape"),
            (lambda: vidconv.filter(tensor, "box", axis=0, out=Tensor(tensor.array[::-1])), ValueError, "shares memory"),
            (lambda: vidconv.filter(Tensor(np.zeros((4, 8, 10))), "box", axis=0), TypeError, "float32"),
            (lambda: vidconv.filter(Tensor(np.zeros((4, 8, 20), np.uint8)[:, :, ::2]), "box", axis=0), ValueError,
             "contiguous")):
        with pytest.raises(error, match=words):
            call()
    assert not windows


class CoreFrame:
    """A frame of the library on a device, as far as planes use it; its memory is the host's."""

    on_device, device, width = True, 3, 4

    def __init__(self):
        self.calls, self.array = [], np.zeros((2, 16), np.uint16)

    def planes(self):
        return [(self.array.ctypes.data, 32, 24, 2)]

    def dlpack(self, *arguments):
        self.calls.append(arguments)
        return "a capsule"

    def used_on(self, stream):
        self.calls.append(stream)


def test_planes_on_a_device_go_out_by_dlpack():
    """None and 0 are the default stream, whose address is 1; with -1 the program keeps the order by itself."""
    core = CoreFrame()
    plane = vidconv.DevicePlane(core, 0, np.dtype("<u2"), (2, 4, 3), 32)
    assert plane.__dlpack_device__() == (2, 3) and plane.device == "cuda:3" and "on cuda:3" in repr(plane)
    for stream in (None, 0, 1, 4711, -1):
        assert plane.__dlpack__(stream=stream, max_version=(1, 1), dl_device=(2, 3), copy=False) == "a capsule"
    assert core.calls == [(0, 1, 16, [2, 4, 3], [16, 3, 1], stream) for stream in (1, 1, 1, 4711, None)]
    for call, error, words in ((lambda: plane.__dlpack__(stream=2), BufferError, "another stream"),
                               (lambda: plane.__dlpack__(copy=True), BufferError, "not copied"),
                               (lambda: plane.__dlpack__(dl_device=(1, 0)), BufferError, "lies on cuda:3"),
                               (lambda: np.asarray(plane), TypeError, "from_dlpack"),
                               (lambda: vidconv.filter(plane, "box"), TypeError, "from_dlpack")):
        with pytest.raises(error, match=words):
            call()


def test_a_tensor_keeps_its_frame():
    """A plane of the host is handed over in the same way."""
    frame = next(vidconv.open("pattern:64x48:rgb24#3", kernel="box", device="cpu"))
    wanted = frame.planes[0].copy()
    plane = vidconv.DevicePlane(frame._core, 0, np.dtype("u1"), (48, 64, 3), frame._core.planes()[0][1])
    array = np.from_dlpack(plane)
    unused = plane.__dlpack__()
    del frame, plane, unused
    assert np.array_equal(array, wanted)


def test_readers_that_cannot_keep_frames_on_a_device():
    for options, words in (({}, "`device` is auto"), ({"device": "cpu"}, "`device` is cpu"), ({"device": "cuda:0,1"}, "cuda:0,1"),
                           ({"device": "cuda", "verify": 2}, "`verify` looks"), ({"device": "cuda", "audit": "a.csv"}, "`audit`")):
        with pytest.raises(vidconv.UsageError, match=words):
            vidconv.open("pattern:64x48#3", on_device=True, **options)
    if vidconv.cuda_devices() == 0:
        with pytest.raises(vidconv.DeviceError):
            vidconv.open("pattern:64x48#3", on_device=True, device="cuda")


@pytest.fixture
def writes(runs, monkeypatch):
    """Makes a writer, and records what reaches the library."""
    seen = []

    class CoreWriter:
        def __init__(self, *_):
            pass

        def write(self, *arguments):
            seen.append(arguments)
    monkeypatch.setattr("vidconv._writer._core.Writer", CoreWriter)
    return vidconv.Writer("null:", vidconv.Video("yuv420p", 16, 8, 25), device="cuda:3"), seen


def test_writers_take_planes_of_a_device(writes):
    writer, seen = writes
    luma, chroma = np.zeros((8, 20), np.uint8)[:, :16], [np.zeros((4, 8), np.uint8) for _ in range(2)]
    planes = [luma, *chroma]
    writer.write([Tensor(plane) for plane in planes], 12)
    addresses = [plane.ctypes.data for plane in planes]
    assert seen == [(addresses, [20, 8, 8], 12, 4711)]
    core = CoreFrame()
    core.array = luma
    core.planes = lambda: [(address, stride, 0, 0) for address, stride in zip(addresses, (20, 8, 8))]
    writer.write([vidconv.DevicePlane(core, p, np.dtype("u1"), plane.shape, plane.strides[0]) for p, plane in enumerate(planes)])
    assert seen[1:] == [(addresses, [20, 8, 8], None, 0)] and core.calls == [0, 0, 0]
    for wrong, error, words in (([Tensor(luma), *chroma], TypeError, "host's memory"), ([Tensor(luma)], ValueError, "has 3"),
                                ([Tensor(plane[:, ::2]) for plane in planes], ValueError, "wants 8 rows"),
                                ([Tensor(np.zeros((8, 32), np.uint8)[:, ::2]), *map(Tensor, chroma)], ValueError, "contiguous"),
                                ([Tensor(plane.astype(np.uint16)) for plane in planes], ValueError, "uint8")):
        with pytest.raises(error, match=words):
            writer.write(wrong)
    assert len(seen) == 2
