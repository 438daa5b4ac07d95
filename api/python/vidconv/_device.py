"""Planes in the memory of a CUDA device."""
from __future__ import annotations

from typing import Any, Dict, NoReturn, Optional, Tuple

import numpy as np

from . import _core

# DLPack's numbers: kDLCPU and kDLCUDA, kDLUInt and kDLFloat, and the two default streams.
_CPU, _CUDA = 1, 2
_CODES = {"u": 1, "f": 2}
_LEGACY, _PER_THREAD = 1, 2


class DevicePlane:
    """A plane of a frame that lies on a CUDA device, for ``torch.from_dlpack(plane)``, ``cupy.from_dlpack(plane)`` and all
    others that speak DLPack. Nothing is copied: read it, and write to memory of your own.

    The tensor that they make keeps the frame's memory. When it goes, the memory is not used again before the stream that was
    current when it was made has done what is queued by then. Where other streams read it, wait for them first.
    """

    def __init__(self, core: _core.Frame, plane: int, dtype: "np.dtype[Any]", shape: Tuple[int, ...], row: int) -> None:
        self._core = core
        self._plane = plane
        self._row = row
        self.dtype = dtype
        self.shape = shape  #: (rows, samples of a row), or (rows, columns, channels)

    @property
    def device(self) -> str:
        """The device's name, ``"cuda:N"``."""
        return f"cuda:{self._core.device}" if self._core.on_device else "cpu"

    @property
    def interface(self) -> Dict[str, Any]:
        """Where the plane lies, with the words of ``__cuda_array_interface__``."""
        steps = (self.shape[2] * self.dtype.itemsize, self.dtype.itemsize) if len(self.shape) == 3 else (self.dtype.itemsize,)
        return {"data": (self._core.planes()[self._plane][0], True), "shape": self.shape, "typestr": self.dtype.str,
                "strides": (self._row, *steps)}

    def used_on(self, stream: int) -> None:
        """Says that work which is queued by now on a CUDA stream, by its address, reads the frame: its memory is not used again
        before that. For programs that read the plane by its address; the tensors of DLPack do it by themselves."""
        self._core.used_on(stream)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (_CUDA, self._core.device) if self._core.on_device else (_CPU, 0)

    def __dlpack__(self, *, stream: Optional[int] = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError(f"the plane lies on {self.device} and is not copied: copy the tensor that is made of it")
        if stream == _PER_THREAD and self._core.on_device:
            raise BufferError("the default stream of a thread is not known when the tensor goes: make another stream current")
        strides = [step // self.dtype.itemsize for step in self.interface["strides"]]
        # -1 says that the program keeps the order of things by itself.
        reads = None if stream == -1 or not self._core.on_device else stream or _LEGACY
        return self._core.dlpack(self._plane, _CODES[self.dtype.kind], 8 * self.dtype.itemsize, list(self.shape), strides, reads)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NoReturn:
        raise TypeError(f"the plane lies on {self.device}: use torch.from_dlpack(plane) or cupy.from_dlpack(plane), or open the "
                        "video without on_device=True")

    def __repr__(self) -> str:
        return f"<vidconv.DevicePlane {self.shape} {self.dtype} on {self.device}>"
