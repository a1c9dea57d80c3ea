"""Interface of contributions to the equations of motion.

`fibermsk.system.assembly` handles unknowns, kinematics, attached ends and constraints. Everything
with force, energy or mass is a contribution; it depends on its own parameters and the kinematics of
one state, not on other contributions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.linalg import Couplings, PointStates
from fibermsk.model.element import Element
from fibermsk.results import Field
from fibermsk.system.skeleton.constraints import Held
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

    @classmethod
    def zero(
        cls, skeleton: Skeleton, at: At, nodes: Array, lines: Array, slopes: Slopes | None
    ) -> Sums:
        """Zero sums; the arrays nodes and lines are reused."""
        motion, n, n_axes, n_x = at.motion, skeleton.n, skeleton.tree.n, nodes.size
        m = n_axes if slopes else 0
        axes = AxisBorder(
            np.zeros(n_axes), np.zeros((n_x, m)), np.zeros((m, n_x)), np.zeros((m, m))
        )
        own = n if slopes else 0
        corner = axes.D if motion.rows is None else np.zeros((own, own))
        if slopes:
            lines[:] = 0.0
        states = StateSums.zero(at.states.size, n, n_x, slopes is not None)
        return cls(nodes, axes, np.zeros(n), corner, lines, slopes, states)

    @property
    def on_coordinates(self) -> Corner | None:
        """Corner for derivatives of generalized forces; None without tangent."""
        if self.slopes is None:
            return None
        return Corner(self.corner, self.slopes.dv_dy, self.slopes.dvdot_dv)

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


@runtime_checkable
class FollowsEnds(Protocol):
    """A contribution with forces on nodes that depend on velocities or accelerations."""

    def follow_ends(self, at: At, velocity: Array, acceleration: Array, columns: Array) -> None:
        """Add derivatives of nodal forces through the rates of attached ends to columns (n_x, n).

        velocity, acceleration (n_points, 3, n): derivatives of these rates with respect to the
        coordinates, without the parts C dp and C dp_dot.
        """
        ...


@runtime_checkable
class HasConstraints(Protocol):
    """A contribution with constraints on coordinates, enforced by multipliers."""

    def constrain(self, at: At, second: bool) -> Held:
        """Return the constraints, with second derivatives for the tangent if `second`."""
        ...

    def curvature(self, at: At, multipliers: Array) -> Array:
        """Derivative (n, n) of G^T times multipliers (m,) with respect to the coordinates."""
        ...


@runtime_checkable
class HasInertia(Protocol):
    """A contribution with mass, or with material forces that results report.

    Inverse dynamics of a result needs its inertia separate from the forces that it applies, and
    omits material forces. The forces of all other contributions count as applied.
    """

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add inertia, and applied forces that depend only on positions and rates.

        Both have the sign of a residual; no tangent.
        """
        ...


@runtime_checkable
class HasStepFraction(Protocol):
    """A contribution that limits updates of Newton's method."""

    def step_fraction(self, update: Update, fraction: float) -> float:
        """Fraction of an update, at most `fraction`, that provably stays admissible."""
        ...


@runtime_checkable
class HasInputs(Protocol):
    """A contribution with functions of time."""

    def inputs(self) -> Iterable[Signal]:
        """All functions of time; shared ones may appear more than once."""
        ...


@runtime_checkable
class HasMemory(Protocol):
    """A contribution that remembers more than the unknowns, such as candidate pairs of contact.

    A run keeps it with every accepted step, and goes back to it after a failed one.
    """

    def memory(self) -> dict[str, Array]:
        """What is remembered, by name; later changes do not change these arrays."""
        ...

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a `memory`."""
        ...


@runtime_checkable
class HasEnergy(Protocol):
    """A contribution that stores energy."""

    def energy(self, at: At) -> dict[str, float]:
        """Energies [J] by kind: kinetic, elastic, gravity, contact."""
        ...


@runtime_checkable
class HasFields(Protocol):
    """An element that reports fields, for result files and plots."""

    @property
    def reports(self) -> tuple[Field, ...]:
        """Name, unit, label and description of each; its shape is () or (3,)."""
        ...

    def fields(self, at: At) -> dict[str, Any]:
        """Value of each field at a frame. Accelerations are NaN, since they are not recorded."""
        ...


@runtime_checkable
class HasFlaws(Protocol):
    """A contribution that can locate a term that is not finite."""

    def flaw(self, at: At) -> str:
        """Name and location of the term; empty if all are finite."""
        ...


@runtime_checkable
class HasSuspects(Protocol):
    """A contribution that may cause a step to fail."""

    def suspects(self, at: At) -> list[str]:
        """Likely causes at the state that the step started from, with remedies."""
        ...


@runtime_checkable
class HasFingerprint(Protocol):
    """A contribution with parameters that a run depends on; all should have this."""

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Arrays and strings by name of the part; signals are sampled at the times [s]."""
        ...


def contribution_of(element: Element, configuration: Any) -> Contribution:
    """Contribution of an element to a `Configuration`; refused if it has no method `add`."""
    found = element.contribute(configuration)
    if not callable(getattr(found, "add", None)):
        must = "return an object with a method add(at, sums)"
        _check.refuse(f"element {element.name!r}", "contribute", found, must)
    return found
