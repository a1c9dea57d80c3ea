"""Check that a model can be pickled."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from fibermsk import _check
from fibermsk.laws import HillStress
from fibermsk.model import Model, MovingPoint

_TO_A_LAW = "define its class at the top of a module, not inside a function"
_TO_A_FUNCTION = (
    "define it with def at the top of a module, not as a lambda or inside a function, or use a "
    "value such as fm.Ramp or fm.Table"
)


def check_picklable(model: Model) -> None:
    """Refuse a model with functions or laws that pickle does not find by their names.

    Raises
    ------
    ModelError
        If there is such a function or law.
    """
    laws = ((*law, "law", _TO_A_LAW) for law in _laws(model))
    functions = ((*function, "function", _TO_A_FUNCTION) for function in _functions(model))
    for owner, field, value, kind, remedy in (*laws, *functions):
        try:
            pickle.dumps(value)
        except (pickle.PicklingError, AttributeError, TypeError):
            must = f"be a {kind} that can be pickled"
            _check.refuse(owner, field, value, must, remedy=remedy)


def _laws(model: Model) -> Iterator[tuple[str, str, Any]]:
    """Laws of the model's tissues, contacts and coordinates, with their owners."""
    for fiber in model.fibers:
        for part in ("muscle", "tendon"):
            yield f"fiber {fiber.name!r}", f"tissue.{part}", getattr(fiber.tissue, part)
        active = fiber.tissue.active
        if isinstance(active, HillStress):
            for part in ("force_length", "force_velocity"):
                yield f"fiber {fiber.name!r}", f"tissue.active.{part}", getattr(active, part)
    for contact in model.contacts:
        yield "contact", "law", contact.law
    for coordinate in model.coordinates:
        for law in coordinate.laws:
            yield f"coordinate {coordinate.name!r}", "forces", law


def _functions(model: Model) -> Iterator[tuple[str, str, Any]]:
    """Functions of the model's fibers, with their owners."""
    for fiber in model.fibers:
        owner = f"fiber {fiber.name!r}"
        for field in fields(fiber):
            if callable(value := getattr(fiber, field.name)):
                yield owner, field.name, value
        for point in fiber.attach:
            if isinstance(point, MovingPoint):
                yield owner, "the motion of a moving point", point.motion
