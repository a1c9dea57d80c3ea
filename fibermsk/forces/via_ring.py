"""Rings that hold fibers near a point of a body, as a pulley or a retinaculum does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk._numbers import POSITIVE, checked, number, part
from fibermsk._shown import Described
from fibermsk.model import Body, CoordinateRange, Station
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.fibers.crossing import FiberCrossings
from fibermsk.system.ports import BodyPoints, CoordinatePort, Placed

_OPEN = 1e-6
"""Share of the coordinate's range below which a ring is open."""


@dataclass(frozen=True, eq=False, repr=False)
class ViaRing(Described):
    """A smooth ring on a body through which fibers slide without friction.

    Every fiber is held within a distance of the center: with d the distance of the center from the
    nearest point of the centerline, it is pulled back by a force that depends on d - radius.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    center : Station
        Center of the ring, from `Body.at`.
    fibers : sequence of str
        Names of fibers of the model.
    radius : float
        Distance from the center within which centerlines are free [m]: the inner radius of the ring
        less that of a fiber; positive.
    stiffness : float
        Stiffness of the ring [N/m]; positive.
    band : float
        Distance beyond the radius over which the stiffness rises [m]; positive.
    active : CoordinateRange, optional
        Range of a coordinate in which the ring holds fibers; outside it opens: its radius is
        `radius` over the share of the range. By default it always holds them.

    Raises
    ------
    ModelError
        If a field lies outside its range; when the system is built, if a fiber or the coordinate is
        unknown.

    Notes
    -----
    The potential of a fiber is, with k the stiffness, w the band and s = d - radius > 0,
    U = k s^3 / (6 w) for s < w and k (s^2 / 2 - w s / 2 + w^2 / 6) beyond; its derivative U' is
    continuously differentiable. The point x(theta) nearest to the center c minimizes
    g . g / 2, g = x - c, so that g . x' = 0 and the force on the fiber at theta is -U' g / d: it
    has no part along the fiber, and the opposite force on the body has the same line of action.
    With J = dg/dz at constant theta, z nodal unknowns and center, the second derivative of
    g . g / 2 is J^T J - s s^T / (x' . x' + g . x''), s = d(g . x')/dz.

    A fiber with an end nearer to the center than all other points is held at this end.

    A ring that closes pulls on its coordinate with sum U' r', r' the derivative of the radius: its
    potential depends on nodes, bodies and the coordinate, so that energy is conserved.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("sling")
    >>> ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    >>> tissue = fm.Tissue(density=1e3, muscle=fm.KelvinVoigt(2e5, 1e3), prestress=2e4)
    >>> fiber = model.add(fm.Fiber("f", attach=ends, radius=2e-3, n_elements=6, tissue=tissue))
    >>> ring = fm.ViaRing("ring", model.ground.at(0.05, 0, 0), ["f"], radius=1e-3, stiffness=1e4)
    >>> _ = model.add(ring)
    """

    name: str
    center: Station
    fibers: Sequence[str]
    radius: float = number("m", POSITIVE)
    stiffness: float = number("N/m", POSITIVE)
    band: float = number("m", POSITIVE, default=5e-4)
    active: CoordinateRange | None = part(default=None)

    signals = ()

    def __post_init__(self) -> None:
        owner = f"ring {_check.item_name('ring', self.name)!r}"
        _check.instance(owner, "center", self.center, Station, "a Station")
        names = (self.fibers,) if isinstance(self.fibers, str) else self.fibers
        names = _check.items(owner, "fibers", names, str, "a name", "names of fibers")
        if not names or len(set(names)) < len(names):
            _check.refuse(owner, "fibers", self.fibers, "be one or more different names")
        _check.store(self, fibers=tuple(names), **checked(self, owner))
        if self.active is not None:
            _check.instance(owner, "active", self.active, CoordinateRange, "a CoordinateRange")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinate that opens and closes it."""
        return () if self.active is None else (self.active.coordinate,)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Body of the ring."""
        return (self.center.body,)

    def contribute(self, configuration: Configuration) -> _Hold:
        """Create the contribution."""
        ports = FiberCrossings(configuration, self.fibers)
        drivers = [CoordinatePort(configuration, name) for name in self.coordinates]
        return _Hold(self, BodyPoints(configuration, (self.center,)), ports, drivers)

    def radius_at(self, value: float) -> tuple[float, float, float]:
        """Radius at a value of the coordinate [m], and two derivatives; infinite where it is open.

        Raises
        ------
        ModelError
            If the ring depends on no coordinate.
        """
        if self.active is None:
            _check.refuse(f"ring {self.name!r}", "active", None, "be a CoordinateRange")
        share, slope, bend = self.active.share(value)
        if share < _OPEN:
            return np.inf, 0.0, 0.0
        r = self.radius / share
        return r, -r * slope / share, r * (2.0 * (slope / share) ** 2 - bend / share)

    def potential(self, distance: float, radius: float | None = None) -> tuple[float, float, float]:
        """Potential [J] of a fiber at a distance [m], and two derivatives in it.

        The radius [m] is that of the closed ring by default.
        """
        over = distance - (self.radius if radius is None else radius)
        k, w = self.stiffness, self.band
        if over <= 0.0:
            return 0.0, 0.0, 0.0
        if over < w:
            return k * over**3 / (6.0 * w), 0.5 * k * over**2 / w, k * over / w
        energy = k * (0.5 * over**2 - 0.5 * w * over + w**2 / 6.0)
        return energy, k * (over - 0.5 * w), k


