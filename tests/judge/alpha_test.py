#!/usr/bin/env python3
"""Colours that are weighted by their alpha against a program of their own, in fractions.

    alpha_test.py VIDCONV [JOBS]

First white on transparent red, which no blur may tint. Then so many jobs (200) drawn at random: formats with alpha,
sizes, chains of matrices, boxes and Gaussians, borders, fields, regions. Codes have to be the nearest to the fraction,
ties upward; where taps are no fractions of whole numbers either neighbour of a tie will do. Floats have to be the
nearest to what fractions give, or its neighbour where that lies in the middle. Each job is made by the CPU's choice
and by the definition. The last line counts; the exit code is 1 where something differs. VIDCONV_SEED repeats a drawing.
"""
import fractions
import math
import random
import struct
import subprocess
import sys

import raw_pictures
from drawn_checks import run_checks
from hiding_test import touched
from raw_pictures import as_float, as_word, planes_of

Fraction = fractions.Fraction
FORMATS = {
    "ya8": (8, 0, 1, [["Y11", "A11"]]),
    "yuva420p": (8, 0, 1, [["Y11"], ["U22"], ["V22"], ["A11"]]),
    "yuva422p10le": (10, 0, 2, [["Y11"], ["U21"], ["V21"], ["A11"]]),
    "yuva444p12le": (12, 0, 2, [["Y11"], ["U11"], ["V11"], ["A11"]]),
    "argb": (8, 0, 1, [["A11", "R11", "G11", "B11"]]),
    "rgba64le": (16, 0, 2, [["R11", "G11", "B11", "A11"]]),
    "yuva420p16le": (16, 0, 2, [["Y11"], ["U22"], ["V22"], ["A11"]]),
    "gbrapf32le": (32, 0, 4, [["G11"], ["B11"], ["R11"], ["A11"]]),
}
raw_pictures.FORMATS.update(FORMATS)
TIE = Fraction(1, 10**6)  # in codes


