"""Tensors of other libraries in the host's memory: torch, jax and all others that speak DLPack."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

_HOST = (1, 3)  # DLPack's kDLCPU and kDLCUDAHost


def is_host_tensor(array: Any) -> bool:
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack_device__"):
        return False
    return int(array.__dlpack_device__()[0]) in _HOST


def tensor_like(tensor: Any, array: Any) -> Any:
    """Returns the array's memory as a tensor of the same library, or the array where that library takes none."""
    if hasattr(tensor, "__array_namespace__"):
        library = tensor.__array_namespace__()
    else:
        library = sys.modules[type(tensor).__module__.split(".")[0]]
    from_dlpack = getattr(library, "from_dlpack", None)
    return array if from_dlpack is None else from_dlpack(array)
