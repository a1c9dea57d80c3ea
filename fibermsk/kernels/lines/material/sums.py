"""Sums over places of the mass of a muscle: generalized forces and their derivatives."""

from __future__ import annotations

from fibermsk._compile import inner


@inner
def add_nodes(found, nodes, weight, gravity, axes, r, M, dq, dp):
    """Add forces of masses at nodes, without second derivatives; returns their energies.

    found (n_own + 1, ..., 3, 3): by own axis b: x_b, x'_b and x''_b at the nodes; in the last place
    x', x'' - g and x. weight (nodes,) [kg]; other arguments as those of
    `fibermsk.kernels.lines.material.mass.fill_mass`.
    """
    n_own, kinetic, potential = axes.size, 0.0, 0.0
    motion = found[n_own]
    for k in range(nodes):
        v, f = motion[k, 0], motion[k, 1]
        for c in range(3):
            kinetic += 0.5 * weight[k] * v[c] * v[c]
            potential -= weight[k] * gravity[c] * motion[k, 2, c]
        for a in range(n_own):
            J, to = found[a, k, 0], axes[a]
            r[to] += weight[k] * (J[0] * f[0] + J[1] * f[1] + J[2] * f[2])
            for b in range(n_own if M.size else 0):
                then, by = axes[b], found[b, k]
                for c in range(3):
                    own = weight[k] * J[c]
                    M[to, then] += own * by[0, c]
                    dp[to, then] += 2.0 * own * by[1, c]
                    dq[to, then] += own * by[2, c]
    return kinetic, potential
