"""Whether what the solver calls a solution is a motion that meets the conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fibermsk.control.ends import Ends
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.mechanics.tree import TURN
from fibermsk.control.muscles.exact import ExactPath
from fibermsk.control.plant import Plant
from fibermsk.control.problem import OptimalControl
from fibermsk.control.reach import farthest
from fibermsk.control.solving.solver import Solved

_UNMET = 1e-6
"""How far a condition at an end may be off."""


def checked(problem: OptimalControl, ends: Ends, solved: Solved, nodes: list[Node]) -> Solved:
    """The same; failed if a link leaps, a condition at an end is not met, or a path is none."""
    if solved.status != "success":
        return solved
    plant = ends.plant
    reason = _leap(plant, nodes) or _unmet(problem, ends, nodes) or inside(plant, nodes)
    return replace(solved, status="failed", reason=reason) if reason else solved


def _leap(plant: Plant, nodes: list[Node]) -> str:
    """Body that turns further in an interval than its momentum tells; empty if none does.

    Frames between the motions of a joint have none: near gimbal lock they may turn far.
    """
    places = (np.array(plant.directors.place(*one)).reshape(-1, 12) for one in nodes)
    R = np.array([one[:, 3:].reshape(-1, 3, 3) for one in places])
    cosines = 0.5 * (np.einsum("nlij,nlij->nl", R[1:], R[:-1]) - 1.0)
    turns = np.arccos(np.clip(cosines, -1.0, 1.0))
    links = plant.tree.links
    frames = [not (one.mass or one.euler.any()) for one in links]
    turns[:, frames] = 0.0
    for k, (one, at) in enumerate(zip(links, plant.tree.slots(), strict=True)):
        alone = not (frames[k] or (one.parent >= 0 and frames[one.parent]))
        if one.motion == TURN and alone:  # also whole turns
            steps = np.diff([node.s[at.start] for node in nodes])
            turns[:, k] = np.maximum(turns[:, k], np.abs(one.slope * steps))
    n, link = np.unravel_index(turns.argmax(), turns.shape)
    if turns[n, link] <= 0.5 * np.pi:
        return ""
    return (
        f"{links[int(link)].name!r} turns by {np.degrees(turns[n, link]):.0f} degrees "
        f"in interval {n}, where equations allow any motion beyond a quarter turn; use more steps"
    )


def inside(plant: Plant, nodes: list[Node]) -> str:
    """Point of a muscle that lies in its surface at a node, where there is no path."""
    for muscle in plant.muscles:
        if not isinstance(muscle.path, ExactPath) or muscle.path.surface is None:
            continue
        for n, node in enumerate(nodes):
            found = muscle.path.depths(np.array(plant.directors.place(*node)).ravel())
            for end, distance in found.items():
                surface = muscle.path.surface
                return (
                    f"the {end} point of line muscle {muscle.name!r} lies {distance:.3g} m from "
                    f"the axis of {surface.name!r}, of radius {surface.radius:g} m, at node {n}, "
                    "where it has no path; keep the motion within a fm.Range, or move the point"
                )
    return ""


def _unmet(problem: OptimalControl, ends: Ends, nodes: list[Node]) -> str:
    """Condition at an end that was left out, since it seemed to follow from others, and is off."""
    for which, node in (("start", nodes[0]), ("end", nodes[-1])):
        name, off = farthest(problem, ends.places, which, node)
        if off > _UNMET:
            return f"{name} is {off:.2g} off; give None for directions that follow from others"
    return ""