class _Held(NamedTuple):
    """Fibers at the ring: nearest points, distances [m], potentials [J] and two derivatives."""

    element: Index
    xi: Array
    distance: Array
    energy: Array
    slope: Array
    bend: Array


class _Hold:
    """Contribution of a ring."""

    reports = (
        Field("opening", "m", "room in the ring", "radius less the largest distance of a fiber"),
        Field("force", "N", "force of the ring", "sum of the forces on its fibers"),
    )

    def __init__(
        self,
        ring: ViaRing,
        center: BodyPoints,
        ports: FiberCrossings,
        drivers: list[CoordinatePort],
    ) -> None:
        self._ring, self._center, self._ports, self._drivers = ring, center, ports, drivers

    def _radius(self, at: At) -> tuple[float, float, float]:
        """Radius, and its derivatives in the coordinate."""
        for driver in self._drivers:
            return self._ring.radius_at(driver.at(at)[0])
        return self._ring.radius, 0.0, 0.0

    def _held(self, at: At, placed: Placed, radius: float) -> _Held:
        element, xi, distance = self._ports.nearest(at.nodes, placed.x[0])
        potentials = [self._ring.potential(one, radius) for one in distance]
        return _Held(element, xi, distance, *np.array(potentials).T)

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces on fibers, body and coordinate, and their derivatives."""
        placed, (radius, *closing) = self._center.at(at), self._radius(at)
        if radius == np.inf:
            return
        force, by_x = np.zeros((1, 3)), np.zeros((3, 3))
        held = self._held(at, placed, radius)
        pulled, mixed = np.flatnonzero(held.slope).tolist(), []
        for f in pulled:
            d, pull = held.distance[f], held.slope[f] / held.distance[f]
            found = self._ports.crossing(f, held.element[f], held.xi[f], at.nodes, placed.x[0])
            on_square = found.J.T @ found.offset
            gradient = pull * on_square
            hessian = pull * found.curvature()
            hessian += (held.bend[f] - pull) / d**2 * np.outer(on_square, on_square)
            self._ports.push(sums, found, gradient, hessian, placed.C[0])
            force[0] -= gradient[12:]
            by_x -= hessian[12:, 12:]
            mixed.append((found.node, held.bend[f] / d * on_square))
        if pulled:
            self._center.push(at, placed, sums, force, by_x, np.zeros((3, 3)))
        if pulled and closing[0]:
            self._close(at, sums, placed, held, mixed, *closing)

    def _close(
        self,
        at: At,
        sums: Sums,
        placed: Placed,
        held: _Held,
        mixed: list[tuple[int, Array]],
        slope: float,
        bend: float,
    ) -> None:
        """Add the force on the coordinate, and derivatives, with those of the radius in it.

        `mixed` has the first node of each pulled fiber's element, and the negative derivative of
        its gradient (15,) in the radius.
        """
        pull, stiff = float(held.slope.sum()), float(held.bend.sum())
        by_value = pull * bend - stiff * slope**2
        self._drivers[0].push(at, sums, pull * slope, by_value, 0.0)
        if sums.slopes is None:
            return
        (way,), _ = self._drivers[0].follow(at, sums.slopes)
        on_center = np.zeros(3)
        for node, by_radius in mixed:
            sums.add_border(node, -slope * by_radius[:12], way)
            on_center -= slope * by_radius[12:]
        on_q = self._center.pulled(at, placed, on_center)
        sums.corner[:] += np.outer(way, on_q) + np.outer(on_q, way)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the potential [J]."""
        held = self._held(at, self._center.at(at), self._radius(at)[0])
        return {"contact": float(held.energy.sum())}

    def fields(self, at: At) -> dict[str, float]:
        """Room and force."""
        radius = self._radius(at)[0]
        held = self._held(at, self._center.at(at), radius)
        return {
            "opening": radius - float(held.distance.max()),
            "force": float(held.slope.sum()),
        }

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Center, fibers and numbers."""
        ring, point = self._ring, self._center
        numbers: list[Any] = [ring.radius, ring.stiffness, ring.band]
        if ring.active is not None:
            numbers += astuple(ring.active)
        return {"the rings": [ring.name, *ring.fibers, point.link, point.local, numbers]}
