"""Additional interfaces of contributions, which solvers and reports ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from fibermsk._arrays import Array, Index
from fibermsk.errors import PathError
from fibermsk.model import LineMuscle
from fibermsk.results import MuscleHistory
from fibermsk.results.fields import Field
from fibermsk.system.contribution import At, AtFrames, Signal, Sums, Update
from fibermsk.system.skeleton.constraints import Held

if TYPE_CHECKING:
    from fibermsk.system.lines.hill import LawsAt
    from fibermsk.system.lines.muscles import MusclesAt
    from fibermsk.system.lines.paths import LinePaths
    from fibermsk.system.lines.placed import PlacedPaths
    from fibermsk.system.lines.touching import Touching


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
class ActsInside(Protocol):
    """A contribution whose forces on nodes, and rows of states, belong to one fiber or muscle each.

    It depends on the numbers of that one alone.
    """

    acts_inside: bool


@runtime_checkable
class OfPositions(Protocol):
    """A contribution whose forces depend on positions alone."""

    of_positions: bool


@runtime_checkable
class Pulls(Protocol):
    """A contribution of line muscles, which pull with tensions."""

    muscles: Sequence[LineMuscle]
    paths: LinePaths

    @property
    def state_of(self) -> tuple[Index, Index]:
        """States of each muscle's fibers and of its activation (m,); -1 without one."""
        ...

    def evaluate(self, at: At) -> MusclesAt:
        """Paths, forces and rows at a state."""
        ...

    def own_forces(self, at: At, placed: PlacedPaths, laws: LawsAt) -> tuple[Array, Array]:
        """Tensions (m,) [N] on given paths, and rows of the muscles that have a state.

        Of first order beside laws at a state.
        """
        ...

    def laws_at(self, at: At) -> LawsAt:
        """Laws at a state."""
        ...

    def beside(self, laws: LawsAt) -> AbstractContextManager[None]:
        """Context with forces of first order beside those of other laws at a state."""
        ...

    def start_slopes(self, states: Array) -> tuple[Array, Array]:
        """Derivatives of start values, of the muscles that have a state.

        In activations that are functions of time, and in lengths of paths.
        """
        ...


@runtime_checkable
class ChecksStart(Protocol):
    """A contribution that refuses states at the start of a run."""

    def check_start(self, at: At) -> None:
        """Raise `ModelError` if a run cannot start here."""
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
class HasTouching(Protocol):
    """A contribution whose inertia jumps where a path touches or leaves a surface."""

    @property
    def touching(self) -> Touching:
        """The wrap angles at whose change of sign it does."""
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
class HasPaths(HasMemory, Protocol):
    """A contribution of line muscles, whose memory is that of their paths."""

    paths: LinePaths

    def add(self, at: At, sums: Sums) -> None:
        """See `Contribution.add`."""
        ...


@runtime_checkable
class FollowsMemory(Protocol):
    """A contribution with a memory, for derivatives: several systems follow that of one."""

    def follow(self, other: Any) -> None:
        """Take over the memory of the same contribution with almost equal numbers."""
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
class HasMuscles(Protocol):
    """A contribution of line muscles, which results report."""

    def muscle_reports(self) -> MuscleTable:
        """Table to fill part by part."""
        ...


class MuscleTable(Protocol):
    """Histories of line muscles over one part of a run."""

    @property
    def histories(self) -> dict[str, MuscleHistory]:
        """Histories by muscle, over the frames of the present part."""
        ...

    def solve(self, frames: AtFrames) -> list[tuple[int, PathError]]:
        """Fill new histories with the frames after those before.

        Returns frames in which a path has no solution, which have NaN, and why. Accelerations are
        NaN, since they are not recorded.
        """
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
