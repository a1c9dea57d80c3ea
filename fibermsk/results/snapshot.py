"""Snapshots: the state of a run as plain arrays and numbers, to resume it later."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk._shown import Described
from fibermsk._version import __version__
from fibermsk.errors import ModelError

_LIBRARIES = ("numpy", "scipy", "numba")
"""Libraries that affect results bitwise."""


@dataclass(frozen=True, repr=False)
class Snapshot(Described):
    """State of a run after an accepted step.

    Attributes
    ----------
    time, duration : float
        Simulated time reached, and total [s].
    arrays : dict
        State of the time integrator, of the step control and of the system, counters and frames:
        arrays and numbers by name, such as ``"method.state.y"``.
    identity : dict of str
        Fingerprints of the system, version, method and so on.
    libraries : dict of str
        Versions of the libraries used.
    job : dict
        Data of the caller for resuming; plain values.
    """

    time: float
    duration: float
    arrays: dict[str, Any]
    identity: dict[str, str]
    libraries: dict[str, str]
    job: dict[str, Any] = field(default_factory=dict)


def library_versions() -> dict[str, str]:
    """Installed versions of the libraries that affect results bitwise."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


@cache
def code_version() -> str:
    """Version of this package with a digest of its code."""
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return f"{__version__} (code {digest.hexdigest()[:12]})"


def pack(name: str, value: Any) -> dict[str, Any]:
    """Flatten nested NamedTuples and dicts of arrays and numbers to dotted names; no copies."""
    if value is None:
        return {}
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if not isinstance(value, dict):
        return {name: value}
    return {k: v for key, item in value.items() for k, v in pack(f"{name}.{key}", item).items()}


def unpack(name: str, template: Any, arrays: dict[str, Any]) -> Any:
    """Rebuild a value with the structure of a template from the output of `pack`.

    Arrays may have other shapes than in the template; a missing entry or another type is refused.
    """
    if template is None:
        return None
    if hasattr(template, "_fields"):
        parts = (
            unpack(f"{name}.{key}", item, arrays)
            for key, item in zip(template._fields, template, strict=True)
        )
        return template._make(parts)
    if name not in arrays:
        raise ModelError(f"the checkpoint lacks {name}; must hold the full state of a run")
    value = arrays[name]
    if isinstance(template, np.ndarray):
        found = np.array(value, template.dtype)
    else:
        found = type(template)(value)
    if not np.array_equal(found, value, equal_nan=True):
        must = f"must have the same type as {template!r}"
        raise ModelError(f"the checkpoint's {name} is {value!r}; {must}")
    return found
