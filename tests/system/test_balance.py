"""Forces that must cancel, and motions that everybody knows."""

import numpy as np
import pytest
from _wrenches import bone_wrenches
from scenes_of_tests import advance, independent, load_scene, rubber, two_link_arm
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.solvers import State
from fibermsk.system.contact.sets import Border


def fiber_resultant(nodes, force):
    """Force and moment about the origin of nodal forces on Hermite nodes.

    A rotation w moves a node by w x position and its tangent by w x tangent.
    """
    moment = np.cross(nodes[:, :3], force[:, :3]) + np.cross(nodes[:, 3:], force[:, 3:])
    return np.r_[force[:, :3].sum(axis=0), moment.sum(axis=0)]


def contact_on_nodes(system):
    """Nodal contact forces of the configuration evaluated last, and forces on the coordinates."""
    residual, on_q = np.zeros((system.cables.n_nodes, 6)), np.zeros(system.tree.n)
    empty, lines = np.zeros((0, 0)), np.zeros((0, 3, 6, 6))
    out = Border(residual, on_q, lines, empty, empty, empty)
    system.contact.scatter_fibers(out, False)
    system.contact.scatter_bones(out, False)
    return -residual, -on_q


def test_bone_contact_is_action_and_reaction():
    arm = fm.build(two_link_arm())
    y, v = arm.initial_state()
    arm.evaluate(0.0, y, v, 0 * v)
    nodes, q = arm.split(y)
    contact = arm.contact
    for part in contact.sets.fibers:
        part.points.state[:, 0] = 1.0  # far apart: only the bones' share is left
    on_fibers, on_q = contact_on_nodes(arm)
    wrench = bone_wrenches(arm)
    assert np.abs(wrench).max() > 0.1
    total = fiber_resultant(nodes, on_fibers) + wrench.sum(axis=0)
    scale = np.abs(wrench).sum()
    np.testing.assert_allclose(total, 0.0, atol=1e-12 * scale)
    # the coordinates feel exactly the wrenches on the bodies they move
    S = arm.tree.evaluate(q, 0 * q, 0 * q).S
    expected = np.zeros(2)
    for shape, link in enumerate(arm.partners.shape_link):
        for k in np.flatnonzero(arm.tree.moves[link]):
            expected[k] += S[k, :3] @ wrench[shape, 3:] + S[k, 3:] @ wrench[shape, :3]
    np.testing.assert_allclose(on_q, expected, atol=1e-12 * np.abs(expected).max())


def test_attachment_forces_and_inertia_balance_the_fiber():
    """Sum of forces on a fiber without contact: attachments + weight = rate of momentum."""
    system = fm.build(two_link_arm(contact=False))
    y, v = system.initial_state()
    h = 1e-3
    state, _ = advance(system, fm.Newton(), State(0.0, y, v), h)
    v_dot = (state.v - v) / h
    evaluation = system.evaluate(h, state.y, state.v, v_dot, tangent=False)
    cables = system.cables
    local = system.split(v_dot)[0][cables.elements].reshape(-1, 4, 3)
    momentum_rate = np.einsum("eab,ebi->ei", cables.mass[:, [0, 2], :], local).sum(axis=0)
    weight = cables.mass[:, [0, 2], :][:, :, [0, 2]].sum() * system.tree.bodies.gravity
    total = evaluation.reactions.sum(axis=0) + weight - momentum_rate
    # Newton stops where the increment is 1e-7 and the residual far below
    np.testing.assert_allclose(total, 0.0, atol=1e-9 * np.abs(evaluation.reactions).sum())


def falling_fiber(gravity=(0, 0, -9.81), rotation=None):
    R = np.eye(3) if rotation is None else rotation
    model = fm.Model("falling", gravity=R @ np.asarray(gravity))
    path = lambda s: np.stack([0.2 * s, 0.03 * np.sin(3 * s), 0.02 * s**2], axis=1) @ R.T  # noqa: E731
    model.add(fm.Fiber("fiber", path, radius=4e-3, n_elements=5, tissue=rubber(viscosity=10.0)))
    return fm.build(model)


