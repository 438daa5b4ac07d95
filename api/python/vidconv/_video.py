"""Filters videos: file to file, and frames in and out."""
from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Kernels

_log = logging.getLogger("vidconv")
Path = Union[str, "os.PathLike[str]"]
Progress = Callable[["ProgressReport"], Any]


@dataclass(frozen=True)
class ProgressReport:
    """The progress of a run."""

    frames: int  #: frames in the output
    total: Optional[int]  #: total that the input announces, may be wrong; None if it announces none
    seconds: float  #: time since the start
    position: float  #: duration of the output so far, in seconds of the video's time
    bytes: int  #: size of the output so far


@dataclass(frozen=True)
class Stats:
    """The statistics of a run."""

    decoded: int  #: frames, as in the next three
    filtered: int
    encoded: int
    written: int  #: frames in the output
    verified: int
    bytes: int  #: size of the output
    host_bytes: int  #: memory for frames
    device_bytes: int
    seconds: float
    damaged_packets: int  #: in the input, as the next two
    damaged_frames: int
    errors: int
    limiting_stage: str  #: busiest stage, such as "decode", "convolve" or "encode"
    device: str  #: "CPU, 8 threads"
    encoder: str  #: the encoder and its settings; empty if there is none
    psnr: Optional[float] = None  #: by ``measure``, as the next three; None where not measured, inf where nothing differs
    ssim: Optional[float] = None
    vmaf: Optional[float] = None
    xpsnr: Optional[float] = None
    crf: Optional[float] = None  #: that ``target`` has found


@dataclass(frozen=True)
class Video:
    """The properties that all frames of a video share. For a :class:`Writer` give `frame_rate` or `time_base`, or both."""

    format: str  #: FFmpeg's name of the pixel format, "yuv420p", "rgb24", "gray16le", ...
    width: int  #: pixels
    height: int
    frame_rate: Optional[Fraction] = None  #: frames per second; None if unknown
    time_base: Optional[Fraction] = None  #: seconds for each tick
    sample_aspect: Optional[Fraction] = None
    range: Optional[str] = None  #: "tv" or "pc", FFmpeg's names, as in the next three
    primaries: Optional[str] = None
    transfer: Optional[str] = None
    matrix: Optional[str] = None
    frames: Optional[int] = None  #: number of frames, if known before they are read
    seconds: Optional[float] = None


def _tell(kind: str, text: str) -> None:
    warning = text.startswith("warning: ")
    _log.log(logging.WARNING if warning else logging.INFO, "%s", text, extra={"kind": kind})


