"""Energy of the contact among fibers of a random model, computed without the package.

Of each pair it is twice an integral of r0 Psi(g) over the current length, over the one fiber with
the other as partner and the other way round, at the Gauss points that the contact asks for. At each
the gap is that to the place of the partner where it is least. Along an element of a partner the
factor of its radius runs from node to node as a smooth step.
"""

import numpy as np
from model_checks import reference_of, shape_functions
from random_models import radius_of

_PLACES = np.linspace(0.0, 1.0, 81)


def contact_energy(case, nodes):
    """Energy [J] of nodal values and slopes of all fibers, a list of (2 n, 3) arrays."""
    fibers, law = case["fibers"], case["fiber_law"]
    total = 0.0
    for own, x in zip(fibers, nodes, strict=True):
        points = _points(own, x, law["points"])
        for other, y in zip(fibers, nodes, strict=True):
            if other is not own:
                total += _integral(points, _partner(other, y), law)
    return total


def _points(fiber, x, n):
    """Places, current radii and weights r0 |a1| of the contact points of a fiber."""
    xi, weight = np.polynomial.legendre.leggauss(n)
    xi, weight = 0.5 * (xi + 1.0), 0.5 * weight
    theta, X = fiber["nodes"], reference_of(fiber)
    found = []
    for e, h in enumerate(np.diff(theta)):
        own = slice(2 * e, 2 * e + 4)
        speed, before = (
            np.linalg.norm(shape_functions(xi, h, 1) @ part[own], axis=1) for part in (x, X)
        )
        r0 = radius_of(fiber, theta[e] + h * xi)
        found.append(
            (
                shape_functions(xi, h, 0) @ x[own],
                r0 * np.sqrt(before / speed),
                weight * h * r0 * speed,
            )
        )
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


def _partner(fiber, x):
    """Places and radii along every element of a partner, (n_elements, n_places, ...)."""
    theta, X = fiber["nodes"], reference_of(fiber)
    factor = np.sqrt(np.linalg.norm(X[1::2], axis=1) / np.linalg.norm(x[1::2], axis=1))
    s, places, radii = _PLACES, [], []
    for e, h in enumerate(np.diff(theta)):
        places.append(shape_functions(s, h, 0) @ x[2 * e : 2 * e + 4])
        blend = factor[e] + (factor[e + 1] - factor[e]) * s * s * (3.0 - 2.0 * s)
        radii.append(radius_of(fiber, theta[e] + h * s) * blend)
    return np.array(places), np.array(radii)


def _integral(points, partner, law):
    """Energy of contact points beside a partner."""
    at, radius, weight = points
    places, radii = partner
    # those that some of the partner's places are near enough to
    rough = np.linalg.norm(at[:, None, None] - places[:, ::8], axis=-1).min(axis=(1, 2))
    step = np.linalg.norm(np.diff(places[:, ::8], axis=1), axis=-1).max()
    near = rough < radius + radii.max() + step
    at, radius, weight = at[near], radius[near], weight[near]
    d = np.linalg.norm(at[:, None, None] - places, axis=-1)
    gap = _least(d / (radius[:, None, None] + radii) - 1.0).min(axis=1)
    closed, limit = gap < 0.0, law["limit"]
    g = gap[closed]
    return float(
        (weight[closed] * law["stiffness"] / limit * (g - np.log1p(limit * g) / limit)).sum()
    )


def _least(values):
    """Least values along the last axis, of the quartics through the five places around them."""
    n = values.shape[-1]
    k = np.clip(values.argmin(axis=-1), 2, n - 3)
    around = np.take_along_axis(values, k[..., None] + np.arange(-2, 3), axis=-1)
    powers = around @ np.linalg.inv(np.vander(np.arange(-2.0, 3.0), increasing=True)).T
    s = np.arange(-2.0, 3.0)[around.argmin(axis=-1)]
    for _ in range(4):  # Newton's method
        slope = powers[..., 1] + s * (
            2 * powers[..., 2] + s * (3 * powers[..., 3] + s * 4 * powers[..., 4])
        )
        bend = 2 * powers[..., 2] + s * (6 * powers[..., 3] + s * 12 * powers[..., 4])
        s = np.clip(s - slope / np.where(bend > 0.0, bend, np.inf), -2.0, 2.0)
    least = sum(powers[..., j] * s**j for j in range(5))
    return np.minimum(least, around.min(axis=-1))
