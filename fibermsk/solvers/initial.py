"""Consistent initial accelerations and rates of first-order states."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError
from fibermsk.guard import guarded
from fibermsk.protocol import System
from fibermsk.solvers.newton.linear import factorize
from fibermsk.solvers.newton.stage import State
from fibermsk.solvers.orders import first_order
from fibermsk.solvers.vectors import largest

_DV_DY, _DVDOT_DV = 1e10, 1e20
"""Slopes [1/s] at which inertia outweighs stiffness and damping in the tangent, and the rates of
states outweigh the states."""

_MOST_REFINEMENTS, _MOST_ITERATIONS = 20, 60
"""Without states, and with states, whose rates may enter their rows in any way."""

_HALVED, _SMALLER = 0.5, 0.95
"""Part of one change that the next must be below, likewise."""

_ROUND_OFF = 1e-8
"""Change of the rates, over their size and 1 m/s^2, that counts as round-off."""

_BALANCED = 1e-14
"""Residual over the largest force that counts as round-off: a short element has little mass, so
that the round-off of its forces accelerates it by more than `_ROUND_OFF`."""


def begin_from(system: System, state: State, *, derive: bool = True) -> tuple[State, Array]:
    """State with consistent velocities and state rates at the same positions, and v_dot (n,).

    Only the independent velocities of `state` are used. With `derive`, prescribed motions given by
    positions alone are differentiated in time. Raises as `accelerations`.
    """
    v = system.enforce(state.y, state.v, state.t, derive=derive)
    return _consistent(system, state._replace(v=v), state.t, derive)


@guarded
def accelerations(system: System, t: float, y: Array, v: Array) -> Array:
    """Rates of v (n,) that satisfy the equations of motion at a given state; a new array.

    The residual is linear in them with the reduced mass matrix. With large slopes the tangent is
    that matrix up to small terms, which a few iterative refinements correct. Prescribed motions
    have zero acceleration; rates of first-order states in v are ignored.

    Raises
    ------
    ConvergenceError
        If forces or masses there are not finite, or a coordinate has no inertia.
    """
    return _consistent(system, State(t, y, v), None, True)[1]


def _consistent(
    system: System, state: State, given: float | None, derive: bool
) -> tuple[State, Array]:
    """Rates of states and of v; prescribed motions have accelerations if a time is given.

    Rates of states may enter their rows nonlinearly: solved by Newton's method, whose tangent with
    large slopes holds the derivatives in the rates.
    """
    t, y, v = state
    states = first_order(system)
    some = states.start < states.stop
    v_dot = system.enforce_rate(y, v, np.zeros_like(v), given, derive=derive)
    found = system.evaluate(t, y, v, v_dot, _DV_DY, _DVDOT_DV)
    if found.flaw:
        raise ConvergenceError(
            f"no accelerations at t = {t:g} s: NaN or infinity in {found.flaw}", time=t
        )
    problem = "a coordinate or a fiber has no inertia"
    if some:
        problem += ", or a state of first order has no rate"
    try:
        assert found.tangent is not None
        solve = factorize(found.tangent)
        before = np.inf
        for _ in range(_MOST_ITERATIONS if some else _MOST_REFINEMENTS):
            change = _DV_DY * solve(-found.residual)
            rates = change[states].copy()
            change *= _DVDOT_DV
            change[states] = 0.0
            size, of_states = largest(change) / (1.0 + largest(v_dot)), 0.0
            if some:
                scale = system.scale[states]
                of_states = largest(rates / scale) / (1.0 + largest(v[states] / scale))
                size = max(size, of_states)
            if not size < (_SMALLER if some else _HALVED) * before:
                # round-off is all that is left, or the tangent is none of inertia
                balanced = 0.0 < found.imbalance <= _BALANCED and of_states <= _ROUND_OFF
                if before <= _ROUND_OFF or (balanced and before < np.inf):
                    return State(t, y, v), v_dot
                break
            if some:
                v = v.copy()
                v[states] += rates
            v_dot = system.enforce_rate(y, v, v_dot + change, given, derive=derive)
            if size == 0.0:
                return State(t, y, v), v_dot
            before = size
            found = system.evaluate(t, y, v, v_dot, _DV_DY, _DVDOT_DV, tangent=some)
            if found.tangent is not None:
                solve = factorize(found.tangent)
    except np.linalg.LinAlgError as error:
        problem = str(error)
    what = "masses or rates" if some else "masses"
    raise ConvergenceError(f"no accelerations at t = {t:g} s: {what}: {problem}", time=t)
