"""From values of Python to the words that the C library takes."""
from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

#: A name of a file.
Path = Union[str, "os.PathLike[str]"]
#: One filter: a specification, a file with a matrix, or the matrix itself by rows.
Kernel = Union[Path, "npt.NDArray[Any]", Sequence[float], Sequence[Sequence[float]]]
#: One filter, or a chain of several.
Kernels = Union[Kernel, Sequence[Any]]
#: (x, y, width, height), in pixels or as "12.5%".
Box = Sequence[Any]

# Borders as OpenCV numbers them.
_OPENCV_BORDERS = {0: ("BORDER_CONSTANT", "zero"), 1: ("BORDER_REPLICATE", "replicate"), 2: ("BORDER_REFLECT", "reflect"),
                   3: ("BORDER_WRAP", "wrap"), 4: ("BORDER_REFLECT_101", "reflect101")}


def path_word(path: Path) -> str:
    """Returns the name of a file as the C library takes it: a path is never taken for an address or a built-in name."""
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if not isinstance(path, str) and (name == "-" or ":" in name.split("/")[0]):
        return f"./{name}"
    return name


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Real, np.number)) and not isinstance(value, (bool, np.bool_))


def _is_row(value: Any) -> bool:
    return (isinstance(value, np.ndarray) and value.ndim == 1) or (
        isinstance(value, (list, tuple)) and len(value) > 0 and all(map(_is_number, value)))


def _number_word(value: Any) -> str:
    if isinstance(value, (Fraction, numbers.Integral)):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"a kernel with {number}: its numbers are finite")
    return repr(number)


def _matrix_word(rows: Sequence[Any]) -> str:
    widths = {len(row) for row in rows}
    if not rows or widths == {0}:
        raise ValueError("a kernel without numbers: give at least one")
    if len(widths) > 1:
        raise ValueError(f"a kernel with rows of {' and '.join(map(str, sorted(widths)))} numbers: its rows are equally long")
    return "matrix:" + ";".join(" ".join(map(_number_word, row)) for row in rows)


def _array_word(matrix: npt.NDArray[Any]) -> str:
    if matrix.dtype.kind not in "iuf":
        raise TypeError(f"a kernel of {matrix.dtype}: give numbers, as array.astype(float) makes them")
    if matrix.ndim not in (1, 2):
        raise ValueError(f"a kernel of shape {matrix.shape}: give (rows, columns), or (columns,) for one row")
    return _matrix_word(np.atleast_2d(matrix).tolist())


def _kernel_word(kernel: Any) -> str:
    if isinstance(kernel, str):
        return kernel
    if isinstance(kernel, os.PathLike):
        return f"file:{os.fspath(kernel)}"
    if isinstance(kernel, np.ndarray):
        return _array_word(kernel)
    if _is_row(kernel):
        return _matrix_word([kernel])
    if isinstance(kernel, (list, tuple)) and kernel and all(map(_is_row, kernel)):
        return _matrix_word([row.tolist() if isinstance(row, np.ndarray) else row for row in kernel])
    raise TypeError(f"a kernel of type {type(kernel).__name__}: give a specification as 'gaussian:sigma=2', a matrix as an "
                    "array or a list of rows, or a list of those")


def kernel_words(kernel: Kernels) -> Tuple[str, ...]:
    """Returns the specification of each filter of a chain."""
    if isinstance(kernel, str):
        return (kernel,)
    if isinstance(kernel, (list, tuple)) and not _is_row(kernel) and not (kernel and all(map(_is_row, kernel))):
        return tuple(map(_kernel_word, kernel))
    return (_kernel_word(kernel),)


def border_word(border: Optional[str]) -> Optional[str]:
    """Returns the border's name; refuses numbers, which mean something else in each library."""
    if border is None or isinstance(border, str):
        return border
    is_number = isinstance(border, int) and not isinstance(border, bool)
    name, ours = _OPENCV_BORDERS.get(border, ("", "")) if is_number else ("", "")
    meant = f"OpenCV's {name} is '{ours}'" if ours else (
        "give 'reflect101', 'reflect', 'replicate', 'wrap', 'zero' or 'constant:V'")
    raise TypeError(f"border={border!r}: a border has a name: {meant}")


def in_regions(kernels: Tuple[str, ...], regions: Optional[Sequence[Any]]) -> Tuple[str, ...]:
    """Returns the filters, each confined to these boxes."""
    if regions is None:
        return kernels
    if isinstance(regions, (str, os.PathLike)):
        raise TypeError(f"regions={str(regions)!r}: a picture in memory is no frame of a video: give boxes (x, y, width, height) "
                        "of this one; files of boxes are for run(), open() and Writer")
    boxes = [regions] if len(regions) == 4 and all(isinstance(v, (int, str, np.integer)) for v in regions) else list(regions)
    for box in boxes:
        if isinstance(box, Mapping):
            raise TypeError(f"a region {box!r}: a picture in memory is no frame of a video: give (x, y, width, height) of this one; "
                            "boxes with frames are for run(), open() and Writer")
        if isinstance(box, str) or len(box) != 4:
            raise ValueError(f"a region {box!r}: give (x, y, width, height), in pixels or as '12.5%'")
    if not boxes:
        raise ValueError("regions is empty: give at least one box, or None for the whole picture")
    words = ";".join(",".join(str(v) for v in box) for box in boxes)
    return tuple(f"{kernel}:region={words}" for kernel in kernels)


def setting_words(name: str, value: Any) -> List[Tuple[str, str]]:
    """Returns what is to be set of a job, as names and words."""
    if value is None:
        return []
    if name == "kernel":
        return [(name, word) for word in kernel_words(value)]
    if name == "border":
        return [(name, border_word(value) or "")]
    if isinstance(value, (bool, np.bool_)):
        return [(name, "1" if value else "0")]
    if isinstance(value, dict):
        return [(name, f"{key}={_setting_word(v)}") for key, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [(name, _setting_word(v)) for v in value]
    return [(name, _setting_word(value))]


def _setting_word(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    return path_word(value) if isinstance(value, os.PathLike) else str(value)
