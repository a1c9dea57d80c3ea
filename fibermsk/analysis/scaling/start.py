"""Start values of a scaled model at which its constraints hold."""

from __future__ import annotations

from fibermsk._warn import warn
from fibermsk.analysis.frame import HOLDING
from fibermsk.errors import ModelWarning
from fibermsk.model import Model
from fibermsk.read.osim.assembly import assembled

_SAME = 1e-9
"""Change of a start value that is none [rad or m]."""


def closed_start(model: Model) -> Model:
    """The model, started from the closed pose nearest to its start values.

    Warns
    -----
    ModelWarning
        If there is none nearby.
    """
    holding = [one for one in model.elements if isinstance(one, HOLDING)]
    if not holding:
        return model
    values = assembled(model, holding, ())
    own = {one.name: one for one in model.coordinates}
    if values is None or not values.keys() <= own.keys():
        names = ", ".join(one.name for one in holding[:5])
        warn(
            f"scale: the constraints {names} are not closed near the start pose of the scaled "
            "model: give it another start, or move their points",
            ModelWarning,
        )
        return model
    follows = {one.dependent for one in model.couplings}
    changes = {
        f"{name}/value": value
        for name, value in values.items()
        if abs(value - own[name].value) > _SAME
        and not (own[name].locked or own[name].prescribed is not None or name in follows)
    }
    return model.edit(changes) if changes else model
