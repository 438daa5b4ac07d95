#!/usr/bin/env python3
"""Measures the Python package: what a call costs, how fast videos pass, and pictures beside other libraries.

    bench/scripts/python.py [--device cpu|cuda] [--decoder nvdec] [--command VIDCONV] [--seconds S] [--frames N] [--json FILE] [PART...]

PART: overhead, video, pictures, batches; all unless named. `video` filters a clip of N 4K frames in memory (/dev/shm, 12 MB each) and its
first quarter by the command, by vidconv.run() and by a loop over vidconv.open(), in turns, for ten times S seconds; with a device also by a loop whose frames
stay there, each with torch's mean of its luma. With --decoder the clip is H.264, which that decodes. `pictures` compares with what is installed of OpenCV, SciPy,
torch, torchvision, kornia and cupy: the same filter of the same picture, in the memory of the device that is measured. `batches`
does so for float tensors of many pictures, channels first, once a library's result is found to be the same.
Times are the shortest of all repetitions within S seconds (default 1) for each cell; of a device each is the mean of calls
that were queued one after the other.
"""
import argparse
import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import vidconv

SHARPEN = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    threads = len(os.sched_getaffinity(0))
    return f"{threads} thread{'s' * (threads > 1)} of {name}"


def importable(name):
    try:
        module = __import__(name)
        for part in name.split(".")[1:]:
            module = getattr(module, part)
        return module
    except (ImportError, RuntimeError, OSError):  # without its driver a library may raise any of these
        return None


class Host:
    """Times calls that are done when they return."""

    name = "cpu"

    def shortest(self, call, seconds):
        call()
        best, end = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < end:
            begin = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - begin)
        return best

    def take(self, array):
        return array

    def peers(self):
        return [*opencv(), *scipy(), *torch_peers("cpu")]


class Cuda:
    """Times calls that queue work on torch's current stream."""

    name = "cuda"
    queued = 20

    def __init__(self):
        import torch
        self.torch = torch

    def shortest(self, call, seconds):
        torch = self.torch
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        queued = min(self.queued, max(1, round(seconds / 4 / (time.perf_counter() - start))))
        best, until = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < until:
            begin.record()
            for _ in range(queued):
                call()
            end.record()
            end.synchronize()
            best = min(best, begin.elapsed_time(end) / 1000 / queued)
        return best

    def take(self, array):
        return self.torch.from_numpy(array).cuda()

    def peers(self):
        return [*torch_peers("cuda"), *cupy_peers()]


# Each of these yields (name, filter's name, a function of a picture that makes the call to be
# timed). Pictures are uint8: rows, columns, channels. Conversions for a library come before the
# timed call, where its users' programs would have them.

def opencv():
    cv2 = importable("cv2")
    if not cv2:
        return
    def made(call):
        def of(picture):
            out = np.empty_like(picture)
            return lambda: call(picture, out)
        return of
    yield "cv2", "gaussian:sigma=2", made(lambda p, o: cv2.GaussianBlur(p, (13, 13), 2, o))
    yield "cv2", "box:size=5", made(lambda p, o: cv2.blur(p, (5, 5), o))
    yield "cv2", "sharpen", made(lambda p, o: cv2.filter2D(p, -1, np.array(SHARPEN, np.float32), o))


def scipy():
    ndimage = importable("scipy.ndimage")
    if ndimage:
        yield ("scipy", "gaussian:sigma=2",
               lambda picture: lambda: ndimage.gaussian_filter(picture, 2, radius=6, axes=(0, 1), mode="mirror"))
        yield "scipy", "box:size=5", lambda picture: lambda: ndimage.uniform_filter(picture, (5, 5, 1), mode="mirror")


