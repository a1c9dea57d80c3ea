"""Static force of a Hill muscle with elastic tendon and De Groote's curves, by bisection."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.laws.hill.degroote import (
    active_force_length,
    passive_force_length,
    tendon_force_length,
)
from fibermsk.laws.hill.equilibrium import refuse_long_path


def isometric_force(
    path_length: ArrayLike,
    activation: float,
    max_isometric_force: float,
    optimal_fiber_length: float,
    tendon_slack_length: float,
    pennation_angle: float = 0.0,
) -> tuple[Array, Array]:
    """Static tendon force and muscle fiber length of a Hill muscle.

    Parameters
    ----------
    path_length : (n,) array_like
        Length from origin to insertion, l_MT [m]; positive.
    activation : float
        In [0, 1].
    max_isometric_force, optimal_fiber_length, tendon_slack_length : float
        F_0 [N], l_0 and l_Ts [m]; positive.
    pennation_angle : float
        Angle alpha_0 of the fibers to the tendon at optimal length [rad], in [0, pi/2).

    Returns
    -------
    force, fiber_length : (n,) float array
        F_T [N], down to -0.2 F_0 where the tendon is slack; l_M [m].

    Raises
    ------
    ModelError
        If a number lies outside its range, the muscle does not fit into a path, or a path is so
        long that fibers or tendon would be overloaded, see `HillLaw.start`.

    Notes
    -----
    The root of F_0 (a f_L + f_P) cos(alpha) = F_0 f_T at v_M = v_T = 0, with the fibers' height h =
    l_0 sin(alpha_0) constant, found by bisection on the projected fiber length along the path. The
    root is unique if the tendon is stiffer than the descending limb of the active curve.
    """
    owner = "Hill muscle"
    total = _check.array(owner, "path_length", np.atleast_1d(path_length), ("n",), "m")
    activation = _check.fraction(owner, "activation", activation)
    strength = _check.positive(owner, "max_isometric_force", max_isometric_force, "N")
    optimum = _check.positive(owner, "optimal_fiber_length", optimal_fiber_length, "m")
    slack = _check.positive(owner, "tendon_slack_length", tendon_slack_length, "m")
    angle = _check.number(
        owner,
        "pennation_angle",
        pennation_angle,
        "rad",
        accept=lambda x: 0.0 <= x < 0.5 * math.pi,
        must="lie in [0, pi/2)",
    )
    height = optimum * math.sin(angle)
    if not (total > 0.0).all():
        _check.refuse(owner, "path_length", total.min(), "be positive", unit="m")

    def excess(along):
        length = np.hypot(along, height)
        active, passive = (
            active_force_length(length / optimum),
            passive_force_length(length / optimum),
        )
        muscle = (activation * active[0] + passive[0]) * along / length
        return muscle - tendon_force_length((total - along) / slack)[0]

    # forces of a path that is far too long overflow; its equilibrium is refused
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.full_like(total, 1e-6 * optimum), total.copy()
        closed = (excess(low) > 0.0) | (excess(high) < 0.0)
        if closed.any():
            k = int(np.argmax(closed))
            _check.refuse(
                owner,
                f"path_length[{k}]",
                float(total[k]),
                "admit a muscle in equilibrium with its tendon",
                unit="m",
                remedy=f"the tendon slack length is {slack:g} m",
            )
        for _ in range(60):
            middle = 0.5 * (low + high)
            above = excess(middle) > 0.0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        along = 0.5 * (low + high)
        force = strength * tendon_force_length((total - along) / slack)[0]
    fiber = np.hypot(along, height)
    for k in range(total.size):
        found = float(total[k]), float(fiber[k]), float(force[k])
        refuse_long_path(owner, *found, strength, optimum, slack)
    return force, fiber
