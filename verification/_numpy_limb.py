"""The upper limb in plain NumPy, transcribed from the paper: a slow reference.

Gfrerer and Simeon (2021), G, section 5.4, with the corrected numbers of scenes/upper_limb.py. Loops
over elements and Gauss points in Python, `np.roots` for closest points, analytical tangents (G,
appendix), full Newton with the safeguard of G 69-73, backward Euler of G 64 with the multipliers
eliminated by G 62-63, scipy's sparse LU with its default ordering. Bounding spheres skip elements
that are too far for contact, which G 4.3 ("possible contact element") leaves open, as it does the
initial guess of Newton's method, here the state before the step. Nothing of the package is used.

The unknowns are those of all nodes, the attached ones too, and the joint's angle q. Rows of the
attached positions are the constraints c(q) - B u = 0.
"""

import time
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from _numpy_contact import (
    Inadmissible,
    Near,
    bone_traction,
    closest_on_axis,
    closest_on_fiber,
    curve_of,
    fiber_traction,
    largest_share,
)
from _numpy_fiber import internal_force, mass_and_weight, straight_fiber
from scipy.sparse.linalg import splu

GRAVITY = np.array([0.0, 0.0, -9.81])
ELBOW = np.array([0.0, 0.0, -0.351])
AXIS = np.array([0.0, -1.0, 0.0])  # flexion takes the hand to +x
LENGTH, MASS, RADIUS, DAMPING = 0.287, 1.5, 0.035, 0.2
ELBOW_INERTIA = MASS * ((3.0 * RADIUS**2 + LENGTH**2) / 12.0 + 0.25 * LENGTH**2)
FIBER_LAW, BONE_LAW = (768.0, 3.0), (768.0, 4.0)
TISSUE = {
    "density": 900.0,
    "mu_muscle": 2e4,
    "mu_tendon": 1e6,
    "eta": 1e4,
    "lam_opt": 1.3,
    "width": 0.3,
    "nu": 4.0,
}
BICEPS = TISSUE | {"S_max": 4.2e7, "prestress": 32.7e3}
TRICEPS = TISSUE | {"S_max": 1.4e7, "prestress": 16e3}
MUSCLES = [((0.05, y, -0.01), (0.045, y, -0.045), BICEPS) for y in (-0.013, 0.013)] + [
    ((-0.05, y, -0.02), (-0.05, y, -0.03), TRICEPS) for y in (-0.026, 0.0, 0.026)
]
"""Origin on the upper arm, insertion on the forearm relative to the elbow [m], tissue."""

TOLERANCE, MOST_ITERATIONS, KEEP = 1e-7, 40, 0.1
"""Newton's method stops after an increment below TOLERANCE (of fiber lengths, of rad); delta-bar of
G 71."""


class Bone(NamedTuple):
    """A cylinder around the segment from start to end, or the infinite line."""

    name: str
    start: np.ndarray
    end: np.ndarray
    radius: float
    infinite: bool
    moves: bool


class State(NamedTuple):
    """Positions u and velocities v of all nodes, angle q [rad], speed p [rad/s]."""

    u: np.ndarray
    v: np.ndarray
    q: float
    p: float


class Triplets:
    """Entries of a sparse matrix, assembled by blocks."""

    def __init__(self):
        self.rows, self.columns, self.values = [], [], []

    def add(self, rows, columns, block):
        """Add a dense block."""
        self.rows.append(np.repeat(rows, len(columns)))
        self.columns.append(np.tile(columns, len(rows)))
        self.values.append(block.ravel())

    def matrix(self, n):
        """Sum of all blocks, (n, n)."""
        parts = (np.concatenate(part) for part in (self.values, self.rows, self.columns))
        values, rows, columns = parts
        return sp.csr_array((values, (rows, columns)), shape=(n, n))


class Forces(NamedTuple):
    """Forces at a configuration and their derivatives.

    fibers (n,) on the nodes, K_u and K_v (n, n) minus its derivatives in u and v, K_q (n,) minus
    that in q; joint, and its derivatives joint_u (n,) and joint_q: moment of contact on the
    forearm.
    """

    fibers: np.ndarray
    K_u: sp.csr_array
    K_v: sp.csr_array
    K_q: np.ndarray
    joint: float
    joint_u: np.ndarray
    joint_q: float
    nears: list


