"""User-defined smooth surfaces for chains: a level set with its derivatives, compiled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from fibermsk._compile import Rebuilding, uncached
from fibermsk.errors import ModelError
from fibermsk.kernels.lines.solve import chain
from fibermsk.kernels.lines.surfaces import own_level

STEP = 1e-6
"""Relative step of the differences that check derivatives."""
CLOSE = 1e-5
"""Largest relative error of derivatives; differences are better than 1e-8."""


def check_level(owner: str, function: Callable[..., Any], size: Any, points: Any) -> None:
    """Refuse a level set whose gradient or Hessian is not that of its value.

    Parameters
    ----------
    owner : str
        The surface, for messages.
    function : callable
        ``function(size, x, g, H)`` returns the level F at x (3,), negative inside, and fills its
        gradient g (3,) and Hessian H (3, 3).
    size : (3,) array_like
        What it takes as size.
    points : (k, 3) array_like
        Points in the frame of the surface, on it or near.

    Raises
    ------
    ModelError
        If a derivative differs from that by differences, or a value is not finite.
    """
    size, points = np.asarray(size, float), np.asarray(points, float)
    step = STEP * float(np.abs(points).max())
    for x in points:
        g, H = np.empty(3), np.empty((3, 3))
        found = [float(function(size, x, g, H)), g, H]
        ahead = [_all(function, size, x + step * axis) for axis in np.eye(3)]
        back = [_all(function, size, x - step * axis) for axis in np.eye(3)]
        for k, name in ((1, "gradient"), (2, "Hessian")):
            slopes = [
                (a[k - 1] - b[k - 1]) / (2.0 * step) for a, b in zip(ahead, back, strict=True)
            ]
            wrong = np.abs(found[k] - np.array(slopes)).max()
            if not wrong <= CLOSE * np.abs(found[k]).max():
                raise ModelError(
                    f"{owner}: {name} of the level at {x.tolist()} differs by {wrong:.3g} from "
                    "differences; must be the derivative of the value; correct the function"
                )


def _all(function: Callable[..., Any], size: Any, x: Any) -> tuple[float, Any]:
    g, H = np.empty(3), np.empty((3, 3))
    return float(function(size, x, g, H)), g


@lru_cache(maxsize=8)
def chain_of(function: Callable[..., Any]) -> Any:
    """`fibermsk.kernels.lines.solve.chain` whose surfaces of kind `OWN` have a user's level set.

    The level set, see `check_level`, is written for Numba. Its surface must be smooth; third
    derivatives should exist for full accuracy.

    Raises
    ------
    ModelError
        If the function cannot be compiled.
    """
    compiled = uncached(function)
    try:
        compiled(np.ones(3), np.ones(3), np.empty(3), np.empty((3, 3)))
    except NumbaError as error:
        raise ModelError(
            f"surface {function.__name__!r}: level cannot be compiled; must use numbers, loops and "
            f"math: {error}"
        ) from error
    version = hashlib.sha256(
        repr((function.__code__.co_code, function.__code__.co_consts)).encode()
    )
    label = f"{function.__name__}_{version.hexdigest()[:8]}"
    return Rebuilding([(own_level, compiled)], label, version.hexdigest()).of(chain)