def picture(fmt, width, height, r):
    """Colours are noise; alpha is mostly nothing or all, in patches."""
    bits, _, size, layout = FORMATS[fmt]
    top = (1 << bits) - 1
    data = b""
    for components in layout:
        across, down = int(components[0][1]), int(components[0][2])
        w, h = -(-width // across), -(-height // down)
        patch = r.choice([1, 3, 7])
        alphas = {}
        for y in range(h):
            for x in range(w):
                for component in components:
                    if component[0] == "A":
                        kind = alphas.setdefault((x // patch, y // patch), r.random())
                        part = 0 if kind < 0.4 else 1 if kind < 0.7 else r.random()
                        value = -0.5 if size == 4 and kind < 0.05 else part
                    else:
                        value = r.uniform(-0.5, 1.5) if size == 4 else r.random()
                    data += struct.pack("<f", value) if size == 4 else (round(value * top)).to_bytes(size, "little")
    return data


class Taps:
    """A matrix of fractions; `exact` where they are those of whole numbers."""

    def __init__(self, words, rows, exact=True):
        self.words, self.rows, self.exact = words, rows, exact
        self.width, self.height = len(rows[0]), len(rows)


def outer(column, row):
    return [[c * r for r in row] for c in column]


def gaussian(sigma, across=1, down=1):
    def taps(per_sample):
        s = sigma / per_sample
        radius = math.ceil(3 * s)
        values = [Fraction(math.exp(-i * i / (2 * s * s))) for i in range(-radius, radius + 1)]
        return [v / sum(values) for v in values]
    return outer(taps(down), taps(across))


def draw_taps(r, planar):
    """A filter: its words, and by the luma samples of a sample its taps."""
    kind = r.random()
    if kind < 0.25:
        sigma = r.choice([0.6, 1.1, 2.3])
        return f"gaussian:sigma={sigma}", lambda a, d: Taps("", gaussian(sigma, a, d), False)
    if kind < 0.45 and not planar:
        w, h = r.randint(2, 7), r.randint(1, 7)
        rows = [[Fraction(1, w * h)] * w for _ in range(h)]
        return f"box:w={w}:h={h}", lambda a, d: Taps("", rows)
    w, h = r.randint(1, 5), r.randint(1, 5)
    rows = [[r.randint(0, 9) for _ in range(w)] for _ in range(h)]
    if r.random() < 0.4:
        rows = outer([r.randint(1, 5) for _ in range(h)], [r.randint(1, 5) for _ in range(w)])
    rows[h // 2][w // 2] += 1
    if w * h == 1:
        rows, w = [[1, 2]], 2
    total = sum(map(sum, rows))
    scaled = [[Fraction(tap, total) for tap in row] for row in rows]
    words = "matrix:" + ";".join(" ".join(map(str, row)) for row in rows) + ":scale=auto"
    return words, lambda a, d: Taps("", scaled)


def at(border, i, n):
    if 0 <= i < n:
        return i
    if border == "replicate":
        return 0 if i < 0 else n - 1
    if border == "wrap":
        return i % n
    if border == "reflect":
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if border == "reflect101":
        if n == 1:
            return 0
        i %= 2 * n - 2
        return i if i < n else 2 * n - 2 - i
    return None


def sums(taps, border, width, height, sample, outside):
    """Of each sample the sum of taps times sample(x, y), or `outside`."""
    across = [[at(border, x - taps.width // 2 + i, width) for i in range(taps.width)] for x in range(width)]
    made = []
    for y in range(height):
        rows = [at(border, y - taps.height // 2 + j, height) for j in range(taps.height)]
        made.append([sum(tap * (outside if u is None or v is None else sample[v][u])
                         for v, row in zip(rows, taps.rows) for u, tap in zip(across[x], row) if tap)
                     for x in range(width)])
    return made


def values_of(plane, rows, floats):
    return [[Fraction(as_float(word)) if floats else word for word in plane.rows[y]] for y in rows]


def as_code(value, top, exact):
    """The codes that will do."""
    value = min(max(value, Fraction(0)), Fraction(top))
    nearest = math.floor(value + Fraction(1, 2))
    if exact:
        return {nearest}
    return {math.floor(value + Fraction(1, 2) - TIE), nearest, math.floor(value + Fraction(1, 2) + TIE)}


def as_floats(value):
    """The words of floats that are nearest to a fraction, or as good as that."""
    word = as_word(float(value))
    near = [w for w in (word - 1, word, word + 1) if w >= 0 and math.isfinite(as_float(w))]
    least = min(abs(Fraction(as_float(w)) - value) for w in near)
    slack = abs(value) * Fraction(1, 10**12)
    return {w for w in near if abs(Fraction(as_float(w)) - value) <= least + slack}


class Near:
    """The words of floats that differ from a fraction by roundings."""

    def __init__(self, value):
        self.value = value

    def __contains__(self, word):
        return math.isfinite(as_float(word)) and abs(Fraction(as_float(word)) - self.value) < Fraction(1, 10**5)

    def __iter__(self):
        return iter([float(self.value)])


class Job:
    def __init__(self, r):
        self.fmt = r.choice(sorted(FORMATS))
        bits, _, size, layout = FORMATS[self.fmt]
        self.floats, self.top = size == 4, 1 if size == 4 else (1 << bits) - 1
        self.width, self.height = r.randint(1, 19), r.randint(1, 15)
        self.data = picture(self.fmt, self.width, self.height, r)
        subsampled = any(c[1:] != "11" for plane in layout for c in plane)
        self.words, self.taps = draw_taps(r, subsampled)
        self.border = r.choice(["reflect101", "reflect", "replicate", "wrap", "zero", "constant:0.3"])
        self.fields = r.random() < 0.2
        self.options = ["--border", self.border] + (["--scan", "interlaced"] if self.fields else [])
        self.how = r.choice(["", "", ":alpha=weighted", ":planes=all", "--alpha weighted", "separate"])
        spec = self.words + (self.how if self.how.startswith(":") else "")
        if self.how == "separate":
            self.options += ["--alpha", "separate", "--planes", "all"]
        elif self.how.startswith("--"):
            self.options += self.how.split()
        self.rects = None
        if r.random() < 0.3:
            x, y = r.randrange(self.width), r.randrange(self.height)
            self.rects = [(x, y, r.randint(1, self.width - x), r.randint(1, self.height - y))]
            spec += ":region=" + ",".join(map(str, self.rects[0]))
        self.options = ["--kernel", spec, *self.options]

    def __str__(self):
        return f"{self.fmt} {self.width}x{self.height} {' '.join(self.options)}"

    def wanted(self):
        """Of each plane the sets of words that will do."""
        planes = planes_of(self.fmt, self.width, self.height, self.data)
        alpha = next(p for p in planes if p.name == "A")
        result = []
        for plane in planes:
            made = [None] * plane.height
            for parity in range(2 if self.fields else 1):
                step = 2 if self.fields else 1
                rows, alpha_rows = range(parity, plane.height, step), range(parity, alpha.height, step)
                if len(rows) == 0:
                    continue
                for y, row in zip(rows, self.part(plane, rows, alpha, alpha_rows)):
                    made[y] = row
            if self.rects:
                inside = touched(plane, self.rects, self.width, self.height, self.fields)
                made = [[m if i else {was} for m, i, was in zip(*row)] for row in zip(made, inside, plane.rows)]
            result.append(made)
        return result

    def part(self, plane, rows, alpha, alpha_rows):
        taps = self.taps(plane.across, plane.down)
        level = Fraction(3, 10) if self.border.startswith("constant") else Fraction(0)
        level = Fraction(as_float(as_word(0.3))) if self.floats and level else level if self.floats else \
            Fraction(math.floor(level * self.top + Fraction(1, 2)))
        neutral = 0 if self.floats else (self.top + 1) // 2
        values, w, h = values_of(plane, rows, self.floats), plane.width, len(rows)
        if plane.name == "A" or self.how == "separate":
            found = sums(taps, self.border, w, h, values, neutral if plane.name in "UV" else level)
            if self.floats:  # as it was before there were weights, in float
                return [[Near(v) for v in row] for row in found]
            return [[self.codes_of_plain(v, taps) for v in row] for row in found]
        opacity = values_of(alpha, alpha_rows, self.floats)
        weights = [[sum(max(opacity[min(y * plane.down + j, len(opacity) - 1)][min(x * plane.across + i, alpha.width - 1)], 0)
                        for j in range(plane.down) for i in range(plane.across)) for x in range(w)] for y in range(h)]
        outside = level * plane.across * plane.down
        of_weights = sums(taps, self.border, w, h, weights, outside)
        terms = [[a * v for a, v in zip(*row)] for row in zip(weights, values)]
        of_terms = sums(taps, self.border, w, h, terms, outside * (neutral if plane.name in "UV" else level))
        result = []
        for y in range(h):
            row = []
            for x in range(w):
                if of_weights[y][x] == 0:
                    row.append({plane.rows[rows[y]][x]})
                    continue
                mean = of_terms[y][x] / of_weights[y][x]
                row.append(as_floats(mean) if self.floats else as_code(mean, self.top, taps.exact))
            result.append(row)
        return result

    def codes_of_plain(self, value, taps):
        """Alpha, and what is filtered on its own, has the arithmetic of all planes."""
        if taps.exact:
            return as_code(value, self.top, True)
        nearest = math.floor(value + Fraction(1, 2))
        return {nearest - 1, nearest, nearest + 1}


def run(vidconv, raw, job, *more):
    command = [vidconv, str(raw), "--raw", f"{job.width}x{job.height}:{job.fmt}", "-o", "-", "--format", "raw", "-q",
               "--progress", "none", "--device", "cpu", *job.options, *more]
    return subprocess.run(command, capture_output=True, check=False)


def check(vidconv, folder, number, seed):
    job = Job(random.Random(f"alpha {seed} {number}"))
    raw = folder / f"{number}.raw"
    raw.write_bytes(job.data)
    first = None
    for more in ([], ["--variant", "reference"], ["--threads", "3"]):
        about = f"job {number} of seed {seed}: {job} {' '.join(more)}"
        done = run(vidconv, raw, job, *more)
        if done.returncode != 0:
            return f"{about}: ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        if first is not None:
            if done.stdout != first:
                return f"{about}: other bytes"
            continue
        first = done.stdout
        for plane, want in zip(planes_of(job.fmt, job.width, job.height, done.stdout), job.wanted()):
            for y, (row, words) in enumerate(zip(plane.rows, want)):
                for x, (word, will_do) in enumerate(zip(row, words)):
                    if word not in will_do:
                        return f"{about}: plane {plane.name}, row {y}, column {x} is {word:#x}, not {sorted(will_do)}"
    raw.unlink()
    return None


def tinted(vidconv, folder):
    """White on transparent red stays white; without weights it does not."""
    size = 64
    data = bytearray()
    for y in range(size):
        for x in range(size):
            white = (x - 31.5) ** 2 + (y - 31.5) ** 2 <= 19.9**2
            data += b"\xff\xff\xff\xff" if white else b"\xff\x00\x00\x00"
    raw = folder / "red.raw"
    raw.write_bytes(data)
    words = []
    for kernel in ("gaussian:sigma=1", "gaussian:sigma=9", "box:size=5", "disk:radius=3", "matrix:1 2 1:scale=auto"):
        for options, clean in (([], True), (["--planes", "all"], True), (["--alpha", "weighted"], True),
                               (["--alpha", "separate"], False)):
            done = subprocess.run([vidconv, str(raw), "--raw", f"{size}x{size}:rgba", "-o", "-", "--format", "raw", "-q",
                                   "--device", "cpu", "--kernel", kernel, *options], capture_output=True, check=True).stdout
            pixels = [done[i:i + 4] for i in range(0, len(done), 4)]
            visible = [p for p in pixels if p[3] > 0]
            red = sum(p[:3] != b"\xff\xff\xff" for p in visible)
            if (red == 0) != clean:
                words.append(f"white on transparent red, {kernel} {' '.join(options)}: {red} of {len(visible)} visible pixels "
                             "are tinted")
    return words


def main(vidconv, jobs="200"):
    return run_checks(check, vidconv, jobs)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
