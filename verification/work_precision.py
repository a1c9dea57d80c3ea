"""Work against precision: the upper limb with fixed and adaptive steps of four integrators.

scenes/upper_limb.py at level 1 (eight elements a fiber), its first `duration` seconds from rest, 2
s by default, in which contacts open and close all the time. The error is the largest of the elbow
angle at every 1/16 s. The work is the time on the wall from the first step to the last (reporting
left out, kernels compiled before) and, more repeatable, the number of Newton iterations. Fixed
steps take 1/32, 1/64 and 1/128 s; adaptive ones have relative tolerances of 1e-3, 3e-4 and 1e-4
and pass the times of comparison.

The answer: the angle by SDIRK2 with 4096 and 8192 steps, extrapolated to vanishing steps. BDF2 with
8192 and 16384 steps, extrapolated likewise, differs by 5e-7 rad at most, and generalized-alpha (rho
0.8) with 8192 steps, not extrapolated, by 3.4e-6 rad.

The bounds of fixed steps are C h for backward Euler and C h^2 for the others, h the step. C is
measured with steps of 1/32 to 1/512 s and rounded up: 3.0 to 4.4 rad/s for backward Euler, whose
order is on its way to 1; 64 to 90 rad/s^2 for BDF2, 9.6 to 10.7 for SDIRK2, 20 to 25 for
generalized-alpha. Contacts that open and close make the slope of the force jump, which leaves an
error of second order in one step, of a size that depends on where in the step it falls. So the
order stays and the constants scatter, most with the finest steps (generalized-alpha, 4096 steps: 57
rad/s^2).

An adaptive step is as long as its own error allows, so the error at the end falls with the power
p/(p+1) of the tolerance for a method of order p. The factors were measured with tolerances of
1e-3 to 1e-6: 0.7 to 0.75 for backward Euler, 0.7 to 0.95 for BDF2, 0.14 to 0.34 for SDIRK2, 0.11
to 0.16 for generalized-alpha; as the lengths of steps depend on everything, they are rounded up by
half. Seconds are never compared with anything.
"""

import time

import numpy as np

import fibermsk as fm
from fibermsk.cli.scene_files import find
from fibermsk.verify import Expected

METHODS = {
    "backward_euler": fm.BackwardEuler(),
    "bdf2": fm.BDF2(),
    "sdirk2": fm.SDIRK2(),
    "generalized_alpha": fm.GeneralizedAlpha(0.8),
}
INTERVAL = 1.0 / 16.0
"""Between the times of comparison [s]."""
# fmt: off
ANGLE = np.array([
    0.0000000, 0.1087656, 0.5218094, 0.9433603, 1.0041359, 0.8732051, 0.8425186, 0.9060368,
    0.9221985, 0.8730034, 0.8298234, 0.8156930, 0.8013567, 0.7695245, 0.7299966, 0.6923662,
    0.6534547, 0.6068217, 0.5507265, 0.4867118, 0.4157683, 0.3383935, 0.2573254, 0.1795878,
    0.1216676, 0.1109764, 0.1711446, 0.3073321, 0.4909025, 0.6514828, 0.7420560, 0.7881748,
    0.8353373,
])
# fmt: on
"""Elbow angle at vanishing steps, every `INTERVAL` up to 2 s [rad]."""
PER_INTERVAL = (2, 4, 8)
"""Fixed steps per `INTERVAL`."""
TOLERANCES = (1e-3, 3e-4, 1e-4)
"""Relative."""
CONSTANT = {"backward_euler": 4.5, "bdf2": 95.0, "sdirk2": 12.0, "generalized_alpha": 26.0}
"""Bounds of the error over the step [rad/s], or over its square [rad/s^2]."""
FACTOR = {"backward_euler": 1.1, "bdf2": 1.4, "sdirk2": 0.5, "generalized_alpha": 0.25}
"""Bounds of the error over the power of the tolerance [rad]."""


def intervals(duration: float) -> int:
    """Number of times of comparison after the first; refuses durations without a reference."""
    n = round(duration / INTERVAL)
    if not 1 <= n < ANGLE.size or abs(n * INTERVAL - duration) > 1e-12:
        raise fm.ModelError(
            f"work_precision: duration = {duration:g} s; must be a multiple of 1/16 s up to 2 s"
        )
    return n


def measure(method, control, duration: float, per_interval: int) -> dict[str, float]:
    """Error [rad], steps, Newton iterations and seconds of one run."""
    n = intervals(duration)
    system = fm.build(find("upper_limb").make({"elements": 8}).model)
    ticks = [time.perf_counter()]
    result = fm.simulate(
        system,
        t_end=duration,
        dt=duration / (n * per_interval),
        method=method,
        control=control,
        progress=lambda progress: ticks.append(time.perf_counter()),
    )
    angle = result.coordinate("elbow_flexion")[::per_interval]
    return {
        "error": float(np.abs(angle - ANGLE[: n + 1]).max()),
        "steps": float(result.stats["substeps"]),
        "newton": float(result.stats["newton_iterations"]),
        "seconds": ticks[-1] - ticks[0],
    }


