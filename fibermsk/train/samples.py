"""Random paths from which the networks learn, and those on which they are judged."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.lines.material.network import INPUTS, fill_samples
from fibermsk.kernels.lines.path_arrays import CAPPED as CAPPED_KIND, CYLINDER as CYLINDER_KIND
from fibermsk.train.exact import CYLINDER, Ends, Taut, taut_paths

NEAR_LIFT_OFF = 0.01
"""Share of the length on the surface below which a path that touches it is left out."""
RANGES = {
    CYLINDER: {"rho": (1.1, 12.0), "phi": (-math.inf, 1.5), "excess": (-math.inf, 3.0)},
    "capped_cylinder": {"rho": (1.2, 6.0), "z": (-6.0, 4.0), "delta": (0.0, 3.0)},
}
"""Range of each surface, lengths over its radius: distances of the ends from the axis, angle of the
arc and how much longer than the straight line its planar path is; or heights of the ends and angle
between them."""


APART = 0.02
"""Distance between the insertions of the two paths of a pair, over the radius."""


class Samples(NamedTuple):
    """n points of paths: inputs, straight length and D (n, 2), and what is to be learnt.

    Or n pairs of points, with an axis of two after the first one.

    `length` (n,) is the length in the plane across a cylinder or that in space, and `position`
    (n, 3) the distance from the straight line; `alpha` (n,) are the fractions.
    """

    length_inputs: Array
    position_inputs: Array
    scales: Array
    alpha: Array
    length: Array
    position: Array


def draw_ends(surface: str, n: int, rng: np.random.Generator, *, even: bool = False) -> Ends:
    """Random ends within the range of a surface, more of them near it unless `even`."""
    drawn = _draw_ends(surface, 2 * n, rng, even)
    (own,) = np.nonzero(excess_of(drawn) <= RANGES[surface].get("excess", (0.0, math.inf))[1])
    return Ends(*(value[own[:n]] for value in drawn))


def excess_of(ends: Ends) -> Array:
    """Length of paths around an endless cylinder less that of the straight line, in its plane."""
    a, b = (np.sqrt(rho**2 - 1.0) for rho in (ends.rho_o, ends.rho_i))
    square = ends.rho_o**2 + ends.rho_i**2 - 2.0 * ends.rho_o * ends.rho_i * np.cos(ends.delta)
    around = a + b + ends.delta - np.arctan(a) - np.arctan(b)
    return around - np.sqrt(square)


def _draw_ends(surface: str, n: int, rng: np.random.Generator, even: bool) -> Ends:
    own = RANGES[surface]
    # half of them uniform in the angles to the tangent points, so that near ends are many
    low, high = (math.acos(1.0 / rho) for rho in own["rho"])
    near = 1.0 / np.cos(rng.uniform(low, high, (2, n)))
    some = np.full((2, n), False) if even else rng.uniform(size=(2, n)) < 0.5
    rho_o, rho_i = np.where(some, near, rng.uniform(*own["rho"], (2, n)))
    A, B = np.arccos(1.0 / rho_o), np.arccos(1.0 / rho_i)
    z = rng.uniform(*own.get("z", (0.0, 0.0)), (2, n))
    most = A + B + own["phi"][1] if surface == CYLINDER else own["delta"][1]
    # most of them near the surface or around it
    share = 1.0 - rng.uniform(0.0, 1.0, n) ** (1.0 if even else 1.5)
    return Ends(rho_o, rho_i, z[0], z[1], share * most)


def ends_in_frame(ends: Ends) -> tuple[Array, Array]:
    """Ends (n, 3) in the frame whose x axis has the middle azimuth."""
    half = 0.5 * ends.delta
    o = np.stack([ends.rho_o * np.cos(half), -ends.rho_o * np.sin(half), ends.z_o], -1)
    i = np.stack([ends.rho_i * np.cos(half), ends.rho_i * np.sin(half), ends.z_i], -1)
    return o, i


def samples_of(surface: str, ends: Ends, alpha: Array) -> tuple[Samples, Taut]:
    """Samples at one fraction (n,) of each path, and the exact paths."""
    taut = taut_paths(surface, ends, alpha[:, None])
    o, i = ends_in_frame(ends)
    kind = CYLINDER_KIND if surface == CYLINDER else CAPPED_KIND
    n, (of_length, of_position) = alpha.size, INPUTS[int(surface != CYLINDER)]
    inputs, scales = (np.empty((n, of_length)), np.empty((n, of_position))), np.empty((n, 2))
    fill_samples(kind, o, i, alpha, *inputs, scales)
    length = taut.length
    if surface == CYLINDER:
        length = np.sqrt(np.maximum(length**2 - (ends.z_i - ends.z_o) ** 2, 0.0))
    off = taut.x[:, 0] - (o + alpha[:, None] * (i - o))
    return Samples(*inputs, scales, alpha, length, off), taut


def draw(surface: str, n: int, rng: np.random.Generator) -> Samples:
    """About n pairs of samples that are not near lift-off, with close insertions.

    Paths of a pair both touch the surface or both do not: their difference is a derivative.
    """
    ends, alpha = draw_ends(surface, n, rng), rng.uniform(0.0, 1.0, n)
    way = rng.normal(size=(3, n))
    way *= APART / np.linalg.norm(way, axis=0)
    moved = ends._replace(
        rho_i=ends.rho_i + way[0],
        delta=np.abs(ends.delta + way[1] / ends.rho_i),
        z_i=ends.z_i + (way[2] if surface != CYLINDER else 0.0),
    )
    pair = [samples_of(surface, one, alpha) for one in (ends, moved)]
    own = (pair[0][1].wrapped > 0.0) == (pair[1][1].wrapped > 0.0)
    for _, taut in pair:
        own &= (taut.wrapped == 0.0) | (taut.wrapped >= NEAR_LIFT_OFF * taut.length)
        own &= taut.found
    first, second = (one for one, _ in pair)
    return Samples(*(np.stack([a[own], b[own]], 1) for a, b in zip(first, second, strict=True)))
