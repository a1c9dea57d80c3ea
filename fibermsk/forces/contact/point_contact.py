"""Contact of points of bodies with the horizontal ground, by a smooth law.

Symbols: ``y`` height over the floor, ``v`` velocity of the point, ``F`` force of the floor.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, bounded, checked, number
from fibermsk._shown import Described
from fibermsk.model import Body, Station
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.frames import BodyFrames, Loads, Numbers, Poses

SOFTEST = 0.1
"""Stiffness off the floor, and the least stiffness [N/m]."""
_BEND = 1e-3
"""Curvature and offset of the change from one stiffness to the other [m]."""
_FREE = 1e-2
"""Height at which the force is zero [m]."""
_HIGHEST = 0.7
"""Height that is not exceeded in the law [m]."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_BENDS = -0.3, -0.03, -8.0 * _BEND, -_BEND, 4.0 * _BEND, 0.1, 0.5
"""Heights between which Gauss's rule gives the energy to round-off [m]."""
_REST = 1e-4
"""Speed added to that of sliding, so that friction has a direction at rest [m/s]."""


@dataclass(frozen=True, eq=False, repr=False)
class PointContact(Described):
    """Contact of a point of a body with a horizontal floor, smooth; OpenSim's MeyerFregly2016Force.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    point : Station
        The point, from `Body.at`.
    stiffness : float
        k [N/m]; more than 0.1, the stiffness off the floor.
    dissipation : float
        c [s/m]; 0 or more.
    height : float
        Height of the floor along the upward axis [m].
    dynamic_friction, viscous_friction : float
        u_d [-] and u_v [s/m]; 0 or more.
    latch_velocity : float
        Speed of sliding v_l over which friction grows [m/s]; positive.
    up : (3,) array_like
        Upward axis of the ground, stored with length one; that of OpenSim by default.

    Raises
    ------
    ModelError
        If a field lies outside its range.

    Notes
    -----
    F = s (v (y_0 - y) - b (log cosh((y_0 + b)/b) - log cosh((y + b)/b))) with
    s = (k - 0.1)/2, v = (k + 0.1)/(k - 0.1), b = 1 mm and y_0 = 1 cm [1]_; y is 0.7 m
    tanh(height / 0.7 m). It pulls weakly above y_0: with 0.1 N/m. With damping F (1 - c dy/dt), and
    against the sliding F (u_d tanh(w / v_l) + u_v w) w / (w + 0.1 mm/s), w its speed.

    References
    ----------
    .. [1] Meyer, Eskinazi, Jackson, Rao, Patten and Fregly, Front. Bioeng. Biotechnol. 4 (2016),
       77, doi:10.3389/fbioe.2016.00077.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("foot", gravity=(0, -9.81, 0))
    >>> foot = model.add(fm.Body("foot", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> flight = model.add(fm.Free("flight", model.ground, foot, position=(0, 0.1, 0)))
    >>> model.add(fm.PointContact("heel", foot.at((-0.05, -0.02, 0)), dynamic_friction=0.8)).name
    'heel'
    """

    name: str
    point: Station
    _: KW_ONLY
    stiffness: float = number("N/m", bounded(above=SOFTEST), default=1e4)
    dissipation: float = number("s/m", NON_NEGATIVE, default=0.01)
    height: float = number("m", default=0.0)
    dynamic_friction: float = number("", NON_NEGATIVE, default=0.0)
    viscous_friction: float = number("s/m", NON_NEGATIVE, default=5.0)
    latch_velocity: float = number("m/s", bounded(above=0.0), default=0.05)
    up: ArrayLike = (0.0, 1.0, 0.0)

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"point contact {_check.item_name('point contact', self.name)!r}"
        _check.instance(owner, "point", self.point, Station, "a Station")
        up = _check.unit_vector(owner, "up", self.up)
        _check.store(self, up=up, **checked(self, owner))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Body of the point."""
        return (self.point.body,)

    def contribute(self, configuration: Configuration) -> _Stand:
        """Create the contribution."""
        return _Stand(self, configuration)


class _Stand:
    """Contribution of a contact."""

    reports = (
        Field("depth", "m", "depth of contact", "of the point under the floor, negative above"),
        Field("force", "N", "contact force", "force on the point, in ground", (3,)),
    )

    def __init__(self, contact: PointContact, configuration: Configuration) -> None:
        self._contact = contact
        self._port = BodyFrames(configuration, (contact.point,), np.eye(3)[None])

    def _loads(self, poses: Poses) -> Loads:
        """Load on the point."""
        own, up = self._contact, np.asarray(self._contact.up)
        y, rise = poses.x @ up - own.height, poses.v @ up
        slide = poses.v - rise[..., None] * up
        f = self._law(_HIGHEST * np.tanh(y / _HIGHEST)) * (1.0 - own.dissipation * rise)
        w = _speed(slide)
        rub = own.dynamic_friction * np.tanh(w / own.latch_velocity) + own.viscous_friction * w
        force = f[..., None] * (up - (rub / (w + _REST))[..., None] * slide)
        return Loads(force, np.zeros_like(force))

    def _law(self, y: Numbers) -> Numbers:
        """Force F without damping [N], at bounded heights."""
        k = self._contact.stiffness
        s, v = 0.5 * (k - SOFTEST), (k + SOFTEST) / (k - SOFTEST)
        bent = _BEND * (_log_cosh((_FREE + _BEND) / _BEND) - _log_cosh((y + _BEND) / _BEND))
        return s * (v * (_FREE - y) - bent)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of F [J], zero where F is: the integral over the height, which has no formula."""
        own = self._contact
        height = float(self._port.moved(at).poses.x[0] @ np.asarray(own.up)) - own.height
        y = _HIGHEST * math.tanh(height / _HIGHEST)
        between = [x for x in _BENDS if min(y, _FREE) < x < max(y, _FREE)]
        ends = np.array([y, *(between if y < _FREE else between[::-1]), _FREE])
        half = 0.5 * np.diff(ends)[:, None]
        x = 0.5 * (ends[:-1] + ends[1:])[:, None] + half * _NODES
        # dh = dy / (1 - (y / 0.7 m)^2)
        return {
            "contact": float(np.sum(half * _WEIGHTS * self._law(x) / (1.0 - (x / _HIGHEST) ** 2)))
        }

    def add(self, at: At, sums: Sums) -> None:
        """Add the force and its derivatives."""
        self._port.load(at, self._port.moved(at), sums, self._loads)

    def fields(self, at: At) -> dict[str, Any]:
        """Depth and force."""
        poses, own = self._port.moved(at).poses, self._contact
        depth = own.height - float(poses.x[0] @ np.asarray(own.up))
        return {"depth": depth, "force": self._loads(poses).force[0]}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Point and numbers."""
        own, port = self._contact, self._port
        numbers = [own.stiffness, own.dissipation, own.height, own.dynamic_friction]
        numbers += [own.viscous_friction, own.latch_velocity, *np.asarray(own.up)]
        return {"the point contacts": [own.name, port.link, port.local, numbers]}


def _log_cosh(x: Numbers) -> Numbers:
    """Logarithm of cosh x, of any size and of complex steps."""
    x = np.where(np.real(x) < 0.0, -x, x)
    return x + np.log1p(np.exp(-2.0 * x)) - np.log(2.0)


def _speed(v: Numbers) -> Numbers:
    """Length of vectors (..., 3), 0 with slope 0 for none, of complex steps too."""
    squared = np.sum(v * v, axis=-1)
    none = np.real(squared) == 0.0
    return np.where(none, 0.0, np.sqrt(np.where(none, 1.0, squared)))