def turned(q, point):
    """Position in ground of a point of the forearm, given relative to the elbow at q = 0."""
    c, s = np.cos(q), np.sin(q)
    x, y, z = point
    return ELBOW + np.array([c * x - s * z, y, s * x + c * z])


def bones_at(q):
    """The three cylinders."""
    tip = turned(q, (0.0, 0.0, -LENGTH))
    return [
        Bone("upper_arm", np.zeros(3), ELBOW, RADIUS, False, False),
        Bone("forearm", ELBOW, tip, RADIUS, False, True),
        Bone("wrapping", ELBOW, ELBOW + AXIS, RADIUS, True, False),
    ]


class Limb:
    """The fibers, their constant matrices, and their attachments."""

    def __init__(self, elements):
        self.fibers, self.attached, first = [], [], 0
        for origin, insertion, tissue in MUSCLES:
            fiber = straight_fiber(origin, ELBOW + insertion, elements, tissue, first)
            self.fibers.append(fiber)
            self.attached.append((first, np.array(origin), False))
            first += fiber.X.size
            self.attached.append((first - 6, np.array(insertion), True))
        self.n = first
        masses, self.weight = Triplets(), np.zeros(first)
        for fiber in self.fibers:
            for e in range(fiber.n):
                dofs = fiber.dofs(e)
                mass, weight = mass_and_weight(fiber, e, GRAVITY)
                masses.add(dofs, dofs, mass)
                self.weight[dofs] += weight
        self.mass = masses.matrix(self.n)
        self.dependent = np.zeros(self.n, bool)
        for i, _, _ in self.attached:
            self.dependent[i : i + 3] = True

    def start(self):
        """State at rest in the reference shape."""
        u = np.concatenate([fiber.X for fiber in self.fibers])
        return State(u, np.zeros(self.n), 0.0, 0.0)

    def constraints(self, q):
        """Positions c(q) at the attached unknowns, their first and second derivatives, (n,)."""
        c, C, C_q = (np.zeros(self.n) for _ in range(3))
        for i, point, moves in self.attached:
            at = slice(i, i + 3)
            c[at] = point
            if moves:
                c[at] = turned(q, point)
                C[at] = np.cross(AXIS, c[at] - ELBOW)
                C_q[at] = np.cross(AXIS, C[at])
        return c, C, C_q

    def forces(self, t, u, v, q):
        """Forces of stress, weight and contact; raises Inadmissible."""
        force, K_u, K_v, nears = self.weight.copy(), Triplets(), Triplets(), []
        K_q, joint, joint_u, joint_q = np.zeros(self.n), 0.0, np.zeros(self.n), 0.0
        curves = [curve_of(f, u[f.first : f.first + f.X.size]) for f in self.fibers]
        bones = bones_at(q)
        for i, fiber in enumerate(self.fibers):
            alpha = activation(t, i)
            for e in range(fiber.n):
                dofs = fiber.dofs(e)
                xe = u[dofs]
                inner, E_u, E_v = internal_force(fiber, e, xe, v[dofs], alpha)
                force[dofs] -= inner
                K_v.add(dofs, dofs, E_v)
                for j, other in enumerate(self.fibers):
                    if j != i:
                        E_u -= self.fiber_contact(curves, u, i, e, j, other, force, K_u, nears)
                for bone in bones:
                    on_fiber, E_bone, moved = bone_contact(fiber, i, e, xe, curves[i], bone, nears)
                    force[dofs] += on_fiber
                    E_u -= E_bone
                    if moved is not None:
                        K_q[dofs] -= moved[0]
                        joint += moved[1]
                        joint_u[dofs] += moved[2]
                        joint_q += moved[3]
                K_u.add(dofs, dofs, E_u)
        matrices = K_u.matrix(self.n), K_v.matrix(self.n)
        return Forces(force, *matrices, K_q, joint, joint_u, joint_q, nears)

    def fiber_contact(self, curves, u, i, e, j, other, force, K_u, nears):
        """Half pass of element e of fiber i against fiber j.

        Adds to force, K_u and nears; returns the derivative of the element's own force in its own
        unknowns (12, 12).
        """
        fiber, mine, curve = self.fibers[i], curves[i], curves[j]
        own = np.zeros((12, 12))
        apart = np.sqrt(((curve.centers - mine.centers[e]) ** 2).sum(axis=1)) - curve.balls
        apart -= mine.balls[e]
        touching = mine.thick[e] + curve.thick
        f = np.argmin(apart - touching)
        if apart[f] >= touching[f]:
            sizes = mine.thick[e], mine.thin, curve.thick[f], curve.thin, 0.0
            nears.append(Near(i, e, j, FIBER_LAW[1], apart[f], *sizes))
            return own
        dofs = fiber.dofs(e)
        xe = u[dofs]
        for point in fiber.points[e]:
            f, xi, d = closest_on_fiber(curve, point.N @ xe)
            partner = other.dofs(f)
            radii, lengths, T, T_x, T_y = fiber_traction(
                point, xe, other, u[partner], f, xi, FIBER_LAW
            )
            sizes = radii[0], lengths[0], radii[1], lengths[1], 0.0
            nears.append(Near(i, e, j, FIBER_LAW[1], d, *sizes))
            if T is None:
                continue
            NT = point.weight * point.N.T
            force[dofs] += NT @ T
            own += NT @ T_x
            K_u.add(dofs, partner, -(NT @ T_y))
        return own


