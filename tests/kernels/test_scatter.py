"""Contact forces in the equations of motion: action on both, and the bordered tangent."""

import numpy as np
import pytest
from contact_parts import (
    BONE_GAMMA,
    GAMMA,
    KAPPA,
    LAW,
    PAIRS,
    forces,
    make_arm,
    make_pair,
    nodes_of,
)
from kernel_parts import bow, build_sparse, fiber, plain_cable, system_of
from numpy.testing import assert_allclose
from reference import contact as reference, rigid as plain_rigid

import fibermsk as fm


@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
def test_action_on_fibers_and_coordinates(rng, shape):
    """Forces on the fibers and, from resultant and moment on each bone, on every coordinate."""
    system, nodes, chain, bones = make_arm(rng, shape)
    q = 0.003 * rng.normal(size=3)
    residual, residual_q = forces(system, nodes, q)
    expected, expected_q = np.zeros_like(nodes), np.zeros(3)
    touched = np.zeros(2, int)
    cables = [plain_cable(system, f) for f in (0, 1)]
    for f in (0, 1):
        own = slice(9 * f, 9 * f + 9)
        for i, bone in enumerate(bones):
            placed = plain_rigid.bone_in_ground(chain, q, bone)
            force, F, moment, records = reference.bone_contact(
                cables[f], nodes[own], placed, KAPPA, BONE_GAMMA
            )
            expected[own] += force
            expected_q += plain_rigid.wrench_force(chain, q, bone["body"], F, moment)
            touched[i] += len(records)
        other = nodes_of(system, nodes, 1 - f)
        force, _ = reference.fiber_contact(
            cables[f], nodes[own], cables[1 - f], other, KAPPA, GAMMA
        )
        expected[own] += force
    assert touched.min() >= 2
    # eps over gaps of a few hundredths, in coordinates of 0.5
    assert_allclose(-residual, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
    assert_allclose(-residual_q, expected_q, rtol=0.0, atol=1e-11 * np.abs(expected).max())


FORMULATIONS = ["half_pass", "variational"]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
def test_bordered_tangent(rng, shape, formulation):
    """All blocks against central differences in the nodes and in the coordinates."""
    system, nodes, _, _ = make_arm(rng, shape, formulation=formulation)
    q = 0.003 * rng.normal(size=3)
    _, _, K, B, R, D = forces(system, nodes, q, tangent=True)
    assert np.any(K) and np.any(B) and np.any(R) and np.any(D)
    h = 1e-8
    for _ in range(6):
        u = rng.normal(size=nodes.shape)
        ahead, behind = (forces(system, nodes + s * u, q) for s in (h, -h))
        slope, slope_q = ((a - b) / (2.0 * h) for a, b in zip(ahead, behind, strict=True))
        # (h / gap)^2 with gaps of 1e-3 m, rounding eps / h of forces over stiffness * 1 m; a point
        # that opens within h contributes its force, of second order in h
        atol = 1e-6 * np.abs(slope).max()
        assert_allclose((K @ u.ravel()).reshape(u.shape), slope, rtol=0.0, atol=atol)
        assert_allclose(R @ u.ravel(), slope_q, rtol=0.0, atol=atol)
    for j, e in enumerate(np.eye(3)):
        ahead, behind = (forces(system, nodes, q + s * e) for s in (h, -h))
        slope, slope_q = ((a - b) / (2.0 * h) for a, b in zip(ahead, behind, strict=True))
        atol = 1e-6 * np.abs(slope).max()
        assert_allclose(B[:, j], slope.ravel(), rtol=0.0, atol=atol)
        assert_allclose(D[:, j], slope_q, rtol=0.0, atol=1e-6 * np.abs(D).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_tangent(rng, kind, formulation):
    """Forces on both fibers in one matrix, against central differences."""
    system, nodes = make_pair(rng, kind, formulation=formulation)
    q = np.zeros(0)
    _, _, K, *_ = forces(system, nodes, q, tangent=True)
    h = 1e-8
    for _ in range(4):
        u = rng.normal(size=nodes.shape)
        slope = (forces(system, nodes + h * u, q)[0] - forces(system, nodes - h * u, q)[0]) / (
            2 * h
        )
        # as above
        atol = 1e-6 * np.abs(slope).max()
        assert_allclose((K @ u.ravel()).reshape(u.shape), slope, rtol=0.0, atol=atol)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_moving_everything_together(rng, formulation):
    """A rotation of the fibers with the first joint turns the forces and leaves its own torque."""
    system, nodes, chain, _ = make_arm(rng, formulation=formulation)
    q = 0.003 * rng.normal(size=3)
    angle = 0.7
    axis = chain[0]["axis"] / np.linalg.norm(chain[0]["axis"])
    T = plain_rigid.rotation_about(axis, angle)
    center = np.array(chain[0]["at"])
    moved = (nodes.reshape(-1, 2, 3) @ T.T).reshape(-1, 6)
    moved[:, :3] += center - T @ center
    residual, residual_q = forces(system, nodes, q)
    turned, turned_q = forces(system, moved, q + [angle, 0.0, 0.0])
    expected = (residual.reshape(-1, 2, 3) @ T.T).reshape(-1, 6)
    # eps over gaps of a few hundredths
    assert_allclose(turned, expected, rtol=0.0, atol=1e-10 * np.abs(residual).max())
    assert_allclose(turned_q, residual_q, rtol=0.0, atol=1e-10 * np.abs(residual).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_force_and_moment_balance_on_bones(rng, formulation):
    """The generalized force of a joint is minus the fibers' moment about its axis."""
    system, nodes, chain, _ = make_arm(rng, "cylinder", formulation=formulation)
    # the two fibers far apart: half passes only balance as the mesh is refined
    nodes[9:, 1] += 0.1
    residual, residual_q = forces(system, nodes, np.zeros(3))
    assert np.any(residual)
    total = residual[:, :3].sum(axis=0)
    moment = np.cross(nodes[:, :3], residual[:, :3]) + np.cross(nodes[:, 3:], residual[:, 3:])
    axis = chain[0]["axis"] / np.linalg.norm(chain[0]["axis"])
    about = moment.sum(axis=0) - np.cross(chain[0]["at"], total)
    scale = np.abs(residual).max()
    # the first joint moves both bones; rounding
    assert_allclose(residual_q[0], -axis @ about, rtol=0.0, atol=1e-12 * scale)


def test_bones_on_ground_have_no_coordinates(rng):
    """A fixed bone: forces on the fiber alone, as the reference's."""
    bone = fm.Body("bone", shapes=fm.Capsule((0.05, -0.2, -0.04), (0.1, 0.2, -0.04), 0.035))
    item = fiber("f", bow((0, 0, 0), (0.2, 0, 0)), rng, n_elements=6)
    model = fm.Model("fixed")
    model.add(bone)
    model.add(fm.Weld(model.ground, bone, at=(0.0, 0.0, 0.01), child_at=(0.0, 0.0, 0.01)))
    model.add(item)
    model.add(fm.Contact(item, bone, LAW, points_per_element=4, formulation="half_pass"))
    system = build_sparse(model)
    nodes = system.cables.reference
    residual, _ = forces(system, nodes, np.zeros(0))
    plain = {"kind": "capsule", "a": bone.shapes[0].start, "b": bone.shapes[0].end, "radius": 0.035}
    expected, *_, records = reference.bone_contact(
        plain_cable(system, 0), nodes, plain, KAPPA, GAMMA, 4
    )
    assert records
    assert_allclose(-residual, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


def test_system_of_two_laws_and_points(rng):
    """Contacts with different laws and numbers of points in one system."""
    fibers = [
        fiber(f"f{i}", bow((0, y, z), (0.2, y, z)), rng, radius=0.01)
        for i, (y, z) in enumerate(((0.0, 0.0), (0.0, 0.018), (0.019, 0.0)))
    ]
    half = {"formulation": "half_pass"}
    first = fm.Contact(
        fibers[0], fibers[1], fm.PenaltyContact(300.0, 2.0), points_per_element=3, **half
    )
    second = fm.Contact(
        fibers[0], fibers[2], fm.PenaltyContact(900.0, 5.0), points_per_element=6, **half
    )
    system = system_of(fibers, contacts=[first, second])
    nodes = system.cables.reference
    residual, _ = forces(system, nodes, np.zeros(0))
    cables = [plain_cable(system, f) for f in range(3)]
    x = [nodes_of(system, nodes, f) for f in range(3)]
    for i, j, kappa, gamma, points in ((1, 0, 300.0, 2.0, 3), (2, 0, 900.0, 5.0, 6)):
        expected, _ = reference.fiber_contact(
            cables[i], x[i], cables[j], x[j], kappa, gamma, points
        )
        found = -nodes_of(system, residual, i)
        assert_allclose(found, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
    expected = sum(
        reference.fiber_contact(cables[0], x[0], cables[j], x[j], kappa, gamma, points)[0]
        for j, kappa, gamma, points in ((1, 300.0, 2.0, 3), (2, 900.0, 5.0, 6))
    )
    assert_allclose(
        -nodes_of(system, residual, 0), expected, rtol=0.0, atol=1e-11 * np.abs(expected).max()
    )
