"""Work and precision: the upper limb with fixed and adaptive steps of four integrators.

scenes/upper_limb.py at level 1 (eight elements per fiber), its first `duration` seconds from rest,
2 s by default, in which contacts open and close all the time. The error is the largest of the elbow
angle at every 1/16 s. The work is the wall time from the first step to the last (without reporting
and compilation) and, more repeatable, the number of Newton iterations. Fixed steps are 1/32, 1/64
and 1/128 s long; adaptive ones have relative tolerances of 1e-3, 3e-4 and 1e-4 and do not end on
the times of comparison.

The answer: the same equations of motion by scipy's Radau IIA (_limb_reference.py).

Verified for the second-order methods: the error of fixed steps decreases with the order of the
method, from 1/32 to 1/128 s, within 0.15 (contacts that open and close make the slope of the force
jump; this causes an error of second order in one step, whose size depends on the time of the jump
in the step); and adaptive steps with a tolerance of 1e-4 have an error below 2e-3 rad, a
five-hundredth of the swing. Backward Euler is not accurate at any of these settings and has not
reached order 1 yet (`integrator_orders` measures it before the first contact).

All errors are listed with their cost; the tests have bounds for them, to detect changes. Wall times
are not compared with anything.
"""

import time

import numpy as np
from _limb_reference import ANGLE, EVERY

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.verify import Expected

METHODS = {
    "backward_euler": fm.BackwardEuler(),
    "bdf2": fm.BDF2(),
    "sdirk2": fm.SDIRK2(),
    "generalized_alpha": fm.GeneralizedAlpha(0.8),
}
INTERVAL = 1.0 / 16.0
"""Between the times of comparison [s]."""
KNOWN = round((ANGLE.size - 1) * EVERY / INTERVAL)
"""Number of times of comparison with an answer, after the first."""
PER_INTERVAL = (2, 4, 8)
"""Fixed steps per `INTERVAL`."""
TOLERANCES = (1e-3, 3e-4, 1e-4)
"""Relative tolerances of adaptive steps."""
ACCURATE = {1e-4: 2e-3}
"""Error [rad] that second-order methods must not exceed, by the relative tolerance."""


def intervals(duration: float) -> int:
    """Number of times of comparison after the first; refuses durations without a reference."""
    n = round(duration / INTERVAL)
    if not 1 <= n <= KNOWN or abs(n * INTERVAL - duration) > 1e-12:
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
    exact = ANGLE[:: round(INTERVAL / EVERY)][: n + 1]
    return {
        "error": float(np.abs(angle - exact).max()),
        "steps": float(result.stats["substeps"]),
        "newton": float(result.stats["newton_iterations"]),
        "seconds": ticks[-1] - ticks[0],
    }


def ladders(duration: float, per_interval, tolerances) -> dict[str, list[dict[str, float]]]:
    """Measurements by "method, fixed" and "method, adaptive"."""
    # compile every method before timing
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
    """Order of the error in the number of steps, from the first to the last measurement."""
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
    """Orders of fixed steps, and errors of adaptive ones."""
    n, answers = intervals(duration), {}
    for name, method in METHODS.items():
        if method.order < 2:
            continue
        if n == KNOWN:
            answers[f"{name}_fixed_slope"] = Expected(
                method.order,
                0.15,
                "contacts that open and close within steps; next terms of the error",
                kind="order",
                source="order of the method",
            )
        for tolerance, close in ACCURATE.items():
            answers[f"{name}_adaptive_{tolerance:g}_error"] = Expected(
                0.0,
                close,
                f"{close:g} of the swing of 1 rad",
                kind="independent",
                source="scipy's Radau IIA",
                scale=1.0,
            )
    return answers


def study(fine: bool = False) -> dict:
    """Ladders of all methods.

    Parameters
    ----------
    fine : bool
        With two more steps and tolerances, both finer.
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
    columns = ["method", "steps", "error [rad]", "accepted steps", "Newton iterations", "time [s]"]
    return {
        "tables": {"Upper limb, level 1, 2 s": {"columns": columns, "rows": rows}},
        "notes": ["Times depend on this machine and on the other programs that were running."],
        "ladders": found,
    }


def plot(numbers: dict):
    """Error of the angle against wall time and Newton iterations; adaptive steps dashed."""
    from _pictures import COLORS, finish, new_figure
    from matplotlib.ticker import LogLocator, NullFormatter

    figure = new_figure(12.0, 4.5)
    for i, (what, label) in enumerate(
        (("seconds", "wall time [s]"), ("newton", "Newton iterations")), start=1
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
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    figure.legend(*names, loc="outside right center", frameon=False, fontsize="small")
    return figure
