"""Contact of the plain NumPy upper limb: closest points by np.roots, forces, tangents, safeguard.

Equation numbers: Gfrerer and Simeon (2021), G; the tangents are those of its appendix A.3 and A.4.
Two half passes: every fiber integrates its own line force over its own centerline. The traction is
repulsive, -F(g) n with n from the fiber to its partner.
"""

from typing import NamedTuple

import numpy as np
from _numpy_fiber import EYE, hermite, matrix, radius


class Inadmissible(Exception):
    """A contact reached 1 + gamma g = 0, where its force is infinite."""


class Near(NamedTuple):
    """Data of the safeguard for a point (or all points of an element) and a partner.

    partner is the index of a fiber, or the name of a bone. d is the distance, r and length are
    current radii and |a1| of both; or, if an element is too far for contact, a lower bound, largest
    radii and smallest |a1|. A bone's surface moves by its rotation times lever.
    """

    fiber: int
    element: int
    partner: int | str
    gamma: float
    d: float
    r_x: float
    length_x: float
    r_y: float
    length_y: float
    lever: float


class Curve(NamedTuple):
    """Current shape of a fiber for the closest-point search.

    cubics (n, 4, 3): powers of xi per element, G 68; centers (n, 3) and balls (n,) of spheres that
    contain the elements; thick (n,): bound of the radius in each element; thin: smallest |a1|.
    """

    cubics: np.ndarray
    centers: np.ndarray
    balls: np.ndarray
    thick: np.ndarray
    thin: float


def line_force(g, kappa, gamma):
    """F(g) of G 44 [N/m] and its derivative, G 91."""
    if 1.0 + gamma * g <= 0.0:
        raise Inadmissible
    if g >= 0.0:
        return 0.0, 0.0
    return -kappa * g / (1.0 + gamma * g), -kappa / (1.0 + gamma * g) ** 2


def curve_of(fiber, x):
    """Shape of a fiber with unknowns x (6 (n + 1),)."""
    cubics, centers, balls, thick, thin = [], [], [], [], np.inf
    for e in range(fiber.n):
        xe = x[6 * e : 6 * e + 12]
        y1, y2, y3, y4 = xe[:3], xe[3:6] / fiber.n, xe[6:9], xe[9:] / fiber.n
        cubics.append([y1, y2, -3.0 * y1 - 2.0 * y2 + 3.0 * y3 - y4, 2.0 * y1 + y2 - 2.0 * y3 + y4])
        # a cubic lies in the convex hull of its Bezier points
        hull = np.array([y1, y1 + y2 / 3.0, y3 - y4 / 3.0, y3])
        center = hull.mean(axis=0)
        centers.append(center)
        balls.append(np.sqrt(((hull - center) ** 2).sum(axis=1).max()))
        lengths = [np.linalg.norm(point.B @ xe) for point in fiber.points[e]]
        thin = min(thin, *lengths)
        widest = max(radius((e + xi) / fiber.n)[0] for xi in (0.0, 0.5, 1.0))
        # between Gauss points the fiber may be a little shorter
        thick.append(1.1 * widest * np.sqrt(fiber.points[e][0].A1 / min(lengths)))
    return Curve(*(np.array(part) for part in (cubics, centers, balls, thick)), thin)


def closest_on_element(cubic, x):
    """Parameter in [0, 1] of the point of an element nearest to x, and its distance; G 66-68."""
    v1, v2, v3, v4 = cubic
    m = v1 - x
    quintic = np.array(
        [
            3.0 * (v4 @ v4),
            5.0 * (v4 @ v3),
            4.0 * (v2 @ v4) + 2.0 * (v3 @ v3),
            3.0 * (m @ v4 + v2 @ v3),
            2.0 * (m @ v3) + v2 @ v2,
            m @ v2,
        ]
    )
    # vanishing leading coefficients of (almost) straight elements would spoil the roots
    size = np.abs(quintic)
    while quintic.size > 1 and size[0] < 1e-14 * size.max():
        quintic, size = quintic[1:], size[1:]
    # the real part of a complex root is just another point of the curve
    roots = np.roots(quintic).real
    best, nearest = 0.0, np.inf
    for xi in [*roots[(roots > 0.0) & (roots < 1.0)], 0.0, 1.0]:
        off = m + xi * (v2 + xi * (v3 + xi * v4))
        distance = off @ off
        if distance < nearest:
            best, nearest = xi, distance
    return best, np.sqrt(nearest)


