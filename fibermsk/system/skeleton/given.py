"""The skeleton that a function is given, or that of a model."""

from __future__ import annotations

from fibermsk import _check
from fibermsk.model import Model
from fibermsk.system.skeleton.skeleton import Skeleton


def skeleton_of(owner: str, given: Skeleton | Model) -> Skeleton:
    """A skeleton, built anew of a model."""
    _check.instance(owner, "skeleton", given, (Skeleton, Model), "a Skeleton or a Model")
    return Skeleton(given) if isinstance(given, Model) else given
