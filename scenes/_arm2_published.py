"""The arm of the scene `arm2` as its authors computed it (Munoz-Pepi and others 2023), in NumPy.

What differs from the scene itself, as found in the published code:

- The fiber length is no state: the tendon takes a share of the rate by the stiffnesses of fiber and
  tendon, and the balance of forces gives the fiber length of every pose ("stiffness split").
- The force of the fibers loads the bones, not that of the tendon, which is less by the pennation.
- Rate of length and moment arm use the velocity of the cylinder's center, equations (11) and (13).
- The angles of the cylinder were turned into another frame like a vector.
- Fourth-order Runge-Kutta steps of 10 ms, with excitation and wrench held in each; the excitation
  is a Fourier series of 1000 terms.
"""

from functools import partial
from math import ceil, pi
from typing import NamedTuple

import _arm2_numpy as arm
import numpy as np
from scipy.optimize import brentq

STEP = 0.01  # s
TERMS = 1000
TURNED = arm.cylinder_axes("xzy")
"""Axes of the cylinder after that turn: the same angles in another order."""


class March(NamedTuple):
    """Motion at every step: time (n,), angles and speeds (n, 2), activations (n, 2).

    Of the muscles lengths and their rates, normalized fiber lengths, forces on the bones (n, 2).
    """

    time: np.ndarray
    q: np.ndarray
    p: np.ndarray
    activation: np.ndarray
    length: np.ndarray
    speed: np.ndarray
    fiber: np.ndarray
    force: np.ndarray


class Split(NamedTuple):
    """Fibers and tendon at one state: normalized fiber length, forces of fibers and tendon [N]."""

    fiber: float
    fiber_force: float
    tendon_force: float


def excitations(t):
    """Fourier series of the trapezoids, (2,)."""
    n = np.arange(1, TERMS + 1)
    w = 2.0 * pi * n / arm.PERIOD
    # even about the middle of the upper plateau, 0.5 s to its end, 1 s to the lower plateau
    height = 4.0 / arm.PERIOD * (np.cos(0.5 * w) - np.cos(w)) / (0.5 * w**2)
    wave = 0.5 + height @ np.cos(w * (t - 0.5))
    return np.array(
        [low + (high - low) * wave for high, low in (m.excitation for m in arm.MUSCLES)]
    )


def split(muscle, length, speed, activation, start=1.0):
    """Balance of fibers and tendon [N], with the rate shared by their stiffnesses.

    The fiber length is found from `start`, normalized, by Brent's method.
    """

    def forces(x):
        """Normalized forces of fibers and tendon, and the cosine of the pennation."""
        own = x * muscle.fiber
        c = arm.cos_pennation(muscle, own)
        (f_L, df_L), (f_P, df_P) = arm.active_curve(x), arm.passive_curve(x)
        stretch = (length - own * c) / muscle.tendon
        f_T, df_T = arm.tendon_curve(stretch)
        v, K_T = speed * c / (arm.VELOCITY * muscle.fiber), df_T / muscle.tendon
        share = 0.5 if stretch > 1.0 else 0.0  # of the fibers in the rate
        for _ in range(200):
            f_V = activation * arm.velocity_curve(v * share)[0]
            undamped = f_L * f_V + f_P
            if share == 0.0:
                break
            # d(F cos) / d(l cos) without damping, at a constant thickness of the muscle
            slope = (df_L * f_V + df_P) / muscle.fiber
            K_S = (slope * c + undamped * (1.0 - c * c) / (own * c)) * c
            before, share = share, K_T / (K_S + K_T)
            if abs(share - before) < 1e-15:
                break
        else:
            raise ArithmeticError("the share of the fibers in the rate does not converge")
        return undamped + arm.DAMPING * v * share, f_T, c

    def excess(x):
        force, f_T, c = forces(x)
        return force * c - f_T

    low = high = start
    width = 1e-4
    while excess(low) > 0.0:
        high, low, width = low, low - width, 4.0 * width
    while excess(high) < 0.0:
        low, high, width = high, high + width, 4.0 * width
    x = start if low == high else brentq(excess, low, high, xtol=1e-14, rtol=1e-13)
    force, f_T, _ = forces(x)
    return Split(x, muscle.force * force, muscle.force * f_T)


class _State(NamedTuple):
    """What one evaluation gives: rate of (q, p, a), and the muscles' numbers."""

    rate: np.ndarray
    length: np.ndarray
    speed: np.ndarray
    fiber: np.ndarray
    force: np.ndarray


def evaluate(y, held, wrench=None, start=(1.0, 1.0)):
    """Rates at the state y = (q, p, activations), with held excitations and wrench."""
    q, p, a = y[:2], y[2:4], y[4:]
    bones = arm.pose(q, p)
    paths = [arm.path(muscle, bones, TURNED, material=False) for muscle in arm.MUSCLES]
    speed = np.array([one.slope @ p for one in paths])
    parts = [
        split(muscle, one.length, v, b, x)
        for muscle, one, v, b, x in zip(arm.MUSCLES, paths, speed, a, start, strict=True)
    ]
    force = np.array([one.fiber_force for one in parts])
    M, bias = arm.mass_and_bias(bones)
    push = arm.passive_torque(q, p) - bias - force @ [one.slope for one in paths]
    if wrench is not None:
        push = push + arm.wrench_on_arm(bones, *wrench)
    rate = np.r_[p, np.linalg.solve(M, push), list(map(arm.activation_rate, held, a))]
    length = np.array([one.length for one in paths])
    fiber = np.array([one.fiber for one in parts])
    return _State(rate, length, speed, fiber, force)


def march(condition="I", duration=5.0):
    """Motion of the authors' formulation every 10 ms, for a duration of 40 ms or more."""
    n = max(ceil(duration / STEP - 1e-9), 4)  # a cubic spline needs as many
    y = np.r_[arm.START, 0.0, 0.0, arm.START_ACTIVATION]
    robot = np.r_[arm.ROBOT_START, 0.0, 0.0]
    rows, fiber = [], (1.0, 1.0)
    for k in range(n + 1):
        t = k * STEP
        held, wrench = excitations(t), None
        if condition == "II":
            torque = arm.robot_torque(t, robot[:2], robot[2:])
            wrench = arm.robot_wrench(robot[:2], robot[2:], torque)
            robot = runge_kutta(robot, partial(_robot_rate, torque))
        found = evaluate(y, held, wrench, fiber)
        fiber = found.fiber
        rows.append(np.r_[t, y, *found[1:]])
        y = runge_kutta(y, partial(_rate, held, wrench, fiber))
    time, *parts = np.split(np.array(rows), np.arange(1, 14, 2), axis=1)
    return March(time[:, 0], *parts)


def runge_kutta(y, rate):
    """One classical step of fourth order."""
    k1 = rate(y)
    k2 = rate(y + 0.5 * STEP * k1)
    k3 = rate(y + 0.5 * STEP * k2)
    k4 = rate(y + STEP * k3)
    return y + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def _rate(held, wrench, fiber, y):
    return evaluate(y, held, wrench, fiber).rate


def _robot_rate(torque, y):
    return np.r_[y[2:], arm.robot_acceleration(y[:2], y[2:], torque)]
