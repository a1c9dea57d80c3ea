"""Contact of spheres on bodies with half-spaces and with each other, and friction.

Symbols: ``n`` unit vector from the sphere into the other body, ``x`` depth, ``v`` velocity of the
sphere relative to the other body at the contact, ``k`` stiffness, ``c`` dissipation, ``R`` radius.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.forces.contact.friction import REST, rubbing
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.joint import orientation
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.frames import BodyFrames, Loads, Numbers, Poses, norm


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

    def contribute(self, configuration: Configuration) -> Touch:
        """Create the contribution."""
        axes = np.array([np.eye(3), np.asarray(self.axes)])
        return _OfSphere(self, BodyFrames(configuration, (self.sphere, self.other), axes))


class Meeting(NamedTuple):
    """Where two surfaces meet, of any number of poses.

    Attributes
    ----------
    n : (..., 3) array
        Unit vector into the other body.
    depth : (...,) array
        Depth [m]; negative apart.
    reach : (..., 3) array
        From the center of the own surface to its deepest point, as if it did not yield [m].
    radius : (...,) array or float
        Effective radius of both surfaces [m].
    """

    n: Numbers
    depth: Numbers
    reach: Numbers
    radius: Numbers


class Touch:
    """Contribution of a contact of a sphere.

    Parameters
    ----------
    contact : SphereContact
        The contact, or another one with its law.
    port : BodyFrames
        Frames of both surfaces.
    """

    reports = (
        Field("depth", "m", "depth of contact", "negative apart"),
        Field("force", "N", "contact force", "force on the sphere, in ground", (3,)),
    )

    def __init__(self, contact: Any, port: BodyFrames) -> None:
        self._contact, self._port = contact, port

    @property
    def _smooth(self) -> ArrayLike | None:
        return self._contact.smooth

    def meet(self, poses: Poses) -> Meeting:
        """Where the surfaces meet."""
        way, own = poses.x[..., 1, :] - poses.x[..., 0, :], self._contact
        one, other = own.radius, own.other_radius
        if other:
            d = norm(way)
            n, depth = way / d[..., None], one + other - d
        else:
            n = poses.R[..., 1, :, 0]
            depth = one - np.sum(way * n, axis=-1)
        return Meeting(n, depth, one * n, one * other / (one + other) if other else one)

    def _loads(self, poses: Poses) -> Loads:
        """Loads on both bodies."""
        own, (n, depth, reach, radius) = self._contact, self.meet(poses)
        if self._smooth is None and np.max(depth.real) <= 0.0:
            return Loads(np.zeros_like(poses.x), np.zeros_like(poses.x))
        x, v, w = poses.x, poses.v, poses.w
        # the surfaces meet where each has yielded its share of the depth
        arms = reach - (own.share * depth)[..., None] * n
        place = x[..., 0, :] + arms
        back = place - x[..., 1, :]
        swept = v[..., 0, :] + np.cross(w[..., 0, :], arms)
        swept = swept - v[..., 1, :] - np.cross(w[..., 1, :], back)
        into = np.sum(swept * n, axis=-1)
        slide = swept - into[..., None] * n
        size = self._normal(depth, into, radius)
        rest = REST if self._smooth is None else float(np.asarray(self._smooth)[0])
        rub = size * rubbing(own, slide, rest)
        force = -size[..., None] * n - rub[..., None] * slide
        both = np.stack([force, -force], axis=-2)
        turns = np.stack([np.cross(arms, force), -np.cross(back, force)], axis=-2)
        return Loads(both, turns)

    def _scale(self, radius: Numbers) -> Numbers:
        """Force of Hertz over the depth to the power of 3/2."""
        K = self._contact.stiffness ** (2.0 / 3.0) * self._contact.share
        return 4.0 / 3.0 * K * np.sqrt(radius * K)

    def _normal(self, depth: Numbers, into: Numbers, radius: Numbers) -> Numbers:
        """Force between the surfaces at a depth and the rate at which it grows."""
        scale, c = self._scale(radius), self._contact.dissipation
        if self._smooth is None:
            f = scale * depth * np.sqrt(depth) * (1.0 + 1.5 * c * into)
            return np.where(f.real > 0.0, f, 0.0)
        rest, steep, fast = np.asarray(self._smooth)
        f = scale * np.sqrt(depth * depth + rest) ** 1.5 * (0.5 + 0.5 * np.tanh(steep * depth))
        if c == 0.0:
            return f
        return f * (1.0 + 1.5 * c * into) * (0.5 + 0.5 * np.tanh(fast * (into + 2.0 / (3.0 * c))))

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces and their derivatives."""
        moved = self._port.moved(at)
        if self._smooth is None and self.meet(moved.poses).depth <= 0.0:
            return
        self._port.load(at, moved, sums, self._loads)

    def fields(self, at: At) -> dict[str, Any]:
        """Depth and force on the sphere."""
        poses = self._port.moved(at).poses
        return {"depth": float(self.meet(poses).depth), "force": self._loads(poses).force[0]}

    def _numbers(self) -> list[float]:
        """Numbers of the law."""
        own = self._contact
        return [
            own.stiffness, own.share, own.dissipation, own.static_friction, own.dynamic_friction,
            own.viscous_friction, own.transition_velocity,
        ]  # fmt: skip

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Surfaces and numbers."""
        own, port = self._contact, self._port
        numbers = [own.radius, own.other_radius, *self._numbers()]
        numbers += [[] if own.smooth is None else own.smooth]
        return {"the sphere contacts": [own.name, port.link, port.local, port.axes, numbers]}


class _OfSphere(Touch):
    """Contribution with the energy of Hertz's force, which only spheres have."""

    def energy(self, at: At) -> dict[str, float]:
        """Energy of Hertz's force [J]; none of the smooth law, which has no closed form."""
        _, depth, _, radius = self.meet(self._port.moved(at).poses)
        if self._contact.smooth is not None or depth <= 0.0:
            return {}
        return {"contact": float(0.4 * self._scale(radius) * depth**2.5)}
