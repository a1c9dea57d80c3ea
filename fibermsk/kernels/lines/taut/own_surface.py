"""Kernels compiled with the levels of a user's surfaces.

Their kinds are `fibermsk.kernels.lines.taut.surfaces.OWN` and the numbers after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from fibermsk._compile import Rebuilding, uncached
from fibermsk.errors import ModelError
from fibermsk.kernels.lines.taut.surfaces import OWN, own_level
from fibermsk.laws.own import function_digest

Level = Callable[..., Any]


def rebuilt_with(levels: tuple[Level, ...]) -> Callable[[Any], Any]:
    """Function that gives a kernel compiled with levels as they are now; itself without any.

    A level is ``level(size, x, g, H)``: it returns F at x (3,), negative inside, and fills the
    gradient g (3,) and the Hessian H (3, 3).

    Raises
    ------
    ModelError
        If a level cannot be compiled.
    """
    if not levels:
        return lambda kernel: kernel
    return _rebuilding(levels, digest_of(levels)).of


def digest_of(levels: tuple[Level, ...]) -> str:
    """What identifies levels as they are now."""
    found = [function_digest(f"level {level.__name__!r}", level) for level in levels]
    return hashlib.sha256("".join(found).encode()).hexdigest()


@lru_cache(maxsize=8)
def _rebuilding(levels: tuple[Level, ...], digest: str) -> Rebuilding:
    found = own_level
    for number, level in enumerate(levels):
        found = _one_of(OWN + number, _compiled(level), found)
    return Rebuilding([(own_level, found)], f"level_{digest[:8]}", digest)


def _one_of(number: int, level: Any, others: Any) -> Any:
    @uncached
    def own_level(kind, size, x, g, H):
        if kind == number:
            return level(size, x, g, H)
        return others(kind, size, x, g, H)

    return own_level


def _compiled(level: Level) -> Any:
    compiled = uncached(level)
    try:
        compiled(np.ones(3), np.ones(3), np.empty(3), np.empty((3, 3)))
    except NumbaError as error:
        raise ModelError(
            f"level {level.__name__!r}: cannot be compiled; must use numbers, loops and math: "
            f"{error}"
        ) from error
    return compiled
