"""Machine of a benchmark: processor, memory, versions."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fibermsk._version import __version__
from fibermsk.io.extent import machine_memory

PEERS = ("pyelastica", "mujoco", "exudyn")
"""Packages of the extra `peers`."""

_OTHERS = ("opensim",)
"""Other packages that are compared where installed."""

_OURS = ("fibermsk", "numpy", "scipy", "numba")


def describe_machine() -> dict[str, Any]:
    """Processor, available cores, memory [GiB], operating system."""
    memory = machine_memory()
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gib": None if memory is None else round(memory / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str | None]:
    """Versions of Python, this package, its dependencies and the peers; None if absent."""
    return {"python": platform.python_version()} | {
        name: _version(name) for name in (*_OURS, *PEERS, *_OTHERS)
    }


def is_installed(package: str) -> bool:
    """Whether a package is installed."""
    return _version(package) is not None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        if package == "fibermsk":  # from a checkout on the search path
            return __version__
        return None


def _processor() -> str:
    """Name of the processor, if the system provides it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
