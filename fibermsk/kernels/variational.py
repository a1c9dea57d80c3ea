"""Contact from pair potentials: gradient and tangent in place, and the gaps to bones.

The variational formulation of `fibermsk.kernels.potential` over the runs and slots of
`fibermsk.kernels.contact`; the matrix layout is that of `fibermsk.kernels.scatter`. Every pair's
forces come from one energy that no rigid motion changes, so they sum to zero in force and in
moment, and the tangent is symmetric.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.contact import closest_on_axis, section
from fibermsk.kernels.pair_potential import reference_radius
from fibermsk.kernels.potential import energy_terms, fill_bone_gap
from fibermsk.kernels.rigid import bracket, cross
from fibermsk.kernels.shape import shape, shape_d1
from fibermsk.laws.penalty import line_energy, line_force

__all__ = ["find_bone_gaps", "scatter_bone_potential"]


_line_force = kernel(line_force)
_line_energy = kernel(line_energy)


@kernel
def _add_hessian(weight, rows, columns, block, base, stride, data):
    """Add weight * rows[a, i] columns[b, j] block[i, j] in 2 x 2 node blocks.

    rows (4, m), columns (4, n): how the nodal values make up vectors; block (3 m, 3 n): the second
    derivative in those vectors.
    """
    for a in range(4):
        for b in range(4):
            start = base[a // 2, b // 2] + 3 * (a % 2)
            step = stride[a // 2, b // 2]
            for i in range(rows.shape[1]):
                for j in range(columns.shape[1]):
                    factor = weight * rows[a, i] * columns[b, j]
                    if factor == 0.0:
                        continue
                    for c in range(3):
                        column = start + (3 * (b % 2) + c) * step
                        for r in range(3):
                            data[column + r] += factor * block[3 * i + r, 3 * j + c]


@kernel
def _fill_shapes(xi, h, shapes):
    """Value and slope shape functions of an element as (4, 2)."""
    n, d1 = shape(xi, h), shape_d1(xi, h)
    for a in range(4):
        shapes[a, 0], shapes[a, 1] = n[a], d1[a]


@kernel
def find_bone_gaps(
    power, reference, radius_poly, h, run_element, run_shape, run_law, shape_start, shape_end,
    shape_radius, shape_infinite, law_constants, law_points, law_xi, law_weight, slot_start,
    slot_point, state, force,
):  # fmt: skip
    """Gaps of every fiber-bone run; returns the least 1 + gamma g and the energy.

    Fields as in `fibermsk.kernels.contact.bone_runs`.
    """
    a1, a2, m, axis = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    least, energy = np.inf, 0.0
    for run in range(run_element.size):
        e, b, law = run_element[run], run_shape[run], run_law[run]
        gamma = law_constants[law, 1]
        for k in range(law_points[law]):
            s = slot_start[run] + k
            x = slot_point[s]
            r_x, _, length = section(
                power[e], reference[e], radius_poly[e], h[e], law_xi[law, k], x, a1, a2
            )
            d, _ = closest_on_axis(x, shape_start[b], shape_end[b], shape_infinite[b], axis, m)
            R = r_x + shape_radius[b]
            admissibility = 1.0 + gamma * (d / R - 1.0)
            least = min(least, admissibility)
            state[s, 0], state[s, 1], state[s, 2] = d, r_x, shape_radius[b]
            state[s, 3], state[s, 4], state[s, 5] = admissibility, length, 1.0
            force[s] = 0.0
            if d >= R or admissibility <= 0.0:
                continue
            share = reference_radius(radius_poly[e], law_xi[law, k]) + shape_radius[b]
            F, _ = _line_force(d / R - 1.0, law_constants[law, 0], gamma)
            for c in range(3):
                force[s, c] = -share * F * length / R * m[c] / d
            energy += (
                law_weight[law, k]
                * h[e]
                * share
                * length
                * _line_energy(d / R - 1.0, law_constants[law, 0], gamma)
            )
    return least, energy


@kernel
def scatter_bone_potential(
    power, reference, radius_poly, elements, h, run_element, run_shape, run_law, shape_start,
    shape_end, shape_radius, shape_infinite, law_constants, law_points, law_xi, law_weight,
    slot_start, state, shape_link, moves, S, self_base, self_stride, tangent, residual, residual_q,
    data, B, R, D,
):  # fmt: skip
    """Add the gradient of the fiber-bone energies, and its derivative, the joints included.

    The energy depends on where x lies relative to the bone and on |a1|. When coordinate k moves the
    bone, x recedes by V_k(x) in the bone's frame and the force on x turns with the bone.
    """
    n_q = residual_q.size
    x, a1, a2 = np.empty(3), np.empty(3), np.empty(3)
    m, n, axis = np.empty(3), np.empty(3), np.empty(3)
    dz, gradient = np.empty(6), np.empty(6)
    dzz, hessian = np.empty((6, 6)), np.empty((6, 6))
    sx = np.empty((4, 2))
    V = np.empty((n_q, 3))
    change, t, tw = np.empty(6), np.empty(3), np.empty(6)
    for run in range(run_element.size):
        e, b, law = run_element[run], run_shape[run], run_law[run]
        link = shape_link[b]
        for q in range(law_points[law]):
            s = slot_start[run] + q
            if state[s, 0] >= state[s, 1] + state[s, 2] or state[s, 3] <= 0.0:
                continue
            w = law_weight[law, q] * h[e]
            r_x, _, _ = section(
                power[e], reference[e], radius_poly[e], h[e], law_xi[law, q], x, a1, a2
            )
            d, free = closest_on_axis(x, shape_start[b], shape_end[b], shape_infinite[b], axis, m)
            for c in range(3):
                n[c] = m[c] / d
            g = fill_bone_gap(x, a1, r_x, n, d, shape_radius[b], axis, free, dz, dzz)
            share = reference_radius(radius_poly[e], law_xi[law, q]) + shape_radius[b]
            energy_terms(
                share,
                a1,
                g,
                law_constants[law, 0],
                law_constants[law, 1],
                dz,
                dzz,
                gradient,
                hessian,
            )
            _fill_shapes(law_xi[law, q], h[e], sx)
            for a in range(4):
                for r in range(3):
                    residual[elements[e, a // 2], 3 * (a % 2) + r] += w * (
                        sx[a, 0] * gradient[r] + sx[a, 1] * gradient[3 + r]
                    )
            if tangent:
                _add_hessian(w, sx, sx, hessian, self_base[e], self_stride[e], data)
            if link < 0:
                continue
            for j in range(n_q):
                if moves[link, j]:
                    cross(S[j, :3], x, V[j])
                    for r in range(3):
                        V[j, r] += S[j, 3 + r]
                        residual_q[j] -= w * gradient[r] * V[j, r]
            if not tangent:
                continue
            for j in range(n_q):
                if not moves[link, j]:
                    continue
                # change of the gradient with coordinate j, which is also the joint's row by
                # symmetry
                cross(S[j, :3], gradient[:3], t)
                for r in range(6):
                    change[r] = t[r] if r < 3 else 0.0
                    for c in range(3):
                        change[r] -= hessian[r, c] * V[j, c]
                for a in range(4):
                    row = 6 * elements[e, a // 2] + 3 * (a % 2)
                    for r in range(3):
                        value = w * (sx[a, 0] * change[r] + sx[a, 1] * change[3 + r])
                        B[row + r, j] += value
                        R[j, row + r] += value
                for i in range(n_q):
                    if not moves[link, i]:
                        continue
                    for r in range(3):
                        D[i, j] -= w * V[i, r] * change[r]
                    if i != j and moves[i, j]:
                        bracket(S[j], S[i], tw)
                        cross(tw[:3], x, t)
                        for r in range(3):
                            D[i, j] -= w * gradient[r] * (t[r] + tw[3 + r])
