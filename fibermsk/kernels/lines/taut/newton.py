"""Newton's method for the tangent points of a chain, and the derivatives of its length.

Symbols as in `fibermsk.kernels.lines.taut.chain`.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import body, inner, inner_body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.taut.chain import (
    LOCAL,
    UNKNOWNS,
    eliminate,
    fill_frames,
    fill_lines,
    fill_moves,
    fill_residual,
    fill_swings,
    fill_system,
    move_foot,
)
from fibermsk.kernels.lines.taut.geodesic import ACCURACY, ROUGH
from fibermsk.kernels.skeleton.rigid import cross

STEPS = 40
"""Most steps of Newton's method."""
CLOSE = 1e-7
"""Norm of the residual from which one more step reaches rounding, and changes frames linearly."""
FAR, NEAR = 3e-2, 1e-3
"""Norms from which a step leads to another one where rough geodesics are good enough, and below
which they never are."""
HALVINGS = 12
"""Most halvings of a step that does not reduce the residual."""


@inner_body
def _size(step, size):
    """Norm of a step (4 m,): displacements, relative to the surface's least radius, and turns."""
    total = 0.0
    for k in range(size.shape[0]):
        least = min(size[k, 0], min(size[k, 1], size[k, 2]))
        for j in range(4):
            part = step[4 * k + j] if j == 2 else step[4 * k + j] / least
            total += part * part
    return math.sqrt(total)


@inner_body
def _fill_equations(E, residual, A):
    """Fill A (n, n + 1): the columns of the unknowns of E, and the negative residual."""
    n = A.shape[0]
    for row in range(n):
        for column in range(n):
            A[row, column] = E[row, column]
        A[row, n] = -residual[row]


@inner_body
def _evaluate(kind, size, R, p, o, i, foot, norm, frame, bend, field, line, residual):
    """Fill the residual and what it needs after a step from one of a norm; returns the new norm."""
    new = 0.0
    if norm > FAR:
        fill_frames(kind, size, R, p, foot, ROUGH, frame, bend, field)
        fill_lines(o, i, frame, line)
        new = fill_residual(frame, line, residual)
    if not new > NEAR:
        fill_frames(kind, size, R, p, foot, ACCURACY, frame, bend, field)
        fill_lines(o, i, frame, line)
        new = fill_residual(frame, line, residual)
    return new


@inner_body
def _finish(kind, size, o, i, foot, step, move, frame, line, residual):
    """Take a step so short that frames change linearly; the norm of the residual after it."""
    for k in range(kind.size):
        a = 4 * k
        if not move_foot(kind[k], size[k], foot[k], step[a], step[a + 1], step[a + 2], step[a + 3]):
            return math.inf
        for j in range(2):
            for q in range(4):
                for r in range(3):
                    for column in range(4):
                        frame[k, j, q, r] += move[k, j, q, column, r] * step[a + column]
    fill_lines(o, i, frame, line)
    return fill_residual(frame, line, residual)


@body
def _copy_feet(foot, out):
    """Copy feet (m, 7) to out."""
    for k in range(foot.shape[0]):
        for r in range(7):
            out[k, r] = foot[k, r]


@inner_body
def _iterate(
    kind, size, R, p, o, i, foot, near, frame, bend, field, line,
    residual, move, swing, E, A, tried, step,
):  # fmt: skip
    """As `newton`, with its work space."""
    m, norm = kind.size, 0.0 if near else math.inf
    norm = _evaluate(kind, size, R, p, o, i, foot, norm, frame, bend, field, line, residual)
    for _ in range(STEPS):
        if not math.isfinite(norm):
            return math.inf
        fill_moves(frame, bend, field, move)
        fill_swings(line, move, swing)
        fill_system(frame, line, move, swing, E)
        _fill_equations(E, residual, A)
        if not eliminate(A, 4 * m):
            return math.inf
        # no step longer than half a radius, or turning by more than half a radian
        share = 1.0
        for k in range(m):
            limit = 0.5 * min(size[k, 0], min(size[k, 1], size[k, 2]))
            for j in range(4):
                most = 0.5 if j == 2 else limit
                share = min(share, most / max(abs(A[4 * k + j, 4 * m]), 1e-300))
        for j in range(4 * m):
            step[j] = A[j, 4 * m]
        if norm < CLOSE:
            return _finish(kind, size, o, i, foot, step, move, frame, line, residual)
        whole = _size(step, size)
        moved = False
        for _half in range(HALVINGS):
            _copy_feet(foot, tried)
            moved = True
            for k in range(m):
                moved = moved and move_foot(
                    kind[k], size[k], tried[k], share * step[4 * k], share * step[4 * k + 1],
                    share * step[4 * k + 2], share * step[4 * k + 3],
                )  # fmt: skip
            new = math.inf
            if moved:
                new = _evaluate(
                    kind, size, R, p, o, i, tried, norm, frame, bend, field, line, residual
                )
            if math.isfinite(new):
                # the step that the same matrix would take next is shorter than this one
                _fill_equations(E, residual, A)
                eliminate(A, 4 * m)
                if _size(A[:, 4 * m], size) <= (1.0 - 0.25 * share) * whole:
                    norm = new
                    break
            moved = False
            share *= 0.5
        if not moved:
            return math.inf
        _copy_feet(tried, foot)
    return math.inf


