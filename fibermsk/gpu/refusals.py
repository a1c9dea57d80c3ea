"""What a model may not hold if it is to run on a GPU."""

from __future__ import annotations

from fibermsk.laws import _check
from fibermsk.model import Body, Model
from fibermsk.model.contact import items_of

__all__ = ["refuse_unsupported"]

_REMEDY = "use backend='cpu', or leave it out"


def refuse_unsupported(model: Model) -> None:
    """Check that the GPU backend has everything that a model asks for.

    Raises
    ------
    ModelError
        If the model has no fibers, a joint that moves, a contact of fibers with bodies,
        or one in half passes; names the first such object.
    """
    must = "{} for backend='cupy'"
    if not model.fibers:
        _check.refuse(
            f"model {model.name!r}", "fibers", "none", must.format("have one or more"),
            remedy="use backend='cpu'",
        )  # fmt: skip
    for joint in model.joints:
        if joint.dofs:
            _check.refuse(
                f"joint {joint.name!r}", "coordinates", ", ".join(dof.name for dof in joint.dofs),
                must.format("have none"), remedy="use backend='cpu', or a Weld",
            )  # fmt: skip
    for contact in model.contacts:
        owner = f"contact of fiber {items_of(contact.first)[0].name!r}"
        for item in items_of(contact.second):
            if isinstance(item, Body):
                _check.refuse(
                    owner, "second", item, must.format("hold fibers only"), remedy=_REMEDY
                )
        if contact.formulation != "variational":
            _check.refuse(
                owner, "formulation", contact.formulation, must.format("be 'variational'"),
                remedy="use that, or backend='cpu'",
            )  # fmt: skip
