"""Jumps of inertia, where a path with mass touches or leaves a surface.

Without smoothing, the inertia of a mass on a path jumps where the wrap angle phi changes its sign.
The limit of ever narrower smoothing is a refraction: the energy stays, and so does the generalized
momentum p = M v but for its part along n = dphi/dq,

    p+ = p- + lambda n,   p+.v+ = p-.v-,   v+ = M+^-1 p+,   with n.v+ of the sign of n.v-.

Without a root it is a reflection, after which the path is on its old side: v+ = v- + lambda M-^-1 n
with n.v+ = -n.v-. Steps hold the sides of all angles and end where one changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import block_array, csc_array
from scipy.sparse.linalg import splu

from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError
from fibermsk.solvers.newton.newton import NewtonReport
from fibermsk.solvers.newton.stage import Method, State
from fibermsk.solvers.observers import Accepted
from fibermsk.solvers.statics.linearize import Linearization, linearize
from fibermsk.solvers.steps.control import StepFailure

_NEAR = 1e-10
"""Largest angle beyond zero at which a step ends [rad]."""
_TRIES = 60
"""Most steps that are tried to end there."""


def sides_of(system: Any, state: State) -> Array:
    """Sides of all angles of `Switches`: 1 for positive ones, else 0."""
    return (system.switch_angles(state.t, state.y) > 0.0).astype(np.int64)


def land(system: Any, at: Accepted, now: Accepted, redo: Callable[[float], Accepted]) -> Accepted:
    """The step, or a shorter one that ends just after the first change of a side."""
    sign = 2.0 * sides_of(system, at.memory.state) - 1.0

    def ahead(one: Accepted) -> float:
        """Least angle before a change; negative after one [rad]."""
        found = sign * system.switch_angles(one.memory.state.t, one.memory.state.y)
        return float(np.nanmin(found, initial=math.inf))

    low, high, before, after = at.t, now.t, max(ahead(at), 0.0), ahead(now)
    if after >= 0.0:
        return now
    weight = before
    for _ in range(_TRIES):
        width = high - low
        if after >= -_NEAR or width <= 4.0 * np.spacing(high):
            break
        # regula falsi (Illinois), to half the tolerance beyond the root
        share = (weight + 0.5 * _NEAR) / (weight - after)
        t = low + min(max(share, 1e-3), 1.0 - 1e-3) * width
        found = redo(t)
        left = ahead(found)
        if left >= 0.0 and found.t < t:
            return found  # a failed step was halved
        if left >= 0.0:
            low, weight, after = found.t, left, after
        else:
            now, high, after = found, found.t, left
            weight *= 0.5
    if now.t != high:
        now = redo(high)
    return now


def cross(
    system: Any, method: Method, now: Accepted, old: Array, new: Array
) -> tuple[Accepted, bool]:
    """A step that ends where sides change, with the velocities after it.

    Second is False where the motion is reflected.
    """
    passed, (t, y, v) = True, now.memory.state
    for k in np.flatnonzero(old != new):
        sides = old.copy()
        sides[k] = new[k]
        v, passed = _refract(system, now, (t, y, v), old, sides, int(k))
        if not passed:
            break
        old = sides
    return _restarted(system, method, now, State(t, y, v), passed), passed


def _refract(
    system: Any, now: Accepted, state: tuple[float, Array, Array], old: Array, new: Array, k: int
) -> tuple[Array, bool]:
    """Velocities after a change of side k, and whether the motion goes on to the new side."""
    t, y, v = state
    masses, n = [], np.zeros(0)
    try:
        for sides in (old, new):
            system.hold_sides(sides)
            masses.append(linearize(system, t, y, v, now.memory.v_dot))
            if sides[k]:
                n = system.switch_slope(t, y, k)
    finally:
        system.hold_sides(None)
    before, after = masses
    solve_before, solve_after = _solver(before), _solver(after)
    m = before.free.size - before.n_states
    free, held, follow = before.free[:m], before.held, before.follow[:, :m]
    n, u = n[free] + follow.T @ n[held], v[free]
    p, rate = _whole(before) @ u, float(n @ u)
    u_plus, w = solve_after(p), solve_after(n)
    along, slope = float(n @ u_plus), float(n @ w)
    square = along * along - slope * float(p @ u_plus - u @ p)
    if square > 0.0:
        change = (math.copysign(math.sqrt(square), rate) - along) / slope
        u = u_plus + change * w
    else:
        w = solve_before(n)
        u = u - 2.0 * rate / float(n @ w) * w
    v = v.copy()
    v[free], v[held] = u, follow @ u
    return system.enforce(y, v, t), square > 0.0


def _whole(one: Linearization) -> csc_array:
    """Mass matrix of the unknowns of second order."""
    mass, m = one.mass, one.free.size - one.n_states
    whole = block_array([[mass.sparse, csc_array(mass.B)], [csc_array(mass.R), csc_array(mass.D)]])
    return csc_array(csc_array(whole)[:m, :m])


def _solver(one: Linearization) -> Callable[[Array], Array]:
    return splu(_whole(one)).solve


def _restarted(system: Any, method: Method, now: Accepted, state: State, passed: bool) -> Accepted:
    """The step, followed by a restart of the method from a state."""
    try:
        memory = method.start(system, state)
    except ConvergenceError as error:
        raise StepFailure(state, now.h, NewtonReport(reason=str(error))) from error
    evaluation = system.evaluate(*memory.state, memory.v_dot, tangent=False)
    counters = replace(now.counters)
    if passed:
        counters.refractions += 1
    else:
        counters.reflections += 1
    left = system.memory()
    return replace(now, memory=memory, evaluation=evaluation, counters=counters, left=left)
