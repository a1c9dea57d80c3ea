"""Checks for model features that the GPU backend does not support."""

from __future__ import annotations

from typing import Any, NoReturn

from fibermsk import _check
from fibermsk.laws import HillStress
from fibermsk.laws.own import law_label
from fibermsk.model import Model


def _refuse(
    owner: str, field: str, value: Any, must: str, remedy: str = "use backend='cpu'"
) -> NoReturn:
    _check.refuse(owner, field, value, f"{must} for backend='cupy'", remedy=remedy)


def refuse_unsupported(model: Model) -> None:
    """Refuse a model with features that the GPU backend does not support, before it is built."""
    owner, lawful = f"model {model.name!r}", "be a law of the package"
    if not model.fibers:
        _refuse(owner, "fibers", "none", "have one or more")
    for fiber in model.fibers:
        for part, kind in fiber.tissue.layout.own.items():
            _refuse(f"fiber {fiber.name!r}", f"tissue.{part}", law_label(kind), lawful)
        for part in ("titin", "gradient"):
            if (value := getattr(fiber.tissue, part)) is not None:
                _refuse(f"fiber {fiber.name!r}", f"tissue.{part}", value, "be None")
        if isinstance(fiber.tissue.active, HillStress):
            _refuse(f"fiber {fiber.name!r}", "tissue.active", "HillStress", "be an ActiveStress")
    for contact in model.contacts:
        if contact.own_law is not None:
            _refuse("contact", "law", law_label(contact.own_law), lawful)
        if contact.friction is not None and contact.friction.coefficient:
            _refuse("contact", "friction", contact.friction, "be None")
