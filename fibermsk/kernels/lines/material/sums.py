"""Sums over places of the mass of a muscle: generalized forces and their derivatives."""

from __future__ import annotations

from fibermsk._compile import inner_body


@inner_body
def add_nodes(found, motion, nodes, weight, gravity, columns, own, r, M, dq, dp):
    """Add forces of masses at nodes, without second derivatives; returns their energies.

    found (3, ..., 3, n_own): by own column b: x_b, x'_b and x''_b at the nodes; motion (..., 3, 3):
    x', x'' - g and x. weight (nodes,) [kg]; own (3, n_own, n_own): work space.
    Other arguments as those of `fibermsk.kernels.lines.material.mass.fill_mass`.
    """
    n_own, kinetic, potential = columns.size, 0.0, 0.0
    summed = n_own if M.size else 0
    for a in range(summed):
        for d in range(3):
            own[d, a] = 0.0
    for k in range(nodes):
        for c in range(3):
            J, J_dot, J_ddot = found[0, k, c], found[1, k, c], found[2, k, c]
            v, f = motion[k, 0, c], weight[k] * motion[k, 1, c]
            kinetic += 0.5 * weight[k] * v * v
            potential -= weight[k] * gravity[c] * motion[k, 2, c]
            for a in range(n_own):
                r[columns[a]] += f * J[a]
            for a in range(summed):
                scale = weight[k] * J[a]
                by_rate, by_speed, by_place = own[0, a], own[1, a], own[2, a]
                for b in range(n_own if scale != 0.0 else 0):
                    by_rate[b] += scale * J[b]
                    by_speed[b] += 2.0 * scale * J_dot[b]
                    by_place[b] += scale * J_ddot[b]
    for a in range(summed):
        for b in range(n_own):
            M[columns[a], columns[b]] += own[0, a, b]
            dp[columns[a], columns[b]] += own[1, a, b]
            dq[columns[a], columns[b]] += own[2, a, b]
    return kinetic, potential