def closest_on_fiber(curve, x):
    """Element, parameter and distance of the point of a fiber nearest to x (3,).

    Elements are searched in order of their bounding spheres, until the rest are too far.
    """
    bounds = np.sqrt(((curve.centers - x) ** 2).sum(axis=1)) - curve.balls
    found, best, nearest = -1, 0.0, np.inf
    for f in np.argsort(bounds):
        if bounds[f] >= nearest:
            break
        xi, d = closest_on_element(curve.cubics[f], x)
        if d < nearest:
            found, best, nearest = f, xi, d
    return found, best, nearest


def fiber_traction(point, xe, other, ye, f, xi, law):
    """Contact of one Gauss point of a fiber with the nearest point of another, G 40-44.

    Parameters
    ----------
    point : Point
    xe, ye : (12,) arrays
        Unknowns of the elements.
    other : Fiber
    f, xi : int, float
        Element of the other fiber and parameter of the nearest point.
    law : (kappa, gamma)

    Returns
    -------
    radii, lengths : (2,) tuples
        Current radii and |a1| of both.
    T : (3,) array or None
        Force on x per theta, None out of contact.
    T_x, T_y : (3, 12) arrays or None
        Its derivatives in xe and ye, G 86-103.
    """
    x, a = point.N @ xe, point.B @ xe
    length = np.sqrt(a @ a)
    r_x = point.r0 * np.sqrt(point.A1 / length)
    h = 1.0 / other.n
    shapes = hermite(xi, h)
    y, y1, y2 = shapes @ ye.reshape(4, 3)
    m = y - x
    d = np.sqrt(m @ m)
    length_y = np.sqrt(y1 @ y1)
    r0, d_r0 = radius((f + xi) * h)
    # the reference is straight: |A1| is the same everywhere
    change = np.sqrt(other.points[f][0].A1 / length_y)
    r_y = change * r0
    both = (r_x, r_y), (length, length_y)
    g = d / (r_x + r_y) - 1.0
    F, dF = line_force(g, *law)
    if g >= 0.0:
        return *both, None, None, None
    n, R = m / d, r_x + r_y
    T = -F * length * n

    # motion of the nearest point, G 95; a fiber's end is fixed
    N_y, B_y = matrix(shapes[0]), matrix(shapes[1])
    held = (f == 0 and xi == 0.0) or (f == other.n - 1 and xi == 1.0)
    move = 0.0 if held else 1.0 / (y1 @ y1 + m @ y2)
    xi_x = move * (y1 @ point.N)
    xi_y = -move * (y1 @ N_y + m @ B_y)
    m_x = np.outer(y1, xi_x) - point.N
    m_y = np.outer(y1, xi_y) + N_y
    d_x, d_y = n @ m_x, n @ m_y
    # radii, G 98-101
    slope = change * d_r0 - 0.5 * r_y * (y1 @ y2) / length_y**2
    R_x = slope * xi_x - 0.5 * r_x / length**2 * (a @ point.B)
    R_y = slope * xi_y - 0.5 * r_y / length_y**2 * (y1 @ B_y)
    g_x, g_y = d_x / R - d / R**2 * R_x, d_y / R - d / R**2 * R_y
    n_x, n_y = (m_x - np.outer(n, d_x)) / d, (m_y - np.outer(n, d_y)) / d
    T_x = -length * (dF * np.outer(n, g_x) + F * n_x) - F / length * np.outer(n, a @ point.B)
    T_y = -length * (dF * np.outer(n, g_y) + F * n_y)
    return *both, T, T_x, T_y


