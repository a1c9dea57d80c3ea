"""Friction of one contact point: derivatives, invariance, and what the power is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.friction import across, size, sliding_squared

from fibermsk.kernels.friction.bones import bone_friction
from fibermsk.kernels.friction.slip import slip_force


def between_fibers(z, limit=2.0, speed=0.5):
    """Force (9,), its derivatives (9, 18), and power, of z = (m, a, b, u, a_dot, b_dot)."""
    m, a, b, u, a_dot, b_dot = z.reshape(6, 3)
    force, by_place, by_rate = np.empty(9), np.empty((9, 9)), np.empty((9, 9))
    parts = a, a_dot, b, b_dot, m, u
    power = slip_force(limit, speed, *parts, True, force, by_place, by_rate)
    return force, np.hstack([by_place, by_rate]), power


def on_bone(z, limit=2.0, by_x=0.0, speed=0.5, tangent=True):
    """Force (3,), derivatives, and power, at slope z[:3] of the distance and rate z[3:]."""
    slope, u, curvature = z[:3], z[3:], np.eye(3)
    found = [np.zeros(3), *np.zeros((3, 3, 3))]
    change = np.full(3, by_x)
    power = bone_friction(limit, change, change, speed, slope, curvature, u, tangent, *found)
    return found, power


def mixed_slopes(function, z, first, h=1e-4):
    """Derivatives of a function of z in z[first:] and in z: complex steps, and differences of them.

    In long floats, of sixth order: exact to 1e-12.
    """
    z, unit = z.astype(np.longdouble), np.eye(z.size)

    def slope(z, step):
        return np.imag(function(z + 1e-30j * step)) / 1e-30

    def mixed(j, k):
        near, middle, far = (slope(z + n * h * j, k) - slope(z - n * h * j, k) for n in (1, 2, 3))
        return (45 * near - 9 * middle + far) / (60 * h)

    return np.array([[mixed(j, k) for k in unit] for j in unit[first:]]).astype(float)


@pytest.mark.parametrize("angle", [0.0, 0.02, 0.2, 1.5, 3.1])
def test_fibers_against_the_plain_dissipation(angle, rng):
    """Force is minus the slope of the dissipation in the rates; its derivatives are exact."""
    z = 0.3 * rng.normal(size=18)
    z[:3] += [0, 0, 1.0]
    z[3:6] += [2.0, 0, 0]
    z[6:9] += 3.0 * np.array([np.cos(angle), np.sin(angle), 0])
    force, derivatives, power = between_fibers(z)

    def dissipation(z):
        m, a, b, u, a_dot, b_dot = z.reshape(6, 3)
        return 2.0 * np.sqrt(sliding_squared(a, a_dot, b, b_dot, m, u) + 0.25)

    slopes = [dissipation(z + 1e-30j * e).imag / 1e-30 for e in np.eye(18)[9:]]
    assert_allclose(force, np.negative(slopes), rtol=1e-11, atol=1e-12)
    exact = -mixed_slopes(dissipation, z, 9)
    assert_allclose(derivatives, exact, atol=1e-10 * np.abs(exact).max())
    assert_allclose(power, -force @ z[9:], rtol=1e-11)
    assert power > 0.0


@pytest.mark.parametrize("parallel", [True, False])
def test_rigid_motion_has_no_friction(parallel, rng):
    """Not of two fibers that turn about each other, nor about their own axes."""
    m, a, b = rng.normal(size=(3, 3))
    b = 2.0 * a if parallel else b
    turn = rng.normal(size=3)
    rates = -np.cross(turn, m), np.cross(turn, a), np.cross(turn, b)
    force, _, power = between_fibers(np.r_[m, a, b, np.ravel(rates)])
    assert np.abs(force).max() < 1e-12 and power < 1e-24


def test_sliding_in_the_plane_of_both_fibers():
    """Full friction against it where they cross, in any direction; along them if parallel."""
    m, a, rest = np.array([0, 0, 0.01]), np.array([2.0, 0, 0]), np.zeros(3)
    for angle in (0.3, 1.0, np.pi / 2, 2.5):
        b = np.array([np.cos(angle), np.sin(angle), 0])
        for way in (0.0, 1.0, 2.0, 3.0):
            u = 100.0 * np.array([np.cos(way), np.sin(way), 0])
            force = between_fibers(np.r_[m, a, b, u, rest, rest], limit=2.0)[0]
            # the pseudo-inverse is that of G to (delta / 1 - |cos|)^2
            rough = (0.01 / (1.0 - abs(np.cos(angle)))) ** 2
            assert_allclose(force[:3], -0.02 * u, atol=2.0 * (2e-5 + rough))
    for u, expected in (([100.0, 0, 0], [-2.0, 0, 0]), ([0, 100.0, 0], [0, 0, 0])):
        force = between_fibers(np.r_[m, a, a, u, rest, rest], limit=2.0)[0]
        assert_allclose(force[:3], expected, atol=1e-4)


def test_bone_against_the_plain_dissipation(rng):
    """With a slope of the distance that is not of length one, as of mesh fields."""
    for _ in range(3):
        z = rng.normal(size=6)
        (force, fx, fa, fu), power = on_bone(z)

        def dissipation(z):
            slope, u = z[:3], z[3:]
            return 2.0 * size(slope) * np.sqrt(across(u, slope / size(slope)) + 0.25)

        slopes = [dissipation(z + 1e-30j * e).imag / 1e-30 for e in np.eye(6)[3:]]
        assert_allclose(force, np.negative(slopes), rtol=1e-11)
        assert_allclose(power, -force @ z[3:], rtol=1e-11)
        exact = -mixed_slopes(dissipation, z, 3)
        assert_allclose(np.hstack([fx, fu]), exact, atol=1e-10 * np.abs(exact).max())
        # the limit of the friction changes in place as well: by_x = by_a = 0.7
        (_, moved, stretched, _), _ = on_bone(z, by_x=0.7)
        assert_allclose(moved - fx, np.outer(0.35 * force, np.ones(3)), rtol=1e-10)
        assert_allclose(stretched, np.outer(0.35 * force, np.ones(3)), rtol=1e-10)
