"""Explicit march: Runge-Kutta steps of adaptive length, in one compiled loop."""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels.forward.progress import assign
from fibermsk.kernels.forward.right_side import FINE, SHORT, right_side
from fibermsk.kernels.forward.runge_kutta import try_step, within
from fibermsk.kernels.lines.branches import copy_branches

_SAFETY, _LEAST, _MOST = 0.9, 0.2, 5.0
_EXPONENT, _MEMORY = 0.7, 0.4
"""Factors of the next step; the powers of the present and the last error are these over the order
(Gustafsson's PI control)."""


@body
def march(
    arrays,
    state,
    kept,
    stages,
    tableau,
    tolerance,
    scale,
    times,
    stops,
    longest,
    most,
    at,
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
    stages : (s + 1, n) float array
        Memory.
    tableau : Tableau
        The method.
    tolerance, scale : float, (n,) float array
        Largest error of a step, over the size of each unknown or its scale if that is larger.
    times, stops : (n_frames,) and (m,) float array
        Times of the frames, and times that steps end at, the last frame's the last [s].
    longest : float
        Longest step [s].
    most : int
        Number of steps.
    at : Progress
        Where it starts; changed in place.
    frames : (n_frames, n) float array
        Filled with states.
    lengths : (n_frames,) float array
        Filled with the lengths of the steps that reached the frames [s].

    Returns
    -------
    status : int
        `fibermsk.kernels.forward.right_side.FINE`, or why the last attempt at a step failed.
    """
    u, f, number, count = at
    s, order = tableau.c.size, tableau.order
    k, new = stages, stages[tableau.c.size]
    done, t, h, last_error = 0, number[0], number[1], number[3]
    rejected = False
    while count[0] < times.size and done < most:
        stop = stops[count[4]]
        h = min(h, longest)
        lands = t + 1.01 * h >= stop
        step = stop - t if lands else h
        if step < 1e-13 * max(1.0, abs(t)):
            if lands:
                count[4] += 1
                continue
            return SHORT
        assign(k[0], f)
        status, error = try_step(
            arrays, state, tableau, tolerance, scale, t, step, u, k, new, count
        )
        if status != FINE or not error <= 1.0:
            factor = _LEAST
            if status == FINE and math.isfinite(error):
                factor = max(_LEAST, _SAFETY * error ** (-1.0 / order))
            h = factor * step
            rejected = True
            count[2] += 1
            copy_branches(kept, state.placed)
            if h < 1e-13 * max(1.0, abs(t)):
                return SHORT if status == FINE else status
            continue
        copy_branches(state.placed, kept)
        end = stop if lands else t + step
        while count[0] < times.size and times[count[0]] <= end:
            within(tableau, step, u, new, k, (times[count[0]] - t) / step, frames[count[0]])
            lengths[count[0]] = step
            count[0] += 1
        assign(u, new)
        assign(f, k[s - 1])
        factor = _MOST
        if error > 0.0:
            error = max(error, 1e-8)
            factor = _SAFETY * error ** (-_EXPONENT / order) * last_error ** (_MEMORY / order)
            factor = min(_MOST, max(_LEAST, factor))
        if rejected:
            factor = min(factor, 1.0)
        if not lands or factor < 1.0 or step >= h:
            h = factor * step
        last_error, rejected, t = max(error, 1e-4), False, end
        count[1] += 1
        done += 1
        number[0], number[1], number[2], number[3] = t, h, step, last_error
        if lands:
            count[4] += 1
            if count[0] < times.size:
                # rates jump where a signal has a corner
                status = right_side(arrays, t, u, f, state)
                count[3] += 1
                if status != FINE:
                    return status
    return FINE
