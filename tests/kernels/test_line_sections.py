"""Sections around cylinders and spheres: taut, clear of the surface, with exact derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from fibermsk.kernels.lines import cylinder, section, sphere

KINDS = {"cylinder": 2, "sphere": 3}  # components that count for the distance from the surface


def solve(kind, o, i, r, reference=0.0, second=False):
    """State, length, gradient, Hessian and what was found, in the frame of the surface."""
    g, H, found = np.zeros(12), np.zeros((12, 12)), np.zeros(section.FOUND)
    if kind == "cylinder":
        state = cylinder.cylinder_angle(o, i, r, reference, found)
        around = cylinder.around_cylinder
    else:
        state = sphere.sphere_angle(o, i, r, found)
        around = sphere.around_sphere
    if state != section.FINE or found[section.PHI] <= 0.0:
        return state, section.straight(o, i, second, g, H), g, H, found
    return state, around(o, i, r, second, g, H, found), g, H, found


def nearest(o, i, size):
    """Least distance of a line from the axis or the center."""
    d = (i - o)[:size]
    share = np.clip(-o[:size] @ d / (d @ d), 0.0, 1.0)
    return np.linalg.norm(o[:size] + share * d)


@pytest.mark.parametrize("kind", KINDS)
def test_random_sections_are_taut_or_refused(rng, kind):
    """Lines tangent to arc of constant slope, outside the surface; ends inside are refused."""
    size, count = KINDS[kind], {"inside": 0, "straight": 0, "wrapped": 0}
    for _ in range(2000):
        o, i, r = *rng.normal(size=(2, 3)), rng.uniform(0.05, 1.0)
        reference = rng.choice([0.0, 2.0 * np.pi, -2.0 * np.pi])
        state, length, _, _, found = solve(kind, o, i, r, reference)
        inside = min(np.linalg.norm(o[:size]), np.linalg.norm(i[:size])) <= r
        assert inside == (state == section.INSIDE)
        if inside:
            count["inside"] += 1
            continue
        assert np.isfinite(length)
        if found[section.PHI] <= 0.0:
            count["straight"] += 1
            assert nearest(o, i, size) >= r - 1e-12
            continue
        count["wrapped"] += 1
        P, Q, t_P, t_Q = found[2:14].reshape(4, 3)
        a, b = np.linalg.norm(P - o), np.linalg.norm(i - Q)
        assert_allclose(length, a + found[section.ARC] + b, rtol=1e-13)
        assert_allclose((P - o) / a, t_P, atol=1e-7 / np.sqrt(a))
        assert_allclose((i - Q) / b, t_Q, atol=1e-7 / np.sqrt(b))
        for point, t in ((P, t_P), (Q, t_Q)):
            assert_allclose(np.linalg.norm(point[:size]), r, rtol=1e-13)
            assert abs(point[:size] @ t[:size]) < 1e-12
        # the arc from P ends in Q, with the direction there
        phi = found[section.PHI]
        axis = [0.0, 0.0, np.sign(found[section.DELTA])]
        if kind == "sphere":
            axis = np.cross(P, t_P) / r
        turn = Rotation.from_rotvec(phi * np.array(axis)).as_matrix()
        rise = t_P[2] * found[section.ARC] * np.array([0.0, 0.0, kind == "cylinder"])
        assert_allclose(turn @ P + rise, Q, atol=1e-12)
        assert_allclose(turn @ t_P, t_Q, atol=1e-12)
    assert min(count.values()) > 100


def test_winding_follows_many_turns():
    """Half a turn more of the insertion makes half a turn more of arc, on either side."""
    r, o = 0.3, np.array([0.5, 0.0, -0.1])
    start = None
    for side in (1.0, -1.0):
        reference, lengths = 0.0, []
        for angle in np.linspace(0.0, 5.0 * np.pi, 51):
            i = np.array([0.7 * np.cos(angle), side * 0.7 * np.sin(angle), -0.1])
            _, length, _, _, found = solve("cylinder", o, i, r, reference)
            reference = found[section.DELTA]
            lengths.append(length)
        assert_allclose(reference, side * 5.0 * np.pi)
        assert_allclose(lengths[50] - lengths[40], r * np.pi, rtol=1e-12)
        assert start is None or lengths == pytest.approx(start, rel=1e-14)
        start = lengths


def test_length_is_smooth_at_touch():
    """Near touch the wrapped length exceeds the straight one by phi^2 a b / (2 (a + b))."""
    r = 0.2
    for kind in KINDS:
        for share in (0.5, 1.0):
            phi, a, b = share * 1e-2, 0.4, 0.3
            theta = phi + np.arctan(a / r) + np.arctan(b / r)
            o = np.hypot(a, r) * np.array([1.0, 0.0, 0.0])
            i = np.hypot(b, r) * np.array([np.cos(theta), np.sin(theta), 0.0])
            _, length, *_ = solve(kind, o, i, r)
            excess = length - np.linalg.norm(i - o)
            assert_allclose(excess, 0.5 * phi**2 * a * b / (a + b), rtol=1.5 * phi)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_by_points_and_twist(rng, kind):
    """Gradient and Hessian in (o, i, xi) against central differences of length and gradient."""

    def placed(o, i, R, p, r, reference):
        a, b = R.T @ (o - p), R.T @ (i - p)
        _, length, g, H, found = solve(kind, a, b, r, reference, True)
        section.turn_derivatives(np.ascontiguousarray(R), True, g, H)
        section.add_twist(o, i, True, g, H)
        return length, g, H, found

    def moved(z, R, p):
        v, (x, y, w) = z[6:9], z[9:]
        K = np.array([[0, -w, y, v[0]], [w, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])
        T = expm(K)
        return T[:3, :3] @ R, T[:3, :3] @ p + T[:3, 3]

    done = 0
    while done < 3:
        R, p = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
        (o, i), r = rng.normal(size=(2, 3)), rng.uniform(0.3, 0.8)
        if min(np.linalg.norm(x[: KINDS[kind]]) for x in (o, i)) < 1.1 * r:
            continue
        o, i = R @ o + p, R @ i + p
        _, g, H, found = placed(o, i, R, p, r, 0.0)
        if not found[section.PHI] > 0.1 or abs(found[section.DELTA]) > 2.8:
            continue
        done += 1
        reference = found[section.DELTA]

        def length(z, R=R, p=p, o=o, i=i, r=r, reference=reference):
            return placed(o + z[:3], i + z[3:6], *moved(z, R, p), r, reference)[0]

        steps = 1e-6 * np.eye(12)
        slope = [(length(s) - length(-s)) / 2e-6 for s in steps]
        assert_allclose(g, slope, atol=1e-8)
        assert_allclose(H, H.T, atol=1e-12)
        s = 2e-3 * rng.normal(size=(8, 12)) / 12**0.5
        for d in s:  # d.H d by central differences of fourth order
            two, one = (length(k * d) + length(-k * d) - 2.0 * length(0.0 * d) for k in (2, 1))
            assert_allclose(d @ H @ d, (16.0 * one - two) / 12.0, atol=3e-5 * (d @ d))
        # common rigid motion of ends and surface leaves the length as it is
        assert_allclose(g[:3] + g[3:6] + g[6:9], 0.0, atol=1e-14)
        assert_allclose(np.cross(o, g[:3]) + np.cross(i, g[3:6]) + g[9:], 0.0, atol=1e-13)
