"""What a model may not hold if it is to run on a GPU."""

from __future__ import annotations

from fibermsk import _check
from fibermsk.model import Linear, Model

__all__ = ["refuse_unsupported"]


def refuse_unsupported(model: Model) -> None:
    """Check that the GPU backend can do what a model asks for, before anything is built.

    Raises
    ------
    ModelError
        If the model has no fibers, or joints whose axes are not plain coordinates.
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
                remedy="use backend='cpu' for functional joints, quaternions and held coordinates",
            )  # fmt: skip
    if model.elements:
        _check.refuse(
            f"model {model.name!r}", "elements", len(model.elements),
            "be none for backend='cupy'", remedy="use backend='cpu'",
        )  # fmt: skip
    if model.couplings:
        _check.refuse(
            f"model {model.name!r}", "couplings", len(model.couplings),
            "be none for backend='cupy'", remedy="use backend='cpu'",
        )  # fmt: skip
