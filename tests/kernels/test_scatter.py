"""Contact forces in the equations of motion: action on both, and the bordered tangent."""

import numpy as np
import pytest
from contact_parts import GAMMA, KAPPA, LAW, PAIRS, make_pair, nodes_of
from kernel_parts import bow, deform, fiber, plain_cable, rotation, spindle, system_of
from numpy.testing import assert_allclose

import fibermsk as fm
from reference import contact as reference
from reference import rigid as plain_rigid


def arm(rng, shape="capsule"):
    """Two fibers across two segments of a chain of three hinges; plain data of the chain besides."""
    body = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    if shape == "capsule":
        upper = fm.Capsule((0, -0.2, 0), (0, 0.3, 0.01), 0.035)
        lower = fm.Capsule((0.02, 0.02, 0.005), (0.2, 0.04, 0), 0.03)
    else:
        upper = fm.InfiniteCylinder((0, 0, 0), (0.1, 1.0, 0), 0.035)
        lower = fm.InfiniteCylinder((0, 0.01, 0.008), (1.0, 0.2, 0), 0.03)
    bodies = [fm.Body("base", **body), fm.Body("upper", shapes=upper, **body)]
    bodies.append(fm.Body("lower", shapes=lower, **body))
    frames = [
        {"at": (0.05, -0.5, -0.3), "axis": (0.2, 1.0, 0.1), "rotation": np.eye(3)},
        {"at": (0.05, 0.45, 0.266), "axis": (1.0, 0.2, 0.0), "rotation": np.eye(3)},
        {"at": (0.08, 0.05, -0.001), "axis": (0.3, 0.1, 1.0), "rotation": rotation(rng)},
    ]
    # the lower segment starts aligned whatever its frame: undo the rotation in its shape
    model = fm.Model("arm", gravity=(0, 0, 0))
    R = frames[2]["rotation"]
    shape = bodies[2].shapes[0]
    if isinstance(shape, fm.Capsule):
        shape = fm.Capsule(R.T @ shape.start, R.T @ shape.end, shape.radius)
    else:
        shape = fm.InfiniteCylinder(R.T @ shape.point, R.T @ shape.axis, shape.radius)
    bodies[2] = fm.Body("lower", shapes=shape, **body)
    parents = [model.ground, *bodies]
    for i, (segment, frame) in enumerate(zip(bodies, frames, strict=True)):
        model.add(segment)
        model.add(fm.Hinge(f"q{i}", parents[i], segment, **frame))
    fibers = [
        model.add(fiber(f"f{i}", path, rng, radius=spindle(0.006, 0.3), n_elements=8))
        for i, path in enumerate(
            (
                bow((-0.1, 0.02, 0.0), (0.3, 0.02, 0.0), sag=(0, 0, 0.005)),
                bow((-0.1, 0.06, 0.01), (0.3, 0.03, 0.01), sag=(0, 0, 0.004)),
            )
        )
    ]
    law = fm.PenaltyContact(KAPPA, 1.3)
    model.add(fm.Contact(fibers, bodies[1:], law))
    model.add(fm.Contact(*fibers, LAW))
    system = fm.build(model)
    chain = [
        {
            **frame,
            "parent": i - 1,
            "child_at": np.zeros(3),
            "mass": 1.0,
            "com": np.zeros(3),
            "inertia": 0.01 * np.eye(3),
            "axis": np.array(frame["axis"]),
        }  # fmt: skip
        for i, frame in enumerate(frames)
    ]
    bones = []
    for b, segment in ((1, bodies[1]), (2, bodies[2])):
        item = segment.shapes[0]
        if isinstance(item, fm.Capsule):
            ends = {"kind": "capsule", "a": item.start, "b": item.end}
        else:
            ends = {"kind": "infinite_cylinder", "a": item.point, "b": item.point + item.axis}
        bones.append({**ends, "body": b, "radius": item.radius})
    nodes = system.cables.reference.copy()
    for f in range(2):
        own = slice(9 * f, 9 * f + 9)
        nodes[own] = deform(rng, nodes[own], 0.02) / 1.05
    return system, nodes, chain, bones


