"""Contact of spheres on bodies with half-spaces and with each other, and friction.

Symbols: ``n`` unit vector from the sphere into the other body, ``x`` depth, ``v`` velocity of the
sphere relative to the other body at the contact, ``k`` stiffness, ``c`` dissipation, ``R`` radius.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.joint import orientation
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.frames import BodyFrames, Loads, Numbers, Poses, norm

_REST = 1e-12
"""Squared speed [m^2/s^2] added to that of sliding, so that it has a direction at rest."""


@dataclass(frozen=True, eq=False, repr=False)
class SphereContact(Described):
    """Contact of a sphere with a half-space or another sphere: Hertz, Hunt and Crossley; friction.

    As OpenSim's HuntCrossleyForce between these, or with `smooth` its SmoothSphereHalfSpaceForce.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    sphere : Station
        Center of the sphere, from `Body.at`.
    other : Station
        A point of the surface of the half-space, or the center of the other sphere; on another
        body.
    radius : float
        Radius of the sphere [m]; positive.
    other_radius : float
        Radius of the other sphere [m]; 0 for a half-space.
    axes : (3, 3) array_like
        Axes of the half-space in its body, columns; it fills the side of positive x.
    stiffness : float
        k, modulus of the surface [N/m^2]; positive.
    share : float
        Share of the depth that the sphere yields, in [0, 1].
    dissipation : float
        c [s/m]; 0 or more.
    static_friction, dynamic_friction, viscous_friction : float
        Coefficients [-, -, s/m]; 0 or more.
    transition_velocity : float
        Speed of sliding at which friction is full [m/s]; positive.
    smooth : (3,) array_like, optional
        Smoothing: constant force [m^2], and steepness in the depth [1/m] and in the speed [s/m].
        With it the force has all derivatives, and is not zero away from the half-space.

    Raises
    ------
    ModelError
        If a field lies outside its range.

    Notes
    -----
    Hertz: F = 4/3 K x sqrt(R K x) with K = k^(2/3) s, s the share and R = R_1 R_2 / (R_1 + R_2) of
    two spheres. Hunt and Crossley: f = F (1 + 3/2 c v.n), at least zero. Friction: f (min(r, 1)
    (u_d + 2 (u_s - u_d) / (1 + r^2)) + u_v v) against the sliding, whose speed is v, with r = v
    over the transition velocity. Where f would be negative there is no friction, while OpenSim
    leaves its friction, reversed. The derivative of friction jumps at r = 1.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("ball")
    >>> ball = model.add(fm.Body("ball", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> flight = model.add(fm.Free("flight", model.ground, ball, position=(0, 0, 0.2)))
    >>> up = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the half-space fills what is below
    >>> floor = fm.SphereContact(
    ...     "floor", ball.at((0, 0, 0)), model.ground.at((0, 0, 0)), radius=0.1, axes=up,
    ...     stiffness=1e6, dissipation=0.5, static_friction=0.8, dynamic_friction=0.6,
    ... )
    >>> model.add(floor).radius
    0.1
    """

    name: str
    sphere: Station
    other: Station
    _: KW_ONLY
    radius: float = number("m", POSITIVE)
    other_radius: float = number("m", NON_NEGATIVE, default=0.0)
    axes: ArrayLike = orientation()
    stiffness: float = number("N/m^2", POSITIVE)
    share: float = number("", NON_NEGATIVE, default=0.5)
    dissipation: float = number("s/m", NON_NEGATIVE, default=0.0)
    static_friction: float = number("", NON_NEGATIVE, default=0.0)
    dynamic_friction: float = number("", NON_NEGATIVE, default=0.0)
    viscous_friction: float = number("s/m", NON_NEGATIVE, default=0.0)
    transition_velocity: float = number("m/s", POSITIVE, default=0.01)
    smooth: ArrayLike | None = number("", POSITIVE, shape=(3,), default=None)

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"sphere contact {_check.item_name('sphere contact', self.name)!r}"
        for field in ("sphere", "other"):
            _check.instance(owner, field, getattr(self, field), Station, "a Station")
        if self.sphere.body is self.other.body:
            _check.refuse(owner, "other", self.other.body, "be on another body than the sphere")
        _check.store(self, **checked(self, owner))
        if self.share > 1.0:
            _check.refuse(owner, "share", self.share, "be at most 1")
        if self.smooth is not None and self.other_radius:
            must = "be left out between two spheres"
            _check.refuse(owner, "smooth", self.smooth, must)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the sphere and of the other surface."""
        return self.sphere.body, self.other.body

    def contribute(self, configuration: Configuration) -> _Touch:
        """Create the contribution."""
        return _Touch(self, configuration)


class _Touch:
    """Contribution of a contact."""

    reports = (
        Field("depth", "m", "depth of contact", "negative apart"),
        Field("force", "N", "contact force", "force on the sphere, in ground", (3,)),
    )

    def __init__(self, contact: SphereContact, configuration: Configuration) -> None:
        self._contact = contact
        axes = np.array([np.eye(3), np.asarray(contact.axes)])
        self._port = BodyFrames(configuration, (contact.sphere, contact.other), axes)
        one, other = contact.radius, contact.other_radius
        self._radius = one * other / (one + other) if other else one

    def _near(self, poses: Poses) -> tuple[Numbers, Numbers]:
        """Direction into the other body, and depth."""
        way, own = poses.x[..., 1, :] - poses.x[..., 0, :], self._contact
        if own.other_radius:
            d = norm(way)
            return way / d[..., None], own.radius + own.other_radius - d
        n = poses.R[..., 1, :, 0]
        return n, own.radius - np.sum(way * n, axis=-1)

    def _loads(self, poses: Poses) -> Loads:
        """Loads on both bodies."""
        own, (n, depth) = self._contact, self._near(poses)
        if own.smooth is None and np.max(depth.real) <= 0.0:
            return Loads(np.zeros_like(poses.x), np.zeros_like(poses.x))
        x, v, w = poses.x, poses.v, poses.w
        # the surfaces meet where each has yielded its share of the depth
        arms = (own.radius - own.share * depth)[..., None] * n
        place = x[..., 0, :] + arms
        back = place - x[..., 1, :]
        swept = v[..., 0, :] + np.cross(w[..., 0, :], arms)
        swept = swept - v[..., 1, :] - np.cross(w[..., 1, :], back)
        into = np.sum(swept * n, axis=-1)
        slide = swept - into[..., None] * n
        size = self._normal(depth, into)
        squared = np.sum(slide * slide, axis=-1)
        slip = np.sqrt(squared + (_REST if own.smooth is None else np.asarray(own.smooth)[0]))
        r = slip / own.transition_velocity
        low, high = own.dynamic_friction, own.static_friction
        full = np.where(r.real < 1.0, r, 1.0) * (low + 2.0 * (high - low) / (1.0 + r * r))
        rub = size * (full + own.viscous_friction * slip) / slip
        force = -size[..., None] * n - rub[..., None] * slide
        both = np.stack([force, -force], axis=-2)
        turns = np.stack([np.cross(arms, force), -np.cross(back, force)], axis=-2)
        return Loads(both, turns)

    def _normal(self, depth: Numbers, into: Numbers) -> Numbers:
        """Force between the surfaces at a depth and the rate at which it grows."""
        own = self._contact
        K, c = own.stiffness ** (2.0 / 3.0) * own.share, own.dissipation
        scale = 4.0 / 3.0 * K * np.sqrt(self._radius * K)
        if own.smooth is None:
            f = scale * depth * np.sqrt(depth) * (1.0 + 1.5 * c * into)
            return np.where(f.real > 0.0, f, 0.0)
        rest, steep, fast = np.asarray(own.smooth)
        f = scale * np.sqrt(depth * depth + rest) ** 1.5 * (0.5 + 0.5 * np.tanh(steep * depth))
        if c == 0.0:
            return f
        return f * (1.0 + 1.5 * c * into) * (0.5 + 0.5 * np.tanh(fast * (into + 2.0 / (3.0 * c))))

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces and their derivatives."""
        moved = self._port.moved(at)
        if self._contact.smooth is None and self._near(moved.poses)[1] <= 0.0:
            return
        self._port.load(at, moved, sums, self._loads)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of Hertz's force [J]; none of the smooth law, which has no closed form."""
        depth = float(self._near(self._port.moved(at).poses)[1])
        if self._contact.smooth is not None or depth <= 0.0:
            return {}
        K = self._contact.stiffness ** (2.0 / 3.0) * self._contact.share
        return {"contact": float(8.0 / 15.0 * K * np.sqrt(self._radius * K) * depth**2.5)}

    def fields(self, at: At) -> dict[str, Any]:
        """Depth and force on the sphere."""
        poses = self._port.moved(at).poses
        return {"depth": float(self._near(poses)[1]), "force": self._loads(poses).force[0]}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Surfaces and numbers."""
        own, port = self._contact, self._port
        numbers = [own.radius, own.other_radius, own.stiffness, own.share, own.dissipation]
        numbers += [own.static_friction, own.dynamic_friction, own.viscous_friction]
        numbers += [own.transition_velocity, [] if own.smooth is None else own.smooth]
        return {"the sphere contacts": [own.name, port.link, port.local, port.axes, numbers]}
