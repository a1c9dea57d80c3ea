"""Rigid bodies in minimal coordinates: kinematics, inverse dynamics, exact derivatives.

The tree is a list of links, each moved against its parent by one elementary joint (a rotation about
or a translation along one axis), so that link ``k`` and coordinate ``k`` share their number.
Parents come first; parent -1 is ground. Everything is expressed in the ground frame.

Symbols: ``q, p, p_dot`` coordinates, speeds, accelerations; ``links`` (`TreeState`) and ``bodies``
(`TreeBodies`); ``moves[k, j]`` is True where coordinate j moves link k. A coordinate's velocity
field at a point c is V_j(c) = v_j + w_j x c, and it turns every twist downstream: dS_k/dq_j =
[S_j, S_k]. Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 2-5, with the
derivatives by forward differentiation of the recursion.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import allocating, body, kernel
from fibermsk.kernels._scratch import scratch

REVOLUTE, PRISMATIC = 0, 1


class TreeState(NamedTuple):
    """Links in ground.

    Attributes
    ----------
    rotation, position : (n, 3, 3) and (n, 3) float array
        Poses.
    S : (n, 6) float array
        Twist of each joint, angular part first and then the velocity of the point at the ground
        origin.
    V, A : (n, 6) float array
        Twist and spatial acceleration of each link.
    """

    rotation: Array
    position: Array
    S: Array
    V: Array
    A: Array


class TreeBodies(NamedTuple):
    """Bodies with mass on moving links, several may be on one, and gravity.

    Attributes
    ----------
    link : (n_bodies,) int array
        Link of each body.
    mass : (n_bodies,) float array
        [kg].
    com, inertia : (n_bodies, 3) and (n_bodies, 3, 3) float array
        Center of mass in the link frame [m], and inertia about it [kg m^2].
    gravity : (3,) float array
        [m/s^2].
    """

    link: NDArray[np.int64]
    mass: Array
    com: Array
    inertia: Array
    gravity: Array


@kernel
def cross(a, b, out):
    """Fill `out` with a x b (`out` must not alias them)."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def add_cross(weight, a, b, out):
    """Add weight a x b to `out`, which must not alias them."""
    out[0] += weight * (a[1] * b[2] - a[2] * b[1])
    out[1] += weight * (a[2] * b[0] - a[0] * b[2])
    out[2] += weight * (a[0] * b[1] - a[1] * b[0])


@kernel
def matvec(R, x, out):
    """Fill out = R x."""
    for r in range(3):
        out[r] = R[r, 0] * x[0] + R[r, 1] * x[1] + R[r, 2] * x[2]


@kernel
def bracket(a, b, out):
    """Fill `out` with the Lie bracket [a, b] of two twists (6,)."""
    cross(a[:3], b[:3], out[:3])
    x = a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    y = a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    z = a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]
    out[3], out[4], out[5] = x, y, z


@body
def tree_pose(q, parent, joint_rotation, joint_position, kind, axis, rotation, position, S):
    """Fill link poses ``rotation`` (n, 3, 3), ``position`` (n, 3) and joint twists ``S`` (n, 6).

    joint_rotation, joint_position: pose of joint frame k in its parent link; axis: unit, joint
    frame.
    """
    local, turn, w = scratch((3, 3)), scratch((3, 3)), scratch(3)
    for k in range(q.size):
        m = parent[k]
        # joint frame in ground
        for r in range(3):
            for c in range(3):
                local[r, c] = joint_rotation[k, r, c]
                if m >= 0:
                    local[r, c] = 0.0
                    for s in range(3):
                        local[r, c] += rotation[m, r, s] * joint_rotation[k, s, c]
            position[k, r] = joint_position[k, r]
            if m >= 0:
                position[k, r] = position[m, r]
                for s in range(3):
                    position[k, r] += rotation[m, r, s] * joint_position[k, s]
        u = axis[k]
        matvec(local, u, w)
        if kind[k] == REVOLUTE:
            for r in range(3):
                S[k, r] = w[r]
            cross(position[k], w, S[k, 3:])
            sine, cosine = math.sin(q[k]), math.cos(q[k])
            for r in range(3):
                for c in range(3):
                    turn[r, c] = (1.0 - cosine) * u[r] * u[c]
                turn[r, r] += cosine
            turn[0, 1] -= sine * u[2]
            turn[1, 0] += sine * u[2]
            turn[0, 2] += sine * u[1]
            turn[2, 0] -= sine * u[1]
            turn[1, 2] -= sine * u[0]
            turn[2, 1] += sine * u[0]
            for r in range(3):
                for c in range(3):
                    rotation[k, r, c] = 0.0
                    for s in range(3):
                        rotation[k, r, c] += local[r, s] * turn[s, c]
        else:
            for r in range(3):
                S[k, r], S[k, 3 + r] = 0.0, w[r]
                position[k, r] += q[k] * w[r]
                for c in range(3):
                    rotation[k, r, c] = local[r, c]


