"""Where arrays lie and bodies of tasks run: a GPU, or the host in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError

__all__ = ["Device", "cupy_device", "host_device"]


@dataclass(frozen=True)
class Device:
    """Memory and the processor that works on it.

    Attributes
    ----------
    name : str
        Of the backend.
    xp : module
        NumPy or CuPy, for what is no task: reductions, sorting, sums of vectors.
    launch : callable
        Calls body(i, *arguments) for each task i; see `fibermsk.kernels._gpu.launch`.
    to_host : callable
        New NumPy array with the contents of one of this device.
    """

    name: str
    xp: ModuleType
    launch: Callable[[Any, Any, tuple[Any, ...]], None]
    to_host: Callable[[Any], NDArray[Any]]

    def to_device(self, array: NDArray[Any]) -> Any:
        """New array of this device with the contents of one of NumPy."""
        return self.xp.array(array)


def host_device() -> Device:
    """NumPy and the bodies as compiled for the CPU, one task after the other.

    What the GPU backend does beside running its bodies on a GPU can be tried with it anywhere. It
    is slow: the CPU has a backend of its own.
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
