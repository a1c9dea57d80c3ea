"""Axial force due to contact, at the contact points of a fiber.

An incompressible section converts lateral pressure to axial force: the energy of
a potential depends on the stretch of the fiber through its radius r = r0 / sqrt(lambda) in the gap
g = d/R - 1; see `fibermsk.kernels.contact.potential`. Its energy is also proportional to the length
of the fiber: the contact itself carries a tension.
"""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.kernels.contact_law import law_energy, law_force
from fibermsk.kernels.section import reference_radius


@kernel
def add_pressure(
    run_element, run_law, law_constants, law_xi, shape_of, radius_poly, partner, partner_xi,
    own_radius, state, total, carried,
):  # fmt: skip
    """Add the axial force on the integrated fiber [N] of all contact points, and what they carry.

    Negative is compression. It is minus half the line force times the radius, times d/R; what the
    contact carries is its energy per current length [N]. own_radius (n_contacts,) of the
    integrated fiber; state: as in `fibermsk.kernels.contact_arrays.FiberPoints`, or `BonePoints`;
    partner, partner_xi (n_contacts,): the partner's element and xi, or empty (0,) for bones; total,
    carried (n_elements, n_points): every law has these points.
    """
    s = -1
    for run in range(run_element.size):
        e, law = run_element[run], run_law[run]
        for k in range(total.shape[1]):
            s += 1
            d, r_x, R = state[s, 0], own_radius[s], state[s, 1]
            if partner.size == 0:
                R += state[s, 2]
            if d >= R or 1.0 + law_constants[law, 1] * (d / R - 1.0) <= 0.0:
                continue
            # reference radii, the factors of the energies of both sides
            share = reference_radius(radius_poly[shape_of[e]], law_xi[law, k])
            own = share if partner.size else share + state[s, 2]
            carried[e, k] += own * law_energy(d / R - 1.0, law_constants, law)
            if partner.size:
                share += reference_radius(radius_poly[shape_of[partner[s]]], partner_xi[s])
            else:
                share += state[s, 2]
            F, _ = law_force(d / R - 1.0, law_constants, law)
            # lambda dr/dlambda = -r/2
            total[e, k] -= 0.5 * share * F / R * r_x * d / R
