"""Jobs of the command drawn at random, each a function of its seed, and simpler ones of a job.

What can be drawn is read from the program's own lists of filters, formats and variants, so that what
is new there is drawn without a change here.
"""

import copy
import json
import random
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

BORDERS = ["reflect101", "reflect", "replicate", "wrap", "zero", "constant:0.3", "constant:1"]
WIDTHS = [640, 720, 1280, 1440, 1920, 2048, 3840, 4096]
HEIGHTS = [360, 480, 576, 720, 1080, 1152, 2160]
LARGEST_KERNEL = 513


@dataclass
class Kernel:
    text: str  # a filter without its modifiers
    taps: int  # taps for each sample in the reference
    modifiers: list = field(default_factory=list)  # "key=value" each

    def spec(self):
        return ":".join([self.text, *self.modifiers])


@dataclass
class Job:
    width: int
    height: int
    format: str
    frames: int
    kernels: list
    options: list = field(default_factory=list)  # a list of words each, which can be left out
    noise: int = 0  # the seed of the noise that the picture is mixed with; 0: none
    mask: int = 0  # the seed of the grey picture that MASK in a filter stands for
    mask_frames: int = 0  # 0: a picture; else MASK is a video of so many
    boxes: list = field(default_factory=list)  # the lines of --regions
    box_options: list = field(default_factory=list)  # "key=value" each, which follow the file's name

    def over_time(self):
        """Whether a filter reads other frames."""
        return any(k.text.startswith(("time", "volume:")) for k in self.kernels)

    def on_cpu(self):
        """Whether no CUDA device takes it."""
        return any("cut=0.05" in k.modifiers for k in self.kernels[1:])

    def work(self):
        """Returns the largest number of multiplications that the reference needs."""
        return self.width * self.height * 3 * self.frames * sum(k.taps for k in self.kernels)

    def pattern(self):
        return f"pattern:{self.width}x{self.height}:{self.format}@25#{self.frames}"


class Tables:
    """The program's lists of filters, formats and the like."""

    def __init__(self, vidconv):
        def listed(*words):
            return subprocess.run([vidconv, *words], check=True, capture_output=True, text=True).stdout

        kernels = json.loads(listed("--list-kernels=json"))
        self.filters = [f for f in kernels["filters"] if not f["name"].startswith("time-")]
        self.formats = json.loads(listed("--list-formats=json"))["formats"]
        variants = listed("--list-variants").split("\nTo study")[0].splitlines()[1:]
        self.cpu_variants = [v.split()[0] for v in variants if v.split()[1:2] == ["cpu"]]
        devices = listed("--list-devices").splitlines()
        self.cuda_devices = [d.split()[0] for d in devices if d.startswith("cuda:") and "all" not in d.split()[0]]


def draw(tables, seed, most_work):
    """Returns the job of a seed, for which the reference takes up to `most_work` multiplications."""
    r = random.Random(seed)
    while True:
        job = _draw(tables, r)
        if job.work() <= most_work:
            return job


GRID_FORMATS = ["yuv420p", "yuv422p", "yuv411p", "yuv444p", "gray", "yuv420p10le", "yuv422p10le", "yuv422p16le", "gbrp"]
GRID_SIZES = [(64, 48), (333, 187), (640, 360), (1280, 720), (1921, 1081)]
GRID_FILTERS = ["gaussian:sigma=1.5", "gaussian:sigma=5.5", "gaussian:sigma=9", "gaussian:sigma=12", "gaussian:sigma=16",
                "gaussian:sigma=24", "gaussian:sigma=40", "box:size=61", "unsharp:sigma=9", "sobel"]


GRID_OVER_TIME = [["time-box:size=5"], ["time:1 2 1:scale=auto:anchor=2", "sobel", "time-exp:decay=0.5"],
                  ["time-gaussian:sigma=1:cut=0.05:border=shrink:region=10,20,200,90", "box:region=90,90,50,50"],
                  ["volume:1 2 1;2 4 2;1 2 1|2 4 2;4 8 4;2 4 2|1 2 1;2 4 2;1 2 1:scale=auto", "time-box:size=3:every=2"]]


def _grid_taps(text):
    return 3025 if text.startswith("unsharp") else 500


