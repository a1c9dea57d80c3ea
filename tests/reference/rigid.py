"""Open tree of rigid bodies with revolute joints in minimal coordinates (G 45-48, 59).

A body is a dict: parent (index, -1 is ground), at (joint centre in the parent), child_at (the same
point in the body), rotation (3x3, orientation of the body in the parent at q = 0), axis (of the
joint, in the parent's axes; None for a weld), mass [kg], com (3,), inertia (3x3 about the com, body
axes), damping [N m s/rad]. Parents come before their children; coordinates are numbered likewise.
Everything is analytic in q, so first derivatives come from the complex step, exact to rounding.
"""

import numpy as np

STEP = 1e-30


def coordinates(bodies):
    """Index of each body's coordinate, or None for a weld."""
    count, index = 0, []
    for body in bodies:
        index.append(None if body["axis"] is None else count)
        count += body["axis"] is not None
    return index


def skew(a):
    """Matrix of the cross product, skew(a) @ b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rotation_about(axis, angle):
    """Rotation by `angle` about the unit vector `axis` (Rodrigues), 3x3."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def homogeneous(rotation, position):
    """Return the 4x4 matrix of a pose."""
    T = np.eye(4, dtype=np.result_type(rotation, position))
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def forward_kinematics(bodies, q):
    """Poses of all bodies in ground.

    Returns
    -------
    poses : list of (4, 4) array
        T = T_parent  Trans(at)  Rot(axis, q)  rotation  Trans(-child_at).
    """
    poses = []
    for body, j in zip(bodies, coordinates(bodies), strict=True):
        parent = np.eye(4) if body["parent"] < 0 else poses[body["parent"]]
        R = np.asarray(body["rotation"], dtype=float)
        if j is not None:
            axis = np.asarray(body["axis"], dtype=float)
            R = rotation_about(axis / np.linalg.norm(axis), q[j]) @ R
        joint = homogeneous(R, np.asarray(body["at"], dtype=float))
        back = homogeneous(np.eye(3), -np.asarray(body["child_at"], dtype=float))
        poses.append(parent @ joint @ back)
    return poses


def joint_axes(bodies, q, body):
    """Return (coordinate, axis, centre) in ground of every joint between `body` and ground."""
    poses, index, found = forward_kinematics(bodies, q), coordinates(bodies), []
    while body >= 0:
        parent = bodies[body]["parent"]
        if index[body] is not None:
            T = np.eye(4) if parent < 0 else poses[parent]
            axis = np.asarray(bodies[body]["axis"], dtype=float)
            axis = T[:3, :3] @ (axis / np.linalg.norm(axis))
            found.append((index[body], axis, T[:3, 3] + T[:3, :3] @ np.asarray(bodies[body]["at"])))
        body = parent
    return found


def position(bodies, q, body, point):
    """Position c(q) (3,) in ground of a point given in the axes of `body` (-1: ground)."""
    point = np.asarray(point, dtype=float)
    if body < 0:
        return point
    T = forward_kinematics(bodies, q)[body]
    return T[:3, 3] + T[:3, :3] @ point


def jacobian(bodies, q, body, point):
    """C = dc/dq (3, n_q): column j is axis_j x (c - centre_j)."""
    c = position(bodies, q, body, point)
    C = np.zeros((3, len(q)), dtype=np.result_type(c, np.asarray(q)))
    for j, axis, centre in joint_axes(bodies, q, body):
        C[:, j] = np.cross(axis, c - centre)
    return C


def _complex_step(function, q):
    """Differentiate an array function of q; the last axis counts the coordinates."""
    q = np.asarray(q, dtype=float)
    return np.stack([np.imag(function(q + 1j * STEP * e)) / STEP for e in np.eye(len(q))], axis=-1)


def hessian(bodies, q, body, point):
    """dC/dq (3, n_q, n_q) by the complex step; q real."""
    return _complex_step(lambda z: jacobian(bodies, z, body, point), q)


def mass_matrix(bodies, q):
    """M(q) from the kinetic energy, with body-frame angular velocity, (n_q, n_q)."""
    q = np.asarray(q)
    M = np.zeros((len(q), len(q)), dtype=np.result_type(q, float))
    poses = forward_kinematics(bodies, q)
    for b, body in enumerate(bodies):
        J = jacobian(bodies, q, b, body["com"])
        W = np.zeros_like(J)
        for j, axis, _ in joint_axes(bodies, q, b):
            W[:, j] = poses[b][:3, :3].T @ axis
        M = M + body["mass"] * J.T @ J + W.T @ np.asarray(body["inertia"], dtype=float) @ W
    return M


def potential_energy(bodies, q, gravity):
    """Potential energy [J] of the weight, zero at the ground's origin."""
    g = np.asarray(gravity, dtype=float)
    return -sum(
        body["mass"] * (g @ position(bodies, q, b, body["com"])) for b, body in enumerate(bodies)
    )


def inverse_dynamics(bodies, q, p, a, gravity):
    """Generalized force that the motion needs beyond the weight (G 48).

    Parameters
    ----------
    bodies : list of dict
    q, p, a : (n_q,) array
        Coordinates, speeds, accelerations.
    gravity : (3,) array

    Returns
    -------
    force : (n_q,) array
        M a + h(q, p) + damping p + dV/dq, with h_k = sum (dM_ki/dq_j - dM_ij/dq_k / 2) p_i p_j.
    """
    dM = _complex_step(lambda z: mass_matrix(bodies, z), q)
    dV = _complex_step(lambda z: np.asarray(potential_energy(bodies, z, gravity)), q)
    h = np.einsum("kij,i,j->k", dM, p, p) - 0.5 * np.einsum("ijk,i,j->k", dM, p, p)
    damping = np.array([body.get("damping", 0.0) for body in bodies if body["axis"] is not None])
    return mass_matrix(bodies, q) @ a + h + damping * p + dV


def wrench_force(bodies, q, body, force, moment):
    """Generalized force (n_q,) of a resultant on `body` and its moment about ground's origin."""
    Q = np.zeros(len(q), dtype=np.result_type(np.asarray(q), force, moment))
    for j, axis, centre in joint_axes(bodies, q, body):
        Q[j] = axis @ (moment - np.cross(centre, force))
    return Q


def bone_in_ground(bodies, q, bone):
    """Give in ground a bone described in the axes of bone['body'] (-1: ground)."""
    ends = {key: position(bodies, q, bone["body"], bone[key]) for key in ("a", "b")}
    return {**bone, **ends}
