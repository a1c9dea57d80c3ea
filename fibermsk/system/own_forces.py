"""Forces that belong to one fiber, line muscle or state each: what the numbers of that one change.

With them one evaluation with the numbers of all fibers and muscles changed at once gives the
derivatives in each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.system.contribution import At, Sums
from fibermsk.system.fibers.forces import Fibers
from fibermsk.system.fibers.stress_groups import side_by_side
from fibermsk.system.lines.hill import LawsAt
from fibermsk.system.lines.placed import PlacedPaths
from fibermsk.system.optional import ActsInside

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

NO_OWNER = -1

_MOST_NODES = 20_000
"""Nodes of fibers that are evaluated in one call, some MB, unless one system has more."""

_NO_LINES = np.zeros((0, 3, 6, 6))


class Place(NamedTuple):
    """A state with its kinematics, and the paths and laws of its line muscles."""

    at: At
    paths: PlacedPaths | None
    laws: LawsAt | None


class OwnForces:
    """Rows of the equations that belong to one fiber or line muscle, and tensions of the latter.

    A row is that of a node, of an attached end too, or of a state; rows of coordinates are zero.
    After the n rows come the tensions of the m line muscles with a law.

    Attributes
    ----------
    system : FiberSystem
        The system.
    n : int
        Number of rows.
    names : tuple of str
        Fibers, and then line muscles with a law.
    owner : (n + m,) int array
        Number among these of the owner of each row and tension; -1 without one.
    shared : set of int
        Owners whose activation is a state of others too: they have no rows of it.
    muscle_states : (k,) int array
        Unknowns that are states of line muscles.
    has_more : bool
        Whether there is more than the stress, inertia and loads of fibers.
    """

    def __init__(self, system: FiberSystem) -> None:
        self.system, own = system, system.configuration
        self._inside = [one for one in system.contributions if isinstance(one, ActsInside)]
        self._muscles = system.line_muscles
        self.has_more = len(self._inside) > 1 or self._muscles is not None
        shifting = [system.loads, *self._inside, self._muscles]
        self._shifting = [one for one in shifting if hasattr(one, "shift")]
        muscles = [] if self._muscles is None else self._muscles.muscles
        fibers = system.fiber_names
        self.names = (*fibers, *(muscle.name for muscle in muscles))
        self.n = own.n
        self._first = own.n - own.states.n  # of the states
        self.owner: Index = np.full(own.n + len(muscles), NO_OWNER, np.int64)
        self.owner[: 6 * system.cables.n_nodes] = np.repeat(system.cables.fiber_of_node, 6)
        self.owner[own.n :] = len(fibers) + np.arange(len(muscles))
        at = self._first + own.states.n_free
        for block in own.states.at_points:
            self.owner[at : at + block.start.size] = fibers.index(block.owner)
            at += block.start.size
        self.shared: set[int] = set()
        self.muscle_states = np.zeros(0, np.int64)
        activated = [system.loads.state_of]
        if self._muscles is not None:
            held, by = self._muscles.state_of
            self.muscle_states = self._first + held[held >= 0]
            self.owner[self.muscle_states] = len(fibers) + np.flatnonzero(held >= 0)
            activated.append(by)
        of = np.concatenate(activated)
        for state in np.unique(of[of >= 0]).tolist():
            owners = np.flatnonzero(of == state)
            if owners.size == 1:
                self.owner[self._first + state] = owners[0]
            else:
                self.shared |= set(owners.tolist())

    def place(self, t: float, y: Array, v: Array, v_dot: Array) -> Place:
        """Kinematics of a state."""
        at = self.system.configuration.kinematics(t, y, v, v_dot)
        own = self._muscles
        return (
            Place(at, None, None) if own is None else Place(at, own.paths.at(at), own.laws_at(at))
        )

    def on_paths(self, place: Place) -> Place:
        """A place of a system with surfaces of other sizes, with the paths of this one."""
        own = self._muscles
        return place if own is None else place._replace(paths=own.paths.at(place.at))

    @contextmanager
    def shifted(self, shift: float) -> Iterator[None]:
        """Context with a shift of all activations and excitations in time."""
        for one in self._shifting:
            one.shift = shift
        try:
            yield
        finally:
            for one in self._shifting:
                one.shift = 0.0

    def forces(self, place: Place, nodes: Array | None = None) -> Array:
        """Rows and tensions (n + m,); added to nodes (n_nodes, 6), if those of `Fibers` are known.

        The place may be that of a system with other numbers of fibers and muscles. The laws of line
        muscles are of first order beside those at the place.
        """
        at, skeleton = place.at, self.system.skeleton
        tension, known = np.zeros(0), nodes is not None
        nodes = np.zeros_like(at.nodes) if nodes is None else nodes
        sums = Sums.zero(skeleton, at, nodes, _NO_LINES, None)
        for one in self._inside:
            if not (known and isinstance(one, Fibers)):
                one.add(at, sums)
        rows = sums.states.row
        if self._muscles is not None and place.paths is not None and place.laws is not None:
            tension, own = self._muscles.own_forces(at, place.paths, place.laws)
            rows[self.muscle_states - self._first] += own
        points = [row.ravel() for row in sums.points.rows]
        return np.concatenate([nodes.ravel(), np.zeros(skeleton.n), rows, *points, tension])

    def start_slopes(self) -> Array:
        """Derivatives (n + m,) of the start in activations and excitations in time.

        Those of states of line muscles, which start in equilibrium; others are zero.
        """
        found = np.zeros(self.owner.size)
        if self._muscles is not None:
            start = self.system.configuration.states.start
            found[self.muscle_states] = self._muscles.start_slopes(start)[0]
        return found

    def gathered(self, place: Place, x: Array) -> Array:
        """Cotangent (n + m,) of rows and tensions from that of the equations, x (n,).

        Its entries at attached ends follow the others; see `fibermsk.protocol.Followers`.
        """
        if place.paths is None:
            return x
        return np.concatenate([x, place.paths.by_q @ self.system.split(x)[1]])

    def by_owner(self, products: Array) -> Array:
        """Sums (k, n_owners) of products (k, n + m) of rows and tensions by owner."""
        owned = self.owner >= 0
        own, m = self.owner[owned], len(self.names)
        return np.array([np.bincount(own, one[owned], m) for one in products], float)

    def spread(self, place: Place, forces: Array) -> Array:
        """Rows (n,) of the equations from rows and tensions; not yet of attached ends."""
        if place.paths is None:
            return forces
        rows = forces[: self.n].copy()
        self.system.split(rows)[1][:] += forces[self.n :] @ place.paths.by_q
        return rows


class ForceSlopes:
    """Differences of own forces between systems: those of groups of systems.

    The fibers of all are evaluated together.

    Parameters
    ----------
    base : FiberSystem
        A system.
    groups : sequence of sequences of FiberSystem
        Systems that differ from it in their numbers alone.
    weights : sequence of sequences of float
        Weight of each in the difference of its group.
    """

    def __init__(
        self, base: FiberSystem, groups: Sequence[Sequence[FiberSystem]],
        weights: Sequence[Sequence[float]],
    ) -> None:  # fmt: skip
        systems = [system for own in groups for system in own]
        self._each = [OwnForces(system) for system in systems]
        self._group = [k for k, own in enumerate(groups) for _ in own]
        self._weights = [weight for own in weights for weight in own]
        most = max(1, _MOST_NODES // max(1, base.cables.n_nodes))
        self._fibers = [
            _SeveralFibers(base, systems[first : first + most])
            for first in range(0, len(systems), most)
        ]

    def at(self, place: Place) -> Array:
        """Differences of rows and tensions (n_groups, n + m), as of `OwnForces.forces`."""
        found = np.zeros((self._group[-1] + 1, self._each[0].owner.size))
        rows = (nodes for several in self._fibers for nodes in several.residual(place.at))
        members = zip(self._each, self._group, self._weights, rows, strict=True)
        for own, group, weight, nodes in members:
            forces = own.forces(place, nodes) if own.has_more else nodes.ravel()
            found[group, : forces.size] += weight * forces
        return found


class _SeveralFibers:
    """Stress, inertia and loads of the fibers of several systems with the nodes of another."""

    def __init__(self, base: FiberSystem, systems: Sequence[FiberSystem]) -> None:
        self._loads = [one.loads for one in systems]
        groups = zip(*(one.tension.groups for one in systems), strict=True)
        self._groups = [side_by_side(own, base.cables.n_nodes) for own in groups]
        # each function of time is asked once, in the first system that has it
        signals = [tuple(id(f.activation) for f in one.model.fibers) for one in (base, *systems)]
        known = dict(zip(reversed(signals), reversed([base.loads, *self._loads]), strict=True))
        self._signals = list(known.values())
        self._signal_of = [list(known).index(key) for key in signals[1:]]
        self._fixed = None if any(one.varies for one in self._loads) else self._external(0.0)

    def _external(self, t: float) -> Array:
        """Minus weight and line loads, (n_systems, n_nodes, 6)."""
        return np.negative([one.external(t) for one in self._loads])

    def residual(self, at: At) -> Array:
        """Rows (n_systems, n_nodes, 6) of the nodes."""
        m = len(self._loads)
        state = [np.tile(one, (m, 1)) for one in (at.nodes, at.velocity, at.acceleration)]
        activation = np.stack([one.at(at.t, at.states)[1] for one in self._signals])
        activation = activation[self._signal_of]
        rows = self._external(at.t) if self._fixed is None else self._fixed.copy()
        for of in self._groups:
            inside = activation[:, of.inside].ravel()
            nodes = rows.reshape(-1, 6)
            of.kernels.cable_residual(of.element_start, *state, of.cable, inside, nodes)
        return rows
