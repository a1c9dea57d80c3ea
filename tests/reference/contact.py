"""Penalty contact of fibers with fibers and with bones (G 39-44, 50-51, 65)."""

from typing import NamedTuple

import numpy as np

from .cable import current_radius
from .closest_point import closest_on_cable, element_balls
from .hermite import assemble, element_values


class ContactPoint(NamedTuple):
    """One quadrature point of fiber x in contact (g < 0)."""

    element: int  # of fiber x
    point: int  # quadrature point within the element
    theta: float  # on fiber x
    xi: float  # where the partner is closest: theta on fiber y; share of the axis a-b on a bone
    x: np.ndarray  # point on fiber x [m]
    y: np.ndarray  # closest point on the partner's axis [m]
    gap: float  # dimensionless
    traction: np.ndarray  # on x, per current length [N/m]
    force: np.ndarray  # on x, times the current length that the point stands for [N]


class Inadmissible(ValueError):
    """Raised where a gap is at or below -1/gamma (the red zone of G figure 1)."""


def line_force(g, kappa, gamma):
    """Contact force per current length, G 44.

    Parameters
    ----------
    g : (...) array
        Gap, dimensionless, negative in contact.
    kappa, gamma : float
        Penalty [N/m] and limit.

    Returns
    -------
    F : (...) array
        [N/m], zero for g >= 0, positive (repulsive) for -1/gamma < g < 0.
    """
    if np.any(np.real(1.0 + gamma * g) <= 0.0):
        raise Inadmissible(f"gap {np.min(np.real(g))}; must be above {-1.0 / gamma}")
    closed = np.real(g) < 0.0
    return np.where(closed, -kappa * g / np.where(closed, 1.0 + gamma * g, 1.0), 0.0)


def _centerline(cable, x, points):
    """Evaluate reference data, positions, length elements |a1| w and radii at the points of x."""
    data = cable.points(points)
    values = element_values(x)
    position = np.einsum("eka,eai->eki", data.N, values)
    a1 = np.einsum("eka,eai->eki", data.dN, values)
    a1 = np.sqrt(np.sum(a1 * a1, axis=-1))
    return data, position, a1 * data.weight, data.r0 * np.sqrt(data.A1 / a1)


def fiber_contact(cable_x, x, cable_y, y, kappa, gamma, points=5):
    """One half pass of two-fiber contact: the force on fiber x.

    Parameters
    ----------
    cable_x, cable_y : Cable
    x, y : (n+1, 6) array
        Their nodal values.
    kappa, gamma : float
        Penalty [N/m] and limit.
    points : int
        Gauss points per element of x.

    Returns
    -------
    force : (n+1, 6) array
        On the nodes of x: int -F(g) n N |a1| dtheta, n = (y - x)/d (G 39-44, repulsive).
    records : list of ContactPoint
        The points with g < 0.

    Notes
    -----
    Elements of y farther than r_x plus 1.2 times the largest radius sampled on y are left out.
    """
    data, position, weight, r_x = _centerline(cable_x, x, points)
    values = element_values(y)
    balls = element_balls(values, cable_y.h)
    elements, samples = np.meshgrid(range(len(values)), np.linspace(0.0, 1.0, 9), indexing="ij")
    reach = 1.2 * np.max(current_radius(cable_y, y.real, elements, samples))
    nearest = np.linalg.norm(position.real[:, :, None] - balls[0], axis=-1) - balls[1]
    traction = np.zeros(position.shape, dtype=np.result_type(x, y))
    records = []
    for e, k in np.argwhere(np.min(nearest, axis=-1) < r_x.real + reach):
        within = r_x[e, k].real + reach
        c = closest_on_cable(cable_y.node_theta, values, position[e, k], within, balls)
        if c is None:
            continue
        r_y = current_radius(cable_y, y, c.element, c.xi)
        g = c.distance / (r_x[e, k] + r_y) - 1.0  # G 40
        if g.real >= 0.0:
            continue
        n = (c.point - position[e, k]) / c.distance  # G 43
        traction[e, k] = -line_force(g, kappa, gamma) * n
        force = traction[e, k] * weight[e, k]
        at = (e, k, data.theta[e, k], c.theta, position[e, k], c.point)
        records.append(ContactPoint(*at, g, traction[e, k], force))
    return assemble(np.einsum("ek,eka,eki->eai", weight, data.N, traction)), records


def closest_on_axis(bone, p):
    """Share s and closest point y of a bone's axis, for points `p` (..., 3).

    y = a + s (b - a); s is clamped to [0, 1] for a capsule and free for an infinite cylinder.
    """
    a, b = np.asarray(bone["a"]), np.asarray(bone["b"])
    s = np.sum((p - a) * (b - a), axis=-1) / np.sum((b - a) ** 2)
    if bone["kind"] == "capsule":
        s = np.where(np.real(s) < 0.0, 0.0, np.where(np.real(s) > 1.0, 1.0, s))
    elif bone["kind"] != "infinite_cylinder":
        raise ValueError(f"bone kind {bone['kind']!r}; must be 'capsule' or 'infinite_cylinder'")
    return s, a + s[..., None] * (b - a)


def bone_contact(cable, x, bone, kappa, gamma, points=5):
    """Contact of a fiber with a bone.

    Parameters
    ----------
    cable : Cable
    x : (n+1, 6) array
    bone : dict
        kind ('capsule' or 'infinite_cylinder'), a, b: two points of the axis (3,) in ground,
        radius [m].
    kappa, gamma : float
        Penalty [N/m] and limit.
    points : int
        Gauss points per element.

    Returns
    -------
    force : (n+1, 6) array
        On the nodes of the fiber.
    bone_force, bone_moment : (3,) array
        Resultant on the bone [N] and its moment about the ground's origin [N m].
    records : list of ContactPoint
        The points with g < 0.
    """
    data, position, weight, r_x = _centerline(cable, x, points)
    s, y = closest_on_axis(bone, position)
    d = np.sqrt(np.sum((y - position) ** 2, axis=-1))
    g = d / (bone["radius"] + r_x) - 1.0  # G 51
    traction = -line_force(g, kappa, gamma)[..., None] * (y - position) / d[..., None]
    on_fiber = traction * weight[..., None]
    bone_force = -np.sum(on_fiber, axis=(0, 1))
    bone_moment = -np.sum(np.cross(y, on_fiber), axis=(0, 1))
    records = []
    for e, k in np.argwhere(np.real(g) < 0.0):
        at = (e, k, data.theta[e, k], s[e, k], position[e, k], y[e, k])
        records.append(ContactPoint(*at, g[e, k], traction[e, k], on_fiber[e, k]))
    force = assemble(np.einsum("ek,eka,eki->eai", weight, data.N, traction))
    return force, bone_force, bone_moment, records