@kernel
def tree_motion(p, p_dot, parent, S, V, A):
    """Fill link twists and spatial accelerations."""
    gyro = scratch(6)
    for k in range(p.size):
        m = parent[k]
        for c in range(6):
            V[k, c] = S[k, c] * p[k]
            A[k, c] = S[k, c] * p_dot[k]
            if m >= 0:
                V[k, c] += V[m, c]
                A[k, c] += A[m, c]
        bracket(V[k], S[k], gyro)
        for c in range(6):
            A[k, c] += gyro[c] * p[k]


@kernel
def tree_state(q, p, p_dot, parent, joint_rotation, joint_position, kind, axis, links):
    """Fill all of a `TreeState`; see `tree_pose` and `tree_motion`."""
    rotation, position, S, V, A = links
    tree_pose(q, parent, joint_rotation, joint_position, kind, axis, rotation, position, S)
    tree_motion(p, p_dot, parent, S, V, A)


@kernel
def chain_lengths(parent, position, length):
    """Fill the distance along the chain from each link to the first joint that moves it, (n,)."""
    for k in range(parent.size):
        m = parent[k]
        length[k] = 0.0
        if m >= 0:
            square = 0.0
            for c in range(3):
                square += (position[k, c] - position[m, c]) ** 2
            length[k] = length[m] + math.sqrt(square)


@kernel
def turns_and_slides(update, moves, kind, turn, slide):
    """Fill the sums of rotations and of translations of the axes that move each link, two (n,)."""
    for k in range(update.size):
        turn[k], slide[k] = 0.0, 0.0
        for j in range(update.size):
            if moves[k, j] and kind[j] == REVOLUTE:
                turn[k] += abs(update[j])
            elif moves[k, j]:
                slide[k] += abs(update[j])


@kernel
def _ground_inertia(R, inertia, out):
    """Fill out = R I R^T."""
    half = scratch((3, 3))
    for r in range(3):
        matvec(inertia, R[r], half[r])  # inertia is symmetric
    for r in range(3):
        for c in range(3):
            out[r, c] = half[r, 0] * R[c, 0] + half[r, 1] * R[c, 1] + half[r, 2] * R[c, 2]


@kernel
def center_acceleration(V, A, c, out):
    """Acceleration of the body point at c: A.v + A.w x c + w x (v + w x c)."""
    vc = scratch(3)
    t = scratch(3)
    cross(V[:3], c, vc)
    for r in range(3):
        vc[r] += V[3 + r]
    cross(V[:3], vc, out)
    cross(A[:3], c, t)
    for r in range(3):
        out[r] += A[3 + r] + t[r]


@kernel
def place_body(links, bodies, b, c, I):  # noqa: E741 - the field's symbol
    """Fill the center c of body b and its inertia I about it, in ground; return its link."""
    k = bodies.link[b]
    matvec(links.rotation[k], bodies.com[b], c)
    for r in range(3):
        c[r] += links.position[k, r]
    _ground_inertia(links.rotation[k], bodies.inertia[b], I)
    return k


