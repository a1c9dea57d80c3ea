"""Explicit Runge-Kutta steps with an embedded error and states within a step."""

from __future__ import annotations

import math
from typing import NamedTuple

from fibermsk._arrays import Array
from fibermsk._compile import inlined_body, part
from fibermsk.kernels.forward.right_side import FINE, right_side


class Tableau(NamedTuple):
    """A method with the last stage at the end of the step, whose rates start the next one.

    Attributes
    ----------
    A, c : (s, s) and (s,) float array
        Stages; the last row is the new state.
    e : (s,) float array
        Weights of the estimated error.
    dense : (s, m) float array
        Weights of the state within a step, in powers 1 to m of the fraction passed.
    order : float
        Order in the step of the estimated error.
    """

    A: Array
    c: Array
    e: Array
    dense: Array
    order: float


@inlined_body
def try_step(arrays, state, tableau, tolerance, scale, t, step, u, k, new, count):
    """Fill rates k (s, n) of the stages, but for the first, and the state `new` after a step.

    Returns a status and the root mean square of the estimated errors over their tolerances.
    """
    A, c, e = tableau.A, tableau.c, tableau.e
    n = u.size
    for i in range(1, c.size):
        for r in range(n):
            total = 0.0
            for j in range(i):
                total += A[i, j] * k[j, r]
            new[r] = u[r] + step * total
        status = right_side(arrays, t + c[i] * step, new, k[i], state)
        count[3] += 1
        if status != FINE:
            return status, math.inf
    error = 0.0
    for r in range(n):
        total = 0.0
        for i in range(c.size):
            total += e[i] * k[i, r]
        size = tolerance * max(scale[r], max(abs(u[r]), abs(new[r])))
        error += (step * total / size) ** 2
    return FINE, math.sqrt(error / max(n, 1))


@part
def within(tableau, step, u, new, k, x, out):
    """Fill out (n,) with the state at a share x of a step from u to `new`."""
    dense = tableau.dense
    for r in range(u.size):
        out[r] = u[r] if x < 1.0 else new[r]
        for i in range(dense.shape[0] if x < 1.0 else 0):
            total = 0.0
            for j in range(dense.shape[1] - 1, -1, -1):
                total = (total + dense[i, j]) * x
            out[r] += step * k[i, r] * total
