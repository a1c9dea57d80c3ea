"""Rings that hold fibers near a point of a body, as a pulley or a retinaculum does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, checked, number
from fibermsk.model import Body, Station
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.fibers.crossing import Crossing, FiberCrossing
from fibermsk.system.ports import BodyPoints, Placed


@dataclass(frozen=True, eq=False)
class ViaRing:
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

    Raises
    ------
    ModelError
        If a field lies outside its range; when the system is built, if a fiber is unknown.

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

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"ring {_check.item_name('ring', self.name)!r}"
        _check.instance(owner, "center", self.center, Station, "a Station")
        names = (self.fibers,) if isinstance(self.fibers, str) else self.fibers
        names = _check.items(owner, "fibers", names, str, "a name", "names of fibers")
        if not names or len(set(names)) < len(names):
            _check.refuse(owner, "fibers", self.fibers, "be one or more different names")
        _check.store(self, fibers=tuple(names), **checked(self, owner))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Body of the ring."""
        return (self.center.body,)

    def contribute(self, configuration: Configuration) -> _Hold:
        """Create the contribution."""
        ports = [FiberCrossing(configuration, name) for name in self.fibers]
        return _Hold(self, BodyPoints(configuration, (self.center,)), ports)

    def potential(self, distance: float) -> tuple[float, float, float]:
        """Potential [J] of a fiber at a distance [m], and two derivatives."""
        over, k, w = distance - self.radius, self.stiffness, self.band
        if over <= 0.0:
            return 0.0, 0.0, 0.0
        if over < w:
            return k * over**3 / (6.0 * w), 0.5 * k * over**2 / w, k * over / w
        energy = k * (0.5 * over**2 - 0.5 * w * over + w**2 / 6.0)
        return energy, k * (over - 0.5 * w), k


class _Held(NamedTuple):
    """A fiber at the ring: nearest point, distance [m], potential [J] and two derivatives."""

    port: FiberCrossing
    found: Crossing
    distance: float
    energy: float
    slope: float
    bend: float


class _Hold:
    """Contribution of a ring."""

    reports = (
        Field("opening", "m", "room in the ring", "radius less the largest distance of a fiber"),
        Field("force", "N", "force of the ring", "sum of the forces on its fibers"),
    )

    def __init__(self, ring: ViaRing, center: BodyPoints, ports: list[FiberCrossing]) -> None:
        self._ring, self._center, self._ports = ring, center, ports

    def _held(self, at: At, placed: Placed) -> list[_Held]:
        held = []
        for port in self._ports:
            found = port.nearest(at.nodes, placed.x[0])
            distance = float(np.linalg.norm(found.offset))
            held.append(_Held(port, found, distance, *self._ring.potential(distance)))
        return held

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces on fibers and body, and their derivatives."""
        placed = self._center.at(at)
        force, by_x = np.zeros((1, 3)), np.zeros((3, 3))
        for one in self._held(at, placed):
            if one.slope == 0.0:
                continue
            d, J = one.distance, one.found.J
            on_square = J.T @ one.found.offset
            gradient = one.slope / d * on_square
            hessian = one.slope / d * one.found.curvature()
            hessian += (one.bend - one.slope / d) / d**2 * np.outer(on_square, on_square)
            one.port.push(sums, one.found, gradient, hessian, placed.C[0])
            force[0] -= gradient[12:]
            by_x -= hessian[12:, 12:]
        if force.any():
            self._center.push(at, placed, sums, force, by_x, np.zeros((3, 3)))

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the potential [J]."""
        return {"contact": sum(one.energy for one in self._held(at, self._center.at(at)))}

    def fields(self, at: At) -> dict[str, float]:
        """Room and force."""
        held = self._held(at, self._center.at(at))
        return {
            "opening": self._ring.radius - max(one.distance for one in held),
            "force": sum(one.slope for one in held),
        }

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Center, fibers and numbers."""
        ring, point = self._ring, self._center
        numbers = [ring.radius, ring.stiffness, ring.band]
        return {"the rings": [ring.name, *ring.fibers, point.link, point.local, numbers]}
