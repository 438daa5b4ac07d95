"""Exceptions for failures, with one class for each exit code of the command."""
from __future__ import annotations

from typing import Any, NoReturn, Optional


class Error(Exception):
    """A failure. ``str()`` is the command's message: what failed, with which value, why, what to do, and the kind.

    ``status``: the command's exit code; ``kind``: "filter-spec", "input-missing", ... as in the table of its manual;
    ``remedy``: advice, may be empty; ``column``: column in the filter's specification, from 1, or None; ``frame``: the
    frame that was being processed, from 0, or None; ``stats``: for videos, a :class:`vidconv.Stats` of what was done by
    then.
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
    """The request makes no sense."""

    status = 2


class InputError(Error):
    """The input cannot be read."""

    status = 3


class OutputError(Error):
    """The output cannot be written."""

    status = 4


class DeviceError(Error):
    """A device is missing, fails or has no memory left; also raised if the host's memory is out."""

    status = 5


class VerificationError(Error):
    """Two ways to compute a frame disagree."""

    status = 6


class DamagedError(Error):
    """The output is complete, but frames of the input are missing or wrong."""

    status = 7


class TryAgainError(Error):
    """A later attempt may succeed."""

    status = 75


class Cancelled(Error):
    """The run was ended early on request."""

    status = 130


_CLASSES = {c.status: c for c in (InternalError, UsageError, InputError, OutputError, DeviceError, VerificationError,
                                  DamagedError, TryAgainError, Cancelled)}


def raise_error(status: int, kind: str, message: str, remedy: str, column: int, frame: int, stats: Any) -> NoReturn:
    """Raises the failure that `_core` reports; `_core` calls this function by its name."""
    if stats is not None:
        from ._video import Stats  # imported here, because a circular import would result at the top
        stats = Stats(**stats)
    remedy = remedy.replace("vidconv_setting_name()", "vidconv.settings()")
    raise _CLASSES.get(status, InternalError)(message, kind, remedy, column or None, None if frame < 0 else frame, stats)
