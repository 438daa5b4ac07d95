"""Frames of a video as arrays."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._device import DevicePlane
from ._records import Video

# Pixels of floats that lie side by side are made of planes: which come first in them, by FFmpeg's names.
_INTERLEAVED = {"rgbf32": ("gbrpf32", (2, 0, 1)), "bgrf32": ("gbrpf32", (1, 0, 2))}


def core_format(format: Optional[str]) -> Optional[str]:
    """Returns the format that the C library is to give for one that a program wants."""
    return None if format is None else _INTERLEAVED.get(format, (format, ()))[0]


def sample_type(format: str) -> "np.dtype[Any]":
    """Returns the type of the samples of a pixel format."""
    bytes_of_sample = _core.Plan(["identity"], format, 16, 16, None, None, "cpu", 1).sample_bytes
    order = ">" if format.endswith("be") else "<"
    return np.dtype({1: "u1", 2: order + "u2", 4: order + "f4"}[bytes_of_sample])


class _Plane:
    """Tells NumPy where a plane's memory is. NumPy keeps this object, and with it the frame, as long as there is a view."""

    def __init__(self, frame: _core.Frame, dtype: "np.dtype[Any]", address: int, stride: int, row_bytes: int, rows: int) -> None:
        self._frame = frame
        self.__array_interface__ = {
            "version": 3, "typestr": dtype.str, "data": (address, True),
            "shape": (rows, row_bytes // dtype.itemsize), "strides": (stride, dtype.itemsize)}


class Frame:
    """A filtered frame. Its arrays are read-only views of its memory and keep it alive.

    ``np.asarray(frame)`` is the picture, where the frame has one plane, as those of "rgb24", "bgr24" and "gray" have; or where
    it was asked for as "rgbf32" or "bgrf32". Where a reader was opened with ``on_device=True`` the planes are a
    :class:`vidconv.DevicePlane` each.
    """

    def __init__(self, core: _core.Frame, video: Video, dtype: "np.dtype[Any]") -> None:
        self._core = core
        self._dtype = dtype
        self._video = video
        self.number: int = core.number  #: from 0
        self.pts: int = core.pts  #: ticks of the video's time base
        self.duration: int = core.duration  #: ticks of the video's time base; 0 if unknown
        self.time: Optional[Fraction] = core.pts * video.time_base if video.time_base else None  #: seconds
        self.interlaced: bool = core.interlaced
        self.top_field_first: bool = core.top_field_first

    @property
    def format(self) -> str:
        """The pixel format, FFmpeg's name or "rgbf32" or "bgrf32"."""
        return self._video.format

    @property
    def device(self) -> str:
        """The place of the samples, ``"cpu"`` or ``"cuda:N"``."""
        return f"cuda:{self._core.device}" if self._core.on_device else "cpu"

    @property
    def planes(self) -> Tuple[Any, ...]:
        """The planes' arrays, of uint8, uint16 or float32, shaped (rows, samples of a row). A single plane with several
        samples for each pixel is shaped (rows, columns, channels). On a device: DevicePlane instead of arrays."""
        return self._device_planes() if self._core.on_device else self._arrays()

    def _device_planes(self) -> Tuple[DevicePlane, ...]:
        planes, width = self._core.planes(), self._core.width
        samples = [row_bytes // self._dtype.itemsize for _, _, row_bytes, _ in planes]
        side_by_side = len(planes) == 1 and samples[0] > width and samples[0] % width == 0
        return tuple(DevicePlane(self._core, p, self._dtype, (rows, width, samples[p] // width) if side_by_side else (rows, samples[p]),
                                 stride) for p, (_, stride, _, rows) in enumerate(planes))

    def _arrays(self) -> Tuple[npt.NDArray[Any], ...]:
        planes = tuple(np.asarray(_Plane(self._core, self._dtype, *plane)) for plane in self._core.planes())
        if self.format in _INTERLEAVED:
            return (_read_only(np.stack([planes[p] for p in _INTERLEAVED[self.format][1]], axis=2)),)
        if len(planes) == 1 and planes[0].shape[1] % self._core.width == 0:
            channels = planes[0].shape[1] // self._core.width
            if channels > 1:
                return (planes[0].reshape(-1, self._core.width, channels),)
        return planes

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of the picture, (rows, columns), or (rows, columns, channels) where these lie side by side in one plane."""
        planes: Tuple[Union[npt.NDArray[Any], DevicePlane], ...] = self.planes
        return planes[0].shape if len(planes) == 1 else (self._core.height, self._core.width)

    def to_ndarray(self, format: Optional[str] = None) -> npt.NDArray[Any]:
        """Returns the picture as an array, (rows, columns) or (rows, columns, channels).

        Args:
            format: "rgb24", "bgr24", "gray", "rgbf32" (red, green, blue as float32 from 0 to 1), "bgrf32", or another of
                FFmpeg's names whose pixels lie in one plane; converted as by :func:`vidconv.open`. None: as it is.

        The array is read-only where it is a view of the frame.

        >>> import vidconv
        >>> frame = next(vidconv.open("pattern:64x48:yuv420p#1"))
        >>> frame.to_ndarray("bgr24").shape
        (48, 64, 3)
        """
        if self._core.on_device:
            raise TypeError(f"the frame lies on {self.device}: use torch.from_dlpack() or cupy.from_dlpack() of its planes, or open "
                            "the video without on_device=True")
        if format is not None and format != self.format:
            return self._converted(format).to_ndarray()
        planes = self._arrays()
        if len(planes) != 1:
            raise TypeError(f"a frame of {self.format} has {len(planes)} planes: use its `planes`, or "
                            "frame.to_ndarray('rgb24'), or vidconv.open(..., format='rgb24')")
        return planes[0]

    def _converted(self, format: str) -> Frame:
        core = self._core.convert(core_format(format) or format)
        video = Video(format, self._core.width, self._core.height, time_base=self._video.time_base)
        return Frame(core, video, sample_type(core_format(format) or format))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        picture = self.to_ndarray()
        array = picture if dtype is None else picture.astype(dtype)
        return array.copy() if copy and array is picture else array

    def __repr__(self) -> str:
        time = "" if self.time is None else f" at {float(self.time):.3f} s"
        place = f" on {self.device}" if self._core.on_device else ""
        return f"<vidconv.Frame {self.number}{time}: {self._core.width}x{self._core.height} {self.format}{place}>"


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
