"""A mathematical pendulum: all that an integrator may ask of a system."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

from fibermsk.protocol import Evaluation, Frames

START = 1.0  # rad


@dataclass(frozen=True)
class Swing:
    """What a run of the pendulum gives."""

    frames: Frames
    method: str = ""
    status: str = ""
    message: str = ""
    stats: dict = field(default_factory=dict)
    slack: tuple = ()


class Pendulum:
    """y'' = -sin y, let go at 1 rad."""

    n, scale, fiber_names = 1, np.ones(1), ()

    def next_breakpoint(self, t, t_end):
        return t_end

    def initial_state(self):
        return np.array([START]), np.zeros(1)

    def retract(self, t, y, increment):
        return y + increment

    def enforce(self, y, v, t=None, *, derive=True):
        return v

    def enforce_rate(self, y, v, v_dot, t=None, *, derive=True):
        return v_dot

    def evaluate(self, t, y, v, v_dot, dv_dy=0.0, dvdot_dv=0.0, *, rates=False, tangent=True):
        slope = np.array([[dvdot_dv * dv_dy + np.cos(y[0])]])
        return Evaluation(v_dot + np.sin(y), slope, 1.0, np.zeros((0, 3)))

    def step_fraction(self, y, increment, keep):
        return 1.0

    def least_tension(self, t, y, v):
        return np.zeros(0), np.zeros(0)

    def suspects(self, t, y, v):
        return []

    def describe(self, unknown):
        return "angle"

    def check_inputs(self, times):
        pass

    def error_size(self, dy, dv, tolerance):
        size = abs(dy[0]) / (tolerance.relative + tolerance.angle)
        if tolerance.angular_speed is not None:
            size = max(size, abs(dv[0]) / tolerance.angular_speed)
        return size

    def drift(self, t, y, v):
        return 0.0, 0.0

    def memory(self):
        return {}

    def restore(self, memory):
        pass

    def identity(self, times):
        return {"the pendulum": "1"}

    def observe(self, frames):
        return Swing(frames)


@cache
def exact():
    """Solution as a function of time, and its rates: t -> (y, v, v_dot), each (1,)."""
    solution = solve_ivp(
        lambda t, s: [s[1], -np.sin(s[0])],
        (-1.0, 6.0),
        _at_minus_one(),
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
        dense_output=True,
    ).sol

    def at(t):
        y, v = solution(t)
        return np.array([y]), np.array([v]), np.array([-np.sin(y)])

    return at


def _at_minus_one():
    # the motion from rest is even in time
    end = solve_ivp(
        lambda t, s: [s[1], -np.sin(s[0])],
        (0.0, 1.0),
        [START, 0.0],
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    ).y[:, -1]
    return [end[0], -end[1]]
