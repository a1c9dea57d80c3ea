"""Measured motions that are followed at the least effort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.conditions import EndState, Range
from fibermsk.control.muscles.choice import FittedPaths
from fibermsk.control.objectives import Effort, Tracking
from fibermsk.control.problem import Excitations, OptimalControl, Torques
from fibermsk.model import Model
from fibermsk.read.motion import motion_of, warn_of

OWNER = "track_motion"

PER_SECOND = 100
"""Number of intervals in a second unless given."""

SIZE = 0.02
"""Difference to a motion that costs as much as a muscle that is fully active [rad or m]."""

_BESIDE = 0.1
"""Share of the width of a motion, and least angle or length, by which it may leave this width."""


def track_motion(
    model: Model,
    motion: Any,
    *,
    begin: float | None = None,
    end: float | None = None,
    steps: int | None = None,
    reserve: float | Mapping[str, float] = 1.0,
    sizes: float | Mapping[str, float] = SIZE,
    muscle_paths: FittedPaths | None = None,
    in_degrees: bool | None = None,
) -> OptimalControl:
    """Describe the problem of following a motion with muscles and reserves at the least effort.

    The objective is the effort of muscles and reserves, and the squared differences to the motion.
    The motion starts in the pose and with the speeds of the file, and activations that are equal to
    the first excitations; all else is free.

    Parameters
    ----------
    model : Model
        Bodies and line muscles as `OptimalControl` takes them; see `with_smooth_muscles`.
    motion : str, path, Signals or mapping
        As for `drive`. Free coordinates without a column are locked at their initial value.
    begin, end : float, optional
        Part of the motion [s]; by default all.
    steps : int, optional
        Number of intervals; 100 a second by default.
    reserve : float or mapping of str to float
        Torque or force of the reserve actuators that costs as much as a muscle that is fully
        active [N m or N], of all or by coordinate, 1 for those left out; positive. They have no
        bounds.
    sizes : float or mapping of str to float
        Difference to the motion that costs as much, of all or by coordinate, 0.02 for those left
        out [rad or m]; positive.
    muscle_paths : FittedPaths, optional
        How paths without a closed form are fitted, in ranges around the motion, which it does not
        leave; `FittedPaths()` by default.
    in_degrees : bool, optional
        As for `drive`.

    Returns
    -------
    problem : OptimalControl
        Its `solve` finds the motion, the excitations and the reserves.

    Raises
    ------
    ModelError
        If the motion cannot be read, or the model cannot be described so.

    Warns
    -----
    ModelWarning
        If columns are not used, samples are missing, or a free coordinate has no column.
    """
    _check.instance(OWNER, "model", model, Model, "a Model")
    found = motion_of(model, motion, in_degrees=in_degrees)
    warn_of(model, found, whole=True)
    first, last = float(found.time[0]), float(found.time[-1])
    t0 = first if begin is None else _check.number(OWNER, "begin", begin, "s")
    t1 = last if end is None else _check.number(OWNER, "end", end, "s")
    for field, value in (("begin", t0), ("end", t1)):
        if not first <= value <= last:
            must = f"lie within the motion, [{first:g}, {last:g}]"
            _check.refuse(OWNER, field, value, must, unit="s")
    if not t0 < t1:
        _check.refuse(OWNER, "end", t1, f"exceed begin = {t0:g} s", unit="s")
    names = list(found.values)
    idle = {
        one: {"locked": True, "speed": 0.0}
        for one in model.coordinates
        if one.kind != "quaternion" and not one.locked and one.name not in names
    }
    held = model.edit(idle) if idle else model
    scales = _check.positive_by_name(OWNER, "sizes", sizes, names, SIZE, "rad or m")
    strengths = _check.positive_by_name(OWNER, "reserve", reserve, names, 1.0, "N m or N")
    tracking = Tracking(found.time - t0, found.values, scales)
    poses = tracking.values(np.array([0.0]))[0]
    n = max(round(PER_SECOND * (t1 - t0)), 1) if steps is None else steps
    return OptimalControl(
        held,
        duration=t1 - t0,
        steps=n,
        controls=[Excitations(), Torques(strengths, limited=False)],
        objective=Effort() + tracking,
        start=EndState(
            dict(zip(names, poses.tolist(), strict=True)), activations="excited", at_rest=False,
            speeds=tracking.rates(0.0),
        ),
        end=EndState(at_rest=False),
        path=[_around(*one) for one in found.values.items()],
        muscle_paths=FittedPaths() if muscle_paths is None else muscle_paths,
    )  # fmt: skip


def _around(name: str, values: Array) -> Range:
    """Range of a coordinate around its motion."""
    low, high = float(values.min()), float(values.max())
    beside = max(_BESIDE * (high - low), _BESIDE)
    return Range(name, low - beside, high + beside)
