"""Backward Euler for fibers and bodies with all positions and multipliers unknown (G 54, 64).

Unlike G 62-63 nothing is eliminated: the unknowns of a step are every nodal position and tangent,
the coordinates q and the multipliers lambda of the attachments. Dense Newton method; the tangent is
taken column by column with the complex step.
"""

from dataclasses import dataclass

import numpy as np

from . import cable as fiber
from . import rigid
from .contact import Inadmissible, bone_contact, fiber_contact
from .upper_limb import upper_limb

STEP = 1e-30
ENDS = (0, -1)


@dataclass
class State:
    """State at one time; `lam` (n_cables, 2, 3) is the force [N] of the attachment ON the fiber."""

    t: float
    q: np.ndarray  # (n_q,)
    p: np.ndarray  # (n_q,)
    x: list  # per cable (n+1, 6)
    v: list  # per cable (n+1, 6)
    lam: np.ndarray
    history: list  # largest residual force [N] before each Newton iteration and at the end
    records: dict  # (cable, 'fiber' or 'bone', partner) -> list of ContactPoint

    @property
    def pull_on_bone(self):
        """-lambda: the pull [N] of the fibers on the bodies."""
        return -self.lam


def initial_state(system):
    """Rest at t = 0 in the reference shape, u = v = q = p = 0."""
    n_q = rigid.n_coordinates(system.bodies)
    x = [cable.X.copy() for cable in system.cables]
    v = [np.zeros_like(X) for X in x]
    lam = np.zeros((len(x), 2, 3))
    return State(0.0, np.zeros(n_q), np.zeros(n_q), x, v, lam, [], {})


def contact_forces(system, x, q, keys=None):
    """All contact forces, or those of the pairs in `keys` (as in the records) only.

    Returns
    -------
    forces : list of (n+1, 6) array
        On each fiber.
    Q : (n_q,) array
        Generalized force on the bodies.
    records : dict
    """
    forces = [np.zeros(nodes.shape, dtype=nodes.dtype) for nodes in x]
    Q, records = np.zeros(len(q), dtype=q.dtype), {}
    bones = [rigid.bone_in_ground(system.bodies, q, bone) for bone in system.bones]
    for i, cable in enumerate(system.cables):
        for j, other in enumerate(system.cables):
            if i == j or not (keys is None or (i, "fiber", j) in keys):
                continue
            force, found = fiber_contact(cable, x[i], other, x[j], *system.fiber_law, system.points)
            forces[i] = forces[i] + force
            records[i, "fiber", j] = found
        for j, bone in enumerate(bones):
            if not (keys is None or (i, "bone", j) in keys):
                continue
            force, resultant, moment, found = bone_contact(
                cable, x[i], bone, *system.bone_law, system.points
            )
            forces[i] = forces[i] + force
            Q = Q + rigid.wrench_force(system.bodies, q, bone["body"], resultant, moment)
            records[i, "bone", j] = found
    return forces, Q, records


def pack(x, q, lam):
    """One vector of unknowns: nodes of all cables, q, multipliers."""
    return np.concatenate([*(nodes.ravel() for nodes in x), q, lam.ravel()])


def unpack(system, z):
    """Inverse of `pack`."""
    x, start = [], 0
    for cable in system.cables:
        x.append(z[start : start + cable.X.size].reshape(cable.X.shape))
        start += cable.X.size
    n_q = rigid.n_coordinates(system.bodies)
    return x, z[start : start + n_q], z[start + n_q :].reshape(len(x), 2, 3)


def end_velocities(system, old, x, q, dt):
    """Velocities of all nodes and p at the end of the step.

    Notes
    -----
    First two lines of G 64; at the attached ends v_D = C(q)p, its last line.
    """
    p = (q - old.q) / dt
    v = [(new - before) / dt for new, before in zip(x, old.x, strict=True)]
    for i, ends in enumerate(system.ends):
        for node, (body, point) in zip(ENDS, ends, strict=True):
            v[i][node, :3] = rigid.jacobian(system.bodies, q, body, point) @ p
    return v, p


def residual(system, old, masses, dt, z, keys=None):
    """Residual of one step.

    Parameters
    ----------
    system : upper_limb.System
    old : State
    masses : list of array
        `cable.mass_matrix` of each cable.
    dt : float
        Step [s].
    z : (n,) array
        Unknowns, see `pack`.
    keys : collection, optional
        The contact pairs to evaluate, all by default; see `contact_forces`.

    Returns
    -------
    r : (n,) array
        Fiber rows M (v1 - v0)/dt - R_int - R_contact - R_body - B^T lambda [N]; body rows
        M(q) (p1 - p0)/dt + h + damping - R_RB + C^T lambda [N m]; constraints c(q) - x_D [m].
    records : dict
        See `contact_forces`.
    """
    x, q, lam = unpack(system, z)
    t = old.t + dt
    v, p = end_velocities(system, old, x, q, dt)
    contact, Q, records = contact_forces(system, x, q, keys)
    body_rows = rigid.inverse_dynamics(system.bodies, q, p, (p - old.p) / dt, system.gravity) - Q
    fiber_rows, constraints = [], []
    for i, cable in enumerate(system.cables):
        inertia = (masses[i] @ ((v[i] - old.v[i]) / dt).ravel()).reshape(x[i].shape)
        stress = fiber.internal_force(cable, x[i], v[i], system.activations[i](t))
        row = inertia - stress - contact[i] - fiber.body_force(cable, system.gravity)
        for k, (node, (body, point)) in enumerate(zip(ENDS, system.ends[i], strict=True)):
            row[node, :3] -= lam[i, k]
            body_rows = body_rows + rigid.jacobian(system.bodies, q, body, point).T @ lam[i, k]
            constraints.append(rigid.position(system.bodies, q, body, point) - x[i][node, :3])
        fiber_rows.append(row.ravel())
    return np.concatenate([*fiber_rows, body_rows, *constraints]), records


