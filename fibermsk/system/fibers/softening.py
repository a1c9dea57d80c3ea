"""Detection of muscle that softens as it stretches: the descending limb of its force-length curve.

Where the static stress P(stretch, activation) falls with the stretch, a uniform stretch is
unstable. Elements then leave this branch: some shorten, others lengthen until the passive stress
stops them. So a fiber softens if its muscle has stretches on a falling branch, or on both sides of
one. Bound titin holds a fiber on a falling branch as long as its stress rises with the stretch at
the present lengths of titin, and a `StretchGradient` does if it outweighs the fall in the longest
wave between the ends of the muscle; neither where the stretch has run apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelWarning
from fibermsk.laws import KelvinVoigt
from fibermsk.laws.titin import titin_damping, titin_stress
from fibermsk.model import Fiber, Model, Tissue
from fibermsk.results import Result, Softening
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.fibers.titin import FIELD as TITIN

_STRETCHES = np.linspace(0.3, 2.5, 111)
"""Stretches over the optimum at which slopes are tabulated; linear between them, to 0.3 % of the
active stress."""

_NORMAL = (_STRETCHES >= 0.5) & (_STRETCHES <= 1.5)
"""Those whose largest active stress is the scale of slopes."""

_LEVELS = np.linspace(0.0, 1.0, 11)
"""Activations at which slopes are tabulated if the stress is not linear in the activation."""

_LEAST = 0.01
"""Fall of the stress per unit of stretch, over the largest active stress, that is reported."""

_APART = 0.1
"""Difference of the stretches in a fiber that bound titin would not leave."""

_LASTING = 1.0
"""Shortest time in which bound titin slips [s]; a fiber that softens runs apart in less."""

_MUSCLE = 0.9
"""Muscle fraction, over the largest of the fiber, above which tissue counts as muscle."""

_MOST_TOLD = 2
"""Largest number of fibers named in a warning."""


class _Table(NamedTuple):
    """Static slopes of a tissue (n_levels, n_stretches) [N/m^2] at activations, and their scale."""

    stretch: Array
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
    at = _STRETCHES * getattr(tissue.active, "optimal_stretch", 1.0)
    level = np.array([0.0, 1.0]) if linear else _LEVELS
    stress = np.array(
        [[tissue.stress(float(s), 0.0, float(a), fraction)[:2] for s in at] for a in level]
    )
    active = (stress[-1, _NORMAL, 0] - stress[0, _NORMAL, 0]).max()
    return _Table(at, level, stress[..., 1], float(active or np.abs(stress[0, _NORMAL, 0]).max()))


def _intervals(
    fiber: Fiber,
    time: Array,
    theta: Array,
    fraction: Array,
    stretch: Array,
    activation: Array,
    near: Array | None = None,
    length: float = 0.0,
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
    near : (n_frames, n_elements, n_points) float array, optional
        Near lengths of titin in a run.
    length : float
        Reference length of the fiber [m]; needed with a `StretchGradient`.
    """
    largest = float(fraction.max())
    muscle = fraction >= _MUSCLE * largest
    table, stretches = _table(fiber.tissue, largest), stretch[:, muscle]
    slopes = table.at(activation)
    ends = np.stack([stretches.min(axis=1), stretches.max(axis=1)], axis=1)
    # slopes are linear between those of the table: the lowest is one of these, or at an end
    known = table.stretch
    between = (known > ends[:, :1]) & (known < ends[:, 1:])
    number = np.interp(ends, known, np.arange(known.size))
    below = np.minimum(number.astype(np.int64), known.size - 2)
    low, high = (np.take_along_axis(slopes, below + k, axis=1) for k in (0, 1))
    tried = np.c_[ends, np.broadcast_to(known, slopes.shape)]
    slopes = np.c_[low + (number - below) * (high - low), np.where(between, slopes, np.inf)]
    lowest = np.argmin(slopes, axis=1)
    slope, worst_stretch = (
        np.take_along_axis(each, lowest[:, None], axis=1)[:, 0] for each in (slopes, tried)
    )
    # a slope that is not a number counts as falling
    falling = np.flatnonzero(~(slope >= -_LEAST * table.scale))
    even = np.ptp(ends, axis=1) <= _APART
    if fiber.tissue.gradient is not None:
        law, share = fiber.tissue.gradient, np.ptp(theta[muscle])
        stiffness = law.stress * (law.length * np.pi / (share * length)) ** 2
        falling = falling[~(even & (slope + stiffness > 0.0))[falling]]
    if near is not None:
        whole = stretch.reshape(len(stretch), near.shape[1], -1).mean(axis=2)
        places = muscle.reshape(near.shape[1], -1).all(axis=1)
        held = [
            even[i]
            and _held(fiber.tissue, largest, whole[i, places], near[i, places], activation[i])
            for i in falling
        ]
        falling = falling[~np.array(held, bool)]
    for frames in np.split(falling, 1 + np.flatnonzero(np.diff(falling) > 1)):
        if frames.size:
            i = frames[np.argmin(slope[frames])]
            place = theta[muscle][np.argmin(np.abs(stretches[i] - worst_stretch[i]))]
            times = time[frames[0]], time[frames[-1]], time[i]
            yield Softening(fiber.name, *map(float, (*times, place, slope[i], *ends[i])))


