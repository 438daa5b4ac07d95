#!/usr/bin/env python3
"""Filters over time against a program of their own: exact integers, and floats added up in the order that
docs/numerics.md says.

    time_test.py VIDCONV [JOBS]

Draws so many jobs (300): formats, lengths of 1 to 40 frames, chains, volumes, borders in time and space, thresholds,
cuts, ranges of frames, regions. Every sample is compared, once by the CPU's choice and once by the definition. The last line counts;
the exit code is 1 where something differs. VIDCONV_SEED repeats a drawing.
"""
import fractions
import math
import random
import subprocess
import sys

from drawn_checks import run_checks
from hiding_test import mosaic, touched
from raw_pictures import FORMATS, Plane, as_float, as_word, noise, planes_of

Fraction = fractions.Fraction


def nearest_float(value):
    """The word of the float nearest to a fraction, ties to even."""
    word = as_word(float(value))
    best = min((abs(Fraction(as_float(near)) - value), near & 1, near)
               for near in (word - 1, word, word + 1) if near >= 0 and math.isfinite(as_float(near)))
    return best[2]


class OverTime:
    """A filter over time: taps as fractions, and all else as its words say."""

    def __init__(self, taps, anchor, scale=Fraction(1), bias=Fraction(0), absolute=False, border="replicate",
                 threshold=None, cut=None, every=1, phase=0, rect=None, frames=None, alpha=False):
        self.taps, self.anchor, self.scale, self.bias, self.absolute = taps, anchor, scale, bias, absolute
        self.border, self.threshold, self.cut, self.every, self.phase = border, threshold, cut, every, phase
        self.rect, self.frames, self.alpha = rect, frames, alpha

    def standing_for(self, number, count):
        if 0 <= number < count:
            return number
        if self.border == "replicate":
            return 0 if number < 0 else count - 1
        if self.border == "reflect":
            at = number % (2 * count)
            return at if at < count else 2 * count - 1 - at
        if self.border == "reflect101":
            if count == 1:
                return 0
            at = number % (2 * count - 2)
            return at if at < count else 2 * count - 2 - at
        return None

    def is_copy(self, fmt):
        """Of the frame itself, to the bit. Codes have no sign that an absolute value takes."""
        others = [tap for k, tap in enumerate(self.taps) if k != self.anchor]
        return not any(others) and self.taps[self.anchor] * self.scale == 1 and self.bias == 0 and \
            not (self.absolute and FORMATS[fmt][2] == 4)

    def window(self, pictures, here, fmt):
        """Of each tap the number of its frame; None: there is none."""
        first, last, count = 0, len(pictures) - 1, len(pictures)
        cut_before = cut_after = False
        if self.cut is not None:
            # A frame beyond an edge is that which stands for it.
            seen = [self.standing_for(here - self.anchor + k, count) for k in range(len(self.taps))]
            seen = [n for n in seen if n is not None] + [here]
            for n in range(here, min(seen), -1):
                if mean_difference(fmt, pictures[n - 1], pictures[n]) > self.cut:
                    first, cut_before = n, True
                    break
            for n in range(here + 1, max(seen) + 1):
                if mean_difference(fmt, pictures[n - 1], pictures[n]) > self.cut:
                    last, cut_after = n - 1, True
                    break
        numbers = []
        for k in range(len(self.taps)):
            number = here - self.anchor + k
            if cut_before and number < first:
                numbers.append(first)
                continue
            if cut_after and number > last:
                numbers.append(last)
                continue
            there = self.standing_for(number, count)
            if there is not None:
                there = min(there, last) if cut_after else there
                there = max(there, first) if cut_before else there
            numbers.append(there)
        return numbers

    def filtered(self, fmt, pictures, width, height):
        """What comes out of these pictures, each a list of planes."""
        made = []
        for here in range(self.phase, len(pictures), self.every):
            planes = pictures[here]
            if self.frames and not self.frames[0] <= here <= self.frames[1]:
                made.append(planes)
                continue
            if self.is_copy(fmt):
                made.append(planes)
                continue
            numbers = self.window(pictures, here, fmt)
            picture = []
            for p, plane in enumerate(planes):
                if plane.name == "A" and not self.alpha:
                    picture.append(plane)
                    continue
                others = [None if n is None else pictures[n][p].rows for n in numbers]
                rows = self.plane(fmt, plane, others)
                if self.rect:
                    inside = touched(plane, [self.rect], width, height, False)
                    rows = [[m if i else was for m, i, was in zip(*row)] for row in zip(rows, inside, plane.rows)]
                picture.append(Plane(plane.name, plane.across, plane.down, rows))
            made.append(picture)
        return made

    def plane(self, fmt, plane, others):
        bits, shift, size, _ = FORMATS[fmt]
        floats = size == 4
        top = 1 if floats else (1 << bits) - 1
        outside = Fraction(0) if plane.name not in "UV" or floats else Fraction(1 << (bits - 1))
        scaled = [tap * self.scale for tap in self.taps]
        if self.border == "shrink":
            there = [Fraction(0) if other is None else tap for tap, other in zip(scaled, others)]
            if sum(there):
                scaled = [tap * sum(scaled) / sum(there) for tap in there]
        threshold = None
        if self.threshold is not None:
            threshold = Fraction(as_float(nearest_float(self.threshold))) if floats else math.floor(self.threshold * top)

        def value(word):
            return Fraction(as_float(word)) if floats else Fraction(word >> shift)

        rows = []
        for y in range(plane.height):
            row = []
            for x in range(plane.width):
                here = value(plane.rows[y][x])
                values = []
                for other in others:
                    there = here if other is None and self.border == "shrink" else \
                        outside if other is None else value(other[y][x])
                    if threshold is not None:
                        apart = abs(there - here)
                        if (Fraction(as_float(nearest_float(apart))) if floats else apart) > threshold:
                            there = here
                    values.append(there)
                row.append(self.float_sample(scaled, values) if floats else self.code(scaled, values, top) << shift)
            rows.append(row)
        return rows

    def code(self, scaled, values, top):
        total = sum(tap * v for tap, v in zip(scaled, values)) + self.bias * top
        if self.absolute:
            total = abs(total)
        return min(max(math.floor(total + Fraction(1, 2)), 0), top)

    def float_sample(self, scaled, values):
        total = Fraction(0)
        for tap, v in zip(scaled, values):
            tap = Fraction(as_float(nearest_float(tap)))
            total = Fraction(as_float(nearest_float(tap * v + total)))
        total = Fraction(as_float(nearest_float(total + Fraction(as_float(nearest_float(self.bias))))))
        return nearest_float(abs(total) if self.absolute else total)


