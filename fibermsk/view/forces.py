"""Forces of a result at points: of fibers on bodies at their ends, and of contact on fibers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.results.centerline import combine, element_of, hermite_places
from fibermsk.results.result import FiberHistory, Result

ARROW_KINDS = ("attachment", "contact")
"""Forces of the fibers on bodies at both ends; contact forces on fibers, per element."""

_BOTH = "both"

_FRAMES = 100
"""Frames that the estimate of the largest force uses."""


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Kinds of arrows, each once, in the order of `ARROW_KINDS`."""
    asked = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in asked:
        if kind not in (*ARROW_KINDS, _BOTH):
            known = ", ".join((*ARROW_KINDS, _BOTH))
            needs = "; --arrows needs one of these" if kind.startswith("--") else ""
            raise ModelError(f"arrows = {kind!r}; there are: {known}{needs}")
    return tuple(kind for kind in ARROW_KINDS if kind in asked or _BOTH in asked)


def attachment_forces(result: Result, frame: int) -> tuple[Array, Array]:
    """Origins and insertions in turn [m], and forces on bodies there [N], (2 n_fibers, 3).

    Of fibers, then of line muscles.
    """
    fibers = result.drawn.values()
    points = [point for f in fibers for point in (f.position[frame, 0], f.position[frame, -1])]
    forces = [force for f in fibers for force in (f.force_origin[frame], f.force_insertion[frame])]
    return np.reshape(points, (-1, 3)), np.reshape(forces, (-1, 3))


class MuscleForce(NamedTuple):
    """Force of a muscle on the body at one of its ends, the sum over its fibers."""

    muscle: str
    n_fibers: int
    point: Array  # mean of the ends (3,) [m]
    force: Array  # (3,) [N]


def muscle_forces(result: Result, frame: int) -> list[MuscleForce]:
    """Forces of muscles on bodies at a frame: those of ``biceps_1``, ``biceps_2``, ... together.

    Without ends where the force is not known.
    """
    points, forces = attachment_forces(result, frame)
    muscles: dict[str, list[int]] = {}
    for k, name in enumerate(result.drawn):
        muscles.setdefault(re.sub(r"_?\d+$", "", name) or name, []).append(k)
    found = []
    for stem, members in muscles.items():
        name = list(result.drawn)[members[0]] if len(members) == 1 else stem
        for end in (0, 1):
            own = 2 * np.array(members) + end
            one = MuscleForce(name, len(own), points[own].mean(axis=0), forces[own].sum(axis=0))
            if np.all(np.isfinite(one.force)) and np.all(np.isfinite(one.point)):
                found.append(one)
    return found


def contact_forces(fiber: FiberHistory, share: int = 1, step: int = 1) -> Array:
    """Contact forces on groups of `share` elements [N], (n_frames, n_elements / share, 3).

    Integrals of the line force over the current length, at every `step`-th frame.
    """
    group = element_of(fiber.node_theta, fiber.theta) // share
    forces = np.zeros(
        (fiber.position[::step].shape[0], -(-(fiber.node_theta.size - 1) // share), 3)
    )
    line = fiber.contact_line_force[::step]
    pressed = np.flatnonzero(np.any(line != 0.0, axis=(1, 2)))
    if pressed.size:
        parts = line[pressed] * sample_lengths(fiber, pressed * step)[..., None]
        present, starts = np.unique(group, return_index=True)
        forces[np.ix_(pressed, present)] = np.add.reduceat(parts, starts, axis=1)
    return forces


def sample_lengths(fiber: FiberHistory, frames: NDArray[np.intp] | slice = slice(None)) -> Array:
    """Current length of the fiber per sample [m], (n_frames, n_samples)."""
    element, _, slope = hermite_places(fiber.node_theta, fiber.theta)
    tangent = combine(fiber.position[frames], fiber.tangent[frames], element, slope)
    return sample_weights(fiber) * np.linalg.norm(tangent, axis=2)


def sample_weights(fiber: FiberHistory) -> Array:
    """Quadrature weights of the samples in theta (n_samples,), with the sum 1.

    Exact for polynomials through the samples of each element. If an element has no sample or more
    than six: half intervals to the neighbors.
    """
    nodes, theta = fiber.node_theta, fiber.theta
    element = element_of(nodes, theta)
    counts = np.bincount(element, minlength=nodes.size - 1)
    if counts.min() == 0 or counts.max() > 6:
        middles = 0.5 * (theta[1:] + theta[:-1])
        return np.diff(np.concatenate([[nodes[0]], middles, [nodes[-1]]]))
    weights = np.empty(theta.size)
    for e in range(nodes.size - 1):
        mine = element == e
        h = nodes[e + 1] - nodes[e]
        powers = np.arange(np.count_nonzero(mine))
        moments = 1.0 / (powers + 1.0)
        weights[mine] = h * np.linalg.solve(
            ((theta[mine] - nodes[e]) / h)[None, :] ** powers[:, None], moments
        )
    return weights


def greatest_force(result: Result, kind: str, share: int = 1) -> float:
    """Largest force of a kind over the run [N]; for contact, over some frames."""
    step = max(1, result.time.size // _FRAMES)
    found = 0.0
    attached = kind == "attachment"
    for fiber in (result.drawn if attached else result.fibers).values():
        if attached:
            forces = np.stack([fiber.force_origin, fiber.force_insertion])
        else:
            forces = contact_forces(fiber, share, step)
        sizes = np.linalg.norm(forces, axis=2)
        found = max(found, float(np.max(sizes[np.isfinite(sizes)], initial=0.0)))
    return found
