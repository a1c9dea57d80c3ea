"""Exact derivatives of inverse dynamics, by forward differentiation of its recursion.

Symbols as in `fibermsk.kernels.skeleton.rigid`.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.skeleton.rigid import (
    add_cross,
    bracket,
    center_acceleration,
    cross,
    mass_matrix,
    matvec,
    place_body,
)


@kernel
def inverse_dynamics_tangent(p, p_dot, links, parent, moves, bodies, dtau_dq, dtau_dp):
    """Add the derivatives of `inverse_dynamics` in q and in p; that in p_dot is M."""
    S, V, A, mass = links.S, links.V, links.A, bodies.mass
    n = p.size
    dV_q, dA_q, dA_p = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6))
    dS, tw = np.empty(6), np.empty(6)
    c, ac, t, u, w = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    dac, dN, N = np.empty(3), np.empty(3), np.empty(3)
    h, dh, dIw = np.empty(3), np.empty(3), np.empty(3)
    I = np.empty((3, 3))  # noqa: E741
    for j in range(n):
        for k in range(j, n):
            if not moves[k, j]:
                continue
            m = parent[k]
            bracket(S[j], S[k], dS)  # zero for k == j
            for r in range(6):
                dV_q[k, r] = dS[r] * p[k]
                dA_q[k, r] = dS[r] * p_dot[k]
                dA_p[k, r] = 0.0
                if k != j:
                    dV_q[k, r] += dV_q[m, r]
                    dA_q[k, r] += dA_q[m, r]
                    dA_p[k, r] += dA_p[m, r]
            # A_k holds [V_k, S_k] p_k
            bracket(dV_q[k], S[k], tw)
            for r in range(6):
                dA_q[k, r] += tw[r] * p[k]
            bracket(V[k], dS, tw)
            for r in range(6):
                dA_q[k, r] += tw[r] * p[k]
            bracket(S[j], S[k], tw)
            for r in range(6):
                dA_p[k, r] += tw[r] * p[k]
            if k == j:
                bracket(V[k], S[k], tw)
                for r in range(6):
                    dA_p[k, r] += tw[r]
        for b in range(bodies.link.size):
            if not moves[bodies.link[b], j]:
                continue
            k = place_body(links, bodies, b, c, I)
            center_acceleration(V[k], A[k], c, ac)
            for r in range(3):
                ac[r] -= bodies.gravity[r]
            # total wrench (N, mass * ac) of this body, needed where the twist S_i itself turns with
            # q_j
            matvec(I, V[k, :3], h)
            cross(V[k, :3], h, N)
            matvec(I, A[k, :3], dh)
            cross(c, ac, t)
            for r in range(3):
                N[r] += dh[r] + mass[b] * t[r]
            for case in range(2):
                # case 0: derivative in q_j, case 1: in p_j
                dVk = dV_q[k] if case == 0 else S[j]
                dAk = dA_q[k] if case == 0 else dA_p[k]
                # d(ac) at fixed c
                cross(dAk[:3], c, t)
                cross(V[k, :3], c, u)
                for r in range(3):
                    u[r] += V[k, 3 + r]
                    dac[r] = dAk[3 + r] + t[r]
                add_cross(1.0, dVk[:3], u, dac)
                cross(dVk[:3], c, u)
                for r in range(3):
                    u[r] += dVk[3 + r]
                add_cross(1.0, V[k, :3], u, dac)
                # moments at fixed I and c
                matvec(I, dAk[:3], dN)
                matvec(I, dVk[:3], dh)
                cross(V[k, :3], dh, t)
                cross(dVk[:3], h, u)
                for r in range(3):
                    dN[r] += t[r] + u[r]
                if case == 0:
                    # the body itself turns with q_j: dc = V_j(c), dI = w_j x I - I w_j x
                    cross(S[j, :3], c, w)
                    for r in range(3):
                        w[r] += S[j, 3 + r]
                    add_cross(1.0, A[k, :3], w, dac)
                    cross(V[k, :3], w, t)
                    add_cross(1.0, V[k, :3], t, dac)
                    add_cross(mass[b], w, ac, dN)
                    _turned_inertia(S[j, :3], I, A[k, :3], dIw)
                    for r in range(3):
                        dN[r] += dIw[r]
                    _turned_inertia(S[j, :3], I, V[k, :3], dIw)
                    add_cross(1.0, V[k, :3], dIw, dN)
                add_cross(mass[b], c, dac, dN)
                for i in range(n):
                    if not moves[k, i]:
                        continue
                    value = 0.0
                    for r in range(3):
                        value += S[i, r] * dN[r] + S[i, 3 + r] * mass[b] * dac[r]
                    if case == 0:
                        if i != j and moves[i, j]:
                            bracket(S[j], S[i], dS)
                            for r in range(3):
                                value += dS[r] * N[r] + dS[3 + r] * mass[b] * ac[r]
                        dtau_dq[i, j] += value
                    else:
                        dtau_dp[i, j] += value


@kernel
def dynamics_slopes(p, p_dot, links, parent, moves, bodies, dtau_dq, dtau_dp, M):
    """Add the derivatives of `inverse_dynamics` in q and in p, and fill that in p_dot, M."""
    inverse_dynamics_tangent(p, p_dot, links, parent, moves, bodies, dtau_dq, dtau_dp)
    mass_matrix(links, parent, bodies, M)


@kernel
def _turned_inertia(w, I, x, out):  # noqa: E741
    """Fill out = (w x I - I w x) x."""
    y, z = np.empty(3), np.empty(3)
    matvec(I, x, y)
    cross(w, y, out)
    cross(w, x, y)
    matvec(I, y, z)
    for r in range(3):
        out[r] -= z[r]
