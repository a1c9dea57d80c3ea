"""Points of a fiber's centerline, fields along it and means."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.centerline import combine, hermite_places
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.result import FiberHistory


def centerlines(fiber: FiberHistory, theta: Array) -> Array:
    """Points (n_frames, n, 3) of the cubic Hermite centerline at theta (n,) [m]; a new array.

    At a node the point is bitwise the node.
    """
    element, shape, _ = hermite_places(fiber.node_theta, theta)
    return combine(fiber.position, fiber.tangent, element, shape)


def at_samples(fiber: FiberHistory, name: str) -> Array:
    """Field of a fiber at the samples (n_frames, n_samples) or (n_frames, n_samples, 3).

    A field of the whole fiber is broadcast; the array is new or a read-only view.
    """
    values: Array = getattr(fiber, name)
    field = FIBER_FIELDS[name]
    if field.place == "fiber":
        values = values[:, None]
    if field.shape == ("n_samples", 3):
        return values
    return np.broadcast_to(values, fiber.stretch.shape)


def along(fiber: FiberHistory, values: Array, theta: Array) -> Array:
    """Interpolate samples linearly in theta, constant beyond the outermost ones; a new array.

    `values` (n_frames, n_samples) or (n_frames, n_samples, 3) are those at ``fiber.theta``. At a
    sample the value is bitwise that of the sample.
    """
    samples = fiber.theta
    if samples.size == 1:
        return np.repeat(values, len(theta), axis=1)
    place = np.clip(theta, samples[0], samples[-1])
    before = np.clip(np.searchsorted(samples, place, side="right") - 1, 0, samples.size - 2)
    part = (place - samples[before]) / (samples[before + 1] - samples[before])
    low, high = (values[:, before + k] for k in (0, 1))
    part = part if values.ndim == 2 else part[:, None]
    part = np.broadcast_to(part, np.broadcast_shapes(part.shape, low.shape))
    total = np.where(part == 1.0, high, low)
    # no weighted sum at a sample: 0 times infinity is NaN
    inside = (part > 0.0) & (part < 1.0)
    total[inside] += part[inside] * (high[inside] - low[inside])
    return total


def mean_along(fiber: FiberHistory, values: Array) -> Array:
    """Mean over theta of values (n_frames, n_samples), weighted by half intervals to neighbors."""
    between = 0.5 * (fiber.theta[1:] + fiber.theta[:-1])
    return values @ np.diff(np.concatenate([[0.0], between, [1.0]]))
