"""Skeletons of models on which lengths, moment arms and torques are evaluated."""

from __future__ import annotations

from fibermsk import _check
from fibermsk.model import Model
from fibermsk.system.skeleton.skeleton import Skeleton


def free_coordinate(owner: str, model: Model, skeleton: Skeleton, name: str) -> int:
    """Entry of the state of a free coordinate."""
    coordinate = model.coordinate(name)
    if name not in skeleton.independent or coordinate.prescribed is not None:
        names = [one for one in skeleton.independent if model.coordinate(one).prescribed is None]
        must = f"be free, one of {', '.join(names) or 'none'}"
        _check.refuse(owner, "coordinate", name, must, remedy="it is locked, coupled or prescribed")
    return skeleton.independent.index(name)
