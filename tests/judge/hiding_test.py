#!/usr/bin/env python3
"""mosaic and fill against a program of their own, in exact integers: what they make, where, and that every other bit
stays as it is.

    hiding_test.py VIDCONV

Every sample of noise is compared: planes and packed pixels, 8 to 16 bits and floats, chroma of all subsamplings, fields,
regions and boxes, pictures that are stored turned. The last line counts; the exit code is 1 where something differs.
"""
import concurrent.futures
import fractions
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from raw_pictures import FORMATS, as_float, as_word, noise, planes_of

Fraction = fractions.Fraction

def mean(fmt, words):
    """Of the rows of a block."""
    _, shift, size, _ = FORMATS[fmt]
    count = sum(len(row) for row in words)
    if size == 4:
        total = 0.0
        for row in words:
            of_row = 0.0
            for word in row:
                of_row += as_float(word)
            total += of_row
        return as_word(total / count)
    total = sum(word >> shift for row in words for word in row)
    return math.floor(Fraction(total, count) + Fraction(1, 2)) << shift


def mosaic(fmt, plane, size, rows, turned=False):
    """What the rows with these numbers become, as one picture; `turned`: blocks are counted from the other corner."""
    w, h = plane.width, len(rows)
    if size <= plane.across and size <= plane.down:  # blocks of one sample: a copy, to the bit
        return [list(plane.rows[y]) for y in rows]

    def blocks(count, per_sample):
        numbers = [i * per_sample // size for i in range(count)]
        return [numbers[count - 1 - i] for i in range(count)] if turned else numbers

    columns, lines = blocks(w, plane.across), blocks(h, plane.down)
    means = {}
    for line in set(lines):
        for column in set(columns):
            xs = [x for x in range(w) if columns[x] == column]
            ys = [y for y in range(h) if lines[y] == line]
            means[line, column] = mean(fmt, [[plane.rows[rows[y]][x] for x in xs] for y in ys])
    return [[means[lines[y], columns[x]] for x in range(w)] for y in range(h)]


# Red, green and blue in luma.
MATRICES = {"bt709": ("0.2126", "0.7152", "0.0722"), "smpte170m": ("0.299", "0.587", "0.114"),
            "bt2020nc": ("0.2627", "0.6780", "0.0593"), "smpte240m": ("0.212", "0.701", "0.087")}


def colour_code(fmt, plane, rgb, matrix, limited):
    bits, shift, size, _ = FORMATS[fmt]
    kr, kg, kb = (Fraction(v) for v in MATRICES[matrix])
    r, g, b = (Fraction(v, 255) for v in rgb)
    luma = kr * r + kg * g + kb * b
    if plane.name == "A":
        return as_word(1.0) if size == 4 else ((1 << bits) - 1) << shift
    if plane.name in "UV":
        part, share = (b - luma, kb) if plane.name == "U" else (r - luma, kr)
        value, extent, zero = part / (2 * (1 - share)), Fraction(224), 128
    else:
        value, extent, zero = {"Y": luma, "R": r, "G": g, "B": b}[plane.name], Fraction(219), 16
    if size == 4:
        return as_word(float(value))
    unit = 1 << (bits - 8)
    if not limited:
        extent, zero = Fraction((1 << bits) - 1, unit), 128 if plane.name in "UV" else 0
    code = math.floor(extent * unit * value + zero * unit + Fraction(1, 2))
    return min(max(code, 0), (1 << bits) - 1) << shift


def touched(plane, rects, width, height, fields):
    """Whether a sample stands for a pixel of the rectangles, by row and column."""
    inside = [[False] * plane.width for _ in range(plane.height)]
    for y in range(plane.height):
        for x in range(plane.width):
            if fields:
                pixel_rows = [2 * (y // 2 * plane.down + j) + y % 2 for j in range(plane.down)]
            else:
                pixel_rows = [y * plane.down + j for j in range(plane.down)]
            xs = range(x * plane.across, min((x + 1) * plane.across, width))
            inside[y][x] = any(left <= px < left + w and top <= py < top + h
                               for py in pixel_rows if py < height for px in xs for left, top, w, h in rects)
    return inside


def filtered(fmt, planes, filter_, width, height, fields=False, rects=None, alpha=False, turned=False):
    """What the judge expects: of each plane rows of words."""
    result = []
    for plane in planes:
        if plane.name == "A" and not alpha:
            result.append(plane.rows)
            continue
        made = [None] * plane.height
        for parity in range(2 if fields else 1):
            rows = list(range(parity, plane.height, 2 if fields else 1))
            if not rows:
                continue
            if filter_[0] == "mosaic":
                parts = mosaic(fmt, plane, filter_[1], rows, turned)
            else:
                parts = [[colour_code(fmt, plane, *filter_[1:])] * plane.width for _ in rows]
            for row, part in zip(rows, parts):
                made[row] = part
        if rects is not None:
            inside = touched(plane, rects, width, height, fields)
            made = [[m if i else was for m, i, was in zip(*row)] for row in zip(made, inside, plane.rows)]
        result.append(made)
    return result


class Case:
    def __init__(self, fmt, width, height, spec, filter_, options=(), **how):
        self.fmt, self.width, self.height, self.spec, self.filter = fmt, width, height, spec, filter_
        self.options, self.how = list(options), how

    def __str__(self):
        return f"{self.fmt} {self.width}x{self.height} {self.spec} {' '.join(map(str, self.options))}"


def cases(r):
    sizes = [(37, 23), (64, 48), (1, 1), (2, 5), (33, 2), (16, 31)]
    for fmt in FORMATS:
        for size in (2, 3, 5, 8, 16, 500):
            width, height = r.choice(sizes)
            yield Case(fmt, width, height, f"mosaic:size={size}", ("mosaic", size))
            fields = r.random() < 0.5
            x, y = r.randrange(width), r.randrange(height)
            rects = [(x, y, r.randint(1, width - x), r.randint(1, height - y))]
            place = ",".join(map(str, rects[0]))
            yield Case(fmt, width, height, f"mosaic:size={size}:region={place}", ("mosaic", size),
                       ["--scan", "interlaced"] if fields else [], fields=fields, rects=rects)
        for name, rgb in (("black", (0, 0, 0)), ("White", (255, 255, 255)), ("#1e90ff", (0x1E, 0x90, 0xFF)),
                          ("tomato", (255, 99, 71)), ("#0f0", (0, 255, 0))):
            limited = FORMATS[fmt][3][0] == ["Y11"] and len(FORMATS[fmt][3]) > 1
            yield Case(fmt, 37, 23, f"fill:{name}:region=3,5,20,9", ("fill", rgb, "smpte170m", limited),
                       rects=[(3, 5, 20, 9)])
            yield Case(fmt, 6, 721, f"fill:{name}", ("fill", rgb, "bt709", limited))
        if FORMATS[fmt][3][-1] == ["A11"] or len(FORMATS[fmt][3][0]) == 4:
            yield Case(fmt, 20, 10, "fill:teal:planes=all", ("fill", (0, 128, 128), "smpte170m", len(FORMATS[fmt][3]) == 4 and FORMATS[fmt][0] == 8), alpha=True)


def check(vidconv, folder, number, case):
    """Words for what differs; None where nothing does."""
    r = random.Random(f"hiding {number}")
    data = noise(case.fmt, case.width, case.height, r)
    raw = folder / f"{number}.raw"
    raw.write_bytes(data)
    options = list(case.options)
    if case.how.get("rects") and r.random() < 0.5:  # a box at that place
        boxes = folder / f"{number}.jsonl"
        boxes.write_text("".join(json.dumps({"frame": 0, "box": rect}) + "\n" for rect in case.how["rects"]))
        case.spec = case.spec.split(":region=")[0] + (":planes=all" if case.how.get("alpha") else "")
        options += ["--regions", f"{boxes}:units=pixels"]
    for more in ([], ["--variant", "reference"] if "mosaic" in case.spec else ["--threads", "3"]):
        command = [vidconv, str(raw), "--raw", f"{case.width}x{case.height}:{case.fmt}", "-o", "-", "--format", "raw", "-q",
                   "--progress", "none", "--device", "cpu", "--kernel", case.spec, *options, *more]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            return f"{case}: ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        wanted = filtered(case.fmt, planes_of(case.fmt, case.width, case.height, data), case.filter, case.width,
                          case.height, **case.how)
        got = [p.rows for p in planes_of(case.fmt, case.width, case.height, done.stdout)]
        for plane, (a, b) in enumerate(zip(got, wanted)):
            for y, (row, want) in enumerate(zip(a, b)):
                for x, (one, other) in enumerate(zip(row, want)):
                    if one != other:
                        return f"{case} {' '.join(more)}: plane {plane}, row {y}, column {x} is {one:#x}, not {other:#x}"
    return None


def main(vidconv):
    all_cases = list(cases(random.Random("hiding")))
    failed = 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [pool.submit(check, vidconv, Path(name), i, case) for i, case in enumerate(all_cases)]
        for words in (f.result() for f in found):
            if words:
                failed += 1
                print(words)
    print(f"{len(all_cases) - failed} passed, {failed} failed")
    return 1 if failed or not all_cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