def grid():
    """Returns the most usual jobs: each blur in each format, so that planes of one frame need different plans."""
    blurs = [Job(width, height, fmt, 2, [Kernel(text, _grid_taps(text))])
             for fmt in GRID_FORMATS for width, height in GRID_SIZES for text in GRID_FILTERS]
    over_time = [Job(333, 187, fmt, 7, [Kernel(text, 27) for text in chain], list(options))
                 for fmt in ("yuv420p", "nv12", "yuyv422", "yuv422p10le", "gbrp") for chain in GRID_OVER_TIME
                 for options in ([], [["--linear"]])]
    return blurs + over_time


def _draw(tables, r):
    if r.random() < 0.1:
        # A plain blur of a plain format is rare among random jobs, but is what people run most.
        text = r.choice(GRID_FILTERS)
        return Job(r.randint(1, 500), r.randint(1, 400), r.choice(GRID_FORMATS), r.choice([1, 2]),
                   [Kernel(text, _grid_taps(text))])
    fmt = r.choice(tables.formats)
    kind = r.random()
    if kind < 0.3:
        width, height = r.randint(1, 40), r.randint(1, 40)
    elif kind < 0.75:
        width, height = r.randint(1, 500), r.randint(1, 400)
    else:
        width = max(1, r.choice(WIDTHS) + r.choice([0, 0, 0, -2, -1, 1, 2]))
        height = r.choice(HEIGHTS) if r.random() < 0.5 else r.randint(1, 300)
    job = Job(width, height, fmt["name"], r.choice([1, 1, 2, 3, 5, 9]), [])
    job.kernels = [_kernel(tables, r) for _ in range(r.choice([1, 1, 1, 2, 2, 3]))]
    if r.random() < 0.4 and not fmt["float"]:
        job.noise = r.randint(1, 1 << 30)
    place = r.random()
    if place < 0.12:
        _boxes(job, r)
    linear = not fmt["float"] and r.random() < 0.15
    planes = [] if linear else _plane_words(fmt)
    for kernel in job.kernels:
        _modifiers(job, kernel, r, planes, placed=place < 0.45)
    if any("MASK" in k.spec() for k in job.kernels):
        job.mask = r.randint(1, 1 << 30)
        job.mask_frames = r.choice([0, 0, 1, 2, job.frames])
    _options(job, r, planes, placed=place < 0.45, linear=linear)
    return job


def _plane_words(fmt):
    """Returns the values of `planes` for a format."""
    kinds = {c["kind"] for c in fmt["components"]}
    letters = "".join(c["name"] for c in fmt["components"] if c["kind"] != "padding")
    words = ["all", letters[0].lower(), letters[-1].lower()]
    return words + [kind for kind in ("luma", "chroma") if kind in kinds]


def _number(r, value):
    return f"{value:.4g}"


