#!/usr/bin/env python3
"""Blurs in VapourSynth: vidconv's plugin beside std.Convolution, std.BoxBlur, zsmooth and vszip (PyPI: vapoursynth,
vapoursynth-zsmooth, vapoursynth-vszip).

    bench/scripts/clips.py PLUGIN [--frames 12] [--size 3840x2160] [--rounds 3]

PLUGIN is vidconv_vapoursynth.so. One thread; processor milliseconds a frame of grey noise that is in memory, the least of all
rounds, less what the frames alone take. The last column: samples of the other's that are not vidconv's.
"""
import ctypes
import random
import struct

import vapoursynth as vs
from over_time import in_memory, milliseconds, prepared

core = vs.core


def noise_clip(form, width, height, frames):
    """Makes a clip of one plane of noise that stays in memory."""
    r = random.Random(1)
    blank = core.std.BlankClip(format=form, width=width, height=height, length=frames)
    # Floats are from 0 to 1. Rows begin anywhere in a few of them, because drawing takes long.
    kind = blank.get_frame(0)[0].format
    pool = struct.pack(f"8192{kind}", *(r.random() for _ in range(8192))) if kind in "ef" else b""

    def fill(n, f):
        del n
        frame = f.copy()
        stride = frame.get_stride(0)
        for y in range(height):
            if pool:
                start = r.randrange(8192) * (len(pool) // 8192)
                row = (pool[start:] + pool * (stride // len(pool) + 1))[:stride]
            else:
                row = r.randbytes(stride)
            ctypes.memmove(frame.get_write_ptr(0).value + y * stride, row, stride)
        return frame
    return in_memory(blank.std.ModifyFrame(blank, fill))


def share_of_others(ours, theirs):
    count = samples = 0
    for a, b in zip(ours.frames(close=True), theirs.frames(close=True)):
        one, two = (memoryview(f[0]).tobytes() for f in (a, b))
        size = a.format.bytes_per_sample
        samples += len(one) // size
        count += sum(one[i:i + size] != two[i:i + size] for i in range(0, len(one), size))
    return count / samples


def rows(clip):
    """Yields the name of each blur, vidconv's clip and the others' clips by name."""
    binomial = [1, 2, 1, 2, 4, 2, 1, 2, 1]
    yield "1 2 1 x 1 2 1", clip.vidconv.Filter("matrix:1 2 1;2 4 2;1 2 1:scale=auto"), {
        "std.Convolution": lambda: clip.std.Convolution(binomial), "zsmooth.RemoveGrain": lambda: clip.zsmooth.RemoveGrain([12])}
    dense = [0, -1, 0, -1, 5, -1, 0, -1, 0]
    yield "0 -1 0, -1 5 -1, 0 -1 0", clip.vidconv.Filter("matrix:0 -1 0;-1 5 -1;0 -1 0"), {
        "std.Convolution": lambda: clip.std.Convolution(dense)}
    yield "25 numbers", clip.vidconv.Filter("matrix:" + ";".join(["1 2 3 2 1"] * 5) + ":scale=auto"), {
        "std.Convolution": lambda: clip.std.Convolution([1, 2, 3, 2, 1] * 5)}
    for radius in (2, 10):
        yield f"box of {2 * radius + 1}", clip.vidconv.Filter(f"box:size={2 * radius + 1}"), {
            "std.BoxBlur": lambda radius=radius: clip.std.BoxBlur(hradius=radius, vradius=radius),
            "vszip.BoxBlur": lambda radius=radius: clip.vszip.BoxBlur(hradius=radius, vradius=radius)}


def main():
    options, width, height = prepared(__doc__)
    print("| samples | blur | vidconv | other | its time | other / vidconv | samples that differ |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for form in (vs.GRAY8, vs.GRAY16, vs.GRAYH, vs.GRAYS):
        clip, small = noise_clip(form, width, height, options.frames), noise_clip(form, 160, 90, 2)
        for (name, ours, others), (_, small_ours, small_others) in zip(rows(clip), rows(small)):
            for other in others:
                try:
                    pair = [ours, others[other]()]
                    share = share_of_others(small_ours, small_others[other]())
                except vs.Error as error:
                    print(f"| {clip.format.name} | {name} | | {other} | refused: {str(error)[:60]} | | |", flush=True)
                    continue
                for one in pair:
                    one.std.SetVideoCache(mode=0)  # each frame is made when it is asked for
                least = [min(milliseconds(one) for _ in range(options.rounds)) for one in (clip, *pair)]
                mine, its = (ms - least[0] for ms in least[1:])
                print(f"| {clip.format.name} | {name} | {mine:.2f} ms | {other} | {its:.2f} ms | {its / mine:.2f} | {100 * share:.1f}% |",
                      flush=True)


if __name__ == "__main__":
    main()
