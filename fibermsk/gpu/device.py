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
    """Memory and processor."""

    name: str  # of the backend
    xp: ModuleType  # NumPy or CuPy, for operations without tasks
    # calls body(i, *arguments) for each task i; see `fibermsk.kernels._gpu`
    launch: Callable[[Any, Any, tuple[Any, ...]], None]
    to_host: Callable[[Any], NDArray[Any]]  # copies an array to NumPy

    def to_device(self, array: NDArray[Any]) -> Any:
        """Copy a NumPy array to this device."""
        return self.xp.array(array)


def host_device() -> Device:
    """NumPy, and task bodies compiled for the CPU: a slow device for tests without a GPU."""
    return Device("host", np, _launch_on_host, np.array)


def _launch_on_host(body: Any, tasks: Any, arguments: tuple[Any, ...]) -> None:
    for i in range(tasks) if isinstance(tasks, int) else tasks:
        body(int(i), *arguments)


def cupy_device() -> Device:
    """The NVIDIA GPU that CuPy uses; refused if it or a package is missing."""
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
