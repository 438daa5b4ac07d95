#!/usr/bin/env python3
"""Means over frames in VapourSynth: vidconv's plugin beside zsmooth's TemporalSoften (PyPI: vapoursynth, vapoursynth-zsmooth).

    bench/scripts/over_time.py PLUGIN [--frames 12] [--size 3840x2160] [--rounds 3]

PLUGIN is vidconv_vapoursynth.so. One thread; processor milliseconds a frame, the least of all rounds, of frames of noise that
are in memory. `threshold`: samples that differ by more than 8 codes of 8 bits count as the frame's own. The last columns
compare both, in a small clip: TemporalSoften's mean at both ends is that of `border=shrink`.
"""
import argparse
import ctypes
import random
import time

import vapoursynth as vs

core = vs.core


def noise_clip(width, height, bits, frames):
    """Makes a clip of noise that stays in memory. Each sample differs by up to 15 codes of 8 bits from a grey."""
    r = random.Random(1)
    size = 1 if bits == 8 else 2
    blank = core.std.BlankClip(format=core.query_video_format(vs.YUV, vs.INTEGER, bits, 1, 1).id, width=width,
                               height=height, length=frames, color=[100 << (bits - 8)] * 3)
    mask = (16 << (bits - 8)) - 1

    def fill(n, f):
        frame = f.copy()
        for p in range(3):
            count = frame.get_stride(p) // size * frame[p].shape[0]
            words = int.from_bytes(r.randbytes(count * size), "little") & int.from_bytes(mask.to_bytes(size, "little") * count,
                                                                                         "little")
            ctypes.memmove(frame.get_write_ptr(p).value, words.to_bytes(count * size, "little"), count * size)
        return frame
    return in_memory(blank.std.ModifyFrame(blank, fill))


def in_memory(clip):
    """Makes all frames of the clip, which stay in its cache."""
    clip.std.SetVideoCache(mode=1, fixedsize=1, maxsize=clip.num_frames)
    for frame in clip.frames(close=True):
        del frame
    return clip


def milliseconds(clip):
    start = time.process_time()
    for frame in clip.frames(prefetch=1, backlog=0, close=True):
        del frame
    return (time.process_time() - start) * 1000 / clip.num_frames


def filters(clip, bits, radius, threshold):
    """The same mean by both."""
    ours = clip.vidconv.Filter(f"time-box:size={2 * radius + 1}:border=shrink" +
                               (f":threshold={threshold / 255:.17g}" if threshold < 255 else ""))
    limit = threshold if bits == 8 else threshold * ((1 << bits) - 1) // 255  # codes of the clip
    theirs = clip.zsmooth.TemporalSoften(radius=radius, threshold=[limit] * 3, scenechange=0)
    for one in (ours, theirs):
        one.std.SetVideoCache(mode=0)  # each frame is made when it is asked for
    return ours, theirs


def differences(ours, theirs):
    """The share of samples that differ, and the largest difference in codes."""
    count = largest = samples = 0
    for a, b in zip(ours.frames(close=True), theirs.frames(close=True)):
        for p in range(3):
            for v, w in zip(*(plane for plane in (memoryview(f[p]).tolist() for f in (a, b)))):
                apart = [abs(x - y) for x, y in zip(v, w)]
                samples += len(apart)
                count += sum(x > 0 for x in apart)
                largest = max(largest, *apart)
    return count / samples, largest


def prepared(about):
    """Reads the command line and loads the plugin, for one thread. Returns the options, the width and the height."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    core.std.LoadPlugin(options.plugin)
    core.num_threads = 1
    return (options, *map(int, options.size.split("x")))


def main():
    options, width, height = prepared(__doc__)
    print("| window | samples | threshold | frames alone | vidconv | zsmooth | samples that differ | by |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |")
    for bits in (8, 10):
        clip, small = noise_clip(width, height, bits, options.frames), noise_clip(160, 90, bits, 12)
        for radius in (1, 2, 7):
            for threshold in (255, 8):
                least = [min(milliseconds(one) for _ in range(options.rounds))
                         for one in (clip, *filters(clip, bits, radius, threshold))]
                share, largest = differences(*filters(small, bits, radius, threshold))
                print(f"| {2 * radius + 1} frames | {bits} bits | {'none' if threshold == 255 else threshold} | " +
                      " | ".join(f"{ms:.1f} ms" for ms in least) + f" | {100 * share:.1f}% | {largest} |", flush=True)


if __name__ == "__main__":
    main()
