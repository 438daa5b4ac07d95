"""Frames that stay on a CUDA device: readers give tensors with the bytes of the host's reader, writers take them. Skipped
without a device; with VIDCONV_REQUIRE_CUDA=1 that is a failure."""
import ctypes
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from test_tensors import same, torch  # skips all of this where there is no device

import vidconv

SIZE = (322, 178)


def tensors(frame):
    return [torch.from_dlpack(plane) for plane in frame.planes]


def film(folder, codec, pixel_format, frames=30):
    file = folder / "film.mkv"
    vidconv.run(f"pattern:{SIZE[0]}x{SIZE[1]}:{pixel_format}@25#{frames}", file, kernel="identity", codec=codec, device="cpu")
    return file


def check(device, host):
    count = 0
    for frame, wanted in zip(device, host):
        assert (frame.number, frame.pts, frame.time, frame.shape, frame.device) == (
            wanted.number, wanted.pts, wanted.time, wanted.shape, "cuda:0")
        found = tensors(frame)
        assert len(found) == len(wanted.planes)
        for tensor, plane in zip(found, wanted.planes):
            assert tensor.device.type == "cuda" and tensor.shape == plane.shape and same(tensor, plane)
        count += 1
    assert next(device, None) is None and next(host, None) is None
    return count


@pytest.mark.parametrize("kernel", [None, "gaussian:sigma=2", ["time-box:size=3", "sobel"]], ids=str)
@pytest.mark.parametrize("codec, pixel_format", [("libx264", "yuv420p"), ("ffv1", "yuv422p10le"), ("ffv1", "gray16le"),
                                                 ("ffv1", "gbrp"), ("ffv1", "yuva444p"), ("libx264", "yuv444p")])
def test_the_bytes_of_the_host(tmp_path, codec, pixel_format, kernel):
    file = film(tmp_path, codec, pixel_format)
    assert check(vidconv.open(file, kernel=kernel, device="cuda", on_device=True), vidconv.open(file, kernel=kernel, device="cpu")) == 30


@pytest.mark.parametrize("pixel_format", ["rgb24", "rgba", "gbrpf32le", "nv12", "gray"])
def test_formats_that_no_codec_needs(pixel_format):
    name = f"pattern:64x48:{pixel_format}#5"
    assert check(vidconv.open(name, kernel="box", device="cuda:0", on_device=True), vidconv.open(name, kernel="box", device="cpu")) == 5


@pytest.mark.parametrize("kernel", [None, "gaussian:sigma=2"])
@pytest.mark.parametrize("decoder", ["nvdec", "nvdec:2"])
def test_decoded_on_the_device(tmp_path, decoder, kernel):
    file = film(tmp_path, "libx264", "yuv420p", 60)
    device = vidconv.open(file, kernel=kernel, device="cuda", decoder=decoder, on_device=True)
    assert check(device, vidconv.open(file, kernel=kernel, device="cpu")) == 60


def test_by_number_and_time(tmp_path):
    file = film(tmp_path, "libx264", "yuv420p")
    with vidconv.open(file, kernel="time-box:size=3", device="cuda", on_device=True) as device:
        host = vidconv.open(file, kernel="time-box:size=3", device="cpu")
        assert len(device) == 30
        for frame, wanted in ((device[17], host[17]), (device[-1], host[-1]), (device.at(0.2), host.at(0.2))):
            assert frame.number == wanted.number
            assert all(same(a, b) for a, b in zip(tensors(frame), wanted.planes))


def test_tensors_outlive_their_frames_and_the_reader(tmp_path):
    file = film(tmp_path, "libx264", "yuv420p", 60)
    reader = vidconv.open(file, kernel="box", device="cuda", on_device=True, slots=2)
    kept = [tensors(frame)[0] for frame in reader]
    reader.close()
    del reader
    assert len({tensor.data_ptr() for tensor in kept}) == 60
    for tensor, wanted in zip(kept, vidconv.open(file, kernel="box", device="cpu")):
        assert same(tensor, wanted.planes[0])


def test_streams_that_are_behind(tmp_path):
    """Tensors go while two streams still have to read them; later frames do not take their memory before."""
    file = film(tmp_path, "libx264", "yuv420p", 60)
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    reader = vidconv.open(file, kernel="box", device="cuda", on_device=True, slots=1)
    results = []
    torch.cuda.synchronize()
    for stream in streams:
        with torch.cuda.stream(stream):
            torch.cuda._sleep(1_000_000_000)
    for number, frame in enumerate(reader):
        with torch.cuda.stream(streams[number % 2]):
            results.append(torch.from_dlpack(frame.planes[0]).clone())
        del frame
    torch.cuda.synchronize()
    for result, wanted in zip(results, vidconv.open(file, kernel="box", device="cpu")):
        assert same(result, wanted.planes[0])


def test_memory_does_not_grow():
    reader = vidconv.open("pattern:640x360#400", kernel="sobel", device="cuda", on_device=True, slots=4)
    kept = [tensors(next(reader)) for _ in range(60)]
    del kept
    torch.from_dlpack(next(reader).planes[0]).float().mean()
    torch.cuda.synchronize()
    left = torch.cuda.mem_get_info()[0]
    for frame in reader:
        torch.from_dlpack(frame.planes[0]).float().mean()
    torch.cuda.synchronize()
    assert torch.cuda.mem_get_info()[0] == left


