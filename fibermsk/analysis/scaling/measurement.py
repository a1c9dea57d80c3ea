"""Distances between markers, in a model and measured, that give factors of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.read.recordings.markers import Markers
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton

_AXES = "xyz"


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(Described):
    """Pairs of markers whose distance tells the size of bodies.

    Parameters
    ----------
    name : str
        Name, such as "thigh".
    pairs : sequence of pairs of str
        Names of markers of the model; one pair or more. The factor is the mean over the pairs of
        measured over modeled distance.
    axes : mapping of str to str
        By body, the axes that get the factor: ``{"femur_r": "xyz", "pelvis": "y"}``.
    distances : (n,) array_like, optional
        Distances of the pairs measured otherwise, as by tape [m]; else those of a static trial.
    """

    name: str
    pairs: Sequence[tuple[str, str]]
    axes: Mapping[str, str]
    distances: ArrayLike | None = None

    def __post_init__(self) -> None:
        owner = f"measurement {_check.name('measurement', self.name)!r}"
        what = "pairs of names"
        given = _check.instance(owner, "pairs", self.pairs, (tuple, list), what)
        pairs = list[tuple[str, str]]()
        for k, pair in enumerate(given):
            names = isinstance(pair, tuple | list) and len(pair) == 2
            if not names or not all(isinstance(one, str) for one in pair) or pair[0] == pair[1]:
                _check.refuse(owner, f"pairs[{k}]", pair, "be two names of different markers")
            pairs.append((pair[0], pair[1]))
        if not pairs:
            _check.refuse(owner, "pairs", given, "be one pair or more")
        axes = dict(_check.instance(owner, "axes", self.axes, Mapping, "a dict of axes by body"))
        for body, some in axes.items():
            _check.instance(owner, "axes", body, str, "the name of a body")
            good = isinstance(some, str) and some and len(set(some)) == len(some)
            if not good or not set(some) <= set(_AXES):
                must = "be some of x, y and z, each once, such as 'xyz'"
                _check.refuse(owner, f"axes[{body!r}]", some, must)
        if not axes:
            _check.refuse(owner, "axes", axes, "name one body or more")
        distances = self.distances
        if distances is not None:
            distances = _check.array(owner, "distances", distances, (len(pairs),), "m")
            for k, one in enumerate(distances.tolist()):
                _check.positive(owner, f"distances[{k}]", one, "m")
        _check.store(self, pairs=tuple(pairs), axes=axes, distances=distances)


class PairResidual(NamedTuple):
    """One pair of markers of a measurement.

    Attributes
    ----------
    measurement : str
        Its name.
    pair : (str, str)
        The markers.
    modeled, measured, scaled : float
        Distance in the model before scaling, measured, and in the model after scaling [m].
    deviation : float
        Standard deviation of the measured distance over the frames [m]; 0 if it was given.
    """

    measurement: str
    pair: tuple[str, str]
    modeled: float
    measured: float
    scaled: float
    deviation: float


def distances_of(model: Model, pairs: Sequence[tuple[str, str]]) -> Array:
    """Distances of pairs of markers in the start pose of a model (n,) [m]."""
    skeleton = Skeleton(free_model(model))
    poses = skeleton.poses(skeleton.start)

    def at(name: str) -> Array:
        one = model.marker(name)
        R, x = poses[one.body.name]
        return x + R @ np.asarray(one.station.position)

    return np.array([float(np.linalg.norm(at(a) - at(b))) for a, b in pairs])


def measured_distances(
    markers: Markers, frames: Index, pairs: Sequence[tuple[str, str]], owner: str
) -> tuple[Array, Array]:
    """Means and standard deviations (n,) [m] of the frames in which both markers are seen."""
    mean, deviation = np.empty((2, len(pairs)))
    for k, (a, b) in enumerate(pairs):
        off = markers.position(a)[frames] - markers.position(b)[frames]
        found = np.linalg.norm(off, axis=1)
        found = found[np.isfinite(found)]
        if found.size == 0:
            raise ModelError(
                f"{owner}: markers {a!r} and {b!r} are in no frame of {markers.name!r} together; "
                "must be seen in one or more: give other frames, or distances="
            )
        mean[k], deviation[k] = found.mean(), found.std()
    return mean, deviation


def add_factor(
    owner: str, model: Model, one: Measurement, factor: float, factors: dict[str, Any],
    by: dict[tuple[str, str], str],
) -> None:  # fmt: skip
    """Set the factors of the axes of a measurement; each is set once."""
    for body, axes in one.axes.items():
        name = model.body(body).name
        own = factors.setdefault(name, np.ones(3))
        for axis in axes:
            other = by.setdefault((name, axis), one.name)
            if other != one.name:
                must = f"be of one measurement, not of {other!r} and {one.name!r}"
                _check.refuse(owner, "axis", f"{axis} of {name}", must)
            own[_AXES.index(axis)] = factor
