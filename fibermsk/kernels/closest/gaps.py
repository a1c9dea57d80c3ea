"""Least gaps of the quadrature points of fibers to other fibers, for pair potentials.

Runs and slots as in `fibermsk.kernels.contact.contact`, rows and sections as in
`fibermsk.kernels.closest.rows`. A slot depends only on the present configuration, and results
do not depend on the number of threads: every run writes its own slots and sums, which are added in
order.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from fibermsk._compile import PARTS, body, kernel, parallel
from fibermsk.kernels.closest.chain import OPEN, UNSETTLED, chain_start, find_partner
from fibermsk.kernels.closest.closest_point import way_to
from fibermsk.kernels.closest.least_gap import is_lowest, least_gap, lowest_gap
from fibermsk.kernels.closest.rows import TANGENT, fill_rows, fill_sections, radius_along
from fibermsk.kernels.contact_law import law_energy, law_force

__all__ = ["fiber_gap", "find_gaps"]


@body
def fiber_gap(
    run, power, rows, sections, widest, radius_poly, h, end_flag, run_element, run_start,
    candidates, run_law, run_section, law_constants, law_points, law_xi, law_weight, slot_start,
    slot_element, slot_xi, slot_held, state, force, found,
):  # fmt: skip
    """Slots of one run; see `find_gaps`."""
    e, law, i = run_element[run], run_law[run], run_section[run]
    gamma = law_constants[law, 1]
    first, last = run_start[run], run_start[run + 1]
    start = chain_start(e, first, last, candidates, rows)
    fattest = widest[candidates[first]]
    least, energy = math.inf, 0.0
    for k in range(law_points[law]):
        s = slot_start[run] + k
        x, y, z = sections[i, k, 0], sections[i, k, 1], sections[i, k, 2]
        r_x, length = sections[i, k, 6], sections[i, k, 7]
        kind, b, xi, d = find_partner(
            x, y, z, r_x, fattest, True, start, first, last, candidates, power, rows
        )
        if start >= 0:
            start = b
        held = False
        if kind == UNSETTLED:
            b, xi, held = least_gap(x, y, z, r_x, power, rows, end_flag, b, xi)
        r_y, _, _, _ = radius_along(b, xi, rows)
        R = r_x + r_y
        m = way_to(b, xi, x, y, z, power)
        if kind != OPEN:
            d = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
        gap = d / R - 1.0
        if kind != OPEN and not is_lowest(b, first, last, candidates, x, y, z, r_x, gap, rows):
            b, xi, held = lowest_gap(
                b, xi, held, first, last, candidates, x, y, z, r_x, power, rows, end_flag
            )
            r_y, _, _, _ = radius_along(b, xi, rows)
            R = r_x + r_y
            m = way_to(b, xi, x, y, z, power)
            d = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
            gap = d / R - 1.0
        admissibility = 1.0 + gamma * gap
        least = min(least, admissibility)
        slot_element[s], slot_xi[s], slot_held[s] = b, xi, held
        state[s, 0], state[s, 1], state[s, 2] = d, r_x, r_y
        # the shorter nodal tangent bounds the radius
        state[s, 3], state[s, 4], state[s, 5] = admissibility, length, rows[b, TANGENT]
        pull = 0.0
        if not (d >= R or admissibility <= 0.0):
            at = law_xi[law, k]
            share = radius_poly[e, 4]
            for n in range(3, -1, -1):
                share = share * at + radius_poly[e, n]
            F, _ = law_force(gap, law_constants, law)
            pull = -share * F * length / (R * d)
            energy += (
                law_weight[law, k] * h[e] * share * length * law_energy(gap, law_constants, law)
            )
        force[s, 0], force[s, 1], force[s, 2] = pull * m[0], pull * m[1], pull * m[2]
    found[run, 0], found[run, 1] = least, energy


@body
def _some_fiber_gaps(
    begin, end, power, rows, sections, widest, radius_poly, h, end_flag, run_element, run_start,
    candidates, run_law, run_section, law_constants, law_points, law_xi, law_weight, slot_start,
    slot_element, slot_xi, slot_held, state, force, found,
):  # fmt: skip
    for run in range(begin, end):
        fiber_gap(
            run, power, rows, sections, widest, radius_poly, h, end_flag, run_element, run_start,
            candidates, run_law, run_section, law_constants, law_points, law_xi, law_weight,
            slot_start, slot_element, slot_xi, slot_held, state, force, found,
        )  # fmt: skip


@parallel("run_element", least=2048)
def _all_fiber_gaps(
    power, rows, sections, widest, radius_poly, h, end_flag, run_element, run_start, candidates,
    run_law, run_section, law_constants, law_points, law_xi, law_weight, slot_start, slot_element,
    slot_xi, slot_held, state, force, found,
):  # fmt: skip
    n = run_element.size
    for part in prange(PARTS):
        _some_fiber_gaps(
            part * n // PARTS, (part + 1) * n // PARTS, power, rows, sections, widest, radius_poly,
            h, end_flag, run_element, run_start, candidates, run_law, run_section, law_constants,
            law_points, law_xi, law_weight, slot_start, slot_element, slot_xi, slot_held, state,
            force, found,
        )  # fmt: skip


def find_gaps(
    power, widest, reference, radius_poly, h, end_flag, run_element, run_start, candidates, run_law,
    law_constants, law_points, law_xi, law_weight, section_element, section_law, run_section,
    slot_start, rows, sections, found, slot_element, slot_xi, slot_held, state, force,
):  # fmt: skip
    """Find the least gaps of all quadrature points; return the least 1 + gamma g and the energy.

    Fields as in `fibermsk.kernels.contact.contact.fiber_runs`; slot_held marks points fixed
    along the partner; widest (n_elements,) bounds the radius of an element's fiber. Points
    farther away than that are open: their slots hold the approximate closest point, not the least
    gap, and a lower bound of the distance within a relative error of 1e-4.
    """
    if run_element.size == 0:
        return np.inf, 0.0
    fill_rows(power, reference, radius_poly, h, rows)
    fill_sections(
        power, reference, radius_poly, h, section_element, section_law, law_points, law_xi, sections
    )
    _all_fiber_gaps(
        power, rows, sections, widest, radius_poly, h, end_flag, run_element, run_start, candidates,
        run_law, run_section, law_constants, law_points, law_xi, law_weight, slot_start,
        slot_element, slot_xi, slot_held, state, force, found,
    )  # fmt: skip
    return _reduce(found)


@kernel
def _reduce(found):
    """Least entry of the first column and sum of the second, in the order of the runs."""
    least, energy = np.inf, 0.0
    for run in range(found.shape[0]):
        least = min(least, found[run, 0])
        energy += found[run, 1]
    return least, energy