def test_threads_drop_tensors():
    frames = [tensors(frame) for frame in vidconv.open("pattern:64x48#40", kernel="box", device="cuda", on_device=True)]
    shares = [frames[i::4] for i in range(4)]
    del frames
    threads = [threading.Thread(target=share.clear) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not any(shares)


def test_cupy_takes_planes():
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    wanted = next(vidconv.open("pattern:64x48#1", kernel="sobel", device="cpu")).planes
    frame = next(vidconv.open("pattern:64x48#1", kernel="sobel", device="cuda", on_device=True))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        arrays = [cupy.from_dlpack(plane) for plane in frame.planes]
        del frame
        assert all(np.array_equal(array.get(), plane) for array, plane in zip(arrays, wanted))
        del arrays
        stream.synchronize()


def copy_of(folder, name, frames, video, **options):
    file = folder / name
    with vidconv.Writer(file, video, **options) as writer:
        for frame in frames:
            writer.write(frame)
    return file.read_bytes()


@pytest.mark.parametrize("kernel", [None, "unsharp"])
@pytest.mark.parametrize("pixel_format", ["yuv420p", "gray", "rgb24", "yuv444p10le"])
def test_writers_take_tensors(tmp_path, pixel_format, kernel):
    name = f"pattern:322x178:{pixel_format}@25#20"
    reader = vidconv.open(name, device="cpu")
    output = {"kernel": kernel, "codec": "rawvideo", "pixel_format": pixel_format}
    wanted = copy_of(tmp_path, "host.nut", reader, reader.video, device="cpu", **output)
    on_device = vidconv.open(name, device="cuda", on_device=True)
    assert copy_of(tmp_path, "frames.nut", on_device, reader.video, device="cuda", **output) == wanted
    made = ([torch.from_numpy(np.array(plane)).cuda() for plane in frame.planes] for frame in vidconv.open(name, device="cpu"))
    assert copy_of(tmp_path, "tensors.nut", made, reader.video, device="cuda:0", **output) == wanted


def test_writing_is_queued(tmp_path):
    """A tensor is written behind work that is not done, and overwritten at once."""
    pictures = [np.full((48, 64), level, np.uint8) for level in range(0, 250, 50)]
    late = [torch.from_numpy(picture).cuda() for picture in pictures]
    tensor = torch.empty((48, 64), dtype=torch.uint8, device="cuda")
    video = vidconv.Video("gray", 64, 48, 25)
    with vidconv.Writer(tmp_path / "a.mkv", video, codec="ffv1", device="cuda") as writer:
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()) as _:
            torch.cuda._sleep(400_000_000)
            for source in late:
                tensor.copy_(source)
                writer.write(tensor)
            tensor.fill_(255)
    frames = [frame.planes[0] for frame in vidconv.open(tmp_path / "a.mkv", device="cpu")]
    assert len(frames) == 5 and all(np.array_equal(a, b) for a, b in zip(frames, pictures))


def test_an_encoder_on_the_device_gets_them_there(tmp_path):
    """NVENC's double codes without loss, and counts where its pictures came from."""
    doubles = os.environ.get("VIDCONV_TEST_DOUBLES")
    if not doubles:
        return  # a chip's own NVENC has losses
    library = ctypes.CDLL(str(Path(doubles) / "libnvidia-encode.so.1"))
    library.nvenc_double.restype = ctypes.POINTER(ctypes.c_int)
    counts = library.nvenc_double()  # from_host and from_device are its members 9 and 10 (tests/doubles/nvenc_double.h)
    before = counts[9], counts[10]
    reader = vidconv.open("pattern:320x192@25#20", kernel="box", device="cuda", on_device=True)
    copy_of(tmp_path, "a.mkv", reader, reader.video, device="cuda", codec="h264_nvenc")
    assert (counts[9], counts[10]) == (before[0], before[1] + 20)
    wanted = vidconv.open("pattern:320x192@25#20", kernel="box", device="cpu")
    for found, frame in zip(vidconv.open(tmp_path / "a.mkv", device="cpu"), wanted):
        assert all(np.array_equal(a, b) for a, b in zip(found.planes, frame.planes))


def test_what_is_refused(tmp_path):
    frame = next(vidconv.open("pattern:64x48:gray#3", device="cuda", on_device=True))
    plane = frame.planes[0]
    for call, error, words in (
            (lambda: vidconv.open("pattern:64x48#3", device="cuda", on_device=True, format="rgb24"), vidconv.UsageError, "yuv420p"),
            (lambda: np.asarray(frame), TypeError, "from_dlpack"),
            (lambda: np.asarray(plane), TypeError, "from_dlpack"),
            (lambda: vidconv.filter(plane, "box"), TypeError, "from_dlpack"),
            (lambda: frame.to_ndarray("rgb24"), TypeError, "on_device=True"),
            (lambda: plane.__dlpack__(stream=2), BufferError, "another stream"),
            (lambda: plane.__dlpack__(copy=True), BufferError, "cuda:0")):
        with pytest.raises(error, match=words):
            call()
    tensor = torch.from_dlpack(plane)
    for device, words in (("auto", "`device` is auto"), ("cpu", "`device` is cpu"), ("cuda:0,0", "cuda:0,0")):
        writer = vidconv.Writer(tmp_path / "a.mkv", vidconv.Video("gray", 64, 48, 25), device=device)
        with pytest.raises(vidconv.UsageError, match=words):
            writer.write(tensor)
    writer = vidconv.Writer("null:", vidconv.Video("gray", 64, 48, 25), device="cuda")
    for wrong in (tensor[:, ::2], tensor[:-1], tensor.float(), [tensor, tensor]):
        with pytest.raises(ValueError, match="contiguous|wants|has 1"):
            writer.write(wrong)
    writer.write(tensor)
    assert writer.close().written == 1
