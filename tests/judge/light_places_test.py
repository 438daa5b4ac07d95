#!/usr/bin/env python3
"""Filters of places in linear light against a program of their own, in double.

    light_places_test.py VIDCONV [JOBS]

Draws so many jobs (60): formats, sizes, boxes, regions, masks and fading edges, fields, chains of two.
Outside of the places every bit has to be the input's. Inside codes have to be within 1 of what the formulas of
docs/numerics.md give. The last line counts; the exit code is 1 where something differs. VIDCONV_SEED repeats a drawing.
"""
import math
import random
import subprocess
import sys

from drawn_checks import run_checks
from raw_pictures import FORMATS, planes_of

NAMES = ["gray", "gray10le", "yuv420p", "yuv422p10le", "yuv440p", "yuva420p", "nv12", "p010le", "rgb24", "bgra", "gbrp12le"]
KR, KB = 0.299, 0.114  # the matrix that is assumed of small pictures
ALPHA, BETA = 1.09929682680944, 0.018053968510807


def light_of(kind, signal):
    e = abs(signal)
    if kind == "bt709":
        light = e / 4.5 if e < 4.5 * BETA else ((e + ALPHA - 1) / ALPHA) ** (1 / 0.45)
    else:
        light = e / 12.92 if e < 12.92 * 0.0031308 else ((e + 0.055) / 1.055) ** 2.4
    return math.copysign(light, signal)


def signal_of(kind, light):
    value = abs(light)
    if kind == "bt709":
        signal = 4.5 * value if value < BETA else ALPHA * value**0.45 - (ALPHA - 1)
    else:
        signal = 12.92 * value if value < 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
    return math.copysign(signal, light)