def forces(system, nodes, q, tangent=False):
    """Residuals (n_nodes, 6) and (n,) of contact alone; with the dense tangent where wanted."""
    contact, n = system.contact, system.tree.n
    zero = np.zeros(n)
    least = contact.evaluate(nodes, system.tree.evaluate(q, zero, zero))
    assert least > 0.0
    residual, residual_q = np.zeros_like(nodes), np.zeros(n)
    data = np.zeros(contact.pattern.indices.size)
    B, R, D = np.zeros((nodes.size, n)), np.zeros((n, nodes.size)), np.zeros((n, n))
    contact.scatter(residual, residual_q, data, B, R, D, tangent)
    if not tangent:
        assert not (np.any(data) or np.any(B) or np.any(R) or np.any(D))
        return residual, residual_q
    K = contact.pattern.matrix(data).toarray()
    return residual, residual_q, K, B, R, D


@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
def test_action_on_fibers_and_coordinates(rng, shape):
    """Forces on the fibers and, from resultant and moment on each bone, on every coordinate."""
    system, nodes, chain, bones = arm(rng, shape)
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
                cables[f], nodes[own], placed, KAPPA, 1.3
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


@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
def test_bordered_tangent(rng, shape):
    """All blocks against central differences in the nodes and in the coordinates."""
    system, nodes, _, _ = arm(rng, shape)
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


@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_tangent(rng, kind):
    """Both half passes in one matrix, against central differences of all forces."""
    system, nodes = make_pair(rng, kind)
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


def test_moving_everything_together(rng):
    """A rotation of the fibers with the first joint turns the forces and leaves its own torque."""
    system, nodes, chain, _ = arm(rng)
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


def test_force_and_moment_balance_on_bones(rng):
    """The generalized force of a joint is minus the fibers' moment about its axis."""
    system, nodes, chain, _ = arm(rng, "cylinder")
    q = np.zeros(3)
    residual, residual_q = forces(system, nodes, q)
    axis = chain[0]["axis"] / np.linalg.norm(chain[0]["axis"])
    # the first joint moves both bones; what acts between the fibers balances only as far as the
    # two half passes do, so it is taken out
    bones_only = forces_without_fibers(system, nodes, q)
    total = bones_only[:, :3].sum(axis=0)
    moment = np.cross(nodes[:, :3], bones_only[:, :3])
    moment += np.cross(nodes[:, 3:], bones_only[:, 3:])
    about = moment.sum(axis=0) - np.cross(chain[0]["at"], total)
    scale = np.abs(residual).max()
    assert_allclose(residual_q[0], -axis @ about, rtol=0.0, atol=1e-12 * scale)


def forces_without_fibers(system, nodes, q):
    """Residual of the nodes with the fiber-fiber slots set to zero."""
    forces(system, nodes, q)
    contact = system.contact
    contact.fiber_force[:] = 0.0
    residual = np.zeros_like(nodes)
    n = system.tree.n
    data = np.zeros(contact.pattern.indices.size)
    contact.scatter(
        residual, np.zeros(n), data, np.zeros((nodes.size, n)), np.zeros((n, nodes.size)),
        np.zeros((n, n)), False,
    )  # fmt: skip
    return residual


def test_bones_on_ground_have_no_coordinates(rng):
    """A fixed bone: forces on the fiber alone, as the reference's."""
    bone = fm.Body("bone", shapes=fm.Capsule((0.05, -0.2, -0.04), (0.1, 0.2, -0.04), 0.035))
    item = fiber("f", bow((0, 0, 0), (0.2, 0, 0)), rng, n_elements=6)
    model = fm.Model("fixed")
    model.add(bone)
    model.add(fm.Weld(model.ground, bone, at=(0.0, 0.0, 0.01), child_at=(0.0, 0.0, 0.01)))
    model.add(item)
    model.add(fm.Contact(item, bone, LAW, points_per_element=4))
    system = fm.build(model)
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
    first = fm.Contact(fibers[0], fibers[1], fm.PenaltyContact(300.0, 2.0), points_per_element=3)
    second = fm.Contact(fibers[0], fibers[2], fm.PenaltyContact(900.0, 5.0), points_per_element=6)
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
