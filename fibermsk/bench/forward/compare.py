"""Rows and the ratio of the forward run of arm26, in this package and in OpenSim."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.forward.case import NOT_REACHED, largest_error, model_file
from fibermsk.bench.measure.machine import is_installed
from fibermsk.bench.measure.worker import Worker

VARIANTS = {"forward_opensim": "", "forward_opensim_without_jumps": NOT_REACHED}
"""Ratios, and the surface that OpenSim leaves out."""

_CASE = "forward run of arm26 with six line muscles, 1 s"

_TOLERANCES, _ACCURACIES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8), (1e-4, 1e-5, 1e-6)
_FINEST = 1e-10
_OPENSIM_FINEST = 1e-9
_REPEATS = 5

_APART = 5e-3
"""Largest difference of the converged coordinates [rad]: paths of OpenSim are not the shortest."""


def add_forward(findings: Findings, options: Options) -> None:
    """Measure the runs at several tolerances, and compare those of equal accuracy."""
    findings.ratios |= dict.fromkeys(VARIANTS)
    model = model_file()
    if model is None:
        findings.notes.append("forward_opensim: FIBERMSK_MODELS does not lead to arm26.osim")
        return
    if options.scenes is None:
        findings.notes.append("forward_opensim: the scenes are not beside this installation")
        return
    case = {"scene": options.scene("arm26_lines.py"), "model": str(model)}
    repeats = 1 if options.quick else _REPEATS
    with Worker(1) as worker:
        options.say(f"{_CASE}: fibermsk")
        ours = worker.call(
            "fibermsk.bench.forward.ours:run", **case,
            tolerances=_TOLERANCES[1:3] if options.quick else _TOLERANCES,
            finest=_FINEST, repeats=repeats,
        )  # fmt: skip
        given = worker.call("fibermsk.bench.forward.ours:excitations", **case)
    _add(findings, "fibermsk", ours, preparation=ours["preparation"], compile=ours["compile"])
    if not is_installed("opensim"):
        findings.notes.append("forward_opensim: opensim is not installed")
        return
    with Worker(1) as worker:
        for ratio, left_out in VARIANTS.items():
            who = f"opensim, without {left_out}" if left_out else "opensim"
            options.say(f"{_CASE}: {who}")
            theirs = worker.call(
                "fibermsk.bench.peers.forward_in_opensim:run", model=str(model), given=given,
                left_out=left_out, repeats=repeats,
                accuracies=_ACCURACIES[:1] if options.quick else _ACCURACIES,
                finest=1e-6 if options.quick else _OPENSIM_FINEST,
            )  # fmt: skip
            _add(findings, who, theirs)
            apart = largest_error(ours["converged"], theirs["converged"])
            if apart <= _APART:
                findings.ratios[ratio] = _ratios(ours, theirs)
            findings.notes.append(f"{ratio}: converged coordinates differ by {apart:.2g} rad")
    findings.notes.append(
        "forward_opensim: by OpenSim's accuracy, its time over that of our fastest run whose "
        "error is no larger (null: none); errors against each program's own converged run. Times "
        "of the integration from state to state, without reports (whole_call: with them)"
    )


def _errors(found: dict[str, Any]) -> list[float]:
    converged = np.array(found["converged"])
    return [largest_error(np.array(row["coordinates"]), converged) for row in found["rows"]]


def _add(findings: Findings, who: str, found: dict[str, Any], **more: Any) -> None:
    """Append a row per tolerance."""
    for row, error in zip(found["rows"], _errors(found), strict=True):
        extra = {key: value for key, value in row.items() if key not in ("seconds", "coordinates")}
        findings.add(_CASE, who, 1, row["seconds"], threads=1, error=error, **extra, **more)


def _ratios(ours: dict[str, Any], theirs: dict[str, Any]) -> list[float | None]:
    """Ratio for each run of the other program."""
    own = list(zip(_errors(ours), ours["rows"], strict=True))
    found: list[float | None] = []
    for error, row in zip(_errors(theirs), theirs["rows"], strict=True):
        times = [mine["seconds"] for mistake, mine in own if mistake <= error]
        found.append(row["seconds"] / min(times) if times else None)
    return found
