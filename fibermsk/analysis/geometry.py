"""Line muscles by name."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle, Model


def chosen(model: Model, muscles: str | Sequence[str] | None) -> tuple[LineMuscle, ...]:
    """Line muscles by name or pattern, all by default, in the order of the model."""
    owner = f"model {model.name!r}"
    if not model.muscles:
        raise ModelError(f"{owner}: has no line muscle; must have one or more")
    if muscles is None:
        return model.muscles
    what = "names of muscles, or patterns"
    patterns = [muscles] if isinstance(muscles, str) else muscles
    patterns = _check.items(owner, "muscles", patterns, str, "a name or pattern", what)
    if not patterns:
        _check.refuse(owner, "muscles", muscles, "be one name or more")
    found = set[str]()
    for pattern in patterns:
        own = {one.name for one in model.muscles if fnmatchcase(one.name, pattern)}
        found |= own or {model.muscle(pattern).name}
    return tuple(one for one in model.muscles if one.name in found)
