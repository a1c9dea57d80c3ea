"""A double pendulum with a massive line muscle in plain NumPy, written from the equations.

Positions of the material points are functions of the two angles; Jacobians are complex steps of
these, the mass matrix is an integral over the material, and accelerations follow from Lagrange's
equations by differences of the mass matrix. Nothing here uses the package.
"""

from itertools import pairwise

import numpy as np

LENGTH, MASS, GRAVITY = 0.3, 1.0, 9.81
RADIUS, CENTER = 0.04, np.array([0.0, -0.3])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def _turned(angle, x):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


def on_bone(k, q, x):
    """Point x (3,) of the ground (0) or of bone 1 or 2, in the ground."""
    if k == 0:
        return np.array([*x], complex)
    flat = _turned(q[0], np.array(x[:2]))
    if k == 2:
        flat = _turned(q[0] + q[1], np.array(x[:2])) + _turned(q[0], CENTER)
    return np.array([*flat, x[2]])


def _length(d):
    return np.sqrt((d * d).sum())


def _angle(y, x):
    """atan2 that complex steps pass."""
    return (
        np.arctan2(y.real, x.real)
        + 1j * (x.real * y.imag - y.real * x.imag) / abs(x + 1j * y.real) ** 2
    )


class Muscle:
    """Path of one type, and its points at fractions of the length."""

    def __init__(self, kind, points, blend=0.0):
        self.kind, self.points, self.blend = kind, points, blend

    def corners(self, q):
        """Ends of the path's pieces, their lengths along it."""
        x = [on_bone(k, q, point) for k, point in self.points]
        if self.kind != "III":
            return x, [_length(b - a) for a, b in pairwise(x)]
        return x, None

    def wrapped(self, q):
        """Around the cylinder of bone 1, with a sense of -1; frame of bone 1."""
        back = np.array([[np.cos(q[0]), np.sin(q[0])], [-np.sin(q[0]), np.cos(q[0])]])
        o, i = (on_bone(k, q, point) for k, point in self.points)
        a2, b2 = back @ o[:2] - CENTER, back @ i[:2] - CENTER
        d, e = _length(a2), _length(b2)
        a, b = np.sqrt(d * d - RADIUS**2), np.sqrt(e * e - RADIUS**2)
        from_o, to_i = _angle(a2[1], a2[0]), _angle(b2[1], b2[0])
        first = _angle(a, RADIUS + 0j)
        phi = from_o - to_i - first - _angle(b, RADIUS + 0j)
        phi = phi - 2 * np.pi * np.round(phi.real / (2 * np.pi))
        start = from_o - first
        return back, o, i, a, b, phi, start

    def parts(self, q):
        """Fractions of the length between which x(alpha) is smooth."""
        x, lengths = self.corners(q)
        if lengths is not None:
            ends = np.cumsum([0.0, *lengths])
            return ends / ends[-1]
        _, o, i, a, b, phi, _ = self.wrapped(q)
        if phi.real <= 0.0:
            return np.array([0.0, 1.0])
        Lambda = a + RADIUS * phi + b
        return np.array([0.0, a / Lambda, (a + RADIUS * phi) / Lambda, 1.0])

    def at(self, q, alpha, piece):
        """Point (3,) at a fraction on a piece."""
        x, lengths = self.corners(q)
        if lengths is not None:
            ends = np.cumsum([0.0, *lengths])
            share = (alpha * ends[-1] - ends[piece]) / lengths[piece]
            return x[piece] + share * (x[piece + 1] - x[piece])
        back, o, i, a, b, phi, start = self.wrapped(q)
        straight = o + alpha * (i - o)
        if phi.real <= 0.0:
            return straight
        run = alpha * (a + RADIUS * phi + b) - a
        turn = 0.0 if piece == 0 else run / RADIUS if piece == 1 else phi
        free = run if piece == 0 else 0.0 if piece == 1 else run - RADIUS * phi
        at = start - turn
        flat = RADIUS * np.array([np.cos(at), np.sin(at)])
        flat = flat - free * np.array([-np.sin(at), np.cos(at)]) + CENTER
        around = np.array([*(back.T @ flat), o[2] + alpha * (i[2] - o[2])])
        u = 1.0 if self.blend == 0.0 or phi.real >= self.blend else phi / self.blend
        weight = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        return straight + weight * (around - straight)


def jacobian(function, q):
    """Derivatives (..., 2) by complex steps."""
    return np.stack([np.imag(function(q + 1e-30j * e)) / 1e-30 for e in np.eye(2)], -1)


def mass_matrix(q, muscle, mass=1.0, points=None):
    """Mass matrix (2, 2) and potential energy of bones and muscle."""
    M, V = np.zeros((2, 2)), 0.0
    for k in (1, 2):
        center = (0.0, -0.5 * LENGTH, 0.0)
        J = jacobian(lambda z, k=k, center=center: on_bone(k, z, center), q)
        turning = np.array([1.0, float(k == 2)])
        M += MASS * J.T @ J + MASS * LENGTH**2 / 12.0 * np.outer(turning, turning)
        V += MASS * GRAVITY * on_bone(k, q, center)[1].real
    ends = np.real(muscle.parts(q))
    if points is None:
        places = [
            (a + 0.5 * (1.0 + x) * (b - a), 0.5 * w * (b - a), piece)
            for piece, (a, b) in enumerate(pairwise(ends))
            for x, w in zip(_NODES, _WEIGHTS, strict=True)
        ]
    else:
        places = [
            (alpha, 1.0 / len(points), int(np.searchsorted(ends[1:-1], alpha))) for alpha in points
        ]
    for alpha, weight, piece in places:
        J = jacobian(lambda z, alpha=alpha, piece=piece: muscle.at(z, alpha, piece), q)
        M += mass * weight * J.T @ J
        V += mass * weight * GRAVITY * muscle.at(q, alpha, piece)[1].real
    return M, V


def accelerations(q, p, muscle, step=2e-4, **options):
    """Second derivatives of the angles, by Lagrange's equations."""

    def slope(function):
        return np.stack([
            (8.0 * (function(q + step * e) - function(q - step * e))
             - function(q + 2.0 * step * e) + function(q - 2.0 * step * e)) / (12.0 * step)
            for e in np.eye(2)
        ], -1)  # fmt: skip

    M, _ = mass_matrix(q, muscle, **options)
    dM = slope(lambda z: mass_matrix(z, muscle, **options)[0])
    dV = slope(lambda z: mass_matrix(z, muscle, **options)[1])
    bias = np.einsum("ijk,j,k->i", dM, p, p) - 0.5 * np.einsum("jki,j,k->i", dM, p, p)
    return np.linalg.solve(M, -bias - dV)


PATHS = {
    "I": Muscle("I", [(0, (0.04, 0.06, 0.0)), (2, (0.04, -0.16, 0.0))]),
    "II": Muscle("II", [(0, (0.04, 0.06, 0.0)), (1, (0.04, -0.20, 0.0)), (2, (0.04, -0.16, 0.0))]),
    "III": Muscle("III", [(0, (0.10, 0.05, -0.02)), (2, (0.03, -0.15, 0.02))], blend=0.15),
}