def torch_peers(device):
    """Yields peers on floats, channels first, in a batch of one, as their users have pictures.

    The conversion from uint8 is not timed.
    """
    torch = importable("torch")
    if not torch:
        return
    functional = torch.nn.functional

    def batch(picture):
        tensor = picture if isinstance(picture, torch.Tensor) else torch.from_numpy(picture)
        return tensor.to(device).permute(2, 0, 1)[None].float().contiguous()

    def conv2d(taps):
        def of(picture):
            tensor = batch(picture)
            channels, (h, w) = tensor.shape[1], taps.shape
            weights = torch.tensor(taps, dtype=torch.float32, device=device).expand(channels, 1, h, w).contiguous()
            pad = (w // 2, w // 2, h // 2, h // 2)
            return lambda: functional.conv2d(functional.pad(tensor, pad, mode="reflect"), weights, groups=channels)
        return of
    row = np.exp(-np.arange(-6, 7) ** 2 / 8.0)
    row /= row.sum()
    yield "torch conv2d", "gaussian:sigma=2", conv2d(np.outer(row, row))
    yield "torch conv2d", "box:size=5", conv2d(np.full((5, 5), 1 / 25))
    yield "torch conv2d", "sharpen", conv2d(np.array(SHARPEN, float))
    if transforms := importable("torchvision.transforms.functional"):
        def blur_bytes(picture):
            tensor = batch(picture).to(torch.uint8)
            return lambda: transforms.gaussian_blur(tensor, [13, 13], [2.0, 2.0])
        yield "torchvision, uint8", "gaussian:sigma=2", blur_bytes
    if kornia := importable("kornia.filters"):
        def blur(picture):
            tensor = batch(picture)
            return lambda: kornia.gaussian_blur2d(tensor, (13, 13), (2.0, 2.0))
        yield "kornia", "gaussian:sigma=2", blur
        def box(picture):
            tensor = batch(picture)
            return lambda: kornia.box_blur(tensor, (5, 5))
        yield "kornia", "box:size=5", box


def cupy_peers():
    cupy, ndimage = importable("cupy"), importable("cupyx.scipy.ndimage")
    if not cupy or not ndimage:
        return
    def made(call):
        def of(picture):
            array = cupy.from_dlpack(picture)
            out = cupy.empty_like(array)
            torch = sys.modules["torch"]
            stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
            def timed():
                with stream:
                    call(array, out)
            return timed
        return of
    yield "cupyx", "gaussian:sigma=2", made(lambda a, o: ndimage.gaussian_filter(a, (2, 2, 0), output=o, mode="mirror", truncate=3))
    yield "cupyx", "box:size=5", made(lambda a, o: ndimage.uniform_filter(a, (5, 5, 1), output=o, mode="mirror"))


def overhead(device, seconds):
    """Measures the microseconds of a call, with a picture so small that it hardly counts."""
    picture = device.take(np.zeros((8, 8), np.uint8))
    out = device.take(np.zeros((8, 8), np.uint8))
    host = Host()  # how long the caller waits, also where a device does the work
    rows = []
    for name, call in (("out=", lambda: vidconv.filter(picture, "box", out=out)),
                       ("a new array", lambda: vidconv.filter(picture, "box"))):
        rows.append([name, host.shortest(call, seconds) * 1e6])
        print(f"overhead, {device.name}, {name}: {rows[-1][1]:.1f} us", flush=True)
    return {"id": f"python-overhead-{device.name}", "title": "what a call of vidconv.filter costs", "columns": ["result", "us"],
            "rows": rows, "notes": ["8x8 pictures; of a CUDA device until the call returns, the work being queued."]}


def cpu_seconds():
    """Returns the CPU seconds of this process and of those that it has waited for."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def video(device, seconds, command, frames, decoder=None, size="3840x2160", kernel="gaussian:sigma=2"):
    """Measures frames a second of 4K, 4:2:0, 8 bits, once they flow: y4m or H.264 in memory, to nothing."""
    many = frames or (768 if device.name == "cuda" else 96)
    few = many // 4
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        clip = f"{folder}/clip.{'mp4' if decoder else 'y4m'}"
        vidconv.run(f"pattern:{size}#{many}", clip, kernel="identity", device="cpu",
                    **({"codec": "libx264", "preset": "ultrafast"} if decoder else {}))
        how = {"kernel": kernel, "device": device.name, "decoder": decoder or "auto"}

        def by_command(count):
            subprocess.run([command, clip, "-o", "null:", "--kernel", kernel, "--device", device.name, "--decoder", how["decoder"], "-q",
                            "--frames", str(count)],
                           check=True, capture_output=True)

        def by_run(count):
            assert vidconv.run(clip, "null:", frames=count, **how).written == count

        def by_loop(count):
            seen = 0
            for frame in vidconv.open(clip, frames=count, **how):
                seen += frame.planes[0][0, 0] >= 0
            assert seen == count

        def on_device(count):
            torch = device.torch
            means = [torch.from_dlpack(frame.planes[0]).float().mean() for frame in vidconv.open(clip, frames=count, on_device=True, **how)]
            assert len(means) == count and 0 < torch.stack(means).mean().item() < 255

        def spent(way, count):
            begin, cpu = time.perf_counter(), cpu_seconds()
            way(count)
            return time.perf_counter() - begin, cpu_seconds() - cpu
        ways = {"the command": by_command, "vidconv.run()": by_run, "for frame in vidconv.open()": by_loop}
        if device.name == "cuda":
            ways["on the device, with torch's mean"] = on_device
        if not command:
            del ways["the command"]
        least = {(name, count): (float("inf"),) * 2 for name in ways for count in (few, many)}
        end = time.perf_counter() + seconds * 10
        while time.perf_counter() < end:
            for name, count in least:
                least[name, count] = tuple(map(min, least[name, count], spent(ways[name], count)))
    # Both numbers of frames have a start and an end, so the difference has neither.
    each = {name: [(b - a) / (many - few) for a, b in zip(least[name, few], least[name, many])] for name in ways}
    base = each["the command"][0] if command else None
    rows = [[name, 1 / wall, f"{100 * base / wall:.0f}%" if base else None, cpu * 1000] for name, (wall, cpu) in each.items()]
    for name, fps, share, cpu in rows:
        print(f"{size}, {kernel}, {device.name}, {decoder or 'y4m'}, {name}: {fps:.1f} frames/s, {share}, {cpu:.2f} ms of CPU a frame", flush=True)
    return {"id": f"python-video-{decoder or device.name}", "title": "4K frames through Python" + (f", decoded by {decoder}" if decoder else ", on a CUDA device" * (device.name == "cuda")),
            "columns": ["by", "frames/s", "of the command", "ms of CPU a frame"], "rows": rows,
            "notes": [f"{size}, 4:2:0, 8 bits, as {f'H.264 in memory, decoded by {decoder}' if decoder else 'y4m in memory'}; {kernel}; the shortest run of {many} frames less the shortest of {few}, "
                      "in turns: neither start nor end is in it."]}


def pictures(device, seconds):
    """Measures milliseconds for a 3840x2160 picture of one channel, and of three side by side."""
    times = {}
    for channels in (1, 3):
        picture = device.take(np.random.default_rng(1).integers(0, 256, (2160, 3840, channels), np.uint8))
        ours = [("vidconv", name, lambda p, n=name: (lambda o: lambda: vidconv.filter(p, n, out=o))(device.take(np.empty(p.shape, np.uint8))))
                for name in ("gaussian:sigma=2", "box:size=5", "sharpen", "sobel")]
        for library, name, of in [*ours, *device.peers()]:
            try:
                shortest = device.shortest(of(picture), seconds)
            except Exception as error:  # pylint: disable=broad-exception-caught  # another library's: a row less
                print(f"{library} {name}: {error}", file=sys.stderr)
                continue
            times[name, library, channels] = shortest * 1000
            print(f"3840x2160x{channels}, {device.name}, {name}, {library}: {shortest * 1000:.3f} ms", flush=True)
    rows = [[name, library, *(times.get((name, library, c)) for c in (1, 3))]
            for name, library in sorted({(n, b) for n, b, _ in times}, key=lambda k: (k[0], k[1] != "vidconv", k[1]))]
    return {"id": f"python-pictures-{device.name}", "title": "one 4K picture by Python's libraries",
            "columns": ["filter", "library", "ms, one channel", "ms, three side by side"], "rows": rows,
            "notes": ["3840x2160. Samples are bytes, but floats where the row says torch conv2d or kornia, channels first and without "
                      "the conversion. The shortest of many calls; memory is where the work is done."]}


def gaussian_row(sigma, radius):
    row = np.exp(-np.arange(-radius, radius + 1) ** 2 / (2 * sigma * sigma))
    return row / row.sum()


def full_rank(size):
    taps = np.random.default_rng(size).random((size, size))
    return taps / taps.sum()


SOBEL_X = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], float)
GAUSSIANS = {"gaussian:sigma=2": (2, 6), "gaussian:sigma=2.7:radius=8": (2.7, 8), "gaussian:sigma=5": (5, 15)}  # sigma, radius
MATRICES = {"sharpen": np.array(SHARPEN, float), "dense 7x7": full_rank(7), "dense 17x17": full_rank(17)}
BATCH_FILTERS = ["sharpen", "sobel", "box:size=5", *GAUSSIANS, *list(MATRICES)[1:]]
BATCHES = {"cpu": [((4, 3, 540, 960), "float32")],
           "cuda": [((64, 3, 224, 224), "float32"), ((16, 3, 1080, 1920), "float32"), ((8, 3, 2160, 3840), "float32"),
                    ((16, 3, 1080, 1920), "float16")]}
BATCH_LIBRARIES = ["vidconv", "torch conv2d", "torch conv2d, two passes", "torchvision", "kornia", "cupyx"]


# Each of these yields (library, filter, a call that returns the result) for a batch. Borders are
# mirrored without the edge, as vidconv's are unless told.

def batch_by_torch(torch, batch):
    functional, channels = torch.nn.functional, batch.shape[1]

    def weights(taps):
        return torch.tensor(np.array(taps), dtype=batch.dtype, device=batch.device)[None, None].expand(channels, 1, -1, -1).contiguous()

    def padded(x, y):
        return functional.pad(batch, (x, x, y, y), mode="reflect")

    def matrix(taps):
        kernel, (h, w) = weights(taps), np.shape(taps)
        return lambda: functional.conv2d(padded(w // 2, h // 2), kernel, groups=channels)

    def passes(row):
        x, y, reach = weights(row[None]), weights(row[:, None]), len(row) // 2
        return lambda: functional.conv2d(functional.conv2d(padded(reach, reach), x, groups=channels), y, groups=channels)

    def sobel():
        both = torch.stack([weights(SOBEL_X), weights(SOBEL_X.T)], 1).flatten(0, 1)
        def call():
            gradients = functional.conv2d(padded(1, 1), both, groups=channels)
            return torch.hypot(gradients[:, ::2], gradients[:, 1::2])
        return call

    for name, taps in MATRICES.items():
        yield "torch conv2d", name, matrix(taps)
    yield "torch conv2d", "sobel", sobel()
    rows = {"box:size=5": np.full(5, 1 / 5), **{name: gaussian_row(*of) for name, of in GAUSSIANS.items()}}
    for name, row in rows.items():
        yield "torch conv2d", name, matrix(np.outer(row, row))
        yield "torch conv2d, two passes", name, passes(row)
    if transforms := importable("torchvision.transforms.functional"):
        for name, (sigma, radius) in GAUSSIANS.items():
            yield "torchvision", name, lambda s=sigma, n=2 * radius + 1: transforms.gaussian_blur(batch, [n, n], [s, s])


def batch_by_kornia(torch, batch):
    kornia = importable("kornia.filters")
    if not kornia:
        return
    for name, (sigma, radius) in GAUSSIANS.items():
        yield "kornia", name, lambda s=sigma, n=2 * radius + 1: kornia.gaussian_blur2d(batch, (n, n), (float(s), float(s)))
    yield "kornia", "box:size=5", lambda: kornia.box_blur(batch, (5, 5), separable=True)
    for name, taps in MATRICES.items():
        kernel = torch.tensor(taps, dtype=batch.dtype, device=batch.device)[None]
        yield "kornia", name, lambda k=kernel: kornia.filter2d(batch, k)


def batch_by_cupyx(torch, batch):
    cupy, ndimage = importable("cupy"), importable("cupyx.scipy.ndimage")
    if not cupy or not ndimage or not batch.is_cuda:
        return
    source = cupy.from_dlpack(batch)
    out = cupy.empty_like(source)
    result = torch.from_dlpack(out)

    def made(work):
        def call():
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                work()
            return result
        return call

    def sobel():
        x, y = (ndimage.correlate(source, cupy.asarray(taps[None, None].astype(np.float32)), mode="mirror") for taps in (SOBEL_X, SOBEL_X.T))
        cupy.hypot(x, y, out=out)
    for name, (sigma, radius) in GAUSSIANS.items():
        yield "cupyx", name, made(lambda s=sigma, r=radius: ndimage.gaussian_filter(source, (0, 0, s, s), output=out, mode="mirror",
                                                                                    truncate=r / s))
    yield "cupyx", "box:size=5", made(lambda: ndimage.uniform_filter(source, (1, 1, 5, 5), output=out, mode="mirror"))
    yield "cupyx", "sobel", made(sobel)
    for name, taps in MATRICES.items():
        kernel = cupy.asarray(taps[None, None].astype(np.float32))
        yield "cupyx", name, made(lambda k=kernel: ndimage.correlate(source, k, output=out, mode="mirror"))


def batches(device, seconds):
    """Measures milliseconds for batches of pictures, channels first, whose samples are floats."""
    torch = importable("torch")
    torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32 = True, False
    tables = []
    for shape, kind in BATCHES[device.name]:
        batch = torch.rand(shape, generator=torch.Generator().manual_seed(1)).to(device.name, getattr(torch, kind))
        most = 1e-5 if kind == "float32" else 5e-3  # how far from vidconv a result may be; twice rounded where there are two passes
        times, wrong, name_of = {}, [], f"{'x'.join(map(str, shape))}, {kind}, {device.name}"

        def ours(name):
            kernel = MATRICES.get(name, name)
            out = torch.empty_like(batch)
            return lambda: vidconv.filter(batch, kernel, layout="nchw", out=out)
        own = {name: ours(name)().clone() for name in BATCH_FILTERS}
        peers = [*batch_by_torch(torch, batch), *batch_by_kornia(torch, batch), *batch_by_cupyx(torch, batch)]
        for library, name, call in [*(("vidconv", name, ours(name)) for name in BATCH_FILTERS), *peers]:
            try:
                off = (call().float() - own[name].float()).abs().max().item()
                if not off <= most * (12 if name == "sobel" else 9 if name == "sharpen" else 1):  # results are as much larger
                    wrong.append(f"{library}'s {name} is off by {off:.1e}")
                    print(f"{name_of}: {wrong[-1]}", flush=True)
                    continue
                times[name, library] = device.shortest(call, seconds) * 1000
            except Exception as error:  # pylint: disable=broad-exception-caught  # another library's: a cell less
                print(f"{library} {name}: {error}", file=sys.stderr)
                continue
            print(f"{name_of}, {name}, {library}: {times[name, library]:.3f} ms, off by {off:.1e}", flush=True)
        del own, peers
        seen = [library for library in BATCH_LIBRARIES if any(of == library for _, of in times)]
        tables.append({"id": f"python-batches-{'x'.join(map(str, shape))}-{kind}",
                       "title": f"a batch of {'x'.join(map(str, shape))}, {kind}, milliseconds",
                       "columns": ["filter", *seen], "rows": [[name, *(times.get((name, of)) for of in seen)] for name in BATCH_FILTERS],
                       "notes": wrong and ["Left out: " + "; ".join(wrong) + "."]})
    tables[-1]["notes"] = [*tables[-1]["notes"], "Pictures, channels, rows, columns; tensors of torch, which stay where they are. The shortest of many calls that were "
                           "queued one after the other. Each result was compared with vidconv's first, all samples: floats may differ by 1e-5 and half floats by 5e-3 "
                           "where results lie from 0 to 1, and more in proportion where they are larger (sharpen, sobel). cudnn searched for its fastest way (`benchmark`), without TF32."]
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--decoder", help="of `video`, for a clip of H.264: nvdec, cpu")
    parser.add_argument("--command", help="the program vidconv; without it `video` measures Python alone")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--frames", type=int, help="of the clip of `video`; without it 96, of a CUDA device 768")
    parser.add_argument("--json")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    device = Cuda() if options.device == "cuda" else Host()
    parts = options.parts or ["overhead", "video", "pictures", "batches"]
    versions = [f"{name} {module.__version__}" for name in ("numpy", "cv2", "scipy", "torch", "torchvision", "kornia", "cupy")
                if (module := importable(name))]
    machine = [processor(), ", ".join([f"Python {platform.python_version()}", *versions])]
    if device.name == "cuda":
        machine.insert(0, device.torch.cuda.get_device_name())
    print("\n".join(machine), flush=True)
    made = {"overhead": lambda: [overhead(device, options.seconds)],
            "video": lambda: [video(device, options.seconds, options.command, options.frames, options.decoder)],
            "pictures": lambda: [pictures(device, options.seconds)],
            "batches": lambda: batches(device, options.seconds)}
    report = {"schema": 1, "command": f"bench/scripts/python.py --device {device.name} --seconds {options.seconds:g}" + f" --decoder {options.decoder}" * bool(options.decoder)
              + " --command vidconv" * bool(options.command),
              "date": datetime.date.today().isoformat(), "machine": machine, "tables": [table for part in parts for table in made[part]()]}
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    main()