def ladders(duration: float, per_interval, tolerances) -> dict[str, list[dict[str, float]]]:
    """Measurements by "method, fixed" and "method, adaptive"."""
    # compiles what is still to compile, of every method
    for method in METHODS.values():
        measure(method, fm.FixedSteps(), INTERVAL, 4)
    found = {}
    for name, method in METHODS.items():
        found[f"{name}_fixed"] = [
            measure(method, fm.FixedSteps(), duration, n) for n in per_interval
        ]
        found[f"{name}_adaptive"] = [
            measure(method, fm.AdaptiveSteps(tolerance, landing=False), duration, 1)
            for tolerance in tolerances
        ]
    return found


def slope(ladder: list[dict[str, float]]) -> float:
    """How the error falls with the number of steps, over the whole ladder."""
    first, last = ladder[0], ladder[-1]
    return float(np.log(first["error"] / last["error"]) / np.log(last["steps"] / first["steps"]))


def run(duration: float = 2.0) -> dict[str, float]:
    """Errors, numbers of steps and Newton iterations, seconds, slopes.

    Parameters
    ----------
    duration : float
        Simulated time [s], a multiple of 1/16 up to 2.
    """
    intervals(duration)
    values = {}
    for name, ladder in ladders(duration, PER_INTERVAL, TOLERANCES).items():
        settings = PER_INTERVAL if name.endswith("fixed") else TOLERANCES
        for setting, found in zip(settings, ladder, strict=True):
            values.update({f"{name}_{setting:g}_{what}": found[what] for what in found})
        values[f"{name}_slope"] = slope(ladder)
    return values


def expected(duration: float = 2.0) -> dict[str, Expected]:
    """Bounds of the errors of fixed steps; of adaptive ones, over their tolerance."""
    intervals(duration)
    answers = {}
    for name, method in METHODS.items():
        for n in PER_INTERVAL:
            bound = CONSTANT[name] * (INTERVAL / n) ** method.order
            why = f"extrapolated to vanishing steps; {CONSTANT[name]:g} h^{method.order}, measured"
            answers[f"{name}_fixed_{n:g}_error"] = Expected(0.0, bound, why)
        power = method.order / (method.order + 1)
        for tolerance in TOLERANCES:
            answers[f"{name}_adaptive_{tolerance:g}_error"] = Expected(
                0.0,
                FACTOR[name] * tolerance**power,
                "extrapolated to vanishing steps; the tolerance to the power "
                f"{method.order}/{method.order + 1}, {FACTOR[name]:g} measured and rounded up",
            )
    return answers


def study(fine: bool = False) -> dict:
    """Ladders of all methods.

    Parameters
    ----------
    fine : bool
        Two finer steps and tolerances.
    """
    per_interval = (*PER_INTERVAL, 16, 32) if fine else PER_INTERVAL
    tolerances = (*TOLERANCES, 3e-5, 1e-5) if fine else TOLERANCES
    found = ladders(2.0, per_interval, tolerances)
    rows = []
    for name, ladder in found.items():
        settings = per_interval if name.endswith("fixed") else tolerances
        for setting, one in zip(settings, ladder, strict=True):
            kind = f"{32 * setting} steps" if name.endswith("fixed") else f"tolerance {setting:g}"
            rows.append(
                [name.rpartition("_")[0], kind, f"{one['error']:.2e}", int(one["steps"])]
                + [int(one["newton"]), f"{one['seconds']:.2f}"]
            )
    columns = ["method", "steps", "error [rad]", "steps made", "Newton iterations", "time [s]"]
    return {
        "tables": {"Upper limb, level 1, 2 s": {"columns": columns, "rows": rows}},
        "notes": ["Times are those of this machine, with whatever else it was doing."],
        "ladders": found,
    }


def plot(numbers: dict):
    """Error of the angle over wall time and over Newton iterations; adaptive steps dashed."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(12.0, 4.5)
    for i, (what, label) in enumerate(
        (("seconds", "time on the wall [s]"), ("newton", "Newton iterations")), start=1
    ):
        axes = figure.add_subplot(1, 2, i)
        for name, color in zip(METHODS, COLORS, strict=False):
            for kind, style in (("fixed", "o-"), ("adaptive", "s--")):
                ladder = numbers["ladders"][f"{name}_{kind}"]
                work, error = ([one[key] for one in ladder] for key in (what, "error"))
                axes.loglog(work, error, style, color=color, markersize=4, label=f"{name}, {kind}")
        names = axes.get_legend_handles_labels()
        finish(axes, "Upper limb, level 1, 2 s", label, "largest error of the elbow angle [rad]")
        axes.get_legend().remove()
    figure.legend(*names, loc="outside right center", frameon=False, fontsize="small")
    return figure
