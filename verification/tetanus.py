"""Rise and fall of a measured tetanus.

Isometric force of a rabbit tibialis anterior (Winters et al. 2011, fig. 1 A). Calibrated on it, by
least squares with the exact exponential of a first-order activation: onset and end of the
stimulation, time constants of rise and fall, active and resting force. The computed force is that
of a simulated fiber with `fm.PiecewiseActivation(variation=0)`, on the ascending limb of its
force-length curve, where elements do not run apart.

The limit is that set for the validation before it was made: 0.03 of the largest force, root mean
square. The measured force declines by 6 % during the plateau, which the model has no cause for, and
starts to rise and to fall more gradually than an exponential: the largest difference, a seventh of
the force, is on the flanks.
"""

from functools import cache

import numpy as np
from _experiments import rms, series, within
from scipy.optimize import least_squares

import fibermsk as fm
from fibermsk.verify import Expected

RADIUS, LENGTH = 4e-3, 0.04  # m
AREA = np.pi * RADIUS**2
BELL = np.exp(-(((1.0 - 1.0 / 1.3) / 0.3) ** 4))
"""Force-length factor of the held fiber."""


@cache
def measured() -> np.ndarray:
    """Time [s] and force [N] (2, n) at intervals of 1 ms."""
    t, force = series("winters2011_fig1a_activation.csv")["c01"].T
    time = np.arange(0.0, t[-1], 1e-3)
    return np.array([time, np.interp(time, t, force)])


def exponential(time, on, off, rise, fall):
    """Exact activation with constant time constants, excited fully from on to off."""
    top = 1.0 - np.exp(-(off - on) / rise)
    after = top * np.exp(-np.clip(time - off, 0.0, None) / fall)
    during = 1.0 - np.exp(-np.clip(time - on, 0.0, None) / rise)
    return np.where(time > off, after, during)


@cache
def calibrate() -> np.ndarray:
    """On, off, rise and fall [s], active and resting force [N]."""
    time, force = measured()

    def off_by(p):
        return (p[5] + p[4] * exponential(time, *p[:4]) - force) / p[4]

    start = [0.105, 0.78, 0.02, 0.02, 14.0, 0.1]
    return least_squares(off_by, start, bounds=([0.09, 0.7, 1e-3, 1e-3, 5, 0], 20.0)).x


@cache
def computed(elements: int = 2) -> np.ndarray:
    """Force of the simulated fiber at the times of `measured` [N]."""
    time, _ = measured()
    on, off, rise, fall, active, resting = calibrate()
    jump = 1e-7
    pulse = fm.Table([on, on + jump, off, off + jump], [0.0, 1.0, 1.0, 0.0])
    tissue = fm.Tissue(
        1060,
        fm.KelvinVoigt(2e4, 1e3),
        active=fm.ActiveStress(active / AREA / BELL, optimal_stretch=1.3),
        prestress=resting / AREA,
    )
    model = fm.Model("tetanus", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(LENGTH, 0, 0)
    dynamics = fm.ActivationDynamics(pulse, fm.PiecewiseActivation(rise, fall, variation=0.0))
    model.add(
        fm.Fiber(
            "anterior",
            attach=ends,
            radius=RADIUS,
            n_elements=elements,
            tissue=tissue,
            activation=dynamics,
        )
    )
    result = fm.simulate(
        fm.build(model),
        t_end=(time.size - 1) * 1e-3,
        dt=1e-3,
        control=fm.AdaptiveSteps(1e-5, landing=False),
    )
    return np.interp(time, result.time, -result.fibers["anterior"].force_insertion[:, 0])


def run(elements: int = 2) -> dict[str, float]:
    """Difference from the measured force over the largest, and from the exact activation.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber.
    """
    if elements < 1:
        raise fm.ModelError(f"elements = {elements}; must be 1 or more")
    time, force = measured()
    *times, active, resting = calibrate()
    exact = resting + active * exponential(time, *times)
    ours = computed(elements)
    return {
        "calibration_rms": rms(ours - force) / float(force.max()),
        "off_exact": float(np.abs(ours - exact).max() / active),
        "rise_s": float(times[2]),
        "fall_s": float(times[3]),
    }


def expected(elements: int = 2) -> dict[str, Expected]:
    """Measured force; for the fiber, the exact activation."""
    return {
        "calibration_rms": within(
            0.03,
            "Winters et al. (2011), fig. 1 A",
            "limit of the validation, over the largest force, root mean square; calibrated on it",
        ),
        "off_exact": Expected(
            0.0,
            2e-3,
            "error of adaptive steps and viscosity, over the active force",
            source="exponential response of a first-order law",
        ),
    }


def study(fine: bool = False) -> dict:
    """Calibrated numbers, and measured and computed force.

    Parameters
    ----------
    fine : bool
        Eight instead of two elements.
    """
    names = ("on [s]", "off [s]", "rise [s]", "fall [s]", "active [N]", "resting [N]")
    rows = [[name, float(x)] for name, x in zip(names, calibrate(), strict=True)]
    table = {"columns": ["number", "value"], "rows": rows}
    return {"tables": {"Calibrated": table}, "force": computed(8 if fine else 2)}


def plot(numbers: dict):
    """Measured and computed force over time."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(6.4, 3.8)
    axes = figure.subplots()
    time, force = measured()
    axes.plot(time, force, color="0.7", lw=4, label="measured")
    axes.plot(time, numbers["force"], color=COLORS[0], label="simulated fiber")
    finish(axes, "calibration", "time [s]", "force [N]")
    return figure
