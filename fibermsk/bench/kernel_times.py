"""Wall times of the compiled parts of one evaluation, in a separate process."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numba

from fibermsk.bench.bundles import case
from fibermsk.bench.bundles.ours import bundle_model, squeezed_model
from fibermsk.bench.measure.capture import evaluation, last_call, moving_state
from fibermsk.bench.measure.timing import medians_in_turn
from fibermsk.system import build


def time_parts(n: int, threads: list[int], repeats: int) -> dict[str, Any]:
    """Wall times of assembly and contact of a squeezed bundle of n fibers, for numbers of threads.

    Returns ``elements``, ``slots`` (contact points), and ``parts``: for each part a dict from the
    number of threads, as text, to seconds.
    """
    free = build(bundle_model(n, contact=False))
    touching = build(squeezed_model(n))
    parts: dict[str, Callable[[], Any]] = {}
    for tangent, kernel in ((False, "cable_residual"), (True, "assemble_cable")):
        which = "residual and tangent" if tangent else "residual"
        alone = evaluation(free, tangent)
        together = evaluation(touching, tangent)
        parts[f"assembly kernel, {which}"] = _again(free.tension.groups[0].kernels, kernel, alone)
        parts[f"whole evaluation without contact, {which}"] = alone
        parts[f"contact scatter, {which}"] = _again(touching.contact, "scatter_fibers", together)
        parts[f"whole evaluation with contact, {which}"] = together
    parts["contact search"] = _search(touching)

    def with_threads(part: Callable[[], Any], count: int) -> Callable[[], Any]:
        def run() -> Any:
            numba.set_num_threads(count)
            return part()

        return run

    times = {}
    for name, part in parts.items():
        runs = {str(count): with_threads(part, count) for count in threads}
        times[name] = medians_in_turn(runs, repeats)
    slots = sum(one.points.state.shape[0] for one in touching.contact.sets.fibers)
    return {"elements": n * case.ELEMENTS, "slots": slots, "parts": times}


def _search(system: Any) -> Callable[[], Any]:
    """Contact search, alternating between two configurations as in Newton iterations."""
    evaluation(system, False)()
    here = system.split(moving_state(system)[0])[0]
    there = here.copy()
    there[:, 2] *= 1.0 + 1e-3
    joints = system.skeleton.at(system.skeleton.start).links
    places = itertools.cycle((here, there))
    return lambda: system.contact.evaluate(next(places), joints)


def _again(owner: Any, name: str, run: Callable[[], Any]) -> Callable[[], Any]:
    """Function that repeats the call of ``owner.name`` that `run` makes."""
    arguments, function = last_call(owner, name, run), getattr(owner, name)
    return lambda: function(*arguments)
