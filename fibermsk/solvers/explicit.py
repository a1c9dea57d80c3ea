"""Explicit integration of systems that can march without Python."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.protocol import Frames, Marches, System, offers
from fibermsk.results import Progress, Result

_AT_ONCE = 1000
"""Accepted steps between two calls of Python: for progress and Ctrl-C."""

_REASONS = {
    1: "a muscle has no path",
    2: "a coordinate moves no mass",
    3: "NaN or infinity in the rates",
    4: "the step became too short",
}


@dataclass(frozen=True)
class Explicit:
    """Fifth order, explicit, with adaptive steps, for rigid bodies with line muscles.

    The whole run is one compiled loop, compiled at the first run. What the loop does not have is
    refused by name: fibers, contact and other elements, the mass of muscles, prescribed
    coordinates, couplings with multipliers, quaternions, laws and wrapping surfaces of the user,
    excitations that are functions or reflexes, and muscles of several kinds.

    Dormand and Prince, Journal of Computational and Applied Mathematics 6 (1980), 19-26, with
    Gustafsson's control of the steps. Frames between steps are of fourth order.

    Parameters
    ----------
    tolerance : float
        Largest root mean square of the estimated errors of a step: over the values of the unknowns,
        or over 1 rad, 1 m, 1 rad/s, 1 m/s and the scales of the states where these are larger; in
        [1e-13, 0.1].
    longest : float
        Longest step [s]; positive.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.Explicit(tolerance=1e-8).name
    'explicit'
    """

    tolerance: float = 1e-6
    longest: float = math.inf

    name = "explicit"

    def __post_init__(self) -> None:
        _check.number(
            "Explicit", "tolerance", self.tolerance,
            accept=lambda x: 1e-13 <= x <= 0.1, must="be in [1e-13, 0.1]",
        )  # fmt: skip
        if not (isinstance(self.longest, float | int) and self.longest > 0.0):
            _check.refuse("Explicit", "longest", self.longest, "be positive", unit="s")


@lru_cache
def tableau() -> tuple[Array, Array, Array, Array, float]:
    """Stages, times, weights of the error and of states within a step, and the error's order."""
    A = np.zeros((7, 7))
    A[1, :1] = 1 / 5
    A[2, :2] = 3 / 40, 9 / 40
    A[3, :3] = 44 / 45, -56 / 15, 32 / 9
    A[4, :4] = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
    A[5, :5] = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
    A[6, :6] = 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
    fourth = 5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40
    # Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.6
    d = np.array([
        -12715105075 / 11282082432, 0, 87487479700 / 32700410799, -10690763975 / 1880347072,
        701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
    ])  # fmt: skip
    b, first, last = A[6], np.eye(7)[0], np.eye(7)[6]
    # x b + x (1 - x) (k_1 - b) + x^2 (1 - x) (2 b - k_1 - k_7) + x^2 (1 - x)^2 d
    bend = 2.0 * b - first - last
    dense = np.stack([first, b - first + bend + d, -bend - 2.0 * d, d], axis=1)
    return A, A.sum(axis=1), b - np.array(fourth), dense, 5.0


def march_explicitly(
    system: System,
    method: Explicit,
    times: Array,
    y: Array,
    v: Array,
    progress: Callable[[Progress], None] | None,
    throw: bool,
    began: float,
) -> Result:
    """Result of a run over output times from positions and velocities.

    Raises
    ------
    ModelError
        If the system has something that the loop does not have.
    """
    if not offers(system, Marches):
        _check.refuse(
            "simulate", "method", method, "be another one for this system", remedy="use SDIRK2()"
        )
    engine = system.marching()
    loop = engine.start(tableau(), method.tolerance, method.longest, times, y, v)
    status, message, failed = "success", "", False
    try:
        while not loop.done:
            loop.advance(_AT_ONCE)
            if loop.status:
                failed = True
                break
            if progress is not None:
                progress(Progress(loop.time, float(times[-1]), loop.steps, 0))
    except KeyboardInterrupt:
        status = "interrupted"
        message = f"interrupted at t = {loop.time:.6g} s of {times[-1]:g} s"
    if failed:
        status, message = "failed", f"at t = {loop.time:.6g} s: {_REASONS[loop.status]}"
    seconds = clock.perf_counter() - began
    t, (y_at, v_at), h = loop.frames()
    n = t.size
    none = np.zeros(n)
    frames = Frames(
        t, y_at, v_at, np.zeros((n, 0, 3)), np.zeros((n, 0)), h, none.astype(np.int64), none + 1.0
    )
    result = replace(
        cast("System", system).observe(frames),
        method=method.name,
        status=status,
        message=message,
        slack=(),
        stats={
            "steps": n - 1,
            "substeps": loop.steps,
            "failed_steps": 0,
            "rejected_steps": loop.rejected,
            "frozen_steps": 0,
            "newton_iterations": 0,
            "newton_tolerance": 0.0,
            "largest_residual": 0.0,
            "position_drift": 0.0,
            "velocity_drift": 0.0,
            "evaluations": loop.evaluations,
            "time_error": {"coordinates": None, "fibers": None},
            "march_seconds": seconds,
            "wall_seconds": clock.perf_counter() - began,
        },
    )
    if failed and throw:
        failure = ConvergenceError(f"simulate: {message}", time=loop.time)
        failure.result = result
        raise failure
    return result


def refuse_other_settings(**given: Any) -> None:
    """Refuse arguments of `simulate` that this method does not use."""
    for name, value in given.items():
        if value is not None and value != ():
            raise ModelError(
                f"simulate: {name} = {value!r} with Explicit(); must be left out; use another "
                "method, such as SDIRK2(), with it"
            )
