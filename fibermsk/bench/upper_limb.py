"""Benchmark `upper_limb`: the arm of the paper at five resolutions, and in plain NumPy."""

from __future__ import annotations

from statistics import median
from typing import Any

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.timing import simulate_timed
from fibermsk.bench.measure.worker import CallFailed, Worker, load
from fibermsk.results import Result
from fibermsk.solvers import BackwardEuler
from fibermsk.system import build

_LEVELS = ((8, 256), (16, 512), (32, 1024), (64, 2048), (128, 4096))
"""Elements of each fiber and time steps for 8 s (Gfrerer and Simeon 2021, table 5)."""

_QUICK = 3

_DURATION = 8.0
_PART = 0.25
"""Part of the 8 s and of the steps that is run."""

_REPEATS = (3, 3, 3, 2, 1)
"""Runs of each level."""

_COMPARED = 2
"""Index of the level of the plain program."""

_FEW = 4
"""First steps that are compared, since the plain program is slow."""

_HERE = "fibermsk.bench.upper_limb:"

_TRANSCRIPTION = "_numpy_limb.py"


def run(options: Options) -> Findings:
    """All levels, then some steps of the third in the plain program."""
    scene = options.scene("upper_limb.py")
    findings = Findings(ratios={"level_factors": [], "numpy_transcription": None})
    with Worker(options.threads) as worker:
        for level, (elements, steps) in enumerate(_LEVELS[: _QUICK if options.quick else None]):
            options.say(f"level {level + 1}: {elements} elements, {steps} steps")
            part = round(_PART * steps)
            runs = [
                worker.call(_HERE + "time_level", scene=scene, elements=elements, steps=part)
                for _ in range(1 if options.quick else _REPEATS[level])
            ]
            seconds = median(one["seconds"] for one in runs)
            findings.add(
                f"level {level + 1}",
                "fibermsk",
                elements,
                seconds,
                steps=part,
                simulated_seconds=_PART * _DURATION,
                seconds_for_8_s=seconds / _PART,
                seconds_per_step=seconds / part,
                newton_iterations=runs[0]["newton_iterations"],
                angle_max=runs[0]["angle_max"],
                all_seconds=[one["seconds"] for one in runs],
            )
        times = [row["seconds"] for row in findings.rows]
        findings.ratios["level_factors"] = [
            slow / fast for fast, slow in zip(times, times[1:], strict=False)
        ]
        _compare(worker, scene, findings, options)
    findings.notes.append(
        f"every level is run over the first {_PART * _DURATION:g} of 8 s, with the same part of "
        "its steps; seconds is what that takes, seconds_for_8_s as much more as the whole is longer"
    )
    return findings


def _compare(worker: Worker, scene: str, findings: Findings, options: Options) -> None:
    """First steps of one level here and in the plain NumPy program."""
    file = options.verification / _TRANSCRIPTION if options.verification else None
    if file is None or not file.is_file():
        findings.notes.append(f"{_TRANSCRIPTION} is not beside this installation: not compared")
        return
    elements, steps = _LEVELS[_COMPARED]
    options.say(f"level {_COMPARED + 1}: plain NumPy, {_FEW} steps")
    try:
        plain = worker.call(
            _HERE + "time_transcription",
            file=str(file),
            elements=elements,
            steps_per_8s=steps,
            n_steps=_FEW,
        )
    except CallFailed as error:
        findings.notes.append(f"plain NumPy: {error}")
        return
    runs = [
        worker.call(
            _HERE + "time_level",
            scene=scene,
            elements=elements,
            steps=_FEW,
            duration=_FEW * _DURATION / steps,
        )
        for _ in range(3)
    ]
    ours = median(one["seconds"] for one in runs) / _FEW
    case = f"level {_COMPARED + 1}, one of the first {_FEW} steps"
    findings.add(case, "fibermsk", elements, ours)
    findings.add(case, "plain NumPy", elements, plain)
    findings.ratios["numpy_transcription"] = plain / ours


def time_level(
    scene: str, elements: int, steps: int, duration: float = _PART * _DURATION
) -> dict[str, Any]:
    """Run the arm of a scene's file once.

    Returns ``seconds`` of `fibermsk.simulate` without compilation, ``newton_iterations`` and
    ``angle_max`` [rad].
    """
    describe = load(scene)["scene"]

    def run(elements: int, steps: int, duration: float) -> tuple[Result, float]:
        described = describe(elements=elements, steps=steps, duration=duration)
        return simulate_timed(build(described.model), duration, steps, method=BackwardEuler())

    run(4, 2, 2.0 * duration / steps)  # compiles
    result, seconds = run(elements, steps, duration)
    return {
        "seconds": seconds,
        "newton_iterations": result.stats["newton_iterations"],
        "angle_max": float(result.coordinate("elbow_flexion").max()),
    }


def time_transcription(file: str, elements: int, steps_per_8s: int, n_steps: int) -> float:
    """Wall time of a step of the plain NumPy program [s]."""
    return float(load(file)["time_steps"](elements, steps_per_8s, n_steps))
