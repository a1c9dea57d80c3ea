"""Models with other activations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import ActivationDynamics, Model
from fibermsk.model.muscles.activation import Activation
from fibermsk.parameters.revise import redirected


def with_activations(
    model: Model, activations: Mapping[str, float | Activation | ActivationDynamics]
) -> Model:
    """Create a model with other activations of fibers and of acting line muscles.

    All other items are shared.

    Parameters
    ----------
    model : Model
        Model to start from; not changed.
    activations : dict
        By name of a fiber or of a line muscle that has a law: a number in [0, 1], a function
        t -> float such as a `Table`, or an `ActivationDynamics`. Others keep their activation.

    Examples
    --------
    >>> import fibermsk as fm
    >>> relaxed = fm.Model("leg")
    >>> tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3))
    >>> ends = relaxed.ground.at(0, 0, 0), relaxed.ground.at(0.1, 0, 0)
    >>> _ = relaxed.add(fm.Fiber("calf", attach=ends, radius=3e-3, n_elements=4, tissue=tissue))
    >>> fm.with_activations(relaxed, {"calf": fm.Ramp(0.0, 0.2, 0.5)}).fibers[0].activation_at(0.1)
    0.25
    """
    _check.instance("with_activations", "model", model, Model, "a Model")
    _check.instance("with_activations", "activations", activations, Mapping, "a dict")
    owners: dict[str, Any] = {one.name: one for one in model.acting_muscles}
    owners |= {fiber.name: fiber for fiber in model.fibers}
    names = list(owners)
    for name in activations:
        if name not in names:
            known, hint = ", ".join(names) or "none", _check.suggestion(str(name), names)
            what = "fiber or acting line muscle" if model.muscles else "fiber"
            raise ModelError(f"model {model.name!r} has no {what} {name!r}; it has: {known}{hint}")
    new = {
        id(owner): replace(owner, activation=activations[name])
        for name, owner in owners.items()
        if name in activations
    }
    return redirected(model, new)
