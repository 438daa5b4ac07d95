"""Failures as exceptions: a class for each exit code of the command."""
from __future__ import annotations

from typing import Any, NoReturn, Optional


class Error(Exception):
    """What failed. ``str()`` is the command's message: what, which value, why, what to do, and the kind.

    ``status``: the command's exit code; ``kind``: "filter-spec", "input-missing", ... of the table in its manual;
    ``remedy``: what can be done, may be empty; ``column``: where in the filter's specification, from 1, or None;
    ``frame``: the frame that was being worked on, from 0, or None; ``stats``: a :class:`vidconv.Stats` of what was done
    by then, where a video was.
    """

    status = 1

    def __init__(self, message: str, kind: str = "", remedy: str = "", column: Optional[int] = None,
                 frame: Optional[int] = None, stats: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.remedy = remedy
        self.column = column
        self.frame = frame
        self.stats = stats

    def __str__(self) -> str:
        text = self.message
        if self.remedy and self.remedy not in text:
            text += f": {self.remedy}"
        return f"{text} [{self.kind}]" if self.kind else text


class InternalError(Error):
    """vidconv itself is at fault."""


class UsageError(Error, ValueError):
    """What was asked for makes no sense."""

    status = 2


class InputError(Error):
    """The input cannot be read."""

    status = 3


class OutputError(Error):
    """The output cannot be written."""

    status = 4


class DeviceError(Error):
    """A device is missing, refuses or ran out of memory; the host's memory too."""

    status = 5


class VerificationError(Error):
    """Two ways to compute a frame disagree."""

    status = 6


class DamagedError(Error):
    """Done, and the output is there, but frames of the input are missing or wrong."""

    status = 7


class TryAgainError(Error):
    """What failed may succeed later."""

    status = 75


class Cancelled(Error):
    """Ended early because somebody wanted it."""

    status = 130


_CLASSES = {c.status: c for c in (InternalError, UsageError, InputError, OutputError, DeviceError, VerificationError,
                                  DamagedError, TryAgainError, Cancelled)}


def raise_error(status: int, kind: str, message: str, remedy: str, column: int, frame: int, stats: Any) -> NoReturn:
    """Raises what `_core` reports; it calls this by its name."""
    if stats is not None:
        from ._video import Stats  # only here: a circle otherwise
        stats = Stats(**stats)
    remedy = remedy.replace("vidconv_setting_name()", "vidconv.settings()")
    raise _CLASSES.get(status, InternalError)(message, kind, remedy, column or None, None if frame < 0 else frame, stats)
