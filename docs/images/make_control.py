"""Figures of the guide to optimal control: ``python make_control.py [NAME ...]``.

Those of arm26 need the folder FIBERMSK_MODELS.
"""

import os
import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from _ends import draw_ends

import fibermsk as fm

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "scenes"))
import arm26_reach  # noqa: E402
import fastest_reach  # noqa: E402
import two_muscle_arm  # noqa: E402
import upper_body  # noqa: E402

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "0.55"


def cleaned(axes):
    """Axes with a grid and without a frame."""
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def two_muscles() -> None:
    """Configurations with muscle paths, increments of the angle, and lengths of the muscles."""
    solution = two_muscle_arm.scene().solve(progress=False)
    figure, (poses, right, lengths) = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
    result = solution.result
    elbow = two_muscle_arm.ELBOW
    poses.plot([0.0, 0.0], [0.0, elbow[2]], color=GRAY, lw=6, solid_capstyle="round")
    for k, shade in zip((0, 20, 30, 40, 50), np.linspace(0.25, 1.0, 5), strict=True):
        q = solution.coordinates["elbow"][k]
        hand = elbow + 0.28 * np.array([np.sin(q), 0.0, -np.cos(q)])
        ends = np.stack([elbow, hand])
        poses.plot(ends[:, 0], ends[:, 2], color=GRAY, lw=5, alpha=shade, solid_capstyle="round")
        for muscle in result.muscles.values():
            path = muscle.path[k]
            poses.plot(path[:, 0], path[:, 2], color="#B01020", lw=1.2, alpha=shade)
    poses.plot(*elbow[[0, 2]], "o", color=BLUE, ms=8)
    poses.set(aspect="equal", xlabel="x [m]", ylabel="z [m]")
    middle = 0.5 * (solution.time[1:] + solution.time[:-1])
    steps = np.degrees(np.diff(solution.coordinates["elbow"]))
    right.bar(middle, steps, width=0.9 * np.diff(solution.time), color=BLUE)
    right.set(xlabel="time [s]", ylabel="change of the elbow's angle in a step [°]")
    for (name, one), color in zip(solution.lengths.items(), (ORANGE, GREEN), strict=True):
        lengths.plot(solution.time, 1e3 * one, color=color, label=name)
    lengths.set(xlabel="time [s]", ylabel="length of the muscle [mm]")
    lengths.legend(frameon=False)
    for axes in (right, lengths):
        cleaned(axes)
    figure.savefig(HERE / "two_muscle_arm.png", dpi=150)


def fastest() -> None:
    """Excitations and angle of the fastest reach, and its duration over the number of steps."""
    figure, (controls, angle, durations) = plt.subplots(
        1, 3, figsize=(10.5, 3.2), layout="constrained"
    )
    whole = fastest_reach.scene().solve(progress=False)
    for name, color in (("biceps", ORANGE), ("triceps", GREEN)):
        controls.stairs(whole.controls[name], 1e3 * whole.time, color=color, label=name, lw=1.6)
        angle.plot(1e3 * whole.time, whole.activations[name], "--", color=color)
    angle.plot(1e3 * whole.time, whole.coordinates["elbow"], color=BLUE)
    controls.set(xlabel="time [ms]", ylabel="excitation")
    controls.legend(frameon=False)
    angle.set(xlabel="time [ms]", ylabel="angle [rad]; dashed: activations")
    counts = np.array([30, 45, 60, 90, 120, 180, 240, 300])
    parts = [fastest_reach.scene(n, phases=True).solve(progress=False).duration for n in (80, 160)]
    exact = (4.0 * parts[1] - parts[0]) / 3.0
    for phases, color, label in ((False, ORANGE, "one part"), (True, BLUE, "three parts")):
        steps = [n // 3 if phases else n for n in counts]
        found = [fastest_reach.scene(steps=n, phases=phases).solve(progress=False) for n in steps]
        off = [abs(one.duration - exact) for one in found]
        durations.loglog(counts, 1e3 * np.array(off), "o-", color=color, label=label)
        print(label, [round(1e3 * one.duration, 4) for one in found], 1e3 * exact)
    durations.set(xlabel="number of steps", ylabel="error of the duration [ms]")
    durations.set_xticks(counts[::2], [str(n) for n in counts[::2]])
    durations.minorticks_off()
    durations.legend(frameon=False)
    for axes in (controls, angle, durations):
        cleaned(axes)
    figure.savefig(HERE / "fastest_reach.png", dpi=150)


def order() -> None:
    """Error of the objective, and difference to runs, over the number of steps."""
    counts = (25, 50, 100, 200)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained")
    for make, name, color in (
        (two_muscle_arm.scene, "two_muscle_arm", BLUE), (upper_body.scene, "upper_body", ORANGE),
    ):  # fmt: skip
        solutions = [make(steps=n).solve(progress=False) for n in (*counts, 400)]
        values = np.array([one.objective for one in solutions])
        exact = values[-1] + (values[-1] - values[-2]) / 3.0
        left.loglog(counts, np.abs(values[:-1] - exact) / exact, "o-", color=color, label=name)
        off = [one.resimulation.coordinate for one in solutions[:-1]]
        right.loglog(counts, off, "o-", color=color, label=name)
    for axes in (left, right):
        axes.loglog(counts, 2.0 / np.array(counts) ** 2, "--", color=GRAY, label="order 2")
        axes.set(xlabel="number of steps")
        axes.set_xticks(counts, [str(n) for n in counts])
        axes.minorticks_off()
        cleaned(axes)
    left.set(ylabel="relative error of the objective")
    right.set(ylabel="difference to a run [rad]")
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=3)
    figure.savefig(HERE / "control_order.png", dpi=150)


