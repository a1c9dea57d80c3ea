"""What a study is of, as JSON has it: studies with equal texts are one."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.model import Scene
from fibermsk.results.snapshot import code_version, library_versions
from fibermsk.scene_files import find
from fibermsk.studies.points import OWNER

_TIMES = 33
"""Times of a run at which functions of time are compared."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def described(scene: Any) -> tuple[dict[str, inspect.Parameter], str, Any, str]:
    """Parameters of a scene, its reference, what makes it anywhere, and a digest of its file."""
    if isinstance(scene, Scene):
        return {}, scene.model.name, scene, ""
    if isinstance(scene, str | Path):
        file = find(str(scene))
        return dict(file.parameters), file.reference, str(file.reference), file_digest(file.path)
    with suppress(Exception):  # of objects that cannot be looked at
        if callable(scene):
            name = getattr(scene, "__qualname__", type(scene).__name__)
            return dict(inspect.signature(scene).parameters), str(name), scene, ""
    _check.refuse(OWNER, "scene", scene, "be a name, a file, a Scene, or a function of one")


def file_digest(path: Path) -> str:
    """Digest of a scene's file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fingerprint(scenes: Iterable[Scene]) -> list[Any]:
    """What some scenes of a study are: models with their functions of time, and settings."""
    from fibermsk.system import build

    found = list[Any]()
    for one in scenes:
        times = np.linspace(0.0, one.duration, _TIMES)
        settings = (
            one.duration, one.steps, one.start, one.method, one.tolerance, one.rate_tolerance,
            one.observers,
        )  # fmt: skip
        found.append([build(one.model).identity(times), plain(settings)])
    return found


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python, of what results depend on, and of more packages."""
    found = library_versions() | {"python": sys.version.split()[0], "fibermsk": code_version()}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it, for comparison: of functions, what they do and know."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "biufU" and value.itemsize <= 8 else repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, functools.partial):
        return [plain(value.func), plain(value.args), plain(value.keywords)]
    if inspect.isfunction(value):
        code = value.__code__
        known = inspect.getclosurevars(value).nonlocals if value.__closure__ else {}
        text = code.co_code + _ADDRESS.sub("", repr((code.co_consts, code.co_names))).encode()
        return [hashlib.sha256(text).hexdigest(), plain(known), plain(value.__defaults__)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        # their texts are short: all fields count
        fields = {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return [type(value).__qualname__, fields]
    text = _ADDRESS.sub("", repr(value))
    return [text, plain(vars(value))] if hasattr(value, "__dict__") and callable(value) else text
