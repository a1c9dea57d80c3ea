"""Device for arrays and task bodies: a GPU, or the host in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError


@dataclass(frozen=True)
class Device:
    """Memory and processor.

    Attributes
    ----------
    name : str
        Name of the backend.
    xp : module
        NumPy or CuPy, for operations without tasks: reductions, sorting, sums of vectors.
    launch : callable
        Calls body(i, *arguments) for each task i; see `fibermsk.kernels._gpu.launch`.
    to_host : callable
        Function that copies an array of this device to NumPy.
    """

    name: str
    xp: ModuleType
    launch: Callable[[Any, Any, tuple[Any, ...]], None]
    to_host: Callable[[Any], NDArray[Any]]

    def to_device(self, array: NDArray[Any]) -> Any:
        """Copy a NumPy array to this device."""
        return self.xp.array(array)


def host_device() -> Device:
    """NumPy, and task bodies compiled for the CPU and run serially.

    For tests of the GPU backend without a GPU. It is slow; use the CPU backend for simulations.
    """
    return Device("host", np, _launch_on_host, np.array)


def _launch_on_host(body: Any, tasks: Any, arguments: tuple[Any, ...]) -> None:
    for i in range(tasks) if isinstance(tasks, int) else tasks:
        body(int(i), *arguments)


def cupy_device() -> Device:
    """The NVIDIA GPU that CuPy uses.

    Raises
    ------
    ModelError
        If CuPy or numba-cuda is missing, or a GPU or its driver.
    """
    owner = "build: backend = 'cupy'"
    try:
        # without numba-cuda, numba.cuda is an older one, or lacks altogether
        import cupy  # pyright: ignore[reportMissingImports]
        import numba_cuda  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ModelError(
            f"{owner}; must have CuPy and numba-cuda, but {error}; install the extra: "
            "in the clone: pip install -e '.[gpu]', or use backend='cpu'"
        ) from error
    if not cupy.cuda.is_available():
        raise ModelError(
            f"{owner}; must have an NVIDIA GPU with its driver, but none is found; check that "
            "nvidia-smi lists one, or use backend='cpu'"
        )
    from fibermsk.kernels._gpu import launch

    return Device("cupy", cupy, launch, cupy.asnumpy)
