"""Filters videos: file to file."""
from __future__ import annotations

from typing import Any, Dict, Optional

from . import _core
from ._job import Progress, job_of
from ._records import Stats
from ._words import Kernels, Path


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
        input: a file, a URL or "pattern:WxH[:PIXFMT][@FPS][#FRAMES]". A path (pathlib) is always a file.
        output: a file, its container by its extension; "null:".
        kernel: as for :func:`vidconv.filter`.
        progress: called with a :class:`ProgressReport` after the first frame, ten times a second and after the last, on a
            thread of the library. An exception in it ends the run early, and `run` raises it.
        options: settings by their names (:func:`settings`): ``codec="libx264", crf=18, overwrite=True,
            encoder_options={"tune": "grain"}``.
            ``regions``: where the filters act: boxes of all frames, as for :func:`vidconv.filter`; boxes frame by frame, a list
            of dicts ``{"frame": 12, "box": (x, y, width, height)}``, counted from 0, in pixels as shown, with ``time``
            (seconds) instead of ``frame``, and ``id``, ``shape`` ("ellipse") and ``filter`` (from 1) if wanted; or a file of
            those. Between two boxes of one ``id`` it moves. A box that no frame had is an error.
            ``regions_options``: of boxes with frames, ``{"grow": "15%", "hold": 12, "feather": 8, "units": "relative"}``.

    Raises:
        UsageError, TypeError, ValueError: a setting makes no sense; wrong boxes are named as ``regions[3]``, or by their line.
        DamagedError: the output is there, but frames of the input are missing or wrong; its `stats` say more.
        Error: any other failure; there is no output, and an older file is unchanged.

    Ctrl-C ends the run early: the output holds the frames so far, and KeyboardInterrupt is raised.

    >>> run("pattern:64x48#5", "null:", kernel="sobel").written
    5
    """
    job = job_of({"input": input, "output": output, "kernel": kernel, **options}, progress)
    return Stats(**job.run())
