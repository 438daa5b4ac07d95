#!/usr/bin/env python3
"""Peers that are had from Python, timed on the filters of `vidconv-bench kernels`, with one thread:
VapourSynth's own filters, vszip and zsmooth (PyPI: vapoursynth, vapoursynth-vszip, vapoursynth-zsmooth), and OpenCV
(opencv-python-headless, which has Intel's kernels). What is not installed is left out, and the report says so.

    bench/scripts/python_peers.py --frame 4K --depth 8 --json FILE

The JSON is what `vidconv-bench kernels --json` writes, without vidconv's columns: bench/scripts/cpu_table.py reads both.
"""
import argparse
import array
import ctypes
import datetime
import itertools
import json
import math
import os
import platform
import random
import re
import sys
import time

# As in bench/kernels.cpp: a frame is one plane with half as many rows more.
FRAMES = {"chroma": (960, 540), "720p": (1280, 1080), "HD": (1920, 1620), "4K": (3840, 3240), "8K": (7680, 6480)}
KINDS = {"box": (3, 5, 7, 15, 31, 101), "gaussian": (3, 5, 7, 9, 15, 17, 31), "dense": (3, 5, 7, 9, 11, 15, 17, 31),
         "sobel": (3,), "sobel-x": (3,), "binomial": (3, 5), "sharpen": (3,), "unsharp": (5,)}
SOBEL_X = [-1, 0, 1, -2, 0, 2, -1, 0, 1]
SOBEL_Y = [-1, -2, -1, 0, 0, 0, 1, 2, 1]
COLUMNS = ["filter", "bits", "frame", "variant", "vidconv us", "Gsample/s", "peer", "peer us", "peer / vidconv"]


