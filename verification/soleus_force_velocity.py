"""Isokinetic force of a fiber, calibrated on one study of cat soleus, predicts another.

Calibration: v_max, kappa, f_e and s of `fm.HillForceVelocity`, least squares to 86 points of Scott,
Brown and Loeb (1996, fig. 4 A), in shortening and lengthening. Prediction: 42 points of Brown,
Scott and Loeb (1996, fig. 8 in shortening, fig. 9 in lengthening), that the fit has not seen.

The computed force is that of a simulated fiber: in passive equilibrium, then active and moved at
constant velocity to its optimum, where its force over F_0 is read. It has no passive stress but 100
Pa and a viscosity of 10 Pa s, so that it is unstable on the descending limb, where shortening
begins, a tenth of its length from the optimum. One finite element that starts even stays even for
the at most 2 s of a run: the damping of the force-velocity curve lets differences grow by less than
1/s there.

Limits are those set for the validation before it was made: 0.10 of F_0, root mean square. The
measurements of one velocity scatter by 0.1.
"""

import warnings
from functools import cache

import numpy as np
from _experiments import rms, series, within
from scipy.optimize import least_squares

import fibermsk as fm
from fibermsk.verify import Expected

OPTIMUM = 0.0429  # m


def measured() -> dict[str, np.ndarray]:
    """Velocities [L_0/s] and forces over F_0 of the three figures, each (n, 2)."""
    files = {
        "scott": "scott1996_fig4_force_velocity.csv",
        "brown_shortening": "brown1996_fig8_force_velocity.csv",
        "brown_lengthening": "brown1996_fig9_force_velocity.csv",
    }
    return {key: series(name)["fv"] for key, name in files.items()}


def curve_of(numbers) -> fm.HillForceVelocity:
    """Force-velocity curve of kappa, f_e and s."""
    return fm.HillForceVelocity(*numbers)


@cache
def calibrate() -> tuple[float, fm.HillForceVelocity]:
    """Largest velocity [L_0/s] and curve, least squares to Scott."""
    v, force = measured()["scott"].T

    def off_by(p):
        curve = curve_of(p[1:])
        return np.array([curve.factor(x)[0] for x in v / p[0]]) - force

    bounds = [2.0, 0.05, 1.05, 1.0], [10.0, 1.0, 2.0, 30.0]
    p = least_squares(off_by, [5.0, 0.25, 1.4, 3.0], bounds=bounds, x_scale=[1.0, 0.1, 0.1, 2.0]).x
    return float(p[0]), curve_of(p[1:])


def muscle() -> fm.WholeMuscle:
    """Muscle fiber with the calibrated curve and a rigid tendon."""
    fastest, curve = calibrate()
    active = fm.HillStress(
        3e5,
        max_velocity=fastest,
        force_length=fm.GaussianForceLength(),
        force_velocity=curve,
    )
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(100.0, 10.0), active=active, prestress=100.0)
    return fm.WholeMuscle(OPTIMUM, 20.0, tissue)


def isokinetic(own: fm.WholeMuscle, velocity: float, elements: int = 1) -> float:
    """Force over F_0 at the optimum, at a velocity in optimal lengths per second."""
    span = min(0.1, 2.0 * abs(velocity))  # over at most 2 s
    excitation = fm.Table((0.0, 0.001, 0.002), (0.0, 0.0, 1.0))
    with warnings.catch_warnings():
        # shortening begins on the descending limb; see the statement
        warnings.simplefilter("ignore", fm.ModelWarning)
        if span < 1e-6:
            run = own.simulate(OPTIMUM, excitation, 0.02, 0.02, elements=elements, error=1e-4)
            return float(run.force[-1] / own.max_isometric_force)
        start, end = 1.0 - np.sign(velocity) * span, 1.0 + 0.5 * np.sign(velocity) * span
        hold, ahead = 0.002, span / abs(velocity)
        times = [0.0, hold, hold + 1.5 * ahead]
        lengths = OPTIMUM * np.array([start, start, end])
        # the optimum is the last time of the result
        last = hold + ahead
        run = own.simulate((times, lengths), excitation, last, last, elements=elements, error=1e-4)
    return float(run.force[-1] / own.max_isometric_force)


