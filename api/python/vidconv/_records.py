"""What is known of a video and of a run: plain values."""
from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Optional, Union

#: A ratio as people give it: ``25``, ``29.97``, ``"30000/1001"``, ``Fraction(30000, 1001)``.
Ratio = Union[int, float, str, Fraction]

_LARGEST = 2**31 - 1  # terms of ratios are as large in the C library
# Rates such as 23.976, 29.97 and 59.94 stand for 1000/1001 of a whole number, when they are as near to it as three digits are.
_NTSC = Fraction(1000, 1001)
_NEAR = Fraction(5, 1000)


def ratio(value: Optional[Ratio], what: str) -> Optional[Fraction]:
    """Returns the ratio that `value` stands for; None for None. `what` names it in messages."""
    if value is None:
        return None
    try:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
        exact = Fraction(value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise ValueError(f"{what}={value!r}: give a number, or a ratio as Fraction(30000, 1001) or '30000/1001' is") from None
    if exact <= 0:
        raise ValueError(f"{what}={value!r}: give more than 0, or None if it is unknown")
    near = exact.limit_denominator(_LARGEST)
    if max(near.numerator, near.denominator) > _LARGEST or near == 0:
        raise ValueError(f"{what}={value!r}: its terms are larger than 2**31 - 1")
    return near


def frame_rate(value: Optional[Ratio]) -> Optional[Fraction]:
    """Returns the frame rate that `value` stands for, 30000/1001 for 29.97."""
    exact = ratio(value, "frame_rate")
    if exact is None or isinstance(value, (int, Fraction)) or "/" in str(value):
        return exact
    whole = round(exact / _NTSC)
    if exact.denominator != 1 and whole > 0 and abs(whole * _NTSC - exact) < _NEAR:
        return whole * _NTSC
    return exact.limit_denominator(1001)


def _seconds(value: Optional[Ratio]) -> Optional[Fraction]:
    exact = ratio(value, "time_base")
    return exact.limit_denominator(1_000_000_000) if isinstance(value, float) and exact is not None else exact


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


@dataclass(frozen=True, init=False)
class Video:
    """The properties that all frames of a video share. For a :class:`Writer` give `frame_rate` or `time_base`, or both.

    Rates and other ratios may be given as people say them.

    >>> Video("rgb24", 640, 480, frame_rate=29.97).frame_rate
    Fraction(30000, 1001)
    """

    format: str  #: FFmpeg's name of the pixel format, "yuv420p", "rgb24", "gray16le", ...
    width: int  #: pixels
    height: int
    frame_rate: Optional[Fraction]  #: frames per second; None if unknown
    time_base: Optional[Fraction]  #: seconds for each tick
    sample_aspect: Optional[Fraction]
    range: Optional[str]  #: "tv" or "pc", FFmpeg's names, as in the next three
    primaries: Optional[str]
    transfer: Optional[str]
    matrix: Optional[str]
    frames: Optional[int]  #: number of frames, if known before they are read
    seconds: Optional[float]

    def __init__(self, format: str, width: int, height: int, frame_rate: Optional[Ratio] = None,
                 time_base: Optional[Ratio] = None, sample_aspect: Optional[Ratio] = None, range: Optional[str] = None,
                 primaries: Optional[str] = None, transfer: Optional[str] = None, matrix: Optional[str] = None,
                 frames: Optional[int] = None, seconds: Optional[float] = None) -> None:
        values = {"format": format, "width": width, "height": height, "frame_rate": _rate(frame_rate),
                  "time_base": _seconds(time_base), "sample_aspect": ratio(sample_aspect, "sample_aspect"), "range": range,
                  "primaries": primaries, "transfer": transfer, "matrix": matrix, "frames": frames, "seconds": seconds}
        for name, value in values.items():
            object.__setattr__(self, name, value)


_rate = frame_rate  # a member has that name too