def border_index(mode, i, count):
    """The number of the sample that stands for one beyond an edge; None: the border's value."""
    if 0 <= i < count:
        return i
    if mode == "replicate":
        return min(max(i, 0), count - 1)
    if mode == "wrap":
        return i % count
    if mode == "reflect":
        at = i % (2 * count)
        return at if at < count else 2 * count - 1 - at
    if mode == "reflect101":
        if count == 1:
            return 0
        at = i % (2 * count - 2)
        return at if at < count else 2 * count - 2 - at
    return None


class Volume(OverTime):
    """A filter over columns, rows and frames: `planes` of rows of taps, one for each frame. `anchor`: x, y, frame."""

    def __init__(self, planes, anchor, space, **how):
        # For windows, a tap a frame: what counts for `shrink` is the sum of a plane's.
        super().__init__([sum(map(sum, plane)) for plane in planes], anchor[2], **how)
        self.planes, self.at, self.space = planes, anchor, space

    def is_copy(self, fmt):
        return len(self.planes) == len(self.planes[0]) == len(self.planes[0][0]) == 1 and super().is_copy(fmt)

    def plane(self, fmt, plane, others):
        bits, shift, size, _ = FORMATS[fmt]
        floats = size == 4
        top = 1 if floats else (1 << bits) - 1
        black = neutral = 0 if plane.name not in "UV" or floats else 1 << (bits - 1)
        scale = self.scale
        if self.border == "shrink" and None in others:
            there = [0 if other is None else tap for tap, other in zip(self.taps, others)]
            scale = scale * sum(self.taps) / sum(there) if sum(there) else None
        threshold = None
        if self.threshold is not None:
            threshold = Fraction(as_float(nearest_float(self.threshold))) if floats else math.floor(self.threshold * top)

        def value(rows, x, y):
            x, y = border_index(self.space, x, plane.width), border_index(self.space, y, plane.height)
            if x is None or y is None:
                return neutral  # --border zero
            if rows is None:
                return black
            return Fraction(as_float(rows[y][x])) if floats else rows[y][x] >> shift

        def sample(x, y):
            if scale is None:  # no frame is left that counts
                here = value(plane.rows, x, y)
                one = sum(self.taps) * self.scale
                return self.float_sample([one], [here]) if floats else self.code([one], [here], top) << shift
            total = Fraction(0)
            for other, taps in zip(others, self.planes):
                if other is None and self.border == "shrink":
                    continue
                for j, row in enumerate(taps):
                    of_row = Fraction(0)
                    for i, tap in enumerate(row):
                        px, py = x + i - self.at[0], y + j - self.at[1]
                        there, here = value(other, px, py), value(plane.rows, px, py)
                        if threshold is not None:
                            apart = abs(there - here)
                            if (Fraction(as_float(nearest_float(apart))) if floats else apart) > threshold:
                                there = here
                        if floats:
                            of_row = self.rounded(Fraction(as_float(nearest_float(tap * scale))) * there + of_row)
                        else:
                            of_row += tap * there
                    total = self.rounded(total + of_row) if floats else total + of_row
            return self.float_sample([1], [total]) if floats else self.code([scale], [total], top) << shift

        return [[sample(x, y) for x in range(plane.width)] for y in range(plane.height)]

    @staticmethod
    def rounded(value):
        return Fraction(as_float(nearest_float(value)))


