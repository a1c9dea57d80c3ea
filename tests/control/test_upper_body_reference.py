"""Two arms against another transcription: other coordinates, other dynamics, Gauss points.

The reference shares no code with the package: six angles for each arm, recursive Newton-Euler, and
accelerations at Gauss points as unknowns. All numbers are those of `optimal_control.md`,
section 8.2. The torso is fixed, so each arm is a problem of its own.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("casadi", reason="optimal control needs CasADi: pip install fibermsk[control]")

import casadi as ca
from scipy.spatial.transform import Rotation

import fibermsk as fm

SIDES = {"right": -1.0, "left": 1.0}
START = (0.0, 0.1, 0.0, 0.5, 0.0, 0.0)
ENDS = {"right": (1.2, 0.4, 0.3, 0.9, 0.8, -0.3), "left": (0.6, 0.8, -0.2, 1.8, 0.5, 0.4)}
GRAVITY = 9.81
LARGEST = (50.0, 50.0, 50.0, 40.0, 10.0, 8.0)
SHOULDER_DAMPING, HINGE_DAMPING = 1.0, (0.6, 0.05, 0.1)
ORDER = 6
"""Of the Gauss points: three in an element."""


class Part(NamedTuple):
    """A body behind a hinge: axis and place of the hinge in its parent, mass, center, inertia."""

    axis: tuple[float, float, float]
    place: tuple[float, float, float]
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float]


def parts(s):
    """The arm of a side as six hinges; the first two carry frames without mass."""
    none, at_shoulder = (0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), (0.0, 0.19 * s, 0.42)
    origin = (0.0, 0.0, 0.0)
    return (
        Part((0.0, -1.0, 0.0), at_shoulder, *none),
        Part((s, 0.0, 0.0), origin, *none),
        Part((0.0, 0.0, -s), origin, 2.1, (0.0, 0.0, -0.13), (0.0150, 0.0150, 0.0025)),
        Part((0.0, -1.0, 0.0), (0.0, 0.0, -0.29), 0.7, (0.0, 0.0, -0.11), (0.0040, 0.0040, 0.0005)),
        Part((0.0, 0.0, -s), (0.0, 0.0, -0.02), 0.5, (0.01, 0.0, -0.13), (0.0030, 0.0030, 0.0004)),
        Part((-s, 0.0, 0.0), (0.0, 0.0, -0.24), 0.45, (0.0, 0.0, -0.07), (0.0010, 0.0008, 0.0003)),
    )


def rotation(axis, angle):
    """Rotation (3, 3) about one of the axes of coordinates, or its opposite."""
    k, angle = int(np.argmax(np.abs(axis))), angle * sum(axis)
    c, s = ca.cos(angle), ca.sin(angle)
    R = ca.SX.eye(3)
    i, j = (k + 1) % 3, (k + 2) % 3
    R[i, i], R[j, j], R[i, j], R[j, i] = c, c, -s, s
    return R


def torques(s, q, v, a):
    """Torques of a motion: vector at the shoulder in the torso, then elbow, forearm and wrist."""
    chain, turns = parts(s), []
    w, dw, acceleration = ca.SX.zeros(3), ca.SX.zeros(3), ca.SX([0.0, 0.0, GRAVITY])
    forces, moments, relative = [], [], w
    for part, angle, rate, rate_dot in zip(chain, *map(ca.vertsplit, (q, v, a)), strict=True):
        R, n, r = rotation(part.axis, angle), ca.DM(part.axis), ca.DM(part.place)
        acceleration = R.T @ (acceleration + ca.cross(dw, r) + ca.cross(w, ca.cross(w, r)))
        w, dw = R.T @ w, R.T @ dw
        dw = dw + n * rate_dot + ca.cross(w, n * rate)
        w = w + n * rate
        c, J = ca.DM(part.center), ca.diag(ca.DM(part.inertia))
        of_center = acceleration + ca.cross(dw, c) + ca.cross(w, ca.cross(w, c))
        force = part.mass * of_center
        forces.append(force)
        moments.append(J @ dw + ca.cross(w, J @ w) + ca.cross(c, force))
        turns.append(R)
        if len(turns) == 3:  # the torso is at rest: that of the upper arm, in the torso
            relative = turns[0] @ turns[1] @ turns[2] @ w
    f, m, at_hinges = ca.SX.zeros(3), ca.SX.zeros(3), []
    for k in reversed(range(6)):
        if k < 5:
            f = turns[k + 1] @ f
            m = turns[k + 1] @ m + ca.cross(ca.DM(chain[k + 1].place), f)
        f, m = f + forces[k], m + moments[k]
        at_hinges.insert(0, ca.dot(ca.DM(chain[k].axis), m))
    at_shoulder = turns[0] @ m + SHOULDER_DAMPING * relative
    resisted = [at_hinges[3 + k] + b * v[3 + k] for k, b in enumerate(HINGE_DAMPING)]
    return ca.vertcat(at_shoulder, *resisted)


class Motion(NamedTuple):
    """Optimum of an arm: objective, and angles and torques as functions of time."""

    objective: float
    angles: Any
    torques: Any


def straight(t):
    """Way from 0 to 1 in a second, its rate and its acceleration."""
    return (10 * t**3 - 15 * t**4 + 6 * t**5, 30 * t**2 - 60 * t**3 + 30 * t**4,
            60 * t - 180 * t**2 + 120 * t**3)  # fmt: skip


def gauss(m):
    """Points c (m,) in [0, 1], matrix and weights of the Runge-Kutta method, and a polynomial.

    The latter (m, m) has coefficients of powers by row, for values at the points by column.
    """
    c, power = np.array(ca.collocation_points(m, "legendre")), np.arange(m) + 1
    polynomial = np.linalg.inv(np.vander(c, increasing=True))
    return c, (c[:, None] ** power / power) @ polynomial, (1.0 / power) @ polynomial, polynomial


def collocated(side, n):
    """The optimum of one arm over a second with n elements, which are shorter towards both ends.

    There the forearm turns with a time constant of 15 ms (its inertia over its damping).
    Unknowns are the states between elements, and accelerations at the Gauss points of each. Rates
    and angles follow by the Runge-Kutta method of these points; the angles by its matrix twice. The
    double integral of the polynomial would be simpler, but is not symplectic: the order falls to 4.
    """
    s, m = SIDES[side], ORDER // 2
    ends = 0.5 * (1.0 - np.cos(np.pi * np.arange(n + 1) / n))
    lengths = np.diff(ends)
    c, matrix, weights, polynomial = gauss(m)

    q, v, a = (ca.SX.sym(name, 6) for name in "qva")
    torque = ca.Function("torque", [q, v, a], [torques(s, q, v, a)])
    state, acting = ca.SX.sym("state", 12), ca.SX.sym("acting", 6, m)
    own, h, cost = (state[:6], state[6:]), ca.SX.sym("h"), 0.0
    for j in range(m):
        angles = own[0] + h * c[j] * own[1] + h * h * acting @ ca.DM(matrix[j] @ matrix)
        rates = own[1] + h * acting @ ca.DM(matrix[j])
        share = torque(angles, rates, acting[:, j]) / ca.DM(LARGEST)
        cost += h * weights[j] * ca.sumsqr(share)
    after = ca.vertcat(
        own[0] + h * own[1] + h * h * acting @ ca.DM(weights @ matrix),
        own[1] + h * acting @ ca.DM(weights),
    )
    element = ca.Function("element", [state, acting, h], [after, cost])

    first, last = (np.concatenate([one, np.zeros(6)]) for one in (START, ENDS[side]))
    way = (last - first)[:6]
    states = [ca.MX.sym(f"state{k}", 12) for k in range(n + 1)]
    inner = [ca.MX.sym(f"acting{k}", 6, m) for k in range(n)]
    found = [element(*given) for given in zip(states[:-1], inner, lengths, strict=True)]
    joined = [one[0] - after for one, after in zip(found, states[1:], strict=True)]
    x, y, _ = straight(ends)
    guess = np.concatenate([first[:6] + np.outer(x, way), np.outer(y, way)], axis=1)
    bends = np.outer(straight(ends[:-1, None] + lengths[:, None] * c)[2], way)
    free = np.full(12 * (n - 1), np.inf)
    more = np.full(6 * m * n, np.inf)
    solver = ca.nlpsol(
        "arm", "ipopt",
        {"x": ca.vertcat(*states, *map(ca.vec, inner)), "f": sum(one[1] for one in found),
         "g": ca.vertcat(*joined)},
        {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-11},
    )  # fmt: skip
    optimum = solver(
        x0=np.concatenate([guess.ravel(), bends.ravel()]), lbg=0.0, ubg=0.0,
        lbx=np.concatenate([first, -free, last, -more]),
        ubx=np.concatenate([first, free, last, more]),
    )  # fmt: skip
    assert solver.stats()["success"], side
    x = np.array(optimum["x"]).ravel()
    nodes = x[: 12 * (n + 1)].reshape(n + 1, 12)
    accelerations = x[12 * (n + 1) :].reshape(n, m, 6)

    def moved(time):
        """Angles, rates and accelerations (18,) at a time."""
        k = min(int(np.searchsorted(ends, time, side="right")) - 1, n - 1)
        h = lengths[k]
        z = (time - ends[k]) / h
        power = np.arange(m) + 1
        here, until = z ** (power - 1) @ polynomial, z**power / power @ polynomial
        q, v, a = nodes[k, :6], nodes[k, 6:], accelerations[k]
        dq, dv = until @ (v + h * matrix @ a), until @ a
        return np.concatenate([q + h * dq, v + h * dv, here @ a])

    def acting_at(time):
        return np.array(torque(*np.split(moved(time), 3))).ravel()

    return Motion(float(optimum["f"]), lambda time: moved(time)[:6], acting_at)


@pytest.fixture(scope="module")
def reference():
    return {side: collocated(side, 40) for side in SIDES}


_KNOWN = {}


@pytest.fixture
def solve(brief):
    """The scene."""

    def solved(steps):
        if steps not in _KNOWN:
            _KNOWN[steps] = fm.make_scene("upper_body", steps=steps).solve(progress=False)
        return _KNOWN[steps]

    return solved


def objective(motions):
    return sum(one.objective for one in motions.values())


@pytest.mark.parametrize("s", SIDES.values())
def test_the_reference_obeys_lagrange(s, rng):
    """Newton-Euler against the energies of the bodies, by differentiation of their places."""
    q, v, a = (ca.SX.sym(name, 6) for name in "qva")
    R, x, kinetic, potential = ca.SX.eye(3), ca.SX.zeros(3), 0.0, 0.0
    relative = ca.SX.zeros(3)
    for k, part in enumerate(parts(s)):
        x, R = x + R @ ca.DM(part.place), R @ rotation(part.axis, q[k])
        center = x + R @ ca.DM(part.center)
        speed, spin = ca.jtimes(center, q, v), R.T @ ca.reshape(ca.jtimes(ca.vec(R), q, v), 3, 3)
        w = ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
        kinetic += 0.5 * part.mass * ca.sumsqr(speed)
        kinetic += 0.5 * ca.dot(w, ca.DM(part.inertia) * w)
        potential += part.mass * GRAVITY * center[2]
        if k == 2:
            turn = R @ spin @ R.T  # of the upper arm, in the torso
            relative = ca.vertcat(turn[2, 1], turn[0, 2], turn[1, 0])
    p = ca.gradient(kinetic, v)
    left = ca.jtimes(p, q, v) + ca.jtimes(p, v, a) - ca.gradient(kinetic - potential, q)
    acting = torques(s, q, v, a)
    at_shoulder = ca.jacobian(relative, v).T @ (acting[:3] - SHOULDER_DAMPING * relative)
    at_hinges = acting[3:] - ca.DM(HINGE_DAMPING) * v[3:]
    balance = left - at_shoulder - ca.vertcat(ca.SX.zeros(3), at_hinges)
    off = ca.Function("off", [q, v, a], [balance, left])
    for _ in range(5):
        rest, terms = (np.array(one) for one in off(*rng.normal(size=(3, 6))))
        assert np.abs(rest).max() < 1e-13 * (1.0 + np.abs(terms).max())


@pytest.mark.slow
def test_optima_of_two_arms_converge_with_order_two_to_another_transcription(reference, solve):
    exact = objective(reference)
    errors = np.array([solve(n).objective - exact for n in (25, 50, 100)])
    assert abs(errors[-1]) < 1e-6
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx([1.97, 1.99], abs=0.02)


def shoulder(s, angles):
    """Rotations of the upper arm in the torso at angles (n, 6)."""
    turns = [
        Rotation.from_rotvec(np.outer(angles[:, k], part.axis))
        for k, part in enumerate(parts(s)[:3])
    ]
    return turns[0] * turns[1] * turns[2]


def difference(own, side, motion):
    """Largest ones of rotation and angles at nodes [rad], and of torques over their largest.

    Torques at the middles of intervals, in the middle half of the second: near its ends those of
    the forearm change with a time constant of 15 ms, less than an interval of 25 steps.
    """
    hinges = [f"{name}_{side}" for name in ("elbow", "forearm", "wrist")]
    angles = np.array([motion.angles(t) for t in own.time])
    quaternions = np.transpose([own.coordinates[f"shoulder_{side}_{name}"] for name in "xyzw"])
    off = shoulder(SIDES[side], angles).inv() * Rotation.from_quat(quaternions)
    bent = np.transpose([own.coordinates[name] for name in hinges]) - angles[:, 3:]
    middles = 0.5 * (own.time[1:] + own.time[:-1])
    inner = np.abs(middles - 0.5) < 0.25
    given = [own.controls[name] for name in (*(f"shoulder_{side}_{c}" for c in "xyz"), *hinges)]
    acting = np.array([motion.torques(t) for t in middles[inner]])
    pulled = np.abs((np.transpose(given)[inner] - acting) / LARGEST)
    return [max(off.magnitude().max(), np.abs(bent).max()), pulled.max()]


def test_motions_and_torques_are_those_of_the_other_transcription(reference, solve):
    errors = np.array(
        [
            np.max([difference(solve(n), *one) for one in reference.items()], axis=0)
            for n in (25, 50, 100)
        ]
    )
    assert np.all(errors[-1] < (2e-3, 2e-4))
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.slow
def test_the_reference_converges_with_the_order_of_its_points(reference):
    others = ({side: collocated(side, n) for side in SIDES} for n in (20, 80))
    coarse, fine = map(objective, others)
    steps = objective(reference) - coarse, fine - objective(reference)
    assert np.log2(steps[0] / steps[1]) == pytest.approx(ORDER, abs=0.2)
    assert abs(steps[1]) < 2e-10
