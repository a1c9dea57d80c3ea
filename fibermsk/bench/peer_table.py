"""Benchmark `peers`: other simulators with fixed settings."""

from __future__ import annotations

from typing import Any

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.bundles.case import ELEMENTS
from fibermsk.bench.measure.machine import PEERS, is_installed
from fibermsk.bench.measure.worker import CallFailed, Worker

_N = (2, 8, 32)
_CABLES = 50

_SPRINGS = {"edges": "springs", "integrator": "Euler", "solver": "CG", "contact_time": 0.005}
_CONSTRAINTS = {"edges": "constraints", "integrator": "discrete", "solver": "CG"}
_DAMPED = {"clamped": True, "bending_damping": 0.02}

_CASES: tuple[tuple[str, str, str, int, dict[str, Any]], ...] = (
    ("pyelastica", "bundle", "contact", 1600, {"stiffness": 1000.0}),
    ("pyelastica", "bundle", "no contact", 1024, {"contact": False}),
    ("mujoco", "bundle", "contact, edges are springs", 2048, _SPRINGS),
    ("mujoco", "bundle", "no contact, edges are springs", 2048, _SPRINGS | {"contact": False}),
    ("mujoco", "bundle", "contact, edges are soft constraints", 256, _CONSTRAINTS),
    ("exudyn", "cables", "clamped, damped bending, modified Newton", 128, _DAMPED),
    (
        "exudyn",
        "cables",
        "clamped, damped bending, full Newton",
        128,
        _DAMPED | {"full_newton": True},
    ),
)
"""Simulator, problem, case, time steps for one second, arguments."""


def run(options: Options) -> Findings:
    """Cases of all installed peers."""
    findings = Findings()
    for name in PEERS:
        if not is_installed(name):
            findings.notes.append(f"{name} is not installed")
            options.say(f"{name} is not installed")
    sizes = {
        "bundle": _N[:1] if options.quick else _N,
        "cables": (2,) if options.quick else (_CABLES,),
    }
    for who, what, case, steps, arguments in _CASES:
        for n in sizes[what] if is_installed(who) else ():
            options.say(f"{who}: {what}, {case}, {n}")
            with Worker() as worker:
                try:
                    function = f"fibermsk.bench.peers.in_{who}:run_{what}"
                    found = worker.call(function, n=n, steps=steps, **arguments)
                except CallFailed as error:
                    findings.notes.append(f"{who}, {what}, {case}, {n}: {error}")
                    continue
            findings.add(
                f"{what}, {case}",
                who,
                n,
                found["seconds"],
                steps=steps,
                us_per_element_step=1e6 * found["seconds"] / (steps * n * ELEMENTS),
                sag=found["drops"][-1] if "drops" in found else found["sag"],
                penetration=found.get("penetration"),
            )
    findings.notes.append(
        "settings are fixed and not the cheapest; the benchmark bundle searches for those"
    )
    return findings
