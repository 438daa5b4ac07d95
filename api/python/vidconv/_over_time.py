"""Filters arrays whose pictures follow each other in time."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._layout import Picture, format_of, layout_of
from ._plans import new_plan


def filter_over_time(array: Any, axis: int, out: Any, planar: bool, layout: Optional[str], kernels: Tuple[str, ...],
                     border: Optional[str], bits: Optional[int], threads: int) -> Any:
    """Does vidconv.filter()'s work for an array whose dimension `axis` counts pictures."""
    if not isinstance(array, np.ndarray):
        if hasattr(array, "__cuda_array_interface__"):
            raise TypeError("filters over time run on the CPU: give an array of NumPy")
        array = np.asarray(array)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis={axis}: an array of shape {array.shape} has no such dimension")
    if 0 in array.shape:
        raise ValueError(f"an array of shape {array.shape}: there is nothing in it")
    frames = np.moveaxis(array, axis, 0)
    axes = layout_of(frames.shape[1:], layout, planar)
    if axes[0] == "n":
        raise ValueError(f"layout={layout!r} with axis={axis}: name the axes of one picture")
    planar = axes[0] == "c"
    picture = Picture(frames[0].__array_interface__, planar)
    if not picture.walkable or frames.strides[0] % frames.itemsize:
        frames = np.array(frames, order="C")
        picture = Picture(frames[0].__array_interface__, planar)
    # Means are carried from picture to picture, so that no other call may have this plan meanwhile.
    plan = new_plan(kernels, format_of(picture, bits, False), *picture.size, border, "cpu", False, threads, False)
    before, after, every, phase = plan.reach
    count = max(0, len(frames) - phase + every - 1) // every
    shape = frames.shape[1:]
    if out is None:
        result = np.empty((count, *shape), array.dtype)
    else:
        result = _room(out, array, axis, (count, *shape))
    target = Picture(result[0].__array_interface__, planar) if count else picture
    room = result if target.walkable else np.empty_like(result, order="C")
    for number in range(count):
        here = number * every + phase
        first, last = max(0, here - before - 1), min(len(frames), here + after + 1)
        target = Picture(room[number].__array_interface__, planar)
        plan.run_window(number, first, last - first, number > 0, picture.address + first * frames.strides[0],
                        frames.strides[0], picture.plane, picture.row, target.address, target.plane, target.row)
    if room is not result:
        result[...] = room
    return np.moveaxis(result, 0, axis) if out is None else out


def _room(out: Any, array: np.ndarray, axis: int, shape: Any) -> np.ndarray:
    """Returns the results' place, with the pictures first."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}: give an array of NumPy")
    if out.ndim != array.ndim or np.moveaxis(out, axis, 0).shape != shape or out.dtype != array.dtype:
        raise ValueError(f"out is of shape {out.shape} and {out.dtype}: the results are {shape[0]} pictures of {shape[1:]} "
                         f"and {array.dtype}, counted by dimension {axis}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if np.shares_memory(out, array):
        raise ValueError("out shares memory with the array, whose pictures are read again for later ones")
    return np.moveaxis(out, axis, 0)
