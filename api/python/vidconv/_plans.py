"""Plans of the C library, kept as long as they are likely to be used again."""
from __future__ import annotations

import atexit
from functools import lru_cache
from typing import Any, Optional, Tuple

from . import _core
from ._layout import Picture


def new_plan(kernels: Tuple[str, ...], format: str, width: int, height: int, border: Optional[str],
             device: str, host: bool, threads: int, linear: bool) -> _core.Plan:
    return _core.Plan(list(kernels), format, width, height, border, None, device, threads, host, linear)


_kept_plan = lru_cache(maxsize=64)(new_plan)  # taps and memory are worked out once
atexit.register(_kept_plan.cache_clear)  # Python may end without freeing them, which nanobind would report


@lru_cache(maxsize=256)
def _reads_files(kernel: str) -> bool:
    return _core.reads_files(kernel)


def plan_of(kernels: Tuple[str, ...], *rest: Any) -> _core.Plan:
    """Returns a plan with these arguments of new_plan(). Files of kernels, masks, maps and keys may have changed since
    the last one, so that their plans are made anew."""
    return (new_plan if any(map(_reads_files, kernels)) else _kept_plan)(kernels, *rest)


def run(plan: _core.Plan, picture: Picture, target: Picture, stream: int) -> None:
    """Filters `picture` into `target`, of the same shape."""
    plan.run(picture.address, picture.plane, picture.row, target.address, target.plane, target.row, stream)
