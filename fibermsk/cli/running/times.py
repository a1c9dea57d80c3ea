"""Duration and steps of a scene from the options `--t-end` and `--dt`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fibermsk import _check
from fibermsk.cli.options import parse_settings
from fibermsk.errors import ModelError
from fibermsk.scene_files import SceneFile

_OF = {"--t-end": "duration", "--dt": "steps"}
"""Parameters of a scene that the options set."""

_WHOLE = 1e-9
"""Allowed difference of a number of steps from a whole one, over that number."""


def settings_of_times(
    file: SceneFile,
    settings: Sequence[str],
    t_end: float | None,
    dt: float | None,
    varied: Iterable[str] = (),
) -> list[str]:
    """Settings of a scene for its end and its steps [s], which other settings must leave free.

    With another end the step of a run stays, or is shorter, unless steps are set or `varied`.

    Raises
    ------
    ModelError
        If a time is not positive, the scene has no parameter for it, it is set twice, or the
        steps do not fit into the duration.
    """
    given = {"--t-end": t_end, "--dt": dt}
    set_already = {setting.partition("=")[0].strip() for setting in settings}
    for option, value in given.items():
        if value is None:
            continue
        _check.positive(file.name, option, value, "s")
        name = _OF[option]
        if name not in file.parameters:
            known = ", ".join(file.parameters) or "none"
            raise ModelError(
                f"{option} {value:g}: {file.name} has no parameter {name!r} that it could set; it "
                f"has: {known}"
            )
        if name in set_already:
            raise ModelError(f"{option} {value:g}: --set {name}=... is given too; leave one out")
    found = [] if t_end is None else [f"duration={t_end!r}"]
    if dt is not None:
        values = parse_settings([*settings, *found], file.parameters, f"scene {file.name!r}")
        duration = values.get("duration") or 0.0
        if not duration:
            raise ModelError(f"--dt {dt:g}: the duration is not known here; give --t-end as well")
        steps = max(round(duration / dt), 1)
        if abs(steps * dt - duration) > _WHOLE * duration:
            raise ModelError(
                f"--dt {dt:g}: {duration:g} s are {duration / dt:.6g} steps; must be a whole "
                f"number: use {duration / steps:.9g}"
            )
        found.append(f"steps={steps}")
    elif t_end is not None and "steps" not in (*set_already, *varied) and _runs(file):
        usual = {name: one.default for name, one in file.parameters.items()}
        steps, duration = usual.get("steps"), usual.get("duration")
        if steps and duration:
            found.append(f"steps={max(math.ceil(steps * t_end / duration - _WHOLE), 1)}")
    return found


def _runs(file: SceneFile) -> bool:
    """Whether a scene is a run in time, as far as its function tells; not a problem to solve."""
    made = getattr(file.function, "__annotations__", {}).get("return")
    return made is None or "Scene" in str(made)
