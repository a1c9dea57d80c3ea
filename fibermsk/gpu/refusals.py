"""What a model may not hold if it is to run on a GPU."""

from __future__ import annotations

from fibermsk.laws import _check
from fibermsk.model import Model

__all__ = ["refuse_unsupported"]


def refuse_unsupported(model: Model) -> None:
    """Check that the GPU backend has something to do.

    Raises
    ------
    ModelError
        If the model has no fibers.
    """
    if not model.fibers:
        _check.refuse(
            f"model {model.name!r}", "fibers", "none", "have one or more for backend='cupy'",
            remedy="use backend='cpu'",
        )  # fmt: skip
