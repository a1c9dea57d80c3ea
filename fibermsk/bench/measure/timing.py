"""Wall times: medians of repeats, without compilation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

from fibermsk.errors import ModelWarning
from fibermsk.results import Result
from fibermsk.solvers import FixedSteps, simulate
from fibermsk.system import FiberSystem

_SHORTEST = 2e-3
"""Least duration of a repeat, of one or more calls [s]."""


def timed(function: Callable[..., Any], *arguments: Any, **more: Any) -> tuple[Any, float]:
    """Result of a call, and its wall time [s]."""
    began = time.perf_counter()
    result = function(*arguments, **more)
    return result, time.perf_counter() - began


def median_seconds(function: Callable[[], Any], repeats: int = 7) -> float:
    """Median wall time of one call [s], after a warm-up call."""
    return medians_in_turn({"": function}, repeats)[""]


def medians_in_turn(functions: dict[str, Callable[[], Any]], repeats: int = 7) -> dict[str, float]:
    """Median wall times of one call of each function [s], measured in turn.

    Short functions are called many times per repeat.
    """
    calls = {}
    for name, function in functions.items():
        function()  # compiles, allocates, fills caches
        _, once = timed(function)
        calls[name] = max(1, int(_SHORTEST / max(once, 1e-7)))
    found: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            began = time.perf_counter()
            for _ in range(calls[name]):
                function()
            found[name].append((time.perf_counter() - began) / calls[name])
    return {name: median(values) for name, values in found.items()}


def simulate_timed(
    system: FiberSystem, duration: float, steps: int, **settings: Any
) -> tuple[Result, float]:
    """Result of equal time steps, and wall time of `fibermsk.simulate` [s]."""
    with warnings.catch_warnings():
        # fibers without weight on them are slack for a moment at the start
        warnings.simplefilter("ignore", ModelWarning)
        given: dict[str, Any] = {"dt": duration / steps, "control": FixedSteps()} | settings
        return timed(simulate, system, t_end=duration, time_error=False, **given)
