"""Curves of a Hill muscle with elastic tendon, and its static force.

Symbols: ``length`` l_M / l_0 of the muscle fibers, ``velocity`` v_M / (v_max l_0), positive in
lengthening, ``tendon_length`` l_T / l_Ts. Forces are relative to the largest isometric force F_0.
Every curve takes numbers or arrays, real or complex, and returns its value and derivative.

Note: the largest active force is 1.00107, at a length of 1.01329 and not of 1; the passive force is
0.018 at optimal length; a slack tendon pushes with up to 0.2.

References
----------
.. [1] De Groote, Kinney, Rao and Fregly, "Evaluation of direct collocation optimal control problem
       formulations for solving the muscle redundancy problem", Annals of Biomedical Engineering 44
       (2016), 2922-2936, doi:10.1007/s10439-016-1591-9, and its supplement.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array

_ACTIVE = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
"""b_1 to b_4 of the three Gaussians of the active curve; eq. S1 of [1]_."""

_PASSIVE_SHAPE, _PASSIVE_STRAIN = 4.0, 0.6
"""Exponent of the passive curve, and the strain at which it is one; eq. S2."""

_SHORTEST = 0.2
"""Length at which the passive force is zero."""

_VELOCITY = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)
"""d_1 to d_4; eq. S3."""

TENDON_STRAIN = 0.049
"""Strain of the tendon under F_0."""

TENDON_TOE = 0.2
"""Force over F_0 of the toe of the tendon."""

TENDON_SHAPE = math.log(1.0 / TENDON_TOE + 1.0) / TENDON_STRAIN
"""Rate of the exponential of the tendon's curve in its strain."""


def active_force_length(length):
    """Active force f_L of the fibers and its derivative in the length."""
    force, slope = 0.0, 0.0
    for b1, b2, b3, b4 in _ACTIVE:
        width = b3 + b4 * length
        offset = (length - b2) / width
        bell = b1 * np.exp(-0.5 * offset * offset)
        force = force + bell
        slope = slope - bell * offset * (1.0 - b4 * offset) / width
    return force, slope


def passive_force_length(length):
    """Passive force f_P of the fibers and its derivative in the length."""
    rate = _PASSIVE_SHAPE / _PASSIVE_STRAIN
    offset = math.exp(rate * (_SHORTEST - 1.0))
    scale = 1.0 / (math.exp(_PASSIVE_SHAPE) - offset)
    growth = np.exp(rate * (length - 1.0))
    return scale * (growth - offset), scale * rate * growth


def force_velocity(velocity):
    """Force-velocity factor f_V of the active force and its derivative."""
    d1, d2, d3, d4 = _VELOCITY
    y = d2 * velocity + d3
    root = np.sqrt(y * y + 1.0)
    # ln(y + root); for large -y the sum would cancel
    return d1 * np.arcsinh(y) + d4, d1 * d2 / root


def tendon_force_length(tendon_length):
    """Force f_T of the tendon and its derivative in the length; negative below one."""
    growth = TENDON_TOE * np.exp(TENDON_SHAPE * (tendon_length - 1.0))
    return growth - TENDON_TOE, TENDON_SHAPE * growth


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
        If a number lies outside its range, or the muscle does not fit into a path.

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
    return force, np.hypot(along, height)
