"""Profiles along a fiber: a constant, samples over theta in [0, 1], or a function of theta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.errors import ModelError

Profile = ArrayLike | Callable[[np.ndarray], np.ndarray]

ROUNDOFF = 1e-12
"""Tolerance of a computed fraction in [0, 1]; it is clipped."""


def call(owner: str, field: str, function: Any, *arguments: Any) -> Any:
    """Value of a user's function; any exception becomes a `ModelError`."""
    try:
        return function(*arguments)
    except Exception as error:
        raise ModelError(
            f"{owner}: {field} is a function that raised {type(error).__name__}: {error}; "
            f"it must accept {' and '.join(map(_kind, arguments))}"
        ) from error


def fraction_at(owner: str, field: str, function: Any, t: float) -> float:
    """Value in [0, 1] of a user's function of time [s]."""
    value = call(owner, field, function, t)
    at_time = f"{field} at t = {t:g} s"
    found = _check.number(owner, at_time, value, must="lie in [0, 1]")
    if not -ROUNDOFF <= found <= 1.0 + ROUNDOFF:
        _check.refuse(owner, at_time, found, "lie in [0, 1]", remedy=_check.PERCENT)
    return min(max(found, 0.0), 1.0)


def call_array(
    owner: str, field: str, function: Any, shape: tuple[int, ...], *arguments: Any
) -> np.ndarray:
    """Finite array of the given shape from a user's function of theta."""
    values = call(owner, field, function, *arguments)
    return _check.array(owner, f"{field}(theta)", values, shape)


def sample_profile(profile: Profile, theta: np.ndarray, owner: str, field: str) -> np.ndarray:
    """Values (n,) of a profile at points theta (n,) in [0, 1] of a fiber: new array.

    It is a constant; samples at m uniformly spaced theta, linear between; or a function theta (n,)
    -> (n,), which must return finite numbers. Messages name the object and its field.
    """
    theta = np.asarray(theta, dtype=np.float64)
    if callable(profile):
        return np.array(call_array(owner, field, profile, theta.shape, theta.copy()))
    samples = np.atleast_1d(np.asarray(profile, dtype=np.float64))
    return np.interp(theta, np.linspace(0.0, 1.0, samples.size), samples)


def check_positive(
    owner: str, field: str, values: np.ndarray, theta: np.ndarray, unit: str = ""
) -> np.ndarray:
    """Return `values` (n,), all positive at their `theta` (n,)."""
    if (values <= 0.0).any():
        k = int(np.argmax(values <= 0.0))
        _check.refuse(owner, f"{field} at theta {theta[k]:g}", values[k], "be positive", unit=unit)
    return values


def check_fractions(owner: str, field: str, values: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return `values` (n,), which lie in [0, 1] up to round-off, clipped to [0, 1]."""
    outside = (values < -ROUNDOFF) | (values > 1.0 + ROUNDOFF)
    if outside.any():
        k = int(np.argmax(outside))
        _check.refuse(owner, f"{field} at theta {theta[k]:g}", values[k], "lie in [0, 1]")
    return np.clip(values, 0.0, 1.0)


def _kind(argument: Any) -> str:
    return "theta of shape (n,)" if isinstance(argument, np.ndarray) else "a time t [s]"
