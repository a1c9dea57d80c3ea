"""What a system may offer besides `System`: solvers ask whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.errors import ModelWarning
from fibermsk.protocol.system import System
from fibermsk.protocol.values import Followers, Frames, ProjectionSlopes, StateBlock, Verdict
from fibermsk.results import Result

T = TypeVar("T")

_OFFERED: dict[tuple[type, type], bool] = {}


def offers(system: Any, protocol: type[T]) -> TypeGuard[T]:
    """Whether a system has an additional interface.

    The answer is kept for its class: the check takes longer than most steps of small systems.
    """
    key = type(system), protocol
    if key not in _OFFERED:
        _OFFERED[key] = isinstance(system, protocol)
    return _OFFERED[key]


def rounded(system: Any) -> AbstractContextManager[None]:
    """Context in which the tangents of a system may be rounded; see `Rounds`."""
    return system.rounded() if offers(system, Rounds) else nullcontext()


@runtime_checkable
class HasStates(Protocol):
    """Additional interface of systems with unknowns of first order.

    Their rows are F(t, y, v) = 0 with v their rates, and they have no v_dot. They come last in y.
    """

    @property
    def states(self) -> Sequence[StateBlock]:
        """Blocks of unknowns of first order, in their order in y."""
        ...


@runtime_checkable
class Projects(Protocol):
    """Additional interface of systems with constraints on some unknowns."""

    def held(self, t: float, y: Array) -> tuple[NDArray[np.int64], Array]:
        """Constrained unknowns (m,), and G (m, n) of the constraints G dy = 0."""
        ...

    def project(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Project positions and velocities onto the constraints."""
        ...


@runtime_checkable
class Collides(Protocol):
    """Additional interface of systems with collision checks.

    Solvers check every motion that they accept, so that no step, however it was predicted,
    extrapolated or prescribed, passes through a contact.
    """

    def begin(self, t: float, y: Array) -> bool:
        """Set the contact points for the start of a run; return whether they changed.

        Contact points that earlier runs added are removed.

        Raises
        ------
        ModelError
            If the penetration of a contact exceeds the limit of its law.
        """
        ...

    def judge(self, before: tuple[float, Array], after: tuple[float, Array]) -> Verdict:
        """Check the motion between two states, each a time [s] and positions (n,)."""
        ...

    def refine_along(self, t: float, y: Array) -> bool:
        """Add contact points where an accepted state needs them; return whether any were added."""
        ...


@runtime_checkable
class Freezes(Protocol):
    """Additional interface of systems whose forces jump where the closest point of a contact does.

    It does so around a partner that bends more narrowly than it is thick. There no update of
    Newton's method comes closer to a balance of forces, which lies in the jump.
    """

    def freeze(self, t: float, y: Array, other: Array) -> list[str]:
        """Freeze, on their partners, contact points that jump from y to another y (n,).

        Returns the names of their pairs.
        """
        ...

    def thaw(self) -> None:
        """Let all contact points be the closest ones again."""
        ...


@runtime_checkable
class Rounds(Protocol):
    """Additional interface of systems whose tangents may be rounded to single precision in part.

    That saves memory. Residuals are not rounded, so that iterations end at the same solution.
    """

    def rounded(self) -> AbstractContextManager[None]:
        """Context in which tangents serve iterations that correct their errors."""
        ...


@runtime_checkable
class HasRateForces(System, Protocol):
    """Additional interface of systems that evaluate a part of their residual faster than all."""

    def rate_forces(self, t: float, y: Array, v: Array, v_dot: Array) -> Array | None:
        """Residual (n,) without forces that depend on positions alone; None if all of it is found.

        Always or never None for one system.
        """
        ...


@runtime_checkable
class Softens(Protocol):
    """Additional interface of systems with fibers that may soften as they stretch."""

    def softening(self, t: float, y: Array) -> ModelWarning | None:
        """Warning that names these fibers at positions y; None if there are none."""
        ...


@runtime_checkable
class Rubs(Protocol):
    """A system that may have friction, which statics leave out."""

    def frictionless(self) -> AbstractContextManager[None]:
        """Context in which evaluations have no friction."""
        ...


@runtime_checkable
class Records(Protocol):
    """Additional interface of systems whose forces may depend on the past, such as by a reflex.

    Solvers tell it every state that they accept, and make no step longer than the shortest delay.
    """

    @property
    def shortest_delay(self) -> tuple[float, str]:
        """Shortest delay [s] and its name for messages; infinite without any."""
        ...

    def record(self, t: float, y: Array, v: Array) -> None:
        """Record an accepted state of a run."""
        ...

    def hold(self, t: float, y: Array, v: Array, values: Array | None = None) -> Array:
        """Start a new past at a state and return what is measured there, one value per delay.

        With `values` the past holds those instead.
        """
        ...

    def confirm(self, t: float, y: Array, v: Array) -> None:
        """Refuse a restored past whose last record is not what is measured at its state.

        Raises
        ------
        ModelError
            If another function measures than in the run that wrote the checkpoint.
        """
        ...


