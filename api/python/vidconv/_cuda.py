"""Filters tensors of torch and cupy on a CUDA device, on their current stream."""
from __future__ import annotations

import sys
from typing import Any, Dict, Optional

from ._arrays import Kernels, _layout, _Picture, _run

_TORCH_SAMPLES = {"torch.uint8": ("|u1", 1), "torch.uint16": ("<u2", 2), "torch.float32": ("<f4", 4)}


def interface_of(array: Any) -> Optional[Dict[str, Any]]:
    """Returns `__cuda_array_interface__`, or None if there is none. For plain tensors of torch it is built here, because
    their property takes longer than the rest of vidconv.filter()."""
    if type(array).__module__ == "torch" and getattr(array, "is_cuda", False) and not array.requires_grad:
        sample = _TORCH_SAMPLES.get(str(array.dtype))
        if sample is not None and array.layout is sys.modules["torch"].strided and not array.is_neg():
            strides = tuple([stride * sample[1] for stride in array.stride()])
            return {"data": (array.data_ptr(), False), "shape": array.shape, "typestr": sample[0], "strides": strides}
    interface: Optional[Dict[str, Any]] = getattr(array, "__cuda_array_interface__", None)
    return interface


def _device_and_stream(tensor: Any) -> tuple[int, int]:
    """Returns the device's number, and the current stream of the tensor's library there."""
    library = type(tensor).__module__.split(".")[0]
    if library == "torch":
        torch = sys.modules["torch"]
        index = tensor.device.index
        return index, torch.cuda.current_stream(index).cuda_stream
    if library == "cupy":
        cupy = sys.modules["cupy"]
        with tensor.device:
            return tensor.device.id, cupy.cuda.get_current_stream().ptr
    raise TypeError(f"a {type(tensor).__module__}.{type(tensor).__name__} on a CUDA device: its current stream is not known; "
                    "give a tensor of torch or cupy (torch.from_dlpack(), cupy.from_dlpack())")


def _new_like(tensor: Any) -> Any:
    library = sys.modules[type(tensor).__module__.split(".")[0]]
    if library.__name__ == "torch":
        return library.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    with tensor.device:
        return library.empty(tensor.shape, dtype=tensor.dtype)


def _alike(tensor: Any, out: Any) -> bool:
    return (type(out) is type(tensor) and out.shape == tensor.shape and out.dtype == tensor.dtype
            and out.device == tensor.device)


def filter_tensor(tensor: Any, interface: Dict[str, Any], kernel: Kernels, border: Optional[str], out: Any, planar: bool,
                  bits: Optional[int], threads: int) -> Any:
    """Does vidconv.filter()'s work for a tensor whose interface_of() is `interface`."""
    device, stream = _device_and_stream(tensor)
    picture = _Picture(interface, planar)
    layout = _layout(picture, planar, bits)
    if not picture.walkable:
        raise ValueError("samples of a row do not lie side by side: give tensor.contiguous() or cupy.ascontiguousarray(tensor)")
    if out is not None and not _alike(tensor, out):
        raise ValueError("out is not of the tensor's type, shape, dtype and device")
    result = _new_like(tensor) if out is None else out
    target = _Picture(interface_of(result) or {}, planar)
    if not target.walkable:
        raise ValueError("samples of a row of out do not lie side by side")
    _run(picture, target, layout, kernel, border, planar, f"cuda:{device}", threads, stream)
    return result
