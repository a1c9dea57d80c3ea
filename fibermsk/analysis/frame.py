"""Skeletons of models on which lengths, moment arms and torques are evaluated."""

from __future__ import annotations

from typing import Any

from fibermsk import _check
from fibermsk.model import Model
from fibermsk.system.skeleton.skeleton import Skeleton


def free_model(model: Model) -> Model:
    """The model with every coupling eliminated, so that a pose has its free coordinates alone."""
    _check.instance("analysis", "model", model, Model, "a Model")
    kept: dict[Any, Any] = {
        one: {"enforce": "eliminate"} for one in model.couplings if one.enforce != "eliminate"
    }
    return model.edit(kept) if kept else model


def free_coordinate(owner: str, model: Model, skeleton: Skeleton, name: str) -> int:
    """Entry of the state of a free coordinate."""
    coordinate = model.coordinate(name)
    if name not in skeleton.independent or coordinate.prescribed is not None:
        names = [one for one in skeleton.independent if model.coordinate(one).prescribed is None]
        must = f"be free, one of {', '.join(names) or 'none'}"
        _check.refuse(owner, "coordinate", name, must, remedy="it is locked, coupled or prescribed")
    return skeleton.independent.index(name)
