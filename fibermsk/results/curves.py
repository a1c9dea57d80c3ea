"""What follows from the arrays of a fiber: points of its centerline, length, stress, means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.centerline import combine, hermite_places
from fibermsk.results.result import FiberHistory

__all__ = ["along", "centerlines", "lengths", "mean_along", "stress"]

Array = NDArray[np.float64]

_N_GAUSS = 5
"""Points an element for its length; the integrand is smooth."""


def centerlines(fiber: FiberHistory, theta: Array, frames: slice = slice(None)) -> Array:
    """Points of the cubic Hermite centerline over frames.

    Parameters
    ----------
    fiber : FiberHistory
        The fiber.
    theta : (n,) float array
        Material coordinates in [0, 1]; at a node the point is the node, to the last bit.
    frames : slice, optional
        Which frames; all by default.

    Returns
    -------
    points : (n_frames, n, 3) float array
        New array, ground frame [m].
    """
    element, shape, _ = hermite_places(fiber.node_theta, theta)
    return combine(fiber.position[frames], fiber.tangent[frames], element, shape)


def lengths(fiber: FiberHistory) -> Array:
    """Length of the centerline over frames [m], (n_frames,)."""
    point, weight = np.polynomial.legendre.leggauss(_N_GAUSS)
    size = np.diff(fiber.node_theta)
    theta = (fiber.node_theta[:-1, None] + 0.5 * (1.0 + point) * size[:, None]).ravel()
    element, _, slope = hermite_places(fiber.node_theta, theta)
    tangent = combine(fiber.position, fiber.tangent, element, slope)
    speed: Array = np.linalg.norm(tangent, axis=-1)
    return speed @ (0.5 * size[:, None] * weight).ravel()


def stress(fiber: FiberHistory, frames: slice = slice(None)) -> Array:
    """Axial force over current area [Pa], (n_frames, n_samples), of all frames or some."""
    return fiber.axial_force[frames] / (np.pi * fiber.radius[frames] ** 2)


def along(fiber: FiberHistory, values: Array, theta: Array) -> Array:
    """Values between samples: straight lines in theta, and the outermost value beyond them.

    Parameters
    ----------
    fiber : FiberHistory
        The fiber.
    values : (n_frames, n_samples) or (n_frames, n_samples, 3) float array
        Values at ``fiber.theta``.
    theta : (n,) float array
        Where they are wanted; at a sample the value is that of the sample, to the last bit.

    Returns
    -------
    values : (n_frames, n) or (n_frames, n, 3) float array
        New array.
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
    # not the sum of both where one is asked for: 0 times infinity is no number
    inside = (part > 0.0) & (part < 1.0)
    total[inside] += part[inside] * (high[inside] - low[inside])
    return total


def mean_along(fiber: FiberHistory, values: Array) -> Array:
    """Mean over theta of values at the samples: each stands for the half ways to its neighbors.

    Parameters
    ----------
    fiber : FiberHistory
        The fiber.
    values : (n_frames, n_samples) float array
        Values at ``fiber.theta``.

    Returns
    -------
    mean : (n_frames,) float array
        New array.
    """
    between = 0.5 * (fiber.theta[1:] + fiber.theta[:-1])
    return values @ np.diff(np.concatenate([[0.0], between, [1.0]]))