class Mosaic:
    """A filter of pixels, for chains."""

    def __init__(self, size):
        self.size = size

    def filtered(self, fmt, pictures, _width, _height):
        made = []
        for planes in pictures:
            picture = []
            for plane in planes:
                rows = plane.rows if plane.name == "A" else mosaic(fmt, plane, self.size, range(plane.height))
                picture.append(Plane(plane.name, plane.across, plane.down, rows))
            made.append(picture)
        return made


def mean_difference(fmt, a, b):
    """By how much the luma of two pictures differs in the mean, or all colours of one without."""
    bits, shift, size, _ = FORMATS[fmt]
    luma = [p for p in range(len(a)) if a[p].name == "Y"]
    total, count = Fraction(0), 0
    for p in luma or [p for p in range(len(a)) if a[p].name != "A"]:
        for one, other in zip(a[p].rows, b[p].rows):
            for v, w in zip(one, other):
                total += abs(Fraction(as_float(v)) - Fraction(as_float(w))) if size == 4 else abs((v >> shift) - (w >> shift))
                count += 1
    return total / (count * (1 if size == 4 else (1 << bits) - 1))


def same_bits(words, fmt):
    """0 has two signs, of which sums may have either."""
    return [[0 if FORMATS[fmt][2] == 4 and word == 0x80000000 else word for word in row] for row in words]


