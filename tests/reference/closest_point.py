"""Closest point of a piecewise cubic centerline (G 66-68), by roots and by brute force."""

from typing import NamedTuple

import numpy as np

from .hermite import shape


class Closest(NamedTuple):
    """Closest point of a cable: element, its coordinate, theta, position [m], distance [m]."""

    element: int
    xi: complex
    theta: complex
    point: np.ndarray
    distance: complex


def cubic_coefficients(values, h):
    """Monomial coefficients of one element.

    Parameters
    ----------
    values : (4, 3) array
        x_a, t_a, x_b, t_b with t = dx/dtheta.
    h : float
        Length of the element in theta.

    Returns
    -------
    c : (4, 3) array
        y(xi) = c0 + c1 xi + c2 xi^2 + c3 xi^3 (G 68 with y2 = h t_a, y4 = h t_b).
    """
    xa, ta, xb, tb = values[0], h * values[1], values[2], h * values[3]
    return np.array([xa, ta, 3.0 * (xb - xa) - 2.0 * ta - tb, 2.0 * (xa - xb) + ta + tb])


def quintic(c, p):
    """Coefficients, lowest power first, of f(xi) = (y(xi) - p) . y'(xi) (G 66-67), (6,) array."""
    d = c[0] - p
    return np.array(
        [
            d @ c[1],
            2.0 * (d @ c[2]) + c[1] @ c[1],
            3.0 * (d @ c[3]) + 3.0 * (c[1] @ c[2]),
            4.0 * (c[1] @ c[3]) + 2.0 * (c[2] @ c[2]),
            5.0 * (c[2] @ c[3]),
            3.0 * (c[3] @ c[3]),
        ]
    )


def _horner(a, xi):
    value = a[-1] + 0.0 * xi
    for coefficient in a[-2::-1]:
        value = value * xi + coefficient
    return value


def closest_on_element(values, h, p):
    """Closest point of one Hermite element.

    Parameters
    ----------
    values : (4, 3) array
        x_a, t_a, x_b, t_b.
    h : float
        Length of the element in theta.
    p : (3,) array
        Point [m].

    Returns
    -------
    xi : float or complex
        In [0, 1].
    y : (3,) array
    distance : float or complex

    Notes
    -----
    Candidates are the real parts in [0, 1] of all roots of the quintic, and both ends; the nearest
    wins (a complex root's real part can never beat the true minimum). Newton's method then removes
    the rounding of the eigenvalue solver. For complex arguments one more Newton step from the real
    solution carries the imaginary part, which makes complex-step derivatives exact.
    """
    c = cubic_coefficients(values, h)
    a = quintic(c.real, p.real)
    kept = np.nonzero(np.abs(a) > 1e-14 * np.max(np.abs(a)))[0]
    roots = np.roots(a[kept[-1] :: -1]).real if len(kept) else np.empty(0)
    candidates = np.concatenate([roots[(roots >= 0.0) & (roots <= 1.0)], [0.0, 1.0]])
    offset = _horner(c.real, candidates[:, None]) - p.real
    xi = candidates[np.argmin(np.sum(offset**2, axis=1))]

    da = a[1:] * np.arange(1, 6)
    stationary = 0.0 < xi < 1.0
    for _ in range(3):
        slope = _horner(da, xi)
        step = _horner(a, xi) / slope if slope > 0.0 else np.inf
        if abs(step) > 1e-4 or not -1e-9 <= xi - step <= 1.0 + 1e-9:
            break  # an end which is no stationary point
        stationary, xi = True, min(max(xi - step, 0.0), 1.0)
    if stationary and (np.iscomplexobj(values) or np.iscomplexobj(p)):
        a = quintic(c, p)
        xi = xi - (_horner(a, xi) - _horner(a.real, xi)) / _horner(a.real[1:] * np.arange(1, 6), xi)
    y = c[0] + xi * (c[1] + xi * (c[2] + xi * c[3]))
    return xi, y, np.sqrt(np.sum((y - p) ** 2))


def element_balls(values, h):
    """Centers (n, 3) and radii (n,) of balls that hold the Bezier points, hence the elements."""
    values, h = values.real, np.asarray(h)[:, None]
    xa, ta, xb, tb = values[:, 0], values[:, 1], values[:, 2], values[:, 3]
    control = np.stack([xa, xa + h * ta / 3.0, xb - h * tb / 3.0, xb], axis=1)
    center = control.mean(axis=1)
    return center, np.linalg.norm(control - center[:, None], axis=2).max(axis=1)


def closest_on_cable(node_theta, values, p, within=np.inf, balls=None):
    """Closest point over all elements of a cable.

    Parameters
    ----------
    node_theta : (n+1,) float array
    values : (n, 4, 3) array
        Nodal values per element, `hermite.element_values`.
    p : (3,) array
        Point [m].
    within : float
        Elements farther than this are left out [m].
    balls : tuple, optional
        Result of `element_balls`, for many points on one cable.

    Returns
    -------
    closest : Closest or None
        None where no element is within the distance. Elements which the balls show to be
        farther than one already examined are skipped; this does not change the result.
    """
    h = np.diff(node_theta)
    center, ball = element_balls(values, h) if balls is None else balls
    bound = np.linalg.norm(center - p.real, axis=1) - ball
    best = None
    for e in np.argsort(bound):
        if bound[e] >= within or (best is not None and bound[e] > best.distance.real):
            break
        xi, y, d = closest_on_element(values[e], h[e], p)
        if best is None or d.real < best.distance.real:
            best = Closest(int(e), xi, node_theta[e] + h[e] * xi, y, d)
    return best if best is not None and best.distance.real < within else None


def closest_brute_force(values, h, p, samples=20001):
    """Closest point of one element by dense sampling and golden-section search.

    Returns xi, y (3,), distance. Independent of the quintic; xi is good to about 1e-8, where the
    squared distance no longer changes in double precision.
    """

    def distance2(xi):
        y = shape(xi, h) @ values
        return np.sum((y - p) ** 2, axis=-1)

    grid = np.linspace(0.0, 1.0, samples)
    k = int(np.argmin(distance2(grid)))
    low, high = grid[max(k - 1, 0)], grid[min(k + 1, samples - 1)]
    ratio = 0.5 * (np.sqrt(5.0) - 1.0)
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if distance2(left) < distance2(right):
            high = right
        else:
            low = left
    ends = np.array([0.5 * (low + high), 0.0, 1.0])
    xi = ends[np.argmin(distance2(ends))]
    return xi, shape(xi, h) @ values, np.sqrt(distance2(xi))
