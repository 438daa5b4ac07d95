"""Tensors of torch and cupy on a CUDA device: where they lie, and their current stream."""
from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Tuple

_TORCH_SAMPLES = {"torch.uint8": ("|u1", 1), "torch.uint16": ("<u2", 2), "torch.float16": ("<f2", 2),
                  "torch.float32": ("<f4", 4)}


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


def device_and_stream(tensor: Any) -> Tuple[int, int]:
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


def place_of(tensor: Any, device: Optional[str]) -> Tuple[str, int]:
    """Returns "cuda:N" and the current stream, if `device` names no other one."""
    index, stream = device_and_stream(tensor)
    place = f"cuda:{index}"
    if device not in (None, "cuda", place):
        raise ValueError(f"device={device!r}: the tensor lies on {place}, and is filtered there")
    return place, stream


def library_of(tensor: Any) -> Any:
    """Returns torch or cupy."""
    return sys.modules[type(tensor).__module__.split(".")[0]]


def new_like(tensor: Any, shape: Optional[Tuple[int, ...]] = None) -> Any:
    """Returns a tensor of the same library, type and device, and that shape or the same, of which nothing is set."""
    library = library_of(tensor)
    shape = tensor.shape if shape is None else shape
    if library.__name__ == "torch":
        return library.empty(shape, dtype=tensor.dtype, device=tensor.device)
    with tensor.device:
        return library.empty(shape, dtype=tensor.dtype)


def check_out(out: Any, tensor: Any) -> Any:
    """Returns `out`, if it is like the tensor."""
    if not (type(out) is type(tensor) and out.shape == tensor.shape and out.dtype == tensor.dtype
            and out.device == tensor.device):
        raise ValueError("out is not of the tensor's type, shape, dtype and device")
    return out


def in_place(picture_is_walkable: bool, name: str) -> None:
    """Refuses a tensor that cannot be used where it lies."""
    if not picture_is_walkable:
        raise ValueError(f"samples of a row{name} do not lie side by side: give tensor.contiguous() or "
                         "cupy.ascontiguousarray(tensor)")
