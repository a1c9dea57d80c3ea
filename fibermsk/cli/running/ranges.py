"""Coordinates that leave the range that a model declares for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fibermsk.model import Model
from fibermsk.results import Result

_OUTSIDE = 1e-3
"""Least distance from a declared range that is told, over its size."""


def left_ranges(model: Model, result: Result) -> Iterator[str]:
    """Texts about free coordinates that no law keeps in their range, and that leave it."""
    for one in model.coordinates:
        values = result.coordinates.get(one.name)
        held = one.locked or one.prescribed is not None
        limited = any(hasattr(law, "lower") for law in one.laws)
        if values is None or held or limited or one.lower is None or one.upper is None:
            continue
        beyond = np.maximum(one.lower - values, values - one.upper)
        if np.max(beyond, initial=0.0) > _OUTSIDE * (one.upper - one.lower) > 0.0:
            k, unit = int(np.argmax(beyond)), one.unit
            yield (
                f"coordinate {one.name!r} leaves its declared range, {one.lower:.4g} to "
                f"{one.upper:.4g} {unit}: {values[k]:.4g} {unit} at t = {result.time[k]:.4g} s; no "
                "force of the model keeps it inside"
            )
