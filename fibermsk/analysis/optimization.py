"""Static optimization: activations that give a motion at the least effort.

At every frame, with moment arms r [m], active forces F at activation 1 and passive forces P [N]:

    minimize  sum_m a_m^p + sum_j (R_j / R0_j)^2
    with      sum_m r_mj (a_m F_m + P_m) + R_j = tau_j,   a in bounds,

tau from inverse dynamics and R the torques of reserve actuators. With R eliminated this is a
bounded problem that is strictly convex.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk._warn import warn
from fibermsk.analysis.frame import ACTING, chosen, refuse_other_forces
from fibermsk.analysis.laws import affine_force, rigid_law
from fibermsk.analysis.series import Series, smooth
from fibermsk.errors import ModelError, ModelWarning, PathError
from fibermsk.model import LineMuscle, Model
from fibermsk.read.motion import motion_of, warn_of
from fibermsk.system.build import build
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton

RESERVE_SHARE = 0.05
"""Share of the largest required torque above which a reserve is warned of."""

_AT_BOUND = 1e-12
"""Distance from a bound below which an activation is at it."""

_NEWTON = 50
"""Most steps for a power above 2."""


@dataclass(frozen=True, eq=False, repr=False)
class StaticOptimum(Described):
    """Activations of muscles along a motion.

    Attributes
    ----------
    time : (n,) float array
        Instants [s].
    activation, force : dict of (n,) float array
        By muscle; force of the tendon [N].
    required, reserve : dict of (n,) float array
        By coordinate [N m or N]: force that muscles and reserve must give, and that of the reserve.
    share : dict of float
        Largest reserve over the largest required force of a coordinate.
    optimality : (n,) float array
        Largest violation of the conditions of Karush, Kuhn and Tucker, relative to the size of the
        terms.
    assumptions : dict of str
        What was assumed, by topic: the curves of the muscles, their tendons, passive forces,
        velocity, activation, reserves, and the motion.
    """

    time: Array
    activation: dict[str, Array]
    force: dict[str, Array]
    required: dict[str, Array]
    reserve: dict[str, Array]
    share: dict[str, float]
    optimality: Array
    assumptions: dict[str, str]

    def columns(self) -> dict[str, Array]:
        """Columns of a table, such as ``<muscle>/activation`` and ``<coordinate>/reserve``."""
        found = {f"{name}/activation": one for name, one in self.activation.items()}
        found |= {f"{name}/tendon_force": one for name, one in self.force.items()}
        return found | {f"{name}/reserve": one for name, one in self.reserve.items()}


def static_optimization(
    model: Model,
    motion: Any,
    *,
    muscles: str | Sequence[str] | None = None,
    power: float = 2.0,
    bounds: tuple[float, float] = (0.0, 1.0),
    reserve: float | Mapping[str, float] = 1.0,
    passive: bool = True,
    lowpass: float | None = None,
    in_degrees: bool | None = None,
) -> StaticOptimum:
    """Find the activations of line muscles that give a motion at the least sum of powers.

    Parameters
    ----------
    model : Model
        Bodies, joints and line muscles. Muscles act by their law with a rigid tendon; without a law
        by that of their class in OpenSim, and of another class by the curves of De Groote; see
        `StaticOptimum.assumptions`. External forces (`ExternalForce`, `read_external_loads`) act
        at the times of the motion.
    motion : str, path, Signals or mapping
        As for `drive`. Coordinates without a column keep their initial value, and their equations
        are left out.
    muscles : str or sequence of str, optional
        Names or patterns; by default all.
    power : float
        p of the sum of a^p, in [2, 10].
    bounds : (float, float)
        Of every activation, in [0, 1].
    reserve : float or mapping of str to float
        Strength R0 of the reserve actuators [N m or N], of all or by coordinate; positive. A
        reserve of this size costs as much as a muscle that is fully active.
    passive : bool
        Whether passive forces of the fibers act; OpenSim's tool leaves them out.
    lowpass : float, optional
        Cut-off frequency [Hz] of a Butterworth filter of third order, applied forward and backward
        to the motion, which must then be sampled at equal intervals.
    in_degrees : bool, optional
        As for `drive`.

    Returns
    -------
    optimum : StaticOptimum

    Raises
    ------
    ModelError
        If the model has fibers, contacts, constraints or elements with states or controllers, an
        external force is unknown at a time of the motion, or an argument is refused.

    Warns
    -----
    ModelWarning
        If the reserve of a coordinate exceeds 5 % of its largest required force, columns of the
        motion are not used, samples are missing, a free coordinate has no column, or values are far
        beyond a declared range.

    Notes
    -----
    Velocities and accelerations are those of `inverse_dynamics`. For p = 2 each frame is a bounded
    least-squares problem, which `scipy.optimize.lsq_linear` (BVLS, an active-set method) solves
    exactly in finitely many steps; for p > 2 Newton's method solves a sequence of them.
    """
    _check.instance("static_optimization", "model", model, Model, "a Model")
    refuse_other_forces(model, "static optimization", ACTING)
    passive = _check.flag("static_optimization", "passive", passive)
    _check.instance("static_optimization", "bounds", bounds, (tuple, list), "two numbers")
    if len(bounds) != 2:
        _check.refuse("static_optimization", "bounds", bounds, "be two numbers")
    lower, upper = (_check.fraction("static_optimization", "bounds", one) for one in bounds)
    if not lower < upper:
        _check.refuse("static_optimization", "bounds", tuple(bounds), "increase")
    power = _check.number("static_optimization", "power", power)
    if not 2.0 <= power <= 10.0:
        _check.refuse("static_optimization", "power", power, "lie in [2, 10]")
    found = motion_of(model, motion, in_degrees=in_degrees)
    warn_of(model, found, whole=True)
    free = free_model(model)
    own = chosen(free, muscles)
    skeleton = Skeleton(free)
    names = [one for one in found.values if one in skeleton.independent]
    entries = [skeleton.independent.index(one) for one in names]
    strengths = _check.positive_by_name("static_optimization", "reserve", reserve, names, 1.0)
    strength = np.array(list(strengths.values()))
    series = smooth(found, names, lowpass)
    # forces of muscles are what is sought: the others are those of the bodies alone
    system = build(free.edit(remove=list(free.muscles))) if free.elements else None
    A, required, tau, F, P = _torques(skeleton, system, own, series, entries, passive)
    a = np.empty((found.time.size, len(own)))
    optimality = np.empty(found.time.size)
    for k in range(found.time.size):
        a[k] = _least(A[k] / strength[:, None], tau[k] / strength, power, lower, upper)
        optimality[k] = violation(
            A[k] / strength[:, None], tau[k] / strength, power, lower, upper, a[k]
        )
    R = tau - np.einsum("kjm,km->kj", A, a)
    share = {
        name: float(np.abs(R[:, j]).max() / max(np.abs(required[:, j]).max(), 1e-300))
        for j, name in enumerate(names)
    }
    for name, one in share.items():
        if one > RESERVE_SHARE:
            warn(
                f"static optimization: the reserve of {name!r} reaches {100 * one:.3g} % of its "
                "largest required force; the muscles cannot give this motion",
                ModelWarning,
            )
    labels = [one.name for one in own]
    return StaticOptimum(
        time=found.time,
        activation=dict(zip(labels, a.T.copy(), strict=True)),
        force=dict(zip(labels, (a * F + P).T.copy(), strict=True)),
        required=dict(zip(names, required.T.copy(), strict=True)),
        reserve=dict(zip(names, R.T.copy(), strict=True)),
        share=share,
        optimality=optimality,
        assumptions=_assumptions(
            own, names, skeleton, power, (lower, upper), strength, passive, free.elements.names
        )
        | {"motion": _of_motion(found.name, lowpass)},
    )


def _assumptions(
    muscles: Sequence[LineMuscle],
    names: Sequence[str],
    skeleton: Skeleton,
    power: float,
    bounds: tuple[float, float],
    strength: Array,
    passive: bool,
    loads: Sequence[str],
) -> dict[str, str]:
    """What the optimum rests on, by topic, in words."""
    by_curves = dict[str, list[str]]()
    for muscle in muscles:
        kind = type(rigid_law(muscle).curves).__name__
        given = "its own law" if muscle.law is not None else f"for {muscle.kind or 'no class'}"
        by_curves.setdefault(f"{kind} ({given})", []).append(muscle.name)
    idle = [one for one in skeleton.independent if one not in names]
    reserves = [f"{name} {one:g}" for name, one in zip(names, strength, strict=True)]
    return {
        "curves": "; ".join(f"{kind}: {', '.join(own)}" for kind, own in by_curves.items()),
        "tendon": "rigid: the compliance of tendons is left out",
        "velocity": "force-velocity at the speed of the path; the active force is never negative",
        "passive forces": "act" if passive else "left out",
        "activation": f"{bounds[0]:g} to {bounds[1]:g}, without dynamics; least sum of a^{power:g}",
        "reserves": f"strength in N m or N: {', '.join(reserves)}",
        "equations left out": ", ".join(idle) or "none",
        "external forces": ", ".join(loads) or "none",
    }


def _of_motion(name: str, lowpass: float | None) -> str:
    smoothed = "as given" if lowpass is None else f"low-pass filter of {lowpass:g} Hz"
    return f"{name!r}, {smoothed}, spline of order 5"


def _torques(
    skeleton: Skeleton,
    system: Any,
    muscles: Sequence[Any],
    series: Series,
    entries: list[int],
    passive: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """Torques per activation (k, j, m), required torques, and what muscles cost and add.

    Returns A (k, j, m), the torques (k, j) required of all and of activation alone, and active and
    passive forces (k, m). With `system` those of elements act too.
    """
    geometry, laws = MuscleGeometry(skeleton, muscles), [rigid_law(one) for one in muscles]
    n = series.time.size
    A, required = np.empty((n, len(entries), len(muscles))), np.empty((n, len(entries)))
    tau = np.empty_like(required)
    F, P = np.empty((n, len(muscles))), np.empty((n, len(muscles)))
    q = np.tile(skeleton.start, (n, 1))
    q[:, entries] = series.value
    p, p_dot = np.zeros(skeleton.n), np.zeros(skeleton.n)
    try:
        length, arm = geometry.at(q, follow=True)
    except PathError as error:
        raise ModelError(f"at t = {series.time[error.pose or 0]:g} s: {error.__cause__}") from error
    for k in range(n):
        p[entries], p_dot[entries] = series.speed[k], series.acceleration[k]
        speed = -(arm[k] @ p)
        for m, (muscle, law) in enumerate(zip(muscles, laws, strict=True)):
            F[k, m], P[k, m] = affine_force(muscle, law, float(length[k, m]), float(speed[m]))
        P[k] *= passive
        r = arm[k][:, entries].T
        A[k] = r * F[k]
        required[k] = _needed(skeleton, system, float(series.time[k]), q[k], p, p_dot)[entries]
        tau[k] = required[k] - r @ P[k]
    return A, required, tau, F, P


def _needed(skeleton: Skeleton, system: Any, t: float, q: Array, p: Array, p_dot: Array) -> Array:
    """Generalized forces (n,) that a motion needs, besides external ones if there is a system."""
    if system is None:
        return skeleton.inverse_dynamics(q, p, p_dot)
    try:
        return system.evaluate(t, q, p, p_dot, tangent=False).residual[: skeleton.n]
    except ModelError as error:
        raise ModelError(f"at t = {t:g} s: {error}") from error


def _least(B: Array, b: Array, power: float, lower: float, upper: float) -> Array:
    """Minimum of sum a^p + |b - B a|^2 with lower <= a <= upper."""
    from scipy.optimize import lsq_linear

    m = B.shape[1]

    def solve(weight: Array, target: Array) -> Array:
        left = np.concatenate([np.diag(weight), B])
        found = lsq_linear(left, np.r_[weight * target, b], (lower, upper), method="bvls")
        return np.clip(found.x, lower, upper)

    a = solve(np.ones(m), np.zeros(m))
    if power == 2.0:
        return a

    def cost(a: Array) -> float:
        return float(np.sum(a**power) + np.sum((b - B @ a) ** 2))

    for _ in range(_NEWTON):
        curvature = np.maximum(0.5 * power * (power - 1.0) * a ** (power - 2.0), 1e-9)
        step = solve(np.sqrt(curvature), a - 0.5 * power * a ** (power - 1.0) / curvature) - a
        size, now = 1.0, cost(a)
        while cost(a + size * step) > now and size > 1e-6:
            size *= 0.5
        a = np.clip(a + size * step, lower, upper)
        if np.abs(step).max() < 1e-12:
            break
    return a


def violation(B: Array, b: Array, power: float, lower: float, upper: float, a: Array) -> float:
    """Violation of the conditions of Karush, Kuhn and Tucker, relative to the size of the terms."""
    effort, pull = power * a ** (power - 1.0), 2.0 * B.T @ (b - B @ a)
    gradient = effort - pull
    size = np.abs(effort) + 2.0 * np.abs(B.T) @ (np.abs(b) + np.abs(B) @ a) + 1e-300
    wrong, low, high = np.abs(gradient), a <= lower + _AT_BOUND, a >= upper - _AT_BOUND
    wrong[low] = np.maximum(-gradient[low], 0.0)
    wrong[high] = np.maximum(gradient[high], 0.0)
    return float((wrong / size).max())
