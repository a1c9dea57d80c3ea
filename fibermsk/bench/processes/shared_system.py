"""A system of which each process holds a block of fibers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.bench.processes.exchange import Exchange
from fibermsk.bench.processes.partition import Block
from fibermsk.bench.processes.shared_matrix import Krylov, SharedMatrix
from fibermsk.errors import ModelError
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.linalg import LineMatrix
from fibermsk.protocol import BorderedMatrix, Evaluation
from fibermsk.system import FiberSystem
from fibermsk.system.contact.candidates import Place


class SharedSystem:
    """Equations of a block and its ghosts; satisfies `Partitioned` and what Newton's method asks.

    Vectors hold the nodes of the block's fibers, owned ones and ghosts. Positions of ghosts stay
    those of their owners: their increments come from them, and all processes apply the same part of
    an increment. Rows of ghosts are zero.

    Every evaluation checks that no pair of fibers of different blocks that the partition did not
    list can touch: the relative motion of any two fibers since then, and the growth of both radii,
    must be within the distance `reach` [m] of the partition.

    Attributes
    ----------
    inner : FiberSystem
        The system of the block.
    exchange : Exchange
        Of vectors with other processes.
    log : list of Krylov
        All iterative solutions.

    Raises
    ------
    ModelError
        If the model has unknowns other than those of nodes.
    """

    def __init__(self, inner: FiberSystem, block: Block, exchange: Exchange, reach: float) -> None:
        if inner.n != 6 * inner.cables.n_nodes:
            raise ModelError(
                f"model {inner.model.name!r}: {inner.n - 6 * inner.cables.n_nodes} unknowns beside "
                "nodes; must have none, such as activations or titin, for several processes; run "
                "it in one"
            )
        self.inner, self.exchange, self._reach = inner, exchange, reach
        self.log: list[Krylov] = []
        self.n, self.scale = inner.n, inner.scale
        self.fiber_names = inner.fiber_names
        self._owned = np.isin(block.fibers, block.owned)
        self._of_element = self._owned[inner.cables.fiber]
        self._hull_at_start, self._radii_at_start = self._sizes(inner.initial_state()[0])

    def _sizes(self, y: Array) -> tuple[Array, Array]:
        """Control points (n_elements, 4, 3) and bounds of the radii (n_elements,) [m]."""
        cables, candidates = self.inner.cables, self.inner.contact.candidates
        nodes, q = self.inner.split(y)
        hull = np.empty((cables.h.size, 4, 3))
        bezier_hull(nodes, cables.elements, cables.h, hull)
        place = Place(nodes, hull, self.inner.skeleton.at(q).links)
        return hull, candidates.thickness(candidates.least_tangents(place))

    def over_all(self, largest: float) -> float:
        """Largest of a number of each process; see `fibermsk.protocol.Partitioned`."""
        return float(self.exchange.largest(np.array([largest]))[0])

    def initial_state(self) -> tuple[Array, Array]:
        """Reference configuration, at rest except for the initial speeds."""
        return self.inner.initial_state()

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions after an increment, which includes that of ghosts."""
        return self.inner.retract(t, y, increment)

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with those of attached ends."""
        return self.inner.enforce(y, v, t, derive=derive)

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Accelerations with those of attached ends."""
        return self.inner.enforce_rate(y, v, v_dot, t, derive=derive)

    def evaluate(
        self,
        t: float,
        y: Array,
        v: Array,
        v_dot: Array,
        dv_dy: float = 0.0,
        dvdot_dv: float = 0.0,
        **options: Any,
    ) -> Evaluation:
        """Rows of the owned fibers; admissibility, flaws and imbalance are those of all processes.

        Raises
        ------
        ModelError
            On all processes, if fibers have moved too far for the ghosts of the partition.
        """
        found = self.inner.evaluate(t, y, v, v_dot, dv_dy, dvdot_dv, **options)
        # the largest force present, from the ratio that the system reports
        whole = float(np.abs(found.residual).max())
        present = whole / found.imbalance if found.imbalance > 0.0 else 0.0
        residual = self.exchange.own(found.residual)
        hull, radii = self._sizes(y)
        moves = (hull - self._hull_at_start)[self._of_element].reshape(-1, 3)
        growth = (radii - self._radii_at_start)[self._of_element].max()
        least, flawed, size, present, growth, *ends = self.exchange.largest(
            np.array(
                [
                    -found.admissibility, float(bool(found.flaw)), np.abs(residual).max(), present,
                    growth, *moves.max(axis=0), *-moves.min(axis=0),
                ]
            )
        )  # fmt: skip
        flaw = found.flaw or ("the equations of another process" if flawed else "")
        if not flaw:
            self._check_motion(float(np.linalg.norm(np.add(ends[:3], ends[3:]))), float(growth))
        tangent = found.tangent
        if tangent is not None:
            assert isinstance(tangent, BorderedMatrix) and isinstance(tangent.A, LineMatrix)
            tangent = SharedMatrix(tangent.A, self._owned, self.exchange, self.log)
        imbalance = float(size / present) if present > 0.0 else 0.0
        return found._replace(
            residual=residual, tangent=tangent, admissibility=-float(least), flaw=flaw,
            imbalance=imbalance,
        )  # fmt: skip

    def _check_motion(self, motion: float, growth: float) -> None:
        used = motion + 2.0 * max(growth, 0.0)
        if used > self._reach:
            raise ModelError(
                f"partition: fibers have approached by up to {used:.3g} m since the ghosts were "
                f"found; must be at most reach = {self._reach:.3g} m: give a larger one"
            )

    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Least fraction that any process allows."""
        return -self.over_all(-self.inner.step_fraction(y, increment, keep))

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "fiber_1 node 4, x"."""
        return self.inner.describe(unknown)
