"""Kinematics of rigid trees: poses, twists, attached points, and how a model becomes a tree."""

import numpy as np
import pytest
from kernel_parts import rotation
from numpy.testing import assert_allclose
from reference import rigid as reference
from rigid_parts import (
    GRAVITY,
    inertia,
    mass_matrix,
    motion,
    plain_bodies,
    random_tree,
    unit,
)

import fibermsk as fm
from fibermsk.kernels.skeleton import points, rigid
from fibermsk.system.skeleton.tree import build_tree

KINDS = ["revolute", "prismatic", "mixed"]


def test_poses_against_reference(rng):
    tree = random_tree(rng, 6, "revolute", depth_first=False)
    q, p, a = motion(rng, 6)
    state = tree.evaluate(q, p, a)
    poses = reference.forward_kinematics(plain_bodies(tree), q)
    for k in range(6):
        assert_allclose(state.rotation[k], poses[k][:3, :3], rtol=0.0, atol=1e-14)
        assert_allclose(state.position[k], poses[k][:3, 3], rtol=0.0, atol=1e-14)


def test_bracket_is_a_lie_bracket(rng):
    """Antisymmetric, Jacobi, and the commutator of the twists as 4 x 4 matrices."""

    def bracket(a, b):
        out = np.full(6, np.nan)
        rigid.bracket(a, b, out)
        return out

    def matrix(twist):
        w, v = twist[:3], twist[3:]
        out = np.zeros((4, 4))
        out[:3, :3], out[:3, 3] = reference.skew(w), v
        return out

    a, b, c = rng.normal(size=(3, 6))
    commutator = matrix(a) @ matrix(b) - matrix(b) @ matrix(a)
    assert_allclose(matrix(bracket(a, b)), commutator, rtol=0.0, atol=1e-14)  # rounding
    assert_allclose(bracket(a, b), -bracket(b, a), rtol=0.0, atol=1e-15)
    jacobi = bracket(a, bracket(b, c)) + bracket(b, bracket(c, a)) + bracket(c, bracket(a, b))
    assert_allclose(jacobi, 0.0, rtol=0.0, atol=1e-13)


def test_twists_are_the_velocities(rng):
    """V and A of every link against differences of its pose along the motion."""
    tree = random_tree(rng, 6)
    q, p, a = motion(rng, 6)
    local = rng.normal(size=3)
    h = 1e-4

    def place(s):
        state = tree.evaluate(q + s * p + 0.5 * s * s * a, p, a)
        return state.rotation @ local + state.position

    state = tree.evaluate(q, p, a)
    x = place(0.0)
    velocity = (place(h) - place(-h)) / (2.0 * h)
    acceleration = (place(h) - 2.0 * x + place(-h)) / h**2
    for k in range(6):
        w, v = state.V[k, :3], state.V[k, 3:]
        # h^2 times third derivatives of some hundreds at six joints; eps / h^2 in the second
        size = 1.0 + np.abs(acceleration).max()
        assert_allclose(v + np.cross(w, x[k]), velocity[k], rtol=0.0, atol=1e-6 * size)
        expected = state.A[k, 3:] + np.cross(state.A[k, :3], x[k]) + np.cross(w, velocity[k])
        assert_allclose(expected, acceleration[k], rtol=0.0, atol=1e-5 * size)


def attachments(tree, q, link, local):
    """Positions, C and dC/dq, by the kernels: the states are the axes."""
    zero, n = np.zeros(tree.n), tree.n
    state = tree.evaluate(q, zero, zero)
    point = np.full((link.size, 3), np.nan)
    C = np.full((link.size, 3, n), np.nan)
    points.place_points(state.S, tree.moves, state.rotation, state.position, link, local, point, C)
    start, values = 3 * n * n * np.arange(link.size + 1), np.zeros(3 * n * n * link.size)
    every = np.ones((link.size, n), bool)
    points.fill_hessian(
        state.S, tree.moves, link, C, 0, np.arange(n)[:, None], np.eye(n), np.zeros((0, 1, 1)),
        np.arange(n), start, every, values,
    )  # fmt: skip
    return point, C, values.reshape(-1, 3, n, n)