def bone_contact(fiber, i, e, xe, curve, bone, nears):
    """Contact of an element with a bone.

    Returns the force on the element (12,), its derivative in xe, and for a bone that moves: the
    force's derivative in q (12,), the moment about the joint, its derivatives in xe and q.
    """
    on_fiber, K = np.zeros(12), np.zeros((12, 12))
    m, _ = closest_on_axis(bone, curve.centers[e])
    apart = np.linalg.norm(m) - curve.balls[e]
    if apart > curve.thick[e] + bone.radius:
        lever = np.linalg.norm(curve.centers[e] - ELBOW) + curve.balls[e] if bone.moves else 0.0
        sizes = curve.thick[e], curve.thin, bone.radius, 1.0, lever
        nears.append(Near(i, e, bone.name, BONE_LAW[1], apart, *sizes))
        return on_fiber, K, None
    by_q, moment, moment_x, moment_q = np.zeros(12), 0.0, np.zeros(12), 0.0
    for point in fiber.points[e]:
        x, m, r_x, length, T, dT_dx, T_x = bone_traction(point, xe, bone, BONE_LAW)
        arm = x - ELBOW
        lever = np.linalg.norm(arm) if bone.moves else 0.0
        sizes = r_x, length, bone.radius, 1.0, lever
        nears.append(Near(i, e, bone.name, BONE_LAW[1], np.linalg.norm(m), *sizes))
        if T is None:
            continue
        NT = point.weight * point.N.T
        on_fiber += NT @ T
        K += NT @ T_x
        if bone.moves:
            # T depends only on x relative to the bone: rotate the bone, or x inversely
            across = np.cross(AXIS, arm)
            T_q = np.cross(AXIS, T) - dT_dx @ across
            by_q += NT @ T_q
            # the reaction acts at the nearest point of the axis, on the line of T through x
            moment -= point.weight * (across @ T)
            moment_x -= point.weight * (np.cross(T, AXIS) @ point.N + across @ T_x)
            moment_q -= point.weight * (across @ T_q)
    return on_fiber, K, (by_q, moment, moment_x, moment_q) if bone.moves else None


def activation(t, i):
    """Activation of fiber i, G 78."""
    if i < 2:
        return 0.0704 * np.tanh(np.pi * t) + 0.0608 * np.sin(np.pi * t)
    return 0.008 * (1.0 - np.cos(np.pi * t))


class System(NamedTuple):
    """Residual (n + 1,) of G 64 at an iterate, its matrix, and the safeguard's data.

    multipliers (n,) are the forces that hold the attached ends, zero elsewhere, G 62.
    """

    residual: np.ndarray
    matrix: sp.csc_array
    multipliers: np.ndarray
    nears: list


def velocities(limb, old, dt, u, q):
    """Velocities at the end of a step: v_D = C(q) p at attached ends, differences elsewhere."""
    _, C, _ = limb.constraints(q)
    p = (q - old.q) / dt
    return np.where(limb.dependent, C * p, (u - old.u) / dt), p


