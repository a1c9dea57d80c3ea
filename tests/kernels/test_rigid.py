"""Rigid trees against the plain reference, Pinocchio, differences and closed forms."""

import dataclasses

import numpy as np
import pytest
from kernel_parts import rotation
from numpy.testing import assert_allclose
from reference import rigid as reference
from rigid_parts import (
    GRAVITY,
    inverse_dynamics,
    mass_matrix,
    motion,
    pinocchio_model,
    plain_bodies,
    random_tree,
)

import fibermsk as fm
from fibermsk.kernels.skeleton import rigid, rigid_slopes
from fibermsk.system.skeleton.tree import build_tree

KINDS = ["revolute", "prismatic", "mixed"]
SIZES = [1, 2, 5, 9]


# ---- against the reference, written from the equations with complex steps


@pytest.mark.parametrize("n", SIZES)
def test_against_reference(rng, n):
    for _ in range(3):
        tree = random_tree(rng, n, "revolute", depth_first=False)
        bodies = plain_bodies(tree)
        q, p, a = motion(rng, n)
        M = reference.mass_matrix(bodies, q)
        # rounding, in sums over chains of up to 9 links
        assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * np.abs(M).max())
        tau = inverse_dynamics(tree, q, p, a)
        expected = reference.inverse_dynamics(bodies, q, p, a, GRAVITY)
        assert_allclose(tau, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


# ---- against Pinocchio


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_against_pinocchio(rng, n, kinds):
    pin = pytest.importorskip("pinocchio")
    for _ in range(5):
        tree = random_tree(rng, n, kinds)
        model, data, joints = pinocchio_model(pin, tree)
        q, p, a = motion(rng, n)
        tau = pin.rnea(model, data, q, p, a)
        found = inverse_dynamics(tree, q, p, a)
        # rounding, in sums over chains of up to 9 links
        assert_allclose(found, tau, rtol=0.0, atol=1e-12 * np.abs(tau).max())
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * np.abs(M).max())
        bias = pin.nonLinearEffects(model, data, q, p)
        found = inverse_dynamics(tree, q, p, 0.0 * a)
        assert_allclose(found, bias, rtol=0.0, atol=1e-12 * np.abs(tau).max())
        gravity = pin.computeGeneralizedGravity(model, data, q)
        found = inverse_dynamics(tree, q, 0.0 * p, 0.0 * a)
        assert_allclose(found, gravity, rtol=0.0, atol=1e-12 * np.abs(tau).max())
        state = tree.evaluate(q, p, a)
        pin.forwardKinematics(model, data, q, p)
        for k, joint in enumerate(joints):
            assert_allclose(state.rotation[k], data.oMi[joint].rotation, rtol=0.0, atol=1e-14)
            assert_allclose(state.position[k], data.oMi[joint].translation, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_tangent_against_pinocchio(rng, n, kinds):
    pin = pytest.importorskip("pinocchio")
    for _ in range(5):
        tree = random_tree(rng, n, kinds)
        model, data, _ = pinocchio_model(pin, tree)
        q, p, a = motion(rng, n)
        expected_q, expected_p, _ = pin.computeRNEADerivatives(model, data, q, p, a)
        found_q, found_p = tangent(tree, q, p, a)
        # analytic on both sides: rounding; derivatives are larger than their differences
        atol = 1e-11 * max(np.abs(expected_q).max(), np.abs(expected_p).max())
        assert_allclose(found_q, expected_q, rtol=0.0, atol=atol)
        assert_allclose(found_p, expected_p, rtol=0.0, atol=atol)


# ---- tangents


def tangent(tree, q, p, a):
    """Derivatives of the inverse dynamics in q and in p, by the kernel."""
    dq, dp = np.zeros((2, tree.n, tree.n))
    state = tree.evaluate(q, p, a)
    rigid_slopes.inverse_dynamics_tangent(p, a, state, tree.parent, tree.moves, tree.bodies, dq, dp)
    return dq, dp


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_tangent_against_differences(rng, n, kinds):
    h = 1e-5
    for depth_first in (True, False):
        tree = random_tree(rng, n, kinds, depth_first)
        q, p, a = motion(rng, n)
        dq, dp = tangent(tree, q, p, a)
        for j, e in enumerate(np.eye(n)):
            slope_q, slope_p, slope_a = (
                (inverse_dynamics(tree, *ahead) - inverse_dynamics(tree, *behind)) / (2.0 * h)
                for ahead, behind in (
                    ((q + h * e, p, a), (q - h * e, p, a)),
                    ((q, p + h * e, a), (q, p - h * e, a)),
                    ((q, p, a + h * e), (q, p, a - h * e)),
                )
            )
            # h^2 / 6 times third derivatives, up to some 10 times the first, and eps / h
            atol = 1e-8 * max(np.abs(dq).max(), np.abs(dp).max(), np.abs(slope_a).max())
            assert_allclose(dq[:, j], slope_q, rtol=0.0, atol=atol)
            assert_allclose(dp[:, j], slope_p, rtol=0.0, atol=atol)
            assert_allclose(mass_matrix(tree, q)[:, j], slope_a, rtol=0.0, atol=atol)


# ---- mass matrix, energies, invariances


@pytest.mark.parametrize("kinds", KINDS)
def test_mass_matrix_is_symmetric_and_positive_definite(rng, kinds):
    for n in SIZES:
        tree = random_tree(rng, n, kinds, depth_first=False)
        for _ in range(5):
            M = mass_matrix(tree, rng.normal(size=n) * 2.0)
            assert np.array_equal(M, M.T)
            if kinds == "revolute" or n < 4:
                # each link has a body with inertia about every axis; sliding, more than three
                # links in a chain can cancel each other
                assert np.linalg.eigvalsh(M).min() > 0.0
            assert np.linalg.eigvalsh(M).min() > -1e-13 * M.max()


def energies(tree, q, p):
    state = tree.evaluate(q, p, 0.0 * p)
    return rigid.kinetic_and_potential(state, tree.bodies)


@pytest.mark.parametrize("kinds", KINDS)
def test_energies(rng, kinds):
    tree = random_tree(rng, 6, kinds)
    q, p, a = motion(rng, 6)
    kinetic, _ = energies(tree, q, p)
    assert_allclose(kinetic, 0.5 * p @ mass_matrix(tree, q) @ p, rtol=1e-13)  # rounding
    weight = inverse_dynamics(tree, q, 0.0 * p, 0.0 * a)
    h = 1e-5
    for j, e in enumerate(np.eye(6)):
        slope = (energies(tree, q + h * e, p)[1] - energies(tree, q - h * e, p)[1]) / (2.0 * h)
        # h^2 / 6 and rounding eps / h
        assert_allclose(weight[j], slope, rtol=0.0, atol=1e-8 * np.abs(weight).max())
    # the power of the forces is the rate of the energy: p . tau = d/dt (kinetic + potential)
    ahead, behind = (sum(energies(tree, q + s * p + 0.5 * s * s * a, p + s * a)) for s in (h, -h))
    power = p @ inverse_dynamics(tree, q, p, a)
    scale = np.abs(p * inverse_dynamics(tree, q, p, a)).max()
    assert_allclose(power, (ahead - behind) / (2.0 * h), rtol=0.0, atol=1e-8 * scale)


def test_turning_the_world_changes_nothing(rng):
    """Base joints and gravity in another frame: the same generalized forces."""
    tree = random_tree(rng, 6)
    q, p, a = motion(rng, 6)
    R, shift = rotation(rng), rng.normal(size=3) * 3.0
    base = tree.parent < 0
    joint_rotation, joint_position = tree.joint_rotation.copy(), tree.joint_position.copy()
    joint_rotation[base] = R @ joint_rotation[base]
    joint_position[base] = joint_position[base] @ R.T + shift
    turned = dataclasses.replace(
        tree, joint_rotation=joint_rotation, joint_position=joint_position,
        bodies=tree.bodies._replace(gravity=R @ GRAVITY),
    )  # fmt: skip
    tau = inverse_dynamics(tree, q, p, a)
    # the reference point is 5 m off: moments round to 5 * eps, squared with the inertia
    atol = 1e-12 * np.abs(tau).max()
    assert_allclose(inverse_dynamics(turned, q, p, a), tau, rtol=0.0, atol=atol)
    M = mass_matrix(tree, q)
    assert_allclose(mass_matrix(turned, q), M, rtol=0.0, atol=1e-12 * M.max())


# ---- closed forms


def double_pendulum():
    """Two rods about y, the first 1 m long, by the model's own objects."""
    model = fm.Model("double pendulum")
    rods = [
        model.add(fm.Body(f"rod{i}", mass=2.0, com=(0, 0, -0.5), inertia=(0.3, 0.2, 0.1)))
        for i in range(2)
    ]
    model.add(fm.Hinge("upper", model.ground, rods[0], at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(fm.Hinge("lower", rods[0], rods[1], at=(0, 0, -1), axis=(0, 1, 0)))
    return build_tree(model)[0]


def test_double_pendulum(rng):
    """Mass matrix, Coriolis terms and weight worked out by hand."""
    tree = double_pendulum()
    q, p, a = motion(rng, 2)
    m, c, I, g = 2.0, 0.5, 0.2, 9.81  # noqa: E741
    k, s = m * c * np.cos(q[1]), m * c * np.sin(q[1])
    low = m * c * c + I
    M = np.array([[2.0 * low + m + 2.0 * k, low + k], [low + k, low]])
    assert_allclose(mass_matrix(tree, q), M, rtol=1e-14)
    coriolis = np.array([-s * (2.0 * p[0] * p[1] + p[1] ** 2), s * p[0] ** 2])
    hanging = m * g * c * np.sin(q.sum())
    weight = np.array([m * g * (c + 1.0) * np.sin(q[0]) + hanging, hanging])
    assert_allclose(inverse_dynamics(tree, q, p, a), M @ a + coriolis + weight, rtol=1e-13)


def test_slider_in_closed_form():
    """A mass on an inclined rail carried by a turntable: m a, Coriolis and centrifugal forces."""
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 2, "prismatic")
    tree = dataclasses.replace(
        tree, parent=np.array([-1, 0]), kind=np.array([rigid.REVOLUTE, rigid.PRISMATIC]),
        axis=np.array([[0, 0, 1.0], [1.0, 0, 0]]), joint_rotation=np.array([np.eye(3)] * 2),
        joint_position=np.zeros((2, 3)), moves=np.array([[True, False], [True, True]]),
        bodies=rigid.TreeBodies(
            link=np.array([1]), mass=np.array([1.7]), com=np.zeros((1, 3)),
            inertia=1e-9 * np.eye(3)[None], gravity=np.zeros(3),
        ),
    )  # fmt: skip
    q, p, a = np.array([0.4, 0.6]), np.array([2.0, -1.5]), np.array([0.3, 0.9])
    tau = inverse_dynamics(tree, q, p, a)
    r, m = q[1], 1.7
    # with the rotary inertia of 1e-9 kg m^2 neglected
    expected = [m * (r * r * a[0] + 2.0 * r * p[0] * p[1]), m * (a[1] - r * p[0] ** 2)]
    assert_allclose(tau, expected, rtol=1e-8)
