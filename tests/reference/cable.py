"""One fiber as a cable: stress, internal force, mass, loads, energy (G 21-38, 55-57)."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .hermite import assemble, element_values, gauss, shape, shape_d, shape_dd


class Points(NamedTuple):
    """Reference data at the quadrature points; n elements, Q points each."""

    theta: np.ndarray  # (n, Q)
    weight: np.ndarray  # (n, Q) quadrature weight times d(theta)/d(xi)
    N: np.ndarray  # (n, Q, 4) shape functions
    dN: np.ndarray  # (n, Q, 4) their derivative with respect to theta
    A1: np.ndarray  # (n, Q) length of the reference tangent [m]
    r0: np.ndarray  # (n, Q) reference radius [m]
    gamma: np.ndarray  # (n, Q) muscle fraction


@dataclass
class Cable:
    """Plain data of one fiber.

    Parameters
    ----------
    node_theta : (n+1,) float array
        Theta of the nodes, from 0 to 1.
    X : (n+1, 6) float array
        Reference position [m] and tangent dX/dtheta [m] of the nodes.
    radius, fraction : callable
        theta array -> reference radius r0 [m]; theta array -> muscle fraction gamma_M.
    params : dict
        density, mu_M, mu_T, eta_M, eta_T, S_max, lambda_opt, width, nu, prestress, bending (SI
        units) and quadrature, the number of Gauss points per element.
    """

    node_theta: np.ndarray
    X: np.ndarray
    radius: callable
    fraction: callable
    params: dict
    _points: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def h(self):
        """(n,) element lengths in theta."""
        return np.diff(self.node_theta)

    def points(self, n_points=None):
        """Give the reference data at `n_points` Gauss points per element (default: quadrature)."""
        n_points = self.params.get("quadrature", 5) if n_points is None else n_points
        if n_points not in self._points:
            xi, w = gauss(n_points)
            h = self.h[:, None]
            theta = self.node_theta[:-1, None] + h * xi
            dN = shape_d(xi, h)
            A1 = _norm(np.einsum("eka,eai->eki", dN, element_values(self.X)))
            r0 = np.broadcast_to(self.radius(theta), theta.shape)
            gamma = np.broadcast_to(self.fraction(theta), theta.shape)
            self._points[n_points] = Points(theta, h * w, shape(xi, h), dN, A1, r0, gamma)
        return self._points[n_points]


def _norm(a):
    """Euclidean norm over the last axis, analytic in complex arguments."""
    return np.sqrt(np.sum(a * a, axis=-1))


def nominal_stress(stretch, rate, alpha, gamma, params):
    """Nominal axial stress, force per reference area.

    Parameters
    ----------
    stretch, rate : (...) array
        lambda and its time derivative [1/s].
    alpha : float
        Activation.
    gamma : (...) array
        Muscle fraction.
    params : dict
        See `Cable`.

    Returns
    -------
    P : (...) array
        [N/m^2], tension positive.

    Notes
    -----
    P = S11 |a1| |A1| of G 36, with the viscous term 3 eta a1.a1'/|a1|^4 (G 80; G 30 prints a power
    of 2) and the active term taken per unit fiber direction (G 6): passive mu (l - l^-2), viscous
    3 eta l'/l^2, active gamma alpha S_max/l exp(-|(l/l_opt - 1)/width|^nu), prestress sigma_0/l.
    """
    mu = gamma * params["mu_M"] + (1.0 - gamma) * params["mu_T"]
    eta = gamma * params["eta_M"] + (1.0 - gamma) * params["eta_T"]
    s = (stretch / params["lambda_opt"] - 1.0) / params["width"]
    s = np.where(np.real(s) < 0.0, -s, s)  # |s|, analytic on each side
    active = gamma * alpha * params["S_max"] / stretch * np.exp(-(s ** params["nu"]))
    passive = mu * (stretch - stretch**-2)
    return passive + 3.0 * eta * rate / stretch**2 + active + params["prestress"] / stretch


def axial_force(cable, x, v, alpha):
    """Axial force N = A0 P [N] at the quadrature points, (n, Q) array, tension positive."""
    return _axial_force(cable, x, v, alpha)[0]


def _axial_force(cable, x, v, alpha):
    """Axial force (n, Q) and unit tangent (n, Q, 3)."""
    g = cable.points()
    a1 = np.einsum("eka,eai->eki", g.dN, element_values(x))
    a1_dot = np.einsum("eka,eai->eki", g.dN, element_values(v))
    length = _norm(a1)
    t = a1 / length[..., None]
    rate = np.sum(t * a1_dot, axis=-1) / g.A1
    P = nominal_stress(length / g.A1, rate, alpha, g.gamma, cable.params)
    return np.pi * g.r0**2 * P, t


def internal_force(cable, x, v, alpha):
    """Force of the stresses ON the nodes.

    Parameters
    ----------
    cable : Cable
    x, v : (n+1, 6) array
        Nodal values and their time derivative.
    alpha : float
        Activation.

    Returns
    -------
    force : (n+1, 6) array
        Minus the derivative of the internal virtual work int N t.xi' dtheta (G 38, 56): force [N]
        and its moment conjugate to the tangent.
    """
    N, t = _axial_force(cable, x, v, alpha)
    g = cable.points()
    return -assemble(np.einsum("ek,eka,eki->eai", N * g.weight, g.dN, t))


def mass_matrix(cable):
    """Mass matrix of G 55, (6(n+1), 6(n+1)) float array.

    The order is node-major: x, y, z, tx, ty, tz of node 0, then of node 1, ...
    """
    g = cable.points()
    line_mass = cable.params["density"] * np.pi * g.r0**2 * g.A1 * g.weight
    m = np.einsum("ek,eka,ekb->eab", line_mass, g.N, g.N)
    n = len(m)
    M = np.zeros((6 * (n + 1), 6 * (n + 1)))
    for e in range(n):
        M[6 * e : 6 * e + 12, 6 * e : 6 * e + 12] += np.kron(m[e], np.eye(3))
    return M


def line_load(cable, q):
    """Nodal force (n+1, 6) of a load given per reference length.

    Parameters
    ----------
    cable : Cable
    q : callable
        theta (float) -> (3,) force per reference length [N/m].
    """
    g = cable.points()
    load = np.array([[q(theta) for theta in row] for row in g.theta])
    return assemble(np.einsum("ek,eka,eki->eai", g.A1 * g.weight, g.N, load))


def body_force(cable, g):
    """Nodal force (n+1, 6) of the acceleration of gravity `g` (3,) [m/s^2] (G 57)."""
    p = cable.points()
    line_mass = cable.params["density"] * np.pi * p.r0**2 * p.A1 * p.weight
    return assemble(np.einsum("ek,eka,i->eai", line_mass, p.N, np.asarray(g, dtype=float)))


def elastic_energy(cable, x):
    """Energy [J] of the passive elastic stress and the prestress.

    Notes
    -----
    Per reference volume mu/2 (l^2 + 2/l - 3) + sigma_0 ln l, the potentials of the P above.
    """
    g = cable.points()
    a1 = np.einsum("eka,eai->eki", g.dN, element_values(x))
    stretch = _norm(a1) / g.A1
    mu = g.gamma * cable.params["mu_M"] + (1.0 - g.gamma) * cable.params["mu_T"]
    W = 0.5 * mu * (stretch**2 + 2.0 / stretch - 3.0)
    W = W + cable.params["prestress"] * np.log(stretch)
    return np.sum(np.pi * g.r0**2 * g.A1 * g.weight * W)


def _bending(cable, x):
    """B / |A1| (n, Q), tangent length (n, Q), unit tangent and second derivative (n, Q, 3)."""
    g = cable.points()
    nodes = element_values(x)
    a1 = np.einsum("eka,eai->eki", g.dN, nodes)
    xi, _ = gauss(cable.params.get("quadrature", 5))
    a2 = np.einsum("eka,eai->eki", shape_dd(xi, cable.h[:, None]), nodes)
    modulus = 3.0 * (g.gamma * cable.params["mu_M"] + (1.0 - g.gamma) * cable.params["mu_T"])
    B = cable.params["bending"] * modulus * np.pi * g.r0**4 / 4.0
    L = _norm(a1)
    return B / g.A1, L, a1 / L[..., None], a2


def bending_energy(cable, x):
    """Energy of bending [J]: int B (|a1 x a2| / |a1|^2)^2 / (2 |A1|) dtheta."""
    g = cable.points()
    B, L, t, a2 = _bending(cable, x)
    cross = np.cross(t, a2)
    return 0.5 * np.sum(g.weight * B * np.sum(cross * cross, axis=-1) / L**2)


def bending_force(cable, x):
    """Force (n+1, 6) of bending ON the nodes.

    Minus int B/|A1| w.dw dtheta with w = t,theta = (I - t t) a2 / |a1| and its variation
    dw = [(I - t t) da2 - (dt.a2) t - (t.a2) dt - w (t.da1)] / |a1|, dt = (I - t t) da1 / |a1|.
    """
    g = cable.points()
    B, L, t, a2 = _bending(cable, x)
    along = np.sum(t * a2, axis=-1)
    w = (a2 - along[..., None] * t) / L[..., None]
    square = np.sum(w * w, axis=-1)
    # w.t = 0, so that w.dw = [w.da2 - (t.a2) w.dt - w.w (t.da1)] / |a1|
    on_a2 = w / L[..., None]
    on_a1 = -(along / L**2)[..., None] * w - (square / L)[..., None] * t
    xi, _ = gauss(cable.params.get("quadrature", 5))
    d2 = shape_dd(xi, cable.h[:, None])
    scale = g.weight * B
    return -assemble(
        np.einsum("ek,eka,eki->eai", scale, g.dN, on_a1)
        + np.einsum("ek,eka,eki->eai", scale, d2, on_a2)
    )


def length(cable, x):
    """Length [m] of the current centerline by the cable's quadrature."""
    g = cable.points()
    return np.sum(g.weight * _norm(np.einsum("eka,eai->eki", g.dN, element_values(x))))


def current_radius(cable, x, element, xi):
    """Give the current radius r0/sqrt(lambda) [m] (G 21) at `xi` of `element` (same shapes)."""
    h = cable.h[element]
    dN = shape_d(xi, h)
    a1 = _norm(np.einsum("...a,...ai->...i", dN, element_values(x)[element]))
    A1 = _norm(np.einsum("...a,...ai->...i", dN, element_values(cable.X)[element]))
    return cable.radius(cable.node_theta[element] + h * xi) * np.sqrt(A1 / a1)
