"""The cheapest settings with which a simulator still gives its own converged answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

NEAR = 0.02
"""Largest difference of a sag from the converged one, over it."""

DEEPEST = 0.02
"""Largest penetration over the diameter."""


@dataclass(frozen=True)
class Contender:
    """A simulator and the settings that it may take."""

    who: str
    function: str
    """``"module:run_bundle"``."""
    models: Sequence[dict[str, Any]]
    """Arguments that change what is computed, such as a contact stiffness: each has a converged
    answer of its own."""
    steps: Sequence[int]
    """Time steps to try, the cheapest first."""
    converged: int
    """Time steps of the run that counts as converged."""
    reference: dict[str, Any] = field(default_factory=dict)
    """Arguments of that run in which it differs from the model, such as a more accurate method."""


@dataclass(frozen=True)
class Found:
    """Settings that are good enough, what the run gave with them, and the converged run."""

    model: dict[str, Any]
    steps: int
    run: dict[str, Any]
    converged: dict[str, Any]


def hangs_right(run: dict[str, Any], converged: dict[str, Any]) -> bool:
    """Whether the sag is near the converged one."""
    return abs(run["sag"] - converged["sag"]) <= NEAR * converged["sag"]


def swing_error(run: dict[str, Any], converged: dict[str, Any]) -> float:
    """Largest difference of the sag at any time from the converged one, over the latter's last."""
    pairs = zip(run["sags"], converged["sags"], strict=True)
    return max(abs(a - b) for a, b in pairs) / converged["sag"]


def find_cheapest(
    contender: Contender,
    call: Callable[..., dict[str, Any]],
    say: Callable[[str], None],
    right: Callable[[dict[str, Any], dict[str, Any]], bool] = hangs_right,
) -> list[Found]:
    """For each model the cheapest time steps that are good enough; the fastest model first.

    Steps are tried from the fewest on, until more of them that are good enough take longer. `call`
    runs the simulator with ``steps`` and the arguments of a model; gives ``seconds``, ``sag`` and
    ``penetration``, the latter two None if the run came to nothing. `right` says whether a run that
    is not too deep is accurate enough, from it and the converged one; `say` is told what was
    tried. Nothing is found if nothing is good enough.
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
                    break  # more steps are not cheaper, as they are where few take many iterations
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
