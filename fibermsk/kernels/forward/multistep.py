"""Stiff multistep march: numerical differentiation formulas of order 1 to 5, in one compiled loop.

Differences D_0 = u_n, D_1 = h u_n' and so on are kept at the present step h and respaced where it
changes. A step predicts u = sum of D_i, evaluates the rates there once, and solves for the
correction d; its error is that of the difference of the next order. At the start, and after each
time where rates have a corner, an explicit step gives the first differences, of order four.

Reference: Shampine and Reichelt, The MATLAB ODE suite, SIAM Journal on Scientific Computing 18
(1997), 1-22; the control of the order is that of their ode15s.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._compile import allocating, body, inlined_body, part
from fibermsk.kernels.forward.correction import correct
from fibermsk.kernels.forward.progress import assign, follow, foresee
from fibermsk.kernels.forward.right_side import FINE, SHORT, right_side
from fibermsk.kernels.forward.runge_kutta import try_step, within
from fibermsk.kernels.lines.branches import copy_branches

HIGHEST = 5
"""Largest order."""

_KAPPA = np.array([0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0, 0.0])
_GAMMA = np.array([0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0, 147.0 / 60.0])
_ALPHA = (1.0 - _KAPPA) * _GAMMA
_ERROR = _KAPPA * _GAMMA + 1.0 / np.arange(1.0, 8.0)
"""Coefficients of the formulas, by order."""

_SAFETY, _LEAST, _MOST = 0.9, 0.2, 10.0
_START = 4
"""Order of the differences from an explicit step, and their number in it."""

_WORTH = 1.15
"""Factor of the step below which it stays."""


class History(NamedTuple):
    """What a march remembers of its past.

    Attributes
    ----------
    D : (8, n) float array
        Differences of the state at steps of the present length.
    own : (2,) int array
        Order, and steps since order and length changed.
    """

    D: Array
    own: Index


@allocating
def _respace(D, order, factor):
    """Differences at `factor` times the present step."""
    n = order + 1
    made = np.empty((2, n, n))
    for which in range(2):
        R = made[which]
        R[:] = 0.0
        R[0, :] = 1.0
        share = factor if which == 0 else 1.0
        for i in range(1, n):
            for j in range(1, n):
                R[i, j] = R[i - 1, j] * (i - 1.0 - share * j) / i
    moved = made[1].T @ (made[0].T @ D[:n])
    D[:n] = moved


@part
def _norm(values, size, factor):
    """Root mean square of values over their sizes, times a factor."""
    total = 0.0
    for i in range(values.size):
        total += (values[i] / size[i]) ** 2
    return abs(factor) * math.sqrt(total / max(values.size, 1))


@inlined_body
def _restart(arrays, state, tableau, tolerance, scale, stop, longest, at, history, kept, work):
    """Make an explicit step, and differences of order four from the states within it.

    Returns a status, and the length of the step [s].
    """
    u, f, number, count = at
    D, own = history
    n, k, new = u.size, work.stages, work.d
    t = number[0]
    status = right_side(arrays, t, u, k[0], state)
    count[3] += 1
    if status != FINE:
        return status, 0.0
    h = number[3]
    if h == 0.0:
        # a start that changes no unknown by more than its tolerance's fifth root
        for r in range(n):
            work.size[r] = max(scale[r], abs(u[r]))
        h = 0.1 * tolerance ** (1.0 / tableau.order) / max(_norm(k[0], work.size, 1.0), 1e-6)
    while True:
        h = min(h, longest)
        step = stop - t if t + 1.01 * h >= stop else h
        status, error = try_step(
            arrays, state, tableau, tolerance, scale, t, step, u, k, new, count
        )
        factor = _LEAST
        if status == FINE and math.isfinite(error):
            factor = _SAFETY * max(error, 1e-10) ** (-1.0 / tableau.order)
            factor = min(2.0, max(_LEAST, factor))
            if error <= 1.0:
                break
        count[2] += 1
        copy_branches(kept, state.placed)
        h = factor * step
        if h < 1e-13 * max(1.0, abs(t)):
            return (SHORT if status == FINE else status), 0.0
    number[3] = factor * step if step == h or factor < 1.0 else h
    D[:] = 0.0
    for i in range(_START + 1):
        within(tableau, step, u, new, k, 1.0 - i / _START, D[i])
    # differences of states become differences of higher order in place
    for i in range(1, _START + 1):
        for j in range(_START, i - 1, -1):
            for r in range(n):
                D[j, r] = D[j - 1, r] - D[j, r]
    assign(f, k[tableau.c.size - 1])
    number[1] = step / _START
    return FINE, step


@part
def _new_order(history, highest, error, size):
    """Choose the next order; returns the factor of the step that it allows."""
    D, own = history
    order = own[0]
    best, factor = order, max(error, 1e-10) ** (-1.0 / (order + 1))
    if order > 1:
        lower = max(_norm(D[order], size, _ERROR[order - 1]), 1e-10) ** (-1.0 / order)
        if lower > factor:
            best, factor = order - 1, lower
    if order < highest:
        higher = _norm(D[order + 2], size, _ERROR[order + 1])
        higher = max(higher, 1e-10) ** (-1.0 / (order + 2))
        if higher > factor:
            best, factor = order + 1, higher
    own[0] = best
    return min(_MOST, max(_LEAST, _SAFETY * factor))


@part
def _frame(D, order, back, h, out):
    """State at a time `back` before the present one."""
    assign(out, D[0])
    share = 1.0
    for i in range(1, order + 1):
        share *= (i - 1.0 - back / h) / i
        for r in range(out.size):
            out[r] += share * D[i, r]


@inlined_body
def _accept(state, order, step, end, times, at, history, kept, frames, lengths):
    """Move on to the end of a step, with the frames up to there."""
    u, _, number, count = at
    assign(u, history.D[0])
    follow(state.placed, kept)
    while count[0] < times.size and times[count[0]] <= end:
        _frame(history.D, order, end - times[count[0]], number[1], frames[count[0]])
        lengths[count[0]] = step
        count[0] += 1
    number[0], number[2] = end, step
    count[1] += 1


@body
def march_stiff(
    arrays,
    state,
    kept,
    work,
    tableau,
    highest,
    tolerance,
    scale,
    times,
    stops,
    longest,
    most,
    at,
    history,
    frames,
    lengths,
):
    """Advance until all frames are filled, a step fails, or `most` steps are accepted.

    Parameters
    ----------
    arrays, state : ForwardArrays, ForwardState
        The model, and memory.
    kept : Branches
        Those at the time reached; changed in place.
    work : Correction
        Memory.
    tableau : Tableau
        Method of the first step, and of that after each stop.
    highest : int
        Largest order.
    history : History
        The past; changed in place. An order of zero starts anew.
    tolerance, scale, times, stops, longest, most, at, frames, lengths
        As for `fibermsk.kernels.forward.march.march`.

    Returns
    -------
    status : int
        `fibermsk.kernels.forward.right_side.FINE`, or why the last attempt at a step failed.
    """
    u, f, number, count = at
    D, own = history
    psi, size, d, new, n = work.psi, work.size, work.d, work.u, u.size
    done = 0
    while count[0] < times.size and done < most:
        t, stop = number[0], stops[count[4]]
        if stop - t < 1e-13 * max(1.0, abs(t)):
            count[4] += 1
            own[0] = 0
            continue
        if own[0] == 0:
            status, step = _restart(
                arrays, state, tableau, tolerance, scale, stop, longest, at, history, kept, work
            )
            if status != FINE:
                copy_branches(kept, state.placed)
                return status
            end = stop if step == stop - t else t + step
            _accept(state, _START, step, end, times, at, history, kept, frames, lengths)
            done += 1
            # two more steps tell which order is best
            own[0], own[1] = min(_START, highest), min(_START, highest) - 1
            continue
        order = own[0]
        h = min(number[1], longest)
        lands = t + 1.01 * h >= stop
        if lands:
            h = stop - t
        elif t + 2.0 * h > stop:
            h = 0.5 * (stop - t)
        if h != number[1]:
            _respace(D, order, h / number[1])
            number[1], own[1] = h, 0
        if h < 1e-13 * max(1.0, abs(t)):
            return SHORT
        c = h / _ALPHA[order]
        for r in range(n):
            total, known = D[0, r], 0.0
            for i in range(1, order + 1):
                total += D[i, r]
                known += _GAMMA[i] * D[i, r]
            new[r], psi[r] = total, known / _ALPHA[order]
            size[r] = tolerance * max(scale[r], abs(total))
        end = stop if lands else t + h
        foresee(arrays.paths, state.placed, kept, h / number[2])
        status = right_side(arrays, end, new, f, state)
        count[3] += 1
        error = math.inf
        factor = 0.5
        if status == FINE and correct(arrays, end, new, f, c, state, work):
            error = _norm(d, size, _ERROR[order])
            if error > 1.0:
                factor = max(_LEAST, _SAFETY * error ** (-1.0 / (order + 1)))
        if not error <= 1.0:
            count[2] += 1
            copy_branches(kept, state.placed)
            _respace(D, order, factor)
            number[1], own[1] = factor * h, 0
            if factor * h < 1e-13 * max(1.0, abs(t)):
                return SHORT if status == FINE else status
            continue
        for r in range(n):
            D[order + 2, r] = d[r] - D[order + 1, r]
            D[order + 1, r] = d[r]
            for i in range(order, -1, -1):
                D[i, r] += D[i + 1, r]
        _accept(state, order, h, end, times, at, history, kept, frames, lengths)
        done += 1
        own[1] += 1
        if own[1] > order and not lands:
            factor = _new_order(history, highest, error, size)
            if own[0] != order or not 1.0 <= factor < _WORTH:
                _respace(D, own[0], factor)
                number[1], own[1] = factor * h, 0
    return FINE
