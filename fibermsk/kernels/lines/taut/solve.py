"""The taut path over a chain of surfaces: which are touched, tangent points, checks.

A surface is touched if its arc length is positive. The solution is followed from the last one if
there is one, and otherwise started by a string (`fibermsk.kernels.lines.taut.string`). It is
accepted only if it is taut: the normal curvature presses every arc to its surface, no free line
passes through a surface, and the second variation of the length is positive, so that no sideways
displacement shortens the path. The second variation becomes singular where the matrix of the
tangent points does: only there may a branch end.

A *loose* path may pass through surfaces where it lies on another one, as paths of OpenSim do: its
arcs, and free lines whose ends are inside.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import inner, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.around_axis import winding_of
from fibermsk.kernels.lines.section import to_local
from fibermsk.kernels.lines.taut.chain import _dot, fill_lines
from fibermsk.kernels.lines.taut.crossing import DEPTH, divide_arcs, ends_inside, same
from fibermsk.kernels.lines.taut.depth import SAMPLES, deepest, deepest_on_arc
from fibermsk.kernels.lines.taut.geodesic import pressed
from fibermsk.kernels.lines.taut.newton import fill_derivatives, fill_gradient, newton
from fibermsk.kernels.lines.taut.sides import from_all_sides, through_hints
from fibermsk.kernels.lines.taut.string import copy, guess, lean, length_of
from fibermsk.kernels.lines.taut.surfaces import level, most_curved, settle

(
    TAUT, INSIDE_START, INSIDE_END, LOST, LOOSE, SHORTER, THROUGH, PIECES, ORDER, NOT_FINITE,
    ACROSS, ELSEWHERE,
) = range(12)  # fmt: skip
"""Statuses: taut; an end lies inside a surface; no solution found; the path would leave the surface
in between; a sideways displacement shortens it; a free line passes through a surface; a surface is
touched in several places; surfaces are touched in another order; input not finite; an arc on one
surface passes through another; a cylinder is touched on another side than asked."""

CHANGES = 12
"""Most changes of the set of touched surfaces in one solution."""
ATTEMPTS = 3
"""Strings that are tried as a start, in the worst case."""
DENSE = 96
"""Points of the string from which Newton's method starts."""
BEYOND = 1.01
"""Length of a rough string, of that of a solution, from which it leads to none that is shorter."""


@kernel
def _pack(kind, size, R, p, foot, active):
    """Arrays of the active surfaces, and their numbers."""
    n, j = 0, 0
    for k in range(kind.size):
        n += 1 if active[k] else 0
    kinds, where = np.empty(n, np.int64), np.empty(n, np.int64)
    sizes, Rs, ps, feet = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 7))
    for k in range(kind.size):
        if active[k]:
            kinds[j], where[j] = kind[k], k
            copy(size[k], sizes[j])
            copy(p[k], ps[j])
            for r in range(3):
                copy(R[k, r], Rs[j, r])
            for r in range(7):
                feet[j, r] = foot[k, r]
            j += 1
    return kinds, sizes, Rs, ps, feet, where


@inner
def _ends(o, i, frame, where, k, a, b):
    """Fill a, b (3,): the ends of the free line that passes the surface k, which is not touched."""
    copy(o, a)
    copy(i, b)
    for j in range(where.size):
        if where[j] < k:
            copy(frame[j, 1, 0], a)
    for j in range(where.size - 1, -1, -1):
        if where[j] > k:
            copy(frame[j, 0, 0], b)


@inner
def _touched_twice(kind, size, R, p, active, k):
    """Whether surface k is listed elsewhere too, and touched there."""
    for j in range(kind.size):
        if j != k and active[j] and same(kind, size, R, p, k, j):
            return True
    return False


