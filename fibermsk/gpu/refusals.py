"""Checks for model features that the GPU backend does not support."""

from __future__ import annotations

from typing import NoReturn

from fibermsk import _check
from fibermsk.laws.own import law_label
from fibermsk.model import Linear, Model
from fibermsk.system import FiberSystem


def _refuse_law(owner: str, field: str, kind: type) -> NoReturn:
    _check.refuse(
        owner, field, law_label(kind), "be a law of the package for backend='cupy'",
        remedy="use backend='cpu'",
    )  # fmt: skip


def refuse_unsupported(model: Model) -> None:
    """Check that the GPU backend supports a model, before it is built.

    Raises
    ------
    ModelError
        If the model has no fibers, or has user-defined laws, or joints whose axes are not plain
        coordinates.
    """
    if not model.fibers:
        _check.refuse(
            f"model {model.name!r}", "fibers", "none", "have one or more for backend='cupy'",
            remedy="use backend='cpu'",
        )  # fmt: skip
    for joint in model.joints:
        plain = all(
            axis.offset == 0.0 and len(axis.pairs) == 1 and axis.pairs[0][1] == Linear()
            for axis in joint.axes
        )
        held = any(c.locked or c.prescribed is not None for c in joint.coordinates)
        if held or not plain or len(joint.axes) != len(joint.coordinates):
            _check.refuse(
                f"model {model.name!r}", "joint", joint,
                "have one free coordinate for each axis for backend='cupy'",
                remedy="use backend='cpu' for functional joints, quaternions and fixed coordinates",
            )  # fmt: skip
    for fiber in model.fibers:
        for part, kind in fiber.tissue.layout.own.items():
            _refuse_law(f"fiber {fiber.name!r}", f"tissue.{part}", kind)
    for contact in model.contacts:
        if contact.own_law is not None:
            _refuse_law("contact", "law", contact.own_law)
    if model.couplings:
        _check.refuse(
            f"model {model.name!r}", "couplings", len(model.couplings),
            "be none for backend='cupy'", remedy="use backend='cpu'",
        )  # fmt: skip


def refuse_states(host: FiberSystem) -> None:
    """Check that no element has states of first order, which are known only after the build.

    Raises
    ------
    ModelError
        If an element has states.
    """
    if host.states:
        _check.refuse(
            f"element {host.states[0].owner!r}", "states", host.states[0].names,
            "be none for backend='cupy'", remedy="use backend='cpu'",
        )  # fmt: skip
