"""Constraints on the coordinates, and the multipliers that enforce them.

Constraints g(q) = 0, of couplings and of contributions, have

    M p_dot + bias + G^T lam = forces,   g'' = G p_dot - b = -2 w g' - w^2 g,

the constrained arm of identification (its eqs. 1 and 2) with two terms that return g to zero. As
many coordinates as there are constraints give the multipliers by their rows, and take the
constraints in place of these; the others feel G^T lam. Constraints of contributions are projected
after each step, so that g and g' stay at round-off; their w is so small that it changes no motion,
and only makes the static equations regular. Rows that follow from others at every pose are left
out, and have the multiplier zero; see `fibermsk.system.redundancy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.linalg import qr

from fibermsk._arrays import Array, Index
from fibermsk._warn import warn
from fibermsk.errors import ConstraintError, ModelError, ModelWarning
from fibermsk.protocol import NO_MULTIPLIERS
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Contribution, Slopes
from fibermsk.system.optional import ChecksStart, HasConstraints
from fibermsk.system.redundancy import (
    DEPENDENT,
    LEAST_LEVER,
    dependence,
    independent_rows,
    rows_left_out,
)
from fibermsk.system.skeleton.constraints import Held
from fibermsk.system.skeleton.skeleton import Skeleton

RETURN_RATE, _PROJECTED_RATE = 100.0, 1.0
"""w of couplings, and of constraints that are projected [1/s]."""

_NEAR_DEPENDENT = 1e-3
"""Part of its largest pivot at which other rows are left out than before."""

_OPEN = 1e-6
"""How far constraints may be from being met at the start of a run [m], or [m/s]."""


class Multipliers:
    """Constraints of a system: couplings of the skeleton, then those of contributions."""

    def __init__(self, skeleton: Skeleton, contributions: Iterable[Contribution]) -> None:
        self._skeleton = skeleton
        self.holding = [one for one in contributions if isinstance(one, HasConstraints)]
        self.open = np.setdiff1d(np.arange(skeleton.n), skeleton.constraints.held)
        self._chosen = np.zeros(0, np.int64)
        self._rows, self._left_out = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def leave_out(self, configuration: Configuration, owner: str, *, told: bool) -> None:
        """Leave out rows that follow from others at every pose, and warn of them unless `told`."""
        at, q = self.at_rest(configuration), self._skeleton.start
        n_fixed, m = self._skeleton.constraints.row.size, at(q)[1].g.size
        self._left_out = rows_left_out(lambda q: at(q)[1], q, self.open, n_fixed)
        self._rows = np.setdiff1d(np.arange(m), self._left_out)
        if self._left_out.size and not told:
            names = self._names_of(at(q)[0], self._left_out)
            text = (
                f"{owner}: constraints {', '.join(names)} follow from the others and the joints: "
                "left out, and their part of the force is zero"
            )
            warn(ModelWarning(text))

    def at_rest(self, configuration: Configuration) -> Callable[[Array], tuple[At, Held]]:
        """State at rest with given coordinates (n,), and all constraints there."""
        y, v = configuration.start()
        y, v = y.copy(), np.zeros_like(v)

        def state(q: Array) -> tuple[At, Held]:
            configuration.split(y)[1][:] = q
            at = configuration.kinematics(0.0, y, v)
            return at, self._whole(at, False)

        return state

    def follow(self, at: At) -> None:
        """Leave out other rows where those in use come near to depend on each other.

        Raises
        ------
        ConstraintError
            If a row that was left out does not hold: it follows from the others no more.
        """
        if not self._left_out.size:
            return
        whole = self._whole(at, False)
        off = np.abs(whole.g[self._left_out])
        if off.max() > _OPEN:
            name = self._names_of(at, self._left_out[[int(off.argmax())]])[0]
            raise ConstraintError(
                f"constraint {name} opens by {off.max():.3g} m: it followed from the others at the "
                "start and does so no more; start from a pose away from dead points"
            )
        G = whole.G[:, self.open]
        pivots = np.abs(np.linalg.qr(G[self._rows].T)[1].diagonal())
        if pivots.min(initial=np.inf) < _NEAR_DEPENDENT * max(pivots.max(initial=0.0), LEAST_LEVER):
            n_fixed = self._skeleton.constraints.row.size
            self._rows = independent_rows(G, n_fixed, self._rows.size)
            self._left_out = np.setdiff1d(np.arange(whole.g.size), self._rows)

    def _named(self, at: At) -> list[tuple[str, list[str]]]:
        """Name of each contribution, and those of its rows."""
        found = []
        for one in self.holding:
            m = one.constrain(at, False).g.size
            names = getattr(one, "row_names", None) or [f"row {k}" for k in range(m)]
            found.append((str(getattr(one, "name", "")), list(names)))
        return found

    def _names_of(self, at: At, rows: Index) -> list[str]:
        """Names of rows of contributions."""
        n_fixed = self._skeleton.constraints.row.size
        names = [f"{name!r} ({row})" for name, own in self._named(at) for row in own]
        return [names[k - n_fixed] for k in rows.tolist() if k >= n_fixed]

    @property
    def any(self) -> bool:
        """Whether there are constraints."""
        return bool(self.holding) or self._skeleton.constraints.row.size > 0

    def gather(self, at: At, second: bool) -> Held | None:
        """All constraints at a state, without rows that follow from others."""
        if not self.any:
            return None
        whole = self._whole(at, second)
        if not self._left_out.size:
            return whole
        return Held(*(part[self._rows] if part.shape[0] else part for part in whole))

    def _whole(self, at: At, second: bool) -> Held:
        """All constraints at a state."""
        parts = self._skeleton.constraints.couplings(at.motion.rows)
        parts += [one.constrain(at, second) for one in self.holding]
        return parts[0] if len(parts) == 1 else Held(*map(np.concatenate, zip(*parts, strict=True)))

    def _spread(self, multipliers: Array) -> Array:
        """Multipliers of all rows, zero for those left out."""
        if not self._left_out.size:
            return multipliers
        found = np.zeros(self._rows.size + self._left_out.size)
        found[self._rows] = multipliers
        return found

    def held(self, at: At) -> tuple[Index, Array]:
        """Coordinates (m,) whose rows are constraints, and G (m, n)."""
        held = self.gather(at, False)
        if held is None:
            return np.zeros(0, np.int64), np.zeros((0, self._skeleton.n))
        return self.own(held.G, at), held.G

    def shares(self, at: At) -> tuple[Index, Array]:
        """Coordinates (m,) whose rows are constraints, and what others get of theirs, (m, n).

        The equations of a coordinate k have shares[:, k] times those of the held ones added.
        """
        own, G = self.held(at)
        if not own.size:
            return own, G
        shares: Any = -np.linalg.solve(G[:, own], G)
        shares[:, own] = 0.0
        return own, shares

    def keep(self, own: Index) -> None:
        """Let evaluations without tangent have constraints in the rows of given coordinates."""
        self._chosen = own

    def own(self, G: Array, at: At, *, anew: bool = True) -> Index:
        """Coordinates whose rows give the multipliers; not `anew`, those of the last tangent.

        G (m, n) are the constraints at a state.

        Raises
        ------
        ConstraintError
            If the constraints are not independent of each other.
        """
        if not self.holding:
            return self._skeleton.constraints.dependent
        if not anew and self._chosen.size == G.shape[0]:
            return self._chosen
        m = G.shape[0]
        if not m:
            return np.zeros(0, np.int64)
        factors: Any = qr(G[:, self.open], mode="economic", pivoting=True)
        _, R, order = factors
        pivots = np.abs(R.diagonal())
        if pivots.size < m or not pivots[-1] > DEPENDENT * max(pivots[0], LEAST_LEVER):
            rows = dependence(G[:, self.open])
            if self._left_out.size:
                rows = self._rows[rows]
            names = ", ".join(self._names_of(at, rows)) or "of couplings"
            raise ConstraintError(
                f"constraints {names}: not independent of each other and of the joints here; must "
                "each remove an independent motion; avoid dead points, and directions in which "
                "nothing can move"
            )
        return np.sort(self.open[order[:m]])

    def curvature(self, at: At, multipliers: Array) -> Array:
        """Derivative of G^T times the multipliers in the coordinates, (n, n)."""
        skeleton = self._skeleton
        total, begin = np.zeros((skeleton.n, skeleton.n)), skeleton.constraints.row.size
        multipliers = self._spread(multipliers)
        if begin and at.motion.rows is not None:
            total += skeleton.constraints.curvature(at.motion.rows, multipliers[:begin])
        for one in self.holding:
            m = one.constrain(at, False).g.size
            total += one.curvature(at, multipliers[begin : begin + m])
            begin += m
        return total

    def settle(self, at: At, force: Array) -> None:
        """Move forces (n,) on held coordinates to those they follow; others become zero."""
        held = self.gather(at, False)
        if held is not None:
            own = self.own(held.G, at)
            free = np.setdiff1d(np.arange(force.size), own)
            force[free] -= held.G[:, free].T @ np.linalg.solve(held.G[:, own].T, force[own])
            force[own] = 0.0
        force[self._skeleton.constraints.held] = 0.0

    def reduce(
        self, at: At, slopes: Slopes | None, residual: Array, B: Array, R: Array, D: Array
    ) -> Array:
        """Put the constraints in place of the equations of the coordinates they hold.

        residual (n,); B (n_x, m), R (m, n_x), D (m, m): border of the tangent, whose first n
        entries are those of the coordinates; changed in place. Returns the multipliers.
        """
        held = self.gather(at, slopes is not None)
        multipliers = NO_MULTIPLIERS
        if held is not None:
            multipliers = self._spread(self._couple(at, held, slopes, residual, R, D))
        prescribed = self._skeleton.constraints.held
        if prescribed.size:
            residual[prescribed] = 0.0
            if slopes is not None:
                B[:, prescribed], R[prescribed] = 0.0, 0.0
                D[prescribed], D[:, prescribed] = 0.0, 0.0
                D[prescribed, prescribed] = 1.0
        return multipliers

    def _couple(
        self, at: At, held: Held, slopes: Slopes | None, residual: Array, R: Array, D: Array
    ) -> Array:
        # with the rows of a tangent go the residuals that are solved with it
        G, own, n = held.G, self.own(held.G, at, anew=slopes is not None), residual.size
        if slopes is not None:
            self._chosen = own
        free = np.setdiff1d(np.arange(n), own)
        to_multipliers = -np.linalg.inv(G[:, own].T)
        lam = to_multipliers @ residual[own]
        residual[free] += G[:, free].T @ lam
        w = np.full((held.g.size, 1), _PROJECTED_RATE)
        w[: self._skeleton.constraints.row.size] = RETURN_RATE
        if slopes is not None:
            D[:n, :n] += self.curvature(at, lam)
            R[free] += G[:, free].T @ (to_multipliers @ R[own])
            D[free] += G[:, free].T @ (to_multipliers @ D[own])
            first = held.V + slopes.dv_dy * G
            second = held.W + 2.0 * slopes.dv_dy * held.V + slopes.dvdot_dy * G
            R[own], D[own] = 0.0, 0.0
            D[own, :n] = second + 2.0 * w * first + w**2 * G
        w = w[:, 0]
        residual[own] = held.g_ddot + 2.0 * w * held.g_dot + w**2 * held.g
        return lam

    def drift(self, at: At) -> tuple[float, float]:
        """Largest value and rate of any constraint of a contribution."""
        found = [one.constrain(at, False) for one in self.holding]
        return (
            max((float(np.abs(one.g).max()) for one in found), default=0.0),
            max((float(np.abs(one.g_dot).max()) for one in found), default=0.0),
        )

    def check(self, at: At) -> None:
        """Refuse a start at which a constraint of a contribution does not hold.

        Raises
        ------
        ModelError
            Names the constraint and how far it is from being met.
        """
        for one in self.holding:
            g = one.constrain(at, False).g
            if np.abs(g).max() > _OPEN:
                raise ModelError(
                    f"constraint {getattr(one, 'name', '')!r}: open by {np.abs(g).max():.4g} m at "
                    f"the start; must be within {_OPEN:g} m; start from coordinates that close it, "
                    "such as those of FiberSystem.project"
                )
            if isinstance(one, ChecksStart):
                one.check_start(at)

    def completion(self, at: At, moving: Index) -> Array:
        """Changes (n,) of the rates of coordinates that do not move, so that constraints hold.

        Raises
        ------
        ModelError
            If the rates of those that move contradict each other.
        """
        held = self._whole(at, False)
        others = np.setdiff1d(self.open, moving)
        change = np.zeros(held.G.shape[1])
        change[others] = np.linalg.lstsq(held.G[:, others], -held.g_dot)[0]
        left = np.abs(held.g_dot + held.G @ change).max()
        if left > _OPEN * (1.0 + np.abs(at.p).max(initial=0.0)):
            raise ModelError(
                f"start speeds: the constraints open at {left:.4g} m/s; must be speeds that a "
                "closed mechanism can have; specify one of them, the others are computed"
            )
        return change