@pytest.mark.parametrize("kinds", KINDS)
def test_attached_points(rng, kinds):
    """C = dc/dq and dC/dq by differences; the second derivative is symmetric."""
    n, h = 6, 1e-5
    for depth_first in (True, False):
        tree = random_tree(rng, n, kinds, depth_first)
        link = np.array([-1, 0, 2, 5, 3, 5])
        local = rng.normal(size=(link.size, 3)) * 0.3
        q = rng.normal(size=n)
        point, C, full = attachments(tree, q, link, local)
        assert np.array_equal(point[0], local[0])  # on ground
        assert np.all(C[0] == 0.0)
        # the same two formulas give both orders
        assert_allclose(full, full.transpose(0, 1, 3, 2), rtol=0.0, atol=1e-14)
        for j, e in enumerate(np.eye(n)):
            ahead = attachments(tree, q + h * e, link, local)
            behind = attachments(tree, q - h * e, link, local)
            # h^2 / 6 and rounding eps / h, of lengths up to 3
            slope = (ahead[0] - behind[0]) / (2.0 * h)
            assert_allclose(C[:, :, j], slope, rtol=0.0, atol=3e-10)
            slope = (ahead[1] - behind[1]) / (2.0 * h)
            assert_allclose(full[:, :, :, j], slope, rtol=0.0, atol=3e-10)


def test_force_on_attached_points_turns_with_the_axes(rng):
    """`add_curvature` is dC/dq times a force, and it adds."""
    tree = random_tree(rng, 6)
    link, local, q = np.array([-1, 2, 5]), rng.normal(size=(3, 3)), rng.normal(size=6)
    force, D = rng.normal(size=(3, 3)), np.ones((6, 6))
    _, C, full = attachments(tree, q, link, local)
    S = tree.evaluate(q, 0.0 * q, 0.0 * q).S
    points.add_curvature(S, tree.moves, link, C, force, D)
    assert_allclose(D - 1.0, np.einsum("mrjk,mr->jk", full, force), rtol=0.0, atol=1e-13)


def test_attached_points_against_reference(rng):
    """C and dC/dq by the complex step, exact."""
    tree = random_tree(rng, 5, "revolute", depth_first=False)
    bodies = plain_bodies(tree)
    q = rng.normal(size=5)
    link, local = np.array([4, 1]), rng.normal(size=(2, 3))
    point, C, full = attachments(tree, q, link, local)
    for m in range(2):
        at = (bodies, q, link[m], local[m])
        assert_allclose(point[m], reference.position(*at), rtol=0.0, atol=1e-14)
        assert_allclose(C[m], reference.jacobian(*at), rtol=0.0, atol=1e-14)
        assert_allclose(full[m], reference.hessian(*at), rtol=0.0, atol=1e-14)


def test_model_to_tree(rng):
    """Joint placement, child frames, rotations and welded bodies, against the reference."""
    model = fm.Model("tree", gravity=GRAVITY)
    bodies, plain = [model.ground], []
    for b in range(6):
        data = {
            "mass": rng.uniform(0.5, 3.0),
            "com": rng.normal(size=3) * 0.2,
            "at": rng.normal(size=3) * 0.4,
            "child_at": rng.normal(size=3) * 0.4,
            "rotation": rotation(rng),
            "axis": None if b in (1, 3) else unit(rng),
            "damping": 0.0,
        }
        data["inertia"] = inertia(rng, data["mass"])
        parent = int(rng.integers(-1, b)) if b else -1
        place = {key: data[key] for key in ("at", "child_at", "rotation")}
        body = model.add(
            fm.Body(f"b{b}", mass=data["mass"], com=data["com"], inertia=data["inertia"])
        )
        if data["axis"] is None:
            model.add(fm.Weld(bodies[parent + 1], body, **place))
        else:
            model.add(
                fm.Hinge(
                    f"q{b}",
                    bodies[parent + 1],
                    body,
                    axis=data["axis"],
                    damping=data["damping"],
                    **place,
                )  # fmt: skip
            )
        bodies.append(body)
        plain.append(data | {"parent": parent})
    tree, moving = build_tree(model)
    # the tree numbers the joints outwards in the order of the bodies, as the reference does
    assert [joint.name for joint, _ in moving] == ["q0", "q2", "q4", "q5"]
    q, p, a = motion(rng, 4)
    M = reference.mass_matrix(plain, q)
    assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * M.max())  # rounding
    tau = np.zeros(4)
    state = tree.evaluate(q, p, a)
    tree.dynamics(state, tau)
    expected = reference.inverse_dynamics(plain, q, p, a, GRAVITY)
    assert_allclose(tau, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    for b in range(6):
        R, x = tree.place(f"b{b}", state)
        pose = reference.forward_kinematics(plain, q)[b]
        assert_allclose(R, pose[:3, :3], rtol=0.0, atol=1e-14)
        assert_allclose(x, pose[:3, 3], rtol=0.0, atol=1e-14)
