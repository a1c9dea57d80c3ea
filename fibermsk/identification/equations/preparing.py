"""Parts of a problem: what its movements share, and guesses of what all muscles share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.forces import ExternalForce
from fibermsk.identification.choices import texts
from fibermsk.identification.equations.inertia import Base, Regressor, base_of
from fibermsk.identification.equations.movement import Preparation
from fibermsk.identification.unknowns import DELAY_RANGE, betas
from fibermsk.kernels.identification import fibers
from fibermsk.model import ActivationDynamics, Model
from fibermsk.system.skeleton.skeleton import Skeleton

OWNER = "IdentificationProblem"
DELAY = 0.04
"""Guess of the delay from EMG to excitation [s]."""

_FILTER = 0.0098, 0.0174
"""Time constants of the filter of which the guess has the poles [s]."""
_RISE, _FALL = 0.010, 0.040
"""Guesses of the time constants of muscles without activation dynamics [s]."""
_TIMES = 1e-3, 0.5
"""Range of time constants of activation [s]."""
_STATES, _SEED = 300, 20
"""Random states from which base parameters are found."""


def several_of(value: Any) -> list[Any]:
    """Items of a list or tuple, or one item."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def loads_of(value: Any, movements: int) -> list[tuple[ExternalForce, ...]]:
    """External forces of each movement."""
    if value is None:
        return [()] * movements
    several = _check.items(OWNER, "loads", value, (tuple, list), "forces", "forces by movement")
    if len(several) != movements:
        _check.refuse(OWNER, "loads", len(several), f"be as many as the motions, {movements}")
    what = "an ExternalForce", "external forces"
    return [
        _check.items(OWNER, f"loads[{k}]", one, ExternalForce, *what)
        for k, one in enumerate(several)
    ]


def checked_count(value: Any, movements: int) -> int:
    """Number of movements that are held out."""
    if type(value) is not int or not 0 <= value < movements:
        must = f"be 0 or more, and less than the number of movements, {movements}"
        _check.refuse(OWNER, "held_out", value, must)
    return value


def prepare(model: Model, seen: Sequence[str], bodies: Sequence[str] | None) -> Preparation:
    """What movements of a model share, with EMG of the muscles `seen`."""
    skeleton = Skeleton(model)
    if bodies is not None:
        bodies = texts(OWNER, "bodies", bodies)
        for name in bodies:
            if bodies.count(name) > 1:
                _check.refuse(OWNER, "bodies", name, "be named once")
    else:
        bodies = [
            one.name for one in model.bodies
            if one.mass is not None and skeleton.tree.frames[one.name][0] >= 0
        ]  # fmt: skip
    regressor = Regressor(skeleton, [model.body(name) for name in bodies])
    own = tuple(model.muscle(name) for name in seen)
    deep = tuple(one for one in model.muscles if one.name not in seen)
    return Preparation(model.edit(remove=list(model.muscles)), skeleton, own, deep, regressor)


def base_parameters(preparation: Preparation) -> Base:
    """Base parameters from random states around the start."""
    if not preparation.regressor.names:
        return Base(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros(0))
    n, rng = preparation.skeleton.n, np.random.default_rng(_SEED)
    q, p, p_dot = rng.normal(size=(3, _STATES, n))
    Y, _ = preparation.regressor.at(preparation.skeleton.start + q, p, p_dot)
    return base_of(Y.reshape(-1, Y.shape[2]))


def known_of(kinds: Any, laws: Any, own: Any, tables: Any) -> fibers.Muscles:
    """What is known of muscles, for kernels."""
    return fibers.Muscles(
        np.array(kinds, np.int64), np.array([one.damping for one in laws]),
        np.array([one.min_activation for one in laws]), own, tables,
    )  # fmt: skip


def common_guess(
    model: Model, seen: Sequence[str], filter: Any, delay: float, times: Any, interval: float
) -> Array:
    """Guess of filter, delay and time constants."""
    if filter is None:
        c = [-float(np.exp(-interval / one)) for one in _FILTER]
    else:
        c = _check.array(OWNER, "filter", filter, (2,)).tolist()
        if not all(-1.0 < one < 0.0 for one in c):
            _check.refuse(OWNER, "filter", tuple(c), "be two numbers in (-1, 0)")
    delay = _within("emg_delay", delay, DELAY_RANGE)
    if times is not None:
        _check.instance(OWNER, "activation_times", times, (tuple, list), "two numbers")
        if len(times) != 2:
            _check.refuse(OWNER, "activation_times", times, "be two numbers", unit="s")
        own = [_within("activation_times", one, _TIMES) for one in times]
        return np.array([*betas(c), delay, *own])
    rise, fall = _RISE, _FALL
    for name in seen:
        dynamics = model.muscle(name).activation
        if isinstance(dynamics, ActivationDynamics):
            own: Any = dynamics.law
            rise = getattr(own, "activation_time", rise)
            fall = getattr(own, "deactivation_time", fall)
            break
    return np.array([*betas(c), delay, rise, fall])


def coordinates_of_accelerations(skeleton: Skeleton) -> Array:
    """Triangular T with |T a| = size of the accelerations of all coordinates at a (n,)."""
    q = skeleton.start
    S = np.array([list(skeleton.rates(q, unit).values()) for unit in np.eye(skeleton.n)]).T
    return np.asarray(np.linalg.qr(S, mode="r"), float)


def _within(field: str, value: Any, span: tuple[float, float]) -> float:
    """Time in a range [s]."""
    value = _check.positive(OWNER, field, value, "s")
    if not span[0] <= value <= span[1]:
        must = f"lie in [{span[0]:g}, {span[1]:g}] s"
        _check.refuse(OWNER, field, value, must, unit="s", remedy="times are in seconds")
    return value
