"""Calibration of a muscle with tendon on active stretches: one massless fiber, implicit Euler.

Written from the equations of active stress, titin and activation, independent of the package's
fibers; it serves the least squares of `active_stretch`, which then simulates fibers.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.optimize import least_squares

BELOW, ABOVE, FASTEST = 0.465, 0.554, 4.67
CURVATURE, ECCENTRIC, STEEPNESS = 0.19, 1.38, 6.7
"""Force-length and force-velocity curves of cat soleus: fits to Scott, Brown and Loeb (1996)."""
FIXED = 0.1
"""Length of titin that does not stretch, per half-sarcomere in optimal fiber lengths."""
VISCOSITY = 0.01
"""Passive viscosity over the isometric stress [s]."""

NAMES = (
    "strength", "share", "near_share", "passive_damping", "active_damping", "strain", "shape",
    "tendon_strain", "rise", "fall", "on", "off",
)  # fmt: skip
LOW = np.array([19.0, 0.2, 0.2, 0.02, 5.0, 0.15, 1.0, 0.015, 0.05, 0.05, 0.8, 9.7])
HIGH = np.array([24.0, 1.0, 0.9, 100.0, 1000.0, 0.9, 8.0, 0.08, 0.3, 0.3, 1.1, 10.2])
START = np.array([21.0, 0.9, 0.3, 10.0, 300.0, 0.3, 3.5, 0.04, 0.15, 0.15, 0.95, 10.0])
LOGARITHMIC = np.isin(NAMES, ("passive_damping", "active_damping", "tendon_strain"))


class Trials(NamedTuple):
    """Measured trials at equal intervals."""

    interval: float
    """[s]."""
    length: np.ndarray
    """Of the whole muscle from that with the fibers at their optimum (m, n) [m]."""
    force: np.ndarray
    """(m, n) [N]."""
    stimulated: np.ndarray
    """(m,) bool."""
    along: float
    """Optimal fiber length along the tendon [m]."""
    slack: float
    """Slack length of the tendon [m]."""


@njit(cache=True)
def passive(length, strain, shape):
    """Passive force over F_0 and its slope; its tangent above one."""
    rate = shape / strain
    offset = np.exp(rate * (0.2 - 1.0))
    scale = 1.0 / (1.0 - np.exp(-shape) * offset)
    base = scale * np.exp(-shape) * offset
    u = rate * (length - 1.0 - strain)
    if u < 0.0:
        grown = scale * np.exp(u)
        return grown - base, rate * grown
    return scale * (1.0 + u) - base, rate * scale


@njit(cache=True)
def velocity_factor(v):
    """f_V and its slope at a velocity over the largest one."""
    first, rise = 1.0 + 1.0 / CURVATURE, ECCENTRIC - 1.0
    if v <= 0.0:
        if v < -0.95:
            return 0.0, 0.01
        per = 1.0 / (1.0 - v / CURVATURE)
        return (1.0 + v) * per, first * per * per
    c = rise / (STEEPNESS * first)
    width = 0.5 * c
    if v < width:  # cubic between both branches
        per = 1.0 / (width + c)
        secant, last = rise * per, rise * c * per * per
        k2 = (3.0 * secant - 2.0 * first - last) / width
        k3 = (first + last - 2.0 * secant) / (width * width)
        return 1.0 + v * (first + v * (k2 + v * k3)), first + v * (2.0 * k2 + 3.0 * v * k3)
    per = 1.0 / (v + c)
    return 1.0 + rise * v * per, rise * c * per * per


@njit(cache=True)
def slide(x, z0, per_step, share, near, strain, shape):
    """Near length of titin after a step, force of the far segment and its slope in x."""
    z = z0
    for _ in range(40):
        far = 0.5 * x - FIXED - z
        f1, d1 = passive(2.0 * (z / near + FIXED), strain, shape)
        f2, d2 = passive(2.0 * (far / (1.0 - near) + FIXED), strain, shape)
        d1, d2 = 2.0 * share * d1 / near, 2.0 * share * d2 / (1.0 - near)
        slope = per_step + d1 + d2
        change = (per_step * (z - z0) + share * (f1 - f2)) / slope
        z -= change
        if abs(change) < 1e-11:
            break
    return z, share * f2, 0.5 * d2 * (1.0 - d2 / slope)


@njit(cache=True)
def simulate(p, length, stimulated, h, along, slack):
    """Force of one trial (n,) [N] with the parameters `NAMES` at steps h [s]."""
    strength, share, near = p[0], p[1], p[2]
    strain, shape = p[5], p[6]
    stiff = 1.0 / (p[7] * slack)
    force = np.empty(length.size)
    x, a = 1.0 + length[0] / along, 0.0
    for _ in range(100):
        f, d = passive(x, strain, shape)
        x -= (f - stiff * (length[0] - (x - 1.0) * along)) / (d + stiff * along)
    z = near * (0.5 * x - FIXED)
    force[0] = strength * stiff * (length[0] - (x - 1.0) * along)
    for t in range(1, length.size):
        now = t * h
        during = max(0.0, min(now, p[11]) - max(now - h, p[10])) if stimulated else 0.0
        before = max(0.0, min(h, p[10] - now + h)) if stimulated else h
        a *= np.exp(-before / p[9])
        a = 1.0 + (a - 1.0) * np.exp(-during / p[8])
        a *= np.exp(-(h - before - during) / p[9])
        per_step = (p[3] + p[4] * (1.0 - np.exp(-((a / 0.1) ** 2)))) / h
        x0, z0 = x, z
        low, high = x - 0.3, x + 0.3
        for _ in range(60):  # Newton's method, within an interval that shrinks
            z, titin, d_titin = slide(x, z0, per_step, share, near, strain, shape)
            f, d = passive(x, strain, shape)
            w = BELOW if x < 1.0 else ABOVE
            bell = np.exp(-(((x - 1.0) / w) ** 2))
            g, d_g = velocity_factor((x - x0) / (h * FASTEST))
            r = a * bell * g + titin + (1.0 - share) * f + VISCOSITY * (x - x0) / h
            r -= stiff * (length[t] - (x - 1.0) * along)
            d_r = a * bell * (d_g / (h * FASTEST) - 2.0 * (x - 1.0) / w**2 * g) + d_titin
            d_r += (1.0 - share) * d + VISCOSITY / h + stiff * along
            if r > 0.0:
                high = x
            else:
                low = x
            new = x - r / d_r if d_r > 0.0 else low
            if new <= low or new >= high:
                new = 0.5 * (low + high)
            change, x = new - x, new
            if abs(change) < 1e-11:
                break
        force[t] = strength * stiff * (length[t] - (x - 1.0) * along)
    return force


def forces(p: np.ndarray, trials: Trials) -> np.ndarray:
    """Forces of all trials (m, n) [N]."""
    pairs = zip(trials.length, trials.stimulated, strict=True)
    return np.array(
        [simulate(p, *pair, trials.interval, trials.along, trials.slack) for pair in pairs]
    )


def calibrate(trials: Trials) -> dict[str, float]:
    """Parameters `NAMES` of least squares in the forces, within `LOW` and `HIGH`."""
    low, high = (np.where(LOGARITHMIC, np.log(x), x) for x in (LOW, HIGH))
    start = (np.where(LOGARITHMIC, np.log(START), START) - low) / (high - low)

    def numbers(y):
        p = low + y * (high - low)
        return np.where(LOGARITHMIC, np.exp(p), p)

    def off_by(y):
        return ((forces(numbers(y), trials) - trials.force) / 21.5).ravel()

    fit = least_squares(
        off_by, start, bounds=(0.0, 1.0), diff_step=1e-4, xtol=1e-6, ftol=1e-5, max_nfev=60
    )
    return dict(zip(NAMES, map(float, numbers(fit.x)), strict=True))
