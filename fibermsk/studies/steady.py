"""Numbers in place of activations that are functions of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fibermsk.model import Model
from fibermsk.parameters import with_activations
from fibermsk.parameters.lookup import find

_FIELD = "activation"


def with_constants(model: Model, values: Mapping[str, Any]) -> tuple[Model, dict[str, Any]]:
    """The model with constant activations where functions of time are given a number.

    And the values by path that are left.
    """
    left, constant = dict[str, Any](), dict[str, float]()
    for path, value in values.items():
        if path.rpartition("/")[2] != _FIELD or not isinstance(value, int | float):
            left[path] = value
            continue
        places = find(model, path)
        if all(place.is_number and not place.why for place in places):
            left[path] = value
        else:
            constant |= {place.path.split("/")[-2]: float(value) for place in places}
    return (with_activations(model, constant) if constant else model), left
