"""Jobs of the C library: settings, and what they say meanwhile."""
from __future__ import annotations

import logging
import os
from typing import Any, Callable, Dict, Optional

from . import _core
from ._boxes import BoxList, are_of_frames, box_list, file_word
from ._records import ProgressReport
from ._words import in_regions, kernel_words, path_word, setting_words

_log = logging.getLogger("vidconv")
#: Hears of a run's progress.
Progress = Callable[[ProgressReport], Any]

_heard = False


def _tell(kind: str, text: str) -> None:
    warning = text.startswith("warning: ")
    _log.log(logging.WARNING if warning else logging.INFO, "%s", text, extra={"kind": kind})


def job_of(settings: Dict[str, Any], progress: Optional[Progress] = None) -> _core.Job:
    """Returns a job with these settings, by their names; those that are None are left out."""
    global _heard
    if not _heard:  # without libav*'s log some damage goes unseen
        _core.hear_libav()
        _heard = True
    settings = dict(settings)
    for name in ("input", "output"):
        if settings.get(name) is not None:
            settings[name] = path_word(settings[name])
    boxes = _take_regions(settings)
    words = [word for name, value in settings.items() for word in setting_words(name, value)]
    report = (lambda *numbers: progress(ProgressReport(*numbers))) if progress else None
    return _core.Job(words, _tell, report, *(boxes or ([], "")))


def _take_regions(settings: Dict[str, Any]) -> Optional[BoxList]:
    """Takes the regions out of the settings: as words of filters, as a file, or as the boxes that it returns."""
    regions, options = settings.pop("regions", None), settings.pop("regions_options", None)
    if regions is None or not are_of_frames(regions):
        if options is not None:
            raise ValueError(f"regions_options={options!r}: they are of boxes with frames or times, or of a file of them")
        if regions is not None:
            if settings.get("kernel") is None:
                raise ValueError("regions without a kernel: give the filter that acts in them")
            settings["kernel"] = list(in_regions(kernel_words(settings["kernel"]), regions))
        return None
    if not isinstance(regions, (str, os.PathLike)):
        return box_list(regions, options)
    settings["regions"] = file_word(regions, options)
    return None