def step_system(limb, old, t, dt, u, q):
    """Equations of one step and their matrix."""
    c, C, C_q = limb.constraints(q)
    v, p = velocities(limb, old, dt, u, q)
    found = limb.forces(t, u, v, q)
    free = (~limb.dependent).astype(float)
    # all nodal equations of G 54b, without the multipliers
    r = limb.mass @ ((v - old.v) / dt) - found.fibers
    r_v = limb.mass / dt + found.K_v
    r_u = found.K_u + r_v @ sp.diags_array(free / dt)
    r_q = found.K_q + r_v @ (C / dt + C_q * p)
    # joint: G 63a, C^T r is the multipliers' part, G 62
    level = 0.5 * LENGTH * MASS * GRAVITY[2]
    body = ELBOW_INERTIA * (p - old.p) / dt + DAMPING * p - level * np.sin(q) - found.joint + C @ r
    body_u = -found.joint_u + C @ r_u
    body_q = ELBOW_INERTIA / dt**2 + DAMPING / dt - level * np.cos(q) - found.joint_q
    body_q += C_q @ r + C @ r_q
    # rows: G 63b where free, G 63c where attached
    rows = sp.diags_array(free) @ r_u - sp.diags_array(1.0 - free)
    column = np.where(limb.dependent, C, r_q)
    matrix = sp.block_array(
        [[rows, sp.csr_array(column[:, None])], [sp.csr_array(body_u[None, :]), [[body_q]]]],
        format="csc",
    )
    residual = np.append(np.where(limb.dependent, c - u, r), body)
    return System(residual, matrix, (1.0 - free) * r, found.nears)


def scales(limb):
    """Size of each unknown: length of its fiber [m], 1 rad."""
    sizes = [np.full(f.X.size, np.linalg.norm(f.X[3:6])) for f in limb.fibers]
    return np.concatenate([*sizes, [1.0]])


def advance(limb, old, t, dt, tolerance=TOLERANCE):
    """One step of backward Euler to the time t; state and number of Newton iterations."""
    u, q, scale = old.u, old.q, scales(limb)
    current = step_system(limb, old, t, dt, u, q)
    for iteration in range(1, MOST_ITERATIONS + 1):
        increment = splu(current.matrix).solve(-current.residual)
        if not np.isfinite(increment).all():
            raise RuntimeError(f"t = {t}: NaN or infinity in iteration {iteration}")
        share = largest_share(limb.fibers, current.nears, increment[:-1], increment[-1], KEEP)
        if share == 1.0 and np.abs(increment / scale).max() <= tolerance:
            u, q = u + increment[:-1], q + increment[-1]
            v, p = velocities(limb, old, dt, u, q)
            return State(u, v, float(q), float(p)), iteration
        while True:
            trial_u, trial_q = u + share * increment[:-1], q + share * increment[-1]
            try:
                current = step_system(limb, old, t, dt, trial_u, trial_q)
                break
            except Inadmissible:
                # the estimate is not strict: halve
                share *= 0.5
        u, q = trial_u, trial_q
    raise RuntimeError(f"t = {t}: no convergence in {MOST_ITERATIONS} iterations")


def simulate(elements, steps_per_8s, n_steps, tolerance=TOLERANCE):
    """First steps of the motion.

    Parameters
    ----------
    elements : int
        Finite elements per fiber.
    steps_per_8s : int
        A step takes 8 s over this number.
    n_steps : int
        Number of steps.
    tolerance : float
        Tolerance of Newton increments, relative to the fiber's length or 1 rad.

    Returns
    -------
    times, angles : (n_steps + 1,) arrays
        [s], [rad].
    iterations : (n_steps,) int array
        Of Newton's method.
    """
    states, iterations, _ = march(elements, steps_per_8s, n_steps, tolerance)
    times = 8.0 / steps_per_8s * np.arange(n_steps + 1)
    return times, np.array([state.q for state in states]), np.array(iterations)


def time_steps(elements, steps_per_8s, n_steps):
    """Median wall time of the first steps [s], without the set-up; parameters as in `simulate`."""
    return float(np.median(march(elements, steps_per_8s, n_steps)[2]))


def march(elements, steps_per_8s, n_steps, tolerance=TOLERANCE):
    """States from t = 0 on, with Newton iterations and wall time [s] of each step."""
    limb, dt = Limb(elements), 8.0 / steps_per_8s
    states, iterations, seconds = [limb.start()], [], []
    for i in range(1, n_steps + 1):
        began = time.perf_counter()
        state, count = advance(limb, states[-1], i * dt, dt, tolerance)
        seconds.append(time.perf_counter() - began)
        states.append(state)
        iterations.append(count)
    return states, iterations, seconds
