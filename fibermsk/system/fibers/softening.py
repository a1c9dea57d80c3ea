"""Detection of muscle that softens as it stretches: the descending limb of its force-length curve.

Where the static stress P(stretch, activation) falls with the stretch, a uniform stretch is
unstable. Elements then leave this branch: some shorten, others lengthen until the passive stress
stops them. So a fiber softens if its muscle has stretches on a falling branch, or on both sides of
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelWarning
from fibermsk.laws import KelvinVoigt
from fibermsk.model import Fiber, Model, Tissue
from fibermsk.results import Result, Softening
from fibermsk.system.fibers.cables import Cables

_STRETCHES = np.linspace(0.3, 2.5, 111)
"""Stretches at which slopes are tabulated; linear between them, to 0.3 % of the active stress."""

_NORMAL = (_STRETCHES >= 0.5) & (_STRETCHES <= 1.5)
"""Stretches whose largest active stress is the scale of slopes."""

_LEVELS = np.linspace(0.0, 1.0, 11)
"""Activations at which slopes are tabulated if the stress is not linear in the activation."""

_LEAST = 0.01
"""Fall of the stress per unit of stretch, over the largest active stress, that is reported."""

_MUSCLE = 0.9
"""Muscle fraction, over the largest of the fiber, above which tissue counts as muscle."""

_MOST_TOLD = 5
"""Largest number of fibers named in a warning."""


class _Table(NamedTuple):
    """Static slopes of a tissue (n_levels, n_stretches) [N/m^2] at activations, and their scale."""

    level: Array
    slope: Array
    scale: float

    def at(self, activation: Array) -> Array:
        """Slopes (n, n_stretches) at activations (n,), linear between the levels."""
        k = np.minimum(np.searchsorted(self.level, activation, "right"), self.level.size - 1)
        low, high = self.level[k - 1], self.level[k]
        part = ((activation - low) / (high - low))[:, None]
        return (1.0 - part) * self.slope[k - 1] + part * self.slope[k]


@lru_cache(maxsize=256)
def _table(tissue: Tissue, fraction: float) -> _Table:
    """Slopes of a tissue with a muscle fraction."""
    linear = isinstance(tissue.muscle, KelvinVoigt)
    level = np.array([0.0, 1.0]) if linear else _LEVELS
    stress = np.array(
        [[tissue.stress(float(s), 0.0, float(a), fraction)[:2] for s in _STRETCHES] for a in level]
    )
    active = (stress[-1, _NORMAL, 0] - stress[0, _NORMAL, 0]).max()
    return _Table(level, stress[..., 1], float(active or np.abs(stress[0, _NORMAL, 0]).max()))


def _intervals(
    fiber: Fiber, time: Array, theta: Array, fraction: Array, stretch: Array, activation: Array
) -> Iterator[Softening]:
    """Find the intervals in which a fiber softens.

    Parameters
    ----------
    fiber : Fiber
        The fiber.
    time : (n_frames,) float array
        [s].
    theta, fraction : (n_samples,) float array
        Material coordinates of samples, and the muscle fractions there.
    stretch : (n_frames, n_samples) float array
        Stretches [-].
    activation : (n_frames,) float array
        In [0, 1].
    """
    largest = float(fraction.max())
    muscle = fraction >= _MUSCLE * largest
    table, stretches = _table(fiber.tissue, largest), stretch[:, muscle]
    slopes = table.at(activation)
    ends = np.stack([stretches.min(axis=1), stretches.max(axis=1)], axis=1)
    # slopes are linear between those of the table: the lowest is one of these, or at an end
    between = (_STRETCHES > ends[:, :1]) & (_STRETCHES < ends[:, 1:])
    number = np.interp(ends, _STRETCHES, np.arange(_STRETCHES.size))
    below = np.minimum(number.astype(np.int64), _STRETCHES.size - 2)
    low, high = (np.take_along_axis(slopes, below + k, axis=1) for k in (0, 1))
    tried = np.c_[ends, np.broadcast_to(_STRETCHES, slopes.shape)]
    slopes = np.c_[low + (number - below) * (high - low), np.where(between, slopes, np.inf)]
    lowest = np.argmin(slopes, axis=1)
    slope, worst_stretch = (
        np.take_along_axis(each, lowest[:, None], axis=1)[:, 0] for each in (slopes, tried)
    )
    falling = np.flatnonzero(slope < -_LEAST * table.scale)
    for frames in np.split(falling, 1 + np.flatnonzero(np.diff(falling) > 1)):
        if frames.size:
            i = frames[np.argmin(slope[frames])]
            place = theta[muscle][np.argmin(np.abs(stretches[i] - worst_stretch[i]))]
            times = time[frames[0]], time[frames[-1]], time[i]
            yield Softening(fiber.name, *map(float, (*times, place, slope[i], *ends[i])))


def softening_of(model: Model, result: Result) -> tuple[Softening, ...]:
    """Intervals in which the fibers of a result soften, fiber by fiber."""
    return tuple(
        interval
        for of in model.fibers
        for one in [result.fibers[of.name]]
        for interval in _intervals(
            of, result.time, one.theta, one.muscle_fraction, one.stretch, one.activation
        )
    )


def remark_at(
    model: Model, cables: Cables, t: float, stretch: Array, activation: Array
) -> ModelWarning | None:
    """Warning of one state, with stretches at the Gauss points (n_elements, n_points)."""
    theta, found = cables.theta[cables.elements[:, :1]] + cables.h[:, None] * cables.xi, []
    for f, fiber in enumerate(model.fibers):
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        places = theta[own].ravel()
        fraction = np.asarray(fiber.muscle_fraction_at(places))
        one = stretch[own].reshape(1, -1)
        found += _intervals(fiber, np.array([t]), places, fraction, one, activation[f : f + 1])
    return softening_remark(tuple(found))


def softening_remark(found: tuple[Softening, ...]) -> ModelWarning | None:
    """Warning that names the fibers, the steepest fall first; None if there are none."""
    if not found:
        return None
    worst = sorted(found, key=lambda interval: interval.slope)[:_MOST_TOLD]
    more = f" and {len(found) - len(worst)} more times" if len(found) > len(worst) else ""
    text = (
        f"fibers that soften as they stretch: {'; '.join(map(str, worst))}{more}. On the "
        "descending limb of the force-length curve a uniform stretch is unstable: the stretch "
        "runs apart, and the result depends on the mesh. Remedies: less activation, shorter "
        "muscle, or a stiffer passive stress (Stiffening)"
    )
    return ModelWarning(text, kind="softening", fiber=worst[0].fiber, time=worst[0].time)