def _words(name: str, value: Any) -> List[Tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [(name, "1" if value else "0")]
    if isinstance(value, dict):
        return [(name, f"{key}={v}") for key, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [(name, str(v)) for v in value]
    if isinstance(value, os.PathLike):
        return [(name, os.fspath(value))]
    return [(name, str(value))]


_heard = False


def _job(settings: Dict[str, Any], progress: Optional[Progress] = None) -> _core.Job:
    global _heard
    if not _heard:  # without libav*'s log some damage goes unseen
        _core.hear_libav()
        _heard = True
    words = [word for name, value in settings.items() for word in _words(name, value)]
    report = (lambda *numbers: progress(ProgressReport(*numbers))) if progress else None
    return _core.Job(words, _tell, report)


def settings() -> Dict[str, str]:
    """The settings that :func:`run`, :func:`open` and :class:`Writer` take by name, and what they mean.

    >>> settings()["preset"]
    'NAME: speed preset of the encoder'
    """
    return dict(_core.settings())


def run(input: Path, output: Path, *, kernel: Optional[Kernels] = None, progress: Optional[Progress] = None,
        **options: Any) -> Stats:
    """Filters a video into another, as the command does.

    Args:
        input: a file, a URL or "pattern:WxH[:PIXFMT][@FPS][#FRAMES]".
        output: a file, its container by its extension; "null:".
        kernel: as for :func:`vidconv.filter`.
        progress: called with a :class:`ProgressReport` after the first frame, ten times a second and after the last, on a
            thread of the library. An exception in it ends the run early, and `run` raises it.
        options: settings by their names (:func:`settings`): ``codec="libx264", crf=18, overwrite=True,
            encoder_options={"tune": "grain"}``.

    Raises:
        DamagedError: the output is there, but frames of the input are missing or wrong; its `stats` say more.
        Error: any other failure; there is no output, and an older file is unchanged.

    Ctrl-C ends the run early: the output holds the frames so far, and KeyboardInterrupt is raised.

    >>> run("pattern:64x48#5", "null:", kernel="sobel").written
    5
    """
    job = _job({"input": input, "output": output, "kernel": kernel, **options}, progress)
    return Stats(**job.run())


class Frame:
    """A filtered frame. Its arrays are read-only views of its memory and keep it alive."""

    def __init__(self, core: _core.Frame, video: Video, dtype: np.dtype) -> None:
        self._core = core
        self._dtype = dtype
        self.number: int = core.number  #: from 0
        self.pts: int = core.pts  #: ticks of the video's time base
        self.duration: int = core.duration  #: ticks of the video's time base; 0 if unknown
        self.time: Optional[Fraction] = core.pts * video.time_base if video.time_base else None  #: seconds
        self.interlaced: bool = core.interlaced
        self.top_field_first: bool = core.top_field_first

    @property
    def planes(self) -> Tuple[np.ndarray, ...]:
        """The planes' arrays, of uint8, uint16 or float32, shaped (rows, samples of a row). A single plane with several
        samples for each pixel is shaped (rows, columns, channels)."""
        planes = tuple(np.asarray(_Plane(self._core, self._dtype, *plane)) for plane in self._core.planes())
        if len(planes) == 1 and planes[0].shape[1] % self._core.width == 0:
            channels = planes[0].shape[1] // self._core.width
            if channels > 1:
                return (planes[0].reshape(-1, self._core.width, channels),)
        return planes

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        planes = self.planes
        if len(planes) != 1:
            raise TypeError(f"this frame has {len(planes)} planes: use its `planes`, or a format of one plane, as gray or rgb24 is")
        array = planes[0] if dtype is None else planes[0].astype(dtype)
        return array.copy() if copy and dtype is None else array


class _Plane:
    """Tells NumPy where a plane's memory is. NumPy keeps this object, and with it the frame, as long as there is a view."""

    def __init__(self, frame: _core.Frame, dtype: np.dtype, address: int, stride: int, row_bytes: int, rows: int) -> None:
        self._frame = frame
        self.__array_interface__ = {
            "version": 3, "typestr": dtype.str, "data": (address, True),
            "shape": (rows, row_bytes // dtype.itemsize), "strides": (stride, dtype.itemsize)}


def _ratio(pair: Tuple[int, int]) -> Optional[Fraction]:
    return Fraction(*pair) if pair[0] > 0 and pair[1] > 0 else None


def _pair(ratio: Optional[Fraction]) -> Tuple[int, int]:
    return (0, 1) if ratio is None else (Fraction(ratio).numerator, Fraction(ratio).denominator)


def _dtype(format: str) -> np.dtype:
    bytes_of_sample = _core.Plan(["identity"], format, 16, 16, None, None, "cpu", 1).sample_bytes
    order = ">" if format.endswith("be") else "<"
    return np.dtype({1: "u1", 2: order + "u2", 4: order + "f4"}[bytes_of_sample])


class Reader:
    """Iterates over the filtered frames of a video in order of time; made by :func:`open`. ``video`` describes them."""

    def __init__(self, job: _core.Job) -> None:
        self._core: Optional[_core.Reader] = _core.Reader(job)
        words = self._core.video()
        for name in ("time_base", "frame_rate", "sample_aspect"):
            words[name] = _ratio(words[name])
        words["frames"] = None if words["frames"] < 0 else words["frames"]
        words["seconds"] = None if words["seconds"] < 0 else words["seconds"]
        self.video = Video(**words)
        self._dtype = _dtype(self.video.format)

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        frame = self._core.next() if self._core else None
        if frame is None:
            raise StopIteration
        return Frame(frame, self.video, self._dtype)

    def close(self) -> None:
        """Ends decoding. Frames that were read stay valid."""
        self._core = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open(input: Path, *, kernel: Optional[Kernels] = None, **options: Any) -> Reader:
    """Opens a video to read its frames one by one; without a kernel they are not filtered.

    `options` are those of :func:`run`; options of the output are ignored. At the end of a damaged video the iteration
    raises DamagedError. Frames that are kept keep their memory.

    >>> for frame in open("pattern:64x48:gray@25#3", kernel="sobel"):
    ...     print(frame.number, float(frame.time), frame.planes[0].shape)
    0 0.0 (48, 64)
    1 0.04 (48, 64)
    2 0.08 (48, 64)
    """
    return Reader(_job({"input": input, "kernel": kernel, **options}))


class Writer:
    """Writes frames to a video, filtered if there is a kernel.

    `output`, `kernel` and `options` are those of :func:`run`. Leaving the `with` block completes the output; after an
    exception there is none, and an older file is unchanged.

    >>> import numpy as np
    >>> with Writer("null:", Video("rgb24", 64, 48, frame_rate=Fraction(25)), kernel="box") as writer:
    ...     for level in range(3):
    ...         writer.write(np.full((48, 64, 3), level, np.uint8))
    >>> writer.stats.written
    3
    """

    def __init__(self, output: Path, video: Video, *, kernel: Optional[Kernels] = None,
                 progress: Optional[Progress] = None, **options: Any) -> None:
        job = _job({"output": output, "kernel": kernel, **options}, progress)
        colour = [video.range, video.primaries, video.transfer, video.matrix]
        self.video = video
        self.stats: Optional[Stats] = None  #: set when the writer is closed
        self._dtype = _dtype(video.format)
        self._shapes = self._plane_shapes()
        self._core: Optional[_core.Writer] = _core.Writer(job, video.format, video.width, video.height,
                                                           _pair(video.time_base), _pair(video.frame_rate),
                                                           _pair(video.sample_aspect), colour)

    def _plane_shapes(self) -> List[Tuple[int, int]]:
        plan = _core.Plan(["identity"], self.video.format, self.video.width, self.video.height, None, None, "cpu", 1)
        return [(rows, row_bytes // self._dtype.itemsize) for rows, row_bytes in plan.extents]

    def write(self, frame: Union[Frame, np.ndarray, Sequence[np.ndarray]], pts: Optional[int] = None) -> None:
        """Takes a frame, which is copied: an array for each plane, shaped as those of :class:`Frame`; a single array if
        there is one plane; or a Frame. `pts` is in ticks of the time base and later than the previous one; None: the time
        follows from the frame rate."""
        if self._core is None:
            raise ValueError("this writer is closed")
        planes = frame.planes if isinstance(frame, Frame) else frame
        planes = [planes] if isinstance(planes, np.ndarray) else list(planes)
        if len(planes) != len(self._shapes):
            raise ValueError(f"{len(planes)} planes: {self.video.format} has {len(self._shapes)}")
        planes = [self._checked(plane, shape) for plane, shape in zip(planes, self._shapes)]
        self._core.write([p.__array_interface__["data"][0] for p in planes], [p.strides[0] for p in planes], pts)

    def _checked(self, plane: np.ndarray, shape: Tuple[int, int]) -> np.ndarray:
        plane = np.asarray(plane)
        if plane.dtype != self._dtype or plane.ndim not in (2, 3) or (plane.shape[0], plane[0].size) != shape:
            raise ValueError(f"a plane of shape {plane.shape} and {plane.dtype}: {self.video.format} of {self.video.width}x"
                             f"{self.video.height} wants {shape[0]} rows of {shape[1]} samples, {self._dtype}")
        return np.ascontiguousarray(plane)

    def close(self) -> Stats:
        """Waits until the output is complete and has its name. Ctrl-C discards it."""
        if self._core is not None:
            core, self._core = self._core, None
            self.stats = Stats(**core.finish())
        if self.stats is None:
            raise ValueError("this writer was given up, or failed")
        return self.stats

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._core = None  # discards the output
