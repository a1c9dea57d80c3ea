"""Where a run stands, as plain arrays and numbers, so that it can go on later."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk._version import __version__
from fibermsk.errors import ModelError

__all__ = ["Snapshot", "code_version", "library_versions", "pack", "unpack"]

_LIBRARIES = ("numpy", "scipy", "numba")
"""What the last bits of a result depend on besides this package."""


@dataclass(frozen=True)
class Snapshot:
    """A run after one of its accepted steps.

    Attributes
    ----------
    time, duration : float
        Simulated time reached, and to be reached [s].
    arrays : dict
        Memories of the time integrator, of the step control and of the system, counters and the
        frames so far: arrays and numbers under names such as ``"method.state.y"``.
    identity : dict of str
        What the run is of, part by part: fingerprints of the system, version, method and so on.
    libraries : dict of str
        Versions of the libraries that the numbers came from.
    job : dict
        What whoever started the run wants to know when it goes on; plain values.
    """

    time: float
    duration: float
    arrays: dict[str, Any]
    identity: dict[str, str]
    libraries: dict[str, str]
    job: dict[str, Any] = field(default_factory=dict)


def library_versions() -> dict[str, str]:
    """Installed versions of the libraries that the last bits depend on."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


@cache
def code_version() -> str:
    """Version of this package with a digest of its code, which changes more often."""
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return f"{__version__} (code {digest.hexdigest()[:12]})"


def pack(name: str, value: Any) -> dict[str, Any]:
    """Arrays and numbers in a NamedTuple of such, however deep, under dotted names.

    Parameters
    ----------
    name : str
        Name of the whole.
    value : array, number, bool, or NamedTuple or dict of them
        What is packed; arrays are not copied.
    """
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if not isinstance(value, dict):
        return {name: value}
    return {k: v for key, item in value.items() for k, v in pack(f"{name}.{key}", item).items()}


def unpack(name: str, template: Any, arrays: dict[str, Any]) -> Any:
    """A value like the template, from what `pack` made of it.

    Parameters
    ----------
    name : str
        Name of the whole.
    template : array, number, bool, or NamedTuple of them
        Has the structure; arrays may be of other shapes.
    arrays : dict
        From `pack`, perhaps written and read.

    Raises
    ------
    ModelError
        If something is missing.
    """
    if hasattr(template, "_fields"):
        parts = (
            unpack(f"{name}.{key}", item, arrays)
            for key, item in zip(template._fields, template, strict=True)
        )
        return type(template)(*parts)
    if name not in arrays:
        raise ModelError(f"the checkpoint lacks {name}; must hold all of a run's memory")
    value = arrays[name]
    if isinstance(template, np.ndarray):
        return np.array(value, template.dtype)
    return type(template)(value)
