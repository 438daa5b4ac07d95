"""Writes frames to a video."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._frame import Frame, sample_type
from ._job import Progress, job_of
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

    def write(self, frame: Union[Frame, npt.NDArray[Any], Sequence[npt.NDArray[Any]]], pts: Optional[int] = None) -> None:
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

    def _checked(self, plane: npt.NDArray[Any], shape: Tuple[int, int]) -> npt.NDArray[Any]:
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
