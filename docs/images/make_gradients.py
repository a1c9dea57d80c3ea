"""Figures of the guide to gradients: ``python make_gradients.py [NAME ...]``.

``arm`` takes an hour: it is compared with a method without gradients.
"""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from _ends import draw_ends
from scipy.optimize import least_squares, minimize

import fibermsk as fm

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "scenes"))
import follow_angle  # noqa: E402
import quick_release  # noqa: E402
import reaching  # noqa: E402
import reaching_arm  # noqa: E402
import tendon_transfer  # noqa: E402

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "0.55"
MOST = {"torques": 500, "muscles": 600}
"""Runs of Nelder and Mead's method."""


def panels(width=7.6, height=3.0):
    """Figure with two plane axes."""
    figure, axes = plt.subplots(1, 2, figsize=(width, height), layout="constrained")
    for one in axes:
        one.grid(True, color="0.9", linewidth=0.6)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def follow() -> None:
    """Angle of the forearm and activations, found and constant."""
    figure, (left, right) = panels()
    flat = fm.simulate_scene(follow_angle.scene(found=False, level=0.005))
    found = fm.simulate_scene(follow_angle.scene())
    time = found.time
    left.plot(time, follow_angle.wanted(time), color="black", lw=3, alpha=0.3, label="to follow")
    left.plot(time, flat.coordinates["elbow_flexion"], color=GRAY, ls="--", label="start")
    left.plot(time, found.coordinates["elbow_flexion"], color=BLUE, label="found")
    left.set(xlabel="time [s]", ylabel="elbow flexion [rad]")
    left.legend(frameon=False)
    knots = np.linspace(0.0, time[-1], len(follow_angle.FOUND["biceps"]))
    for muscle, color in zip(follow_angle.MUSCLES, (ORANGE, GREEN), strict=True):
        right.plot(knots, follow_angle.FOUND[muscle], "o-", ms=3, color=color, label=muscle)
    right.set(xlabel="time [s]", ylabel="activation", ylim=(0.0, None))
    right.legend(frameon=False)
    figure.savefig(HERE / "follow_angle.png", dpi=150)


def release() -> None:
    """Record of the quick release, the model at the start and the recovered one."""
    figure, (left, right) = panels()
    measured = quick_release.record()
    found, _ = quick_release.recover(measured)
    values = np.array(list(quick_release.NUMBERS.values()))
    runs = [
        (fm.simulate_scene(quick_release.scene(*(values * parts))), style, color, name)
        for parts, style, color, name in (
            (np.array([1.5, 0.6, 2.0, 0.5]), "--", GRAY, "start"),
            (found.x, "-", BLUE, "recovered"),
        )
    ]
    for run, style, color, name in runs:
        for k in range(measured.shape[1]):
            label = name if k == 0 else None
            x = 1e3 * run.coordinates[f"length_{k + 1}"]
            left.plot(1e3 * run.time, x, style, color=color, label=label)
    time = 1e3 * runs[0][0].time
    left.plot(time, 1e3 * measured, ".", ms=3, color=ORANGE, label=["record", None, None])
    left.set(xlabel="time [ms]", ylabel="change of length [mm]")
    left.legend(frameon=False, loc="upper right")
    off = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    right.errorbar(
        range(off.size), 100.0 * (found.x - 1.0), 200.0 * off, fmt="o", color=BLUE, capsize=4
    )
    right.axhline(0.0, color="black", lw=1)
    names = "active\nstress", "largest\nvelocity", "muscle\nmodulus", "tendon\nmodulus"
    right.set(xticks=range(off.size), xticklabels=names, xlim=(-0.5, off.size - 0.5))
    right.set(ylabel="off the true value [%], 2 s.d.")
    figure.savefig(HERE / "quick_release.png", dpi=150)


def transfer() -> None:
    """Torque over the insertion, with its derivatives and the best place."""
    figure, (left, right) = panels()
    sites, values, slopes = np.linspace(*tendon_transfer.SITES, 21), [], []
    for site in sites:
        made = tendon_transfer.scene(site)
        run = fm.Simulation.of_scene(made)
        place = "transfer_*/attach/insertion/z"
        found = fm.gradient(run, tendon_transfer.torque(made.model), place)
        values.append(found.value)
        slopes.append(-found.gradient.sum())
    best, problem = tendon_transfer.best()
    left.plot(1e3 * sites, values, color=BLUE)
    for site, value, slope in list(zip(sites, values, slopes, strict=True))[::4]:
        way = np.array([-0.006, 0.006])
        left.plot(1e3 * (site + way), value + slope * way, color=ORANGE, lw=2)
    left.plot(1e3 * best.x, -best.fun, "o", color="black", label=f"found in {problem.runs} runs")
    left.set(xlabel="insertion from the elbow [mm]", ylabel="elbow torque [N m]")
    left.legend(frameon=False)
    right.plot(1e3 * sites, 1e-3 * np.array(slopes), color=ORANGE, label="derivative")
    chord = np.diff(values) / np.diff(sites)
    right.plot(
        1e3 * 0.5 * (sites[1:] + sites[:-1]), 1e-3 * chord, "x", color="black", label="chords"
    )
    right.axhline(0.0, color="black", lw=1)
    right.set(xlabel="insertion from the elbow [mm]", ylabel="derivative [N m/mm]")
    right.legend(frameon=False)
    figure.savefig(HERE / "tendon_transfer.png", dpi=150)


def kept_of(problem):
    """Number of runs and the least objective so far, of values that are passed through."""
    history = []

    def keep(value):
        least = min(value, history[-1][1]) if history else value
        history.append((problem.runs, least))
        return value

    return history, keep


