"""Poses that satisfy the conditions at an end of a motion; refused where there is none."""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.optimize import least_squares

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.pose import Condition, Places, Pose, conditions_at
from fibermsk.control.problem import OptimalControl

_CLOSE = 1e-9
"""How far from its bounds a condition may be, also the opening of a given closed chain [m]."""

_TRIES, _SPREAD = 12, 0.7
"""Poses from which one is searched for, and their deviation from the first [rad or m]."""

_DEPENDENT = 1e-4
"""Share of its largest slope around a pose below which a condition follows from others there. A
pose is found to a share of 1e-9, and where it is singular slopes to the root of that."""

_LOOKS, _NO_SLOPE = 4, 1e-12
"""Poses at which slopes are looked at, and the largest that counts as none."""

_ASIDE, _CORRECTIONS, _AWAY = 1e-2, 6, 1e-7
"""How far a pose is moved to see whether a condition follows from others [rad or m], steps of
Newton's method back to these, and the share of that way by which it is off if it does not."""

_CHAIN = "opening of a closed chain"


class _Rows(NamedTuple):
    """Conditions as functions of the chart coordinates."""

    function: Any  # values and their derivatives
    lower: Array
    upper: Array
    names: list[str]
    units: list[str]

    def off(self, s: Array) -> Array:
        """How far each is beyond its bounds."""
        values = np.array(self.function(s)[0]).ravel()
        return values - np.clip(values, self.lower, self.upper)

    def scales(self, s: Array, free: Index) -> Array:
        """Largest slopes (rows,) in chart coordinates that are free, around a pose."""
        rng, found = np.random.default_rng(1), np.zeros(len(self.names))
        for _ in range(_LOOKS):
            near = s.copy()
            near[free] += rng.normal(scale=_SPREAD, size=free.size)
            slopes = np.array(self.function(near)[1])[:, free]
            found = np.maximum(found, np.linalg.norm(slopes, axis=1))
        return np.where(found > _NO_SLOPE, found, 0.0)

    def slopes(self, s: Array) -> Array:
        """Derivatives of what is beyond, (rows, degrees)."""
        every = np.array(self.function(s)[1])
        every[(self.lower < self.upper) & (self.off(s) == 0.0)] = 0.0
        return every


def reached(
    problem: OptimalControl, places: Places, which: str, node: Node, fixed: NDArray[np.bool_],
    bounds: tuple[Array, Array],
) -> tuple[Node, frozenset[str]]:  # fmt: skip
    """Pose near a node with which a motion can start or end, and equalities to ask for.

    Those that follow from others there, as of points in a plane, are left out.

    Parameters
    ----------
    problem : OptimalControl
        Its conditions at the end that is called "start" or "end".
    places : Places
        Points of the plant.
    node : Node
        Pose from which it is searched for.
    fixed : (degrees,) bool array
        Chart coordinates that stay.
    bounds : pair of (degrees,) float array
        Ranges of the others.

    Raises
    ------
    ModelError
        If no pose is found, or nothing but this pose satisfies conditions that do not follow from
        others.
    """
    rows = _rows(problem, places, which, node)
    if not rows.names:
        return node, frozenset()
    owner = f"OptimalControl: {which}"
    if fixed.all():
        _refuse_far(owner, rows, node.s, given=True)
        return node, frozenset()
    free = np.flatnonzero(~fixed)
    low, high = (one[free] for one in bounds)
    rng, best = np.random.default_rng(0), node.s
    for k in range(_TRIES):
        s = node.s.copy()
        s[free] += rng.normal(scale=_SPREAD, size=free.size) if k else 0.0
        s = _nearest(rows, s, free, low, high)
        if not k or np.abs(rows.off(s)).max() < np.abs(rows.off(best)).max():
            best = s
        if np.abs(rows.off(best)).max() <= _CLOSE:
            break
    _refuse_far(owner, rows, best, given=False)
    scales = rows.scales(best, free)
    kept = _independent(rows, best, free, scales)
    found = Node(best, node.references).centered(places.plant.directors)
    name = _singular(rows, best, free, scales, kept)
    if name:
        pose = places.plant.coordinates_of([found])
        given = ", ".join(f"{k} = {float(x[0]):.6g}" for k, x in pose.items())
        must = "be met in a pose that is not singular: here, as with an outstretched arm, nothing "
        must += "that moves changes it to first order"
        remedy = f"give this pose by coordinates ({given}), or a place that is nearer"
        _check.refuse(owner, "condition", name, must, remedy=remedy)
    return found, kept


def idle(problem: OptimalControl, places: Places, node: Node) -> frozenset[str]:
    """Names of equalities along the motion that no pose changes, as of points in a plane.

    Raises
    ------
    ModelError
        If such a one does not hold.
    """
    rows = _rows(problem, places, "", node)
    every = np.arange(node.s.size)
    found = list[str]()
    for k in np.flatnonzero((rows.lower == rows.upper) & (rows.scales(node.s, every) == 0.0)):
        if abs(off := rows.off(node.s)[k]) > _CLOSE:
            value, must = (
                float(rows.lower[k] + off),
                f"be {rows.lower[k]:g}, and no pose changes it",
            )
            _check.refuse("OptimalControl: path constraint", rows.names[k], value, must)
        found.append(rows.names[k])
    return frozenset(found)


