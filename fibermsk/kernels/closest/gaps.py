"""Least gaps of the quadrature points of fibers to other fibers, for pair potentials.

Runs and contact points as in `fibermsk.kernels.contact.contact`, rows as in
`fibermsk.kernels.closest.rows`. A contact point depends only on the present configuration, and
results do not depend on the number of threads: every run writes its own contact points and sums,
which are added in order.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import PARTS, kernel, loop_body, parallel
from fibermsk.kernels.closest.chain import CLOSED, OPEN, UNSETTLED, chain_start, find_partner
from fibermsk.kernels.closest.closest_point import way_to
from fibermsk.kernels.closest.least_gap import is_lowest, least_gap, lowest_gap
from fibermsk.kernels.closest.rows import TANGENT, fill_quadrature, radius_along
from fibermsk.kernels.contact_law import law_energy, law_force
from fibermsk.kernels.section import reference_radius


@loop_body
def fiber_gap(run, fibers, widest, rows, runs, laws, quadrature, points, held_points, found):
    """Contact points of one run; see `find_gaps`."""
    e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
    power, values, state, force = fibers.power, quadrature.values, points.state, points.force
    wanted = force.shape[0] > 0
    gamma = laws.constants[law, 1]
    candidates, first, last = runs.candidates, runs.start[run], runs.start[run + 1]
    start = chain_start(e, first, last, candidates, rows)
    fattest = widest[candidates[first]]
    least, energy = math.inf, 0.0
    for k in range(laws.n_points[law]):
        s = runs.point_start[run] + k
        x, y, z = values[i, k, 0], values[i, k, 1], values[i, k, 2]
        r_x, length = values[i, k, 6], values[i, k, 7]
        held = points.frozen[s]
        if held:
            kind, b, xi, d = CLOSED, points.element[s], points.xi[s], 0.0
        else:
            kind, b, xi, d = find_partner(
                x, y, z, r_x, fattest, True, start, first, last, candidates, power, rows
            )
        if start >= 0:
            start = b
        if kind == UNSETTLED:
            b, xi, held = least_gap(x, y, z, r_x, power, rows, fibers.end_flag, b, xi)
        r_y, _, _, _ = radius_along(b, xi, rows)
        R = r_x + r_y
        m = way_to(b, xi, x, y, z, power)
        if kind != OPEN:
            d = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
        gap = d / R - 1.0
        settled = kind == OPEN or points.frozen[s]
        if not settled and not is_lowest(b, first, last, candidates, x, y, z, r_x, gap, rows):
            b, xi, held = lowest_gap(
                (b, xi, held), first, last, candidates, x, y, z, r_x, power, rows, fibers.end_flag
            )
            r_y, _, _, _ = radius_along(b, xi, rows)
            R = r_x + r_y
            m = way_to(b, xi, x, y, z, power)
            d = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
            gap = d / R - 1.0
        admissibility = 1.0 + gamma * gap
        least = min(least, admissibility)
        points.element[s], points.xi[s], held_points[s] = b, xi, held
        # the shorter nodal tangent bounds the radius
        state[s, 0], state[s, 1], state[s, 2] = d, R, rows[b, TANGENT]
        pull = 0.0
        if not (d >= R or admissibility <= 0.0):
            share = reference_radius(fibers.radius_poly[fibers.shape_of[e]], laws.xi[law, k])
            if wanted:
                F, _ = law_force(gap, laws.constants, law)
                pull = -share * F * length / (R * d)
            weight = laws.weight[law, k] * fibers.h[e]
            energy += weight * share * length * law_energy(gap, laws.constants, law)
        if wanted:
            force[s, 0], force[s, 1], force[s, 2] = pull * m[0], pull * m[1], pull * m[2]
    found[run, 0], found[run, 1] = least, energy


@loop_body
def _some_fiber_gaps(
    begin, end, fibers, widest, rows, runs, laws, quadrature, points, held, found
):  # fmt: skip
    for run in range(begin, end):
        fiber_gap(run, fibers, widest, rows, runs, laws, quadrature, points, held, found)


@parallel("found", least=2048)
def find_gaps(fibers, widest, rows, runs, laws, quadrature, points, held, found):
    """Find the least gaps of all contact points; return the least 1 + gamma g and the energy.

    Arrays as in `fibermsk.kernels.contact.contact.fiber_runs`; held (n_points,) marks points fixed
    along the partner; widest (n_elements,) bounds the radius of an element's fiber. Points
    farther away than that are open: they hold the approximate closest point, not the least
    gap, and a lower bound of the distance within a relative error of 1e-4. Forces are filled where
    there is room for them.
    """
    for i in prange(quadrature.element.size):
        fill_quadrature(i, fibers, laws, quadrature)
    n = found.shape[0]
    for part in prange(PARTS):
        _some_fiber_gaps(
            part * n // PARTS, (part + 1) * n // PARTS, fibers, widest, rows, runs, laws,
            quadrature, points, held, found,
        )  # fmt: skip
    return reduce_runs(found)


@kernel
def fill_forces(fibers, runs, laws, quadrature, points, force):
    """Fill force (n_points, 3) of the points that `find_gaps` has found, by the same formula."""
    state, values = points.state, quadrature.values
    for run in range(runs.element.size):
        e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
        for k in range(laws.n_points[law]):
            s = runs.point_start[run] + k
            x, y, z = values[i, k, 0], values[i, k, 1], values[i, k, 2]
            m = way_to(points.element[s], points.xi[s], x, y, z, fibers.power)
            d, R, pull = state[s, 0], state[s, 1], 0.0
            if not (d >= R or 1.0 + laws.constants[law, 1] * (d / R - 1.0) <= 0.0):
                share = reference_radius(fibers.radius_poly[fibers.shape_of[e]], laws.xi[law, k])
                F, _ = law_force(d / R - 1.0, laws.constants, law)
                pull = -share * F * values[i, k, 7] / (R * d)
            force[s, 0], force[s, 1], force[s, 2] = pull * m[0], pull * m[1], pull * m[2]


@kernel
def reduce_runs(found):
    """Least entry of the first column and sum of the second, in the order of the runs."""
    least, energy = math.inf, 0.0
    for run in range(found.shape[0]):
        least = min(least, found[run, 0])
        energy += found[run, 1]
    return least, energy
