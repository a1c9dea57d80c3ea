"""Benchmark `bundle`: fibers in contact fall for a second, here, in PyElastica and in MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.bundles import ours as bundle_ours
from fibermsk.bench.bundles.case import string_sag
from fibermsk.bench.measure.cheapest import Contender, Found, find_cheapest, swing_error
from fibermsk.bench.measure.machine import is_installed
from fibermsk.bench.measure.worker import Worker

_N = (2, 8, 32)
_COMPARED = 32
"""Number of fibers of the ratios."""

_REPEATS = 3

_KEPT, _NEARLY = 3, 2.0
"""Number of the fastest models of a simulator that are tried with more fibers, and their largest
time over that of the fastest."""

_RIGHT = 0.2
"""Largest relative difference of the sag of a single fiber from that of a string: simulators clamp
the ends differently and have some bending."""

_FRAME = 16

OURS = Contender(
    "fibermsk",
    "fibermsk.bench.bundles.ours:run_bundle",
    [{}],
    bundle_ours.STEPS,
    bundle_ours.CONVERGED_STEPS,
    {"method": "bdf2"},
)

_SWING_MODELS = [
    {"method": name, "tolerance": bundle_ours.ONE_SOLVE} for name in ("sdirk2", "generalized_alpha")
]
"""Methods and solvers for the whole swing."""

PYELASTICA = Contender(
    "pyelastica",
    "fibermsk.bench.peers.in_pyelastica:run_bundle",
    [{"stiffness": k} for k in (1000.0, 500.0)],
    [_FRAME * k for k in (48, 52, 56, 60, 64, 68, 72, 76, 80, 85, 90, 95, 100, 112, 128, 160, 200)],
    4096,
)

MUJOCO = Contender(
    "mujoco",
    "fibermsk.bench.peers.in_mujoco:run_bundle",
    [
        {"edges": edges, "integrator": integrator, "solver": solver, "contact_time": time}
        for edges, integrator in (("springs", "Euler"), ("constraints", "discrete"))
        for solver in ("CG", "PGS", "Newton")
        for time in (0.02, 0.01, 0.005)
    ],
    [_FRAME * k for k in (16, 32, 64, 80, 96, 104, 112, 120, 128, 144, 160, 192)],
    4096,
)


def run(options: Options) -> Findings:
    """Find the cheapest accurate settings of each simulator, then time them in turn."""
    findings = Findings(ratios=dict.fromkeys(("pyelastica", "mujoco", "pyelastica_swing")))
    contenders = []
    with ExitStack() as stack:
        workers = {}
        for contender in (OURS, PYELASTICA, MUJOCO):
            if contender is OURS or is_installed(contender.who):
                threads = options.threads if contender is OURS else None
                workers[contender.who] = stack.enter_context(Worker(threads))
                contenders.append(contender)
            else:
                findings.notes.append(f"{contender.who} is not installed")
        contenders = [_right_ones(one, workers, findings, options) for one in contenders]
        for n in _N[:2] if options.quick else _N:
            contenders = _compare(n, contenders, workers, findings, options)
    findings.notes.append(
        "settings are the cheapest with which the mean sag of the last quarter of the second is "
        "within 2 % of the converged one of the same model, and the penetration in it at most 2 % "
        "of the diameter; of several rows of a simulator the fastest counts; worst_sag_error is "
        "the largest error of the sag at 16 times; for the ratio pyelastica_swing ours is no "
        "larger than PyElastica's"
    )
    if options.quick:
        findings.notes.append(f"no ratios: they are those of {_COMPARED} fibers, without --quick")
    return findings


def _right_ones(
    contender: Contender, workers: dict[str, Worker], findings: Findings, options: Options
) -> Contender:
    """Contender with the models whose single fiber has the correct sag."""
    right, known = [], {}
    for model in contender.models:
        key = tuple((k, v) for k, v in model.items() if k in ("edges", "integrator"))
        if key not in known:
            found = workers[contender.who].call(
                contender.function,
                n=1,
                steps=4 * contender.converged,
                duration=4.0,
                frames=64,
                **dict(key),
            )
            # it oscillates about the rest: mean of the second half
            sag = sum(found["sags"][32:]) / 32 if found["sags"] else float("nan")
            known[key] = abs(sag - string_sag()) <= _RIGHT * string_sag()
            findings.add(
                "one fiber at rest",
                contender.who,
                1,
                found["seconds"],
                model=dict(key),
                sag=sag,
                string_sag=string_sag(),
                right=known[key],
            )
            options.say(f"{contender.who} {dict(key)}: one fiber sags {1e3 * sag:.2f} mm")
        if known[key]:
            right.append(model)
    return replace(contender, models=right)


def _compare(
    n: int,
    contenders: list[Contender],
    workers: dict[str, Worker],
    findings: Findings,
    options: Options,
) -> list[Contender]:
    """Rows of one number of fibers; returns the contenders with the models to try with more."""
    calls = {one.who: partial(workers[one.who].call, one.function, n=n) for one in contenders}

    def say(message: str) -> None:
        options.say(f"{n} fibers: {message}")

    good: list[tuple[Contender, Found]] = []
    for contender in contenders:
        found = find_cheapest(contender, calls[contender.who], say)
        limit = _NEARLY * found[0].run["seconds"] if found else 0.0
        good += [(contender, one) for one in found[:_KEPT] if one.run["seconds"] <= limit]
        if not found:
            findings.notes.append(f"{contender.who}, {n} fibers: no settings are accurate enough")
    # repeated in turn, because a single run does not tell which is the fastest
    times: list[list[float]] = [[] for _ in good]
    for _ in range(1 if options.quick else _REPEATS):
        for (contender, one), measured in zip(good, times, strict=True):
            again = calls[contender.who](steps=one.steps, **one.model)
            measured.append(again["seconds"])
    fastest: dict[str, float] = {}
    best: dict[str, Found] = {}
    for (contender, one), measured in zip(good, times, strict=True):
        _add(findings, n, contender.who, one, measured)
        if median(measured) < fastest.get(contender.who, math.inf):
            fastest[contender.who], best[contender.who] = median(measured), one
    if n == _COMPARED and OURS.who in best:
        for who in (PYELASTICA.who, MUJOCO.who):
            if who in best:
                findings.ratios[who] = fastest[who] / fastest[OURS.who]
        _add_variants(n, best[OURS.who], findings, options)
        if PYELASTICA.who in best:
            theirs = best[PYELASTICA.who]
            limit = swing_error(theirs.run, theirs.converged)
            seconds = _add_swing(n, limit, calls[OURS.who], say, findings)
            if seconds is not None:
                findings.ratios["pyelastica_swing"] = fastest[PYELASTICA.who] / seconds
    return [
        replace(contender, models=[one.model for owner, one in good if owner is contender])
        for contender in contenders
    ]


def _add(findings: Findings, n: int, who: str, one: Found, times: list[float]) -> None:
    findings.add(
        "contact, 1 s",
        who,
        n,
        median(times),
        all_seconds=times,
        model=one.model,
        steps=one.run["steps"],
        dt=1.0 / one.steps,
        newton_iterations=one.run.get("newton_iterations"),
        sag=one.run["sag"],
        converged_sag=one.converged["sag"],
        sag_end=one.run["sag_end"],
        converged_sag_end=one.converged["sag_end"],
        worst_sag_error=swing_error(one.run, one.converged),
        penetration=one.run["penetration"],
        largest_penetration=one.run["largest_penetration"],
    )


def _add_swing(
    n: int,
    limit: float,
    call: Callable[..., dict[str, Any]],
    say: Callable[[str], None],
    findings: Findings,
) -> float | None:
    """Our settings with the whole swing within a limit; returns their time [s]."""
    contender = replace(OURS, models=_SWING_MODELS)
    found = find_cheapest(contender, call, say, lambda *runs: swing_error(*runs) <= limit)
    if not found:
        findings.notes.append(f"fibermsk, {n} fibers: no settings are accurate for the whole swing")
        return None
    again = [call(steps=found[0].steps, **found[0].model)["seconds"] for _ in range(_REPEATS)]
    _add(findings, n, "fibermsk, whole swing", found[0], again)
    return median(again)


def _add_variants(n: int, one: Found, findings: Findings, options: Options) -> None:
    """Our times with one thread, and without bending stiffness, at the same settings."""
    for what, threads, model in (
        ("fibermsk, one thread", 1, {}),
        ("fibermsk, without bending", options.threads, {"bending": 0.0}),
    ):
        options.say(f"{n} fibers: {what}")
        with Worker(threads) as worker:
            runs = [
                worker.call(OURS.function, n=n, steps=one.steps, **model) for _ in range(_REPEATS)
            ]
        findings.add(
            "contact, 1 s",
            what,
            n,
            median(run["seconds"] for run in runs),
            steps=runs[0]["steps"],
            dt=1.0 / one.steps,
            model=model,
            newton_iterations=runs[0]["newton_iterations"],
            sag=runs[0]["sag"],
            penetration=runs[0]["penetration"],
        )
