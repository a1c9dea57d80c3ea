"""Contact forces of fiber points against other fibers and against bones, with exact derivatives.

Symbols, following Gfrerer and Simeon (2021), sections 2.4, 3.3, 4.3 and A.3-A.4: ``x`` quadrature
point of the integrated fiber with tangent ``a1`` = x,theta; ``y`` closest point of the partner,
``m`` = y - x, ``d`` = |m|, ``n`` = m/d, gap g = d/(r_x + r_y) - 1 with current radii, line force
F(g). The force on x per theta is T = -F(g) |a1| n: repulsive. Its derivatives come as four 3 x 3
matrices, in x, a1, y at fixed parameter, and y,theta; the motion of the closest point, the change
of both radii and of the length element are inside.

A run is one fiber element against one other fiber (with its candidate elements) or one bone shape.
Each quadrature point of a run is a slot: ``slot`` rows hold element and parameter of the closest
point, ``state`` rows (d, r_x, r_y, 1 + gamma g, |a1|, |y,theta|), ``force`` T, ``jacobian`` its
derivatives.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk.kernels._compile import kernel
from fibermsk.kernels.closest_point import SCRATCH_SIZE, nearest
from fibermsk.laws.penalty import line_force

__all__ = ["bone_runs", "closest_on_axis", "contact_force", "fiber_runs", "section"]

_line_force = kernel(line_force)


@kernel
def section(power, reference, radius_poly, h, xi, x, a1, a2):
    """Fill position and theta-derivatives of a centerline point; returns r, dr/dtheta, |a1|.

    r = r0 sqrt(|A1|/|a1|), eq. 21, with r0 a quartic in xi (radius_poly) and A1 from the reference.
    """
    aa, AA, a_b, A_B = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        x[c] = power[0, c] + xi * (power[1, c] + xi * (power[2, c] + xi * power[3, c]))
        a1[c] = (power[1, c] + xi * (2.0 * power[2, c] + 3.0 * xi * power[3, c])) / h
        a2[c] = (2.0 * power[2, c] + 6.0 * xi * power[3, c]) / (h * h)
        A = (reference[1, c] + xi * (2.0 * reference[2, c] + 3.0 * xi * reference[3, c])) / h
        B = (2.0 * reference[2, c] + 6.0 * xi * reference[3, c]) / (h * h)
        aa += a1[c] * a1[c]
        AA += A * A
        a_b += a1[c] * a2[c]
        A_B += A * B
    r0, dr0 = radius_poly[4], 0.0
    for m in range(3, -1, -1):
        dr0 = dr0 * xi + r0
        r0 = r0 * xi + radius_poly[m]
    change = math.sqrt(math.sqrt(AA / aa))
    r = r0 * change
    return r, dr0 / h * change + 0.5 * r * (A_B / AA - a_b / aa), math.sqrt(aa)


@kernel
def closest_on_axis(x, start, end, infinite, axis, m):
    """Fill m = y - x to the closest axis point, and the axis direction (zero for a sphere).

    Returns the distance and whether the closest point slides when x does.
    """
    length = 0.0
    for c in range(3):
        axis[c] = end[c] - start[c]
        length += axis[c] * axis[c]
    length = math.sqrt(length)
    along = 0.0
    for c in range(3):
        axis[c] = axis[c] / length if length > 0.0 else 0.0
        along += (x[c] - start[c]) * axis[c]
    free = infinite or (0.0 < along < length)
    if not free:
        along = min(max(along, 0.0), length)
    d = 0.0
    for c in range(3):
        m[c] = start[c] + along * axis[c] - x[c]
        d += m[c] * m[c]
    return math.sqrt(d), free


@kernel
def contact_force(
    a1, length, r_x, n, d, r_y, dr_y, slope, y1, y2_m, y1_sq, m, free, kappa, gamma, force, jac
):
    """Fill T (3,) and its derivatives jac (4, 3, 3) of one closed contact point.

    dr_y: derivative of the partner's radius along theta; slope = n . y,theta; y2_m = m . y,theta
    theta; free: the closest point moves along the partner (it does not at a fiber's end).
    """
    R = r_x + r_y
    F, dF = _line_force(d / R - 1.0, kappa, gamma)
    H = y1_sq + y2_m
    inverse = 1.0 / H if free and H != 0.0 else 0.0
    for c in range(3):
        force[c] = -F * length * n[c]
    for part in range(4):  # derivative in x, a1, y, y,theta
        for c in range(3):
            eta, dist, radii = 0.0, 0.0, 0.0
            if part == 0:
                eta = y1[c] * inverse
                dist = slope * eta - n[c]
                radii = dr_y * eta
            elif part == 1:
                radii = -0.5 * r_x * a1[c] / (length * length)
            elif part == 2:
                eta = -y1[c] * inverse
                dist = slope * eta + n[c]
                radii = dr_y * eta
            else:
                eta = -m[c] * inverse
                dist = slope * eta
                radii = dr_y * eta - 0.5 * r_y * y1[c] / y1_sq
            gap = dist / R - d / (R * R) * radii
            for r in range(3):
                move = y1[r] * eta
                if r == c:
                    if part == 0:
                        move -= 1.0
                    elif part == 2:
                        move += 1.0
                turn = (move - n[r] * dist) / d
                value = -dF * length * n[r] * gap - F * length * turn
                if part == 1:
                    value -= F * n[r] * a1[c] / length
                jac[part, r, c] = value


@kernel
def fiber_runs(
    power, reference, radius_poly, h, end_flag, run_element, run_start, candidates, run_law,
    law_constants, law_points, law_xi, slot_start, slot_element, slot_xi, state, force, jacobian,
):  # fmt: skip
    """Closest points and forces of every fiber-fiber run; returns the least 1 + gamma g.

    end_flag (n_elements,): 1 first, 2 last element of its fiber, 3 both, 0 inside. law_constants
    (n_laws, 2), law_points (n_laws,), law_xi (n_laws, max points). Slots of run r start at
    slot_start[r]. Where 1 + gamma g is not positive, the force is zero and the caller must refuse
    the configuration.
    """
    scratch = np.empty(SCRATCH_SIZE)
    x, a1, a2 = np.empty(3), np.empty(3), np.empty(3)
    y, y1, y2 = np.empty(3), np.empty(3), np.empty(3)
    m, n = np.empty(3), np.empty(3)
    least = np.inf
    for run in range(run_element.size):
        e = run_element[run]
        law = run_law[run]
        kappa, gamma = law_constants[law, 0], law_constants[law, 1]
        for k in range(law_points[law]):
            s = slot_start[run] + k
            r_x, _, length = section(
                power[e], reference[e], radius_poly[e], h[e], law_xi[law, k], x, a1, a2
            )
            best, best_xi, d = nearest(
                power, candidates[run_start[run] : run_start[run + 1]], x, scratch
            )
            r_y, dr_y, y_length = section(
                power[best], reference[best], radius_poly[best], h[best], best_xi, y, y1, y2
            )
            admissibility = 1.0 + gamma * (d / (r_x + r_y) - 1.0)
            least = min(least, admissibility)
            slot_element[s] = best
            slot_xi[s] = best_xi
            state[s, 0], state[s, 1], state[s, 2] = d, r_x, r_y
            state[s, 3], state[s, 4], state[s, 5] = admissibility, length, y_length
            force[s] = 0.0
            if d >= r_x + r_y or admissibility <= 0.0:
                continue
            slope, y2_m = 0.0, 0.0
            for c in range(3):
                m[c] = y[c] - x[c]
                n[c] = m[c] / d
                slope += n[c] * y1[c]
                y2_m += m[c] * y2[c]
            flag = end_flag[best]
            held = (best_xi <= 0.0 and flag % 2 == 1) or (best_xi >= 1.0 and flag >= 2)
            contact_force(
                a1, length, r_x, n, d, r_y, dr_y, slope, y1, y2_m, y_length * y_length, m,
                not held, kappa, gamma, force[s], jacobian[s],
            )  # fmt: skip
    return least


@kernel
def bone_runs(
    power, reference, radius_poly, h, run_element, run_shape, run_law, shape_start, shape_end,
    shape_radius, shape_infinite, law_constants, law_points, law_xi, slot_start, slot_point, state,
    force, jacobian,
):  # fmt: skip
    """Closest points and forces of every fiber-bone run; returns the least 1 + gamma g.

    The bone is the set of points within shape_radius of its axis, from shape_start to shape_end
    (ground), or of the whole line where shape_infinite. slot_point (n_slots, 3) receives x;
    jacobian (n_slots, 2, 3, 3) the derivatives in x and a1. How T changes with the bone's pose
    follows from them, since T only depends on where x lies relative to the bone.
    """
    a1, a2, n, axis = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    m, zero = np.empty(3), np.zeros(3)
    full = np.empty((4, 3, 3))
    least = np.inf
    for run in range(run_element.size):
        e = run_element[run]
        law = run_law[run]
        kappa, gamma = law_constants[law, 0], law_constants[law, 1]
        start, end = shape_start[run_shape[run]], shape_end[run_shape[run]]
        R = shape_radius[run_shape[run]]
        infinite = shape_infinite[run_shape[run]]
        for k in range(law_points[law]):
            s = slot_start[run] + k
            x = slot_point[s]
            r_x, _, length = section(
                power[e], reference[e], radius_poly[e], h[e], law_xi[law, k], x, a1, a2
            )
            d, free = closest_on_axis(x, start, end, infinite, axis, m)
            admissibility = 1.0 + gamma * (d / (r_x + R) - 1.0)
            least = min(least, admissibility)
            state[s, 0], state[s, 1], state[s, 2] = d, r_x, R
            state[s, 3], state[s, 4], state[s, 5] = admissibility, length, 1.0
            force[s] = 0.0
            if d >= r_x + R or admissibility <= 0.0:
                continue
            for c in range(3):
                n[c] = m[c] / d
            # a partner curve along the axis with unit speed and no curvature
            y1 = axis if free else zero
            contact_force(
                a1, length, r_x, n, d, R, 0.0, 0.0, y1, 0.0, 1.0, m, free, kappa, gamma,
                force[s], full,
            )  # fmt: skip
            jacobian[s, 0] = full[0]
            jacobian[s, 1] = full[1]
    return least
