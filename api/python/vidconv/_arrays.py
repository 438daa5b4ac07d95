"""Filters arrays."""
from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._errors import UsageError

Kernels = Union[str, Sequence[str]]

_SAMPLES = {"|u1": "u8", "<u2": "u16", "<f4": "f32"}  # all machines that this library is built for are little-endian
_BYTES = {"|u1": 1, "<u2": 2, "<f4": 4}


def _new_plan(kernels: Tuple[str, ...], layout: str, width: int, height: int, border: Optional[str],
              device: str, threads: int) -> _core.Plan:
    return _core.Plan(list(kernels), layout, width, height, border, None, device, threads)


_kept_plan = lru_cache(maxsize=64)(_new_plan)  # taps and memory are worked out once
# Kernels, masks and keys in files, which may have changed since; names of filters and keys are in any case.
_of_a_file = re.compile("file:|mask=(?!edges:)|=@", re.IGNORECASE)


def _plan(kernels: Tuple[str, ...], *rest: Any) -> _core.Plan:
    return (_new_plan if any(map(_of_a_file.search, kernels)) else _kept_plan)(kernels, *rest)


def _strides(interface: Dict[str, Any], sample: int) -> Tuple[int, ...]:
    given: Optional[Tuple[int, ...]] = interface.get("strides")
    if given is not None:
        return given
    strides = [sample]
    for extent in reversed(interface["shape"][1:]):
        strides.insert(0, strides[0] * extent)
    return tuple(strides)


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


class _Picture:
    """The layout of an array's samples. `plane` and `row` are the bytes to the next plane or row; `walkable` says whether
    the C library can read the samples in place."""

    __slots__ = ("address", "shape", "typestr", "plane", "row", "walkable")

    def __init__(self, interface: Dict[str, Any], planar: bool) -> None:
        self.address, _ = interface["data"]
        self.shape = shape = tuple(interface["shape"])
        self.typestr = interface["typestr"]
        sample = _BYTES.get(self.typestr, 1)
        strides = _strides(interface, sample)
        self.plane = strides[0] if planar else 0
        self.row = strides[1 if planar else 0] if len(shape) > 1 else 0
        self.walkable = _walkable(self.address, shape, strides, sample, planar)


def _layout(picture: _Picture, planar: bool, bits: Optional[int]) -> str:
    """Returns the C library's name of the picture's format: "u8", "u16x3", "f32p3"."""
    sample = _SAMPLES.get(picture.typestr)
    if sample is None:
        raise TypeError(f"samples of type {picture.typestr!r}: give uint8, uint16 or float32 in this machine's order of "
                        "bytes, as array.astype() makes them")
    if len(picture.shape) not in ((3,) if planar else (2, 3)):
        raise ValueError(f"an array of shape {picture.shape}: give (rows, columns) or (rows, columns, channels), or with "
                         "planar=True (channels, rows, columns)")
    if 0 in picture.shape:
        raise ValueError(f"an array of shape {picture.shape}: there is nothing in it")
    if bits is not None:
        if sample != "u16":
            raise ValueError(f"bits={bits}: only samples of uint16 have fewer bits than their type")
        sample = f"u{bits}"
    if planar:
        return f"{sample}p{picture.shape[0]}"
    return sample if len(picture.shape) == 2 else f"{sample}x{picture.shape[2]}"


