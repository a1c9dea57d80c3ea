"""What a study is of, as JSON has it: studies with equal texts are one."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.model import Scene
from fibermsk.parameters import Parameters
from fibermsk.scene_files import find
from fibermsk.studies.points import OWNER


def described(scene: Any) -> tuple[dict[str, Any], str, str]:
    """Parameters of a scene, its reference, and a digest of what it is."""
    if isinstance(scene, Scene):
        model = {name: one.value for name, one in Parameters(scene.model).items()}
        own = scene.duration, scene.steps, scene.start, scene.method, scene.tolerance
        return {}, scene.model.name, _digest(json.dumps(plain([own, model])))
    if isinstance(scene, str | Path):
        file = find(str(scene))
        return dict(file.parameters), file.reference, _digest(file.path.read_text("utf-8"))
    with suppress(Exception):  # of objects that cannot be looked at
        if callable(scene):
            name = getattr(scene, "__qualname__", type(scene).__name__)
            return dict(inspect.signature(scene).parameters), str(name), _digest(_source(scene))
    _check.refuse(OWNER, "scene", scene, "be a name, a file, a Scene, or a function of one")


def _source(function: Any) -> str:
    """Source of a function, or else its name."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return str(getattr(function, "__qualname__", type(function).__name__))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def plain(value: Any) -> Any:
    """A value as JSON has it, for comparison."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if value.dtype.kind in "biufU" else repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if callable(value) and not isinstance(value, type):
        return _source(value)
    return repr(value)
