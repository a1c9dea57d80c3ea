"""Kinds of parts of a model that have kernels of their own."""

from __future__ import annotations

from typing import Any

from fibermsk.laws.penalty import PenaltyContact
from fibermsk.laws.stress import ActiveStress, KelvinVoigt
from fibermsk.model import Body, Model

_STANDARD = {KelvinVoigt, ActiveStress, type(None)}


def kinds_of(model: Model) -> frozenset[str]:
    """Kinds of parts, as lists name them; parts with laws of a user are not among them."""
    found = {"joints"} if model.coordinates else set[str]()
    tissues = [one.tissue for one in model.fibers]
    laws = {type(law) for one in tissues for law in (one.muscle, one.tendon, one.active, one.titin)}
    if model.fibers and laws <= _STANDARD:
        found.add("fibers")
        for contact in model.contacts:
            if type(contact.law) is PenaltyContact:
                second: Any = contact.second  # a tuple, once it is made
                bones = any(isinstance(one, Body) for one in second)
                found.add(f"{contact.formulation} contact{' with bones' if bones else ''}")
    return frozenset(found)
