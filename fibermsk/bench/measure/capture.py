"""Arguments of a nested call, to repeat this call alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fibermsk.bench.bundles import case

_STEP = 1.0 / 128.0
"""Time step of the rates of change [s]."""


def last_call(owner: Any, name: str, run: Callable[[], Any]) -> tuple[Any, ...]:
    """Arguments of the last call of ``owner.name`` during `run`."""
    function = getattr(owner, name)
    calls: list[tuple[Any, ...]] = []

    def listening(*arguments: Any) -> Any:
        calls.append(arguments)
        return function(*arguments)

    setattr(owner, name, listening)
    try:
        run()
    finally:
        setattr(owner, name, function)
    if not calls:
        raise RuntimeError(f"{name} is not called any more")
    return calls[-1]


def evaluation(system: Any, tangent: bool) -> Callable[[], Any]:
    """Evaluation of a bundle at a sagging, moving state, with the rates of short steps."""
    y, v = moving_state(system)
    rest = np.zeros_like(v)
    return lambda: system.evaluate(0.0, y, v, rest, 1.0 / _STEP, 1.0 / _STEP, tangent=tangent)


def moving_state(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities of a bundle some steps after its start."""
    y, v = system.initial_state()
    nodes, velocity = system.split(y)[0], system.split(v)[0]
    x = nodes[:, 0] / case.LENGTH
    nodes[:, 2] -= 0.08 * x * (1.0 - x)
    nodes[:, 5] -= 0.08 * (1.0 - 2.0 * x)
    velocity[:, 2] = -0.8 * x * (1.0 - x)
    return y, v
