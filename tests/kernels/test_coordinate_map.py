"""Maps from the state to the axes: values, first, second and third derivatives, and bounds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.system.skeleton.coordinate_map import MapBuilder


def random_function(rng):
    x = np.sort(rng.uniform(-2.0, 2.0, 6)) + 0.1 * np.arange(6)
    y = 0.5 * rng.normal(size=6)
    kind = rng.integers(6)
    if kind == 0:
        return fm.Linear(*rng.normal(size=2))
    if kind == 1:
        return fm.Polynomial(rng.normal(size=5) * [1.0, 0.5, 0.2, 0.1, 0.05])
    if kind == 4:
        return fm.Sine(*(0.5 * rng.normal(size=4)))
    if kind == 5:
        return fm.Scaled(fm.NaturalSpline(x, y, degree=5), 0.7)
    return fm.NaturalSpline(x, y) if kind == 2 else fm.Scaled(fm.SimmSpline(x, y), 0.7)


def random_map(rng, n=3, quaternion=False):
    """Rows on rows: sums of functions of any row before; two chains of dependence."""
    size = n + 4 * quaternion
    builder = MapBuilder(size)
    rows = list(range(n))
    for _ in range(5):
        sources = rng.choice(rows, size=rng.integers(1, 3), replace=False)
        terms = [(int(a), random_function(rng)) for a in sources]
        rows.append(builder.add(terms, float(rng.normal())))
    if quaternion:
        builder.add_turn([n, n + 1, n + 2, n + 3])
    return builder.build(), size


@pytest.mark.parametrize("quaternion", [False, True])
def test_derivatives_of_all_orders(rng, quaternion):
    """J, V, W and H by differences of the values and rates, which motion through time checks."""
    for _ in range(10):
        the_map, n = random_map(rng, 3, quaternion)
        q, p, a = rng.normal(size=(3, n))
        rows = the_map.evaluate(q, p, a, True)
        h = 1e-6

        def local(dq, the_map=the_map, q=q):
            """Rows with the angles of the quaternion relative to the orientation at q."""
            x = the_map.evaluate(q + dq, 0 * q, 0 * q, False).x.copy()
            if quaternion:
                base, turned = (Rotation.from_quat(np.roll(one[3:7], -1)) for one in (q, q + dq))
                x[-3:] = (base.inv() * turned).as_euler("XYZ")
            return x

        for k, e in enumerate(np.eye(n)):
            slope = (local(h * e) - local(-h * e)) / (2 * h)
            assert_allclose(rows.J[:, k], slope, atol=1e-7 * (1 + np.abs(slope).max()))
        # along a path, whose first and second derivative are the rates
        path = lambda t, p=p, a=a: local(t * p + 0.5 * t * t * a)  # noqa: E731
        t = 1e-4
        speed, rate = (path(t) - path(-t)) / (2 * t), (path(t) - 2 * path(0) + path(-t)) / t**2
        size = 1.0 + np.abs(rows.x_ddot).max()
        assert_allclose(rows.x_dot, speed, atol=1e-5 * size)
        assert_allclose(rows.x_ddot, rate, atol=1e-4 * size)
        for k, e in enumerate(np.eye(n)):
            ahead, behind = (the_map.evaluate(q + s * e, p, a, False) for s in (h, -h))
            size = 1.0 + np.abs(rows.W).max()
            plain = slice(0, -3) if quaternion else slice(None)
            slope = (ahead.x_dot - behind.x_dot) / (2 * h)
            assert_allclose(rows.V[plain, k], slope[plain], atol=1e-6 * size)
            slope = (ahead.x_ddot - behind.x_ddot) / (2 * h)
            assert_allclose(rows.W[plain, k], slope[plain], atol=1e-6 * size)
        weight = rng.normal(size=rows.x.size)
        found = np.zeros((n, n))
        the_map.add_curvature(rows, 0, weight, found)
        second = np.array(
            [
                [
                    weight
                    @ (
                        local(t * (e + f)) - local(t * (e - f))
                        - local(t * (f - e)) + local(-t * (e + f))
                    )
                    for f in np.eye(n)
                ]
                for e in np.eye(n)
            ]
        ) / (4 * t * t)  # fmt: skip
        assert_allclose(found, second, atol=1e-5 * (1 + np.abs(second).max()))


def test_quaternion_turns_and_its_rates(rng):
    """Rotation matrix and angular velocity of a quaternion of any length; third derivatives."""
    builder = MapBuilder(4)
    builder.add_turn([0, 1, 2, 3])
    the_map = builder.build()
    for _ in range(20):
        q, p, a = rng.normal(size=(3, 4))
        rows = the_map.evaluate(q, p, a, True)
        assert_allclose(rows.turns[0], Rotation.from_quat(np.roll(q, -1)).as_matrix(), atol=1e-14)
        # any length and any rate of the length are the same
        longer = the_map.evaluate(3.0 * q, 3.0 * p + 0.7 * q, 3.0 * a, False)
        assert_allclose(longer.x_dot[-3:], rows.x_dot[-3:], atol=1e-13)
        # angles around q of a chart that is held fixed: their rates along a path, by differences
        base = Rotation.from_quat(np.roll(q, -1)).inv()

        def angles(t, q=q, p=p, a=a, base=base):
            now = q + t * p + 0.5 * t * t * a
            return (base * Rotation.from_quat(np.roll(now, -1))).as_euler("XYZ")

        h = 1e-3
        four = np.array([angles(s * h) for s in (-2, -1, 0, 1, 2)])
        rate = np.array([1, -8, 0, 8, -1]) @ four / (12 * h)
        change = np.array([-1, 16, -30, 16, -1]) @ four / (12 * h * h)
        size = 1.0 + np.abs(rows.x_ddot).max() ** 2
        assert_allclose(rows.x_dot[-3:], rate, atol=1e-8 * size**2)
        assert_allclose(rows.x_ddot[-3:], change, atol=1e-6 * size**2)


def test_third_derivatives_of_a_quaternion(rng):
    """V and W in a fixed chart: the angles and rates around a nearby orientation, transformed."""
    builder = MapBuilder(4)
    builder.add_turn([0, 1, 2, 3])
    the_map = builder.build()
    q, p, a = rng.normal(size=(3, 4))
    q /= np.linalg.norm(q)
    base = Rotation.from_quat(np.roll(q, -1)).inv()
    rows = the_map.evaluate(q, p, a, True)

    def motion(q0):
        """Rates of the fixed angles along the path from q0 with p and a, by differences."""
        t = 1e-2
        times = t * np.arange(-3, 4)
        path = [
            (base * Rotation.from_quat(np.roll(q0 + s * p + 0.5 * s * s * a, -1))).as_euler("XYZ")
            for s in times
        ]
        fit = np.polynomial.polynomial.polyfit(times / t, np.array(path), 6)
        return fit[1] / t, 2.0 * fit[2] / t**2

    h = 1e-4
    for k, e in enumerate(np.eye(4)):
        (ahead, ahead2), (behind, behind2) = motion(q + h * e), motion(q - h * e)
        size = 1.0 + np.abs(rows.W).max()
        assert_allclose(rows.V[-3:, k], (ahead - behind) / (2 * h), atol=2e-5 * size)
        assert_allclose(rows.W[-3:, k], (ahead2 - behind2) / (2 * h), atol=2e-4 * size)


@pytest.mark.parametrize("quaternion", [False, True])
def test_rows_stay_within_the_bound_of_their_linear_way(rng, quaternion):
    for _ in range(60):
        the_map, n = random_map(rng, 3, quaternion)
        q, update = rng.normal(size=(2, n)) * [[1.0], [10.0 ** rng.uniform(-3, 0)]]
        if quaternion:
            turn = np.linalg.norm(update[3:]) / np.linalg.norm(q[3:])
            update[3:] *= min(1.0, 0.2 / turn)
        bound = the_map.excess(q, update)
        start = the_map.evaluate(q, 0 * q, 0 * q, False)
        for s in np.linspace(0.0, 1.0, 23):
            x = the_map.evaluate(q + s * update, 0 * q, 0 * q, False).x - start.x
            if quaternion:
                pair = [Rotation.from_quat(np.roll(o[3:7], -1)) for o in (q, q + s * update)]
                x[-3:] = (pair[0].inv() * pair[1]).as_euler("XYZ")
            stray = np.abs(x - s * start.J @ update)
            assert np.all(stray <= bound * (1 + 1e-12) + 1e-12)
