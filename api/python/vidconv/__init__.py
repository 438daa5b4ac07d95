"""Filters arrays and video with convolution kernels, on the CPU and on CUDA, with the same bytes from both.

>>> import numpy as np, vidconv
>>> picture = np.zeros((5, 5), np.uint8)
>>> picture[2, 2] = 255
>>> vidconv.filter(picture, "box")[1:4, 1:4].tolist()
[[28, 28, 28], [28, 28, 28], [28, 28, 28]]

Files: ``vidconv.run("in.mp4", "out.mp4", kernel="sobel")``; frames: :func:`open` and :class:`Writer`. Messages that the
command prints on stderr go to the logger ``vidconv``, and failures become exceptions: see :class:`Error`.
"""
from . import _core
from ._arrays import filter  # pylint: disable=redefined-builtin
from ._errors import (Cancelled, DamagedError, DeviceError, Error, InputError, InternalError, OutputError,
                      TryAgainError, UsageError, VerificationError)
from ._video import (Frame, ProgressReport, Reader, Stats, Video, Writer, open, run,  # pylint: disable=redefined-builtin
                     settings)

__version__ = _core.version()
#: Version of the numeric promise; libraries of one version give the same bytes for the same filters.
numerics = _core.numerics()
cuda_devices = _core.cuda_devices

__all__ = ["Cancelled", "DamagedError", "DeviceError", "Error", "Frame", "InputError", "InternalError",
           "OutputError", "ProgressReport", "Reader", "Stats", "TryAgainError", "UsageError", "VerificationError", "Video", "Writer",
           "cuda_devices", "filter", "numerics", "open", "run", "settings"]