def tangent(system, old, masses, dt, z, records):
    """Jacobian of `residual` (n, n) by the complex step, one column at a time.

    Contact pairs that cannot change the column are left out: those without a point in contact
    according to `records` at `z`, and those that do not involve the moved fiber.
    """
    touching = [key for key, points in records.items() if points]
    owner = [i for i, cable in enumerate(system.cables) for _ in range(cable.X.size)]
    K = np.empty((len(z), len(z)))
    for j in range(len(z)):
        i = owner[j] if j < len(owner) else None
        keys = [k for k in touching if i is None or i == k[0] or k[1:] == ("fiber", i)]
        moved = z.astype(complex)
        moved[j] += 1j * STEP
        K[:, j] = np.imag(residual(system, old, masses, dt, moved, keys)[0]) / STEP
    return K


def margins(records, laws):
    """1 + gamma g of every contact point (G 70); points out of contact count as 1."""
    return {
        (*key, point.element, point.point): 1.0 + laws[key[1]] * np.real(point.gap)
        for key, points in records.items()
        for point in points
    }


def largest_factor(system, z, dz):
    """Largest share of a Newton update which cannot carry a fiber across another one (G 69-73).

    No point may move farther than (1 - 1/gamma) times the smallest radius, half of the least
    thickness of the inadmissible zone between two fibers.
    """
    x, _, _ = unpack(system, z)
    dx, _, _ = unpack(system, dz)
    radii, moves = [], []
    for cable, nodes, change in zip(system.cables, x, dx, strict=True):
        data = cable.points()
        values = [fiber.element_values(a) for a in (nodes, change, cable.X)]
        a1, A1 = (
            np.linalg.norm(np.einsum("eka,eai->eki", data.dN, a), axis=-1)
            for a in (values[0], values[2])
        )
        radii.append(np.min(data.r0 * np.sqrt(A1 / a1)))
        moves.append(np.max(np.linalg.norm(np.einsum("eka,eai->eki", data.N, values[1]), axis=-1)))
    allowed = (1.0 - 1.0 / system.fiber_law[1]) * min(radii)
    return min(1.0, allowed / max(max(moves), 1e-300))


def step(system, old, dt, masses=None, tolerance=1e-9, max_iterations=60):
    """One backward Euler step.

    Parameters
    ----------
    system : upper_limb.System
    old : State
    dt : float
        Step [s].
    masses : list of array, optional
        Mass matrices of the cables, computed here by default.
    tolerance : float
        On the largest force residual [N]; the constraints are held to 1e-12 m.
    max_iterations : int

    Returns
    -------
    new : State
        Its `history` holds the largest force residual before each iteration and at the end.

    Raises
    ------
    RuntimeError
        If Newton's method does not converge.

    Notes
    -----
    The tangent is kept while the residual falls at least tenfold per iteration. A step is
    halved while it leaves the admissible zone, or while any 1 + gamma g falls below a tenth of
    its value (G 71 with delta = 0.1).
    """
    masses = [fiber.mass_matrix(cable) for cable in system.cables] if masses is None else masses
    laws = {"fiber": system.fiber_law[1], "bone": system.bone_law[1]}
    z = pack(old.x, old.q, old.lam)
    r, records = residual(system, old, masses, dt, z)
    n_force = len(z) - old.lam.size
    history, K = [np.max(np.abs(r[:n_force]))], None
    while history[-1] > tolerance or np.max(np.abs(r[n_force:])) > 1e-12:
        if len(history) > max_iterations:
            raise RuntimeError(f"no convergence at t = {old.t + dt}: {history}")
        if K is None or history[-1] > 0.1 * history[-2]:
            K = tangent(system, old, masses, dt, z, records)
        dz = -np.linalg.solve(K, r)
        delta, before = largest_factor(system, z, dz), margins(records, laws)
        while True:
            try:
                r, records = residual(system, old, masses, dt, z + delta * dz)
                after = margins(records, laws)
                if all(eps > 0.1 * before.get(key, 1.0) for key, eps in after.items()):
                    break
            except Inadmissible:
                pass
            delta *= 0.5
            if delta < 1e-10:
                raise RuntimeError(f"no admissible step at t = {old.t + dt}: {history}")
        z = z + delta * dz
        history.append(np.max(np.abs(r[:n_force])))
    x, q, lam = unpack(system, z)
    v, p = end_velocities(system, old, x, q, dt)
    return State(old.t + dt, q, p, x, v, lam, history, records)


def run(n_e, dt, n_steps):
    """Simulate the upper limb.

    Parameters
    ----------
    n_e : int
        Elements per fiber.
    dt : float
        Step [s].
    n_steps : int

    Returns
    -------
    states : list of State
        n_steps + 1 of them, the first at t = 0.
    """
    system = upper_limb(n_e)
    masses = [fiber.mass_matrix(cable) for cable in system.cables]
    states = [initial_state(system)]
    for _ in range(n_steps):
        states.append(step(system, states[-1], dt, masses))
    return states
