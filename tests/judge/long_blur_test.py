#!/usr/bin/env python3
"""Gaussians that are larger than a matrix may be, against a program of their own in exact sums of doubles.

    long_blur_test.py VIDCONV [JOBS]

Draws so many jobs (30): formats, sizes, standard deviations to 1,000 across and down, borders, fields. Codes have to be
within one level of the truth, and the nearest to it unless that lies in the middle of two; floats within 10^-5. The last
line counts; the exit code is 1 where something differs. VIDCONV_SEED repeats a drawing.
"""
import math
import random
import subprocess
import sys

from alpha_test import at
from drawn_checks import run_checks
from raw_pictures import FORMATS, as_float, noise, planes_of

NAMES = ["gray", "gray10le", "gray16le", "grayf32le", "yuv420p", "p010le", "rgb24", "gbrpf32le"]


def taps(sigma, per_sample):
    s = sigma / per_sample
    radius = math.ceil(3 * s)
    values = [math.exp(-i * i / (2 * s * s)) for i in range(-radius, radius + 1)]
    total = math.fsum(values)
    return [v / total for v in values]


def shares(weights, border, n):
    """Of each sample of a line what each of the line's samples counts, and what lies outside."""
    half, made = len(weights) // 2, []
    for x in range(n):
        parts = [[] for _ in range(n + 1)]
        for i, w in enumerate(weights):
            u = at(border, x - half + i, n)
            parts[n if u is None else u].append(w)
        made.append([math.fsum(p) for p in parts])
    return made


def blurred(rows, across, down, border, outside):
    width, height = len(rows[0]), len(rows)
    columns, lines = shares(across, border, width), shares(down, border, height)
    first = [[math.fsum(w * v for w, v in zip(part, [*row, outside])) for part in columns] for row in rows]
    beyond = outside * math.fsum(across)
    return [[math.fsum([*(w * first[j][x] for j, w in enumerate(part[:-1])), part[-1] * beyond]) for x in range(width)]
            for part in lines]


def check(vidconv, folder, number, seed):
    r = random.Random(f"long {seed} {number}")
    fmt = r.choice(NAMES)
    bits, shift, size, layout = FORMATS[fmt]
    chroma = any(c[0] in "UV" for plane in layout for c in plane)
    width, height, fields = r.randint(1, 40), r.randint(2, 30), r.random() < 0.2
    # Half of it is more than a matrix has too, for chroma.
    x = r.choice([180, 333.3, 1000] if chroma else [86, 120, 400, 1000])
    y = r.choice([x, x, 200, 1000] if chroma else [x, x, 0.8, 90, 1000])
    border = r.choice(["reflect101", "reflect", "replicate", "wrap", "zero", "constant:0.3"])
    data = noise(fmt, width, height, r, special=0)
    raw = folder / f"{number}.raw"
    raw.write_bytes(data)
    command = [vidconv, str(raw), "--raw", f"{width}x{height}:{fmt}", "-o", "-", "--format", "raw", "-q", "--device", "cpu",
               "--border", border, "--kernel", f"gaussian:sigmax={x}:sigmay={y}", *(["--scan", "interlaced"] if fields else [])]
    outputs = []
    for more in ([], ["--variant", "cpu-generic"], ["--threads", "3"], ["--kernel", "identity"]):
        done = subprocess.run(command + more, capture_output=True, check=False)
        about = f"job {number} of seed {seed}: {' '.join(command[2:] + more)}"
        if done.returncode != 0:
            return f"{about}: ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        outputs.append(done.stdout)
        if done.stdout != outputs[0]:
            return f"{about}: other bytes"
    top = 1 if size == 4 else (1 << bits) - 1
    level = 0.3 if border.startswith("constant") else 0.0
    for plane, got in zip(planes_of(fmt, width, height, data), planes_of(fmt, width, height, outputs[0])):
        outside = (0 if size == 4 else (top + 1) // 2) if plane.name in "UV" else level if size == 4 else \
            math.floor(level * top + 0.5)
        step = 2 if fields else 1
        for parity in range(step):
            rows = [[as_float(w) if size == 4 else w >> shift for w in row] for row in plane.rows[parity::step]]
            if not rows:
                continue
            wanted = blurred(rows, taps(x, plane.across), taps(y, plane.down), border, outside)
            for j, (words, want) in enumerate(zip(got.rows[parity::step], wanted)):
                for i, (word, truth) in enumerate(zip(words, want)):
                    if size == 4:
                        wrong = abs(as_float(word) - truth) > 1e-5
                    else:
                        code = word >> shift
                        wrong = abs(code - truth) > 1 or (abs(code - truth) > 0.5 + 0.05)
                    if wrong:
                        return f"{about}: plane {plane.name}, row {j} of field {parity}, column {i} is {word:#x}, not {truth}"
    raw.unlink()
    return None


def main(vidconv, jobs="30"):
    return run_checks(check, vidconv, jobs)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
