"""What a model may not hold if it is to run on a GPU."""

from __future__ import annotations

from fibermsk.laws import _check
from fibermsk.model import Body, Model
from fibermsk.model.contact import items_of

__all__ = ["refuse_unsupported"]


def refuse_unsupported(model: Model) -> None:
    """Check that the GPU backend has everything that a model asks for.

    Raises
    ------
    ModelError
        If the model has no fibers, or a contact of fibers with fibers in half passes; names the
        first such object.
    """
    must = "{} for backend='cupy'"
    if not model.fibers:
        _check.refuse(
            f"model {model.name!r}", "fibers", "none", must.format("have one or more"),
            remedy="use backend='cpu'",
        )  # fmt: skip
    for contact in model.contacts:
        owner = f"contact of fiber {items_of(contact.first)[0].name!r}"
        touches_fibers = not all(isinstance(item, Body) for item in items_of(contact.second))
        if touches_fibers and contact.formulation != "variational":
            _check.refuse(
                owner, "formulation", contact.formulation, must.format("be 'variational'"),
                remedy="use that, or backend='cpu'",
            )  # fmt: skip
