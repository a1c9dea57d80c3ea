"""Static equilibrium of the fibers and the tendon of a Hill muscle."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.laws.hill.equations import Equations
from fibermsk.laws.hill.row import MAX_FORCE, OPTIMUM, PENNATION, SLACK

SAMPLES = 240
"""Lengths of the fibers at which the balance is sampled, from the least to the longest."""

LONGEST = 5.0
"""Longest fibers of an equilibrium, over optimal length. Beyond about 2 the filaments of a fiber no
longer overlap; published models in their default pose are below 2.5."""

LARGEST = 10.0
"""Largest force of the tendon in an equilibrium, over max_isometric_force. A tendon breaks under a
few times max_isometric_force. In the start poses of published models it is below 7; one has muscles
with 14 and 28, whose paths are longer than tendon and optimal fibers by one to two of these."""


Balances = Callable[[Array, float, float, Array, Array], object]
"""Fills (n, 2) with the residual and its slope at lengths (n,) of the fibers, given a row of
constants, a length of the path and an activation."""


class HillStart(NamedTuple):
    """Static equilibrium of a muscle.

    Attributes
    ----------
    state : float
        State of the law: fiber_length [m] or normalized_tendon_force; NaN for a rigid tendon.
    fiber_length : float
        [m].
    tendon_force : float
        [N].
    slack : bool
        Whether the tendon is no longer than its slack length: it carries nothing, or pushes by the
        published curves of De Groote. For a rigid tendon, whether it pushes.
    equilibria : (n,) float array
        Lengths of the fibers at all stable equilibria [m], in increasing order.
    """

    state: float
    fiber_length: float
    tendon_force: float
    slack: bool
    equilibria: Array


def static_start(
    owner: str,
    c: Array,
    equations: Equations,
    form: str,
    length: float,
    activation: float,
    near: float | None = None,
    balances: Balances | None = None,
) -> HillStart:
    """Stable equilibrium of a muscle at rest, with a row of constants c.

    The residual P cos(alpha) - f_T is sampled over all lengths of the fibers, from the least one to
    that without a tendon. Where it rises through zero the equilibrium is stable: longer fibers pull
    more than the tendon. Between two samples of equal sign whose slopes differ, its extremum is
    searched, so that pairs of roots are found too. Of several equilibria the one with the shortest
    fibers is taken: there the muscle arrives when its path lengthens from a slack tendon. With
    `near`, it is the closest. On a path so short that the tendon is slack at every length, fibers
    that carry nothing when short are at rest over a range of lengths: the longest is taken, at
    which active fibers end that shorten.

    Raises
    ------
    ModelError
        If there is no equilibrium, or the path is so long that the fibers would exceed `LONGEST` or
        the force of the tendon `LARGEST`.
    """
    length = _check.positive(owner, "length of the path", length, "m")
    activation = _check.fraction(owner, "activation", activation)
    # forces of a path that is far too long overflow; such an equilibrium is refused
    with np.errstate(over="ignore", invalid="ignore"):
        if form == "rigid":
            start = _rigid(owner, c, equations, length, activation)
        else:
            start = _elastic(owner, c, equations, form, length, activation, near, balances)
    numbers = float(c[MAX_FORCE]), float(c[OPTIMUM]), float(c[SLACK])
    refuse_long_path(owner, length, start.fiber_length, start.tendon_force, *numbers)
    return start


def refuse_long_path(
    owner: str,
    length: float,
    fiber: float,
    force: float,
    max_force: float,
    optimum: float,
    slack: float,
) -> None:
    """Refuse an equilibrium on a path that is too long for a muscle, as with wrong units.

    Parameters
    ----------
    owner : str
        The muscle, for the message.
    length, fiber, force : float
        Length of the path [m], and of the fibers [m] and force of the tendon [N] that result; NaN
        for a force that is not known.
    max_force, optimum, slack : float
        max_isometric_force [N], optimal_fiber_length [m] and tendon_slack_length [m].

    Raises
    ------
    ModelError
        If the fibers exceed `LONGEST`, or the force of the tendon `LARGEST`.
    """
    if fiber <= LONGEST * optimum and force <= LARGEST * max_force:
        return
    found = f"the fibers would be {fiber:.3g} m long"
    if math.isfinite(force):
        found += f" and the tendon would pull with {force:.3g} N"
    elif not math.isnan(force):
        found += " and the force of the tendon would overflow"
    else:
        found = f"the fibers would be longer than {fiber:.3g} m"
    must = (
        f"leave the fibers at most {LONGEST * optimum:.3g} m long ({LONGEST:g} "
        f"optimal_fiber_length) and the tendon at most {LARGEST * max_force:.3g} N ({LARGEST:g} "
        f"max_isometric_force), but {found}"
    )
    remedy = (
        f"check the units of the model, tendon_slack_length = {slack:.6g} m, "
        f"optimal_fiber_length = {optimum:.6g} m, and the pose"
    )
    _check.refuse(owner, "length of the path", length, must, unit="m", remedy=remedy)


def _elastic(owner, c, equations, form, length, activation, near, balances) -> HillStart:
    force, slack = float(c[MAX_FORCE]), float(c[SLACK])
    shortest = float(equations.pennation(c, float(c[OPTIMUM]))[2])
    least = float(equations.pennation(c, shortest * (1.0 + 1e-9))[0]) * shortest
    if length <= least:
        _check.refuse(
            owner, "length of the path", length,
            f"exceed {least:.6g} m, the least length of the fibers along the tendon", unit="m",
        )  # fmt: skip
    height = float(c[OPTIMUM]) * math.sin(float(c[PENNATION]))

    def excess(x: float) -> tuple[float, float]:
        row = equations.balance(c, length, 0.0, activation, x, 0.0)[1]
        return float(row[0]), float(row[4])

    longest = math.hypot(length, height)
    # the tendon is stiff: most samples where it is about its slack length
    even = np.linspace(shortest, longest, SAMPLES)
    taut = np.hypot(np.maximum(length - slack * np.linspace(0.98, 1.12, SAMPLES), 0.0), height)
    at = np.unique(np.clip(np.concatenate([even, taut]), shortest, longest))
    if balances is None:
        values = np.array([excess(float(x)) for x in at])
    else:
        values = np.empty((at.size, 2))
        balances(c, length, activation, at, values)
    roots = _stable_roots(excess, at, values) or _carrying_nothing(excess, at, values[:, 0])
    if not roots:
        bound = LONGEST * float(c[OPTIMUM])
        if bound < longest and not excess(bound)[0] >= 0.0:
            refuse_long_path(owner, length, bound, math.nan, force, float(c[OPTIMUM]), slack)
        _no_root(owner, length, slack, least, excess(shortest)[0])
    chosen = roots[0] if near is None else min(roots, key=lambda x: abs(x - near))
    F = float(equations.balance(c, length, 0.0, activation, chosen, 0.0)[0][0])
    cosine = float(equations.pennation(c, chosen)[0])
    is_slack = length - chosen * cosine <= slack * (1.0 + 1e-12)
    state = F / force if form == "implicit" else chosen
    return HillStart(state, chosen, F, is_slack, np.array(roots))


def _rigid(owner, c, equations, length, activation) -> HillStart:
    slack = float(c[SLACK])
    values = equations.rigid_outputs(c, length, 0.0, activation, 0.0, 0.0)
    fiber = float(values[1])
    if values[22] and length - slack <= float(values[3]) * (1.0 - 1e-12):
        _check.refuse(
            owner, "length of the path", length,
            f"exceed tendon_slack_length = {slack:.6g} m by {float(values[3]):.3g} m, the least "
            "length of the fibers along the tendon", unit="m",
            remedy='a tendon that may be slack needs tendon="elastic"',
        )  # fmt: skip
    return HillStart(math.nan, fiber, float(values[21]), bool(values[22]), np.array([fiber]))


def _no_root(owner, length, slack, least, at_least) -> None:
    if at_least > 0.0:
        must = (
            f"be long enough: with a tendon of {slack:.6g} m the fibers would shorten below their "
            f"least length along the tendon, {least:.3g} m, and still pull more than the tendon"
        )
        remedy = "check tendon_slack_length, or lower the activation"
        if length < slack:
            remedy = (
                f"the tendon is longer than the whole path by {slack - length:.3g} m: shorten "
                "tendon_slack_length, or start from a pose in which the path is longer"
            )
    else:
        must = (
            f"admit an equilibrium: fibers as long as the whole path pull less than a tendon of "
            f"{slack:.6g} m pushes"
        )
        remedy = "check tendon_slack_length, or use curves by which a slack tendon does not push"
    _check.refuse(owner, "length of the path", length, must, unit="m", remedy=remedy)


def _stable_roots(excess, at: Array, values: Array) -> list[float]:
    """All points at which a function rises through zero, or reaches it from below.

    values (n, 2): it and its slope at points (n,).
    """
    roots: list[float] = []
    known = list(zip(at.tolist(), values.tolist(), strict=True))
    for (low, (e0, s0)), (high, (e1, s1)) in itertools.pairwise(known):
        if e0 < 0.0 <= e1:
            roots.append(_crossing(excess, low, high))
        elif e0 < 0.0 and e1 < 0.0 and s0 > 0.0 > s1:
            top = _turn(excess, low, high, 1.0)
            if excess(top)[0] >= 0.0:
                roots.append(_crossing(excess, low, top))
        elif e0 >= 0.0 and e1 >= 0.0 and s0 < 0.0 < s1:
            bottom = _turn(excess, low, high, -1.0)
            if excess(bottom)[0] < 0.0:
                roots.append(_crossing(excess, bottom, high))
    return roots


def _carrying_nothing(excess, at: Array, values: Array) -> list[float]:
    """Longest of the shortest lengths at which the residual is zero; none if it is not zero.

    values (n,): it at points (n,).
    """
    still = (values == 0.0).tolist()
    if not still[0]:
        return []
    end = still.index(False) if False in still else len(at)
    low = float(at[end - 1])
    high = float(at[end]) if end < len(at) else low
    while low < (middle := 0.5 * (low + high)) < high:
        if excess(middle)[0] == 0.0:
            low = middle
        else:
            high = middle
    return [low]


def _crossing(excess, low: float, high: float) -> float:
    """First point of a bracket at which the function is not negative, by Newton and bisection."""
    x = 0.5 * (low + high)
    for k in range(200):
        value, slope = excess(x)
        if value < 0.0:
            low = x
        else:
            high = x
        new = x - value / slope if slope > 0.0 else low
        if not low < new < high or k > 40:
            new = 0.5 * (low + high)
        if abs(new - x) <= 1e-15 * abs(x) or new <= low or new >= high:
            break
        x = new
    return high if excess(high)[0] == 0.0 else x


def _turn(excess, low: float, high: float, side: float) -> float:
    """Extremum between two points, by bisection of the slope."""
    for _ in range(100):
        x = 0.5 * (low + high)
        if x <= low or x >= high:
            break
        if side * excess(x)[1] > 0.0:
            low = x
        else:
            high = x
    return 0.5 * (low + high)
