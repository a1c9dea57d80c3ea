"""Models of which a pose is given by its free coordinates alone."""

from __future__ import annotations

from typing import Any

from fibermsk import _check
from fibermsk.model import Model


def free_model(model: Model) -> Model:
    """The model with every coupling eliminated, so that a pose has its free coordinates alone."""
    _check.instance("analysis", "model", model, Model, "a Model")
    kept: dict[Any, Any] = {
        one: {"enforce": "eliminate"} for one in model.couplings if one.enforce != "eliminate"
    }
    return model.edit(kept) if kept else model
