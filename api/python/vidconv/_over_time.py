"""Filters arrays whose pictures follow each other in time."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _cuda
from ._layout import Picture, format_of, layout_of, range_of, sample_bytes, strides_of
from ._plans import new_plan


def filter_over_time(array: Any, axis: int, out: Any, planar: bool, layout: Optional[str], kernels: Tuple[str, ...],
                     border: Optional[str], bits: Optional[int], threads: int, device: Optional[str]) -> Any:
    """Does vidconv.filter()'s work for an array whose dimension `axis` counts pictures."""
    host = isinstance(array, np.ndarray) or _cuda.interface_of(array) is None
    if host:
        array = np.asarray(array)
        place, stream = "cuda:0" if device == "cuda" else device or "cpu", 0
    else:
        place, stream = _cuda.place_of(array, device)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis={axis}: an array of shape {tuple(array.shape)} has no such dimension")
    if 0 in array.shape:
        raise ValueError(f"an array of shape {tuple(array.shape)}: there is nothing in it")
    frames = _first(array, axis)
    axes = layout_of(tuple(frames.shape[1:]), layout, planar)
    if axes[0] == "n":
        raise ValueError(f"layout={layout!r} with axis={axis}: name the axes of one picture")
    planar = axes[0] == "c"
    picture, step = _pictures(frames, planar)
    name = format_of(picture, bits, False)
    if not picture.walkable:
        if not host:
            _cuda.in_place(False, "")
        frames = np.array(frames, order="C")
        picture, step = _pictures(frames, planar)
    # Means are carried from picture to picture, so that no other call may have this plan meanwhile.
    plan = new_plan(kernels, name, *picture.size, border, place, host and place != "cpu", threads, False)
    before, after, every, phase = plan.reach
    count = max(0, len(frames) - phase + every - 1) // every
    shape = (count, *frames.shape[1:])
    if out is None:
        result = np.empty(shape, array.dtype) if host else _cuda.new_like(array, shape)
    else:
        result = _room(out, array, axis, shape)
    room = result
    if count:
        target, room_step = _pictures(room, planar)
        if not target.walkable:
            if not host:
                _cuda.in_place(False, " of out")
            room = np.empty_like(result, order="C")
            target, room_step = _pictures(room, planar)
        for number in range(count):
            here = number * every + phase
            first, last = max(0, here - before - 1), min(len(frames), here + after + 1)
            plan.run_window(number, first, last - first, number > 0, picture.address + first * step, step, picture.plane,
                            picture.row, target.address + number * room_step, target.plane, target.row, stream)
    if room is not result:
        result[...] = room
    return _library(result).moveaxis(result, 0, axis) if out is None else out


def _library(array: Any) -> Any:
    return np if isinstance(array, np.ndarray) else _cuda.library_of(array)


def _first(array: Any, axis: int) -> Any:
    """Returns the array with dimension `axis` as the first one."""
    return _library(array).moveaxis(array, axis, 0)


def _interface(array: Any) -> Dict[str, Any]:
    return array.__array_interface__ if isinstance(array, np.ndarray) else _cuda.interface_of(array) or {}


def _pictures(frames: Any, planar: bool) -> Tuple[Picture, int]:
    """Returns the first of the pictures, and the bytes from one to the next; it is not walkable where they are not."""
    picture = Picture(_interface(frames[0]), planar)
    interface = _interface(frames)
    step = strides_of(interface)[0]
    picture.walkable = picture.walkable and step % sample_bytes(interface) == 0
    return picture, step


def _room(out: Any, array: Any, axis: int, shape: Tuple[int, ...]) -> Any:
    """Returns the results' place, with the pictures first."""
    host = isinstance(array, np.ndarray)
    if host and not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}: give an array of NumPy")
    if not host and (type(out) is not type(array) or out.device != array.device):
        raise ValueError("out is not of the tensor's type and device")
    if out.ndim != array.ndim or tuple(_first(out, axis).shape) != shape or out.dtype != array.dtype:
        raise ValueError(f"out is of shape {tuple(out.shape)} and {out.dtype}: the results are {shape[0]} pictures of "
                         f"{tuple(shape[1:])} and {array.dtype}, counted by dimension {axis}")
    if host and not out.flags.writeable:
        raise ValueError("out is read-only")
    if np.shares_memory(out, array) if host else _share_memory(_interface(out), _interface(array)):
        raise ValueError("out shares memory with the array, whose pictures are read again for later ones")
    return _first(out, axis)


def _share_memory(a: Dict[str, Any], b: Dict[str, Any]) -> bool:
    (a_first, a_end), (b_first, b_end) = range_of(a), range_of(b)
    return a_first < b_end and b_first < a_end
