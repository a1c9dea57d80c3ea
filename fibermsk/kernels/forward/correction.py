"""Newton's method of an implicit step, with the muscles condensed to the coordinates.

At a prediction u the rates f are exact, as `right_side` left them. Within the corrections d = (dq,
dp, ds) of a step, which are of the size of its error, activations, muscles and passive forces are
exact functions of the lengths L + R dq and speeds v + R dp of the paths, with the levers R = dL/dq
of the prediction; masses, levers and other forces keep their values. Stiff are only the former.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from fibermsk._arrays import Array
from fibermsk._compile import body, part
from fibermsk._prepared import call
from fibermsk.kernels.forward.laws import activation_rate, coordinate_force
from fibermsk.kernels.forward.right_side import signal, solve_positive

_MOST = 8
"""Iterations."""

_ACCURACY = 0.03
"""Estimated error of the correction over the tolerance of the step."""


class Correction(NamedTuple):
    """Memory of the corrections of a step.

    Attributes
    ----------
    u, d, psi, size : (n_u,) float array
        Prediction, correction, the known part of the formula, and tolerances of the unknowns.
    stages : (7, n_u) float array
        Rates within an explicit step.
    lever : (n_muscles, n) float array
        Derivatives R of the lengths in the coordinates.
    passive : (n_passive,) float array
        Passive forces at the prediction.
    length, speed, activation, state : (n_muscles,) float array
        At the correction.
    hill : (n_muscles, 2, 6) float array
        As in `ForwardState`.
    A, b, off : (n, n), (n,) and (n,) float array
        Equations of dp, and what dq lacks.
    """

    u: Array
    d: Array
    psi: Array
    size: Array
    stages: Array
    lever: Array
    passive: Array
    length: Array
    speed: Array
    activation: Array
    state: Array
    hill: Array
    A: Array
    b: Array
    off: Array


@part
def _activate(arrays, t, u, c, at):
    """Correct the activations, which nothing else moves; False if Newton's method fails."""
    for k in range(arrays.active_state.size):
        i = 2 * at.b.size + arrays.active_state[k]
        e = signal(arrays, arrays.active_signal[k], t)
        for _ in range(_MOST):
            a = u[i] + at.d[i]
            rate, slope = activation_rate(arrays.active_kind[k], arrays.active_law, k, e, a)
            step = (c * rate - at.psi[i] - at.d[i]) / (1.0 - c * slope)
            at.d[i] += step
            if abs(step) <= 1e-3 * at.size[i]:
                break
        else:
            return False
    return True


@part
def _begin(arrays, state, at):
    """Levers, passive forces and muscles at the prediction."""
    rows, first, n = state.rows, arrays.first_axis, at.b.size
    n_axes, n_drivers = state.force.size, state.driver.size
    for m in range(at.length.size):
        for j in range(n):
            total = 0.0
            for a in range(n_axes):
                total += state.by_u[m, a] * rows.J[first + a, j]
            for k in range(n_drivers):
                total += state.by_u[m, n_axes + k] * rows.J[arrays.driver_row[k], j]
            at.lever[m, j] = total
    for k in range(at.passive.size):
        row = arrays.coordinate_row[k]
        at.passive[k], _, _ = coordinate_force(
            arrays.coordinate_kind[k], arrays.coordinate_law, k, rows.x[row], rows.x_dot[row]
        )


@part
def _muscles(arrays, u, state, at):
    """Forces and rates of the muscles at the corrected lengths and states."""
    d, n = at.d, at.b.size
    for m in range(at.length.size):
        length, speed = state.length[m], state.speed[m]
        for j in range(n):
            length += at.lever[m, j] * d[j]
            speed += at.lever[m, j] * d[n + j]
        at.length[m], at.speed[m] = length, speed
        own, active = arrays.muscle_state[m], arrays.activated_by[m]
        at.state[m] = u[2 * n + own] + d[2 * n + own] if own >= 0 else 0.0
        at.activation[m] = state.activation[m]
        if active >= 0:
            at.activation[m] = u[2 * n + active] + d[2 * n + active]
    own = at.length, at.speed, at.activation, at.state, state.rest, arrays.hill, at.hill
    call(arrays.forces, own)


