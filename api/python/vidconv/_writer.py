"""Writes frames to a video."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core, _cuda
from ._device import DevicePlane
from ._frame import Frame, sample_type
from ._job import Progress, job_of
from ._layout import Picture
from ._records import Stats, Video
from ._words import Kernels, Path


def _pair(ratio: Optional[Fraction]) -> Tuple[int, int]:
    return (0, 1) if ratio is None else (ratio.numerator, ratio.denominator)


class Writer:
    """Writes frames to a video, filtered if there is a kernel.

    `output`, `kernel` and `options` are those of :func:`run`. Leaving the `with` block completes the output; after an
    exception there is none, and an older file is unchanged.

    >>> import numpy as np
    >>> from vidconv import Video
    >>> with Writer("null:", Video("rgb24", 64, 48, frame_rate=25), kernel="box") as writer:
    ...     for level in range(3):
    ...         writer.write(np.full((48, 64, 3), level, np.uint8))
    >>> writer.stats.written
    3
    """

    def __init__(self, output: Path, video: Video, *, kernel: Optional[Kernels] = None,
                 progress: Optional[Progress] = None, **options: Any) -> None:
        if video.frame_rate is None and video.time_base is None:
            raise ValueError("the video has neither a frame_rate nor a time_base: give one, as vidconv.Video(..., frame_rate=25)")
        job = job_of({"output": output, "kernel": kernel, **options}, progress)
        colour = [video.range, video.primaries, video.transfer, video.matrix]
        self.video = video
        self.stats: Optional[Stats] = None  #: set when the writer is closed
        self._dtype = sample_type(video.format)
        self._shapes = self._plane_shapes()
        self._core: Optional[_core.Writer] = _core.Writer(job, video.format, video.width, video.height,
                                                           _pair(video.time_base), _pair(video.frame_rate),
                                                           _pair(video.sample_aspect), colour)

    def _plane_shapes(self) -> List[Tuple[int, int]]:
        plan = _core.Plan(["identity"], self.video.format, self.video.width, self.video.height, None, None, "cpu", 1)
        return [(rows, row_bytes // self._dtype.itemsize) for rows, row_bytes in plan.extents]

    def write(self, frame: Any, pts: Optional[int] = None) -> None:
        """Takes a frame, which is copied: an array for each plane, shaped as those of :class:`Frame`; a single array if
        there is one plane; or a Frame. `pts` is in ticks of the time base and later than the previous one; None: the time
        follows from the frame rate.

        Tensors of torch and cupy on a CUDA device are taken where they lie, if the writer's ``device`` is "cuda" or "cuda:N" and
        that device; so is a Frame that lies there. They are read on the library's current stream, and the call does not
        wait for it.
        """
        if self._core is None:
            raise ValueError("this writer is closed")
        planes: Any = frame.planes if isinstance(frame, Frame) else frame
        planes = list(planes) if isinstance(planes, (list, tuple)) else [planes] if hasattr(planes, "shape") else list(planes)
        if len(planes) != len(self._shapes):
            raise ValueError(f"{len(planes)} planes: {self.video.format} has {len(self._shapes)}")
        if isinstance(planes[0], DevicePlane) or _cuda.interface_of(planes[0]) is not None:
            return self._write_on_device(planes, pts)
        planes = [self._checked(plane, shape) for plane, shape in zip(planes, self._shapes)]
        self._core.write([p.__array_interface__["data"][0] for p in planes], [p.strides[0] for p in planes], pts)

    def _checked(self, plane: npt.NDArray[Any], shape: Tuple[int, int]) -> npt.NDArray[Any]:
        plane = np.asarray(plane)
        self._check(plane.shape, plane.dtype, shape)
        return np.ascontiguousarray(plane)

    def _check(self, given: Tuple[int, ...], dtype: "np.dtype[Any]", shape: Tuple[int, int]) -> None:
        if dtype != self._dtype or len(given) not in (2, 3) or (given[0], int(np.prod(given[1:]))) != shape:
            raise ValueError(f"a plane of shape {tuple(given)} and {dtype}: {self.video.format} of {self.video.width}x"
                             f"{self.video.height} wants {shape[0]} rows of {shape[1]} samples, {self._dtype}")

    def _write_on_device(self, planes: List[Any], pts: Optional[int]) -> None:
        pictures, streams = [], set()
        for plane, shape in zip(planes, self._shapes):
            interface = plane.interface if isinstance(plane, DevicePlane) else _cuda.interface_of(plane)
            if interface is None:
                raise TypeError(f"a plane is a {type(plane).__name__} in the host's memory, and another lies on a device: give both "
                                "from one")
            self._check(interface["shape"], np.dtype(interface["typestr"]), shape)
            pictures.append(Picture(interface, False))
            _cuda.in_place(pictures[-1].walkable, "")
            if not isinstance(plane, DevicePlane):
                streams.add(_cuda.device_and_stream(plane)[1])
        if len(streams) > 1:
            raise ValueError("the planes are of libraries with different current streams: give tensors of one")
        stream = streams.pop() if streams else 0
        assert self._core is not None
        self._core.write([p.address for p in pictures], [p.row for p in pictures], pts, stream)
        for plane in planes:
            if isinstance(plane, DevicePlane):
                plane.used_on(stream)

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