def filter(array: Any, kernel: Kernels, *, border: Optional[str] = None, out: Any = None, planar: bool = False,
           bits: Optional[int] = None, threads: int = 0, axis: Optional[int] = None) -> Any:
    """Filters a picture, or with `axis` several that follow each other in time.

    Args:
        array: shape (rows, columns) or (rows, columns, channels), or (channels, rows, columns) with ``planar=True``; dtype
            uint8, uint16 or float32 (black 0, white 1). Anything that NumPy accepts as an array unchanged, or a tensor on
            a CUDA device with ``__cuda_array_interface__`` (torch, cupy). It is read in place and never written, whatever
            the strides of its rows and planes; it is copied if the samples of a row are not contiguous.
        kernel: as ``vidconv --kernel`` takes it: "gaussian:sigma=2", "matrix:0 -1 0;-1 5 -1;0 -1 0"; a list of several is
            a chain. Each channel is filtered separately.
        border: "reflect101" (the default), "reflect", "replicate", "wrap", "zero" or "constant:V".
        out: the result's place, which is also returned; has the shape, dtype and device of `array`, but shares no memory
            with it.
        bits: number of low bits in use in uint16: 9 to 16 (the default).
        threads: CPU threads; 0: as many as this process may use.
        axis: the dimension of `array` that counts pictures, as in ``filter(video, "time:1 2 1:scale=auto", axis=0)``; the
            others are those of a picture. Filters over time need it. With ``every=`` there are fewer results. On the CPU.

    Returns:
        `out`, or a new array of NumPy or of the tensor's library. On a CUDA device the work is queued on that library's
        current stream, and the call does not block.

    Raises:
        UsageError: the kernel or the border makes no sense, or `out` overlaps `array`.
        TypeError, ValueError: the array's dtype or shape is not supported.
        DeviceError: memory is out, or the CUDA device fails.

    The GIL is released. Calls on several threads with pictures of one shape and the same arguments take turns.

    >>> import numpy as np
    >>> colours = np.full((4, 6, 3), 100, np.uint8)
    >>> filter(colours, "gaussian:sigma=1.5", border="zero")[0, 0].tolist()
    [40, 40, 40]
    >>> filter(colours.astype(np.float32) / 255, ["box", "sobel"]).max()
    np.float32(0.0)
    >>> filter(colours, "gausian")
    Traceback (most recent call last):
      ...
    vidconv._errors.UsageError: ...
    """
    if axis is not None:
        from ._over_time import filter_over_time
        return filter_over_time(array, kernel, axis, border, out, planar, bits, threads)
    if not isinstance(array, np.ndarray):
        from . import _cuda
        interface = _cuda.interface_of(array)
        if interface is not None:
            return _cuda.filter_tensor(array, interface, kernel, border, out, planar, bits, threads)
        array = np.asarray(array)
    picture = _Picture(array.__array_interface__, planar)
    layout = _layout(picture, planar, bits)
    if not picture.walkable:
        array = np.array(array, order="C")
        picture = _Picture(array.__array_interface__, planar)
    result = np.empty(picture.shape, array.dtype) if out is None else _check_out(out, array)
    target = _Picture(result.__array_interface__, planar)
    if not target.walkable:
        result[...] = filter(array, kernel, border=border, planar=planar, bits=bits, threads=threads)
        return result
    _run(picture, target, layout, kernel, border, planar, "cpu", threads, 0)
    return result


def _check_out(out: Any, array: np.ndarray) -> np.ndarray:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}: give an array of NumPy")
    if out.shape != array.shape or out.dtype != array.dtype:
        raise ValueError(f"out is of shape {out.shape} and {out.dtype}: the array is of {array.shape} and {array.dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out


def _run(picture: _Picture, target: _Picture, layout: str, kernel: Kernels, border: Optional[str], planar: bool,
         device: str, threads: int, stream: int) -> None:
    plan = _plan(_words(kernel), layout, *_size(picture, planar), border, device, threads)
    plan.run(picture.address, picture.plane, picture.row, target.address, target.plane, target.row, stream)


def _words(kernel: Kernels) -> Tuple[str, ...]:
    kernels = (kernel,) if isinstance(kernel, str) else tuple(kernel)
    if not kernels:
        raise UsageError("there is no kernel", "command-line", "give one")
    return kernels


def _size(picture: _Picture, planar: bool) -> Tuple[int, int]:
    """Returns the width and the height."""
    height, width = picture.shape[1:] if planar else picture.shape[:2]
    return width, height