def both_arms() -> None:
    """The upper body at the start and at the end, and its kinematic tree."""
    result = upper_body.scene().solve(progress=False).result
    figure, axes = plt.subplots(1, 3, figsize=(10.0, 3.8), layout="constrained")
    draw_ends(axes[:2], result, HERE)
    tree = axes[2]
    tree.axis("off")
    tree.set(xlim=(-1.7, 1.7), ylim=(-4.4, 0.5))
    box = {"boxstyle": "round", "fc": "white", "ec": BLUE}
    tree.text(0.0, 0.0, "torso", ha="center", va="center", bbox=box, zorder=2)
    for side, x in (("right", -0.9), ("left", 0.9)):
        above = (0.0, 0.0)
        joints = "ball, 3", "hinge, 1", "hinge, 1", "hinge, 1"
        for k, (part, joint) in enumerate(zip(upper_body.BODIES, joints, strict=True)):
            here = (x, -1.0 - k)
            tree.plot(*zip(above, here, strict=True), color=GRAY, zorder=1)
            label = f"{part}, {side}" if k == 0 else part
            tree.text(*here, label, ha="center", va="center", bbox=box, zorder=2)
            tree.text(
                0.5 * (above[0] + here[0]) + 0.06, 0.5 * (above[1] + here[1]), joint, fontsize=8,
                va="center",
            )  # fmt: skip
            above = here
    figure.savefig(HERE / "upper_body.png", dpi=150)


def arm26() -> None:
    """The arm of arm26 at both ends of its reach, and its activations."""
    solution = arm26_reach.scene().solve(progress=False)
    result = solution.result
    figure, (*places, axes) = plt.subplots(1, 3, figsize=(10.0, 3.6), layout="constrained")
    draw_ends(places, result, HERE)
    for name, values in solution.activations.items():
        axes.plot(solution.time, values, label=name)
    axes.set(xlabel="time [s]", ylabel="activation", ylim=(-0.01, 0.58))
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper center")
    cleaned(axes)
    figure.savefig(HERE / "arm26_reach.png", dpi=150)


def tracked() -> None:
    """Activations of arm26 along a measured motion, and those of static optimization."""
    folder = Path(os.environ["FIBERMSK_MODELS"]) / "opensim-core" / "arm26_static_opt"
    motion = folder / "arm26_InverseKinematics.mot"
    arm = fm.with_smooth_muscles(fm.read_osim(folder / "arm26.osim"))
    warnings.simplefilter("ignore", fm.ModelWarning)  # of markers in the file
    solution = fm.track_motion(arm, motion).solve(progress=False)
    still = fm.static_optimization(arm, motion, lowpass=6.0)
    figure, places = plt.subplots(
        2, 3, figsize=(9.5, 4.4), layout="constrained", sharex=True, sharey=True
    )
    for place, (name, values) in zip(places.flat, solution.activations.items(), strict=True):
        place.plot(solution.time, values, color=BLUE, label="track")
        place.plot(still.time, still.activation[name], color=ORANGE, ls="--", label="so, 6 Hz")
        place.set_title(name, fontsize=9)
        cleaned(place)
    places[0, 0].legend(frameon=False)
    for place in places[1]:
        place.set_xlabel("time [s]")
    for place in places[:, 0]:
        place.set_ylabel("activation")
    figure.savefig(HERE / "arm26_tracked.png", dpi=150)
    for name in still.activation:
        off = np.interp(still.time, solution.time, solution.activations[name])
        off = (off - still.activation[name])[(still.time > 0.15) & (still.time < 0.8)]
        print(f"{name}: {(off**2).mean() ** 0.5:.4f} rms, {np.abs(off).max():.4f} at most")


if __name__ == "__main__":
    made = {one.__name__: one for one in (two_muscles, fastest, order, both_arms, arm26, tracked)}
    for name in sys.argv[1:] or made:
        made[name]()
