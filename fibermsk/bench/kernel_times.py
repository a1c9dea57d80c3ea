"""Wall times of the compiled parts of one evaluation, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from fibermsk.bench import bundle_case as case
from fibermsk.bench.bundle_ours import bundle_model, squeezed_model
from fibermsk.bench.timing import medians_in_turn
from fibermsk.kernels import cable
from fibermsk.system import build

__all__ = ["time_parts"]

_DT = 1.0 / 128.0


def time_parts(n: int, threads: list[int], repeats: int = 9) -> dict[str, Any]:
    """Wall times of assembly and contact of a bundle, with several numbers of threads.

    Parameters
    ----------
    n : int
        Fibers; all their contacts are closed.
    threads : list of int
        Numbers of threads to compare, measured in turn.
    repeats : int
        Of each measurement.

    Returns
    -------
    times : dict
        ``elements``, ``slots`` (contact points), and ``parts``: for each part a dict from the
        number of threads, as text, to seconds.
    """
    free = build(bundle_model(n, contact=False))
    touching = build(squeezed_model(n))
    parts: dict[str, Callable[[], Any]] = {}
    for tangent in (False, True):
        which = "residual and tangent" if tangent else "residual"

        def alone(tangent: bool = tangent) -> Any:
            return _evaluate(free, tangent)

        def together(tangent: bool = tangent) -> Any:
            return _evaluate(touching, tangent)

        parts[f"assembly kernel, {which}"] = _again(cable, "assemble_cable", alone)
        parts[f"whole evaluation without contact, {which}"] = alone
        scatter = _again(touching.contact, "scatter", together)
        parts[f"contact scatter, {which}"] = scatter
        parts[f"whole evaluation with contact, {which}"] = together
    search = _again(touching.contact, "evaluate", lambda: _evaluate(touching, False))
    parts["contact search"] = search

    def with_threads(part: Callable[[], Any], count: int) -> Callable[[], Any]:
        def run() -> Any:
            numba.set_num_threads(count)
            return part()

        return run

    times = {}
    for name, part in parts.items():
        runs = {str(count): with_threads(part, count) for count in threads}
        times[name] = medians_in_turn(runs, repeats)
    slots = sum(one.state.shape[0] for one in touching.contact.fiber_sets)
    return {"elements": n * case.ELEMENTS, "slots": slots, "parts": times}


def _evaluate(system: Any, tangent: bool) -> Any:
    """Residual at a slightly sagging state, moving."""
    y, v = _state(system)
    return system.evaluate(0.0, y, v, np.zeros_like(v), 1.0 / _DT, 1.0 / _DT, tangent=tangent)


def _state(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities some steps after the start; kept with the system."""
    if not hasattr(system, "bench_state"):
        y, v = system.initial_state()
        nodes, velocity = system.split(y)[0], system.split(v)[0]
        x = nodes[:, 0] / case.LENGTH
        nodes[:, 2] -= 0.02 * 4.0 * x * (1.0 - x)
        nodes[:, 5] -= 0.02 * 4.0 * (1.0 - 2.0 * x)
        velocity[:, 2] = -0.2 * 4.0 * x * (1.0 - x)
        system.bench_state = y, v
    return system.bench_state


def _again(owner: Any, name: str, run: Callable[[], Any]) -> Callable[[], Any]:
    """The call of ``owner.name`` that `run` makes, to be repeated by itself."""
    function = getattr(owner, name)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def listening(*arguments: Any, **named: Any) -> Any:
        calls.append((arguments, named))
        return function(*arguments, **named)

    setattr(owner, name, listening)
    try:
        run()
    finally:
        setattr(owner, name, function)
    if not calls:
        raise RuntimeError(f"{name} is not called any more")
    arguments, named = calls[-1]
    return lambda: function(*arguments, **named)
