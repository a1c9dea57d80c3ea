"""What a user must know of a solution: few steps, and paths that are not those of the package."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.interval import FIBERS
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.muscles.exact import ExactPath
from fibermsk.control.muscles.geodesic import DiscretePath
from fibermsk.control.plant import Plant
from fibermsk.control.solving.solution import ControlSolution
from fibermsk.errors import PathError
from fibermsk.model import Model
from fibermsk.system import skeleton
from fibermsk.system.lines.batch import MuscleGeometry

LARGE = 0.05
"""Difference to the run of `simulate` above which steps are few [rad or m]."""

_DISCRETE = 1e-6
"""Difference to the discrete run above which it is told [rad or m]."""

_PUSH = 1e-6
"""Share of the largest force with which a muscle must push to be told."""

_NEAR = 1e-4
"""Distance of fibers from a bound, over their optimal length, at which they are at it."""

_EQUAL = 1e-6
"""Difference of a force over the largest up to which it is that of the law."""

_SAME = 1e-6
"""Difference of lengths of a path up to which it is that of the package [m]."""


def remarks_of(
    plant: Plant, model: Model, nodes: list[Node], paths: Array, solution: ControlSolution
) -> list[str]:
    """Remarks on a solution at nodes, with unknowns of their paths (n + 1, n_path)."""
    found, again = _of_laws(plant, solution), solution.resimulation
    if solution.result.status == "interrupted":
        found.append(
            "the run with these controls was interrupted: how far it is from the solution is not "
            "known"
        )
    elif not again.coordinate <= LARGE:
        off = (
            "the run failed" if np.isnan(again.coordinate) else f"it is {again.coordinate:.2g} off"
        )
        found.append(
            f"the motion simulated with these controls is not that of the solution ({off}); the "
            "steps are too few, use more; where this does not help, the motion is unstable or "
            "passes a singular pose, as of a closed chain or in gimbal lock"
        )
    if not again.discrete <= _DISCRETE:
        off = "no such step was found"
        if np.isfinite(again.discrete):
            off = f"{again.discrete:.2g} off"
        found.append(
            f"the discrete equations solved step by step do not give the solution ({off}); the "
            "motion is unstable, or the steps are too few"
        )
    words = {one.name: one.path.word for one in plant.muscles}
    found += _of_paths(model, solution.coordinates, solution.lengths, words)
    found += _of_lifted(plant, paths)
    for muscle in plant.muscles:
        if not isinstance(muscle.path, ExactPath) or muscle.path.surface is None:
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


def _of_laws(plant: Plant, solution: ControlSolution) -> list[str]:
    """Remarks on muscles where their laws take branches that the solution does not."""
    found, h = list[str](), np.diff(solution.time)
    for muscle in plant.muscles:
        name = muscle.name
        active = solution.activations.get(name)
        mean = solution.controls.get(name, np.full(h.size, muscle.given))
        mean = mean if active is None else 0.5 * (active[1:] + active[:-1])
        fibers = solution.fiber_lengths.get(name, np.full(h.size + 1, muscle.optimum))
        forces, left = muscle.by_law(solution.lengths[name], mean, fibers, h)
        off = np.maximum(np.abs(forces - solution.forces[name]) / muscle.strength, np.abs(left))
        if off.max() > _EQUAL:
            n = int(off.argmax())
            found.append(
                f"the force of line muscle {name!r} in interval {n} is not that of its law, by "
                f"{off[n]:.2g} of its largest: its fibers are at their shortest; keep the "
                "motion within a fm.Range, or give it an elastic tendon"
            )
        pushes = solution.forces[name] < -_PUSH * muscle.strength
        if pushes.any():
            found.append(
                f"line muscle {name!r} pushes with up to {-solution.forces[name].min():.3g} N in "
                f"{pushes.sum()} of {h.size} intervals: its tendon is slack there, which the "
                "published curves of De Groote do not know; slow the motion down"
            )
        x = fibers / muscle.optimum
        if muscle.elastic and (x.min() < FIBERS[0] + _NEAR or x.max() > FIBERS[1] - _NEAR):
            found.append(
                f"the fibers of line muscle {name!r} are at a bound of the search, "
                f"{FIBERS[0]:g} or {FIBERS[1]:g} of their optimal length"
            )
    return found


def _of_paths(
    model: Model, coordinates: Mapping[str, Array], lengths: Mapping[str, Array],
    words: Mapping[str, str],
) -> list[str]:  # fmt: skip
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
    off = np.abs(expected - np.stack([lengths[one.name] for one in muscles], axis=1)).max(axis=0)
    by_word = dict[str, list[str]]()
    for muscle, one in zip(muscles, off.tolist(), strict=True):
        if one > _SAME:
            text = f"{muscle.name} ({1e3 * one:.2g} mm)"
            by_word.setdefault(words[muscle.name], []).append(text)
    return [
        f"lengths of paths {word} differ from those of a run: {', '.join(names)}"
        for word, names in by_word.items()
    ]


def _of_lifted(plant: Plant, paths: Array) -> list[str]:
    """Remarks on discrete geodesics that pull at their surface."""
    found = list[str]()
    for muscle, own in plant.own_paths():
        path = muscle.path
        if not isinstance(path, DiscretePath) or path.surface is None:
            continue
        lifted = [n for n, g in enumerate(paths[:, own]) if path.lifted(g)]
        if lifted:
            found.append(
                f"the path of line muscle {muscle.name!r} pulls at {path.surface.name!r}, which it "
                f"should leave, from node {lifted[0]} to {lifted[-1]}; use exact paths"
            )
    return found
