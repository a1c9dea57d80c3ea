"""Interface of contributions to the equations of motion.

`fibermsk.system.assembly` handles unknowns, kinematics, attached ends and constraints. Everything
with force, energy or mass is a contribution; it depends on its own parameters and the kinematics of
one state, not on other contributions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.linalg import Couplings, PointStates
from fibermsk.model.element import Element
from fibermsk.system.skeleton.coordinate_map import Corner
from fibermsk.system.skeleton.link_points import PointsAt
from fibermsk.system.skeleton.skeleton import Motion, Skeleton

_NO_POINTS = np.zeros(0), np.zeros(0)


class At(NamedTuple):
    """One state, with the kinematics of bodies and attached ends; computed once.

    Attributes
    ----------
    t : float
        Time [s].
    nodes, velocity, acceleration : (n_nodes, 6) float array
        Positions and theta-tangents of the nodes, and their rates.
    q, p, p_dot : (n,) float array
        Coordinates and their rates.
    states, rates : (n_states,) float array
        Unknowns of first order and their rates.
    motion : Motion
        Bodies and joint axes.
    ends : PointsAt
        Attached ends: positions and derivatives with respect to the axes.
    multipliers : mapping of str to (m,) float array
        Of the constraints of each element at a frame of a result, by name; NaN without forces.
    points : pair of (n_states,) float arrays
        States at quadrature points, and their rates.
    """

    t: float
    nodes: Array
    velocity: Array
    acceleration: Array
    q: Array
    p: Array
    p_dot: Array
    states: Array
    rates: Array
    motion: Motion
    ends: PointsAt
    multipliers: Mapping[str, Array] = MappingProxyType({})
    points: tuple[Array, Array] = _NO_POINTS


class AtFrames(NamedTuple):
    """Kinematics of bodies in k frames.

    Attributes
    ----------
    t : (k,) float array
        Times [s].
    q, p : (k, n) float array
        Coordinates [rad or m] and their rates; accelerations, which are not recorded, are NaN.
    states, rates : (k, n_states) float array
        Unknowns of first order and their rates, which are NaN where a run does not record them.
    motion : Motion
        Bodies and joint axes, in arrays with an axis for the frames first.
    """

    t: Array
    q: Array
    p: Array
    states: Array
    rates: Array
    motion: Motion


class Slopes(NamedTuple):
    """Derivatives of the rates with respect to the unknowns: dv = dv_dy dy, dv_dot = dvdot_dv dv.

    `rates` as in `fibermsk.protocol.System.evaluate`.
    """

    dv_dy: float
    dvdot_dv: float
    rates: bool

    @property
    def dvdot_dy(self) -> float:
        """Derivative of accelerations with respect to positions."""
        return self.dv_dy * self.dvdot_dv


class AxisBorder(NamedTuple):
    """Forces on the joint axes, with the sign of a residual, and their border of the tangent.

    Attributes
    ----------
    force : (n_axes,) float array
        Residual.
    B, R, D : (n_x, n_axes), (n_axes, n_x) and (n_axes, n_axes) float array
        Columns, rows and corner; see `fibermsk.protocol.BorderedMatrix`. Empty without tangent.
    """

    force: Array
    B: Array
    R: Array
    D: Array


class StateSums(NamedTuple):
    """Residual of the m states of first order, and derivatives with respect to the states.

    Attributes
    ----------
    row : (m,) float array
        Residual.
    by_state, by_q, by_nodes : (m, m), (m, n) and (m, n_x) float array
        Its derivatives with respect to states, coordinates and nodes. Empty without tangent.
    on_q, on_nodes : (n, m) and (n_x, m) float array
        Derivatives of the residuals of coordinates and nodes. Empty without tangent.
    """

    row: Array
    by_state: Array
    by_q: Array
    by_nodes: Array
    on_q: Array
    on_nodes: Array

    @classmethod
    def zero(cls, m: int, n: int, n_x: int, tangent: bool) -> StateSums:
        """Zero sums for m states."""
        if not m:
            return _NO_STATES
        k = m if tangent else 0
        shapes = (k, k), (k, n), (k, n_x), (n, k), (n_x, k)
        return cls(np.zeros(m), *map(np.zeros, shapes))


_NO_STATES = StateSums(np.zeros(0), *(np.zeros((0, 0)) for _ in range(5)))


class PointSums(NamedTuple):
    """Rows of states at quadrature points, in the order of these, and their derivatives.

    A contribution has to add their effect on its forces to the lines itself; see
    `fibermsk.linalg.points`.

    Attributes
    ----------
    rows : list of float arrays
        Residuals, of the shape of the states.
    tangent : list of PointStates
        Derivatives; empty without tangent.
    """

    rows: list[Array]
    tangent: list[PointStates]


@dataclass
class Sums:
    """Residual and tangent that contributions add to: M v_dot minus all forces.

    Attributes
    ----------
    nodes : (n_nodes, 6) float array
        Residual of the nodes.
    axes : AxisBorder
        Of the axes of the joints.
    force : (n,) float array
        Residual of generalized forces on the coordinates.
    corner : (n, n) float array
        Its derivative with respect to the coordinates; shared with `axes` if every axis is a
        coordinate.
    lines : (n_nodes, 3, 6, 6) float array
        Tangent along the fibers; see `fibermsk.linalg.LineMatrix`.
    couplings : Couplings or None
        Between fibers.
    slopes : Slopes or None
        For the tangent; None if only the residual is needed.
    states : StateSums
        Of the states of first order.
    present : float
        Largest single nodal force, for the relative imbalance [N].
    points : PointSums
        Of the states at quadrature points.
    border : pair of (n_x, n) and (n, n_x) float arrays, or None
        Columns and rows of the coordinates themselves, besides those of the axes.
    """

    nodes: Array
    axes: AxisBorder
    force: Array
    corner: Array
    lines: Array
    slopes: Slopes | None
    states: StateSums
    couplings: Couplings | None = None
    present: float = 0.0
    points: PointSums = field(default_factory=lambda: PointSums([], []))
    border: tuple[Array, Array] | None = None

    @classmethod
    def zero(
        cls, skeleton: Skeleton, at: At, nodes: Array, lines: Array, slopes: Slopes | None
    ) -> Sums:
        """Zero sums in the arrays nodes and lines, which are zero."""
        motion, n, n_axes, n_x = at.motion, skeleton.n, skeleton.tree.n, nodes.size
        m = n_axes if slopes else 0
        axes = AxisBorder(
            np.zeros(n_axes), np.zeros((n_x, m)), np.zeros((m, n_x)), np.zeros((m, m))
        )
        own = n if slopes else 0
        corner = axes.D if motion.rows is None else np.zeros((own, own))
        states = StateSums.zero(at.states.size, n, n_x, slopes is not None)
        return cls(nodes, axes, np.zeros(n), corner, lines, slopes, states)

    @property
    def on_coordinates(self) -> Corner | None:
        """Corner for derivatives of generalized forces; None without tangent."""
        if self.slopes is None:
            return None
        return Corner(self.corner, self.slopes.dv_dy, self.slopes.dvdot_dv)

    def add_border(self, node: int, mixed: Array, way: Array) -> None:
        """Add second derivatives of a potential in nodes and a coordinate to the border.

        mixed (12,) are those in two nodes, from `node` on, and the coordinate, which changes with
        the coordinates by way (n,).
        """
        if self.border is None:
            n_x, n = self.nodes.size, way.size
            self.border = np.zeros((n_x, n)), np.zeros((n, n_x))
        own = slice(6 * node, 6 * node + 12)
        self.border[0][own] += np.outer(mixed, way)
        self.border[1][:, own] += np.outer(way, mixed)

    def follow_axes(
        self, skeleton: Skeleton, motion: Motion, dq: Array, dp: Array, M: Array | None = None
    ) -> None:
        """Add derivatives of a force with respect to positions, speeds and accelerations of axes.

        dq, dp, M (n_axes, n_axes). With dp = b dq and dp_dot = a dp the axes follow an increment of
        the state by J, their speeds by V + b J and their accelerations by W + 2 b V + a b J; see
        `fibermsk.kernels.skeleton.coordinate_map`.
        """
        assert self.slopes is not None
        b, ab = self.slopes.dv_dy, self.slopes.dvdot_dy
        if motion.rows is None:
            self.axes.D[:] += dq + b * dp + (0.0 if M is None else ab * M)
            return
        J, V, W = (skeleton.axes_of(part) for part in motion.rows[3:6])
        self.axes.D[:] += dq
        follow = dp @ (V + b * J)
        if M is not None:
            follow += M @ (W + 2.0 * b * V + ab * J)
        self.corner += J.T @ follow


class Update(NamedTuple):
    """A proposed update of the positions, with bounds of its nonlinearity.

    Attributes
    ----------
    nodes, way : (n_nodes, 6) float array
        Present positions; displacement, at attached nodes to first order in the axes.
    axes : (n_axes,) float array
        Change of the axes of the joints, to first order.
    stray : (n_elements,) float array
        Bound of the deviation of control points from linear motion [m].
    keep : float
        Fraction of each admissibility that must remain.
    """

    nodes: Array
    way: Array
    axes: Array
    stray: Array
    keep: float


class Signal(NamedTuple):
    """A function of time from the user.

    Attributes
    ----------
    owner, field : str
        Object it belongs to, and its purpose.
    function : object
        As given; an attribute `breakpoints` [s] may list its corners.
    ask : callable
        Function that returns its value at a time [s], checked.
    """

    owner: str
    field: str
    function: Any
    ask: Callable[[float], Array]


class Contribution(Protocol):
    """A contribution to the equations of motion."""

    def add(self, at: At, sums: Sums) -> None:
        """Add to the residual and, if `sums.slopes` is given, to the exact tangent."""
        ...


def contribution_of(element: Element, configuration: Any) -> Contribution:
    """Contribution of an element to a `Configuration`; refused if it has no method `add`."""
    found = element.contribute(configuration)
    if not callable(getattr(found, "add", None)):
        must = "return an object with a method add(at, sums)"
        _check.refuse(f"element {element.name!r}", "contribute", found, must)
    return found