def _held(tissue: Tissue, fraction: float, stretch: Array, near: Array, activation: float) -> bool:
    """Whether the stress of the elements (n,), on average, rises at their lengths of titin."""
    law, others = tissue.titin, replace(tissue, titin=None)
    assert law is not None
    table = _table(others, fraction)
    (slopes,) = table.at(np.array([activation]))
    rest = np.interp(stretch, table.stretch, slopes)
    stress, constants = fraction * law.stress, law.constants
    found = np.array(
        [
            titin_stress(float(s), float(z), stress, *constants)
            for s, z in zip(stretch, near.mean(axis=1), strict=True)
        ]
    )
    damping, _ = titin_damping(activation, law.passive_damping, law.active_damping)
    slips = found[:, 5].max() > damping / _LASTING
    return not slips and float((rest + found[:, 1]).mean()) >= -_LEAST * table.scale


def softening_of(model: Model, cables: Cables, result: Result) -> tuple[Softening, ...]:
    """Intervals in which the fibers of a result soften, fiber by fiber."""
    return tuple(
        interval
        for of, length in zip(model.fibers, cables.length.tolist(), strict=True)
        for one in [result.fibers[of.name]]
        for interval in _intervals(
            of,
            result.time,
            one.theta,
            one.muscle_fraction,
            one.stretch,
            one.activation,
            None if of.tissue.titin is None else result.states[of.name][TITIN],
            length,
        )
    )


class SofteningLog:
    """Intervals in which fibers soften, over consecutive parts of a run."""

    def __init__(self, model: Model, cables: Cables) -> None:
        self._model, self._cables = model, cables
        self._found: dict[str, list[Softening]] = {fiber.name: [] for fiber in model.fibers}
        self._last: float | None = None

    def add(self, result: Result) -> None:
        """Look at the next frames; an interval that goes on is joined."""
        for one in softening_of(self._model, self._cables, result):
            known = self._found[one.fiber]
            if known and one.start == result.time[0] and known[-1].end == self._last:
                before = known.pop()
                # the first steepest fall, as over all frames at once
                steeper = one.slope < before.slope or np.isnan(one.slope) > np.isnan(before.slope)
                worst = one if steeper else before
                one = worst._replace(start=before.start, end=one.end)
            known.append(one)
        self._last = float(result.time[-1])

    @property
    def intervals(self) -> tuple[Softening, ...]:
        """All intervals, fiber by fiber."""
        return tuple(interval for known in self._found.values() for interval in known)


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
        length = float(cables.length[f])
        given = np.array([t]), places, fraction, one, activation[f : f + 1], None, length
        found += _intervals(fiber, *given)
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
        "muscle, a stiffer passive stress (Stiffening), or titin that binds (Titin with a large "
        "near_share; at rest, as in an equilibrium, it slips within minutes)"
    )
    return ModelWarning(text, kind="softening", fiber=worst[0].fiber, time=worst[0].time)