def farthest(problem: OptimalControl, places: Places, which: str, node: Node) -> tuple[str, float]:
    """Condition at an end that a pose meets least, and how far it is off."""
    rows = _rows(problem, places, which, node)
    if not rows.names:
        return "", 0.0
    off = np.abs(rows.off(node.s))
    return rows.names[int(off.argmax())], float(off.max())


def _rows(problem: OptimalControl, places: Places, which: str, node: Node) -> _Rows:
    own = places.plant.discrete
    s, R = ca.MX.sym("s", node.s.size), ca.DM(node.references)
    some = conditions_at(problem, Pose(places, s, R), which)
    if own.held:
        opening = own.closure(s, R, ca.MX(own.held, 1))[0]
        some.append(Condition(_CHAIN, "m", opening, 0.0, 0.0))
    g = ca.vertcat(ca.MX(0, 1), *(one.value for one in some))
    every = [one for one in some for _ in range(one.value.numel())]
    return _Rows(
        ca.Function("rows", [s], [g, ca.jacobian(g, s)]),
        np.array([one.lower for one in every]), np.array([one.upper for one in every]),
        [one.name for one in every], [one.unit for one in every],
    )  # fmt: skip


def _nearest(rows: _Rows, s: Array, free: Index, low: Array, high: Array) -> Array:
    """Pose that satisfies the conditions as nearly as it can, from another one."""
    whole = s.copy()

    def at(x: Array) -> Array:
        whole[free] = x
        return whole

    def slopes(x: Array) -> Array:
        return rows.slopes(at(x))[:, free]

    # ranges that leave nothing are widened by as little as the search needs
    high = np.maximum(high, low + _CLOSE)
    inside = 1e-3 * np.minimum(high - low, 1.0)
    solver: Any = least_squares  # whose types have no function for the slopes
    found = solver(
        lambda x: rows.off(at(x)), np.clip(s[free], low + inside, high - inside), slopes,
        bounds=(low, high), xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=200,
    )  # fmt: skip
    return at(found.x).copy()


def _refuse_far(owner: str, rows: _Rows, s: Array, *, given: bool) -> None:
    off = rows.off(s)
    k = int(np.abs(off).argmax())
    if abs(off[k]) <= _CLOSE:
        return
    value, unit = float(np.array(rows.function(s)[0]).ravel()[k]), rows.units[k]
    if rows.names[k] == _CHAIN:
        must = f"be below {_CLOSE:g} m"
        remedy = "leave one coordinate of the chain out at the end, or give a closed pose"
        value = abs(value)
    else:
        low, high = rows.lower[k], rows.upper[k]
        must = f"be {low:g}" if low == high else f"lie in [{low:g}, {high:g}]"
        remedy = "change the pose that is given, or this condition"
    if not given:
        must += ", and no pose was found that is nearer and satisfies all conditions there"
        remedy = "give conditions that can be reached and do not contradict each other"
    _check.refuse(owner, rows.names[k], value, must, unit=unit, remedy=remedy)


def _singular(rows: _Rows, s: Array, free: Index, scales: Array, kept: frozenset[str]) -> str:
    """Equality that was left out, though others do not imply it beside a pose; empty if none."""
    asked = np.array([name in kept or name == _CHAIN for name in rows.names])
    left = np.flatnonzero((rows.lower == rows.upper) & ~asked & (scales > 0.0))
    if not left.size or not scales[asked].all():
        return ""
    slopes = np.array(rows.function(s)[1])[np.ix_(asked, free)] / scales[asked, None]
    target, moved = rows.lower[asked], s.copy()
    for way in null_space(slopes, _DEPENDENT).T:
        moved[free] = s[free] + _ASIDE * way
        for _ in range(_CORRECTIONS):
            values, J = (np.array(one) for one in rows.function(moved))
            off = (values.ravel()[asked] - target) / scales[asked]
            J = J[np.ix_(asked, free)] / scales[asked, None]
            moved[free] -= np.linalg.lstsq(J, off, rcond=_DEPENDENT)[0]
        off = np.abs(np.array(rows.function(moved)[0]).ravel()[left] - rows.lower[left])
        if (off > _AWAY * scales[left] + _CLOSE).any():
            return rows.names[left[int(off.argmax())]]
    return ""


def _independent(rows: _Rows, s: Array, free: Index, scales: Array) -> frozenset[str]:
    """Names of equalities whose slopes do not follow from those of the others."""
    slopes = np.array(rows.function(s)[1])[:, free] / np.where(scales > 0.0, scales, 1.0)[:, None]
    equal = rows.lower == rows.upper
    chain = np.array([name == _CHAIN for name in rows.names])
    left = np.flatnonzero(equal & ~chain).tolist()
    _, sizes, rows_of = np.linalg.svd(slopes[chain], full_matrices=False)
    basis = list(rows_of[sizes > _DEPENDENT * sizes.max(initial=0.0)])
    kept = set[str]()
    while left:
        rest = [slopes[k] - sum((b @ slopes[k]) * b for b in basis) for k in left]
        long = [float(np.linalg.norm(one)) for one in rest]
        best = int(np.argmax(long))
        if long[best] <= _DEPENDENT:
            break
        basis.append(rest[best] / long[best])
        kept.add(rows.names[left.pop(best)])
    return frozenset(kept)
