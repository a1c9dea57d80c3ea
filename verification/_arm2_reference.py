"""Independent answer for the scene `arm2`: its equations in plain NumPy, by scipy's DOP853.

Shares no code with the package. The plain arm lies beside the scene, `scenes/_arm2_numpy.py`. Here
the fiber lengths are states (elastic tendon) or follow from the pose (rigid tendon), excitation and
robot are continuous in time, and lengths, rates and moment arms are exact. The integration restarts
at the corners of the excitation.

`data/arm2_reference.csv` has the results of ``solve(condition, times=..., rtol=1e-10)``, a minute
each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from fibermsk.scene_files import find

find("arm2")  # the folder of the scene is then searched for modules
import _arm2_numpy as arm  # noqa: E402

AXES = arm.cylinder_axes()
CORNERS = (0.0, 1.0, 1.5, 2.5, 3.0, 4.0, 4.5, 5.5)


class Motion(NamedTuple):
    """Solution at times (n,): angles, speeds, activations, normalized fiber lengths (n, 2)."""

    time: np.ndarray
    q: np.ndarray
    p: np.ndarray
    activation: np.ndarray
    fiber: np.ndarray


def start(tendon="elastic"):
    """State at the start: angles, speeds, activations, normalized fibers at rest, robot."""
    bones = arm.pose(arm.START, np.zeros(2))
    paths = [arm.path(one, bones, AXES) for one in arm.MUSCLES]
    fibers = [
        arm.rest_length(one, path.length, a) / one.fiber
        for one, path, a in zip(arm.MUSCLES, paths, arm.START_ACTIVATION, strict=True)
    ]
    if tendon == "rigid":
        fibers = [1.0, 1.0]  # unused
    robot = np.r_[arm.ROBOT_START, 0.0, 0.0]
    return np.r_[arm.START, 0.0, 0.0, arm.START_ACTIVATION, fibers, robot]


def rates(t, y, condition, tendon, damping, excitations):
    """Right-hand side."""
    q, p, activation, fiber, robot = y[:2], y[2:4], y[4:6], y[6:8], y[8:]
    bones = arm.pose(q, p)
    M, bias = arm.mass_and_bias(bones)
    push = arm.passive_torque(q, p) - bias
    moving = np.zeros(2)
    for k, muscle in enumerate(arm.MUSCLES):
        path, a = arm.path(muscle, bones, AXES), activation[k]
        if tendon == "rigid":
            force = arm.rigid_force(muscle, path.length, path.slope @ p, a, damping)
        else:
            own = fiber[k] * muscle.fiber
            stretch = (path.length - own * arm.cos_pennation(muscle, own)) / muscle.tendon
            force = muscle.force * arm.tendon_curve(stretch)[0]
            moving[k] = arm.VELOCITY * arm.fiber_velocity(muscle, own, path.length, a)
        push = push - force * path.slope
    swing = np.zeros(4)
    if condition == "II":
        torque = arm.robot_torque(t, robot[:2], robot[2:])
        push = push + arm.wrench_on_arm(bones, *arm.robot_wrench(robot[:2], robot[2:], torque))
        swing = np.r_[robot[2:], arm.robot_acceleration(robot[:2], robot[2:], torque)]
    rate = [arm.activation_rate(e, a) for e, a in zip(excitations(t), activation, strict=True)]
    return np.r_[p, np.linalg.solve(M, push), rate, moving, swing]


def trapezoids(t):
    """Excitations of the scene, (2,)."""
    return [arm.excitation(one, t) for one in arm.MUSCLES]


def solve(condition="I", tendon="elastic", times=(5.0,), rtol=1e-9, damping=arm.DAMPING):
    """Motion at the given times, from 0 to the last of them."""
    times, y, rows = np.asarray(times, float), start(tendon), []
    last = times[-1]
    ends = [t for t in CORNERS if t < last] + [last]
    for begin, end in zip(ends, ends[1:], strict=False):
        wanted = np.r_[times[(times >= begin) & (times < end)], end]
        # corners belong to the interval that they begin
        inner = lambda t: trapezoids(min(t, math.nextafter(end, begin)))  # noqa: E731, B023
        found = solve_ivp(
            rates, (begin, end), y, "DOP853", wanted, rtol=rtol, atol=1e-3 * rtol,
            args=(condition, tendon, damping, inner), first_step=1e-5, max_step=2e-3,
        )  # fmt: skip
        if not found.success:
            raise RuntimeError(f"DOP853 failed at {found.t[-1]} s: {found.message}")
        y = found.y[:, -1]
        rows += list(found.y[:, :-1].T)
    rows.append(y)
    q, p, activation, fiber, _ = np.split(np.array(rows), (2, 4, 6, 8), axis=1)
    return Motion(times, q, p, activation, fiber)
