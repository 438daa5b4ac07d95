"""Filters arrays and video with convolution kernels, on the CPU and on CUDA, with the same bytes from both.

>>> import numpy as np, vidconv
>>> picture = np.zeros((5, 5), np.uint8)
>>> picture[2, 2] = 255
>>> vidconv.filter(picture, "box")[1:4, 1:4].tolist()
[[28, 28, 28], [28, 28, 28], [28, 28, 28]]

Files: ``vidconv.run("in.mp4", "out.mp4", kernel="sobel")``; frames: :func:`open` and :class:`Writer`. Messages that the
command prints on stderr go to the logger ``vidconv``, and failures become exceptions: see :class:`Error`.

``from vidconv import *`` leaves :func:`open` and :func:`filter` out, which would take the place of Python's own.
"""
from typing import List

from . import _core
from ._arrays import filter as filter  # pylint: disable=redefined-builtin
from ._device import DevicePlane
from ._errors import (Cancelled, DamagedError, DeviceError, Error, InputError, InputNotFoundError, InputPermissionError,
                      InternalError, OutOfMemoryError, OutputError, OutputExistsError, OutputNotFoundError,
                      OutputPermissionError, TryAgainError, UsageError, VerificationError)
from ._frame import Frame
from ._reader import Reader, UncountableError
from ._reader import open as open  # pylint: disable=redefined-builtin
from ._records import ProgressReport, Stats, Video
from ._video import run, settings
from ._writer import Writer

__version__ = _core.version()
#: Version of the numeric promise; libraries of one version give the same bytes for the same filters.
numerics = _core.numerics()
cuda_devices = _core.cuda_devices


def formats() -> List[str]:
    """Returns the pixel formats that are filtered as they are, FFmpeg's names."""
    return _core.formats()


__all__ = ["Cancelled", "DamagedError", "DeviceError", "DevicePlane", "Error", "Frame", "InputError", "InputNotFoundError",
           "InputPermissionError", "InternalError", "OutOfMemoryError", "OutputError", "OutputExistsError",
           "OutputNotFoundError", "OutputPermissionError", "ProgressReport", "Reader", "Stats", "TryAgainError",
           "UncountableError", "UsageError", "VerificationError", "Video", "Writer", "cuda_devices", "formats", "numerics", "run", "settings"]
