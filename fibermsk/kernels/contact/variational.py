"""Contact of fibers with bones from potentials: gradient and tangent.

The variational formulation of `fibermsk.kernels.contact.potential` over the runs and contact
points of `fibermsk.kernels.contact.contact`; residual and matrix as in
`fibermsk.kernels.contact.bone_passes`. Forces on fiber and bone derive from one energy that is
invariant to rigid motion, so their sums of forces and moments vanish, and the tangent is symmetric.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.bone_shape import distance_slopes
from fibermsk.kernels.contact.bone_border import (
    add_moment,
    add_to_corner,
    clear_shares,
    crossed,
    line_block,
    moves_bone,
)
from fibermsk.kernels.contact.potential import energy_terms, fill_bone_gap
from fibermsk.kernels.fibers.shape import shape, shape_d1
from fibermsk.kernels.section import reference_radius, section


@body
def _add_hessian(node, weight, n, d1, hessian, lines):
    """Add weight times a second derivative (6, 6) in x and a1 to the lines of an element."""
    for a in range(4):
        for b in range(4):
            at, kind = line_block(node, a // 2, b // 2)
            for c in range(3):
                for r in range(3):
                    value = n[a] * (n[b] * hessian[r, c] + d1[b] * hessian[r, 3 + c])
                    value += d1[a] * (n[b] * hessian[3 + r, c] + d1[b] * hessian[3 + r, 3 + c])
                    lines[at, kind, 3 * (b % 2) + c, 3 * (a % 2) + r] += weight * value


@body
def add_bone_potential(task, begin, fibers, runs, shapes, laws, points, axes, tangent, sums):
    """Add all closed contact points of one fiber; see `scatter_bone_potential`."""
    x, a1, slope, curvature = scratch(3), scratch(3), scratch(3), scratch((3, 3))
    dz, gradient, change, force = scratch(6), scratch(6), scratch(6), scratch(3)
    dzz, hessian = scratch((6, 6)), scratch((6, 6))
    state, moves, S = points.state, axes.moves, axes.S
    residual, B, R, moments, corners = sums.residual, sums.B, sums.R, sums.moments, sums.corners
    clear_shares(task, tangent, moments, corners)
    for run in range(begin[task], begin[task + 1]):
        e, b, law = runs.element[run], runs.shape[run], runs.law[run]
        node, link, h, radius = fibers.elements[e, 0], axes.link[b], fibers.h[e], shapes.field[b, 0]
        own = fibers.shape_of[e]
        for q in range(laws.n_points[law]):
            s, xi = runs.point_start[run] + q, laws.xi[law, q]
            if state[s, 0] >= state[s, 1] + state[s, 2] or state[s, 3] <= 0.0:
                continue
            w = laws.weight[law, q] * h
            r_x, _ = section(
                fibers.power[e], fibers.reference[own], fibers.radius_poly[own], h, xi, x, a1
            )
            d = distance_slopes(x, b, shapes, slope, curvature)
            g = fill_bone_gap(a1, r_x, d, slope, curvature, radius, dz, dzz)
            share = reference_radius(fibers.radius_poly[own], xi) + radius
            energy_terms(share, a1, g, laws.constants, law, dz, dzz, gradient, hessian)
            N, d1 = shape(xi, h), shape_d1(xi, h)
            for a in range(4):
                for r in range(3):
                    residual[node + a // 2, 3 * (a % 2) + r] += w * (
                        N[a] * gradient[r] + d1[a] * gradient[3 + r]
                    )
            if tangent:
                _add_hessian(node, w, N, d1, hessian, sums.lines)
            for r in range(3):
                force[r] = -w * gradient[r]
            for j in range(moments.shape[1]):
                if not moves_bone(link, j, moves):
                    continue
                V = add_moment(task, j, x, force, S, moments)
                if not tangent:
                    continue
                # derivative of the gradient in coordinate j; by symmetry also the row of the joint
                turn = crossed(S[j], gradient)
                for r in range(6):
                    moved = hessian[r, 0] * V[0] + hessian[r, 1] * V[1] + hessian[r, 2] * V[2]
                    change[r] = (turn[r] if r < 3 else 0.0) - moved
                for a in range(4):
                    row = 6 * (node + a // 2) + 3 * (a % 2)
                    for r in range(3):
                        value = w * (N[a] * change[r] + d1[a] * change[3 + r])
                        B[row + r, j] += value
                        R[j, row + r] += value
                for r in range(3):
                    change[r] *= -w
                add_to_corner(task, link, j, x, force, change, S, moves, corners)


@kernel
def scatter_bone_potential(begin, fibers, runs, shapes, laws, points, axes, tangent, sums):
    """Add the gradient of the fiber-bone energies, and its derivative, the joints included.

    The energy depends on the position of x relative to the bone and on |a1|. Tasks and their
    contributions to the coordinates as in `fibermsk.kernels.contact.bone_passes.scatter_bones`.
    """
    for task in range(begin.size - 1):
        add_bone_potential(task, begin, fibers, runs, shapes, laws, points, axes, tangent, sums)
