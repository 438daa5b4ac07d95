"""Where the samples of an array lie, and how the C library calls that."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

# All machines that this library is built for are little-endian.
_SAMPLES = {"|u1": ("u8", 1), "<u2": ("u16", 2), "<f2": ("f16", 2), "<f4": ("f32", 4)}
#: The axes of an array, by its layout's name: N pictures, Height, Width, Channels.
LAYOUTS = {"hw": 2, "hwc": 3, "chw": 3, "nhw": 3, "nhwc": 4, "nchw": 4}
_MOST_CHANNELS_UNASKED = 4


def layout_of(shape: Tuple[int, ...], layout: Optional[str], planar: bool) -> str:
    """Returns the layout of an array of that shape, as it was asked for or as pictures usually lie."""
    if planar:
        if layout not in (None, "chw", "nchw"):
            raise ValueError(f"planar=True with layout={layout!r}: give one of them")
        layout = layout or "chw"
    if layout is not None:
        if layout not in LAYOUTS:
            raise ValueError(f"layout={layout!r}: give one of {', '.join(LAYOUTS)}")
        if len(shape) != LAYOUTS[layout]:
            said = "planar=True" if planar else f"layout={layout!r}"
            raise ValueError(f"an array of shape {shape} with {said}: it has {len(shape)} axes")
    elif len(shape) == 2:
        layout = "hw"
    elif len(shape) == 3:
        layout = "hwc"
        if shape[2] > _MOST_CHANNELS_UNASKED:
            raise ValueError(f"an array of shape {shape} would have {shape[2]} channels: give layout='chw' if its first axis is "
                             "that of the channels, 'nhw' for several grey pictures, or 'hwc' if there are so many channels")
    else:
        raise ValueError(f"an array of shape {shape}: give (rows, columns) or (rows, columns, channels), or say what its axes "
                         "are, as layout='nhwc' and 'nchw' do")
    if 0 in shape:
        raise ValueError(f"an array of shape {shape}: there is nothing in it")
    return layout


def channel_axis(layout: str) -> Optional[int]:
    """Returns the axis of the channels; None if there is none."""
    axis = layout.find("c")
    return None if axis < 0 else axis


def strides_of(interface: Dict[str, Any]) -> Tuple[int, ...]:
    """Returns the bytes from one index to the next, for each axis."""
    given: Optional[Tuple[int, ...]] = interface.get("strides")
    if given is not None:
        return given
    strides = [sample_bytes(interface)]
    for extent in reversed(interface["shape"][1:]):
        strides.insert(0, strides[0] * extent)
    return tuple(strides)


def sample_bytes(interface: Dict[str, Any]) -> int:
    """Returns the bytes of a sample; 1 for those of no picture."""
    return _SAMPLES.get(interface["typestr"], ("", 1))[1]


def range_of(interface: Dict[str, Any]) -> Tuple[int, int]:
    """Returns the addresses of the first byte of an array that is not empty, and of that behind its last one."""
    reaches = [(extent - 1) * stride for extent, stride in zip(interface["shape"], strides_of(interface))]
    address = interface["data"][0]
    return (address + sum(reach for reach in reaches if reach < 0),
            address + sum(reach for reach in reaches if reach > 0) + sample_bytes(interface))


def _walkable(address: int, shape: Tuple[int, ...], strides: Tuple[int, ...], sample: int, planar: bool) -> bool:
    """Returns whether the samples of each row are contiguous and aligned, and rows do not overlap."""
    rows = 1 if planar else 0
    inner = sample
    for axis in range(len(shape) - 1, rows, -1):
        if shape[axis] > 1 and strides[axis] != inner:
            return False
        inner *= shape[axis]
    if shape[rows] > 1 and abs(strides[rows]) < inner:
        return False
    return address % sample == 0 and all(s % sample == 0 for s in strides)


def is_stack(interface: Dict[str, Any], axes: str) -> bool:
    """Returns whether the planes of several pictures lie evenly apart, so that they may be those of one."""
    if axes == "nhw":
        return True
    strides = strides_of(interface)
    return axes == "nchw" and (1 in interface["shape"][:2] or strides[0] == interface["shape"][1] * strides[1])


def stacked(interface: Dict[str, Any], axes: str, first: int, count: int) -> Dict[str, Any]:
    """Returns `count` pictures of a stack as one with all their planes."""
    shape, strides = interface["shape"], strides_of(interface)
    planes = shape[1] if axes == "nchw" else 1
    return {"data": (interface["data"][0] + first * strides[0], False), "typestr": interface["typestr"],
            "shape": (count * planes, *shape[-2:]), "strides": (strides[0] if planes == 1 else strides[-3], *strides[-2:])}


class Picture:
    """The layout of one picture's samples. `plane` and `row` are the bytes to the next plane or row; `walkable` says whether
    the C library can read the samples in place."""

    __slots__ = ("address", "shape", "typestr", "plane", "row", "planar", "walkable")

    def __init__(self, interface: Dict[str, Any], planar: bool) -> None:
        self.address, _ = interface["data"]
        self.shape = shape = tuple(interface["shape"])
        self.typestr = interface["typestr"]
        self.planar = planar
        strides = strides_of(interface)
        self.plane = strides[0] if planar else 0
        self.row = strides[1 if planar else 0] if len(shape) > 1 else 0
        self.walkable = _walkable(self.address, shape, strides, sample_bytes(interface), planar)

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height."""
        height, width = self.shape[1:3] if self.planar else self.shape[:2]
        return width, height


def format_of(picture: Picture, bits: Optional[int], linear: bool) -> str:
    """Returns the C library's name of the picture's format: "u8", "u16x3", "f32p3"; for linear light "rgb24"."""
    sample = _SAMPLES.get(picture.typestr, ("", 0))[0]
    if not sample:
        raise TypeError(f"samples of type {picture.typestr!r}: give uint8, uint16, float16 or float32 in this machine's order of "
                        "bytes, as array.astype() makes them")
    if bits is not None:
        if sample != "u16":
            raise ValueError(f"bits={bits}: only samples of uint16 have fewer bits than their type")
        sample = f"u{bits}"
    if linear:
        return _colour_format(picture, sample)
    if picture.planar:
        return f"{sample}p{picture.shape[0]}"
    return sample if len(picture.shape) == 2 else f"{sample}x{picture.shape[2]}"


def _colour_format(picture: Picture, sample: str) -> str:
    channels = picture.shape[0] if picture.planar else picture.shape[2] if len(picture.shape) == 3 else 1
    if sample.startswith("f"):
        raise ValueError(f"linear=True with float{sample[1:]}: floats are filtered as they are; leave it out")
    bits = int(sample[1:])
    if picture.planar and channels == 3:
        return "gbrp" if bits == 8 else f"gbrp{bits}le"
    name = {(1, 8): "gray", (2, 8): "ya8", (3, 8): "rgb24", (4, 8): "rgba", (2, 16): "ya16le", (3, 16): "rgb48le",
            (4, 16): "rgba64le"}.get((channels, bits)) or (f"gray{bits}le" if channels == 1 else None)
    if name is None or (picture.planar and channels > 1):
        raise ValueError(f"linear=True for {channels} channels of {bits} bits{', planar' if picture.planar else ''}: give grey, or "
                         "red, green and blue with or without alpha, of 8 or 16 bits")
    return name
