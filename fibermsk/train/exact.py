"""Exact taut paths around surfaces of radius 1, many at once: what the networks learn.

The origin is at the distance ``rho_o`` from the axis z and the azimuth 0, the insertion at
``rho_i`` and the azimuth ``delta``; ``a, b`` free lengths in the plane, ``A, B`` the angles from
the ends to their tangent points, ``phi = delta - A - B`` the angle of the arc.

A capped cylinder is the cylinder below z = 0 and the half sphere above. Its path stays on one of
them, or crosses the seam once, where the length is least over the azimuth of the crossing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array

Flags = NDArray[np.bool_]

CYLINDER, CAPPED = "cylinder", "capped_cylinder"
"""Surfaces."""
_BISECTIONS = 50


class Ends(NamedTuple):
    """Ends of n paths, in radii of the surface, and the angle between them about the axis [rad]."""

    rho_o: Array
    rho_i: Array
    z_o: Array
    z_i: Array
    delta: Array


class Taut(NamedTuple):
    """n taut paths: points at k fractions (n, k, 3), lengths and lengths on the surface (n,).

    The frame has the middle azimuth between the ends along x. `found` (n,): whether a path was
    found.
    """

    x: Array
    length: Array
    wrapped: Array
    found: Flags


def _around(a: Array, A: Array, phi: Array, s: Array) -> Array:
    """Planar points (n, k, 2) at the lengths s (n, k): tangent, arc from the azimuth A, tangent."""
    a, A, phi = (np.asarray(value)[:, None] for value in (a, A, phi))
    turn = np.clip(s - a, 0.0, phi)
    free, at = s - a - turn, A + turn
    c, t = np.cos(at), np.sin(at)
    return np.stack([c - free * t, t + free * c], -1)


def _cartesian(rho: Array, azimuth: Array, z: Array) -> Array:
    return np.stack([rho * np.cos(azimuth), rho * np.sin(azimuth), z + 0.0 * rho], -1)


def _free(rho: Array) -> tuple[Array, Array]:
    """Length and angle of the tangent from the distance rho."""
    a = np.sqrt(np.maximum(rho * rho - 1.0, 0.0))
    return a, np.arctan(a)


def _cylinder(ends: Ends, alpha: Array) -> tuple[Array, ...]:
    """Points, length, angle of the arc, and heights of the tangent points on a cylinder."""
    (a, A), (b, B) = _free(ends.rho_o), _free(ends.rho_i)
    phi = ends.delta - A - B
    Lambda, h = a + phi + b, ends.z_i - ends.z_o
    flat = _around(a, A, phi, alpha * Lambda[:, None])
    x = np.concatenate([flat, (ends.z_o[:, None] + alpha * h[:, None])[..., None]], -1)
    length = np.hypot(Lambda, h)
    return x, length, phi, ends.z_o + h * a / Lambda, ends.z_i - h * b / Lambda, Lambda


def _sphere(o: Array, i: Array, alpha: Array) -> tuple[Array, ...]:
    """Points, length, angle of the arc, and heights of the tangent points on a sphere."""
    d_o, d_i = np.linalg.norm(o, axis=1), np.linalg.norm(i, axis=1)
    e = o / d_o[:, None]
    f = i - np.sum(i * e, 1)[:, None] * e
    y = np.linalg.norm(f, axis=1)
    f = f / np.maximum(y, 1e-300)[:, None]
    (a, A), (b, B) = _free(d_o), _free(d_i)
    phi = np.arctan2(y, np.sum(i * e, 1)) - A - B
    length = a + phi + b
    flat = _around(a, A, phi, alpha * length[:, None])
    x = flat[..., :1] * e[:, None] + flat[..., 1:] * f[:, None]
    z_P, z_Q = (np.cos(at) * e[:, 2] + np.sin(at) * f[:, 2] for at in (A, A + phi))
    return x, length, phi, z_P, z_Q


def _crossing(ends: Ends) -> tuple[Array, Flags]:
    """Azimuth at which a path from the cylinder to the sphere crosses the seam; whether it does."""
    a, A = _free(ends.rho_o)
    d_i = np.hypot(ends.rho_i, ends.z_i)

    def slope(theta: Array) -> tuple[Array, Array]:
        """Derivative of the length by the azimuth, and the angle of the arc on the sphere."""
        Lambda = a + theta - A
        away = ends.delta - theta
        x, y = ends.rho_i * np.cos(away) / d_i, ends.rho_i * np.sin(away) / d_i
        sine = np.sqrt(np.maximum(1.0 - x * x, 1e-300))
        arc = np.arctan2(sine, x) - _free(d_i)[1]
        return Lambda / np.hypot(Lambda, ends.z_o) - y / sine, arc

    low, high = A, ends.delta
    possible = (ends.z_o < 0.0) & (ends.z_i > 0.0) & (A < ends.delta) & (slope(A)[0] < 0.0)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = slope(middle)[0] < 0.0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return low, possible & (slope(low)[1] > 0.0)


def _over_seam(ends: Ends, theta: Array, alpha: Array) -> tuple[Array, ...]:
    """Points, length and length on the surface of paths that start on the cylinder."""
    one, none = np.ones_like(theta), np.zeros_like(theta)
    start = Ends(ends.rho_o, one, ends.z_o, none, theta)
    a, A = _free(ends.rho_o)
    seam = _cartesian(one, theta, none)
    end = _cartesian(ends.rho_i, ends.delta, ends.z_i)
    first = _cylinder(start, alpha)[1]
    last, phi = _sphere(seam, end, alpha)[1:3]
    length, Lambda = first + last, a + theta - A
    at = alpha * length[:, None]
    on_first = _cylinder(start, np.clip(at / first[:, None], 0.0, 1.0))[0]
    on_last = _sphere(seam, end, np.clip((at - first[:, None]) / last[:, None], 0.0, 1.0))[0]
    x = np.where((at < first[:, None])[..., None], on_first, on_last)
    return x, length, first * (1.0 - a / Lambda) + phi


def taut_paths(surface: str, ends: Ends, alpha: Array) -> Taut:
    """Exact paths, and their points at fractions alpha (n, k) of the length."""
    o = _cartesian(ends.rho_o, 0.0 * ends.delta, ends.z_o)
    i = _cartesian(ends.rho_i, ends.delta, ends.z_i)
    straight = o[:, None] + alpha[..., None] * (i - o)[:, None]
    x, length = straight, np.linalg.norm(i - o, axis=1)
    wrapped, kinds = np.zeros_like(length), np.zeros(length.size, int)

    def take(own: Flags, points: Array, total: Array, arc: Array) -> None:
        nonlocal x, length, wrapped, kinds
        x = np.where(own[:, None, None], points, x)
        length, wrapped = np.where(own, total, length), np.where(own, arc, wrapped)
        kinds = kinds + own

    with np.errstate(invalid="ignore", divide="ignore"):
        points, total, phi, z_P, z_Q, Lambda = _cylinder(ends, alpha)
        on_cylinder = phi > 0.0
        if surface == CAPPED:
            on_cylinder &= (z_P <= 0.0) & (z_Q <= 0.0)
        take(on_cylinder, points, total, phi * total / Lambda)
        if surface == CAPPED:
            points, total, phi, z_P, z_Q = _sphere(o, i, alpha)
            take((phi > 0.0) & (z_P > 0.0) & (z_Q > 0.0), points, total, phi)
            theta, own = _crossing(ends)
            take(own, *_over_seam(ends, theta, alpha))
            back = Ends(ends.rho_i, ends.rho_o, ends.z_i, ends.z_o, ends.delta)
            theta, own = _crossing(back)
            points, total, arc = _over_seam(back, theta, 1.0 - alpha)
            # mirrored: its azimuths run from the insertion
            c, s = np.cos(ends.delta)[:, None], np.sin(ends.delta)[:, None]
            turned = [c * points[..., 0] + s * points[..., 1],
                      s * points[..., 0] - c * points[..., 1], points[..., 2]]  # fmt: skip
            take(own, np.stack(turned, -1), total, arc)
    found = kinds <= 1
    if surface == CAPPED:
        found &= (kinds == 1) | ~_pierced(o, i)
    c, s = np.cos(0.5 * ends.delta)[:, None], np.sin(0.5 * ends.delta)[:, None]
    x = np.stack([c * x[..., 0] + s * x[..., 1], c * x[..., 1] - s * x[..., 0], x[..., 2]], -1)
    return Taut(x, length, wrapped, found)


def _pierced(o: Array, i: Array) -> Flags:
    """Whether straight lines pass through the capped cylinder."""
    way = i - o
    with np.errstate(invalid="ignore", divide="ignore"):
        flat = -np.sum(o[:, :2] * way[:, :2], 1) / np.sum(way[:, :2] ** 2, 1)
        near = o + np.clip(np.nan_to_num(flat), 0.0, 1.0)[:, None] * way
        low = (near[:, 2] <= 0.0) & (np.hypot(near[:, 0], near[:, 1]) < 1.0)
        at = np.clip(-np.sum(o * way, 1) / np.sum(way**2, 1), 0.0, 1.0)
        return low | (np.linalg.norm(o + at[:, None] * way, axis=1) < 1.0)
