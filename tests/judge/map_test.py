#!/usr/bin/env python3
"""Blurs whose size a map says, against a program of their own in whole numbers.

    map_test.py VIDCONV [JOBS]

Draws so many jobs (60): formats, sizes, maps, values, tilt-shift, fields, regions. The program mixes what each level's
filter makes of the whole picture, which others judge, and has to give every bit. The last line counts; the exit code is
1 where something differs. VIDCONV_SEED repeats a drawing.
"""
import math
import random
import struct
import subprocess
import sys

from drawn_checks import run_checks
from raw_pictures import FORMATS, noise, planes_of

NAMES = ["gray", "gray16le", "grayf32le", "yuv420p", "yuv422p10le", "yuv411p", "nv12", "p010le", "rgb24", "gbrpf32le"]


def single(value):
    """The float nearest to a double, as a double."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def mixed(fmt, a, b, weight):
    """Words of two levels, mixed."""
    _, shift, size, _ = FORMATS[fmt]
    if weight == 0:
        return a
    if size == 4:
        if weight == 255:
            return b
        x, y = (struct.unpack("<f", struct.pack("<I", word))[0] for word in (a, b))
        part = single(weight / 255)
        return struct.unpack("<I", struct.pack("<f", single(x + single(single(y - x) * part))))[0]
    return ((a >> shift) * (255 - weight) + (b >> shift) * weight + 127) // 255 << shift


def tilted(width, height, y, size):
    far = max(1, y, height - y - size)
    return [[(255 * max(0, y - row, row - y - size + 1) + far // 2) // far] * width for row in range(height)]


def check(vidconv, folder, number, seed):
    r = random.Random(f"map {seed} {number}")
    fmt = r.choice(NAMES)
    width, height, fields = r.randint(1, 40), r.randint(2, 32), r.random() < 0.2
    data = noise(fmt, width, height, r, special=0)
    raw = folder / f"{number}.raw"
    raw.write_bytes(data)
    value, key = r.choice([(0.4, "gaussian:sigma"), (2, "gaussian:sigma"), (5.5, "gaussian:sigma"), (20, "gaussian:sigma"),
                           (3.5, "disk:radius")])
    if r.random() < 0.3:
        y = r.randrange(height - 1)
        size = r.randint(1, height - y)
        key, words = "gaussian:sigma", f"tilt-shift:y={y},height={size},blur={value}"
        weights = tilted(width, height, y, size)
    else:
        flat = r.random() < 0.5
        weights = [[min(255, 6 * x + y) if flat else r.choice([0, 255, r.randrange(256)]) for x in range(width)]
                   for y in range(height)]
        weights[0][0] = 255
        path = folder / f"{number}.pgm"
        path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + b"".join(map(bytes, weights)))
        words = f"{key}=map:{path}*{value}"
    if r.random() < 0.3:
        x, y = r.randrange(width), r.randrange(height)
        w, h = r.randint(1, width - x), r.randint(1, height - y)
        words += f":region={x},{y},{w},{h}"
        weights = [[v if x <= i < x + w and y <= j < y + h else 0 for i, v in enumerate(row)] for j, row in enumerate(weights)]
    if not any(map(any, weights)):
        weights = None  # nothing is left, which is refused

    def run(kernel, *more):
        return subprocess.run([vidconv, str(raw), "--raw", f"{width}x{height}:{fmt}", "-o", "-", "--format", "raw", "-q",
                               "--device", "cpu", "--kernel", kernel, *(["--scan", "interlaced"] if fields else []), *more],
                              capture_output=True, check=False)

    count = min(16, max(4, math.ceil(value)))
    planes = planes_of(fmt, width, height, data)
    levels = [planes]
    for k in range(1, count + 1):
        levels.append(planes_of(fmt, width, height, run(f"{key}={value * k / count!r}").stdout))
    for more in ([], ["--variant", "reference"], ["--threads", "3"]):
        about = f"job {number} of seed {seed}: {fmt} {width}x{height} {words} {' '.join(more)}{' fields' if fields else ''}"
        done = run(words, *more)
        if weights is None:
            if done.returncode != 2:
                return f"{about}: a map without anything left ended with {done.returncode}"
            continue
        if done.returncode != 0:
            return f"{about}: ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        for p, got in enumerate(planes_of(fmt, width, height, done.stdout)):
            for y in range(got.height):
                for x in range(got.width):
                    rows = ([2 * (y // 2 * got.down + j) + y % 2 for j in range(got.down)] if fields else
                            [y * got.down + j for j in range(got.down)])
                    t = count * max((weights[j][i] for j in rows if j < height
                                     for i in range(x * got.across, min((x + 1) * got.across, width))), default=0)
                    k = max(1, -(-t // 255))
                    a, b = levels[k - 1][p].rows[y][x], levels[k][p].rows[y][x]
                    want = mixed(fmt, a, b, t - 255 * (k - 1))
                    if got.rows[y][x] != want:
                        return f"{about}: plane {got.name}, row {y}, column {x} is {got.rows[y][x]:#x}, not {want:#x}"
    raw.unlink()
    return None


def main(vidconv, jobs="60"):
    return run_checks(check, vidconv, jobs)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
