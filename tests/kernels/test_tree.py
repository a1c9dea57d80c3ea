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
from fibermsk.kernels import points, rigid
from fibermsk.system.tree import build_tree

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


def attachments(tree, q, link, local, pairs):
    """Positions, C and the listed entries of dC/dq, by the kernel."""
    zero = np.zeros(tree.n)
    state = tree.evaluate(q, zero, zero)
    point = np.full((link.size, 3), np.nan)
    C = np.full((link.size, 3, tree.n), np.nan)
    hess = np.full((pairs.shape[0], 3), np.nan)
    points.attach_points(
        state.S, tree.moves, state.rotation, state.position, link, local, pairs, point, C, hess
    )
    return point, C, hess


@pytest.mark.parametrize("kinds", KINDS)
def test_attached_points(rng, kinds):
    """C = dc/dq and dC/dq by differences; the second derivative is symmetric."""
    n, h = 6, 1e-5
    for depth_first in (True, False):
        tree = random_tree(rng, n, kinds, depth_first)
        link = np.array([-1, 0, 2, 5, 3, 5])
        local = rng.normal(size=(link.size, 3)) * 0.3
        pairs = np.array(
            [
                (m, j, k)
                for m in range(link.size)
                for j in range(n)
                for k in range(n)
                if link[m] >= 0 and tree.moves[link[m], j] and tree.moves[link[m], k]
            ]
        )
        q = rng.normal(size=n)
        point, C, hess = attachments(tree, q, link, local, pairs)
        full = np.zeros((link.size, 3, n, n))
        full[pairs[:, 0], :, pairs[:, 1], pairs[:, 2]] = hess
        assert np.array_equal(point[0], local[0])  # on ground
        assert np.all(C[0] == 0.0)
        # the same two formulas give both orders
        assert_allclose(full, full.transpose(0, 1, 3, 2), rtol=0.0, atol=1e-14)
        for j, e in enumerate(np.eye(n)):
            ahead = attachments(tree, q + h * e, link, local, pairs)
            behind = attachments(tree, q - h * e, link, local, pairs)
            # h^2 / 6 and rounding eps / h, of lengths up to 3
            slope = (ahead[0] - behind[0]) / (2.0 * h)
            assert_allclose(C[:, :, j], slope, rtol=0.0, atol=3e-10)
            slope = (ahead[1] - behind[1]) / (2.0 * h)
            assert_allclose(full[:, :, :, j], slope, rtol=0.0, atol=3e-10)


def test_attached_points_against_reference(rng):
    """C and dC/dq by the complex step, exact."""
    tree = random_tree(rng, 5, "revolute", depth_first=False)
    bodies = plain_bodies(tree)
    q = rng.normal(size=5)
    link, local = np.array([4, 1]), rng.normal(size=(2, 3))
    for m in range(2):
        chain = np.flatnonzero(tree.moves[link[m]])
        pairs = np.array([(0, j, k) for j in chain for k in chain])
        point, C, hess = attachments(tree, q, link[m : m + 1], local[m : m + 1], pairs)
        at = (bodies, q, link[m], local[m])
        assert_allclose(point[0], reference.position(*at), rtol=0.0, atol=1e-14)
        assert_allclose(C[0], reference.jacobian(*at), rtol=0.0, atol=1e-14)
        expected = reference.hessian(*at)
        found = np.zeros((3, 5, 5))
        found[:, pairs[:, 1], pairs[:, 2]] = hess.T
        assert_allclose(found, expected, rtol=0.0, atol=1e-14)


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
            "damping": 0.1 * b,
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
    tree = build_tree(model)
    # the tree numbers the joints outwards in the order of the bodies, as the reference does
    assert tree.names == ("q0", "q2", "q4", "q5")
    q, p, a = motion(rng, 4)
    M = reference.mass_matrix(plain, q)
    assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * M.max())  # rounding
    tau = np.zeros(4)
    state = tree.evaluate(q, p, a)
    tree.dynamics(state, p, tau)
    expected = reference.inverse_dynamics(plain, q, p, a, GRAVITY)
    assert_allclose(tau, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    for b in range(6):
        R, x = tree.place(f"b{b}", state)
        pose = reference.forward_kinematics(plain, q)[b]
        assert_allclose(R, pose[:3, :3], rtol=0.0, atol=1e-14)
        assert_allclose(x, pose[:3, 3], rtol=0.0, atol=1e-14)
