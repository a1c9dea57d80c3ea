"""Mass of a line muscle, which moves with its path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, bounded, checked, fixed, number
from fibermsk._shown import Described

WRAPPINGS = ("blend", "switch", "network")

_BLEND = 0.15


@dataclass(frozen=True, eq=False, repr=False)
class MuscleMass(Described):
    """Mass along the path of a line muscle.

    All material keeps its fraction of the length of the path (equal strain), as wang2022 has it.

    Parameters
    ----------
    mass : float
        Total mass [kg]; zero or positive.
    along : (2,) array_like
        Fractions of the length between which the mass lies; default the whole path.
    profile : (k,) array_like, optional
        Relative density at k >= 2 even places between these, linear between them; zero or positive,
        one or more of them positive. Default: uniform.
    points : int or (k,) array_like, optional
        Instead of a continuous mass, equal mass points: their number N, at (k - 1/2) / N of the
        part `along`, or their fractions of the whole length, increasing. The energy jumps when a
        point passes a via point.
    wrapping : {"blend", "switch", "network"}
        Path where it touches or leaves a surface. "blend": up to a wrap angle a mean of the
        wrapped and the straight one. "switch": exact, and the inertia jumps. "network": a smooth
        path by a neural network, around a cylinder or a capped one; from an origin around one
        surface to an insertion only, and in the range of its training.
    blend : float
        The wrap angle [rad] of "blend"; around surfaces that are neither cylinders nor spheres
        the length of the arc times its normal curvature. Zero switches.

    Raises
    ------
    ModelError
        If a value lies outside its range, or two are given that exclude each other.

    Notes
    -----
    The tension acts along the same path: moment arms are derivatives of its length.

    With free lengths a and b and the angle phi, the mean differs from the taut path by at most
    0.063 blend^2 a b / (a + b) in length and 0.28 blend a b / (a + b) in depth.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.MuscleMass(0.4, along=(0.1, 0.7), profile=(0.0, 1.0, 0.0)).fractions
    array([0.1, 0.4, 0.7])
    """

    mass: float = number("kg", NON_NEGATIVE)
    _: KW_ONLY
    along: ArrayLike = number("", bounded(least=0.0, most=1.0), shape=(2,), default=(0.0, 1.0))
    profile: ArrayLike | None = number("", NON_NEGATIVE, shape=("k",), default=None)
    points: int | Sequence[float] | Array | None = fixed("the places of mass points", default=None)
    wrapping: str = fixed("the kind of path", default="blend")
    blend: float = number("rad", bounded(least=0.0, most=1.0), default=_BLEND)

    def __post_init__(self) -> None:
        owner = "MuscleMass"
        _check.choice(owner, "wrapping", self.wrapping, WRAPPINGS)
        _check.store(self, **checked(self, owner))
        if self.wrapping != "blend" and self.blend not in (0.0, _BLEND):
            must, remedy = f"be left out with wrapping {self.wrapping!r}", "or take 'blend'"
            _check.refuse(owner, "blend", self.blend, must, unit="rad", remedy=remedy)
        if self.wrapping == "switch":
            _check.store(self, blend=0.0)
        first, last = np.asarray(self.along)
        if not first < last:
            _check.refuse(owner, "along", self.along, "have its end above its start")
        if self.profile is not None:
            profile = np.asarray(self.profile)
            if profile.size < 2 or not profile.any():
                must = "be two numbers or more, one of them positive"
                _check.refuse(owner, "profile", self.profile, must)
            if self.points is not None:
                remedy = "leave one of them out"
                _check.refuse(owner, "profile", profile, "be left out with points", remedy=remedy)
        if isinstance(self.points, Sequence | np.ndarray):
            places = _check.array(owner, "points", self.points, ("k",))
            if (
                not places.size
                or places[0] < 0.0
                or places[-1] > 1.0
                or not (np.diff(places) > 0.0).all()
            ):
                must = "be fractions of the length in [0, 1], increasing"
                _check.refuse(owner, "points", self.points, must)
            if (first, last) != (0.0, 1.0):
                must = "be left out with fractions of mass points"
                _check.refuse(owner, "along", self.along, must, remedy="give their number")
            _check.store(self, points=tuple(places.tolist()))
        elif self.points is not None:
            _check.store(self, points=_check.count(owner, "points", self.points, 100_000))

    @property
    def fractions(self) -> Array:
        """Fractions of the length of the mass points, or of the places of the density (k,)."""
        first, last = np.asarray(self.along)
        if isinstance(self.points, int):
            return first + (last - first) * (np.arange(self.points) + 0.5) / self.points
        if self.points is not None:
            return np.array(self.points)
        return np.linspace(first, last, 2 if self.profile is None else np.size(self.profile))

    @property
    def weights(self) -> Array:
        """Masses of the points, or densities at the places [kg] (k,)."""
        places = self.fractions
        if self.points is not None:
            return np.full(places.size, self.mass / places.size)
        shape = np.ones(places.size) if self.profile is None else np.array(self.profile, float)
        return self.mass * shape / np.trapezoid(shape, places)
