"""Start values at which the constraints of an imported model are closed."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from fibermsk.model.model import Model
from fibermsk.parameters.revise import redirected

_SAME = 1e-9
"""Change of a start value that is not reported [rad or m]."""


def assembled(
    model: Model, holding: list[Any], willing: Collection[str]
) -> dict[str, float] | None:
    """Values of coordinates at which the constraints hold, nearest to those of the model.

    `holding` are the constraints. The coordinates `willing` to move move first; the others only if
    that does not suffice. None if the constraints are not met nearby.

    Raises
    ------
    ModelError
        If the model cannot be built, or frames that are held are turned by half.
    """
    # compiles kernels: only models with constraints need it
    from fibermsk.system import FiberSystem
    from fibermsk.system.redundancy import nearest_closed

    plain = Model(model.name, model.gravity, ground=model.ground)
    for items in (model.bodies[1:], model.joints, model.couplings, holding):
        plain.add(*items)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said again where the model is built
        system = FiberSystem(plain)
    skeleton, own = system.skeleton, system.multipliers
    at = own.at_rest(system.configuration)
    first = [k for k in own.open.tolist() if skeleton.independent[k] in willing]
    q = nearest_closed(lambda q: at(q)[1], skeleton.start, own.open, first)
    if q is None:
        return None
    # frames that are turned by half fulfil the equations of a weld, too
    own.check(at(q)[0])
    return skeleton.values(q)


def started(model: Model, values: dict[str, float]) -> tuple[Model, dict[str, tuple[float, float]]]:
    """The model with other start values, and the old and new values that differ."""
    changes: dict[str, tuple[float, float]] = {}
    new: dict[int, Any] = {}
    follows = {one.dependent for one in model.couplings}
    for joint in model.joints:
        coordinates = []
        for one in joint.coordinates:
            fixed = one.locked or one.prescribed is not None or one.name in follows
            if not fixed and abs(values[one.name] - one.value) > _SAME:
                changes[one.name] = one.value, values[one.name]
                one = replace(one, value=values[one.name])
            coordinates.append(one)
        if any(one.name in changes for one in coordinates):
            new[id(joint)] = replace(joint, coordinates=tuple(coordinates))
    return (redirected(model, new) if new else model), changes
