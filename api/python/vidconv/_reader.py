"""Reads frames of a video."""
from __future__ import annotations

import operator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._frame import Frame, core_format, sample_type
from ._job import job_of
from ._records import Video
from ._words import Kernels, Path


def _ratio(pair: Tuple[int, int]) -> Optional[Fraction]:
    return Fraction(*pair) if pair[0] > 0 and pair[1] > 0 else None


def _video_of(words: Dict[str, Any]) -> Video:
    for name in ("time_base", "frame_rate", "sample_aspect"):
        words[name] = _ratio(words[name])
    words["frames"] = None if words["frames"] < 0 else words["frames"]
    words["seconds"] = None if words["seconds"] < 0 else words["seconds"]
    return Video(**words)


class UncountableError(UsageError, TypeError):
    """The frames of this input cannot be counted before they have come. To Python such a reader has no length."""


class Reader:
    """The filtered frames of a video; made by :func:`open`. ``video`` describes them.

    Iterating gives them one by one in order of time, once. Besides, each can be had by its number: ``reader[100]``,
    ``reader[-1]``, ``reader[10:20]`` (a list), or by its time: ``reader.at(12.5)``. ``len(reader)`` is exact. These do not
    move the iteration. The first of them looks through the packets of the input; where packets do not tell which frames
    there are, it decodes all of it. Inputs that can be read once only, such as pipes, have no length: TypeError.
    ``list(reader)`` asks for the length, as ``tqdm(reader)`` does; a loop does not.

    >>> import vidconv
    >>> reader = vidconv.open("pattern:64x48:gray@25#10", kernel="sobel")
    >>> len(reader), reader[7].number, [frame.number for frame in reader[-2:]]
    (10, 7, [8, 9])
    """

    def __init__(self, settings: Dict[str, Any], format: Optional[str] = None, on_device: bool = False) -> None:
        self._settings = settings
        self._on_device = on_device
        self._core: Optional[_core.Reader] = _core.Reader(job_of(settings), on_device)
        self._any: Optional[_core.Reader] = None  # gives frames by their numbers
        self._next = 0  # number of the next frame of that
        self._count: Optional[int] = None
        core_video = _video_of(self._core.video())
        self._dtype = sample_type(core_video.format)
        self.video = core_video if format is None else replace(core_video, format=format)

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        frame = self._core.next() if self._core else None
        if frame is None:
            raise StopIteration
        return Frame(frame, self.video, self._dtype)

    def _opened(self) -> _core.Reader:
        if self._core is None:
            raise ValueError("this reader is closed")
        if self._any is None:
            self._check_seek()
            self._any = _core.Reader(job_of({**self._settings, "audit": None}), self._on_device)
        return self._any

    def _check_seek(self) -> None:
        assert self._core is not None
        try:
            self._core.check_seek()
        except UsageError as error:
            raise UncountableError(error.message, error.kind, error.remedy) from None

    def __len__(self) -> int:
        if self._count is None:
            try:
                self._count = self._opened().count()
            except UsageError as error:
                raise UncountableError(error.message, error.kind, error.remedy) from None
        return self._count

    def __bool__(self) -> bool:
        return True  # whatever its length, which may take time to find

    def __length_hint__(self) -> int:
        return self._count if self._count is not None else self.video.frames or 0

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> List[Frame]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Frame, List[Frame]]:
        if isinstance(index, slice):
            return [self._frame(number) for number in range(*index.indices(len(self)))]
        return self._frame(self._number(index))

    def _number(self, index: int) -> int:
        number = operator.index(index)
        if not -len(self) <= number < len(self):
            raise IndexError(f"frame {number} of a video of {len(self)} frames")
        return number % len(self)

    def _frame(self, number: int) -> Frame:
        reader = self._opened()
        if number != self._next:
            reader.seek(number)
        self._next = -1  # unknown, if the next line throws
        frame = reader.next()
        if frame is None:
            raise IndexError(f"frame {number}: the video has ended before it")
        self._next = number + 1
        return Frame(frame, self.video, self._dtype)

    def at(self, seconds: Union[float, Fraction]) -> Frame:
        """Returns the frame that is shown at a time, in seconds as of :attr:`Frame.time`: the last one that does not come
        later. Raises IndexError for a time before the first frame."""
        if self.video.time_base is None:
            raise ValueError("this video has no time base")
        ticks = Fraction(seconds) / self.video.time_base
        number = self._opened().find(ticks.numerator // ticks.denominator)
        if number < 0:
            raise IndexError(f"at {float(seconds):g} s there is no frame yet")
        return self._frame(number)

    def frames(self, indices: Iterable[int], out: Optional[npt.NDArray[Any]] = None) -> npt.NDArray[Any]:
        """Returns several frames as one array, (N, rows, columns) or (N, rows, columns, channels), in the order of `indices`,
        which may be negative and may repeat. For videos of one plane, or opened with ``format="rgb24"`` and the like.

        `out`: the array to fill, which is also returned.

        >>> import vidconv
        >>> vidconv.open("pattern:64x48@25#9", format="rgb24").frames([0, 4, -1]).shape
        (3, 48, 64, 3)
        """
        numbers = [self._number(index) for index in indices]
        wanted: Dict[int, List[int]] = {}
        for place, number in enumerate(numbers):
            wanted.setdefault(number, []).append(place)
        for number in sorted(wanted):  # so that each stretch is decoded once
            picture = self._frame(number).to_ndarray()
            if out is None:
                out = np.empty((len(numbers), *picture.shape), picture.dtype)
            elif out.shape != (len(numbers), *picture.shape) or out.dtype != picture.dtype:
                raise ValueError(f"out is of shape {out.shape} and {out.dtype}: {(len(numbers), *picture.shape)} and "
                                 f"{picture.dtype} are needed")
            for place in wanted[number]:
                out[place] = picture
        if out is None:
            raise ValueError("there are no indices: name at least one frame")
        return out

    def close(self) -> None:
        """Ends decoding. Frames that were read stay valid."""
        self._core = self._any = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        video = self.video
        rate = "" if video.frame_rate is None else f", {float(video.frame_rate):g} frames/s"
        return f"<vidconv.Reader: {video.width}x{video.height} {video.format}{rate}>"


def open(input: Path, *, kernel: Optional[Kernels] = None, format: Optional[str] = None, on_device: bool = False,
         **options: Any) -> Reader:
    """Opens a video to read its frames; without a kernel they are not filtered.

    Args:
        input, kernel: as for :func:`run`.
        format: the pixel format of the frames, FFmpeg's name: "rgb24", "bgr24" (OpenCV's), "gray", "rgb48", "gbrpf32", ..., or
            "rgbf32" and "bgrf32", whose floats lie side by side. They are converted after they are filtered, by the video's
            own matrix, range and place of chroma; colours and grey come in full range, and the transfer function stays.
            None: as they are. ``pixel_format`` is another name for it.
        on_device: with ``device="cuda"`` or "cuda:N", frames stay in that device's memory, in the format of the video: their planes
            are for ``torch.from_dlpack()`` and its like (:class:`vidconv.DevicePlane`). With ``decoder="nvdec"`` they are
            decoded there too.
        options: those of :func:`run`; other options of the output are ignored.

    At the end of a damaged video the iteration raises DamagedError. Frames that are kept keep their memory.

    >>> for frame in open("pattern:64x48:gray@25#3", kernel="sobel"):
    ...     print(frame.number, float(frame.time), frame.planes[0].shape)
    0 0.0 (48, 64)
    1 0.04 (48, 64)
    2 0.08 (48, 64)
    """
    named = options.pop("pixel_format", None)
    if format is not None and named is not None and format != named:
        raise ValueError(f"format={format!r} and pixel_format={named!r}: give one of them")
    format = format or named
    settings = {"input": input, "kernel": kernel, "pixel_format": core_format(format), **options}
    return Reader(settings, format if format != core_format(format) else None, bool(on_device))
