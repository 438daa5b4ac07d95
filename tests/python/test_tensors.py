"""Tensors of torch and cupy on a CUDA device give the bytes of NumPy arrays, on the library's current stream. Skipped
without a device; with VIDCONV_REQUIRE_CUDA=1 that is a failure."""
import os
import threading

import numpy as np
import pytest

import vidconv


def on_device():
    if vidconv.cuda_devices() == 0:
        return "there is no CUDA device, or vidconv was built without CUDA"
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    return "" if torch.cuda.is_available() else "torch sees no CUDA device"


WHY_NOT = on_device()
if WHY_NOT and os.environ.get("VIDCONV_REQUIRE_CUDA") == "1":
    pytest.fail(WHY_NOT, pytrace=False)
if WHY_NOT:
    pytest.skip(WHY_NOT, allow_module_level=True)
import torch  # noqa: E402

KERNELS = ["gaussian:sigma=2", "sobel", "matrix:0 -1 0;-1 5 -1;0 -1 0", "box:size=31", ["gaussian", "unsharp"]]
DTYPES = [np.uint8, np.uint16, np.float16, np.float32]


def to_device(array):
    return torch.from_numpy(np.ascontiguousarray(array)).cuda()


def same(tensor, array):
    return np.array_equal(tensor.cpu().numpy(), array)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("shape, planar", [((41, 67), False), ((48, 64, 3), False), ((3, 33, 50), True), ((1, 9), False)])
def test_the_bytes_of_numpy(noise, dtype, kernel, shape, planar):
    picture = noise(shape, dtype)
    tensor = to_device(picture)
    result = vidconv.filter(tensor, kernel, planar=planar, border="wrap")
    assert result.device == tensor.device and result.dtype == tensor.dtype and result.shape == tensor.shape
    assert same(result, vidconv.filter(picture, kernel, planar=planar, border="wrap"))
    assert same(tensor, picture)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("together", [1, 7000, 1 << 20], ids="together={}".format)
@pytest.mark.parametrize("shape, layout", [((5, 3, 23, 40), "nchw"), ((5, 1, 23, 41), "nchw"), ((7, 23, 40), "nhw"), ((3, 20, 30, 3), "nhwc")])
def test_batches(noise, monkeypatch, dtype, together, shape, layout):
    monkeypatch.setattr("vidconv._arrays._BYTES_TOGETHER", together)
    pictures, chain = noise(shape, dtype), ["gaussian:sigma=2", "sobel"]
    assert same(vidconv.filter(to_device(pictures), chain, layout=layout), vidconv.filter(pictures, chain, layout=layout))


def test_fewer_bits(noise):
    picture = noise((40, 50), np.uint16) >> 6
    assert same(vidconv.filter(to_device(picture), "unsharp:amount=4", bits=10),
                vidconv.filter(picture, "unsharp:amount=4", bits=10))


def test_halves_that_are_copied_keep_every_bit():
    every = np.arange(65536, dtype=np.uint16).view(np.float16).reshape(256, 256)
    result = vidconv.filter(to_device(every), "box", regions=(0, 0, 1, 1)).cpu().numpy()
    assert np.array_equal(result.view(np.uint16).ravel()[1:], every.view(np.uint16).ravel()[1:])