@cache
def computed(key: str, elements: int = 1) -> np.ndarray:
    """Forces over F_0 of simulated fibers at the measured velocities."""
    own = muscle()
    return np.array([isokinetic(own, v, elements) for v in measured()[key][:, 0]])


def run(elements: int = 1) -> dict[str, float]:
    """Root mean square differences over F_0, calibration and prediction apart.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber.
    """
    if elements < 1:
        raise fm.ModelError(f"elements = {elements}; must be 1 or more")
    points = measured()
    fastest, curve = calibrate()
    v, force = points["scott"].T
    fitted = np.array([curve.factor(x)[0] for x in v / fastest])
    parts = {
        key: computed(key, elements) - points[key][:, 1]
        for key in ("brown_shortening", "brown_lengthening")
    }
    curves = np.array([curve.factor(x / fastest)[0] for x in points["brown_shortening"][:, 0]])
    ours = computed("brown_shortening", elements)
    return {
        "calibration_scott_rms": rms(fitted - force),
        "prediction_brown_rms": rms(np.concatenate(list(parts.values()))),
        "prediction_brown_shortening_rms": rms(parts["brown_shortening"]),
        "prediction_brown_lengthening_rms": rms(parts["brown_lengthening"]),
        "fiber_off_curve": float(np.abs(ours - curves).max()),
    }


def expected(elements: int = 1) -> dict[str, Expected]:
    """Measured forces; for the fiber, its own law."""
    scott, brown = "Scott, Brown and Loeb (1996), fig. 4 A", "Brown, Scott and Loeb (1996)"
    why = "limit of the validation, over F_0, root mean square"
    return {
        "calibration_scott_rms": within(0.10, scott, f"{why}; calibrated on it"),
        "prediction_brown_rms": within(0.10, f"{brown}, figs. 8 and 9", why),
        "fiber_off_curve": Expected(
            0.0,
            0.005,
            "viscosity of 10 Pa s, prestress, inertia, and steps with an error of 1e-4",
            kind="consistency",
            source="the force-velocity curve at the prescribed velocity",
        ),
    }


def study(fine: bool = False) -> dict:
    """Calibrated numbers, and forces over the velocity.

    Parameters
    ----------
    fine : bool
        Simulated fibers at 61 instead of 25 velocities.
    """
    fastest, curve = calibrate()
    names = ("v_max [L0/s]", "kappa", "f_e", "s")
    numbers = fastest, curve.curvature, curve.eccentric, curve.steepness
    # denser near zero
    side = np.linspace(-1.0, 1.0, 61 if fine else 25)
    own, v = muscle(), np.where(side < 0.0, 4.8, 3.6) * side * np.abs(side)
    table = {
        "columns": ["number", "value"],
        "rows": [list(row) for row in zip(names, numbers, strict=True)],
    }
    return {
        "tables": {"Calibrated on Scott, Brown and Loeb (1996)": table},
        "fiber": (v, [isokinetic(own, x) for x in v]),
    }


def plot(numbers: dict):
    """Measured and simulated force over the velocity."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(9, 3.8)
    points = measured()
    panels = figure.subplots(1, 2, sharey=True)
    panels[0].plot(*points["scott"].T, ".", color="0.5", label="Scott et al. (1996), fig. 4 A")
    for key, color, name in (
        ("brown_shortening", COLORS[1], "fig. 8"),
        ("brown_lengthening", COLORS[2], "fig. 9"),
    ):
        label = f"Brown et al. (1996), {name}"
        panels[1].plot(*points[key].T, ".", color=color, label=label)
    for axes, title in zip(panels, ("calibration", "prediction"), strict=True):
        axes.plot(*numbers["fiber"], color=COLORS[0], label="simulated fiber")
        finish(axes, title, "velocity [optimal lengths / s]", "force / isometric force")
    return figure
