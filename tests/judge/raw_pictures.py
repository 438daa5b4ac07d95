"""Raw pictures for the judges: formats, noise, and planes of stored samples."""
import math
import struct

# Bits, bits that a code is stored up, bytes of a sample (4: floats), and of each plane its components: name, and luma
# samples that one stands for, across and down. Components of a plane lie side by side.
FORMATS = {
    "gray": (8, 0, 1, [["Y11"]]),
    "gray10le": (10, 0, 2, [["Y11"]]),
    "gray16le": (16, 0, 2, [["Y11"]]),
    "grayf32le": (32, 0, 4, [["Y11"]]),
    "yuv420p": (8, 0, 1, [["Y11"], ["U22"], ["V22"]]),
    "yuv422p10le": (10, 0, 2, [["Y11"], ["U21"], ["V21"]]),
    "yuv411p": (8, 0, 1, [["Y11"], ["U41"], ["V41"]]),
    "yuv440p": (8, 0, 1, [["Y11"], ["U12"], ["V12"]]),
    "yuv444p16le": (16, 0, 2, [["Y11"], ["U11"], ["V11"]]),
    "yuva420p": (8, 0, 1, [["Y11"], ["U22"], ["V22"], ["A11"]]),
    "nv12": (8, 0, 1, [["Y11"], ["U22", "V22"]]),
    "p010le": (10, 6, 2, [["Y11"], ["U22", "V22"]]),
    "p016le": (16, 0, 2, [["Y11"], ["U22", "V22"]]),
    "rgb24": (8, 0, 1, [["R11", "G11", "B11"]]),
    "bgra": (8, 0, 1, [["B11", "G11", "R11", "A11"]]),
    "rgba64le": (16, 0, 2, [["R11", "G11", "B11", "A11"]]),
    "gbrp12le": (12, 0, 2, [["G11"], ["B11"], ["R11"]]),
    "gbrpf32le": (32, 0, 4, [["G11"], ["B11"], ["R11"]]),
    "gbrapf32le": (32, 0, 4, [["G11"], ["B11"], ["R11"], ["A11"]]),
}
QUIET_NAN = 0x7FC00000


class Plane:
    """Samples of one component, as they are stored: whole numbers, of floats their bits."""

    def __init__(self, name, across, down, rows):
        self.name, self.across, self.down, self.rows = name, across, down, rows
        self.height, self.width = len(rows), len(rows[0])


def planes_of(fmt, width, height, data):
    _, _, size, layout = FORMATS[fmt]
    code = {1: "B", 2: "H", 4: "I"}[size]
    planes, at = [], 0
    for components in layout:
        across, down = int(components[0][1]), int(components[0][2])
        w, h, count = -(-width // across), -(-height // down), len(components)
        words = struct.unpack_from(f"<{w * h * count}{code}", data, at)
        at += w * h * count * size
        for k, component in enumerate(components):
            rows = [list(words[y * w * count + k:(y + 1) * w * count:count]) for y in range(h)]
            planes.append(Plane(component[0], across, down, rows))
    if at != len(data):
        raise SystemExit(f"{fmt}: {len(data)} bytes instead of {at}")
    return planes


def noise(fmt, width, height, r, special=0.02):
    """Any bits: below codes too, and among floats -0, subnormal numbers and NaN of all kinds, so many of them."""
    bits, shift, size, layout = FORMATS[fmt]
    words = []
    for components in layout:
        across, down = int(components[0][1]), int(components[0][2])
        for _ in range(-(-width // across) * -(-height // down) * len(components)):
            if size != 4:
                words.append(r.getrandbits(bits) << shift | r.getrandbits(shift))
            elif r.random() < special:
                words.append(r.choice([0x80000000, 0x7FC12345, 0xFF800001, 1, 0x7F800000]))
            else:
                words.append(struct.unpack("<I", struct.pack("<f", r.uniform(-0.5, 1.5)))[0])
    return struct.pack(f"<{len(words)}{ {1: 'B', 2: 'H', 4: 'I'}[size] }", *words)


def as_float(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def as_word(value):
    """Of the float that is nearest to a double."""
    if math.isnan(value):
        return QUIET_NAN
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000