def closest_on_axis(bone, x):
    """Vector from x to the nearest point of a bone's axis, and the projector of its motion."""
    axis = bone.end - bone.start
    axis = axis / np.linalg.norm(axis)
    along = (x - bone.start) @ axis
    if not bone.infinite:
        if along <= 0.0:
            return bone.start - x, EYE
        if along >= np.linalg.norm(bone.end - bone.start):
            return bone.end - x, EYE
    return bone.start + along * axis - x, EYE - np.outer(axis, axis)


def bone_traction(point, xe, bone, law):
    """Contact of one Gauss point of a fiber with a bone at rest, G 50-51 and A.4.

    Returns
    -------
    x, m : (3,) arrays
        The point, and the vector to the axis.
    r_x, length : float
        Current radius and |a1|.
    T : (3,) array or None
        Force on x per theta, None out of contact.
    dT_dx : (3, 3) array or None
        Its derivative in x at constant a1.
    T_x : (3, 12) array or None
        Its derivative in xe.
    """
    x, a = point.N @ xe, point.B @ xe
    length = np.sqrt(a @ a)
    r_x = point.r0 * np.sqrt(point.A1 / length)
    m, P = closest_on_axis(bone, x)
    d, R = np.sqrt(m @ m), r_x + bone.radius
    g = d / R - 1.0
    F, dF = line_force(g, *law)
    if g >= 0.0:
        return x, m, r_x, length, None, None, None
    n = m / d
    nn = np.outer(n, n)
    T = -F * length * n
    dT_dx = length * (dF / R * nn + F / d * (P - nn))
    # the radius shrinks as a1 grows, G 98; the length element grows, G 89
    g_a = 0.5 * d * r_x / (R * length) ** 2 * a
    dT_da = np.outer(n, -length * dF * g_a - F / length * a)
    return x, m, r_x, length, T, dT_dx, dT_dx @ point.N + dT_da @ point.B


def largest_share(fibers, nears, update, turn, keep):
    """Fraction delta of an update that keeps every contact admissible, G 69-73.

    Displacements are bounded over the element and over the partner, as in G 72-73; distance and
    radii are those of the point, so that the estimate is the point's own 1 + gamma g at delta = 0
    and some delta is always found. Out of contact, 1 + gamma g counts as 1.

    Parameters
    ----------
    fibers : list of Fiber
    nears : list of Near
    update : (n,) array
        Increment of the unknowns of all fibers.
    turn : float
        Increment of the joint angle.
    keep : float
        delta-bar of G 71.
    """
    shift, stretch = [], []
    for fiber in fibers:
        parts = [(fiber.points[e], update[fiber.dofs(e)]) for e in range(fiber.n)]
        shift.append([max(np.linalg.norm(p.N @ u) for p in row) for row, u in parts])
        stretch.append([max(np.linalg.norm(p.B @ u) for p in row) for row, u in parts])
        # nodes, since the Gauss points do not include the ends of the element
        for e, (_, u) in enumerate(parts):
            shift[-1][e] = max(shift[-1][e], np.linalg.norm(u[:3]), np.linalg.norm(u[6:9]))
    columns = []
    for near in nears:
        way, other = shift[near.fiber][near.element], 0.0
        if isinstance(near.partner, int):
            way += max(shift[near.partner])
            other = max(stretch[near.partner])
        else:
            way += abs(turn) * near.lever
        columns.append((*near[3:9], way, stretch[near.fiber][near.element], other))
    gamma, d, r_x, length_x, r_y, length_y, way, less_x, less_y = np.array(columns).T
    bound = keep * np.minimum(1.0, 1.0 + gamma * (d / (r_x + r_y) - 1.0))
    delta = 1.0
    while True:
        left_x, left_y = length_x - delta * less_x, length_y - delta * less_y
        if left_x.min() > 0.0 and left_y.min() > 0.0:
            radii = r_x * np.sqrt(length_x / left_x) + r_y * np.sqrt(length_y / left_y)
            if np.all(1.0 + gamma * ((d - delta * way) / radii - 1.0) >= bound):
                return delta
        delta *= 0.5
