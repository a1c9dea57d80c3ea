"""Scalar fields along the fibers, for plots and pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.results.curves import at_samples
from fibermsk.results.fields import COLORINGS, FIBER_FIELDS, Field
from fibermsk.results.result import FiberHistory, Result

TISSUE = "tissue"
"""Colors of anatomy: muscle is red, darker with its activation, and tendon is ivory."""
FIELDS = (TISSUE, *COLORINGS)
"""What may color the fibers: the tissue, or a field along them."""

OF_MUSCLE = (TISSUE, "activation")
"""Those that tendon has not: it is ivory."""

_ACTIVATIONS = (0.1, 0.2, 0.5, 1.0)
"""Ends of the scale of activations."""

SHORT_NAMES = {"contact": "contact_force_density"}
"""Short names of fields."""


def check_frames(result: Result) -> None:
    """Refuse a result without frames, or with a fiber without finite positions."""
    if result.time.size == 0:
        raise ModelError(f"the result of {result.scene!r} has no frame; there is nothing to show")
    for name, fiber in result.drawn.items():
        if not np.any(np.isfinite(fiber.position)) or not np.any(np.isfinite(fiber.radius)):
            raise ModelError(
                f"the result of {result.scene!r} has no finite number for fiber {name!r}; there is "
                "nothing to show; run the scene again"
            )


def flawed_fibers(result: Result) -> NDArray[np.int64]:
    """Number of fibers with positions or radii that are not finite, at each frame."""
    flawed = np.zeros(result.time.size, dtype=np.int64)
    for fiber in result.drawn.values():
        placed = np.isfinite(fiber.position).all(axis=(1, 2))
        flawed += ~(placed & np.isfinite(fiber.radius).all(axis=1))
    return flawed


def nearest_frame(result: Result, time: float | None) -> int:
    """Index of the frame nearest to a time [s] within the run; the last one for None."""
    check_frames(result)
    if time is None:
        return result.time.size - 1
    return nearest_index(result.time, time)


def nearest_index(times: Array, time: float) -> int:
    """Index of the increasing times nearest to a time [s] within them."""
    time = _check.number("view", "time", time, "s")
    first, last = float(times[0]), float(times[-1])
    slack = 1e-9 * max(1.0, abs(first), abs(last))
    if not first - slack <= time <= last + slack:
        raise ModelError(f"time = {time} s; the run goes from {first:g} s to {last:g} s")
    return int(np.argmin(np.abs(times - time)))


def check_field(name: str) -> str:
    """Full name of a field; refused if unknown."""
    full = SHORT_NAMES.get(name, name)
    if full not in FIELDS:
        known = ", ".join(FIELDS)
        close = _check.suggestion(name, [*FIELDS, *SHORT_NAMES])
        raise ModelError(f"no field {name!r} along the fibers; there are: {known}{close}")
    return full


def field_of(name: str) -> Field:
    """Label and unit of one of `FIELDS`; the tissue shows the activation."""
    return FIBER_FIELDS["activation" if name == TISSUE else name]


def field_words(name: str) -> str:
    """Short text for a button or a list."""
    return "muscle and tendon" if name == TISSUE else FIBER_FIELDS[name].label


def fiber_field(fiber: FiberHistory, name: str) -> Array:
    """Values of one of `FIELDS`, or of a short name, over frames and samples.

    As tissue, a line muscle without a law of its activation is at rest.
    """
    if name == TISSUE:
        return np.nan_to_num(at_samples(fiber, "activation"), nan=0.0)
    return at_samples(fiber, check_field(name))


def field_range(result: Result, name: str) -> tuple[float, float]:
    """Minimum and maximum of a field over all fibers and frames, distinct.

    Of the tissue 0, and the first of `_ACTIVATIONS` that is not below the activation.
    """
    if name == TISSUE:
        most = [float(np.max(fiber_field(f, name), initial=0.0)) for f in result.drawn.values()]
        greatest = max(most, default=0.0)
        # of a passive run the whole scale, so that it looks at rest
        ends = [end for end in _ACTIVATIONS if greatest <= end * (1.0 + 1e-9)]
        return 0.0, ends[0] if greatest > 0.0 and ends else 1.0
    values = [fiber_field(fiber, name) for fiber in result.drawn.values()]
    values = [v[np.isfinite(v)] for v in values]
    values = [v for v in values if v.size]
    if not values:
        return 0.0, 1.0
    low = min(float(v.min()) for v in values)
    high = max(float(v.max()) for v in values)
    spread = 1e-6 * max(abs(low), abs(high))
    if high - low <= spread:
        margin = max(0.05 * max(abs(low), abs(high)), 1e-12)
        low, high = low - margin, high + margin
    return low, high