def draw_filter(r, fmt, width, height, may_drop, space):
    floats = FORMATS[fmt][2] == 4
    count = r.choice([1, 2, 3, 3, 4, 5, 7, 8, 9, 16, 33])
    kind = r.choice(["time", "time", "time", "box", "volume"])
    words, how = [], {}
    if kind == "volume":
        count, planes, text = draw_volume(r)
        taps, anchor = [sum(map(sum, plane)) for plane in planes], count // 2
        if r.random() < 0.6:
            how["scale"] = Fraction(r.choice(["1/4", "1/8", "1/2"]))
            words.append(f"scale={how['scale']}")
        if r.random() < 0.3:
            how["absolute"] = True
            words.append("abs=1")
    elif kind == "box":
        taps, anchor = [Fraction(1, count)] * count, count // 2
        text = f"time-box:size={count}"
    else:
        most = 9 if count < 8 else 3
        taps = [Fraction(r.randint(-most, most)) for _ in range(count)]
        if r.random() < 0.5:
            taps = [abs(tap) for tap in taps]
        text, anchor = "time:" + " ".join(map(str, taps)), count // 2
        if r.random() < 0.5 and sum(taps) > 0 and not floats:
            how["scale"] = 1 / Fraction(sum(taps))
            words.append("scale=auto")
        elif r.random() < 0.5:
            how["scale"] = Fraction(r.choice(["1/4", "1/2", "1/3", "3/8"] if not floats else ["1/4", "1/2"]))
            words.append(f"scale={how['scale']}")
        if r.random() < 0.3:
            how["bias"] = Fraction(r.choice(["1/2", "1/4", "-1/8"]))
            words.append(f"bias={float(how['bias'])}")
        if r.random() < 0.3:
            how["absolute"] = True
            words.append("abs=1")
    if kind == "volume":
        rows, columns = len(planes[0]), len(planes[0][0])
        place = (columns // 2, rows // 2, anchor)
        if r.random() < 0.4:
            place = (r.randrange(columns), r.randrange(rows), r.randrange(count))
            words.append("anchor=" + ",".join(map(str, place)))
    elif r.random() < 0.4:
        anchor = r.randrange(count)
        words.append(f"anchor={anchor}")
    least = min(tap for plane in planes for row in plane for tap in row) if kind == "volume" else min(taps)
    borders = ["replicate", "reflect", "reflect101", "zero"]
    if not floats and least >= 0 and sum(taps) > 0:
        borders.append("shrink")
    if r.random() < 0.6:
        how["border"] = r.choice(borders)
        words.append(f"border={how['border']}")
    if r.random() < 0.3:
        how["threshold"] = Fraction(r.choice(["1/4", "1/2", "1/16"]))
        words.append(f"threshold={float(how['threshold'])}")
    if r.random() < 0.3:
        how["cut"] = Fraction(r.choice(["1/4", "5/16", "3/8"]))
        words.append(f"cut={float(how['cut'])}")
    if may_drop and r.random() < 0.4:
        how["every"] = r.choice([2, 3, 4, 7])
        how["phase"] = r.randrange(how["every"])
        words += [f"every={how['every']}", f"phase={how['phase']}"]
    else:
        if r.random() < 0.3:
            x, y = r.randrange(width), r.randrange(height)
            how["rect"] = (x, y, r.randint(1, width - x), r.randint(1, height - y))
            words.append("region=" + ",".join(map(str, how["rect"])))
        if r.random() < 0.3:
            begin = r.randrange(12)
            how["frames"] = (begin, begin + r.randrange(12))
            words.append(f"between=f{how['frames'][0]}-f{how['frames'][1]}")
    how["alpha"] = True
    r.shuffle(words)
    if kind == "volume":
        return ":".join([text, *words, "planes=all"]), Volume(planes, place, space, **how)
    # Taps of any sign would be taken for an edge detector's, which leaves chroma out.
    return ":".join([text, *words, "planes=all"]), OverTime(taps, anchor, **how)


def draw_volume(r):
    """Planes of taps, and words for them. Some are products of a row over frames and a plane."""
    count, rows, columns = r.choice([1, 2, 3, 4]), r.choice([1, 2, 3]), r.choice([1, 2, 3, 4])
    low = r.choice([-3, 0])
    if r.random() < 0.4:
        times = [Fraction(r.randint(low, 3)) for _ in range(count)]
        plane = [[Fraction(r.randint(low, 3)) for _ in range(columns)] for _ in range(rows)]
        planes = [[[t * tap for tap in row] for row in plane] for t in times]
    else:
        planes = [[[Fraction(r.randint(low, 5)) for _ in range(columns)] for _ in range(rows)] for _ in range(count)]
    text = "volume:" + "|".join(";".join(" ".join(map(str, row)) for row in plane) for plane in planes)
    return count, planes, text


def draw(number, seed):
    r = random.Random(f"time {seed} {number}")
    fmt = r.choice(list(FORMATS))
    width, height = r.choice([(5, 4), (9, 3), (16, 2), (1, 1), (33, 2), (7, 7)])
    count = r.choice([1, 2, 3, 5, 8, 13, 21, 40]) if width * height < 40 else r.choice([1, 2, 3, 6, 11])
    chain = []
    space = r.choice(["reflect101", "reflect", "replicate", "wrap", "zero"])
    for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
        if r.random() < 0.2:
            chain.append((f"mosaic:size={r.choice([2, 3])}", Mosaic(r.choice([2, 3]))))
            chain[-1] = (f"mosaic:size={chain[-1][1].size}", chain[-1][1])
        else:
            # Frames that a filter counts are those of the input.
            may_drop = all("every=" not in text for text, _ in chain)
            chain.append(draw_filter(r, fmt, width, height, may_drop, space))
    seen = False
    for text, filter_ in chain:
        if seen and isinstance(filter_, OverTime):
            filter_.frames = None
        seen = seen or "every=" in text
    texts = []
    seen = False
    for text, filter_ in chain:
        if seen:
            text = ":".join(word for word in text.split(":") if not word.startswith("between="))
        seen = seen or "every=" in text
        texts.append(text)
    return r, fmt, width, height, count, space, texts, [filter_ for _, filter_ in chain]


def clip(fmt, width, height, count, r):
    """Frames of noise, of which some are as the one before, or nearly so."""
    frames = [noise(fmt, width, height, r, 0)]
    while len(frames) < count:
        fresh = noise(fmt, width, height, r, 0)
        kept = frames[-1]
        frames.append(fresh if r.random() < 0.4 else kept[:len(kept) // 8 * 4] + fresh[len(kept) // 8 * 4:])
    return frames


def check(vidconv, folder, number, seed):
    """Words for what differs; None where nothing does."""
    r, fmt, width, height, count, space, texts, filters = draw(number, seed)
    frames = clip(fmt, width, height, count, r)
    raw = folder / f"{number}.raw"
    raw.write_bytes(b"".join(frames))
    wanted = [planes_of(fmt, width, height, frame) for frame in frames]
    for filter_ in filters:
        wanted = filter_.filtered(fmt, wanted, width, height)
    kernels = [word for text in texts for word in ("--kernel", text)]
    for more in (["--threads", "2"], ["--variant", "reference"]):
        if more[0] == "--variant" and any("mosaic" in text for text in texts):
            continue
        command = [vidconv, str(raw), "--raw", f"{width}x{height}:{fmt}", "-o", "-", "--format", "raw", "-q",
                   "--progress", "none", "--border", space, *kernels, *more]
        about = f"job {number} of seed {seed}, {count} frames: {' '.join(map(str, command[2:]))}"
        done = subprocess.run(command, capture_output=True, check=False)
        if not wanted:  # `every` has left nothing
            if done.returncode == 0:
                return f"{about}: nothing comes out, and that is no error"
            continue
        if done.returncode != 0:
            return f"{about}: ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        size = len(frames[0])
        if len(done.stdout) != size * len(wanted):
            return f"{about}: {len(done.stdout) / size} frames, not {len(wanted)}"
        for n, want in enumerate(wanted):
            got = planes_of(fmt, width, height, done.stdout[n * size:(n + 1) * size])
            for plane, (one, other) in enumerate(zip(got, want)):
                for y, (a, b) in enumerate(zip(same_bits(one.rows, fmt), same_bits(other.rows, fmt))):
                    if a != b:
                        return f"{about}: frame {n}, plane {plane}, row {y} is {a}, not {b}"
    raw.unlink()
    return None


def main(vidconv, jobs="300"):
    return run_checks(check, vidconv, jobs)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
