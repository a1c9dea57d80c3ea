"""Constraints on the coordinates, and the multipliers that enforce them.

Constraints g(q) = 0, of couplings and of contributions, have

    M p_dot + bias + G^T lam = forces,   g'' = G p_dot - b = -2 w g' - w^2 g,

the constrained arm of identification (its eqs. 1 and 2) with two terms that return g to zero. As
many coordinates as there are constraints give the multipliers by their rows, and take the
constraints in place of these; the others feel G^T lam. Constraints of contributions are projected
after each step, so that g and g' stay at round-off; their w is so small that it changes no motion,
and only makes the static equations regular.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.linalg import qr

from fibermsk._arrays import Array, Index
from fibermsk.errors import ConstraintError, ModelError
from fibermsk.protocol import NO_MULTIPLIERS
from fibermsk.system.contribution import At, Contribution, Slopes
from fibermsk.system.optional import HasConstraints
from fibermsk.system.skeleton.constraints import Held
from fibermsk.system.skeleton.skeleton import Skeleton

RETURN_RATE, _PROJECTED_RATE = 100.0, 1.0
"""w of couplings, and of constraints that are projected [1/s]."""

_DEPENDENT, _LEAST_LEVER = 1e-9, 1e-2
"""Smallest part of the largest pivot with which constraints count as independent, and the least
value of that pivot which is not itself round-off [m]."""

_OPEN = 1e-6
"""How far constraints may be from being met at the start of a run [m], or [m/s]."""


class Multipliers:
    """Constraints of a system: couplings of the skeleton, then those of contributions."""

    def __init__(self, skeleton: Skeleton, contributions: Iterable[Contribution]) -> None:
        self._skeleton = skeleton
        self.holding = [one for one in contributions if isinstance(one, HasConstraints)]
        self.open = np.setdiff1d(np.arange(skeleton.n), skeleton.constraints.held)
        self._chosen = np.zeros(0, np.int64)

    @property
    def any(self) -> bool:
        """Whether there are constraints."""
        return bool(self.holding) or self._skeleton.constraints.row.size > 0

    def gather(self, at: At, second: bool) -> Held | None:
        """All constraints at a state."""
        parts = self._skeleton.constraints.couplings(at.motion.rows)
        parts += [one.constrain(at, second) for one in self.holding]
        if len(parts) < 2:
            return parts[0] if parts else None
        return Held(*map(np.concatenate, zip(*parts, strict=True)))

    def held(self, at: At) -> tuple[Index, Array]:
        """Coordinates (m,) whose rows are constraints, and G (m, n)."""
        held = self.gather(at, False)
        if held is None:
            return np.zeros(0, np.int64), np.zeros((0, self._skeleton.n))
        return self.own(held.G), held.G

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

    def own(self, G: Array, *, anew: bool = True) -> Index:
        """Coordinates whose rows give the multipliers; not `anew`, those of the last tangent.

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
        factors: Any = qr(G[:, self.open], mode="economic", pivoting=True)
        _, R, order = factors
        pivots = np.abs(R.diagonal())
        if pivots.size < m or not pivots[-1] > _DEPENDENT * max(pivots[0], _LEAST_LEVER):
            names = ", ".join(repr(getattr(one, "name", "")) for one in self.holding)
            raise ConstraintError(
                f"constraints {names}: not independent of each other and of the joints here; must "
                "each remove an independent motion; constrain a planar mechanism in the directions "
                "of its plane only, and avoid dead points"
            )
        return np.sort(self.open[order[:m]])

    def curvature(self, at: At, multipliers: Array) -> Array:
        """Derivative of G^T times the multipliers in the coordinates, (n, n)."""
        skeleton = self._skeleton
        total, begin = np.zeros((skeleton.n, skeleton.n)), skeleton.constraints.row.size
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
            own = self.own(held.G)
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
            multipliers = self._couple(at, held, slopes, residual, R, D)
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
        G, own, n = held.G, self.own(held.G, anew=slopes is not None), residual.size
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

    def completion(self, at: At, moving: Index) -> Array:
        """Changes (n,) of the rates of coordinates that do not move, so that constraints hold.

        Raises
        ------
        ModelError
            If the rates of those that move contradict each other.
        """
        held = self.gather(at, False)
        assert held is not None
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