@runtime_checkable
class HasCuts(Protocol):
    """Additional interface of systems that report the forces through cuts of their fibers."""

    def cuts(self, t: float, y: Array, v: Array, reactions: Array) -> Array:
        """Forces (m,) [N] of a state, as `Frames` keep them for the report.

        They are cheapest right after the evaluation of the state.
        """
        ...


@runtime_checkable
class Switches(Protocol):
    """Additional interface of systems whose inertia jumps where an angle changes its sign.

    A run holds the sides of all angles during a step, and ends steps where one changes.
    """

    @property
    def n_switches(self) -> int:
        """Number of angles."""
        ...

    def switch_angles(self, t: float, y: Array) -> Array:
        """Angles (n_switches,) [rad], whatever is held; NaN if there is none."""
        ...

    def hold_sides(self, sides: Array | None) -> None:
        """Evaluate with the sides (n_switches,), 1 for positive; None: with those of the angles."""
        ...

    def switch_slope(self, t: float, y: Array, k: int) -> Array:
        """Derivatives (n,) of angle k, whose side is held to be positive."""
        ...


@runtime_checkable
class Marches(Protocol):
    """Additional interface of systems whose runs may be one compiled loop."""

    def marching(self) -> Any:
        """The loop; refuses systems that have something else, see `fibermsk.Explicit`."""
        ...


@runtime_checkable
class Differentiable(System, Protocol):
    """Additional interface of systems whose runs can be differentiated."""

    def follow(self, other: Any) -> None:
        """Take over the memory of a system with almost equal numbers, cheaper than by `restore`."""
        ...

    def forget(self) -> None:
        """Invalidate what is kept of the last evaluation."""
        ...

    def followers(self, y: Array, v: Array) -> Followers:
        """How dependent entries follow the others at a state."""
        ...

    def keep_held(self, held: NDArray[np.int64]) -> None:
        """Let evaluations without tangent have constraints in the rows of given entries."""
        ...

    def laws_at(self, t: float, y: Array, v: Array, v_dot: Array) -> Any:
        """Laws at a state for `beside`; None if the system has none that need it."""
        ...

    def beside(self, laws: Any) -> AbstractContextManager[None]:
        """Context in which laws with kinks are of first order beside another system's at a state.

        Differences of evaluations then do not pass the kinks.
        """
        ...

    def projection_slopes(self, t: float, y: Array, v: Array) -> ProjectionSlopes:
        """Derivatives of `Projects.project`, of a system whose constraints move states."""
        ...

    def not_differentiable(self) -> str:
        """Why runs of the system have no derivative; empty if they have one."""
        ...


@runtime_checkable
class Legible(Protocol):
    """Additional interface of systems whose states can be read by name."""

    def moment(self, t: float, y: Array, v: Array, reactions: Array, multipliers: Array) -> Any:
        """View of a state, with the forces of the attachments on the fibers (n_points, 3) [N].

        The view does not change the internal state of the system.
        """
        ...


@runtime_checkable
class Partitioned(Protocol):
    """Additional interface of systems of which each process holds a part of the unknowns.

    All processes must do the same steps: solvers take norms over all parts.
    """

    def over_all(self, largest: float) -> float:
        """Largest of a number of each process; infinite if one is NaN."""
        ...


@runtime_checkable
class Offloaded(Protocol):
    """Additional interface of systems whose vectors are not NumPy arrays, such as on a GPU.

    The vectors support arithmetic and NumPy's dispatched functions. Methods take such vectors;
    those for reports take NumPy arrays too.
    """

    @property
    def host(self) -> System:
        """The same system with NumPy vectors."""
        ...

    def to_host(self, array: Array) -> Array:
        """Copy a device array to NumPy."""
        ...

    def from_host(self, array: Array) -> Array:
        """Copy a NumPy array to the device."""
        ...


class PartObserver(Protocol):
    """Results of consecutive parts of a run."""

    def part(self, frames: Frames) -> Result:
        """Result of the next frames, with `softening` up to there."""
        ...

    def remarks(self) -> list[ModelWarning]:
        """Warnings about all frames so far."""
        ...


@runtime_checkable
class ObservesParts(Protocol):
    """Additional interface of systems whose results can be written part by part."""

    def observation(self) -> PartObserver:
        """Begin to observe a run; the parts together equal the result of `System.observe`."""
        ...
