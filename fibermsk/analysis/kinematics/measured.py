"""Measured items that a model has, by name, ready to be followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk._warn import warn
from fibermsk.analysis.kinematics.tracked import TrackedMarkers, TrackedSensors
from fibermsk.analysis.kinematics.weights import Weights, weights_of
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.model import Model
from fibermsk.model.skeleton.joint import check_rotation
from fibermsk.read.recordings.markers import Markers
from fibermsk.read.recordings.orientations import Orientations
from fibermsk.system.skeleton.skeleton import Skeleton

_MOST = 12
"""Most names that a message lists."""

Placement = Mapping[str, tuple[str, Any]]


def tracked_markers(
    model: Model, skeleton: Skeleton, markers: Markers, frames: Index, weights: Weights
) -> tuple[TrackedMarkers, Array]:
    """Markers of the model that were measured in some frames, and their weights."""
    known = [one.name for one in model.markers]
    names = _common(f"markers {markers.name!r}", "marker", markers.names, known)
    weight = _some_weight(weights_of(weights, names, known), names)
    stations = [(one.body.name, np.asarray(one.station.position)) for one in
                (model.marker(name) for name in names)]  # fmt: skip
    measured = np.stack([markers.positions[name][frames] for name in names], axis=1)
    kept = weight > 0.0
    measured[:, ~kept] = np.nan
    return TrackedMarkers(skeleton, names, stations, weight, measured), weight


def tracked_sensors(
    model: Model,
    skeleton: Skeleton,
    sensors: Orientations,
    frames: Index,
    weights: Weights,
    placement: Placement | None,
) -> tuple[TrackedSensors, Array]:
    """Sensors that are placed on bodies of the model, and their weights."""
    places = placed_sensors(model, sensors.names, placement)
    names = _common(f"orientations {sensors.name!r}", "sensor", sensors.names, list(places))
    weight = _some_weight(weights_of(weights, names, list(places)), names)
    measured = np.stack([sensors.rotation(name)[frames] for name in names], axis=1)
    measured[:, weight == 0.0] = np.nan
    return TrackedSensors(
        skeleton, names, [places[name] for name in names], weight, measured
    ), weight


def placed_sensors(
    model: Model, names: Sequence[str], placement: Placement | None
) -> dict[str, tuple[str, Array]]:
    """Body and rotation in it by sensor; by the names of bodies if there is no placement."""
    owner = "inverse_kinematics"
    if placement is None:
        bodies = {one.name for one in model.bodies}
        found = {name: name.removesuffix("_imu") for name in names}
        return {name: (body, np.eye(3)) for name, body in found.items() if body in bodies}
    _check.instance(owner, "sensors", placement, Mapping, "a dict of (body, rotation) by sensor")
    places = dict[str, tuple[str, Array]]()
    for name, place in placement.items():
        _check.instance(owner, "sensors", name, str, "a name")
        label = f"{owner}: sensor {name!r}"
        if not isinstance(place, tuple | list) or len(place) != 2:
            _check.refuse(label, "place", place, "be a pair: name of a body, rotation (3, 3)")
        body = model.body(place[0])
        places[name] = body.name, check_rotation(label, "rotation", place[1])
    return places


def _common(
    owner: str, kind: str, measured: Sequence[str], known: Sequence[str]
) -> tuple[str, ...]:
    """Names of items that are measured and known; warns of others."""
    names = tuple(name for name in known if name in measured)
    if not names:
        have = _check.first_names(list(known), _MOST) or "none"
        raise ModelError(
            f"{owner}: no {kind} of the model is measured; measured: "
            f"{_check.first_names(list(measured), _MOST) or 'none'}; the model has: {have}"
        )
    unknown = [
        name + _check.suggestion(name, [one for one in known if one not in names])
        for name in measured if name not in names
    ]  # fmt: skip
    missing = [name for name in known if name not in names]
    for what, some in (("not of the model", unknown), ("not measured", missing)):
        if some:
            text = f"{owner}: {what}: {_check.first_names(some, _MOST)}"
            warn(text, ModelWarning)
    return names


def _some_weight(weight: Array, names: Sequence[str]) -> Array:
    if not weight.any():
        must = "be positive for one item or more"
        _check.refuse("inverse_kinematics", "weights", dict.fromkeys(names, 0.0), must)
    return weight
