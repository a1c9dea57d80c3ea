"""Benchmark `peers`: the other simulators alone, at fixed settings."""

from __future__ import annotations

from typing import Any

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.bundles.case import ELEMENTS
from fibermsk.bench.measure.machine import PEERS, is_installed
from fibermsk.bench.measure.worker import CallFailed, Worker

__all__ = ["run"]

_N = (2, 8, 32)

_BUNDLE = "fibermsk.bench.peers.in_{}:run_bundle"
_SPRINGS = {"edges": "springs", "integrator": "Euler", "solver": "CG", "contact_time": 0.005}
_CONSTRAINTS = {"edges": "constraints", "integrator": "discrete", "solver": "CG"}

_BUNDLES: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
    ("pyelastica", "contact", 1600, {"stiffness": 1000.0}),
    ("pyelastica", "no contact", 1024, {"contact": False}),
    ("mujoco", "contact, edges are springs", 2048, _SPRINGS),
    ("mujoco", "no contact, edges are springs", 2048, _SPRINGS | {"contact": False}),
    ("mujoco", "contact, edges are soft constraints", 256, _CONSTRAINTS),
)
"""Simulator, case, time steps for one second, arguments."""

_CABLES = 50
_EXUDYN = "fibermsk.bench.peers.in_exudyn:run_cables"
_DAMPED = {"clamped": True, "bending_damping": 0.02}


def run(options: Options) -> Findings:
    """Every peer that is installed, on its own cases."""
    findings = Findings()
    for name in PEERS:
        if not is_installed(name):
            findings.notes.append(f"{name} is not installed")
            options.say(f"{name} is not installed")
    sizes = _N[:1] if options.quick else _N
    for name, case, steps, arguments in _BUNDLES:
        if is_installed(name):
            for n in sizes:
                function = _BUNDLE.format(name)
                _one(findings, options, f"bundle, {case}", name, function, n, steps, arguments)
    if is_installed("exudyn"):
        n = 2 if options.quick else _CABLES
        for full in (False, True):
            case = f"cables, clamped, damped bending, {'full' if full else 'modified'} Newton"
            arguments = _DAMPED | {"full_newton": full}
            _one(findings, options, case, "exudyn", _EXUDYN, n, 128, arguments)
    findings.notes.append(
        "settings are fixed and not the cheapest; the benchmark bundle searches for those"
    )
    return findings


def _one(
    findings: Findings,
    options: Options,
    case: str,
    who: str,
    function: str,
    n: int,
    steps: int,
    arguments: dict[str, Any],
) -> None:
    """Row of one case."""
    options.say(f"{who}: {case}, {n}")
    with Worker() as worker:
        try:
            found = worker.call(function, n=n, steps=steps, **arguments)
        except CallFailed as error:
            findings.notes.append(f"{who}, {case}, {n}: {error}")
            return
    sag = found["drops"][-1] if "drops" in found else found["sag"]
    findings.add(
        case,
        who,
        n,
        found["seconds"],
        steps=steps,
        us_per_element_step=1e6 * found["seconds"] / (steps * n * ELEMENTS),
        sag=sag,
        penetration=found.get("penetration"),
    )
