"""What a user must know of a solution: few steps, and paths that are not those of the package."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.discrete import Node
from fibermsk.control.plant import Plant
from fibermsk.control.solution import Resimulation
from fibermsk.errors import PathError
from fibermsk.model import Model
from fibermsk.system import skeleton
from fibermsk.system.lines.batch import MuscleGeometry

LARGE = 0.05
"""Difference to the run of `simulate` above which steps are few [rad or m]."""

_SAME = 1e-6
"""Difference of lengths of a path up to which it is that of the package [m]."""


def remarks_of(
    plant: Plant, model: Model, nodes: list[Node], coordinates: Mapping[str, Array],
    lengths: Mapping[str, Array], again: Resimulation,
) -> list[str]:  # fmt: skip
    """Remarks on a solution at nodes."""
    found = list[str]()
    if not again.coordinate <= LARGE:
        off = (
            "the run failed" if np.isnan(again.coordinate) else f"it is {again.coordinate:.2g} off"
        )
        found.append(
            f"the motion simulated with these controls is not that of the solution ({off}); the "
            "steps are too few for this motion, use more"
        )
    found += _of_paths(model, coordinates, lengths)
    for muscle in plant.muscles:
        if muscle.path.surface is None:
            continue
        q = ca.SX.sym("q", plant.directors.n)
        arc = ca.Function("arc", [q], [muscle.path.touching(q)])
        touches = [float(arc(plant.directors.place(*one))) > 0.0 for one in nodes]
        if any(touches) and not all(touches):
            found.append(
                f"line muscle {muscle.name!r} touches and leaves {muscle.path.surface.name!r} "
                "during the motion, where its moment arm has a kink"
            )
    return found


def _of_paths(
    model: Model, coordinates: Mapping[str, Array], lengths: Mapping[str, Array]
) -> list[str]:
    """Remarks on muscles whose lengths are not those that the package finds."""
    if not lengths:
        return []
    own = skeleton(model)
    poses = np.stack([coordinates[name] for name in own.independent], axis=1)
    muscles = [one for one in model.acting_muscles if one.name in lengths]
    try:
        expected = MuscleGeometry(own, muscles).at(poses, follow=True).length
    except PathError as error:
        return [f"a path of the solution has no length in the package: {error}"]
    found = list[str]()
    for k, muscle in enumerate(muscles):
        off = float(np.abs(expected[:, k] - lengths[muscle.name]).max())
        if off > _SAME:
            found.append(
                f"the path of line muscle {muscle.name!r} is up to {1e3 * off:.3g} mm shorter or "
                "longer than in a run, as beyond the end of a cylinder or on its other side"
            )
    return found