def picture(fmt, width, height, r):
    """Colours that have all their light above 0: luma of the middle, chroma near neutral."""
    bits, shift, size, layout = FORMATS[fmt]
    data = b""
    for components in layout:
        across, down = int(components[0][1]), int(components[0][2])
        for _ in range(-(-width // across) * -(-height // down)):
            for component in components:
                low, high = (0.45, 0.55) if component[0] in "UV" else (0.3, 0.8)
                code = round(r.uniform(low, high) * ((1 << bits) - 1))
                data += (code << shift | r.getrandbits(shift)).to_bytes(size, "little")
    return data


class Colours:
    """What codes stand for."""

    def __init__(self, fmt, planes):
        bits = FORMATS[fmt][0]
        names = {p.name for p in planes}
        self.yuv, self.rgb = "U" in names, "R" in names
        limited = "Y" in names and self.yuv
        unit = 1 << (bits - 8)
        self.top = (1 << bits) - 1
        self.black, self.span = (16 * unit, 219 * unit) if limited else (0, self.top)
        self.neutral, self.chroma_span = 128 * unit, 224 * unit if limited else self.top
        self.curve = "bt709" if self.yuv else "srgb"

    def to_light(self, values, planes, width, height):
        """Planes of light by the size of luma."""
        if not self.yuv:
            return [[[light_of(self.curve, (v - self.black) / self.span) for v in row] for row in values[n]]
                    for n in ("RGB" if self.rgb else "Y")]
        chroma = next(p for p in planes if p.name == "U")
        light = [[[0.0] * width for _ in range(height)] for _ in range(3)]
        for y in range(height):
            for x in range(width):
                luma = (values["Y"][y][x] - self.black) / self.span
                cb, cr = ((self.between(values[n], chroma, x, y) - self.neutral) / self.chroma_span for n in "UV")
                red, blue = luma + 2 * (1 - KR) * cr, luma + 2 * (1 - KB) * cb
                green = (luma - KR * red - KB * blue) / (1 - KR - KB)
                for plane, signal in zip(light, (red, green, blue)):
                    plane[y][x] = light_of(self.curve, signal)
        return light

    @staticmethod
    def between(rows, chroma, x, y):
        """Chroma lies on the first of two columns, and between rows."""
        row = rows[y // chroma.down]
        if chroma.across != 2:
            return row[x // chroma.across]
        return (row[x // 2] + row[min((x + 1) // 2, len(row) - 1)]) / 2

    def codes(self, light, planes, width, height):
        made = {}
        if not self.yuv:
            for name, plane in zip("RGB" if self.rgb else "Y", light):
                made[name] = [[signal_of(self.curve, v) * self.span + self.black for v in row] for row in plane]
            return made
        signals = [[[signal_of(self.curve, v) for v in row] for row in plane] for plane in light]
        luma = [[KR * a + (1 - KR - KB) * b + KB * c for a, b, c in zip(*rows)] for rows in zip(*signals)]
        made["Y"] = [[v * self.span + self.black for v in row] for row in luma]
        chroma = next(p for p in planes if p.name == "U")
        for name, signal, part in (("U", signals[2], 2 * (1 - KB)), ("V", signals[0], 2 * (1 - KR))):
            made[name] = [[self.share(signal, luma, chroma, x, y, width, height) / part * self.chroma_span + self.neutral
                           for x in range(chroma.width)] for y in range(chroma.height)]
        return made

    @staticmethod
    def share(signal, luma, chroma, x, y, width, height):
        if chroma.across == 2:
            def mirrored(i):
                if width == 1:
                    return 0
                i = abs(i)
                return i if i < width else 2 * width - 2 - i
            columns = [(mirrored(2 * x + k), w) for k, w in zip(range(-2, 3), (-0.125, 0.25, 0.75, 0.25, -0.125))]
        else:
            at = [i for i in range(x * chroma.across, (x + 1) * chroma.across) if i < width]
            columns = [(i, 1 / len(at)) for i in at]
        at = [j for j in range(y * chroma.down, (y + 1) * chroma.down) if j < height]
        return sum(w / len(at) * (signal[j][i] - luma[j][i]) for j in at for i, w in columns)


def blurred(plane, size):
    """A box, beyond the edges as reflect101."""
    height, width, half = len(plane), len(plane[0]), size // 2

    def at(i, n):
        while not 0 <= i < n:
            i = -i if i < 0 else 2 * n - 2 - i
            if n == 1:
                return 0
        return i

    across = [[sum(row[at(x + k, width)] for k in range(-half, size - half)) for x in range(width)] for row in plane]
    return [[sum(across[at(y + k, height)][x] for k in range(-half, size - half)) / size**2 for x in range(width)]
            for y in range(height)]


class Place:
    """A filter with a place: a box of a size, and the weights of pixels."""

    def __init__(self, r, width, height, folder, number):
        self.size = r.choice([3, 5, 9])
        self.weights = [[0] * width for _ in range(height)]
        if r.random() < 0.3:
            self.weights = [[r.choice([0, 0, 255, r.randrange(256)]) for _ in range(width)] for _ in range(height)]
            self.weights[0][0] = 255
            mask = folder / f"mask-{number}.pgm"
            mask.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + b"".join(map(bytes, self.weights)))
            self.words = f"box:size={self.size}:mask={mask}"
            return
        x, y = r.randrange(width), r.randrange(height)
        w, h = r.randint(1, width - x), r.randint(1, height - y)
        feather = r.choice([0, 0, 1, 4])
        self.words = f"box:size={self.size}:region={x},{y},{w},{h}:feather={feather}"
        for row in range(height):
            for column in range(width):
                far = max(0, x - column, column - x - w + 1) + max(0, y - row, row - y - h + 1)
                self.weights[row][column] = max(0, math.floor(255 - 255 * far / (feather + 1) + 0.5))

    def act(self, light, fields):
        made = []
        for plane in light:
            rows = [None] * len(plane)
            for parity in range(2 if fields else 1):
                step = 2 if fields else 1
                if plane[parity::step]:
                    rows[parity::step] = blurred(plane[parity::step], self.size)
            made.append([[a + (b - a) * w / 255 for a, b, w in zip(*row)] for row in zip(plane, rows, self.weights)])
        return made


def weights_of(plane, weights, x, y, fields):
    """The weights of the pixels that a sample stands for."""
    rows = ([2 * (y // 2 * plane.down + j) + y % 2 for j in range(plane.down)] if fields else
            [y * plane.down + j for j in range(plane.down)])
    return [weights[j][i] for j in rows if j < len(weights)
            for i in range(x * plane.across, (x + 1) * plane.across) if i < len(weights[0])]


def check(vidconv, folder, number, seed):
    r = random.Random(f"light {seed} {number}")
    fmt = r.choice(NAMES)
    width, height, fields = r.randint(1, 27), r.randint(1, 21), r.random() < 0.2
    data = picture(fmt, width, height, r)
    raw = folder / f"{number}.raw"
    raw.write_bytes(data)
    places = [Place(r, width, height, folder, f"{number}-{i}") for i in range(r.choice([1, 1, 2]))]
    command = [vidconv, str(raw), "--raw", f"{width}x{height}:{fmt}", "-o", "-", "--format", "raw", "-q", "--linear",
               *(["--scan", "interlaced"] if fields else [])]
    for place in places:
        command += ["--kernel", place.words]
    planes = planes_of(fmt, width, height, data)
    shift = FORMATS[fmt][1]
    colours = Colours(fmt, planes)
    values = {p.name: [[word >> shift for word in row] for row in p.rows] for p in planes}
    light = colours.to_light(values, planes, width, height)
    for place in places:
        light = place.act(light, fields)
    wanted = colours.codes(light, planes, width, height)
    outputs = []
    for more in ([], ["--variant", "reference"], ["--threads", "3"], ["--audit", str(folder / f"{number}.jsonl")]):
        about = f"job {number} of seed {seed}: {' '.join(command[2:] + more)}"
        done = subprocess.run(command + more, capture_output=True, check=False)
        if done.returncode != 0:
            return f"{about}: ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        outputs.append(done.stdout)
        if done.stdout != outputs[0]:
            return f"{about}: other bytes"
    for plane, got in zip(planes, planes_of(fmt, width, height, outputs[0])):
        for y in range(plane.height):
            for x in range(plane.width):
                inside = plane.name != "A" and any(any(weights_of(plane, p.weights, x, y, fields)) for p in places)
                was, made = plane.rows[y][x], got.rows[y][x]
                want = min(max(wanted[plane.name][y][x], 0), colours.top) if inside else None
                if (abs((made >> shift) - want) > 1.5 or made & ((1 << shift) - 1)) if inside else made != was:
                    return f"{about}: plane {plane.name}, row {y}, column {x} is {made:#x}; it was {was:#x}, and should be {want}"
    raw.unlink()
    return None


def main(vidconv, jobs="60"):
    return run_checks(check, vidconv, jobs)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