def test_out_keeps_its_memory(noise):
    picture = noise((48, 64, 3), np.uint8)
    tensor, out = to_device(picture), torch.empty((48, 64, 3), dtype=torch.uint8, device="cuda")
    address = out.data_ptr()
    assert vidconv.filter(tensor, "sobel", out=out) is out
    assert out.data_ptr() == address and same(out, vidconv.filter(picture, "sobel"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("view", [lambda a: a[5:30, 7:40], lambda a: a[::2], lambda a: a[1:, 1:], lambda a: a[:1]])
def test_strides(noise, dtype, view):
    picture, canvas = noise((64, 50), dtype), noise((64, 50), dtype)
    tensor, room = to_device(picture), to_device(canvas)
    vidconv.filter(view(tensor), "gaussian:sigma=1.5", out=view(room))
    view(canvas)[...] = vidconv.filter(view(picture), "gaussian:sigma=1.5")
    assert same(room, canvas)  # no sample beside it has changed


def test_the_current_stream(noise):
    """Filtering runs after earlier work on the stream and before later work, without blocking."""
    first, second = noise((300, 400), np.uint8), noise((300, 400), np.uint8)
    tensor, late = to_device(first), to_device(second)
    vidconv.filter(tensor, "gaussian")  # loads its kernels
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        tensor.copy_(late)
        result = vidconv.filter(tensor, "gaussian")
        assert not stream.query()  # the call returned before the work began
        copy = result.clone()
    stream.synchronize()
    assert same(copy, vidconv.filter(second, "gaussian"))


def test_threads_with_streams_of_their_own(noise):
    """Calls with one shape share a plan; results between the filters of a chain are not mixed up."""
    pictures = [noise((200, 300), np.uint8) for _ in range(4)]
    chain, results = ["gaussian:sigma=3", "unsharp", "box"], [None] * 4

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            tensor = to_device(pictures[i])
            for _ in range(50):
                results[i] = vidconv.filter(tensor, chain)
            torch.cuda.current_stream().synchronize()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(results[i], vidconv.filter(pictures[i], chain)) for i in range(4))


def test_nothing_is_allocated_beside_the_result(noise):
    tensor = to_device(noise((480, 640), np.uint8))
    out = torch.empty_like(tensor)
    vidconv.filter(tensor, ["gaussian:sigma=2", "sobel"], out=out)
    torch.cuda.synchronize()
    left = torch.cuda.mem_get_info()[0]
    for _ in range(100):
        vidconv.filter(tensor, ["gaussian:sigma=2", "sobel"], out=out)
    torch.cuda.synchronize()
    assert torch.cuda.mem_get_info()[0] == left


OVER_TIME = ["time:1 2 1:scale=auto", "time-box:size=9:border=shrink", ["sobel", "time-exp:decay=0.6", "box"],
             "time-box:size=4:every=3:phase=1", "volume:0 1 0;1 2 1;0 1 0|1 1 1;1 1 1;1 1 1:scale=auto",
             ["gaussian", "time-box:size=3:cut=0.3"], "unsharp"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", OVER_TIME, ids=str)
@pytest.mark.parametrize("shape, axis, planar", [((12, 41, 67), 0, False), ((24, 11, 32, 3), 1, False),
                                                 ((10, 3, 17, 20), 0, True)])
def test_pictures_over_time(noise, dtype, kernel, shape, axis, planar):
    video = noise(shape, dtype)
    np.moveaxis(video, axis, 0)[5:8] = 0  # scenes of their own
    expected = vidconv.filter(video, kernel, axis=axis, planar=planar)
    tensor = to_device(video)
    result = vidconv.filter(tensor, kernel, axis=axis, planar=planar)
    assert result.device == tensor.device and result.dtype == tensor.dtype
    assert same(result, expected) and same(tensor, video)
    out = torch.empty_like(result)
    assert vidconv.filter(tensor, kernel, axis=axis, planar=planar, out=out) is out and same(out, expected)
    assert np.array_equal(vidconv.filter(video, kernel, axis=axis, planar=planar, device="cuda"), expected)


def test_what_is_refused(noise):
    tensor = to_device(noise((48, 64), np.uint8))
    for call, error, words in (
            (lambda: vidconv.filter(tensor[:, ::2], "box"), ValueError, "contiguous"),
            (lambda: vidconv.filter(tensor, "box", out=torch.empty((48, 64), dtype=torch.uint8)), ValueError, "out is not"),
            (lambda: vidconv.filter(tensor, "box", out=torch.empty((48, 65), dtype=torch.uint8, device="cuda")), ValueError,
             "out is not"),
            (lambda: vidconv.filter(tensor, "box", out=tensor), vidconv.UsageError, "overlaps"),
            (lambda: vidconv.filter(tensor.double(), "box"), TypeError, "float32"),
            (lambda: vidconv.filter(tensor, "gausian"), vidconv.UsageError, "gaussian")):
        with pytest.raises(error, match=words):
            call()
    assert same(vidconv.filter(tensor, "box"), vidconv.filter(tensor.cpu().numpy(), "box"))  # and the device goes on


def test_a_tensor_of_the_host_is_an_array(noise):
    picture = noise((20, 30), np.uint8)
    assert np.array_equal(vidconv.filter(torch.from_numpy(picture), "box"), vidconv.filter(picture, "box"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cupy(noise, dtype):
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    picture = noise((48, 64, 3), dtype)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        array = cupy.asarray(picture)
        out = cupy.empty_like(array)
        assert vidconv.filter(array, "unsharp", out=out) is out
        result = vidconv.filter(array, "unsharp")
        stream.synchronize()
    expected = vidconv.filter(picture, "unsharp")
    assert np.array_equal(out.get(), expected) and isinstance(result, cupy.ndarray)
    assert np.array_equal(result.get(), expected)


def test_videos_by_the_device(tmp_path):
    """Files are filtered on the device with the bytes of the CPU, and readers give its frames."""
    for device in ("cpu", "cuda"):
        vidconv.run("pattern:322x200#9", tmp_path / f"{device}.y4m", kernel="gaussian:sigma=2", device=device)
    assert (tmp_path / "cpu.y4m").read_bytes() == (tmp_path / "cuda.y4m").read_bytes()
    frames = [[np.array(plane) for frame in vidconv.open("pattern:322x200#5", kernel="sobel", device=device)
               for plane in frame.planes] for device in ("cpu", "cuda")]
    assert len(frames[0]) == 15 and all(np.array_equal(a, b) for a, b in zip(*frames))
