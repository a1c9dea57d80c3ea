"""Taut paths over surfaces: tangent points, length, and its derivatives."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from fibermsk.kernels.lines.material.chain_along import fill_motion, fill_moved
from fibermsk.kernels.lines.points import fill_points
from fibermsk.kernels.lines.taut.geodesic import ACCURACY, ROUGH, geodesic, integrate
from fibermsk.kernels.lines.taut.solve import TAUT, chain
from fibermsk.kernels.lines.taut.surfaces import (
    CYLINDER,
    ELLIPSOID,
    SPHERE,
    TORUS,
    level,
    settle,
)

SIZES = {
    CYLINDER: (0.02, 0.02, 0.02),
    SPHERE: (0.02, 0.02, 0.02),
    ELLIPSOID: (0.05, 0.03, 0.02),
    TORUS: (0.02, 0.05, 0.02),
}


class Chain:
    """Some surfaces between two points, in a chosen pose."""

    def __init__(self, kinds, rotations, places, o, i, hints):
        self.kind = np.array(kinds)
        self.size = np.array([SIZES[kind] for kind in kinds])
        self.R = Rotation.from_rotvec(rotations).as_matrix()
        self.p = np.array(places)
        self.o, self.i = np.array(o), np.array(i)
        self.hint = np.array([one or (0.0, 0.0, 0.0) for one in hints])
        self.hinted = np.array([one is not None for one in hints])
        self.foot = np.zeros((len(kinds), 7))
        self.active = np.zeros(len(kinds), np.int64)
        self.n = 6 + 6 * len(kinds)
        self.warm = False

    def at(self, z):
        """Length, gradient, Hessian with the ends and surfaces moved by z."""
        twists = z[6:].reshape(-1, 6)
        R, p = self.R.copy(), self.p.copy()
        for k, (vx, vy, vz, wx, wy, wz) in enumerate(twists):
            moved = expm([[0, -wz, wy, vx], [wz, 0, -wx, vy], [-wy, wx, 0, vz], [0, 0, 0, 0]])
            R[k] = moved[:3, :3] @ self.R[k]
            p[k] = moved[:3, :3] @ self.p[k] + moved[:3, 3]
        gradient, hessian = np.empty(self.n), np.empty((self.n, self.n))
        status, length = chain(
            self.kind, self.size, R, p, self.o + z[:3], self.i + z[3:6], self.hint, self.hinted,
            self.foot, self.active, self.warm, gradient, hessian,
        )  # fmt: skip
        assert status == TAUT
        self.warm = True
        self.placed = self.kind, self.size, R, p, self.o + z[:3], self.i + z[3:6], self.foot
        return length, gradient, hessian

    def points(self, z, fractions):
        """Points at fractions of the length."""
        self.at(z)
        x = np.empty((fractions.size, 3))
        fill_points(*self.placed, fractions, x)
        return x


TOP = (0.0, 0.0, 0.06)
CASES = {
    "cylinder": ((CYLINDER,), ((0.0, 0.04, 0.0),)),
    "sphere": ((SPHERE,), (TOP,)),
    "ellipsoid": ((ELLIPSOID,), (TOP,)),
    "torus": ((TORUS,), ((0.0, 0.0, 0.0),)),
    "ellipsoid and torus": ((ELLIPSOID, TORUS), (TOP, (0.0, 0.0, 0.0))),
    "cylinder, ellipsoid, sphere": ((CYLINDER, ELLIPSOID, SPHERE), ((0.0, 0.04, 0.0), TOP, TOP)),
}
TURNS = {CYLINDER: (1.4, 0.1, 0.2), TORUS: (1.5, 0.2, 0.1)}


def case(name):
    """A chain whose path touches all its surfaces."""
    kinds, hints = CASES[name]
    n = len(kinds)
    turns = [TURNS.get(kind, (0.1, 0.2, 0.3)) for kind in kinds]
    places = [(0.0, 0.0, 0.0), (0.12, 0.0, 0.016), (0.24, 0.004, 0.006)][:n]
    if name == "ellipsoid and torus":
        turns[1], places[1] = (0.0, 1.4, 0.2), (0.12, 0.0, -0.04)
    if name == "torus":
        ends = (-0.1, 0.05, 0.02), (0.07, -0.11, -0.03)
    else:
        ends = (-0.07, 0.0, -0.01 if n == 3 else 0.004), ((0.0, 0.07, 0.2, 0.33)[n], -0.002, 0.004)
    return Chain(kinds, turns, places, *ends, hints)


@pytest.mark.parametrize("kind", SIZES)
def test_geodesic(kind):
    """Against the equations, solved by scipy."""
    size, g, H = np.array(SIZES[kind]), np.empty(3), np.empty((3, 3))
    x = np.array([0.05, 0.01, 0.015])
    assert settle(kind, size, x, g, H)
    t = np.cross(g, (0.3, 0.2, 0.9))
    t /= np.linalg.norm(t)

    def slope(_, y):
        level(kind, size, y[:3], g, H)
        square = g @ g
        adjugate = np.array([np.cross(H[(k + 1) % 3], H[(k + 2) % 3]) for k in range(3)])
        K = g @ adjugate @ g / square**2
        return np.r_[y[3:6], -(y[3:6] @ H @ y[3:6]) / square * g, y[7], -K * y[6], y[9], -K * y[8]]

    start = np.r_[x, t, 1.0, 0.0, 0.0, 1.0]
    wanted = solve_ivp(slope, (0.0, 0.08), start, "DOP853", rtol=3e-14, atol=1e-15).y[:, -1]
    found, integrated = np.empty(10), start.copy()
    geodesic(kind, size, x, t, 0.08, ACCURACY, found)
    integrate(kind, size, integrated, 0.08, ACCURACY)
    scale = np.array([0.02] * 3 + [1.0] * 4 + [1.0 / 0.02, 0.02, 1.0])
    assert_allclose(found / scale, wanted / scale, atol=3e-11)
    assert_allclose(integrated / scale, found / scale, atol=3e-11)


@pytest.mark.parametrize("size", [(0.025, 0.02, 0.02), (0.1, 0.02, 0.05), (0.03, 0.03, 0.03)])
def test_geodesics_of_ellipsoids(size, rng):
    """Against the equations, solved by scipy, from short arcs to several times around."""
    size = np.array(size)
    a = size**-2.0

    def slope(_, y):
        S, bend = np.sum((a * y[:3]) ** 2), np.sum(a * y[3:6] ** 2)
        K = a.prod() / S**2
        return np.r_[y[3:6], -bend / S * a * y[:3], y[7], -K * y[6], y[9], -K * y[8]]

    scale = np.array([size.min()] * 3 + [1.0] * 4 + [1.0 / size.min(), size.min(), 1.0])
    for length in (0.0, 1e-9, 0.01, -0.02, 0.05, -0.15, 0.4):
        x = size * rng.normal(size=3)
        x /= np.sqrt(np.sum((x / size) ** 2))
        t = np.cross(a * x, rng.normal(size=3))
        t /= np.linalg.norm(t)
        start = np.r_[x, t, 1.0, 0.3, -0.01, 1.0]
        wanted = solve_ivp(slope, (0.0, length), start, "DOP853", rtol=2.3e-14, atol=1e-16).y[:, -1]
        fields = np.maximum(scale, np.abs(wanted))
        for accuracy, allowed in ((ACCURACY, 1e-11), (ROUGH, 1e-4)):
            found = start.copy()
            integrate(ELLIPSOID, size, found, length, accuracy)
            assert_allclose(found / fields, wanted / fields, atol=allowed)
        if size.max() == size.min():
            # a great circle
            angle = length / size[0]
            circle = np.cos(angle) * x + size[0] * np.sin(angle) * t
            assert_allclose(wanted[:3], circle, atol=1e-12)


def test_geodesics_that_are_not_finite_are_nan():
    size, y = np.array([0.025, 0.02, 0.02]), np.array([0.025, 0, 0, 0, 1.0, 0, 1, 0, 0, 1])
    for length in (math.nan, math.inf, 1e9):
        found = y.copy()
        integrate(ELLIPSOID, size, found, length, ACCURACY)
        assert np.isnan(found).all()


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name, rng):
    """Gradient and Hessian against differences of the length, Hessian also of exp-twists."""
    one = case(name)
    _, gradient, hessian = one.at(np.zeros(one.n))
    assert one.active.all() and one.foot[:, 6].min() > 2e-3
    assert_allclose(hessian, hessian.T, atol=1e-14)
    scale = np.where(np.arange(one.n) % 6 < 3, 1.0, 5.0)  # m, rad
    scale[:6] = 1.0
    h = 2e-5
    for _ in range(6):
        d = scale * rng.uniform(-1.0, 1.0, one.n)
        found = [one.at(k * h * d) for k in (-2, -1, 1, 2)]
        weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * h)
        slope = weights @ [length for length, *_ in found]
        # lengths are known to 3e-14 of a radius and more, divided by h
        assert_allclose(d @ gradient, slope, rtol=0, atol=5e-9)
        # along one twist the slope is that of the moved surfaces
        bend = weights @ [d @ gradient for _, gradient, _ in found]
        assert_allclose(d @ hessian @ d, bend, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_common_motion(name):
    """A rigid motion of everything changes no length: no force, no torque, no stiffness."""
    one = case(name)
    _, gradient, hessian = one.at(np.zeros(one.n))
    for twist in np.eye(6)[[0, 1, 2, 3, 4, 5]] + np.eye(6)[[3, 4, 5, 4, 5, 3]]:
        v, w = twist[:3], twist[3:]
        ends = [v + np.cross(w, x) for x in (one.o, one.i)]
        motion = np.r_[ends[0], ends[1], np.tile(twist, len(one.kind))]
        assert_allclose(gradient @ motion, 0.0, atol=1e-13)
        # the ends move on circles, of second order in the rotation
        circle = np.r_[np.cross(w, ends[0]), np.cross(w, ends[1])]
        assert_allclose(motion @ hessian @ motion, -gradient[:6] @ circle, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_points(name):
    """Points lie at their fractions, outside of the surfaces."""
    one, fractions = case(name), np.linspace(0.0, 1.0, 401)
    length, _, _ = one.at(np.zeros(one.n))
    x = one.points(np.zeros(one.n), fractions)
    assert_allclose(x[[0, -1]], [one.o, one.i], atol=1e-15)
    pieces = np.linalg.norm(np.diff(x, axis=0), axis=1)
    assert_allclose(pieces, length / 400, rtol=1e-2)
    assert_allclose(pieces.sum(), length, rtol=1e-4)
    g, H = np.empty(3), np.empty((3, 3))
    for k, kind in enumerate(one.kind):
        for point in x:
            local = one.R[k].T @ (point - one.p[k])
            F = level(kind, one.size[k], local, g, H)
            assert F >= -1e-12 * np.linalg.norm(g)


@pytest.mark.parametrize("name", CASES)
def test_points_along_a_motion(name, rng):
    """First and second derivatives of the points and of the length against differences."""
    one, fractions = case(name), np.linspace(0.0, 1.0, 30)
    length, gradient, hessian = one.at(np.zeros(one.n))
    m, z = one.kind.size, rng.uniform(-1.0, 1.0, one.n)
    ends = np.zeros((2 * m + 2, 3, 3))
    ends[0, :, 0], ends[0, :, 1], ends[-1, :, 0], ends[-1, :, 1] = one.o, z[:3], one.i, z[3:6]
    V = z[6:].reshape(m, 2, 3)[:, ::-1].reshape(m, 6).copy()  # angular part first
    chain = *one.placed[:4], V, np.zeros((m, 6)), one.foot.copy(), np.empty((m, 4))
    chain += (np.empty((m, 4)),)
    jet = fill_motion(*chain, ends)
    assert_allclose(jet, [length, z @ gradient, z @ hessian @ z], rtol=1e-9, atol=1e-9)
    x, run = np.empty((30, 3, 3)), np.multiply.outer(fractions, jet)
    fill_moved(*chain, ends, run, x)
    h = 1e-4
    a, b, c, d, e, f, g = (one.points(k * h * z, fractions) for k in range(-3, 4))
    assert_allclose(x[:, :, 0], d, atol=1e-15)
    slope = (45 * (e - c) - 9 * (f - b) + g - a) / (60 * h)
    bend = (270 * (c + e) - 27 * (b + f) + 2 * (a + g) - 490 * d) / (180 * h * h)
    # differences are of no use where a tangent point passes
    pieces = np.linalg.norm(ends[1::2, :, 0] - ends[::2, :, 0], axis=1)
    pieces = np.c_[pieces, np.r_[one.foot[:, 6], 0.0]].ravel()[:-2]
    near = np.abs(np.subtract.outer(run[:, 0], np.cumsum(pieces))).min(axis=1) < 2e-3
    assert near.sum() <= 3 * m
    assert_allclose(x[~near, :, 1], slope[~near], atol=1e-9)
    scale = np.abs(x[~near, :, 2]).max()
    assert_allclose(x[~near, :, 2], bend[~near], atol=2e-7 * scale)
