#!/usr/bin/env python3
"""The plugin in the real VapourSynth: the command's bytes, in whatever order and by however many threads frames are asked for.

    vapoursynth_test.py PLUGIN VIDCONV PAGE    by a Python that has VapourSynth; PAGE: docs/vapoursynth.md, whose script is run
"""
import ctypes
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import vapoursynth as vs

PLUGIN, VIDCONV, PAGE = sys.argv.pop(1), sys.argv.pop(1), Path(sys.argv.pop(1))
core = vs.core
core.std.LoadPlugin(PLUGIN)

SAMPLINGS = {"444": (0, 0), "422": (1, 0), "420": (1, 1), "440": (0, 1), "411": (2, 0), "410": (2, 2)}
KERNELS = ["gaussian:sigma=2", "sobel", "unsharp:amount=1.5", "matrix:1 2 3;4 5 6;7 8 9:scale=auto"]


def formats():
    """Yields FFmpeg's name and VapourSynth's format of each kind of clip."""
    def depth(bits):
        return "" if bits == 8 else f"{bits}le"
    for bits in (8, 9, 10, 12, 14, 16):
        yield "gray" + depth(bits), core.query_video_format(vs.GRAY, vs.INTEGER, bits)
        yield "gbrp" + depth(bits), core.query_video_format(vs.RGB, vs.INTEGER, bits)
        for name, log2 in SAMPLINGS.items():
            if bits == 8 or name in ("444", "422", "420") or (name == "440" and bits in (10, 12)):
                yield f"yuv{name}p{depth(bits)}", core.query_video_format(vs.YUV, vs.INTEGER, bits, *log2)
    yield "grayf32le", core.query_video_format(vs.GRAY, vs.FLOAT, 32)
    yield "gbrpf32le", core.query_video_format(vs.RGB, vs.FLOAT, 32)


def other_float_formats():
    """Yields names and formats of floats that FFmpeg has none for."""
    for bits in (16, 32):
        for family, name in ((vs.GRAY, "gray"), (vs.RGB, "gbrp"), *((vs.YUV, f"yuv{s}p") for s in SAMPLINGS)):
            if bits == 16 or family == vs.YUV:
                log2 = SAMPLINGS[name[3:6]] if family == vs.YUV else ()
                yield f"{name}f{bits}", core.query_video_format(family, vs.FLOAT, bits, *log2)


def order(form):
    """Returns the numbers of VapourSynth's planes in FFmpeg's order."""
    return (1, 2, 0) if form.color_family == vs.RGB else range(form.num_planes)


def bytes_of(frame):
    return b"".join(memoryview(frame[p]).tobytes() for p in order(frame.format))


def command(source, *options):
    """Returns the command's output as bare frames."""
    return subprocess.run([VIDCONV, source, "-o", "-", "--format", "raw", "--device", "cpu", "-q", *options], check=True,
                          stdout=subprocess.PIPE).stdout