@inner
def _examine(
    kind, size, R, p, o, i, asked, active, loose, kinds, sizes, Rs, ps, feet, where, frame, field,
    line,
):  # fmt: skip
    """Status of a solution: taut, or why it is not, and for which surface.

    kinds to line are of the active surfaces.
    """
    n, pivot = where.size, 0.0
    for k in range(n):
        angle = asked[where[k]]
        if (
            not math.isnan(angle)
            and abs(angle - winding_of(kinds, sizes, Rs, ps, feet, frame, o, i, k)) > math.pi
        ):
            return ELSEWHERE, where[k]
    y, a, b = scratch(10), scratch(3), scratch(3)
    for k in range(n):
        least, conjugate = 1.0, 1.0
        length = feet[k, 6]
        radius = min(sizes[k, 0], min(sizes[k, 1], sizes[k, 2]))
        # an arc on a convex surface that is short has no conjugate point (Sturm)
        if length * math.sqrt(most_curved(kinds[k], sizes[k], feet[k], length)) >= math.pi:
            least, conjugate = pressed(
                kinds[k], sizes[k], feet[k, :3], feet[k, 3:6], length, SAMPLES, y
            )
        if not least > 0.0:
            return LOOSE, where[k]
        if not conjugate > 0.0:
            return SHORTER, where[k]
        # second variation of line, arc, line in the sideways displacements of P and Q
        c, d, d_slope = field[k, 0], field[k, 2], field[k, 3]
        stiff_P, stiff_Q = 1.0 / line[k, 3], 1.0 / line[k + 1, 3]
        if k > 0:
            side = _dot(frame[k - 1, 1, 3], frame[k, 0, 3]) / line[k, 3]
            stiff_P -= side * side / pivot
        if d <= 1e-9 * radius:
            pivot = stiff_P + stiff_Q  # P and Q move as one
        else:
            stiff_P += c / d
            if not stiff_P > 0.0:
                return SHORTER, where[k]
            pivot = stiff_Q + d_slope / d - 1.0 / (d * d * stiff_P)
        if not pivot > 0.0:
            return SHORTER, where[k]
    # free lines stay outside of all surfaces
    point = scratch(3)
    for k in range(n + 1):
        copy(o if k == 0 else frame[k - 1, 1, 0], a)
        copy(i if k == n else frame[k, 0, 0], b)
        for j in range(kind.size):
            if loose and ends_inside(kind[j], size[j], R[j], p[j], a, b):
                continue
            if deepest(kind[j], size[j], R[j], p[j], a, b, point) < -DEPTH:
                return THROUGH, j
    # and so do arcs on other surfaces
    there = scratch(7)
    for k in range(0 if loose else n):
        own = where[k]
        for j in range(kind.size):
            if j == own or same(kind, size, R, p, j, own):
                continue
            if deepest_on_arc(
                kind[own], size[own], R[own], p[own], feet[k], kind[j], size[j], R[j], p[j], there
            ) < -DEPTH:  # fmt: skip
                return ACROSS, j
    return TAUT, -1


