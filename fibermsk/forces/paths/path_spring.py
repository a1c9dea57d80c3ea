"""Springs along paths, which wrap around surfaces as line muscles do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import PathWrap
from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.model.muscles.path import check_path
from fibermsk.system.lines.pull import AlongPath, Tension


@dataclass(frozen=True, eq=False, repr=False)
class PathSpring(AlongPath, Described):
    """Spring along a path that pulls only, with dissipation; OpenSim's PathSpring.

    Its tension is k s (1 + c ds/dt), s the stretch beyond the rest length. While it shortens faster
    than 1 / c it pushes, as in OpenSim.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    stiffness : float
        k [N/m]; 0 or more.
    rest_length : float
        Length without tension [m]; positive.
    dissipation : float
        c [s/m]; 0 or more.

    Raises
    ------
    ModelError
        If a field lies outside its range; when the system is built, if a path cannot be found.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("swing")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> places = model.ground.at((0, 0, 0.5)), model.ground.at((0, 0.1, 0.3)), bob.at((0, 0, 0))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> band = model.add(fm.PathSpring("band", points, stiffness=200.0, rest_length=0.4))
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    stiffness: float = number("N/m", NON_NEGATIVE)
    rest_length: float = number("m", NON_NEGATIVE)
    dissipation: float = number("s/m", NON_NEGATIVE, default=0.0)

    def __post_init__(self) -> None:
        owner = f"path spring {_check.item_name('path spring', self.name)!r}"
        _check.store(self, **check_path(owner, self), **checked(self, owner))

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law."""
        return [self.stiffness, self.rest_length, self.dissipation]

    def tension(self, length: float, speed: float) -> Tension:
        """Tension at a length [m] and its rate [m/s]."""
        stretch, k, c = length - self.rest_length, self.stiffness, self.dissipation
        if stretch <= 0.0:
            return Tension(0.0, 0.0, 0.0, 0.0)
        slope = k * (1.0 + c * speed)
        return Tension(slope * stretch, slope, k * c * stretch, 0.5 * k * stretch**2)
