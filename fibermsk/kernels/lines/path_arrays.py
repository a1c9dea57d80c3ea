"""Arrays that describe the paths of line muscles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index

CYLINDER, SPHERE, ELLIPSOID, TORUS, CAPPED, OWN = 0, 1, 2, 3, 4, 5
"""Kinds of wrap surfaces, as in `fibermsk.kernels.lines.taut.surfaces`; a capped cylinder is only
there for networks."""


class PathArrays(NamedTuple):
    """Paths of m muscles: points, wrap surfaces, and the candidate sections of these.

    Attributes
    ----------
    start : (m + 1,) int array
        First point of each muscle.
    link, local : (n_points,) int and (n_points, 3) float array
        Link of each point, -1 for the ground, and its position there [m]; of a moving point that
        of the origin of its components.
    moving : (n_points,) int array
        Number of a moving point; -1 for others.
    condition, low, high : (n_points,) int and float arrays
        Driver of a conditional point, -1 for others, and its range.
    driver, axis : (n_moving, 3) int and (n_moving, 3, 3) float array
        Driver of each component of a moving point, -1 for a constant, and its direction in the
        link.
    ends : (n_moving, 3, 2) float array
        Ranges of the drivers, outside of which the components are constant.
    piece_start, begin, origin, coefficients, waves
        Functions of the components, 3 k + c of component c of moving point k; see
        `fibermsk.kernels.skeleton.coordinate_map.MapArrays`.
    wrap_start : (m + 1,) int array
        First wrap of each muscle.
    kind, radius, size : (n_wraps,) int and float, (n_wraps, 3) float array
        Kind, radius of a cylinder or a sphere (else the least one), and the three radii as
        `fibermsk.kernels.lines.taut.surfaces` has them [m].
    half : (n_wraps,) float array
        Half the length of a cylinder, infinite for others [m].
    blend : (n_wraps,) float array
        Wrap angle up to which a section is a mean of wrapped and straight; zero for none [rad].
    network : (n_wraps,) bool array
        Whether the path around the surface is that of a network.
    hint, hinted : (n_wraps, 3) float and (n_wraps,) bool array
        Point that the path passes at first, frame of the surface [m], and whether there is one.
    passes : (n_wraps,) bool array
        Whether a section with an end inside the surface passes straight through it.
    wrap_link, rotation, position : (n_wraps,), (n_wraps, 3, 3) and (n_wraps, 3) array
        Link of each surface, and its frame there.
    first, last : (n_wraps,) int array
        Points of the model's list between which it acts.
    slot : (n_wraps,) int array
        Candidate of the section that starts at the point `first`; the next ones follow.
    acts : (n_slots,) bool array
        Whether a surface acts in a section.
    """

    start: Index
    link: Index
    local: Array
    moving: Index
    condition: Index
    low: Array
    high: Array
    driver: Index
    axis: Array
    ends: Array
    piece_start: Index
    begin: Array
    origin: Array
    coefficients: Array
    waves: Array
    wrap_start: Index
    kind: Index
    radius: Array
    size: Array
    half: Array
    blend: Array
    network: NDArray[np.bool_]
    hint: Array
    hinted: NDArray[np.bool_]
    passes: NDArray[np.bool_]
    wrap_link: Index
    rotation: Array
    position: Array
    first: Index
    last: Index
    slot: Index
    acts: NDArray[np.bool_]


class PathState(NamedTuple):
    """Placed paths.

    Attributes
    ----------
    x : (n_points, 3) float array
        Points, ground frame [m].
    active : (n_points,) bool array
        False for conditional points outside their range.
    slope, bend, third : (n_moving, 3, 3) float array
        Derivatives of x of a moving point by its three drivers, of orders 1 to 3.
    R, p : (n_wraps, 3, 3) and (n_wraps, 3) float array
        Frames of the surfaces, ground.
    wrapped : (n_points,) int array
        Surface around which the section that starts at a point wraps; -1 for a straight one,
        `fibermsk.kernels.lines.section.CHAIN` for one of `fibermsk.kernels.lines.chained`, and
        `NETWORK` for one of `fibermsk.kernels.lines.material.network_paths`.
    length : (n_points,) float array
        Length of the section that starts at each point [m]; zero if there is none.
    found : (n_points, FOUND) float array
        Of wrapped sections; see `fibermsk.kernels.lines.section`.
    reference : (n_slots,) float array
        Winding angle to which that of each candidate is nearest.
    left : (n_slots,) bool array
        Whether a candidate would touch a cylinder beyond its ends only, so that it does not.
    held : (n_slots,) int array
        Whether a candidate is touched, 1 or 0, at any wrap angle; -1: if this is positive.
    feet, touches : (n_slots, 7) float and (n_slots,) int array
        Foot from which that of each candidate of a chain is sought: first tangent point, direction
        there, frame of the surface, and length of the arc [m]; whether it is touched, or
        `fibermsk.kernels.lines.section.UNSOLVED`.
    foot, touched : (n_slots, 7) float and (n_slots,) int array
        The same of this state; 0 for candidates that are no part of a chain.
    rank : (n_wraps,) int array
        Place of each surface in the order along its path.
    trouble : (3,) int array
        State of the first section that has no solution, its start point and the surface to blame,
        -1 for several or none; `FINE` if all have.
    """

    x: Array
    active: NDArray[np.bool_]
    slope: Array
    bend: Array
    third: Array
    R: Array
    p: Array
    wrapped: Index
    length: Array
    found: Array
    reference: Array
    left: NDArray[np.bool_]
    held: Index
    feet: Array
    touches: Index
    foot: Array
    touched: Index
    rank: Index
    trouble: Index
