"""Cheapest settings of a simulator that are accurate relative to its own converged run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

NEAR = 0.02
"""Largest relative error of a sag."""

DEEPEST = 0.02
"""Largest penetration over the diameter."""


@dataclass(frozen=True)
class Contender:
    """A simulator and its possible settings."""

    who: str
    function: str
    """``"module:run_bundle"``."""
    models: Sequence[dict[str, Any]]
    """Arguments of different models, such as a contact stiffness."""
    steps: Sequence[int]
    """Time steps to try, the cheapest first."""
    converged: int
    """Time steps of the converged run."""
    reference: dict[str, Any] = field(default_factory=dict)
    """Further arguments of the converged run, such as a more accurate method."""


@dataclass(frozen=True)
class Found:
    """Accurate settings with their run and the converged run."""

    model: dict[str, Any]
    steps: int
    run: dict[str, Any]
    converged: dict[str, Any]


def hangs_right(run: dict[str, Any], converged: dict[str, Any]) -> bool:
    """Whether the sag is accurate."""
    return abs(run["sag"] - converged["sag"]) <= NEAR * converged["sag"]


def swing_error(run: dict[str, Any], converged: dict[str, Any]) -> float:
    """Largest error of the sag at any time, over the converged sag."""
    pairs = zip(run["sags"], converged["sags"], strict=True)
    return max(abs(a - b) for a, b in pairs) / converged["sag"]


def find_cheapest(
    contender: Contender,
    call: Callable[..., dict[str, Any]],
    say: Callable[[str], None],
    right: Callable[[dict[str, Any], dict[str, Any]], bool] = hangs_right,
) -> list[Found]:
    """Cheapest accurate time steps of each model; the fastest model first.

    Steps are increased until more accurate ones take longer. `call` runs the simulator with
    ``steps`` and the arguments of a model; `right` decides on the accuracy of a run of small
    penetration from it and the converged one; `say` receives progress.
    """
    found = []
    for model in contender.models:
        converged = call(steps=contender.converged, **{**model, **contender.reference})
        say(f"{contender.who} {model}: converged, {_words(converged)}")
        if not _shallow(converged):
            continue
        best = None
        for steps in contender.steps:
            run = call(steps=steps, **model)
            say(f"{contender.who} {model}: {steps} steps, {_words(run)}")
            if _shallow(run) and right(run, converged):
                if best is not None and run["seconds"] >= best.run["seconds"]:
                    break  # more steps may be cheaper if they need fewer iterations
                best = Found(model, steps, run, converged)
        if best is not None:
            found.append(best)
    return sorted(found, key=lambda one: one.run["seconds"])


def _shallow(run: dict[str, Any]) -> bool:
    return run["sag"] is not None and run["penetration"] <= DEEPEST


def _words(run: dict[str, Any]) -> str:
    if run["sag"] is None:
        return f"no result after {run['seconds']:.2f} s"
    return (
        f"sag {1e3 * run['sag']:.2f} mm, penetration {100.0 * run['penetration']:.2f} %, "
        f"{run['seconds']:.3f} s"
    )
