"""Mass and inertia of a body of another size, by the rules of OpenSim."""

from __future__ import annotations

import math

import numpy as np

from fibermsk._arrays import Array

_EQUAL = 1e-14
"""Relative difference of factors that counts as none."""


def scaled_inertia(inertia: Array, mass: float, new_mass: float, factors: Array) -> Array:
    """Inertia about the center of mass (3, 3) after scaling; `new_mass` is that after it.

    Equal factors scale it by their square. With others the body counts as a cylinder along the axis
    with the least moment: its radius follows from that moment, and its length from the first of the
    others; products of inertia scale with both of their axes.
    """
    ratio = new_mass / mass
    if np.ptp(factors) <= _EQUAL * np.abs(factors).max():
        return inertia * (ratio * factors[0] ** 2)
    axis = int(np.argmin(np.diag(inertia)))
    others = [i for i in range(3) if i != axis]
    square = max(2.0 * inertia[axis, axis] / mass, 0.0)  # of the radius
    length = math.sqrt(max(12.0 * (inertia[others[0], others[0]] / mass - 0.25 * square), 0.0))
    length *= factors[axis]
    square *= factors[others[0]] * factors[others[1]]
    found = inertia * (ratio * np.outer(factors, factors))
    across = new_mass * (length**2 / 12.0 + 0.25 * square)
    found[np.diag_indices(3)] = across
    found[axis, axis] = 0.5 * new_mass * square
    return found


def stretches(rotation: Array, factors: Array) -> Array:
    """Factor (3,) along each axis of a frame that is turned in a body: r_body = R r_frame."""
    return np.linalg.norm(factors[:, None] * rotation, axis=0)