@kernel
def _places(where):
    """Entries in z of the variables of the active surfaces, (6 + 6 m,)."""
    to = np.empty(6 + 6 * where.size, np.int64)
    for r in range(to.size):
        to[r] = r if r < 6 else 6 + 6 * where[(r - 6) // 6] + (r - 6) % 6
    return to


@inner
def _scatter(frame, line, feet, where, gradient):
    """Length of a solved chain; fills its gradient, zeros for surfaces that are not touched."""
    by_z, to = np.empty(6 + 6 * where.size), _places(where)
    length = fill_gradient(frame, line, feet, by_z)
    for r in range(gradient.size):
        gradient[r] = 0.0
    for r in range(to.size):
        gradient[to[r]] = by_z[r]
    return length


@inner
def _settle_contacts(kind, size, R, p, o, i, asked, foot, near, active, loose, gradient):
    """Solve for the tangent points and for the surfaces that are touched; returns as `solve`.

    near: as for `fibermsk.kernels.lines.taut.newton.newton`.
    """
    m, failed = kind.size, LOST
    lifted = np.zeros(m, np.int64)
    a, b, point = scratch(3), scratch(3), scratch(3)
    g, H = scratch(3), scratch((3, 3))
    for change in range(CHANGES):
        kinds, sizes, Rs, ps, feet, where = _pack(kind, size, R, p, foot, active)
        n = where.size
        frame, bend, field = np.empty((n, 2, 4, 3)), np.empty((n, 2, 3)), np.empty((n, 4))
        line = np.empty((n + 1, 4))
        if n == 0:
            fill_lines(o, i, frame, line)
        else:
            first = near and change == 0
            found = newton(kinds, sizes, Rs, ps, o, i, feet, first, frame, bend, field, line)
            if not found < 1e-10:
                return failed, math.nan, where[0] if n == 1 else -1
            lowest = 0
            for j in range(n):
                for r in range(7):
                    foot[where[j], r] = feet[j, r]
                if feet[j, 6] < feet[lowest, 6]:
                    lowest = j
            if feet[lowest, 6] <= 0.0:
                active[where[lowest]] = 0
                lifted[where[lowest]] += 1
                continue
        worst, which = 0.0, -1
        for k in range(m):
            if active[k]:
                continue
            _ends(o, i, frame, where, k, a, b)
            if loose and ends_inside(kind[k], size[k], R[k], p[k], a, b):
                continue
            depth = deepest(kind[k], size[k], R[k], p[k], a, b, point)
            # one that lifted off here, or from which the line comes, touches only beyond rounding
            again = lifted[k] > 0 or _touched_twice(kind, size, R, p, active, k)
            if depth < worst and (not again or depth < -DEPTH) and lifted[k] < 3:
                worst, which = depth, k
        if which < 0:
            if not loose:
                which = divide_arcs(kind, size, R, p, foot, active, lifted)
            if which >= 0:
                active[which], failed = 1, ACROSS
                continue
            status, blamed = _examine(
                kind, size, R, p, o, i, asked, active, loose, kinds, sizes, Rs, ps, feet, where,
                frame, field, line,
            )  # fmt: skip
            if status != TAUT:
                return failed if failed == ACROSS else status, math.nan, blamed
            return TAUT, _scatter(frame, line, feet, where, gradient), -1
        _ends(o, i, frame, where, which, a, b)
        deepest(kind[which], size[which], R[which], p[which], a, b, foot[which, :3])
        if not settle(kind[which], size[which], foot[which, :3], g, H):
            return failed, math.nan, which
        for r in range(3):
            point[r] = p[which, r] + b[r] - a[r]
        to_local(R[which], p[which], point, foot[which, 3:6])
        lean(g, foot[which, 3:6])
        foot[which, 6] = 0.0
        active[which] = 1
    return failed, math.nan, -1


@inner
def _keep(foot, active, best, touched):
    """Fill best (m, 7) and touched (m,) with the feet and active surfaces of a path."""
    for j in range(active.size):
        touched[j] = active[j]
        for c in range(7):
            best[j, c] = foot[j, c]


@kernel
def _search(kind, size, R, p, o, i, asked, starts, foot, active, loose, gradient):
    """The shortest taut path from strings starts (c, k, 3), the shortest first; as `solve`."""
    status, blamed, shortest = LOST, -1, math.inf
    best, touched = np.empty((kind.size, 7)), np.empty(kind.size, np.int64)
    for attempt in range(ATTEMPTS):
        # with more patience where a string slides slowly, with more points where it turns sharply
        points = DENSE if attempt < 2 else 3 * DENSE
        sweeps, calm = (20 * points, 1e-6) if attempt == 0 else (100 * points, 1e-9)
        for c in range(starts.shape[0] if attempt == 0 else 1):
            if length_of(starts[c]) > BEYOND * shortest:
                break
            found, blamed = guess(kind, size, R, p, starts[c], foot, active, points, sweeps, calm)
            if found == 0:
                status, L, blamed = _settle_contacts(
                    kind, size, R, p, o, i, asked, foot, False, active, loose, gradient
                )
                if status == TAUT and L < shortest:
                    shortest = L
                    _keep(foot, active, best, touched)
            else:
                status = PIECES if found == -1 else ORDER
        if shortest < math.inf:
            _keep(best, touched, foot, active)
            return _settle_contacts(
                kind, size, R, p, o, i, asked, foot, True, active, loose, gradient
            )
    return status, math.nan, blamed


@inner
def solve(kind, size, R, p, o, i, hint, hinted, asked, foot, active, warm, loose, gradient):
    """Fill feet (m, 7) and active (m,) of the taut path; returns a status and the length.

    Third is the number of the surface that is to blame for the status; -1 if several are.
    kind (m,), size (m, 3): surfaces; R (m, 3, 3), p (m, 3): their frames in the ground; o, i (3,):
    ends, ground; hint (m, 3), hinted (m,): points that the path passes first, frame of the surface;
    asked (m,): angle of the path about the axis of a cylinder that it touches, NaN if any will do.
    If warm, foot and active hold the last solution, which is followed; where its arcs enter other
    surfaces, as a loose one with loose > 0. Paths without one are loose with loose = 2. gradient
    (n,) is that of the length in z = (o, i, xi_1 .. xi_m), n = 6 + 6 m; a surface that is not
    touched has zeros there.
    """
    local, g, H = scratch(3), scratch(3), scratch((3, 3))
    for k in range(kind.size):
        for end in range(2):
            to_local(R[k], p[k], o if end == 0 else i, local)
            F = level(kind[k], size[k], local, g, H)
            if not math.isfinite(F):
                return NOT_FINITE, math.nan, k
            if F <= 0.0:
                return INSIDE_START if end == 0 else INSIDE_END, math.nan, k
    if warm:
        before, was = np.empty((kind.size, 7)), np.empty(kind.size, np.int64)
        _keep(foot, active, before, was)
        for attempt in range(2 if loose else 1):
            _keep(before, was, foot, active)
            status, L, _ = _settle_contacts(
                kind, size, R, p, o, i, asked, foot, True, active, attempt, gradient
            )
            if status == TAUT:
                return status, L, -1
            if status != ACROSS:
                break
    starts = through_hints(kind, size, R, p, o, i, hint, hinted)
    if starts.shape[1] == 2:
        # the straight line, unless it meets a surface
        clear = True
        for k in range(kind.size):
            active[k] = 0
            clear = clear and deepest(kind[k], size[k], R[k], p[k], o, i, local) >= 0.0
        if clear:
            return _settle_contacts(
                kind, size, R, p, o, i, asked, foot, False, active, max(0, loose - 1), gradient
            )
        starts = from_all_sides(kind, size, R, p, o, i)
    may = max(0, loose - 1)
    return _search(kind, size, R, p, o, i, asked, starts, foot, active, may, gradient)


@inner
def fill_bent(kind, size, R, p, o, i, foot, active, gradient, hessian):
    """Length of a solved chain; fills its gradient (n,) and Hessian (n, n); see `solve`."""
    kinds, sizes, Rs, ps, feet, where = _pack(kind, size, R, p, foot, active)
    n, to = 6 + 6 * where.size, _places(where)
    by_z, by_zz = np.empty(n), np.empty((n, n))
    length = fill_derivatives(kinds, sizes, Rs, ps, o, i, feet, by_z, by_zz)
    for r in range(gradient.size):
        gradient[r] = 0.0
        for c in range(gradient.size):
            hessian[r, c] = 0.0
    for r in range(n):
        gradient[to[r]] = by_z[r]
        for c in range(n):
            hessian[to[r], to[c]] = by_zz[r, c]
    return length


@kernel
def chain(kind, size, R, p, o, i, hint, hinted, foot, active, warm, gradient, hessian):
    """Taut path over a chain of surfaces: status and length, with gradient and Hessian in z.

    Arguments as in `solve` and `fill_bent`; any side of a cylinder will do. All are NaN unless the
    status is TAUT.
    """
    asked = np.full(kind.size, np.nan)
    status, _, _ = solve(
        kind, size, R, p, o, i, hint, hinted, asked, foot, active, warm, 0, gradient
    )
    if status == TAUT:
        return status, fill_bent(kind, size, R, p, o, i, foot, active, gradient, hessian)
    for r in range(gradient.size):
        gradient[r] = math.nan
        for c in range(gradient.size):
            hessian[r, c] = math.nan
    return status, math.nan
