"""Contact of ellipsoids on bodies with half-spaces."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.forces.contact.sphere_contact import Meeting, Touch
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.joint import orientation
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.frames import BodyFrames, Poses, turned, turned_back


@dataclass(frozen=True, eq=False, repr=False)
class EllipsoidContact(Described):
    """Contact of an ellipsoid with a half-space: Hertz, Hunt and Crossley; friction.

    As OpenSim's HuntCrossleyForce between a ContactEllipsoid and a ContactHalfSpace.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    ellipsoid : Station
        Center of the ellipsoid, from `Body.at`.
    other : Station
        A point of the surface of the half-space; on another body.
    radii : (3,) array_like
        Semi-axes of the ellipsoid [m]; positive.
    own_axes : (3, 3) array_like
        Axes of the ellipsoid in its body, columns.
    axes : (3, 3) array_like
        Axes of the half-space in its body, columns; it fills the side of positive x.
    stiffness : float
        k, modulus of the surface [N/m^2]; positive.
    share : float
        Share of the depth that the ellipsoid yields, in [0, 1].
    dissipation : float
        c [s/m]; 0 or more.
    static_friction, dynamic_friction, viscous_friction : float
        Coefficients [-, -, s/m]; 0 or more.
    transition_velocity : float
        Speed of sliding at which friction is full [m/s]; positive.

    Raises
    ------
    ModelError
        If a field lies outside its range.

    Notes
    -----
    The law is that of `SphereContact`, with the effective radius R = sqrt(a b) of Simbody: a and b
    are the semi-axes of the section through the center that is parallel to the plane. Since R
    changes as the ellipsoid rolls, the force has no energy, unlike that of a sphere.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("egg")
    >>> egg = model.add(fm.Body("egg", 0.06, (0, 0, 0), (1e-5, 2e-5, 2e-5)))
    >>> flight = model.add(fm.Free("flight", model.ground, egg, position=(0, 0, 0.1)))
    >>> down = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the half-space fills what is below
    >>> table = fm.EllipsoidContact(
    ...     "table", egg.at((0, 0, 0)), model.ground.at((0, 0, 0)), radii=(0.03, 0.02, 0.02),
    ...     axes=down, stiffness=1e6, dissipation=0.5,
    ... )
    >>> model.add(table).share
    0.5
    """

    name: str
    ellipsoid: Station
    other: Station
    _: KW_ONLY
    radii: ArrayLike = number("m", POSITIVE, shape=(3,))
    own_axes: ArrayLike = orientation()
    axes: ArrayLike = orientation()
    stiffness: float = number("N/m^2", POSITIVE)
    share: float = number("", NON_NEGATIVE, default=0.5)
    dissipation: float = number("s/m", NON_NEGATIVE, default=0.0)
    static_friction: float = number("", NON_NEGATIVE, default=0.0)
    dynamic_friction: float = number("", NON_NEGATIVE, default=0.0)
    viscous_friction: float = number("s/m", NON_NEGATIVE, default=0.0)
    transition_velocity: float = number("m/s", POSITIVE, default=0.01)

    coordinates = signals = ()
    smooth = None

    def __post_init__(self) -> None:
        owner = f"ellipsoid contact {_check.item_name('ellipsoid contact', self.name)!r}"
        for field in ("ellipsoid", "other"):
            _check.instance(owner, field, getattr(self, field), Station, "a Station")
        if self.ellipsoid.body is self.other.body:
            _check.refuse(owner, "other", self.other.body, "be on another body than the ellipsoid")
        _check.store(self, **checked(self, owner))
        if self.share > 1.0:
            _check.refuse(owner, "share", self.share, "be at most 1")

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the ellipsoid and of the half-space."""
        return self.ellipsoid.body, self.other.body

    def contribute(self, configuration: Configuration) -> Touch:
        """Create the contribution."""
        axes = np.array([np.asarray(self.own_axes), np.asarray(self.axes)])
        return _OfEllipsoid(self, BodyFrames(configuration, (self.ellipsoid, self.other), axes))


class _OfEllipsoid(Touch):
    """Contribution of a contact."""

    reports = (
        Field("depth", "m", "depth of contact", "negative apart"),
        Field("force", "N", "contact force", "force on the ellipsoid, in ground", (3,)),
    )

    def meet(self, poses: Poses) -> Meeting:
        """Where the surfaces meet."""
        radii = np.asarray(self._contact.radii, float)
        n, own = poses.R[..., 1, :, 0], poses.R[..., 0, :, :]
        m = turned_back(own, n)
        # distance of the center from the plane that touches below it
        h = np.sqrt(np.sum(m * radii**2 * m, axis=-1))
        reach = turned(own, radii**2 * m / h[..., None])
        way = poses.x[..., 1, :] - poses.x[..., 0, :]
        return Meeting(n, h - np.sum(way * n, axis=-1), reach, np.sqrt(np.prod(radii) / h))

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Surfaces and numbers."""
        own, port = self._contact, self._port
        numbers = [own.radii, self._numbers()]
        return {"the ellipsoid contacts": [own.name, port.link, port.local, port.axes, *numbers]}
