"""Filters arrays."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

from . import _cuda
from ._errors import UsageError
from ._layout import Picture, channel_axis, format_of, is_stack, layout_of, sample_bytes, stacked
from ._plans import plan_of, run
from ._tensors import is_host_tensor, tensor_like
from ._words import Box, Kernels, border_word, in_regions, kernel_words

_T = TypeVar("_T", bound=np.generic)
Array = npt.NDArray[Any]
_BYTES_TOGETHER = 64 << 20  # a device reads and writes so much in about the time that a call takes
_MOST_PLANES = 4096  # a picture of the C library has no more


class _Call(NamedTuple):
    """What is done to each picture of a call."""

    kernels: Tuple[str, ...]
    border: Optional[str]
    bits: Optional[int]
    threads: int
    linear: bool
    device: Optional[str]  # None: where the array lies


@overload
def filter(array: npt.NDArray[_T], kernel: Kernels, *, border: Optional[str] = None, out: Optional[npt.NDArray[_T]] = None,
           planar: bool = False, bits: Optional[int] = None, threads: int = 0, layout: Optional[str] = None,
           planes: Union[None, int, Sequence[int]] = None, regions: Union[None, Box, Sequence[Box]] = None,
           linear: bool = False, device: Optional[str] = None) -> npt.NDArray[_T]: ...
@overload
def filter(array: Any, kernel: Kernels, *, border: Optional[str] = None, out: Any = None, planar: bool = False,
           bits: Optional[int] = None, threads: int = 0, layout: Optional[str] = None,
           planes: Union[None, int, Sequence[int]] = None, regions: Union[None, Box, Sequence[Box]] = None,
           linear: bool = False, device: Optional[str] = None, axis: Optional[int] = None) -> Any: ...
def filter(array: Any, kernel: Kernels, *, border: Optional[str] = None, out: Any = None, planar: bool = False,
           bits: Optional[int] = None, threads: int = 0, layout: Optional[str] = None,
           planes: Union[None, int, Sequence[int]] = None, regions: Union[None, Box, Sequence[Box]] = None,
           linear: bool = False, device: Optional[str] = None, axis: Optional[int] = None) -> Any:
    """Filters a picture, or each of several, or with `axis` those that follow each other in time.

    Args:
        array: shape (rows, columns) or (rows, columns, channels), or as `layout` says; dtype uint8, uint16, float16 or
            float32 (black 0, white 1). Anything that NumPy accepts as an array unchanged, a tensor in the host's memory (torch,
            jax, whatever has ``__dlpack__``), or one on a CUDA device with ``__cuda_array_interface__`` (torch, cupy). It
            is read in place and never written, whatever the strides of its rows and planes; it is copied if the samples of a
            row are not contiguous.
        kernel: a specification as ``vidconv --kernel`` takes it, "gaussian:sigma=2"; a path of a file with a matrix; the
            matrix itself, an array or a list of rows, applied as it is drawn; a list of those is a chain. Each channel is
            filtered separately.
        border: "reflect101" (the default), "reflect", "replicate", "wrap", "zero" or "constant:V".
        out: the result's place, which is also returned; has the shape, dtype and device of `array`, but shares no memory
            with it.
        planar: True is ``layout="chw"``.
        bits: number of low bits in use in uint16: 9 to 16 (the default).
        threads: CPU threads; 0: as many as this process may use.
        layout: the axes: "hw", "hwc", "chw", of several pictures "nhw", "nhwc", "nchw". Without it more than four channels
            are refused, because such an array is probably of another layout. With `axis`, those of one picture.
        planes: the channels to filter, by index; others are copied.
        regions: boxes (x, y, width, height), in pixels or as "12.5%", to which each filter is confined.
        linear: filters in linear light: codes of sRGB become light, and codes again. Three or four channels are red, green,
            blue, in this order or reversed, and alpha, which is copied.
        device: "cpu" or "cuda:N"; None: where the array lies. Arrays in the host's memory are copied to a device and back.
        axis: the dimension of `array` that counts pictures, as in ``filter(video, "time:1 2 1:scale=auto", axis=0)``; the
            others are those of a picture. Filters over time need it. With ``every=`` there are fewer results.

    Returns:
        `out`, or a new array of NumPy or of the tensor's library. On a CUDA device the work is queued on that library's
        current stream, and the call does not block; with `axis` it waits for the work.

    Raises:
        UsageError: the kernel or the border makes no sense, or `out` overlaps `array`.
        TypeError, ValueError: the array's dtype or shape is not supported.
        DeviceError: memory is out, or the CUDA device fails.

    The GIL is released. Calls on several threads with pictures of one shape and the same arguments take turns.

    >>> import numpy as np
    >>> colours = np.full((4, 6, 3), 100, np.uint8)
    >>> filter(colours, "gaussian:sigma=1.5", border="zero")[0, 0].tolist()
    [40, 40, 40]
    >>> filter(colours, [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]).max()
    np.uint8(100)
    >>> filter(colours.astype(np.float32) / 255, ["box", "sobel"]).max()
    np.float32(0.0)
    >>> filter(colours, "gausian")
    Traceback (most recent call last):
      ...
    vidconv._errors.UsageError: ...
    """
    if is_host_tensor(array):
        place = np.asarray(out) if is_host_tensor(out) else out
        result = filter(np.asarray(array), kernel, border=border, out=place, planar=planar, bits=bits, threads=threads,
                        layout=layout, planes=planes, regions=regions, linear=linear, device=device, axis=axis)
        return tensor_like(array, result) if out is None else out
    if not isinstance(threads, (int, np.integer)) or threads < 0:
        raise UsageError(f"threads={threads!r}", "command-line", "give a number of threads, or 0 for as many as there may be")
    kernels = kernel_words(kernel)
    if not kernels:
        raise UsageError("there is no kernel", "command-line", "give one")
    call = _Call(in_regions(kernels, regions), border_word(border), bits, int(threads), bool(linear), device)
    if axis is not None:
        from ._over_time import filter_over_time
        if planes is not None or linear:
            raise ValueError("axis= takes no planes= and linear=: filters over pictures run on all channels and on codes")
        return filter_over_time(array, axis, out, planar, layout, call.kernels, call.border, bits, call.threads, device)
    interface = None
    if not isinstance(array, np.ndarray):
        interface = _cuda.interface_of(array)
        if interface is None:
            array = np.asarray(array)
    axes = layout_of(tuple(array.shape), layout, planar)
    if planes is not None:
        return _filter_channels(array, out, axes, planes, call)
    if axes[0] != "n":
        return _filter_one(array, interface, out, axes[0] == "c", call)
    if interface is None:
        result = np.empty(array.shape, array.dtype) if out is None else _check_out(out, array)
    else:
        result = _cuda.new_like(array) if out is None else _cuda.check_out(out, array)
        if _filter_together(array, interface, result, axes, call):
            return result
    for picture, place in zip(array, result):
        _filter_one(picture, _cuda.interface_of(picture) if interface else None, place, axes[1] == "c", call)
    return result


def _filter_channels(array: Any, out: Any, axes: str, planes: Union[int, Sequence[int]], call: _Call) -> Any:
    axis = channel_axis(axes)
    chosen: List[int] = [planes] if isinstance(planes, (int, np.integer)) else list(planes)
    channels = 1 if axis is None else array.shape[axis]
    if not chosen or not all(isinstance(c, (int, np.integer)) and -channels <= c < channels for c in chosen):
        raise ValueError(f"planes={planes!r}: give indices of channels, of which the array has {channels}")
    at = ... if axis is None else (slice(None),) * axis + (sorted({int(c) % channels for c in chosen}),)
    host = isinstance(array, np.ndarray)
    result = (np.empty(array.shape, array.dtype) if host else _cuda.new_like(array)) if out is None else (
        _check_out(out, array) if host else _cuda.check_out(out, array))
    # Choosing by a list copies.
    filtered = filter(array[at], call.kernels, border=call.border, bits=call.bits, threads=call.threads, linear=call.linear,
                      device=call.device, layout=axes)
    result[...] = array
    result[at] = filtered
    return result


def _filter_one(array: Any, interface: Optional[Dict[str, Any]], out: Any, planar: bool, call: _Call) -> Any:
    if interface is not None:
        return _filter_tensor(array, interface, out, planar, call)
    picture = Picture(array.__array_interface__, planar)
    layout = format_of(picture, call.bits, call.linear)
    if not picture.walkable:
        array = np.array(array, order="C")
        picture = Picture(array.__array_interface__, planar)
    result = np.empty(picture.shape, array.dtype) if out is None else _check_out(out, array)
    target = Picture(result.__array_interface__, planar)
    if not target.walkable:
        result[...] = _filter_one(array, None, None, planar, call)
        return result
    device = "cuda:0" if call.device == "cuda" else call.device or "cpu"
    plan = plan_of(call.kernels, layout, *picture.size, call.border, device, device != "cpu", call.threads, call.linear)
    run(plan, picture, target, 0)
    return result


def _filter_tensor(tensor: Any, interface: Dict[str, Any], out: Any, planar: bool, call: _Call) -> Any:
    device, stream = _cuda.place_of(tensor, call.device)
    picture = Picture(interface, planar)
    layout = format_of(picture, call.bits, call.linear)
    _cuda.in_place(picture.walkable, "")
    result = _cuda.new_like(tensor) if out is None else _cuda.check_out(out, tensor)
    target = Picture(_cuda.interface_of(result) or {}, planar)
    _cuda.in_place(target.walkable, " of out")
    run(plan_of(call.kernels, layout, *picture.size, call.border, device, False, call.threads, call.linear), picture, target, stream)
    return result


def _filter_together(tensor: Any, interface: Dict[str, Any], result: Any, axes: str, call: _Call) -> bool:
    """Filters pictures on a CUDA device as planes of larger ones, because a call takes longer than a small picture. Returns
    False where they cannot be: linear light wants to know which planes are colours of one pixel."""
    target = _cuda.interface_of(result) or {}
    if call.linear or not (is_stack(interface, axes) and is_stack(target, axes)):
        return False
    device, stream = _cuda.place_of(tensor, call.device)
    pictures, planes = tensor.shape[0], tensor.shape[1] if axes == "nchw" else 1
    size = planes * tensor.shape[-2] * tensor.shape[-1] * sample_bytes(interface)
    at_once = max(1, min(_BYTES_TOGETHER // size, _MOST_PLANES // planes))
    for first in range(0, pictures, at_once):
        count = min(at_once, pictures - first)
        source, place = (Picture(stacked(of, axes, first, count), True) for of in (interface, target))
        layout = format_of(source, call.bits, False)
        _cuda.in_place(source.walkable, "")
        _cuda.in_place(place.walkable, " of out")
        run(plan_of(call.kernels, layout, *source.size, call.border, device, False, call.threads, False), source, place, stream)
    return True


def _check_out(out: Any, array: Array) -> Array:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}: give an array of NumPy")
    if out.shape != array.shape or out.dtype != array.dtype:
        raise ValueError(f"out is of shape {out.shape} and {out.dtype}: the array is of {array.shape} and {array.dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out
