"""Material points on ellipsoid and torus against complex steps of a plain reference.

Tangency of a single arc as seven equations for the tangent point P, the direction t there and the
arc length s, in the frame of the surface: F(P) = 0, t.t = 1, t.g = 0, and n and b perpendicular to
both lines. Geodesics by Runge and Kutta's rule, in complex numbers; nothing of the package.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.system.lines.paths import LinePaths

H = 1e-30
ORIGIN, INSERTION = np.array([0.0, 0.3, 0.0]), np.array([0.02, -0.3, 0.05])
AXES, ELBOW = np.array([[0.0, 0.1, 1.0], [1.0, 0.0, 0.3]]), np.array([0.0, -0.1, 0.0])
RADII = np.array([0.05, 0.06, 0.04])
TUBE, RING = 0.02, 0.06
TURNED = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


def ellipsoid(x):
    """Gradient and Hessian of sum (x/a)^2, and the level."""
    a = RADII**-2.0
    return 2.0 * a * x, np.diag(2.0 * a), a @ (x * x) - 1.0


def torus(x):
    """The same of (rho - R)^2 + z^2 - r^2."""
    rho = np.sqrt(x[0] * x[0] + x[1] * x[1])
    e = np.array([x[0], x[1], 0.0]) / rho
    g = 2.0 * (rho - RING) * e + np.array([0.0, 0.0, 2.0 * x[2]])
    flat = np.diag([1.0, 1.0, 0.0])
    hessian = 2.0 * (np.outer(e, e) + (1.0 - RING / rho) * (flat - np.outer(e, e)))
    return g, hessian + np.diag([0.0, 0.0, 2.0]), (rho - RING) ** 2 + x[2] ** 2 - TUBE**2


def turn(axis, angle):
    """Rotation matrix by Rodrigues' formula, real or complex."""
    k = axis / np.sqrt(axis @ axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def ends(q, R, p):
    """Both ends in the frame of the surface, which is fixed to the upper body."""
    upper = turn(AXES[0], q[0])
    ground = ORIGIN, upper @ (ELBOW + turn(AXES[1], q[1]) @ INSERTION)
    return [R.T @ (upper.T @ x - p) for x in ground], upper


def along(surface, x, t, s, steps=120):
    """Point and direction of the geodesic after a length s."""
    h = s / steps

    def slope(y):
        g, hessian, _ = surface(y[:3])
        return np.concatenate([y[3:], -(y[3:] @ hessian @ y[3:]) / (g @ g) * g])

    y = np.concatenate([x, t])
    for _ in range(steps):
        a = slope(y)
        b = slope(y + 0.5 * h * a)
        c = slope(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + slope(y + h * c))
    return y[:3], y[3:]


def residual(surface, z, o, i):
    """Seven equations of one arc."""
    x, t, s = z[:3], z[3:6], z[6]
    end, way = along(surface, x, t, s)
    g, G = surface(x)[0], surface(end)[0]
    lines = x - o, i - end
    sides = np.cross(g, t), np.cross(G, way)
    return np.array([
        surface(x)[2], t @ t - 1.0, t @ g, g @ lines[0], sides[0] @ lines[0], G @ lines[1],
        sides[1] @ lines[1],
    ])  # fmt: skip


def solve(surface, z, o, i):
    """Solution near z; steps with the matrix of its real part, exact after a few."""
    for _ in range(4):
        real, low, high = np.real(z), np.real(o), np.real(i)
        A = np.array([residual(surface, real + 1j * H * e, low, high).imag / H for e in np.eye(7)])
        z = z - np.linalg.solve(A.T, residual(surface, z, o, i))
    return z


def point(surface, q, z, R, p, fraction):
    """Material point, ground frame."""
    (o, i), upper = ends(q, R, p)
    z = solve(surface, z, o, i)
    x, t, s = z[:3], z[3:6], z[6]
    end = along(surface, x, t, s)[0]
    first, last = (np.sqrt(d @ d) for d in (x - o, i - end))
    at = fraction * (first + s + last)
    if at.real < first.real:
        local = o + at / first * (x - o)
    elif at.real < (first + s).real:
        local = along(surface, x, t, at - first)[0]
    else:
        local = end + (at - first - s) / last * (i - end)
    return upper @ (p + R @ local)


@pytest.mark.parametrize("name", ["ellipsoid", pytest.param("torus", marks=pytest.mark.slow)])
def test_jacobian_and_its_rate(name):
    model = fm.Model("arm")
    numbers = {"mass": 1.0, "com": (0, -0.1, 0), "inertia": (0.1, 0.1, 0.1)}
    arm, hand = (model.add(fm.Body(one, **numbers)) for one in ("arm", "hand"))
    model.add(fm.Hinge("q", model.ground, arm, at=(0, 0, 0), axis=AXES[0]))
    model.add(fm.Hinge("p", arm, hand, at=ELBOW, axis=AXES[1]))
    if name == "ellipsoid":
        surface, R, p = ellipsoid, np.eye(3), np.array([0.01, 0.0, 0.0])
        shape = fm.WrapEllipsoid("e", arm, p, radii=RADII)
    else:
        surface, R, p = torus, TURNED, np.array([0.06, 0.0, 0.0])
        shape = fm.WrapTorus("t", arm, p, TURNED, "all", True, TUBE, RING)
    muscle = fm.LineMuscle(
        "m", [fm.PathPoint("o", model.ground.at(*ORIGIN)), fm.PathPoint("i", hand.at(*INSERTION))],
        wraps=[fm.PathWrap(shape)], max_isometric_force=1.0, optimal_fiber_length=0.1,
        tendon_slack_length=0.1,
    )  # fmt: skip
    skeleton = fm.skeleton(model)
    paths, q, speed = LinePaths(skeleton, [muscle]), np.array([0.03, -0.05]), np.array([1.3, -0.7])
    at = SimpleNamespace(q=q, p=speed, motion=skeleton.evaluate(q, speed, 0.0 * speed, True))
    placed = paths.at(at)
    assert placed.state.touched.sum() == 1
    foot = placed.state.foot[placed.state.touched > 0][0]
    found = 0.5 * foot[6] / placed.length[0] + 0.5
    fractions = np.array([0.2, found - 0.02, 0.5, found, 0.9])
    x, J, bias = paths.material(at, placed, 0, fractions)
    z = solve(surface, foot, *ends(q, R, p)[0])
    for k, fraction in enumerate(fractions):

        def moved(way, base=q, fraction=fraction):
            value = point(surface, base + 1j * H * way, z, R, p, fraction)
            return value.real, value.imag / H

        assert_allclose(x[k], moved(speed)[0], atol=1e-9)
        own = np.array([moved(e)[1] for e in np.eye(2)]).T
        assert_allclose(J[k], own, rtol=1e-8, atol=1e-8 * np.abs(own).max())
        h = 2e-3
        near, far = (
            moved(speed, q + d * speed)[1] - moved(speed, q - d * speed)[1] for d in (h, 2.0 * h)
        )
        rate = (8.0 * near - far) / (12.0 * h)
        assert_allclose(bias[k], rate, atol=1e-8 * max(1.0, np.abs(rate).max()))