def gaussian_row(sigma, size):
    taps = [math.exp(-(i - size // 2) ** 2 / (2 * sigma * sigma)) for i in range(size)]
    return [tap / sum(taps) for tap in taps]


def product(row):
    return [a * b for a in row for b in row]


class Filter:
    """The filter that vidconv computes.

    `kernels` has the taps of each, row after row. Where `row` is not None, the only kernel is its
    product with itself.
    """

    def __init__(self, kind, size):
        self.kind, self.size, self.row = kind, size, None
        if kind == "box":
            self.row = [1 / size] * size
        elif kind == "gaussian":
            self.row = gaussian_row(size / 6, size)
        elif kind == "binomial":
            self.row = [math.comb(size - 1, i) / 2 ** (size - 1) for i in range(size)]
        if self.row:
            self.kernels = [product(self.row)]
        elif kind == "dense":
            self.kernels = [[tap / 256 for tap in dense_taps(size)]]
        elif kind == "sobel":
            self.kernels = [SOBEL_X, SOBEL_Y]
        elif kind == "sobel-x":
            self.kernels = [SOBEL_X]
        elif kind == "sharpen":
            self.kernels = [[0, -1, 0, -1, 5, -1, 0, -1, 0]]
        else:
            blur = product(gaussian_row(0.6, size))
            self.kernels = [[2 * (i == len(blur) // 2) - tap for i, tap in enumerate(blur)]]

    def truth(self, source, width, x, y):
        """Returns the result in real arithmetic, before rounding; (x, y) is away from the edges."""
        half = self.size // 2
        window = [source[(y + j) * width + x + i] for j in range(-half, half + 1) for i in range(-half, half + 1)]
        results = [math.fsum(map(float.__mul__, map(float, kernel), map(float, window))) for kernel in self.kernels]
        if self.kind == "sobel-x":
            return abs(results[0])
        return results[0] if len(results) == 1 else math.hypot(*results)


def dense_taps(size):
    """Returns the taps of bench/kernels.cpp: std::minstd_rand from 1."""
    state, taps = 1, []
    for _ in range(size * size):
        state = state * 48271 % 2147483647
        taps.append(state % 7 + 1)
    return taps


def integer_taps(row, largest):
    """Returns `row` as integers up to `largest`, in the scale that comes nearest."""
    best = None
    for top in range(largest, largest // 2, -1):
        taps = [round(tap / max(row) * top) for tap in row]
        total = sum(taps)
        error = sum(abs(tap / total - wanted) for tap, wanted in zip(taps, row))
        if best is None or error < best[0] - 1e-15:
            best = error, taps
    return best[1]


def noise(depth, count):
    """Returns samples at random, floats from 0 to 1."""
    few = random.Random(1).randbytes(2 * ((1 << 18) + 1))  # a length that no row is a multiple of
    codes = array.array("H", few)
    if depth == 8:
        block = array.array("B", few)
    elif depth == 32:
        block = array.array("f", [code % 4096 / 4095 for code in codes])
    else:
        block = array.array("H", [code & ((1 << depth) - 1) for code in codes])
    return (block * (count // len(block) + 1))[:count]


def check(filter_, depth, source, result, width, height):
    """Compares some samples with the truth.

    Returns the percentage that are the truth rounded, and the largest difference from the clamped
    truth.
    """
    taps = len(filter_.kernels) * filter_.size ** 2
    margin, count = filter_.size // 2 + 1, max(300, min(4000, 1000000 // taps))
    rng, equal, off = random.Random(2), 0, 0.0
    for _ in range(count):
        x, y = rng.randrange(margin, width - margin), rng.randrange(margin, height - margin)
        want, got = filter_.truth(source, width, x, y), result[y * width + x]
        if depth != 32:
            most = (1 << depth) - 1
            # A peer may let codes of 10 bits grow up to 65535; a limit would cost it one
            # instruction more.
            want, got = min(max(want, 0), most), min(got, most)
            equal += got == min(math.floor(want + 0.5), most)
        else:
            equal += got == ctypes.c_float(want).value
        difference = abs(got - want)
        off = difference if not difference <= off else off
    return 100 * equal / count, off


def fastest(seconds, run):
    """Returns the seconds of the fastest run; run(i) does the work once and returns its seconds."""
    run(0)
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        times.append(run(len(times)))
    return min(times)


class VapourSynth:
    """Clips that turn among `pairs` frames; as many results are kept, so that those turn too."""

    def __init__(self):
        import vapoursynth
        self.vs, self.core = vapoursynth, vapoursynth.core
        self.core.num_threads = 1
        self.core.timings.enabled = True
        self.status = f"VapourSynth {vapoursynth.__version__}, with " + (", ".join(
            name for name in ("vszip", "zsmooth") if hasattr(self.core, name)) or "no plugins")
        self.planes = {}

    def load(self, depth, source, width, height, pairs):
        vs, core = self.vs, self.core
        self.clip = self.frames = None
        core.clear_cache()
        self.pairs, self.depth, self.size = pairs, depth, (width, height)
        format_ = core.query_video_format(vs.GRAY, vs.FLOAT if depth == 32 else vs.INTEGER, depth)
        self.bytes = width * source.itemsize
        self.frames = [core.create_video_frame(format_, width, height) for _ in range(pairs)]
        address = source.buffer_info()[0]
        for frame in self.frames:
            to, stride = frame.get_write_ptr(0).value, frame.get_stride(0)
            for y in range(height):
                ctypes.memmove(to + y * stride, address + y * self.bytes, self.bytes)
        blank = core.std.BlankClip(format=format_.id, width=width, height=height, length=1 << 20, keep=1)
        self.clip = core.std.ModifyFrame(blank, blank, lambda n, f: self.frames[n % pairs])

    def ways(self, filter_):
        kind, size, integers = filter_.kind, filter_.size, self.depth != 32
        std = self.core.std

        def convolution(name, taps, mode="s", **more):
            # A sum of 1 stays 1: the divisor is the sum of the taps that the function gets.
            return f"VapourSynth Convolution {name}", lambda clip: std.Convolution(clip, taps, mode=mode, **more)

        if kind == "sobel":
            yield "VapourSynth Sobel", lambda clip: std.Sobel(clip)
            return
        if kind == "sobel-x":
            yield convolution("3x3", SOBEL_X, divisor=1, saturate=False)
        elif kind == "dense" and size <= 11:
            yield convolution(f"{size}x{size}", dense_taps(size), divisor=256)
        elif kind in ("sharpen", "unsharp"):
            taps = filter_.kernels[0]
            if kind == "unsharp":
                taps = integer_taps(taps, 1023) if integers else taps
            yield convolution(f"{size}x{size}", taps)
        elif filter_.row:
            row = [1] * size if kind == "box" else filter_.row
            if kind == "binomial":
                row = [math.comb(size - 1, i) for i in range(size)]
            if size <= (25 if kind == "gaussian" else 11 if kind == "box" else 5):
                fine = integer_taps(row, 1023) if kind == "gaussian" and integers else row
                yield convolution("hv", fine, mode="hv")
                if kind == "gaussian" and self.depth == 8:
                    yield convolution("hv, taps of 8 bits", integer_taps(row, 127), mode="hv")
            if size <= (11 if kind == "box" else 5):
                square = product(row)
                if kind == "gaussian" and integers:
                    square = integer_taps(square, 1023)
                yield convolution(f"{size}x{size}", square)
        radius = size // 2
        if kind == "box":
            yield "VapourSynth BoxBlur", lambda clip: std.BoxBlur(clip, hradius=radius, vradius=radius)
            if hasattr(self.core, "vszip"):
                yield "vszip BoxBlur", lambda clip: self.core.vszip.BoxBlur(clip, hradius=radius, vradius=radius)
        if hasattr(self.core, "zsmooth") and size == 3:
            for mode in {"box": [20], "binomial": [11, 12]}.get(kind, []):
                yield f"zsmooth RemoveGrain {mode}", lambda clip, mode=mode: self.core.zsmooth.RemoveGrain(clip, [mode])

    def measure(self, make, seconds):
        """Returns seconds by the core's own clock of the filter, without Python and threads.

        Some filters are a row of nodes.
        """
        clip = make(self.clip)
        nodes = list(self.nodes(clip))
        clip.std.SetVideoCache(mode=0)
        kept, frames = [None] * self.pairs, itertools.count()

        def run(i):
            for node in nodes:
                node.timings = 0
            kept[i % self.pairs] = clip.get_frame(next(frames))
            return sum(node.timings for node in nodes) / 1e9

        return fastest(seconds, run)

    def nodes(self, clip):
        if clip.node_name != "ModifyFrame":  # where load() feeds frames in
            yield clip
            for node in clip.dependencies:
                yield from self.nodes(node)

    def result(self, make):
        width, height = self.size
        frame = make(self.clip).get_frame(0)
        out = array.array("f" if self.depth == 32 else "B" if self.depth == 8 else "H", bytes(self.bytes * height))
        to, address, stride = out.buffer_info()[0], frame.get_read_ptr(0).value, frame.get_stride(0)
        for y in range(height):
            ctypes.memmove(to + y * self.bytes, address + y * stride, self.bytes)
        return out


class OpenCV:
    def __init__(self):
        import cv2
        import numpy
        self.cv, self.np = cv2, numpy
        cv2.setNumThreads(1)
        ipp = re.search(r"Intel IPP: *(.*)", cv2.getBuildInformation())
        self.status = f"OpenCV {cv2.__version__} of Python, " + (f"Intel IPP {ipp[1]}" if ipp else "without Intel IPP")

    def load(self, depth, source, width, height, pairs):
        plane = self.np.frombuffer(source, dtype={"B": "u1", "H": "u2", "f": "f4"}[source.typecode])
        self.sources = [plane.reshape(height, width).copy() for _ in range(pairs)]
        self.results = [self.np.zeros_like(s) for s in self.sources]
        self.code = source.typecode

    def ways(self, filter_):
        cv, size = self.cv, (filter_.size, filter_.size)
        border = {"borderType": cv.BORDER_REFLECT_101}
        if filter_.kind == "box":
            yield "OpenCV-Python blur", lambda a, b: cv.blur(a, size, b, **border)
        elif filter_.kind in ("gaussian", "binomial"):
            sigma = filter_.size / 6 if filter_.kind == "gaussian" else 0
            yield "OpenCV-Python GaussianBlur", lambda a, b: cv.GaussianBlur(a, size, sigma, b, sigma, **border)
        elif filter_.kind in ("dense", "sharpen", "unsharp"):
            taps = self.np.array(filter_.kernels[0], dtype="f4").reshape(size)
            yield "OpenCV-Python filter2D", lambda a, b: cv.filter2D(a, -1, taps, b, **border)
        elif filter_.kind == "sobel-x":
            yield "OpenCV-Python Sobel", lambda a, b: cv.Sobel(a, -1, 1, 0, b, 3, **border)

    def measure(self, make, seconds):
        def run(i):
            source, result = self.sources[i % len(self.sources)], self.results[i % len(self.sources)]
            start = time.perf_counter()
            make(source, result)
            return time.perf_counter() - start

        return fastest(seconds, run)

    def result(self, make):
        make(self.sources[0], self.results[0])
        return array.array(self.code, self.results[0].tobytes())


PEERS = {"vapoursynth": VapourSynth, "opencv": OpenCV}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(": ", 1)[1].strip() for line in info if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {len(os.sched_getaffinity(0))} threads"


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", action="append", choices=PEERS, help="only these")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these filters")
    parser.add_argument("--size", action="append", type=int, help="only these kernel sizes")
    parser.add_argument("--frame", default="4K", choices=FRAMES)
    parser.add_argument("--depth", action="append", type=int, choices=(8, 10, 12, 16, 32), help="32: float")
    parser.add_argument("--seconds", default=0.2, type=float, help="how long each measurement lasts; the fastest run counts")
    parser.add_argument("--pairs", default=4, type=int, help="frames in turn; 1: the same again and again")
    parser.add_argument("--check", action="store_true", help="how far results are from the filter in real arithmetic")
    parser.add_argument("--json", help="write the table to this file too (- is stdout)")
    return parser.parse_args(arguments)


def opened(names):
    """Returns the peers that are installed, and lines that say which are and which are not."""
    found, lines = [], []
    for name in names or PEERS:
        try:
            found.append(PEERS[name]())
            lines.append(found[-1].status)
        except ImportError as error:
            lines.append(f"{name}: {error}")
    return found, lines


def measured(options, peers):
    width, height = FRAMES[options.frame]
    for depth in options.depth or [8]:
        source = noise(depth, width * height)
        for peer in peers:
            peer.load(depth, source, width, height, options.pairs)
            for kind, sizes in KINDS.items():
                for size in sizes:
                    if options.kind and kind not in options.kind or options.size and size not in options.size:
                        continue
                    filter_ = Filter(kind, size)
                    for name, make in peer.ways(filter_):
                        row = [f"{kind} {size}", str(depth), options.frame, None, None, None, name]
                        try:
                            row += [1e6 * peer.measure(make, options.seconds), None]
                            if options.check:
                                row += [*check(filter_, depth, source, peer.result(make), width, height), None]
                        except Exception as error:  # each library has its own
                            row = row[:7] + [f"refused: {error}", None] + [None] * 3 * options.check
                        yield row


def main(arguments):
    options = parsed(arguments)
    peers, lines = opened(options.peer)
    out = sys.stderr if options.json == "-" else sys.stdout
    rows = []
    for row in measured(options, peers):
        rows.append(row)
        words = [f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row if cell is not None]
        print(" | ".join(words), file=out, flush=True)
    report = {
        "schema": 1,
        "command": " ".join(["python_peers.py"] + [a for a, before in zip(arguments, [""] + arguments)
                                                   if "--json" not in (a, before) and not a.startswith("--json=")]),
        "date": datetime.date.today().isoformat(),
        "machine": [processor(), f"Python {platform.python_version()}"] + lines,
        "tables": [{"id": "kernels-cpu", "title": "one frame on the CPU, 1 threads, microseconds",
                    "columns": COLUMNS + ["equal %", "peer off by", "vidconv off by"] * options.check, "rows": rows,
                    "notes": [f"Fastest of many; frames in turn: {options.pairs}. VapourSynth by its own clock of the filter."]
                    + ["equal: samples that are the truth rounded, of some; off by: from the truth." ] * options.check}],
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    if options.json == "-":
        sys.stdout.write(text)
    elif options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
