"""How the pressure of contacts acts along a fiber, at its contact points.

A section that keeps its area hands on along the fiber what presses it from the side: the energy of
a potential depends on the stretch of the fiber through its radius r = r0 / sqrt(lambda) in the gap
g = d/R - 1; see `fibermsk.kernels.potential`.
"""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.laws.penalty import line_force

__all__ = ["fill_pressure"]

_line_force = kernel(line_force)


@kernel
def fill_pressure(state, share, law, law_constants, along):
    """Fill along (n_slots,) with the force along the own fiber [N], negative: a push.

    It is minus half the line force times the radius, times d/R. state (n_slots, 6): as in
    `fibermsk.kernels.contact`. share (n_slots,): reference radius that the energy per length is
    multiplied by; law (n_slots,).
    """
    for s in range(along.size):
        along[s] = 0.0
        d, r_x, R = state[s, 0], state[s, 1], state[s, 1] + state[s, 2]
        if d >= R or state[s, 3] <= 0.0:
            continue
        kappa, gamma = law_constants[law[s], 0], law_constants[law[s], 1]
        F, _ = _line_force(d / R - 1.0, kappa, gamma)
        # lambda dr/dlambda = -r/2
        along[s] = -0.5 * share[s] * F / R * r_x * d / R
