"""Consistent initial accelerations and rates of first-order states."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError
from fibermsk.guard import guarded
from fibermsk.protocol import BorderedMatrix, System, rounded
from fibermsk.solvers.newton.condense import followers
from fibermsk.solvers.newton.linear import factorize
from fibermsk.solvers.newton.stage import State
from fibermsk.solvers.orders import first_order, n_states
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

_NOTHING = 1e-16
"""The same that no sum of doubles shows. Changes may go on to fall for hundreds of refinements."""

_BALANCED = 1e-14
"""Residual over the largest force that counts as round-off: a short element has little mass, so
that the round-off of its forces accelerates it by more than `_ROUND_OFF`."""

_NO_MASS, _SINGULAR = 1e-14, 1e-9
"""Masses over the largest one, and eigenvalues of the mass matrix with unit diagonal, that count as
zero."""

_TAKES_PART = 0.1
"""Least component of a named unknown, over the largest of a motion without mass."""

_MOST_NAMED, _MOST_DENSE = 6, 2000
"""Unknowns in a message, and the largest mass matrix whose eigenvalues are computed."""


def begin_from(system: System, state: State, *, derive: bool = True) -> tuple[State, Array]:
    """State with consistent velocities and state rates at the same positions, and v_dot (n,).

    Only the independent velocities of `state` are used. With `derive`, prescribed motions given by
    positions alone are differentiated in time. Raises as `accelerations`.
    """
    v = system.enforce(state.y, state.v, state.t, derive=derive)
    state = state._replace(v=v)
    known = getattr(system, "known_start", None)  # where a run is repeated from its solutions
    if known is not None:
        return known(state, derive)
    with rounded(system):
        return _consistent(system, state, state.t, derive)


@guarded
def accelerations(system: System, t: float, y: Array, v: Array) -> Array:
    """Rates of v (n,) that satisfy the equations of motion at a given state; a new array.

    The residual is linear in them with the reduced mass matrix. With large slopes the tangent is
    that matrix up to small terms, which a few iterative refinements correct. Prescribed motions
    have zero acceleration; rates of first-order states in v are ignored.

    Raises
    ------
    ConvergenceError
        If forces or masses there are not finite, or a coordinate has no inertia; the message names
        the unknowns whose motion moves no mass.
    """
    with rounded(system):
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
        solve = factorize(found.tangent, spend=True)
        before = np.inf
        for _ in range(_MOST_ITERATIONS if some else _MOST_REFINEMENTS):
            assert solve is not None
            change = _DV_DY * solve(-found.residual)
            rates = change[states].copy()
            change *= _DVDOT_DV
            change[states] = 0.0
            size, of_states = largest(change, system) / (1.0 + largest(v_dot, system)), 0.0
            if some:
                scale = system.scale[states]
                of_states = largest(rates / scale, system)
                of_states /= 1.0 + largest(v[states] / scale, system)
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
            if size <= _NOTHING:
                return State(t, y, v), v_dot
            before = size
            found = found._replace(tangent=None)  # most of the memory
            solve = None if some else solve
            found = system.evaluate(t, y, v, v_dot, _DV_DY, _DVDOT_DV, tangent=some)
            if found.tangent is not None:
                solve = factorize(found.tangent, spend=True)
    except np.linalg.LinAlgError as error:
        problem = str(error)
    problem = _without_mass(system, state, given, derive) or problem
    what = "masses or rates" if some else "masses"
    raise ConvergenceError(f"no accelerations at t = {t:g} s: {what}: {problem}", time=t)


def _without_mass(system: System, state: State, given: float | None, derive: bool) -> str:
    """Unknowns that move no mass, with a remedy; empty if none is found.

    The kinetic energy of a motion without mass is zero. Fibers have mass, so that only the border
    of the mass matrix, or a dense one, is searched, without first-order states and dependent
    entries.
    """
    t, y, v = state
    still = system.enforce_rate(y, v, np.zeros_like(v), given, derive=derive)
    tangent = system.evaluate(t, y, v, still, _DV_DY, _DVDOT_DV).tangent
    bordered = isinstance(tangent, BorderedMatrix)
    matrix, first = (tangent.D, len(tangent.B)) if bordered else (tangent, 0)
    if not isinstance(matrix, np.ndarray):
        return ""
    # entries that keep their rates are independent
    trial = np.random.default_rng(0).uniform(1.0, 2.0, system.n)
    kept = system.enforce_rate(y, v, trial, t, derive=derive) == trial
    last = min(first + len(matrix), system.n - n_states(system))
    # rows of constraints have no masses: their entries follow the others
    held, follow = followers(system, t, y)
    kept[held] = False
    own = np.flatnonzero(kept[first:last])
    mass = matrix[np.ix_(own, own)] + matrix[np.ix_(own, held - first)] @ follow[:, first + own]
    mass /= _DV_DY * _DVDOT_DV
    if not (0 < own.size <= _MOST_DENSE and np.isfinite(mass).all()):
        return ""
    names = [f"{system.describe(int(first + k))} = {y[first + k]:.6g}" for k in own]
    diagonal = np.abs(np.diag(mass))
    some = diagonal > _NO_MASS * diagonal.max()
    found = []
    if not some.all():
        alone = [name for name, has in zip(names, some, strict=True) if not has]
        verb, it = ("moves", "it") if len(alone) == 1 else ("move", "them")
        found.append(
            f"{_listed(alone)} (rad or m) {verb} no mass: give mass and inertia to a body that "
            f"moves with {it}, or lock {it}"
        )
    scale = np.sqrt(diagonal[some])
    values, motions = np.linalg.eigh(mass[np.ix_(some, some)] / np.outer(scale, scale))
    motions = motions[:, values < _SINGULAR]
    if motions.shape[1]:
        size = np.linalg.norm(motions, axis=1)
        part = np.flatnonzero(size > _TAKES_PART * size.max())
        known = np.flatnonzero(some)[part]
        text = f"{_listed([names[k] for k in known])} (rad or m) "
        if motions.shape[1] == 1:
            rates = motions[part, 0] / scale[part]
            rates /= np.copysign(np.abs(rates).max(), rates[0])
            ratio = " : ".join(f"{rate:.3g}" for rate in rates[:_MOST_NAMED])
            text += f"move no mass together, at rates of {ratio}"
        else:
            text += f"move no mass in {motions.shape[1]} combinations"
        others = [names[k] for k in range(known[0], known[-1]) if k not in known]
        pose = f"change the coordinates between them ({_listed(others)}), " if others else ""
        found.append(
            f"{text}, so that the mass matrix is singular, as in a gimbal lock, where two axes "
            f"coincide: {pose}lock one of them, or give mass and inertia to the bodies between them"
        )
    return "; ".join(found)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
