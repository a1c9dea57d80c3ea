"""Derivatives of a function of samples compared with its differences along one direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array

Samples = Mapping[str, Array]

_STEPS = 1e-6, 1e-8, 1e-10
"""Steps of the differences over the size of a quantity: shorter ones may stay on one side of a
kink, as where a maximum moves to another frame."""

_SHARE = 1e-3
"""Share by which both may differ."""

_BESIDE = 1e-3
"""Distance, over the size of a quantity, of samples at which a sharp bend is left."""


class Mismatch(NamedTuple):
    """Derivatives along one direction that differ."""

    expected: float
    difference: float


def mismatch(
    value: Callable[[Samples], float], slopes: Callable[[Samples], Samples], samples: Samples
) -> Mismatch | None:
    """How derivatives at samples differ from differences of the function; None if they agree.

    Along one direction of each quantity, so that a small part of the function in another is seen.
    Where differences change with their step, as near the least value of the root of x^2 + 1e-16,
    they cannot tell: it is compared beside.
    """
    ways = _direction(samples)
    here, beside = slopes(samples), None
    for name, way in ways.items():
        own = {name: way}
        found, resolved = _along(value, here, samples, own)
        if found is not None and not resolved:
            if beside is None:
                aside = {name: one + _BESIDE * ways[name] for name, one in samples.items()}
                beside = aside, slopes(aside)
            found, _ = _along(value, beside[1], beside[0], own)
        if found is not None:
            return found
    return None


def _direction(samples: Samples) -> dict[str, Array]:
    rng, ways = np.random.default_rng(0), dict[str, Array]()
    for name, one in samples.items():
        size = max(float(np.abs(one).max(initial=0.0)), 1e-3)
        ways[name] = size * rng.normal(size=one.shape)
    return ways


def _along(
    value: Callable[[Samples], float], slopes: Samples, samples: Samples, ways: Samples
) -> tuple[Mismatch | None, bool]:
    """How derivatives along a direction differ, and whether the last two differences agree."""
    parts = [(slopes[name] * way).ravel() for name, way in ways.items()]
    expected = float(sum(one.sum() for one in parts))
    size = float(sum(np.abs(one).sum() for one in parts))
    change, resolved = np.nan, False
    for step in _STEPS:
        ahead, behind = (
            value({**samples, **{name: samples[name] + h * way for name, way in ways.items()}})
            for h in (step, -step)
        )
        last, change = change, (ahead - behind) / (2.0 * step)
        noise = 1e-14 * max(abs(ahead), abs(behind)) / step
        room = _SHARE * max(size, abs(change)) + noise
        # not so where one of them is NaN or infinite
        if abs(change - expected) <= room < np.inf:
            return None, True
        resolved = not abs(change - last) > room
    return Mismatch(expected, change), resolved
