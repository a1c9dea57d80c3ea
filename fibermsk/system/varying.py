"""What derivatives of runs ask of a system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._check import first_names
from fibermsk.kernels.virtual_work.curves import LawSteps, WorkSlopes
from fibermsk.protocol import BorderedMatrix, Followers, ProjectionSlopes
from fibermsk.system.assembly import Assembly
from fibermsk.system.bodies.bodies import Bodies
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.forces import BoneContact, FiberContact
from fibermsk.system.contact.slopes import Displacements, work_slopes
from fibermsk.system.contribution import At, Contribution, Slopes, Sums
from fibermsk.system.fibers.forces import Fibers
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.friction.forces import FrictionForces
from fibermsk.system.lines.hill import LawsAt
from fibermsk.system.lines.touching import Touching
from fibermsk.system.multipliers import Multipliers
from fibermsk.system.optional import FollowsMemory, HasMemory, HasPaths, Pulls
from fibermsk.system.projection import Projection
from fibermsk.system.recorder import Recorder
from fibermsk.system.skeleton.skeleton import Skeleton

_NO_LINES = np.zeros((0, 3, 6, 6))


Kind = type[Contribution]

CONTACT: tuple[Kind, ...] = FiberContact, BoneContact, FrictionForces
"""Kinds of contributions at contact points."""


class Varying:
    """Part of a `FiberSystem` whose runs are differentiated."""

    configuration: Configuration
    contributions: tuple[Contribution, ...]
    loads: Loads
    skeleton: Skeleton
    multipliers: Multipliers
    _assemble: Assembly
    _projection: Projection
    _recorder: Recorder
    _remembering: list[HasMemory]
    _touching: list[Touching]

    def forget(self) -> None:
        """Invalidate the cached contact points."""
        self.configuration.forget()

    def follow(self, other: Any) -> None:
        """Take over a memory; see `fibermsk.protocol.Differentiable`."""
        for own, one in zip(self._remembering, other._remembering, strict=True):
            if isinstance(own, FollowsMemory):
                own.follow(one)
            else:
                own.restore(one.memory())
        self.forget()

    def follow_apart(self, other: Any) -> None:
        """Take over a memory of a system with the same fibers, shapes and paths on other links."""
        for own, one in zip(self._remembering, other._remembering, strict=True):
            if isinstance(own, FiberContact):
                own.follow_points(one)
            else:
                own.restore(one.memory())
        self.loads.follow(other.loads)
        self.forget()

    def memory_apart(self, memory: dict[str, Array]) -> dict[str, Array]:
        """A memory of such a system, with the candidates of contact of this one."""
        number = next(k for k, one in enumerate(self._remembering) if isinstance(one, FiberContact))
        own = {f"{number}.{name}": one for name, one in self._remembering[number].memory().items()}
        return memory | own

    def unreduced(
        self, state: tuple[float, Array, Array, Array], slopes: Sequence[Slopes]
    ) -> Iterator[tuple[BorderedMatrix, Array]]:
        """Tangents with attached ends as nodes, and the forces on them (n_points, 3) [N].

        The state is t, y, v and v_dot. A matrix is overwritten by the next tangent.
        """
        at, _ = self.configuration.at(*state, second=True)
        for one in slopes:
            yield self._assemble.unreduced(at, one)

    def reduced(
        self, state: tuple[float, Array, Array, Array], slopes: Slopes
    ) -> tuple[Any, Array]:
        """Tangent and residual as `evaluate` has them, of functions of time that are known."""
        at, _ = self.configuration.at(*state, second=True)
        found = self._assemble(at, slopes)
        return found.matrix, found.residual

    @property
    def on_paths(self) -> tuple[Kind, ...]:
        """Kinds of contributions of line muscles: their pull, and their mass."""
        return tuple(type(one) for one in self.contributions if isinstance(one, HasPaths))

    @property
    def weighing(self) -> tuple[Kind, ...]:
        """Kinds of contributions that have a weight."""
        of_paths = [one for one in self.contributions if isinstance(one, HasPaths)]
        return Fibers, Bodies, *(type(one) for one in of_paths if not isinstance(one, Pulls))

    def rows_of(
        self, kinds: tuple[Kind, ...], at: At, other: Any, laws: LawsAt | None = None
    ) -> Array:
        """Rows (n,) of some kinds at a state of another system with almost equal numbers.

        Those of attached ends are not yet passed on. Forces of line muscles are of first order
        beside `laws`.
        """
        own, skeleton = self.configuration, self.skeleton
        sums = Sums.zero(skeleton, at, np.zeros_like(at.nodes), _NO_LINES, None)
        rubbing = FrictionForces in kinds
        touching = rubbing or FiberContact in kinds, rubbing or BoneContact in kinds
        if any(touching):
            own.contact.evaluate_beside(
                other.configuration.contact, at.nodes, at.motion.links, touching
            )
            self.forget()
        self.follow_paths(other)
        with self.beside(laws):
            for one in self.contributions:
                if isinstance(one, kinds):
                    one.add(at, sums)
        on_q = sums.force + skeleton.from_axes(at.motion, sums.axes.force)
        of_states = np.zeros(own.states.n)
        of_states[: own.states.n_free] = sums.states.row
        return np.concatenate([sums.nodes.ravel(), on_q, of_states])

    def contact_slopes(
        self, state: tuple[float, Array, Array, Array], whole: Array, steps: LawSteps
    ) -> WorkSlopes:
        """Derivatives of the product of a vector (n,) with the rows of contact, friction included.

        In the numbers of `fibermsk.kernels.virtual_work.curves.WorkSlopes`, at fixed unknowns; the
        state is t, y, v and v_dot. Entries of `whole` at attached ends follow the others.
        """
        own, skeleton = self.configuration, self.skeleton
        at, _ = own.at(*state)
        nodes, axes = own.split(whole)
        work = Displacements(nodes, skeleton.to_axes(at.motion, axes))
        return work_slopes(own.contact, work, Displacements(at.velocity, at.motion.speed), steps)

    def follow_paths(self, other: Any) -> None:
        """Take over the memory of the paths of a system whose numbers are almost equal."""
        paths = ([one for one in of if isinstance(one, HasPaths)] for of in (
            self.contributions, other.contributions))  # fmt: skip
        for own, one in zip(*paths, strict=True):
            own.restore(one.memory())

    def followers(self, y: Array, v: Array) -> Followers:
        """How dependent entries follow; see `fibermsk.protocol.Differentiable`."""
        own = self.configuration
        found = own.followers(y, v)
        if not self.multipliers.any:
            return found
        at = own.kinematics(0.0, y, v)
        held, shares = self.multipliers.shares(at)
        return found._replace(held=at.nodes.size + held, shares=shares)

    def keep_held(self, held: NDArray[np.int64]) -> None:
        """Which equations constraints replace; see `fibermsk.protocol.Differentiable`."""
        self.multipliers.keep(held - 6 * self.configuration.cables.n_nodes)

    def laws_at(self, t: float, y: Array, v: Array, v_dot: Array) -> LawsAt | None:
        """Laws of line muscles at a state; see `fibermsk.protocol.Differentiable`."""
        own = self.line_muscles
        return None if own is None else own.laws_at(self.configuration.kinematics(t, y, v, v_dot))

    def beside(self, laws: LawsAt | None) -> AbstractContextManager[None]:
        """Forces of first order; see `fibermsk.protocol.Differentiable`."""
        own = self.line_muscles
        return nullcontext() if own is None or laws is None else own.beside(laws)

    @cached_property
    def line_muscles(self) -> Pulls | None:
        """Contribution of the line muscles that have a law."""
        return next((one for one in self.contributions if isinstance(one, Pulls)), None)

    def projection_slopes(self, t: float, y: Array, v: Array) -> ProjectionSlopes:
        """Derivatives of `project`; see `fibermsk.protocol.Differentiable`."""
        return self._projection.slopes(t, y, v)

    def not_differentiable(self) -> str:
        """Why runs have no derivative; see `fibermsk.protocol.Differentiable`."""
        if self._recorder.delays:
            return (
                f"forces that depend on the past, of {first_names(list(self._recorder.delays), 3)}"
            )
        return "muscles with mass whose path switches" if self._touching else ""
