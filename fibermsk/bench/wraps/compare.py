"""Rows and ratios of a muscle around a surface, in this package and in installed simulators."""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.machine import is_installed
from fibermsk.bench.measure.worker import Worker

_POSES, _QUICK_POSES = 5000, 300

_REPEATS, _RUNS = 5, 3
"""Rounds of all programs in turn, and runs in each."""

_MANY = 100
"""Equal muscles of one model, which share what is computed once per pose."""


class _Rival(NamedTuple):
    """Another program, the ratio that it gives, and how far its lengths may be from ours [m]."""

    ratio: str
    package: str
    who: str
    function: str
    surface: str
    muscles: int
    apart: float


_OURS = "fibermsk.bench.wraps.ours:time_wrap"
_MUJOCO = "fibermsk.bench.peers.wraps_in_mujoco:time_wrap"
_OPENSIM = "fibermsk.bench.peers.in_opensim:time_wrap"

RIVALS = (
    _Rival("wrap_mujoco", "mujoco", "mujoco", _MUJOCO, "cylinder", 1, 1e-12),
    _Rival("wrap_mujoco_many", "mujoco", "mujoco", _MUJOCO, "cylinder", _MANY, 1e-12),
    # its tangent points are not those of the shortest helix
    _Rival("wrap_opensim", "opensim", "opensim", _OPENSIM, "cylinder", 1, 2e-5),
    _Rival("ellipsoid_scholz", "opensim", "opensim, Scholz2015", _OPENSIM, "ellipsoid", 1, 1e-9),
)
"""Other programs."""


def add_wraps(findings: Findings, options: Options) -> None:
    """Measure all installed programs in turn."""
    n = _QUICK_POSES if options.quick else _POSES
    repeats = 1 if options.quick else _REPEATS
    for rival in RIVALS:
        findings.ratios[rival.ratio] = None
        if not is_installed(rival.package):
            findings.notes.append(f"{rival.ratio}: {rival.package} is not installed")
    rivals = [rival for rival in RIVALS if is_installed(rival.package)]
    cases = {(one.surface, one.muscles): {} for one in RIVALS}
    with ExitStack() as stack:
        workers = {_OURS: stack.enter_context(Worker(1))}
        for rival in rivals:
            if rival.function not in workers:
                workers[rival.function] = stack.enter_context(Worker(1))
        for (surface, muscles), found in cases.items():
            own = [one for one in rivals if (one.surface, one.muscles) == (surface, muscles)]
            programs = {_OURS: "fibermsk"} | {one.function: one.who for one in own}
            for _ in range(repeats):
                for function, who in programs.items():
                    options.say(f"{_case(surface, muscles)}: {who}")
                    more: dict[str, Any] = {} if muscles == 1 else {"muscles": muscles}
                    answer = workers[function].call(
                        function, surface=surface, n=n, repeats=_RUNS, **more
                    )
                    found.setdefault(function, []).append(answer)
            ours = _add(findings, surface, muscles, "fibermsk", n, found[_OURS], found[_OURS])
            for one in own:
                answers = found[one.function]
                seconds = _add(findings, surface, muscles, one.who, n, answers, found[_OURS])
                apart = findings.rows[-1]["length_difference"]
                if apart <= one.apart:
                    findings.ratios[one.ratio] = seconds / ours
                else:
                    findings.notes.append(
                        f"{one.ratio}: lengths differ by {apart:.2g} m; no ratio of other paths"
                    )
    findings.notes.append(
        "wrap_mujoco, wrap_opensim, ellipsoid_scholz: length and both moment arms of a muscle of "
        "an arm with two hinges, per pose of a motion; MuJoCo: qpos, mj_kinematics, mj_comPos and "
        "mj_tendon, called from Python, results not copied (call: time of an empty call); OpenSim: "
        "setValue, realizePosition, getLength and computeMomentArm. wrap_mujoco_many: "
        f"{_MANY} equal muscles in one model, where calls from Python no longer count"
    )


def _case(surface: str, muscles: int) -> str:
    """Name of a case."""
    return f"muscle around a surface, {surface}" + ("" if muscles == 1 else f", {muscles} muscles")


def _add(
    findings: Findings,
    surface: str,
    muscles: int,
    who: str,
    n: int,
    answers: list[dict[str, Any]],
    ours: list[dict[str, Any]],
) -> float:
    """Append a row; returns the median time of all poses [s]."""
    seconds = median(answer["seconds"] for answer in answers)
    difference = np.abs(np.subtract(answers[0]["found"], ours[0]["found"])).max(axis=0)
    extra = {key: value for key, value in answers[0].items() if key not in ("seconds", "found")}
    findings.add(
        _case(surface, muscles), who, n, seconds, threads=1,
        us_per_muscle_pose=1e6 * seconds / (n * muscles),
        length_difference=float(difference[0]),
        moment_arm_difference=float(difference[1:].max()),
        **extra,
    )  # fmt: skip
    return seconds