def test_free_fiber_falls():
    """Backward Euler falls g h^2 n (n + 1) / 2 exactly, and 1/2 g t^2 in the limit."""
    system = falling_fiber()
    y0, _ = system.initial_state()
    h, n = 0.01, 20
    result = fm.simulate(
        system, t_end=n * h, dt=h, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    fall = result.fibers["fiber"].position[-1] - system.split(y0)[0][:, :3]
    exact = 0.5 * 9.81 * h * h * n * (n + 1)
    np.testing.assert_allclose(fall[:, 2], -exact, rtol=1e-10)
    np.testing.assert_allclose(fall[:, :2], 0.0, atol=1e-12)
    assert abs(exact - 0.5 * 9.81 * (n * h) ** 2) < 1.01 * 0.5 * 9.81 * n * h * h
    np.testing.assert_allclose(result.fibers["fiber"].stretch, 1.0, rtol=1e-10)
    np.testing.assert_allclose(result.fibers["fiber"].axial_force, 0.0, atol=1e-9)


def rotated_limb(R, shift):
    """The upper limb hung on a turned and moved frame, gravity turned too."""
    scene = load_scene("upper_limb")
    original = scene.scene(elements=4).model
    model = fm.Model("turned", gravity=R @ original.gravity)
    bodies = {original.ground: model.ground}
    for body in original.bodies[1:]:
        bodies[body] = model.add(body)
    for joint in original.joints:
        if isinstance(joint, fm.Weld):
            model.add(fm.Weld(bodies[joint.parent], joint.child, at=shift, rotation=R))
        else:
            model.add(joint)
    model.add(*original.fibers)
    model.add(*original.contacts)
    return model


def test_rigidly_moved_scene_gives_rigidly_moved_results():
    R = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    shift = np.array([0.4, -0.2, 1.3])
    here = fm.simulate(
        fm.build(rotated_limb(np.eye(3), np.zeros(3))),
        t_end=0.5,
        dt=1 / 32,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    there = fm.simulate(
        fm.build(rotated_limb(R, shift)),
        t_end=0.5,
        dt=1 / 32,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    # Newton stops at 1e-7 in the increment, whose square is left; the rest is round-off
    np.testing.assert_allclose(
        there.coordinate("elbow_flexion"), here.coordinate("elbow_flexion"), atol=1e-10
    )
    for name, fiber in here.fibers.items():
        moved = fiber.position @ R.T + shift
        np.testing.assert_allclose(there.fibers[name].position, moved, atol=1e-10)
        np.testing.assert_allclose(
            there.fibers[name].force_origin, fiber.force_origin @ R.T, atol=1e-7
        )
    assert here.min_admissibility.min() < 0.9  # with contact


def vibrating_fiber():
    """Undamped, prestressed, fixed ends, plucked into an arc."""
    model = fm.Model("string", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(0.3, 0, 0)
    tissue = rubber(prestress=1e4)
    model.add(fm.Fiber("string", attach=ends, radius=3e-3, n_elements=6, tissue=tissue))
    system = fm.build(model)
    y, v = system.initial_state()
    x = system.split(y)[0]
    x[:, 2] += 0.02 * np.sin(np.pi * x[:, 0] / 0.3)
    x[:, 5] += 0.02 * np.pi * np.cos(np.pi * system.cables.theta)
    return system, y, v


def test_undamped_fiber_conserves_energy_at_the_order_of_the_method():
    system, y, v = vibrating_fiber()
    start = system.energy(y, v).total
    losses = []
    for dt in (4e-4, 2e-4, 1e-4, 5e-5):
        result = fm.simulate(
            system, (y, v), t_end=0.02, dt=dt, method=fm.BackwardEuler(), control=fm.FixedSteps()
        )
        f = result.fibers["string"]
        end = np.zeros(system.n)
        system.split(end)[0][:, :3], system.split(end)[0][:, 3:] = f.position[-1], f.tangent[-1]
        # the velocity by the method's own difference
        before = np.zeros(system.n)
        system.split(before)[0][:, :3] = f.position[-2]
        system.split(before)[0][:, 3:] = f.tangent[-2]
        losses.append(start - system.energy(end, (end - before) / dt).total)
    losses = np.array(losses)
    assert (losses > 0).all()  # backward Euler takes energy away, and never adds any
    order = np.log2(losses[:-1] / losses[1:])
    assert order[-1] == pytest.approx(1.0, abs=0.15)
    assert (np.diff(abs(order - 1.0)) < 0).all()


def test_independent_unknowns_move_nothing_else():
    system = fm.build(two_link_arm())
    y, _ = system.initial_state()
    moved = system.retract(0.0, y, 1e-3 * independent(system))
    nodes, q = system.split(moved)
    c = system.attached.place(system.skeleton.at(q)).c
    np.testing.assert_array_equal(nodes[system.cables.attached_nodes, :3], c)
