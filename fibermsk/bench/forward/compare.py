"""Rows and the ratio of the forward run of arm26, in this package and in OpenSim."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.forward.case import largest_error, model_file
from fibermsk.bench.measure.machine import is_installed
from fibermsk.bench.measure.worker import Worker

RATIO = "forward_opensim"

_CASE = "forward run of arm26 with six line muscles, 1 s"

_TOLERANCES, _ACCURACIES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8), (1e-3, 1e-4, 1e-5, 1e-6)
_FINEST = 1e-10
_OPENSIM_FINEST = 1e-9
_REPEATS = 5

_APART = 5e-3
"""Largest difference of the converged coordinates [rad]: paths of OpenSim are not the shortest."""


def add_forward(findings: Findings, options: Options) -> None:
    """Measure the runs at several tolerances, and compare those of equal accuracy."""
    findings.ratios[RATIO] = None
    model = model_file()
    if model is None:
        findings.notes.append(f"{RATIO}: FIBERMSK_MODELS does not lead to arm26.osim")
        return
    scene = options.scene("arm26_lines.py")
    case = {"scene": scene, "model": str(model)}
    repeats = 1 if options.quick else _REPEATS
    with Worker(1) as worker:
        options.say(f"{_CASE}: fibermsk")
        ours = worker.call(
            "fibermsk.bench.forward.ours:run", **case,
            tolerances=_TOLERANCES[::2] if options.quick else _TOLERANCES,
            finest=_FINEST, repeats=repeats,
        )  # fmt: skip
        given = worker.call("fibermsk.bench.forward.ours:excitations", **case)
    _add(findings, "fibermsk", ours, preparation=ours["preparation"], compile=ours["compile"])
    if not is_installed("opensim"):
        findings.notes.append(f"{RATIO}: opensim is not installed")
        return
    with Worker(1) as worker:
        options.say(f"{_CASE}: opensim")
        theirs = worker.call(
            "fibermsk.bench.peers.forward_in_opensim:run", model=str(model), given=given,
            accuracies=_ACCURACIES[1:2] if options.quick else _ACCURACIES,
            finest=1e-6 if options.quick else _OPENSIM_FINEST, repeats=repeats,
        )  # fmt: skip
    _add(findings, "opensim", theirs)
    apart = largest_error(ours["converged"], theirs["converged"])
    if apart > _APART:
        findings.notes.append(f"{RATIO}: coordinates differ by {apart:.2g} rad; no ratio")
        return
    findings.ratios[RATIO] = _ratios(ours, theirs)
    findings.notes.append(
        f"{RATIO}: for each accuracy of OpenSim, its time over that of our fastest run whose error "
        "is no larger (null: none); errors against each program's own converged run, "
        f"which differ by {apart:.2g} rad since OpenSim's paths are not the shortest ones"
    )


def _errors(found: dict[str, Any]) -> list[float]:
    converged = np.array(found["converged"])
    return [largest_error(np.array(row["coordinates"]), converged) for row in found["rows"]]


def _add(findings: Findings, who: str, found: dict[str, Any], **more: Any) -> None:
    """Append a row per tolerance."""
    for row, error in zip(found["rows"], _errors(found), strict=True):
        extra = {key: row[key] for key in ("tolerance", "steps") if key in row}
        findings.add(_CASE, who, 1, row["seconds"], threads=1, error=error, **extra, **more)


def _ratios(ours: dict[str, Any], theirs: dict[str, Any]) -> list[float | None]:
    """Ratio for each run of the other program."""
    own = list(zip(_errors(ours), ours["rows"], strict=True))
    found: list[float | None] = []
    for error, row in zip(_errors(theirs), theirs["rows"], strict=True):
        times = [mine["seconds"] for mistake, mine in own if mistake <= error]
        found.append(row["seconds"] / min(times) if times else None)
    return found
