"""One cable of the plain NumPy upper limb: Hermite elements, stress, mass, weight.

Equation numbers: Gfrerer and Simeon (2021), G. An element has the twelve unknowns
(x, dx/dtheta) of its two nodes, in SI units; theta in [0, 1] along the fiber.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

EYE = np.eye(3)


class Point(NamedTuple):
    """Reference data of one Gauss point.

    weight holds the element's length in theta; N and B (3, 12) give x and a1 = dx/dtheta from the
    unknowns of the element; A1 is the length of the reference tangent, r0 the reference radius.
    """

    weight: float
    N: np.ndarray
    B: np.ndarray
    A1: float
    r0: float
    share: float
    mu: float
    eta: float


@dataclass
class Fiber:
    """A straight fiber of equal elements.

    first is the fiber's first unknown among all; X its reference unknowns; points[e][k] the Gauss
    points.
    """

    tissue: dict
    first: int
    X: np.ndarray
    points: list

    @property
    def n(self):
        """Number of elements."""
        return len(self.points)

    def dofs(self, e):
        """Unknowns of element e among all."""
        return np.arange(self.first + 6 * e, self.first + 6 * e + 12)


def gauss():
    """Five Gauss points and weights on [0, 1]."""
    z, w = np.polynomial.legendre.leggauss(5)
    return 0.5 * (1.0 + z), 0.5 * w


def hermite(xi, h):
    """Shape functions of G 53 and their first two derivatives in theta, (3, 4).

    The second and fourth are times the element's length h in theta, since the unknown is dx/dtheta.
    """
    N = [1.0 + xi**2 * (2.0 * xi - 3.0), h * xi * (xi * (xi - 2.0) + 1.0)]
    N += [-(xi**2) * (2.0 * xi - 3.0), h * xi**2 * (xi - 1.0)]
    d1 = [6.0 * xi * (xi - 1.0) / h, 1.0 + xi * (3.0 * xi - 4.0)]
    d1 += [6.0 * xi * (1.0 - xi) / h, xi * (3.0 * xi - 2.0)]
    d2 = [(12.0 * xi - 6.0) / h**2, (6.0 * xi - 4.0) / h]
    d2 += [(6.0 - 12.0 * xi) / h**2, (6.0 * xi - 2.0) / h]
    return np.array([N, d1, d2])


def matrix(shape):
    """(3, 12) matrix that applies four shape functions to the unknowns of an element."""
    found = np.zeros((3, 12))
    for i in range(3):
        found[i, i::3] = shape
    return found


def belly(theta):
    """Muscle fraction 16 (1 - theta)^2 theta^2, G 77."""
    return 16.0 * (1.0 - theta) ** 2 * theta**2


def radius(theta):
    """Reference radius and its derivative [m], G 77 with 6 mm at the ends."""
    return 0.006 * (1.0 + belly(theta)), 0.006 * 32.0 * theta * (1.0 - theta) * (1.0 - 2.0 * theta)


def straight_fiber(start, end, elements, tissue, first):
    """Fiber from start to end (3,) [m]."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    h = 1.0 / elements
    X = np.concatenate(
        [np.concatenate([start + i * h * (end - start), end - start]) for i in range(elements + 1)]
    )
    points = []
    for e in range(elements):
        row = []
        for xi, w in zip(*gauss(), strict=True):
            theta = (e + xi) * h
            N, d1, _ = hermite(xi, h)
            B = matrix(d1)
            share = belly(theta)
            row.append(
                Point(
                    weight=w * h,
                    N=matrix(N),
                    B=B,
                    A1=np.linalg.norm(B @ X[6 * e : 6 * e + 12]),
                    r0=radius(theta)[0],
                    share=share,
                    mu=share * tissue["mu_muscle"] + (1.0 - share) * tissue["mu_tendon"],
                    eta=tissue["eta"],
                )
            )
        points.append(row)
    return Fiber(tissue, first, X, points)


def nominal_stress(point, tissue, activation, lam, rate):
    """Nominal stress P = S11 |a1| |A1| of G 36 [N/m^2] and its derivatives in stretch and rate.

    G 30 prints the viscous term with |a1|^2; G 26 carried through gives |a1|^4, as G 80 has it. The
    active part is per unit fiber direction, G 6.
    """
    passive = point.mu * (lam - lam**-2) + 3.0 * point.eta * rate / lam**2
    d_passive = point.mu * (1.0 + 2.0 * lam**-3) - 6.0 * point.eta * rate / lam**3
    width, nu = tissue["width"], tissue["nu"]
    off = (lam / tissue["lam_opt"] - 1.0) / width
    active = point.share * activation * tissue["S_max"] / lam * np.exp(-(abs(off) ** nu))
    bend = nu * abs(off) ** (nu - 1.0) * np.sign(off) / (width * tissue["lam_opt"])
    d_active = -active * (1.0 / lam + bend)
    prestress = tissue["prestress"] / lam
    return (
        passive + active + prestress,
        d_passive + d_active - prestress / lam,
        3.0 * point.eta / lam**2,
    )


def internal_force(fiber, e, x, v, activation):
    """Internal force of element e, G 38 and 56, and its derivatives.

    Parameters
    ----------
    fiber : Fiber
    e : int
    x, v : (12,) arrays
        Unknowns of the element and their velocities.
    activation : float

    Returns
    -------
    force : (12,) array
        int N t . xi,theta dtheta; on the right-hand side with a minus sign.
    K_x, K_v : (12, 12) arrays
        Its derivatives in x and v.
    """
    force, K_x, K_v = np.zeros(12), np.zeros((12, 12)), np.zeros((12, 12))
    for point in fiber.points[e]:
        a, a_dot = point.B @ x, point.B @ v
        length = np.sqrt(a @ a)
        t = a / length
        along = t @ a_dot
        P, P_lam, P_rate = nominal_stress(
            point, fiber.tissue, activation, length / point.A1, along / point.A1
        )
        area = point.weight * np.pi * point.r0**2
        force += area * P * (point.B.T @ t)
        # t,a = (1 - t t) / |a|; the rate of stretch is t . a' / |A1|
        tt = np.outer(t, t)
        slope = P_lam * t + P_rate * (a_dot - along * t) / length
        H = np.outer(t, slope / point.A1) + P / length * (EYE - tt)
        K_x += area * (point.B.T @ H @ point.B)
        K_v += area * P_rate / point.A1 * (point.B.T @ tt @ point.B)
    return force, K_x, K_v


def mass_and_weight(fiber, e, gravity):
    """Mass matrix (12, 12) of element e, G 55, and its weight (12,), G 57."""
    M, weight = np.zeros((12, 12)), np.zeros(12)
    for point in fiber.points[e]:
        line_mass = fiber.tissue["density"] * np.pi * point.r0**2 * point.A1 * point.weight
        M += line_mass * (point.N.T @ point.N)
        weight += line_mass * (point.N.T @ gravity)
    return M, weight