def _parameter(p, r):
    """Returns a random value, and how far a kernel reaches with it."""
    if p["type"] == "choice":
        return r.choice(p["choices"]), 0
    low, high = p["min"], p["max"]
    if p["name"] in ("radius", "size", "w", "h", "length"):
        high = min(high, LARGEST_KERNEL if p["name"] != "radius" else LARGEST_KERNEL // 2)
    if p["name"] == "seed":
        high = min(high, 10**6)
    if r.random() < 0.1:
        value = r.choice([low, high])
    elif low >= 0 and high > 4:
        value = low + (high - low + 1) ** (r.random() ** 1.5) - 1  # small values are drawn more often
    else:
        value = r.uniform(low, high)
    value = min(max(value, low), high)
    return (str(int(value)), int(value)) if p["type"] == "integer" else (_number(r, value), int(value))


COLOURS = ["black", "white", "gray", "tomato", "#1e90ff", "#0f0", "0x804020"]


def _kernel(tables, r):
    if r.random() < 0.15:
        return _hiding(r)
    if r.random() < 0.1:
        return _over_time(r)
    if r.random() < 0.1:
        return _by_map(r)
    kind = r.random()
    if kind < 0.7:
        filter_ = r.choice(tables.filters if kind < 0.4 else
                           [f for f in tables.filters if f["name"] in ("gaussian", "box", "unsharp", "sobel")])
        words, taps = [], 9
        separable = filter_["name"] in ("box", "gaussian", "binomial")
        for p in filter_["parameters"]:
            if p["name"] == "radius" and filter_["name"] == "gaussian":
                continue  # follows from sigma; smaller ones cut it, which `size` of others does enough
            if r.random() < 0.6 or p.get("default") is None:
                text, value = _parameter(p, r)
                words.append(f"{p['name']}={text}")
                if p["name"].startswith("sigma"):
                    side = 6 * value + 3
                    taps = max(taps, 2 * side if separable else side * side)
                elif p["name"] in ("size", "w", "h", "length", "radius"):
                    side = 2 * value + 1 if p["name"] == "radius" else value
                    taps = max(taps, 2 * side if separable else side * side)
        return Kernel(":".join([filter_["name"], *words]), taps)
    if kind < 0.8:
        form = r.choice(["row", "column", "separable"])
        across = _side(r, LARGEST_KERNEL)
        if form == "separable":
            down = _side(r, LARGEST_KERNEL)
            return Kernel(f"separable:{_taps(r, across)};{_taps(r, down)}", across + down)
        return Kernel(f"{form}:{_taps(r, across)}", across)
    width, height = _side(r, 64), _side(r, 64)
    if r.random() < 0.3:
        height = width
    return Kernel("matrix:" + ";".join(_taps(r, width) for _ in range(height)), width * height)


def _over_time(r):
    kind = r.random()
    if kind < 0.4:
        size = r.choice([1, 2, 3, 5, 8, 9, 17, 63, 255])
        return Kernel(f"time-box:size={size}", size)
    if kind < 0.6:
        return Kernel(r.choice(["time-gaussian:sigma=1.3", "time-gaussian:sigma=4", "time-exp:decay=0.8"]), 25)
    if kind < 0.75:
        frames, rows, columns = r.randint(1, 5), r.randint(1, 5), r.randint(1, 7)
        planes = (";".join(_taps(r, columns) for _ in range(rows)) for _ in range(frames))
        return Kernel("volume:" + "|".join(planes), frames * rows * columns)
    size = _side(r, 31)
    return Kernel(f"time:{_taps(r, size)}", size)


def _by_map(r):
    """A blur at several levels."""
    if r.random() < 0.4:
        y = r.randint(0, 90)
        return Kernel(f"tilt-shift:y={y}%,height={r.randint(1, 100 - y)}%,blur={r.choice([1, 2.5, 6])}", 300)
    name, value = r.choice([("gaussian:sigma", 0.5), ("gaussian:sigma", 3), ("gaussian:sigma", 7.3), ("disk:radius", 2.5)])
    return Kernel(f"{name}=map:MASK*{value}", 600)


def _time_modifiers(kernel, r):
    add = kernel.modifiers.append
    volume = kernel.text.startswith("volume:")
    if (volume or kernel.text.startswith("time:")) and r.random() < 0.3:
        add(r.choice(["scale=auto", "scale=1/16", "scale=0.3"]))
    for chance, word in ((0.15, "bias=1/8"), (0.1, "abs=1"), (0.1, "flip=1"), (0.15, "anchor=0,0,0" if volume else "anchor=0"),
                         (0.2, "threshold=0.1"), (0.2, "cut=0.05")):
        if r.random() < chance:
            add(word)
    if r.random() < 0.4:
        add("border=" + r.choice(["reflect", "reflect101", "zero", "shrink"]))


def _hiding(r):
    """What has no taps."""
    if r.random() < 0.4:
        return Kernel(f"fill:{r.choice(COLOURS)}", 1)
    size = r.choice([1, 2, 3, 5, 8, 16, 31, 100, 4096])
    return Kernel(f"mosaic:size={size}", 2)


def _side(r, most):
    return min(most, max(1, int(r.choice([3, 5, 7, 9, 11, 15, 17, 31, most]) * r.uniform(0.3, 1.1))))


def _taps(r, count):
    kind = r.random()
    if kind < 0.4:
        return " ".join(str(r.randint(-3, 5)) for _ in range(count))
    if kind < 0.6:
        return " ".join(f"{r.randint(0, 16)}/{16 * count}" for _ in range(count))
    return " ".join(f"{r.uniform(-0.5, 1) / count:.5f}" for _ in range(count))


def _kernel_modifiers(kernel, r):
    add = kernel.modifiers.append
    matrix = kernel.text.startswith(("matrix", "row", "column", "separable"))
    if matrix and r.random() < 0.5:
        add(r.choice(["scale=auto", "scale=1/16", "scale=0.3"]))
    elif r.random() < 0.05:
        add("scale=0.75")
    if r.random() < 0.15:
        add(r.choice(["bias=0.5", "bias=1/8", "bias=-0.1"]))
    if r.random() < 0.1:
        add("abs=1")
    if r.random() < 0.1:
        add("flip=1")
    if r.random() < 0.1:
        add(r.choice(["rotate=90", "rotate=180", "rotate=270"]))


def _modifiers(job, kernel, r, planes, placed):
    add = kernel.modifiers.append
    if kernel.text.startswith(("time", "volume:")):
        _time_modifiers(kernel, r)
    elif not kernel.text.startswith(("mosaic", "fill")):
        _kernel_modifiers(kernel, r)
    if planes and r.random() < 0.25:
        add("planes=" + r.choice(planes))
    if "all" in planes and r.random() < 0.1:
        add("alpha=" + r.choice(["weighted", "separate"]))
    if r.random() < 0.08 and job.frames > 1:
        first = r.randint(0, job.frames - 1)
        add(f"between=f{first}-f{r.randint(first, job.frames - 1)}")
    by_map = "map:MASK" in kernel.text or kernel.text.startswith("tilt-shift")
    if kernel.text.startswith("gaussian:sigma=") and not by_map and r.random() < 0.15:
        sigma = kernel.text.split("=")[1].split(":")[0]
        kernel.text = f"gaussian:sigma=0..{sigma}@f0-f{max(1, job.frames - 1)}"
        add(r.choice(["ease=linear", "ease=in", "ease=out", "ease=in-out", "ease=hold"]))
    if kernel.text.startswith("mosaic:size=") and r.random() < 0.15:
        size = kernel.text.split("=")[1]
        kernel.text = f"mosaic:size=1..{size}@f0-f{max(1, job.frames - 1)}"
    if not placed or job.boxes:
        return
    if by_map:
        if r.random() < 0.3:
            add("region=" + ";".join(_rectangle(job, r) for _ in range(r.choice([1, 2]))))
        return
    kind = r.random()
    if kind < 0.6:
        add("region=" + ";".join(_rectangle(job, r) for _ in range(r.choice([1, 1, 2, 5]))))
    elif kind < 0.8:
        add("mask=MASK")
    elif kind < 0.9:
        add("mask=edges:" + r.choice(["sobel", "laplacian", "(sobel:scale=3)"]))
    else:
        return
    if r.random() < 0.3:
        add("invert=1")
    if r.random() < 0.3:
        add(f"feather={r.choice([1, 2, 7, 24, 100])}")


def _rectangle(job, r):
    if r.random() < 0.3:
        x, y = r.randint(0, 90), r.randint(0, 90)
        return f"{x}%,{y}%,{r.randint(min(10, 100 - x), 100 - x)}%,{r.randint(min(10, 100 - y), 100 - y)}%"
    x, y = r.randint(0, job.width - 1), r.randint(0, job.height - 1)
    return f"{x},{y},{r.randint(1, job.width - x)},{r.randint(1, job.height - y)}"


def _boxes(job, r):
    for number in range(r.randint(1, 6)):
        x, y = r.uniform(0, job.width - 1), r.uniform(0, job.height - 1)
        box = [round(x, 1), round(y, 1), round(r.uniform(1, job.width), 1), round(r.uniform(1, job.height), 1)]
        job.boxes.append({"frame": r.randint(0, job.frames - 1), "box": box,
                          "shape": r.choice(["rectangle", "ellipse"])})
        if r.random() < 0.3:
            job.boxes[-1]["id"] = number
    for option in ("hold=1", "hold=0.08s", "grow=10%", "grow=0%,1", "grow=20%,40ms", "feather=3"):
        if r.random() < 0.15 and not any(o.split("=")[0] == option.split("=")[0] for o in job.box_options):
            job.box_options.append(option)


def _options(job, r, planes, placed, linear):
    def maybe(chance, *words):
        if r.random() < chance:
            job.options.append(list(words))

    maybe(0.6, "--border", r.choice(BORDERS))
    if planes:
        maybe(0.2, "--planes", r.choice(planes))
        maybe(0.1, "--alpha", r.choice(["weighted", "separate"]))
    maybe(0.15, "--range", "clamp")
    if linear:
        job.options.append(["--linear"])
    if not placed:
        maybe(0.1, "--compare", r.choice(["split", "side", "flip:0.04"]))
    maybe(0.2, "--scan", "interlaced")
    maybe(0.2, "--slots", str(r.choice([1, 2, 3, 7])))
    if job.frames > 2 and not job.boxes:
        maybe(0.15, "--start", "0.04")
        maybe(0.15, "--frames", str(r.randint(1, job.frames - 1)))


def simpler(job, tables):
    """Yields jobs with one feature less each, the largest steps first."""
    def changed(change):
        other = copy.deepcopy(job)
        change(other)
        return other

    for i in range(len(job.kernels)):
        if len(job.kernels) > 1:
            yield changed(lambda j, i=i: j.kernels.pop(i))
    for i in range(len(job.options)):
        yield changed(lambda j, i=i: j.options.pop(i))
    for k, kernel in enumerate(job.kernels):
        for i in range(len(kernel.modifiers)):
            yield changed(lambda j, k=k, i=i: j.kernels[k].modifiers.pop(i))
        words = kernel.text.split(":")
        if not kernel.text.startswith(("matrix", "row", "column", "separable", "tilt-shift")):
            for i in range(1, len(words)):
                yield changed(lambda j, k=k, i=i: setattr(
                    j.kernels[k], "text", ":".join(words[:i] + words[i + 1:])))
    for i in range(len(job.box_options)):
        yield changed(lambda j, i=i: j.box_options.pop(i))
    for i in range(len(job.boxes)):
        yield changed(lambda j, i=i: j.boxes.pop(i))
    if job.noise:
        yield changed(lambda j: setattr(j, "noise", 0))
    if job.mask_frames:
        yield changed(lambda j: setattr(j, "mask_frames", 0))
    if job.frames > 1:
        yield changed(lambda j: setattr(j, "frames", 1))
        yield changed(lambda j: setattr(j, "frames", j.frames - 1))
    for name in ("gray", "yuv420p"):
        if job.format not in ("gray", name):
            yield changed(lambda j, name=name: setattr(j, "format", name))
    for side in ("width", "height"):
        if getattr(job, side) > 1:
            yield changed(lambda j, side=side: setattr(j, side, getattr(j, side) // 2))
            yield changed(lambda j, side=side: setattr(j, side, getattr(j, side) - 1))


def write_noise(vidconv, job, path, bits):
    """Writes the built-in picture, mixed with noise in bits that every sample of its format has."""
    subprocess.run([vidconv, job.pattern(), "-o", str(path), "--format", "raw", "--kernel", "identity", "-q",
                    "-y", "--device", "cpu"], check=True, capture_output=True)
    data = path.read_bytes()
    noise = random.Random(job.noise).randbytes(len(data))
    if bits > 8:  # in samples of two bytes the low byte, or the high one if codes end there
        high = job.format[0] == "p" and job.format[1].isdigit() or job.format[:2] in ("y2", "xv")
        mask = b"\x00\xff" if high else b"\xff\x00"
        mask = (mask * (len(data) // 2 + 1))[:len(data)]
        noise = (int.from_bytes(noise, "little") & int.from_bytes(mask, "little")).to_bytes(len(data), "little")
    path.write_bytes((int.from_bytes(data, "little") ^ int.from_bytes(noise, "little")).to_bytes(len(data), "little"))


def write_mask(job, path):
    r = random.Random(job.mask)

    def picture():
        rows = bytearray()
        for _ in range(job.height):
            kind = r.random()
            rows += (bytes(job.width) if kind < 0.3 else b"\xff" * job.width if kind < 0.4
                     else r.randbytes(job.width))
        return bytes(rows)

    if job.mask_frames:
        Path(path).write_bytes(b"YUV4MPEG2 W%d H%d F25:1 Cmono\n" % (job.width, job.height) +
                               b"".join(b"FRAME\n" + picture() for _ in range(job.mask_frames)))
    else:
        Path(path).write_bytes(b"P5\n%d %d\n255\n" % (job.width, job.height) + picture())