def clip_of(data, form, width, height):
    """Makes a clip of bare frames."""
    def fill(n, f):
        frame, at = f.copy(), n * size
        for p in order(form):
            row, count = planes[p]
            for y in range(count):
                ctypes.memmove(frame.get_write_ptr(p).value + y * frame.get_stride(p), data[at:at + row], row)
                at += row
        return frame
    planes = [((width >> (form.subsampling_w if p else 0)) * form.bytes_per_sample,
               height >> (form.subsampling_h if p else 0)) for p in range(form.num_planes)]
    size = sum(row * count for row, count in planes)
    blank = core.std.BlankClip(format=form.id, width=width, height=height, length=len(data) // size)
    return blank.std.ModifyFrame(blank, fill)


def pattern(name, form, frames=3):
    """Makes a clip of the command's test picture; its name and size are the command's --raw."""
    width, height = (64, 48) if form.subsampling_w or form.subsampling_h else (67, 45)
    data = command(f"pattern:{width}x{height}:{name}#{frames}", "--kernel", "identity")
    return data, f"{width}x{height}:{name}", clip_of(data, form, width, height)


def samples_of(plane):
    """Returns the numbers of a plane of floats or half floats, row by row."""
    data = plane.tobytes()
    return struct.unpack(f"{len(data) // plane.itemsize}{plane.format}", data)


def with_noise(frame, seed):
    """Returns a copy of floats or half floats, with numbers of its own between -0.5 and 1.5."""
    numbers, noisy = random.Random(seed), frame.copy()
    for plane in range(frame.format.num_planes):
        height, width = frame[plane].shape
        for y in range(height):
            row = struct.pack(f"{width}{frame[plane].format}", *(numbers.random() * 2 - 0.5 for _ in range(width)))
            ctypes.memmove(noisy.get_write_ptr(plane).value + y * noisy.get_stride(plane), row, len(row))
    return noisy


class PluginTest(unittest.TestCase):
    def check(self, data, raw, clip, kernel, *options, **arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "in.raw"
            file.write_bytes(data)
            chain = [word for one in ([kernel] if isinstance(kernel, str) else kernel) for word in ("--kernel", one)]
            wanted = command(file, "--raw", raw, *chain, *options)
        ours = b"".join(bytes_of(frame) for frame in clip.vidconv.Filter(kernel, **arguments).frames(close=True))
        self.assertEqual(ours == wanted, True, raw)
        self.assertNotEqual(ours, data)

    def test_every_format(self):
        for i, (name, form) in enumerate(formats()):
            with self.subTest(name):
                self.check(*pattern(name, form), KERNELS[i % len(KERNELS)])

    def test_float_yuv_and_half_floats(self):
        """Planes that FFmpeg has no format for are those of grey floats; half floats are rounded once, behind the filters."""
        for i, (name, form) in enumerate(other_float_formats()):
            # Named filters are as many luma pixels wide everywhere, matrices as many samples.
            small = form.subsampling_w or form.subsampling_h
            kernel, border = KERNELS[-1] if small else KERNELS[i % len(KERNELS)], "replicate"
            width, height = 40 + 4 * (i % 3), 28
            source = core.std.BlankClip(format=form.id, width=width, height=height, length=2)
            source = source.std.ModifyFrame(source, lambda n, f: with_noise(f, n))
            ours = source.vidconv.Filter(kernel, border=border, planes=list(range(form.num_planes)))
            for n in range(2):
                before, after = source.get_frame(n), ours.get_frame(n)
                for p in range(form.num_planes):
                    with self.subTest(name, n=n, plane=p):
                        self.check_plane(before[p], after[p], kernel, border)

    def check_plane(self, before, after, kernel, border):
        half = before.format == "e"
        floats = samples_of(before)
        height, width = before.shape
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "in.raw"
            file.write_bytes(struct.pack(f"{len(floats)}f", *floats))
            wanted = command(file, "--raw", f"{width}x{height}:grayf32le", "--kernel", kernel, "--border", border)
        if half:
            wanted = struct.pack(f"{len(floats)}e", *struct.unpack(f"{len(floats)}f", wanted))
        self.assertEqual(after.tobytes() == wanted, True)

    def test_every_argument(self):
        picture = pattern("yuv420p", core.query_video_format(vs.YUV, vs.INTEGER, 8, 1, 1))
        self.check(*picture, ["gaussian:sigma=2", "unsharp"])
        self.check(*picture, "sobel", "--border", "constant:0.25", border="constant:0.25")
        self.check(*picture, "sobel", "--planes", "u", planes=[1], device=-1)
        colours = pattern("gbrp", core.query_video_format(vs.RGB, vs.INTEGER, 8))
        self.check(*colours, "box:size=9", "--planes", "r", planes=0)
        self.check(*colours, "box:size=9", "--planes", "r,b", planes=[0, 2])

    def test_fields(self):
        """Frames that say that they are two fields are filtered as two pictures; those beside them as one."""
        data, raw, clip = pattern("yuv422p10le", core.query_video_format(vs.YUV, vs.INTEGER, 10, 1, 0))
        for value in (1, 2):
            self.check(data, raw, clip.std.SetFrameProps(_FieldBased=value), "gaussian", "--scan", "interlaced")
        self.check(data, raw, clip.std.SetFrameProps(_FieldBased=0), "gaussian")
        frames = [clip.std.SetFrameProps(_FieldBased=v).vidconv.Filter("gaussian").get_frame(0) for v in (0, 2)]
        mixed = (clip[0].std.SetFrameProps(_FieldBased=0) + clip[0].std.SetFrameProps(_FieldBased=2)).vidconv.Filter("gaussian")
        self.assertEqual([bytes_of(f) for f in mixed.frames()], [bytes_of(f) for f in frames])
        self.assertNotEqual(*[bytes_of(f) for f in frames])

    def test_frames_over_time(self):
        """Filters over time get the frames around each, in clips too short for their windows."""
        form = core.query_video_format(vs.YUV, vs.INTEGER, 8, 1, 1)
        for frames in (2, 4, 11):
            data, raw, clip = pattern("yuv420p", form, frames)
            for kernel in ("time:1 2 3 2 1:scale=auto", "time:1 2 4:scale=auto:anchor=2:border=reflect",
                           ["time-box:size=9", "sobel", "time-exp:decay=0.5:border=shrink"],
                           "volume:0 1 0;1 2 1;0 1 0|1 2 1;2 4 2;1 2 1:scale=auto"):
                with self.subTest(kernel, frames=frames):
                    self.check(data, raw, clip, kernel)
                    self.assertEqual(clip.vidconv.Filter(kernel).num_frames, frames)
            self.check(data, raw, clip.std.SetFrameProps(_FieldBased=1), ["time:1 1:scale=auto", "gaussian"], "--scan",
                       "interlaced")

    def test_frames_that_are_left_out(self):
        data, raw, clip = pattern("gbrp", core.query_video_format(vs.RGB, vs.INTEGER, 8), 11)
        kernel = "time-box:size=4:every=4:phase=2"
        self.check(data, raw, clip, kernel)
        blended = clip.vidconv.Filter(kernel)
        self.assertEqual((blended.num_frames, blended.fps), (3, clip.fps / 4))
        seconds = [f.props["_DurationNum"] / f.props["_DurationDen"] for f in (clip.get_frame(0), blended.get_frame(1))]
        self.assertAlmostEqual(4 * seconds[0], seconds[1])
        with self.assertRaisesRegex(vs.Error, "no frame of the clip"):
            clip[:2].vidconv.Filter(kernel)

    def test_a_cuda_device(self):
        """A CUDA device, if there is one, gives the CPU's bytes."""
        try:
            core.std.BlankClip(format=vs.GRAY8, width=16, height=16, length=1).vidconv.Filter("box", device=0)
        except vs.Error as error:
            if os.environ.get("VIDCONV_REQUIRE_CUDA") == "1":
                raise
            self.skipTest(str(error))
        core.num_threads = 4
        for i, (name, form) in enumerate(formats()):
            with self.subTest(name):
                clip, kernel = pattern(name, form, frames=6)[2], [KERNELS[i % len(KERNELS)], "gaussian"]
                cpu, cuda = ([bytes_of(frame) for frame in clip.vidconv.Filter(kernel, device=device).frames(close=True)]
                             for device in (-1, 0))
                self.assertTrue(cpu == cuda)

    def test_any_order_by_several_threads(self):
        *_, clip = pattern("yuv420p", core.query_video_format(vs.YUV, vs.INTEGER, 8, 1, 1), frames=40)
        for kernel in (["gaussian:sigma=3", "sobel"], "time-box:size=5"):
            with self.subTest(kernel):
                self.check_order(clip.vidconv.Filter(kernel))

    def check_order(self, filtered):
        core.num_threads = 1
        wanted = [bytes_of(frame) for frame in filtered.frames()]
        numbers = list(range(40)) * 3
        for threads in (1, 2, 3, 4, 8, 16):
            core.num_threads = threads
            core.clear_cache()
            random.Random(threads).shuffle(numbers)
            futures = [(n, filtered.get_frame_async(n)) for n in numbers]
            self.assertTrue(all(bytes_of(future.result()) == wanted[n] for n, future in futures), threads)
        self.assertEqual(len(set(wanted)), 40)

    def test_threads_are_those_of_vapoursynth(self):
        core.num_threads = 2
        source = core.std.BlankClip(format=vs.GRAY16, width=1920, height=1080, length=20)

        def threads_after(clip):
            for _ in clip.frames(close=True):
                pass
            return len(os.listdir("/proc/self/task"))
        before = threads_after(source.std.BoxBlur(hradius=5))
        self.assertLessEqual(threads_after(source.vidconv.Filter("random:1,15x15")), before)

    def test_properties_stay(self):
        clip = core.std.BlankClip(format=vs.GRAY8, width=16, height=16, length=1, fpsnum=30, fpsden=1)
        filtered = clip.std.SetFrameProps(_Range=1, Mine=7).vidconv.Filter("box")
        self.assertEqual(filtered.get_frame(0).props.get("Mine"), 7)
        self.assertEqual((filtered.fps, filtered.num_frames, filtered.format.id), (clip.fps, 1, clip.format.id))

    def test_refusals(self):
        def blank(**more):
            return core.std.BlankClip(width=16, height=16, length=1, **more)
        grey = blank(format=vs.GRAY8)
        for clip, kernel, arguments, words in (
                (grey, "gausian", {}, "unknown filter 'gausian' (did you mean 'gaussian'?)"),
                (grey, "box:size=x", {}, "expected a number, found 'x'"),
                (grey, "box", {"border": "foo"}, "use reflect101|reflect"),
                (grey, "box", {"planes": 1}, "there is no plane 1; the clip has 1, counted from 0"),
                (blank(format=vs.RGB24), "box", {"planes": [2, -1]}, "there is no plane -1"),
                (blank(format=vs.RGB24), "box", {"planes": [2, 2]}, "plane 2 is given twice"),
                (grey, "box", {"device": 99}, "cuda:99"),
                (blank(format=vs.GRAY32), "box", {}, "clips of Gray32 are not filtered"),
                (blank(format=vs.YUV410P16), "box", {}, "yuv410p16le"),
                (blank(varsize=1), "box", {}, "changes on the way")):
            with self.subTest(kernel, **arguments), self.assertRaises(vs.Error) as raised:
                clip.vidconv.Filter(kernel, **arguments)
            self.assertIn(words, str(raised.exception))

    def test_a_warning_is_logged(self):
        said = []
        handler = core.add_log_handler(lambda kind, words: said.append((kind, words)))
        core.std.BlankClip(format=vs.GRAY8, width=16, height=16, length=1).vidconv.Filter("matrix:1 1 1")
        core.remove_log_handler(handler)
        self.assertTrue(any(kind == vs.MESSAGE_TYPE_WARNING and "scale" in words for kind, words in said), said)

    def test_the_page(self):
        """The page's script, run by vspipe, gives the command's bytes for its clip."""
        script = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
        programs = Path(sys.executable).parent
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, XDG_CONFIG_HOME=folder, PATH=f"{programs}:{os.environ['PATH']}")

            def run(*words):
                return subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True).stdout

            def pipe(text):
                (Path(folder) / "script.vpy").write_text(text.replace("vidconv_vapoursynth.so", PLUGIN), encoding="utf-8")
                return run(programs / "vspipe", "script.vpy", "-")
            if b"successfully" not in run(programs / "vapoursynth", "config"):
                self.skipTest("this Python has no shared library, which vspipe wants")
            filter_line = re.search(r'^clip = clip.vidconv.Filter\("(.*)"\)\n', script, re.MULTILINE)
            source = pipe(script.replace(filter_line[0], ""))
            (Path(folder) / "in.raw").write_bytes(source)
            wanted = command(Path(folder) / "in.raw", "--raw", "320x240:yuv420p", "--kernel", filter_line[1])
            self.assertTrue(pipe(script) == wanted != source)


if __name__ == "__main__":
    unittest.main()
