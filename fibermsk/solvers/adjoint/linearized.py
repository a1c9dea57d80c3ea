"""Products with the derivatives of a system's equations at one state, and with their transposes.

The rates of the unknowns enter a tangent through dv = b dy and dv_dot = a dv: T(b, a) = K + b C +
a b M. Tangents with other slopes give the products with C and M, so that a system has to offer
nothing but its tangent, and what its dependent entries follow.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError
from fibermsk.protocol import Differentiable, Evaluation, Followers
from fibermsk.solvers.newton.linear import solver

_ACCURACY = 1e-13
"""Relative accuracy of iterative solutions with transposed tangents."""

_MOST_REFINEMENTS = 3


class Point(NamedTuple):
    """A state with rates at which the equations are differentiated."""

    t: float
    y: Array
    v: Array
    v_dot: Any  # (n,); None where only what dependent entries follow is asked for
    rates: bool = True  # whether dependent entries of v_dot follow, see `System.evaluate`
    derive: bool = True  # see `System.enforce`
    at_rest: bool = False  # whether nothing moves, prescribed motions neither


class Linearized:
    """Equations at one point, F(y, v, v_dot): dependent entries of y and v follow the others.

    So do those of v_dot if `point.rates`; else they are given. Cotangents and increments hold
    independent entries, others are zero.
    """

    def __init__(self, system: Differentiable, point: Point) -> None:
        self.system, self.point = system, point
        self.followers: Followers = system.followers(point.y, point.v)
        self.independent = np.ones(point.y.size, bool)
        self.independent[self.followers.entries] = False
        self.independent[self.followers.fixed] = False
        self._whole: tuple[Array, Array] | None = None
        self._stiffness: tuple[Array, Array] | None = None
        self._damping: tuple[Array, Array] | None = None

    @cached_property
    def laws(self) -> Any:
        """Laws at the point, for differences; see `fibermsk.protocol.Differentiable.beside`."""
        t, y, v, v_dot, *_ = self.point
        return self.system.laws_at(t, y, v, v_dot)

    def only(self, vector: Array) -> Array:
        """The independent entries of a vector, others zero."""
        return np.where(self.independent, vector, 0.0)

    def pulled(self, cotangent: Array) -> Array:
        """Cotangent of positions on the independent ones alone."""
        own = self.followers
        total = cotangent.copy()
        total[own.on] += own.by_position.T @ cotangent[own.entries]
        return self.only(total)

    def pulled_rates(self, cotangent: Array) -> tuple[Array, Array]:
        """Cotangents of positions and independent velocities, of one of velocities."""
        own, on_y = self.followers, np.zeros_like(cotangent)
        on_y[own.on] = own.by_speed.T @ cotangent[own.entries]
        return self.only(on_y), self.pulled(cotangent)

    def unheld(self, x: Array) -> Array:
        """Cotangent of the equations before constraints take the place of some, from theirs."""
        own, whole = self.followers, self.only(x)
        if own.held.size:
            whole[own.held] = own.shares @ whole[own.on]
        return whole

    def held(self, rows: Array) -> Array:
        """Equations with constraints in the place of some, from what is added to them before."""
        own, whole = self.followers, self.only(rows)
        if own.held.size:
            whole[own.on] += own.shares.T @ whole[own.held]
            whole[own.held] = 0.0
        return self.only(whole)

    def followed(self, increment: Array) -> Array:
        """Increment of positions, with dependent entries, of one of independent ones."""
        own, whole = self.followers, self.only(increment)
        whole[own.entries] = own.by_position @ whole[own.on]
        return whole

    def stiffness(self, dy: Array) -> Array:
        """K dy."""
        return self.only(self._tangent(0.0, 0.0) @ self.only(dy))

    def whole(self, x: Array) -> Array:
        """Cotangent of the equations before constraints, with attached ends; kept for the last."""
        if self._whole is None or self._whole[0] is not x:
            self._whole = x, self.followed(self.unheld(x))
        return self._whole[1]

    def followed_rates(self, dy: Array, dv: Array) -> Array:
        """Increment of velocities, with dependent entries."""
        own, whole = self.followers, self.followed(dv)
        whole[own.entries] += own.by_speed @ self.only(dy)[own.on]
        return whole

    def solve_transposed(self, right: Array, b: float, a: float) -> Array:
        """Solve T(b, a)^T x = right."""
        return self._solve(self._tangent(b, a).T, self.only(right))

    def solve(self, right: Array, b: float, a: float) -> Array:
        """Solve T(b, a) x = right."""
        return self._solve(self._tangent(b, a), self.only(right))

    def know_stiffness(self, x: Array, product: Array) -> None:
        """Take over K^T x."""
        self._stiffness = x, product

    def know_damping(self, x: Array, product: Array) -> None:
        """Take over C^T x, where dependent rates follow."""
        self._damping = x, product

    def rate_products(self, x: Array, b: float, a: float, whole: Array) -> tuple[Array, Array]:
        """C^T x and M^T x, from T(b, a)^T x; see `transposed_products`."""
        if self._damping is None or self._damping[0] is not x:
            return self.transposed_products(x, b, a, whole)[1:]
        damping, known = self._damping[1], self._stiffness
        still = known[1] if known and known[0] is x else self._transposed(self.point, x, 0.0, 0.0)
        return damping, (whole - still - b * damping) / (a * b)

    def transposed_products(
        self, x: Array, b: float, a: float, whole: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """K^T x, C^T x and M^T x; M that of dependent rates, which follow.

        `whole` is T(b, a)^T x, if known.
        """
        consistent = self.point._replace(rates=True)
        still, damped = (self._transposed(self.point, x, slope, 0.0) for slope in (0.0, b))
        before = damped
        if not self.point.rates:
            before, whole = self._transposed(consistent, x, b, 0.0), None
        if whole is None:
            whole = self._transposed(consistent, x, b, a)
        return still, (damped - still) / b, (whole - before) / (a * b)

    def inertia(self, x: Array, on_mass: Array) -> Array:
        """Cotangent (n,) of all rates of velocities, given ones included, from M^T x.

        The mass of the fibers is symmetric: the forces that the attachments take when the nodes
        accelerate by x are the rows of their rates.
        """
        own, point = self.followers, self.point
        size = np.abs(x).max(initial=0.0)
        if point.rates or size == 0.0:
            return on_mass
        total, one = on_mass.copy(), 1.0 + np.abs(point.v_dot).max()
        if own.entries.size:
            ahead, behind = self._beside(one / size * self.followed(self.unheld(x)))
            taken = (ahead.reactions - behind.reactions).ravel()
            total[own.entries] = taken * size / (2.0 * one)
            total[own.on] -= own.by_position.T @ total[own.entries]
        for k in own.fixed:
            way = np.zeros_like(x)
            way[k] = one
            ahead, behind = self._beside(way)
            total[k] = x @ (ahead.residual - behind.residual) / (2.0 * one)
        return total

    def forces(self, dv: Array, dv_dot: Array, b: float) -> Array:
        """Increment of F by independent velocities dv (n,) and rates dv_dot (n,)."""
        point, size = self.point, np.abs(dv_dot).max(initial=0.0)
        damped, still = (self._tangent(slope, 0.0) @ self.only(dv) for slope in (b, 0.0))
        total = (damped - still) / b
        if size > 0.0:
            step = (1.0 + np.abs(point.v_dot).max()) / size
            own = self.followed(dv_dot) if point.rates else dv_dot
            ahead, behind = self._beside(step * own)
            total = total + (ahead.residual - behind.residual) / (2.0 * step)
        return self.only(total)

    def _tangent(self, b: float, a: float, point: Point | None = None) -> Any:
        """T(b, a), at another point if given."""
        t, y, v, v_dot, rates, *_ = point or self.point
        found = self.system.evaluate(t, y, v, v_dot, b, a, rates=rates)
        if found.flaw:
            raise ConvergenceError(
                f"no derivative at t = {t:g} s: NaN or infinity in {found.flaw}", time=t
            )
        return found.tangent

    def _beside(self, way: Array) -> list[Evaluation]:
        """Equations without tangent at rates of velocities ahead and behind along a way."""
        t, y, v, v_dot, rates, *_ = self.point
        return [
            self.system.evaluate(t, y, v, one, rates=rates, tangent=False)
            for one in (v_dot + way, v_dot - way)
        ]

    def _transposed(self, point: Point, x: Array, b: float, a: float) -> Array:
        return self.only(self._tangent(b, a, point).T @ x)

    def _solve(self, matrix: Any, right: Array) -> Array:
        """Solution to round-off; dependent entries are zero."""
        if not right.any():
            return np.zeros_like(right)
        try:
            inverse = solver(matrix)
            x = self.only(inverse(right, _ACCURACY).x)
            for _ in range(_MOST_REFINEMENTS):
                rest = self.only(right - matrix @ x)
                if np.abs(rest).max() <= _ACCURACY * np.abs(right).max():
                    break
                x += self.only(inverse(rest, _ACCURACY).x)
        except np.linalg.LinAlgError as error:
            t = self.point.t
            raise ConvergenceError(f"no derivative at t = {t:g} s: {error}", time=t) from error
        return x
