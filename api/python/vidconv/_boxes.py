"""Boxes of `regions`, as the C library takes them."""
from __future__ import annotations

import numbers
import os
from collections.abc import Mapping
from typing import Any, List, NamedTuple, Sequence, Tuple, Union

import numpy as np

from ._words import path_word

#: x, y, width, height, frame, time, by_time, ellipse, filter, id.
BoxRow = Tuple[float, float, float, float, int, float, bool, bool, int, str]


class BoxList(NamedTuple):
    """Boxes frame by frame, and the options that would follow a file's name."""

    rows: List[BoxRow]
    options: str


def are_of_frames(regions: Any) -> bool:
    """Returns whether boxes differ from frame to frame: those of a file, or dicts that name frames or times."""
    if isinstance(regions, (str, os.PathLike)):
        return True
    return isinstance(regions, (list, tuple)) and any(isinstance(box, Mapping) for box in regions)


def file_word(regions: Union[str, "os.PathLike[str]"], options: Any) -> str:
    """Returns the file of boxes with its options, as the setting takes them."""
    words = _options_word(options)
    return path_word(regions) + (f":{words}" if words else "")


def box_list(regions: Sequence[Any], options: Any) -> BoxList:
    """Returns the boxes of dicts, each with the keys of a line in JSON."""
    return BoxList([_row(f"regions[{index}]", box) for index, box in enumerate(regions)], _options_word(options))


def _options_word(options: Any) -> str:
    if options is None or isinstance(options, str):
        return options or ""
    if isinstance(options, Mapping):
        return ":".join(f"{key}={value}" for key, value in options.items())
    raise TypeError(f"regions_options={options!r}: give a dict as {{'grow': '15%', 'hold': 12}}, or 'grow=15%:hold=12'")


def _is_real(value: Any) -> bool:
    return isinstance(value, (numbers.Real, np.number)) and not isinstance(value, (bool, np.bool_))


def _number(name: str, key: str, value: Any) -> float:
    if not _is_real(value):
        raise TypeError(f"{name}: {key} is {value!r}, and no number")
    return float(value)


def _whole(name: str, key: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name}: {key} is {value!r}, and no whole number")
    if not -2**31 <= int(value) < 2**31 and key == "filter" or not -2**63 <= int(value) < 2**63:
        raise ValueError(f"{name}: there is no {key} {value}")
    return int(value)


def _id_word(name: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        word = value or ""
    else:
        word = str(_whole(name, "id", value))
    if "\0" in word:
        raise ValueError(f"{name}: id has a character of 0 in it")
    return word


def _row(name: str, box: Any) -> BoxRow:
    if not isinstance(box, Mapping):
        raise TypeError(f"{name} is {box!r}: beside boxes with a frame or a time all are dicts, "
                        "{'frame': 12, 'box': (x, y, width, height)}")
    frame, time = box.get("frame"), box.get("time")
    if (frame is None) == (time is None):
        raise ValueError(f"{name}: it needs a frame or a time, not both")
    if "box" not in box and "bbox" in box:
        raise ValueError(f"{name}: some write a bbox as x, y, width, height and some as two corners: write it as 'box'")
    place: Any = box.get("box")
    if isinstance(place, str) or not hasattr(place, "__len__") or len(place) != 4:
        raise ValueError(f"{name}: it needs a box, (x, y, width, height), and has {place!r}")
    x, y, width, height = (_number(name, "a number of the box", value) for value in place)
    shape = box.get("shape")
    if shape not in (None, "rectangle", "ellipse"):
        raise ValueError(f"{name}: the shape {shape!r} is neither 'rectangle' nor 'ellipse'")
    chosen = box.get("filter")
    if chosen is not None and _whole(name, "filter", chosen) < 1:
        raise ValueError(f"{name}: there is no filter {chosen}")
    return (x, y, width, height, 0 if frame is None else _whole(name, "frame", frame),
            0.0 if time is None else _number(name, "time", time), frame is None, shape == "ellipse",
            0 if chosen is None else int(chosen), _id_word(name, box.get("id")))
