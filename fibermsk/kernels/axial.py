"""How the pressure of contacts acts along a fiber, at its contact points.

A section that keeps its area hands on along the fiber what presses it from the side: the energy of
a potential depends on the stretch of the fiber through its radius r = r0 / sqrt(lambda) in the gap
g = d/R - 1; see `fibermsk.kernels.potential`.
"""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.kernels.pair_potential import reference_radius
from fibermsk.laws.penalty import line_force

__all__ = ["add_pressure"]

_line_force = kernel(line_force)


@kernel
def add_pressure(
    run_element, run_law, law_constants, law_xi, radius_poly, slot_element, slot_xi, state, total
):
    """Add the force along the own fiber [N], negative: a push, of all slots.

    It is minus half the line force times the radius, times d/R. state (n_slots, 6): as in
    `fibermsk.kernels.contact`; slot_element, slot_xi (n_slots,): the partner's point, or none
    (0,) where bones are touched; total (n_elements, n_points): every law has these points.
    """
    s = -1
    for run in range(run_element.size):
        e, law = run_element[run], run_law[run]
        for k in range(total.shape[1]):
            s += 1
            d, r_x, R = state[s, 0], state[s, 1], state[s, 1] + state[s, 2]
            if d >= R or state[s, 3] <= 0.0:
                continue
            # the reference radii that the energies of both sides have as a factor
            share = reference_radius(radius_poly[e], law_xi[law, k])
            if slot_element.size:
                share += reference_radius(radius_poly[slot_element[s]], slot_xi[s])
            else:
                share += state[s, 2]
            F, _ = _line_force(d / R - 1.0, law_constants[law, 0], law_constants[law, 1])
            # lambda dr/dlambda = -r/2
            total[e, k] -= 0.5 * share * F / R * r_x * d / R