@part
def _condense(arrays, u, f, c, state, at):
    """Fill A and b of dp, and what dq lacks; states of muscles are eliminated."""
    d, psi, A, b, off, rows = at.d, at.psi, at.A, at.b, at.off, state.rows
    n = b.size
    for j in range(n):
        off[j] = c * (u[n + j] + d[n + j]) - psi[j] - d[j]
        b[j] = 0.0
        for i in range(n):
            A[i, j] = state.whole[i, j]
    for j in range(n):
        for i in range(n):
            b[i] += A[i, j] * (c * f[n + j] - psi[n + j] - d[n + j])
    for m in range(at.length.size):
        force, row, own = at.hill[m, 0], at.hill[m, 1], arrays.muscle_state[m]
        change, by_length, by_speed = force[0] - state.hill[m, 0, 0], force[1], force[2]
        if own >= 0:
            i = 2 * n + own
            moved = force[4] / (1.0 + c * row[4])
            change += moved * (-c * row[0] - psi[i] - d[i])
            by_length -= moved * c * row[1]
            by_speed -= moved * c * row[2]
        for j in range(n):
            change += by_length * at.lever[m, j] * off[j]
        stiffness = c * (c * by_length + by_speed)
        for j in range(n):
            b[j] -= c * change * at.lever[m, j]
            for i in range(n):
                A[i, j] += stiffness * at.lever[m, i] * at.lever[m, j]
    for k in range(at.passive.size):
        row = arrays.coordinate_row[k]
        x, x_dot, lacking = rows.x[row], rows.x_dot[row], 0.0
        for j in range(n):
            x += rows.J[row, j] * d[j]
            x_dot += rows.J[row, j] * d[n + j]
            lacking += rows.J[row, j] * off[j]
        force, by_x, by_rate = coordinate_force(
            arrays.coordinate_kind[k], arrays.coordinate_law, k, x, x_dot
        )
        change = force - at.passive[k] + by_x * lacking
        stiffness = c * (c * by_x + by_rate)
        for j in range(n):
            b[j] += c * change * rows.J[row, j]
            for i in range(n):
                A[i, j] -= stiffness * rows.J[row, i] * rows.J[row, j]


@body
def correct(arrays, t, u, f, c, state, at):
    """Solve c f(u + d) = psi + d for the correction d of a prediction u with rates f.

    Parameters
    ----------
    arrays : ForwardArrays
        The model.
    t : float
        Time [s].
    u, f : (n_u,) float array
        Prediction and its rates.
    c : float
        Step over the leading coefficient of the formula [s].
    state : ForwardState
        As `right_side` left it at the prediction.
    at : Correction
        Has psi and size; d is filled, the rest is overwritten.

    Returns
    -------
    converged : bool
        Whether Newton's method converged, and A was positive.
    """
    d, n = at.d, at.b.size
    d[:] = 0.0
    if not _activate(arrays, t, u, c, at):
        return False
    _begin(arrays, state, at)
    last = 0.0
    for iteration in range(_MOST):
        _muscles(arrays, u, state, at)
        _condense(arrays, u, f, c, state, at)
        if not solve_positive(at.A, at.b):
            return False
        norm = 0.0
        for j in range(n):
            at.off[j] += c * at.b[j]
            d[j] += at.off[j]
            d[n + j] += at.b[j]
            norm += (at.off[j] / at.size[j]) ** 2 + (at.b[j] / at.size[n + j]) ** 2
        for m in range(at.length.size):
            own = arrays.muscle_state[m]
            if own < 0:
                continue
            row, i = at.hill[m, 1], 2 * n + own
            step = -c * row[0] - at.psi[i] - d[i]
            for j in range(n):
                step -= c * at.lever[m, j] * (row[1] * at.off[j] + row[2] * at.b[j])
            step /= 1.0 + c * row[4]
            d[i] += step
            norm += (step / at.size[i]) ** 2
        norm = math.sqrt(norm / d.size)
        if not math.isfinite(norm):
            return False
        if norm <= _ACCURACY * 0.1:
            return True
        if iteration > 0:
            rate = norm / last
            if rate >= 1.0:
                return False
            if rate / (1.0 - rate) * norm <= _ACCURACY:
                return True
        last = norm
    return False
