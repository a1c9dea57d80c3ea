"""What of a model cannot be pickled."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from fibermsk import _check
from fibermsk.model import Model, MovingPoint

__all__ = ["check_picklable"]


def check_picklable(model: Model) -> None:
    """Refuse a model with functions that pickle does not find by their names.

    Raises
    ------
    ModelError
        If there is such a function; names where it is.
    """
    for owner, field, function in _functions(model):
        try:
            pickle.dumps(function)
        except (pickle.PicklingError, AttributeError, TypeError):
            must = "be a function that can be pickled"
            remedy = (
                "define it with def at the top of a module, not as a lambda or inside a function, "
                "or use a value such as fm.Ramp or fm.Table"
            )
            _check.refuse(owner, field, function, must, remedy=remedy)


def _functions(model: Model) -> Iterator[tuple[str, str, Any]]:
    """Callable parts of the model's fibers, with what they are."""
    for fiber in model.fibers:
        owner = f"fiber {fiber.name!r}"
        for field in fields(fiber):
            if callable(value := getattr(fiber, field.name)):
                yield owner, field.name, value
        for point in fiber.attach:
            if isinstance(point, MovingPoint):
                yield owner, "the motion of a moving point", point.motion
