"""Rates of the state of rigid bodies with line muscles.

Symbols: ``u`` and its rates ``f`` as in `fibermsk.kernels.forward.arrays`; M p_dot = -bias +
passive forces - sum of F dL/dq.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, inlined_body
from fibermsk._prepared import call
from fibermsk.kernels.forward.laws import activation_rate, coordinate_force
from fibermsk.kernels.lines.paths import fill_lengths
from fibermsk.kernels.skeleton.coordinate_map import congruence, fill_rows
from fibermsk.kernels.skeleton.rigid import inverse_dynamics, mass_matrix, tree_state

FINE, NO_PATH, NO_MASS, NOT_FINITE, SHORT = 0, 1, 2, 3, 4
"""What an evaluation returns, and a march whose steps became too short."""


@body
def signal(arrays, k, t):
    """Value of signal k at time t."""
    low, high = arrays.knot_start[k], arrays.knot_start[k + 1] - 1
    time, value = arrays.knot_time, arrays.knot_value
    if t <= time[low]:
        return value[low]
    if t >= time[high]:
        return value[high]
    while high - low > 1:
        middle = (low + high) // 2
        if time[middle] <= t:
            low = middle
        else:
            high = middle
    slope = (value[high] - value[low]) / (time[high] - time[low])
    return value[low] + slope * (t - time[low])


@body
def solve_positive(M, x):
    """Solve M x_new = x in place by Cholesky's factors; False if M (n, n) is not positive."""
    n = x.size
    for i in range(n):
        for j in range(i + 1):
            total = M[i, j]
            for k in range(j):
                total -= M[i, k] * M[j, k]
            if i > j:
                M[i, j] = total / M[j, j]
            elif total > 0.0:
                M[i, i] = math.sqrt(total)
            else:
                return False
    for i in range(n):
        for k in range(i):
            x[i] -= M[i, k] * x[k]
        x[i] /= M[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= M[k, i] * x[k]
        x[i] /= M[i, i]
    return True


@inlined_body
def _pull(arrays, t, u, f, state):
    """Add the pull of the muscles to the forces, and fill the rates of their states."""
    rows, first, placed = state.rows, arrays.first_axis, state.placed
    n, n_axes, n_drivers = state.push.size, state.force.size, state.driver.size
    for d in range(n_drivers):
        state.driver[d] = rows.x[arrays.driver_row[d]]
    links, length, by_u = state.links, state.length, state.by_u
    left = fill_lengths(
        arrays.paths, links.S, arrays.moves, arrays.drives, links.rotation, links.position,
        state.driver, placed, length, by_u,
    )  # fmt: skip
    if left < 0:
        return NO_PATH
    if left > 0 and not call(state.chains, ()):
        return NO_PATH
    for m in range(length.size):
        speed = 0.0
        for a in range(n_axes):
            speed += by_u[m, a] * rows.x_dot[first + a]
        for d in range(n_drivers):
            speed += by_u[m, n_axes + d] * rows.x_dot[arrays.driver_row[d]]
        state.speed[m] = speed
        own, active = arrays.muscle_state[m], arrays.activated_by[m]
        state.state[m] = u[2 * n + own] if own >= 0 else 0.0
        if active >= 0:
            state.activation[m] = u[2 * n + active]
        else:
            state.activation[m] = signal(arrays, arrays.signal_of[m], t)
    own = length, state.speed, state.activation, state.state, state.rest, arrays.hill, state.hill
    call(arrays.forces, own)
    for m in range(length.size):
        tension, own = state.hill[m, 0, 0], arrays.muscle_state[m]
        if own >= 0:
            f[2 * n + own] = -state.hill[m, 1, 0]
        for a in range(n_axes):
            state.force[a] -= tension * by_u[m, a]
        for d in range(n_drivers):
            row = arrays.driver_row[d]
            for j in range(n):
                state.push[j] -= tension * by_u[m, n_axes + d] * rows.J[row, j]
    return FINE


@body
def right_side(arrays, t, u, f, state):
    """Fill the rates f of u at time t; returns `FINE`, or what prevents it."""
    rows, first = state.rows, arrays.first_axis
    n, n_axes = state.push.size, state.force.size
    rows.J[:] = 0.0
    for j in range(n):
        rows.x[j], rows.x_dot[j], rows.x_ddot[j] = u[j], u[n + j], 0.0
        rows.J[j, j] = 1.0
        state.push[j] = 0.0
        f[j] = u[n + j]
    fill_rows(arrays.map, rows)
    tree_state(
        rows.x[first : first + n_axes], rows.x_dot[first : first + n_axes],
        rows.x_ddot[first : first + n_axes], arrays.parent, arrays.joint_rotation,
        arrays.joint_position, arrays.kind, arrays.axis, state.links,
    )  # fmt: skip
    state.force[:] = 0.0
    inverse_dynamics(state.links, arrays.moves, arrays.bodies, state.force)
    for a in range(n_axes):
        state.force[a] = -state.force[a]
    for k in range(arrays.active_state.size):
        at = 2 * n + arrays.active_state[k]
        e = signal(arrays, arrays.active_signal[k], t)
        f[at], _ = activation_rate(arrays.active_kind[k], arrays.active_law, k, e, u[at])
    if state.length.size:
        status = _pull(arrays, t, u, f, state)
        if status != FINE:
            return status
    for k in range(arrays.coordinate_row.size):
        row = arrays.coordinate_row[k]
        force, _, _ = coordinate_force(
            arrays.coordinate_kind[k], arrays.coordinate_law, k, rows.x[row], rows.x_dot[row]
        )
        for j in range(n):
            state.push[j] += force * rows.J[row, j]
    mass_matrix(state.links, arrays.parent, arrays.bodies, state.M)
    state.whole[:] = 0.0
    congruence(first, arrays.map.support, rows.J, state.M, state.whole)
    for a in range(n_axes):
        for j in range(n):
            state.push[j] += state.force[a] * rows.J[first + a, j]
    for i in range(n):
        for j in range(n):
            state.factor[i, j] = state.whole[i, j]
    if not solve_positive(state.factor, state.push):
        return NO_MASS
    for j in range(n):
        f[n + j] = state.push[j]
    for i in range(f.size):
        if not math.isfinite(f[i]):
            return NOT_FINITE
    return FINE