def descent(drive: str, gradients: bool) -> np.ndarray:
    """Number of runs and the least objective so far, (n, 2)."""
    both, start, bounds, problem = reaching_arm.task(drive)
    effort = reaching_arm.EFFORT if drive == "muscles" else 0.0
    history, keep = kept_of(problem)

    def value(x):
        x = np.clip(x, *np.transpose(bounds))
        return keep(problem.value(x) + effort * (x**2).mean())

    def with_slope(x):
        found, slope = both(x)
        return keep(found), slope

    if gradients:
        options = {"maxiter": 60, "gtol": 1e-6, "ftol": 1e-12}
        minimize(with_slope, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    else:
        options = {"maxfev": MOST[drive], "adaptive": True, "xatol": 1e-6, "fatol": 1e-12}
        minimize(value, start, method="Nelder-Mead", options=options)
    return np.array(history)


def arm() -> None:
    """Objective over the number of runs, with gradients and without."""
    figure, axes = panels()
    for place, drive in zip(axes, MOST, strict=True):
        for gradients, color, name in (
            (True, BLUE, "L-BFGS-B, by gradients"),
            (False, ORANGE, "Nelder and Mead"),
        ):
            runs, least = descent(drive, gradients).T
            place.loglog(runs, least, color=color, label=name)
            for level in (0.05, 0.04, 0.036, 0.035, 1e-2, 1e-3, 3e-4, 1e-4, 3e-5):
                if least[-1] < level < least[0]:
                    print(drive, name, f"below {level:g} after {runs[least < level][0]:.0f} runs")
            print(drive, name, f"at the end {least[-1]:.4g} after {runs[-1]:.0f} runs", flush=True)
        place.set(xlabel="runs", title=f"by {drive}")
    axes[0].set(ylabel="objective")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=2)
    figure.savefig(HERE / "reaching_arm.png", dpi=150)


def pose() -> None:
    """The arm at the start and at its target, with what its muscles go over."""
    made = reaching_arm.scene()
    model = made.model
    upper = model.body("upper_arm")
    head, elbow = (0, 0, 0), (0, -reaching_arm.UPPER, 0)
    over = fm.Capsule(head, (0, -0.1, 0), 0.028), fm.Capsule(elbow, elbow, 0.022)
    target = fm.Capsule(reaching_arm.TARGET, reaching_arm.TARGET, 0.012)
    for name, parent, shapes in (("over", upper, over), ("target", model.ground, [target])):
        body = fm.Body(name, shapes=shapes)
        model = model.edit(add=[body, fm.Weld(parent, body)])
    result = fm.simulate_scene(replace(made, model=model))
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.2), layout="constrained")
    draw_ends(axes, result, HERE, ("start", "after 0.6 s"))
    figure.savefig(HERE / "reaching_arm_pose.png", dpi=130)


def reach() -> None:
    """Bones and path of the tip of the double pendulum, and the objective over the runs."""
    figure, (plane, runs) = panels()
    made = reaching.scene()
    result = fm.simulate_scene(made)
    q1, q2 = result.coordinates["q1"], result.coordinates["q2"]
    turns = np.array([q1, q1 + q2])
    x, y = (np.cumsum(0.3 * one(turns), axis=0) for one in (np.sin, lambda q: -np.cos(q)))
    plane.plot(x[1], y[1], color=BLUE, label="tip")
    for k, shade in ((0, 0.35), (50, 0.55), (-1, 1.0)):
        bones = np.array([[0.0, *x[:, k]], [0.0, *y[:, k]]])
        plane.plot(*bones, "o-", color=GRAY, lw=4, ms=5, alpha=shade)
    plane.plot(*reaching.TARGET[:2], "*", color=ORANGE, ms=14, label="target")
    plane.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", xlim=(-0.05, 0.42))
    plane.legend(frameon=False, loc="upper right")
    made = reaching.scene(0.0, 0.0)
    run = fm.Simulation.of_scene(made)
    for method, color in (("least squares", BLUE), ("BFGS", GREEN), ("Nelder-Mead", ORANGE)):
        history = searched(reaching, made, run, method)
        runs.loglog(*history.T, "o-", ms=2, color=color, label=method)
    runs.set(xlabel="runs", ylabel="objective")
    runs.legend(frameon=False)
    figure.savefig(HERE / "reaching.png", dpi=150)


def searched(module, made, run, method: str) -> np.ndarray:
    """Number of runs and the least objective so far, (n, 2), from torques of zero."""
    problem = fm.GradientProblem(run, module.aim(made.model), module.TORQUES, scales=np.ones(2))
    history, keep = kept_of(problem)

    def both(x):
        found, slope = problem(x)
        return keep(found), slope

    last = {}

    def rows(x):
        if not np.array_equal(last.get("x"), x):
            last.update(x=x.copy(), rows=module.rows(problem.linear_run(x)))
            keep(float((last["rows"][0] ** 2).sum()))
        return last["rows"]

    if method == "least squares":
        least_squares(lambda x: rows(x)[0], (0.0, 0.0), jac=lambda x: rows(x)[1], xtol=1e-12)
    elif method == "BFGS":
        minimize(both, (0.0, 0.0), jac=True, method=method, options={"gtol": 1e-6})
    else:
        minimize(lambda x: keep(problem.value(x)), (0.0, 0.0), method=method)
    return np.array(history)


if __name__ == "__main__":
    warnings.simplefilter("ignore", fm.ModelWarning)
    made = {one.__name__: one for one in (follow, release, transfer, reach, pose, arm)}
    for wanted in sys.argv[1:] or made:
        made[wanted]()
