"""Measured positions of markers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.files import path_of
from fibermsk.model.skeleton.joint import check_rotation
from fibermsk.read.recordings.smoothing import (
    FILTER_ORDER,
    Treatment,
    check_filter,
    check_new_times,
    lowpass_treatment,
    natural_spline,
    runs,
    smoothed,
    spline_treatment,
)


class MarkerGap(NamedTuple):
    """Samples in which a marker is missing.

    Attributes
    ----------
    marker : str
        Its name.
    first, last : int
        Numbers of its first and last missing sample, from 0.
    duration : float
        Time from the sample before to the one after [s]; infinite at the ends of a recording.
    """

    marker: str
    first: int
    last: int
    duration: float


@dataclass(frozen=True, eq=False, repr=False)
class Markers(Described):
    """Positions of markers in time.

    Parameters
    ----------
    name : str
        Name, such as that of the file.
    time : (n,) array_like
        Instants [s]; strictly increasing.
    positions : dict of (n, 3) array_like
        Positions in the frame of the laboratory [m], by marker; NaN in all three components where a
        marker is missing.
    rate : float, optional
        Frames in a second, as the file says [Hz].
    units : str
        Unit of the file; positions are always in m.
    treatment : sequence of Treatment
        Filters and splines that were applied, in their order; stored as a tuple.

    Examples
    --------
    >>> import fibermsk as fm
    >>> markers = fm.read_motion("walk.trc")  # doctest: +SKIP
    >>> smooth = markers.filled(0.1).filtered(6.0)  # doctest: +SKIP
    """

    name: str
    time: Array
    positions: Mapping[str, Array]
    rate: float | None = None
    units: str = "m"
    treatment: tuple[Treatment, ...] = ()

    def __post_init__(self) -> None:
        owner = f"markers {_check.instance('markers', 'name', self.name, str, 'a text')!r}"
        what = "a dict of positions by the names of the markers"
        _check.instance(owner, "positions", self.positions, Mapping, what)
        time = _check.array(owner, "time", self.time, ("n",), "s", largest=math.inf)
        late = np.flatnonzero(time[1:] <= time[:-1])
        if late.size:
            k = int(late[0]) + 1
            must = f"be later than time[{k - 1}] = {time[k - 1]} s"
            _check.refuse(owner, f"time[{k}]", time[k], must, unit="s")
        positions = {
            _check.instance(owner, "marker", key, str, "a name"): _with_gaps(
                owner, f"positions[{key!r}]", one, time.size
            )
            for key, one in self.positions.items()
        }
        rate = None if self.rate is None else _check.positive(owner, "rate", self.rate, "Hz")
        _check.instance(owner, "units", self.units, str, "a unit")
        several = "a sequence of treatments"
        treatment = _check.items(
            owner, "treatment", self.treatment, Treatment, "a Treatment", several
        )
        _check.store(self, time=time, positions=positions, rate=rate, treatment=treatment)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the markers."""
        return tuple(self.positions)

    def position(self, name: str) -> Array:
        """Positions of one marker (n, 3) [m], read-only; NaN where it is missing.

        Raises
        ------
        ModelError
            If there is no such marker; the message names similar ones.
        """
        owner = f"markers {self.name!r}"
        _check.instance(owner, "marker", name, str, "the name of a marker")
        if name not in self.positions:
            raise ModelError(f"{owner}: {_check.missing('marker', name, self.names, 'it has')}")
        return self.positions[name]

    def gaps(self) -> tuple[MarkerGap, ...]:
        """Gaps of all markers, in the order of the markers and of time."""
        found, n = list[MarkerGap](), self.time.size
        for name, one in self.positions.items():
            for first, end in runs(np.isnan(one[:, 0])):
                inner = first > 0 and end < n
                long = float(self.time[end] - self.time[first - 1]) if inner else math.inf
                found.append(MarkerGap(name, first, end - 1, long))
        return tuple(found)

    def filled(self, longest: float) -> Markers:
        """Fill gaps up to a duration [s] by natural cubic splines through the samples around.

        Longer ones, and those at the ends, remain.
        """
        owner = f"markers {self.name!r}"
        longest = _check.positive(owner, "longest", longest, "s")
        positions = {name: np.array(one) for name, one in self.positions.items()}
        for gap in self.gaps():
            known = np.flatnonzero(np.isfinite(self.positions[gap.marker][:, 0]))
            if gap.duration > longest or known.size < 4:
                continue
            spline = natural_spline(owner, self.time[known], self.positions[gap.marker][known], 3)
            own = slice(gap.first, gap.last + 1)
            positions[gap.marker][own] = spline(self.time[own])
        settings = {"longest": f"{longest:g} s", "spline": "natural, of order 3"}
        return self._treated(positions, Treatment("gaps filled", settings))

    def filtered(self, cutoff: float, *, order: int = FILTER_ORDER) -> Markers:
        """Remove fast changes by a Butterworth filter, forward and backward.

        Parameters
        ----------
        cutoff : float
            Cut-off frequency [Hz], below half the rate.
        order : int
            Order of the filter, which acts twice.

        Returns
        -------
        markers : Markers
            Each run of samples without gaps is filtered by itself, continued by reflection at its
            ends by half of its duration; gaps remain.
        """
        owner = f"markers {self.name!r}"
        cutoff, order = check_filter(owner, self.time, cutoff, order, "cutoff")
        return self._mapped(
            lambda one: smoothed(self.time, one, cutoff, order), lowpass_treatment(cutoff, order)
        )

    def resampled(self, time: ArrayLike, *, order: int = 3) -> Markers:
        """Positions at other instants (m,) [s], by natural splines of order 3 or 5.

        Each run of samples without gaps has its own spline; instants within gaps stay missing.
        """
        owner = f"markers {self.name!r}"
        new, order = check_new_times(owner, self.time, time, order)

        def at(one: Array) -> Array:
            found = np.full((new.size, 3), np.nan)
            for first, end in runs(np.isfinite(one[:, 0])):
                inside = (new >= self.time[first]) & (new <= self.time[end - 1])
                if end - first > order and inside.any():
                    own = slice(first, end)
                    found[inside] = natural_spline(owner, self.time[own], one[own], order)(
                        new[inside]
                    )
            return found

        treatment = spline_treatment(order, new.size)
        return replace(self._mapped(at, treatment, new), rate=None)

    def rotated(self, rotation: ArrayLike) -> Markers:
        """Positions in other axes: rotation (3, 3) times each, such as from z up to y up."""
        R = check_rotation(f"markers {self.name!r}", "rotation", rotation)
        settings = {"matrix": np.asarray(R).tolist()}
        return self._mapped(lambda one: one @ R.T, Treatment("rotation", settings))

    def write(self, path: str | PathLike[str]) -> None:
        """Write them to a .trc file, in mm; missing ones are empty.

        Raises
        ------
        ModelError
            If the name ends otherwise, a name has a tab, or the file cannot be written.
        """
        from fibermsk.read.recordings.trc import write_trc

        owner, file = f"markers {self.name!r}", path_of(path, "Markers.write: path")
        _check.choice(owner, "ending", file.suffix.lower(), (".trc",))
        wrong = [name for name in self.names if name != name.strip() or re.search(r"\s", name)]
        if wrong or not self.names:
            _check.refuse(owner, "names", wrong, "be one or more, without blanks, for a file")
        write_trc(self, file)

    def _mapped(
        self, change: Callable[[Array], Array], treatment: Treatment, time: Array | None = None
    ) -> Markers:
        """Positions changed marker by marker."""
        positions = {name: change(one) for name, one in self.positions.items()}
        return self._treated(positions, treatment, time)

    def _treated(
        self, positions: dict[str, Array], treatment: Treatment, time: Array | None = None
    ) -> Markers:
        new = self.time if time is None else time
        done = (*self.treatment, treatment)
        return replace(self, time=new, positions=positions, treatment=done)


def _with_gaps(owner: str, field: str, value: Any, n: int) -> Array:
    """Read-only positions (n, 3), each sample finite or NaN in all components."""
    must = f"be numbers of shape ({n}, 3), or NaN where the marker is missing"
    try:
        found = np.array(value, dtype=np.float64)
    except Exception:  # rows of different lengths, texts, or objects that raise on conversion
        _check.refuse(owner, field, value, must)
    if found.shape != (n, 3) or np.asarray(value).dtype.kind not in "iufO":
        _check.refuse(owner, field, value, must)
    missing = np.isnan(found)
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if partly.any():
        k = int(np.flatnonzero(partly)[0])
        _check.refuse(owner, f"{field}[{k}]", found[k], "be NaN in all components, or in none")
    _check.array(owner, field, np.where(missing, 0.0, found), (n, 3), "m")
    found.flags.writeable = False
    return found
