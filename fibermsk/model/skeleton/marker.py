"""Markers: named points of bodies whose positions are measured."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk import _check
from fibermsk._numbers import part
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.model.items import Items
from fibermsk.model.names import Names
from fibermsk.model.skeleton.body import Body, Station


@dataclass(frozen=True, eq=False, repr=False)
class Marker(Described):
    """A named point of a body, whose measured positions give the pose of a model.

    It has no effect on a run.

    Parameters
    ----------
    name : str
        Name, unique among the markers of a model.
    station : Station
        The point, such as ``body.at(0.1, 0.0, 0.0)``.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.make_scene("upper_limb").model
    >>> marker = model.add(fm.Marker("wrist", model.body("forearm").at(0.0, -0.25, 0.0)))
    >>> model.marker("wrist").body.name
    'forearm'
    """

    name: str
    station: Station = part(path="")

    def __post_init__(self) -> None:
        owner = f"marker {_check.name('marker', self.name)!r}"
        _check.instance(owner, "station", self.station, Station, "a Station, such as body.at(...)")

    @property
    def body(self) -> Body:
        """The body that carries it."""
        return self.station.body


class Marked:
    """Markers of a `Model`."""

    _markers: list[Marker]
    _names: Names

    @property
    def markers(self) -> Items[Marker]:
        """Markers in the order they were added."""
        return Items(self._markers, "marker")

    def _add_marker(self, owner: str, marker: Marker) -> None:
        """Add a marker with a new name on a body of this model, `owner` in messages."""
        label = f"marker {marker.name!r}"
        if any(marker.name == other.name for other in self._markers):
            if any(marker is other for other in self._markers):
                raise ModelError(f"{owner}: {label} is already in the model; must be added once")
            remedy = "rename one of them"
            _check.refuse(label, "name", marker.name, "be unique among markers", remedy=remedy)
        self._names.check_known(label, owner, marker.body)
        self._markers.append(marker)
