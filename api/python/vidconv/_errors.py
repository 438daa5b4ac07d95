"""Exceptions for failures, with one class for each exit code of the command."""
from __future__ import annotations

import errno
from typing import Any, Dict, NoReturn, Optional, Tuple, Type

from ._records import Stats


class Error(Exception):
    """A failure. ``str()`` is the command's message: what failed, with which value, why, what to do, and the kind.

    ``status``: the command's exit code; ``kind``: "filter-spec", "input-missing", ... as in the table of its manual;
    ``remedy``: advice, may be empty; ``column``: column in the filter's specification, from 1, or None; ``frame``: the
    frame that was being processed, from 0, or None; ``stats``: for videos, a :class:`vidconv.Stats` of what was done by
    then.
    """

    status = 1

    def __init__(self, message: str, kind: str = "", remedy: str = "", column: Optional[int] = None,
                 frame: Optional[int] = None, stats: Optional[Stats] = None) -> None:
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


# Python's own exceptions for the same failures are caught too. `errno` has what theirs would have; a name has `message` only.
class InputNotFoundError(InputError, FileNotFoundError):
    """The input is not there."""

    errno = errno.ENOENT


class InputPermissionError(InputError, PermissionError):
    """The input may not be read."""

    errno = errno.EACCES


class OutputExistsError(OutputError, FileExistsError):
    """The output is there already, and ``overwrite=True`` was not given."""

    errno = errno.EEXIST


class OutputNotFoundError(OutputError, FileNotFoundError):
    """The output's folder is not there."""

    errno = errno.ENOENT


class OutputPermissionError(OutputError, PermissionError):
    """The output may not be written."""

    errno = errno.EACCES


class OutOfMemoryError(DeviceError, MemoryError):
    """The host or a device has no memory left."""


_CLASSES: Dict[int, Type[Error]] = {
    c.status: c for c in (InternalError, UsageError, InputError, OutputError, DeviceError, VerificationError, DamagedError,
                          TryAgainError, Cancelled)}
# By the status, and by words of the message or the kind.
_NARROWER: Tuple[Tuple[Type[Error], str, Type[Error]], ...] = (
    (InputError, "Permission denied", InputPermissionError),
    (InputError, "input-missing", InputNotFoundError),
    (OutputError, "output-exists", OutputExistsError),
    (OutputError, "Permission denied", OutputPermissionError),
    (OutputError, "No such file or directory", OutputNotFoundError),
    (DeviceError, "memory", OutOfMemoryError),
)
# The C library's names, and Python's.
_NAMES = (("vidconv_setting_name() lists them", "vidconv.settings() lists them"),
          ("vidconv_format_name() lists them", "vidconv.formats() lists them"),
          ("see <vidconv/vidconv.h>", "help(vidconv) says what it takes"),
          ("give a window of pictures (vidconv_plan_run_window()), or filter a video",
           "say which axis counts frames (axis=0), or filter a video: vidconv.run() or vidconv.open()"),
          ("filter a video: a job, or a reader", "filter a video: vidconv.run() or vidconv.open()"),
          ("or see `variants`", "or leave it out"))


def in_python(words: str) -> str:
    """Returns a message of the C library with Python's names."""
    for theirs, ours in _NAMES:
        words = words.replace(theirs, ours)
    return words


def _class_of(status: int, kind: str, message: str) -> Type[Error]:
    general = _CLASSES.get(status, InternalError)
    for base, sign, narrower in _NARROWER:
        if base is general and (sign == kind or (" " in sign and sign in message)):
            return narrower
    return general


def raise_error(status: int, kind: str, message: str, remedy: str, column: int, frame: int,
                stats: Optional[Dict[str, Any]]) -> NoReturn:
    """Raises the failure that `_core` reports; `_core` calls this function by its name."""
    raise _class_of(status, kind, message)(in_python(message), kind, in_python(remedy), column or None,
                                           None if frame < 0 else frame, None if stats is None else Stats(**stats))