@kernel
def inverse_dynamics(links, moves, bodies, tau):
    """Add M p_dot + bias - gravity, the generalized forces, to `tau` (n,)."""
    S, V, A = links.S, links.V, links.A
    c, ac, h, N, t = scratch(3), scratch(3), scratch(3), scratch(3), scratch(3)
    I = scratch((3, 3))  # noqa: E741
    for b in range(bodies.link.size):
        k = place_body(links, bodies, b, c, I)
        center_acceleration(V[k], A[k], c, ac)
        for r in range(3):
            ac[r] = bodies.mass[b] * (ac[r] - bodies.gravity[r])
        matvec(I, V[k, :3], h)
        cross(V[k, :3], h, N)
        matvec(I, A[k, :3], h)
        cross(c, ac, t)
        for r in range(3):
            N[r] += h[r] + t[r]
        for j in range(tau.size):
            if moves[k, j]:
                for r in range(3):
                    tau[j] += S[j, r] * N[r] + S[j, 3 + r] * ac[r]


@allocating
def mass_matrix(links, parent, bodies, M):
    """Fill the joint-space mass matrix (n, n).

    Composite rigid body algorithm: a link and all its descendants form one rigid body with mass
    m, first moment h = m c and inertia about the ground origin, 10 numbers that add up. Its
    momentum at unit speed of axis j is f_j, and M_ij = S_i . f_j for every i at or above j.
    """
    S, mass = links.S, bodies.mass
    n = S.shape[0]
    M[:] = 0.0
    whole = np.zeros((n, 10))
    c, f = scratch(3), scratch(6)
    I = scratch((3, 3))  # noqa: E741
    for b in range(bodies.link.size):
        k = place_body(links, bodies, b, c, I)
        square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        own = whole[k]
        own[0] += mass[b]
        for r in range(3):
            own[1 + r] += mass[b] * c[r]
            own[4 + r] += I[r, r] + mass[b] * (square - c[r] * c[r])
        own[7] += I[0, 1] - mass[b] * c[0] * c[1]
        own[8] += I[0, 2] - mass[b] * c[0] * c[2]
        own[9] += I[1, 2] - mass[b] * c[1] * c[2]
    for k in range(n - 1, -1, -1):
        if parent[k] >= 0:
            for r in range(10):
                whole[parent[k], r] += whole[k, r]
    for j in range(n):
        own, s = whole[j], S[j]
        # moment I w + h x v and force m v + w x h
        f[0] = own[4] * s[0] + own[7] * s[1] + own[8] * s[2] + own[2] * s[5] - own[3] * s[4]
        f[1] = own[7] * s[0] + own[5] * s[1] + own[9] * s[2] + own[3] * s[3] - own[1] * s[5]
        f[2] = own[8] * s[0] + own[9] * s[1] + own[6] * s[2] + own[1] * s[4] - own[2] * s[3]
        f[3] = own[0] * s[3] + s[1] * own[3] - s[2] * own[2]
        f[4] = own[0] * s[4] + s[2] * own[1] - s[0] * own[3]
        f[5] = own[0] * s[5] + s[0] * own[2] - s[1] * own[1]
        i = j
        while i >= 0:
            value = 0.0
            for r in range(6):
                value += S[i, r] * f[r]
            M[i, j] = value
            M[j, i] = value
            i = parent[i]


@kernel
def kinetic_and_potential(links, bodies):
    """Kinetic energy and gravity potential of the bodies [J]."""
    V, mass = links.V, bodies.mass
    kinetic, potential = 0.0, 0.0
    c, vc, h = scratch(3), scratch(3), scratch(3)
    I = scratch((3, 3))  # noqa: E741
    for b in range(bodies.link.size):
        k = place_body(links, bodies, b, c, I)
        cross(V[k, :3], c, vc)
        matvec(I, V[k, :3], h)
        for r in range(3):
            vc[r] += V[k, 3 + r]
            kinetic += 0.5 * (mass[b] * vc[r] * vc[r] + V[k, r] * h[r])
            potential -= mass[b] * bodies.gravity[r] * c[r]
    return kinetic, potential
