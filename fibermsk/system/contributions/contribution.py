"""What a part of the physics is to the equations of motion: a contribution.

`fibermsk.system.assembly` knows unknowns, kinematics, attached ends and constraints. Everything
that makes a force, takes up energy or has mass is a contribution; it knows its own numbers and the
kinematics of one state, and nothing of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fibermsk.linalg import Couplings
from fibermsk.system.attachments import Ends
from fibermsk.system.skeleton import Motion, Skeleton

__all__ = [
    "At",
    "AxisBorder",
    "Contribution",
    "FollowsEnds",
    "HasEnergy",
    "HasFingerprint",
    "HasFlaws",
    "HasSuspects",
    "Slopes",
    "Sums",
]

Array = NDArray[np.float64]


class At(NamedTuple):
    """One state, and all that follows of it for bodies and attached ends; computed once.

    Attributes
    ----------
    t : float
        Time [s].
    nodes, velocity, acceleration : (n_nodes, 6) float array
        Positions and theta-tangents of the nodes, and their rates.
    q, p, p_dot : (n,) float array
        Coordinates and their rates.
    motion : Motion
        Bodies and joint axes.
    ends : Ends
        Where attached ends belong, and how they follow the axes.
    """

    t: float
    nodes: Array
    velocity: Array
    acceleration: Array
    q: Array
    p: Array
    p_dot: Array
    motion: Motion
    ends: Ends


class Slopes(NamedTuple):
    """How the rates follow an increment of the unknowns: dv = dv_dy dy, dv_dot = dvdot_dv dv.

    `rates` as in `fibermsk.protocol.System.evaluate`.
    """

    dv_dy: float
    dvdot_dv: float
    rates: bool

    @property
    def dvdot_dy(self) -> float:
        """How accelerations follow positions."""
        return self.dv_dy * self.dvdot_dv


class AxisBorder(NamedTuple):
    """What acts on the axes: forces with the sign of a residual, and a border of the tangent.

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


@dataclass
class Sums:
    """Residual and tangent that contributions add to, M v_dot less all forces.

    Attributes
    ----------
    nodes : (n_nodes, 6) float array
        Residual of the nodes.
    axes : AxisBorder
        Of the axes of the joints.
    force : (n,) float array
        Residual of what acts on the coordinates themselves.
    corner : (n, n) float array
        Its derivative in the coordinates. Where every axis is a coordinate it is that of the axes.
    lines : (n_nodes, 3, 6, 6) float array
        Tangent along the fibers; see `fibermsk.linalg.LineMatrix`.
    couplings : Couplings or None
        Between fibers.
    slopes : Slopes or None
        For the tangent; None where only the residual is asked for.
    present : float
        Largest force on a node that is a term of its own, for the balance [N].
    """

    nodes: Array
    axes: AxisBorder
    force: Array
    corner: Array
    lines: Array
    slopes: Slopes | None
    couplings: Couplings | None = None
    present: float = 0.0

    @classmethod
    def zero(
        cls, skeleton: Skeleton, motion: Motion, nodes: Array, lines: Array, slopes: Slopes | None
    ) -> Sums:
        """Nothing yet; nodes and lines are written into."""
        n, n_axes, n_x = skeleton.n, skeleton.tree.n, nodes.size
        m = n_axes if slopes else 0
        axes = AxisBorder(
            np.zeros(n_axes), np.zeros((n_x, m)), np.zeros((m, n_x)), np.zeros((m, m))
        )
        own = n if slopes else 0
        corner = axes.D if motion.rows is None else np.zeros((own, own))
        if slopes:
            lines[:] = 0.0
        return cls(nodes, axes, np.zeros(n), corner, lines, slopes)

    def follow_axes(
        self, skeleton: Skeleton, motion: Motion, dq: Array, dp: Array, M: Array | None = None
    ) -> None:
        """Add how a force on the axes changes with them, their speeds and their accelerations.

        dq, dp, M (n_axes, n_axes). With dp = b dq and dp_dot = a dp the axes follow an increment of
        the state by J, their speeds by V + b J and their accelerations by W + 2 b V + a b J; see
        `fibermsk.kernels.coordinate_map`.
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


class Contribution(Protocol):
    """A part of the physics."""

    def add(self, at: At, sums: Sums) -> None:
        """Add to residual and, where `sums.slopes` is given, tangent; exactly."""
        ...


@runtime_checkable
class FollowsEnds(Protocol):
    """A contribution with forces on nodes that depend on velocities or accelerations."""

    def follow_ends(self, at: At, velocity: Array, acceleration: Array, columns: Array) -> None:
        """Add to columns (n_x, n) what the rates of attached ends do to the forces on the nodes.

        velocity, acceleration (n_points, 3, n): how these follow the coordinates, but for their
        parts C dp and C dp_dot.
        """
        ...


@runtime_checkable
class HasEnergy(Protocol):
    """A contribution that stores energy."""

    def energy(self, at: At) -> dict[str, float]:
        """Energies [J] by kind: kinetic, elastic, gravity, contact."""
        ...


@runtime_checkable
class HasFlaws(Protocol):
    """A contribution that can tell which of its terms is not finite."""

    def flaw(self, at: At) -> str:
        """The term, and where; empty if all are finite."""
        ...


@runtime_checkable
class HasSuspects(Protocol):
    """A contribution that may be the reason why a step fails."""

    def suspects(self, at: At) -> list[str]:
        """Likely causes at the state that the step started from, with remedies."""
        ...


@runtime_checkable
class HasFingerprint(Protocol):
    """A contribution with numbers that a run depends on: all should have this."""

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Arrays and texts by the name of the part; signals are sampled at the times [s]."""
        ...