@inner
def newton(kind, size, R, p, o, i, foot, near, frame, bend, field, line):
    """Move the feet (m, 7) to the solution; the norm of the residual there, infinite on failure.

    near: whether the feet are expected so near to it that rough geodesics are of no use.
    Fills what `fill_frames` and `fill_lines` of `fibermsk.kernels.lines.taut.chain` have of it.
    A step is shortened until the next one, by the same matrix, is shorter: unlike the norm of the
    residual this does not depend on how the equations are scaled (Deuflhard, 2004, section 3.3).
    """
    m = kind.size
    residual = np.empty(4 * m)
    move, swing = np.empty((m, 2, 4, UNKNOWNS, 3)), np.empty((m + 1, 4 * m, 3))
    E, A = np.empty((4 * m, 4 * m)), np.empty((4 * m, 4 * m + 1))
    tried, step = np.empty((m, 7)), np.empty(4 * m)
    return _iterate(
        kind, size, R, p, o, i, foot, near, frame, bend, field, line,
        residual, move, swing, E, A, tried, step,
    )  # fmt: skip


@body
def fill_gradient(frame, line, foot, gradient):
    """Fill the gradient (n,) of the length in z, n = 6 + 6 m; returns the length.

    First variation: only the ends of the free lines count.
    """
    m, arm, total = foot.shape[0], scratch(3), 0.0
    for k in range(m + 1):
        total += line[k, 3]
    for k in range(m):
        total += foot[k, 6]
    for r in range(gradient.size):
        gradient[r] = 0.0
    for r in range(3):
        gradient[r], gradient[3 + r] = -line[0, r], line[m, r]
    for k in range(m):
        for j in range(2):
            sign = 1.0 - 2.0 * j
            e = line[k + j, :3]
            cross(frame[k, j, 0], e, arm)
            for r in range(3):
                gradient[6 + 6 * k + r] += sign * e[r]
                gradient[9 + 6 * k + r] += sign * arm[r]
    return total


@kernel
def fill_derivatives(kind, size, R, p, o, i, foot, gradient, hessian):
    """Fill gradient (n,) and Hessian (n, n) of the length in z, n = 6 + 6 m; returns the length.

    The Hessian is that in exponential coordinates: the two orders of twisting one surface are
    averaged. NaN if the chain is at a branch point.
    """
    m = kind.size
    n, width = 6 + 6 * m, 10 * m + 6
    frame, bend, field = np.empty((m, 2, 4, 3)), np.empty((m, 2, 3)), np.empty((m, 4))
    line = np.empty((m + 1, 4))
    move, swing = np.empty((m, 2, 4, LOCAL, 3)), np.empty((m + 1, width, 3))
    E, G, arm = np.empty((4 * m, width)), np.zeros((n, width)), scratch(3)
    fill_frames(kind, size, R, p, foot, ACCURACY, frame, bend, field)
    fill_lines(o, i, frame, line)
    fill_moves(frame, bend, field, move)
    fill_swings(line, move, swing)
    fill_system(frame, line, move, swing, E)
    total = fill_gradient(frame, line, foot, gradient)
    for r in range(3):
        for column in range(width):
            G[r, column], G[3 + r, column] = -swing[0, column, r], swing[m, column, r]
    for k in range(m):
        row = 6 + 6 * k
        for j in range(2):
            sign = 1.0 - 2.0 * j
            e, point = line[k + j, :3], frame[k, j, 0]
            for column in range(width):
                cross(point, swing[k + j, column], arm)
                for r in range(3):
                    G[row + r, column] += sign * swing[k + j, column, r]
                    G[row + 3 + r, column] += sign * arm[r]
            for column in range(10):
                to = 4 * k + column if column < 4 else 4 * m + 6 + 6 * k + column - 4
                cross(move[k, j, 0, column], e, arm)
                for r in range(3):
                    G[row + 3 + r, to] += sign * arm[r]
    solved = eliminate(E, 4 * m)
    for row in range(n):
        for column in range(n):
            value = G[row, 4 * m + column] if solved else math.nan
            for j in range(4 * m):
                value -= G[row, j] * E[j, 4 * m + column]
            hessian[row, column] = value
    for row in range(n):
        for column in range(row):
            mean = 0.5 * (hessian[row, column] + hessian[column, row])
            hessian[row, column], hessian[column, row] = mean, mean
    return total
