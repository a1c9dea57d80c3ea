"""Figures of the problem `arm2`, like 5 to 11 of Munoz-Pepi and others (2023)."""

import numpy as np
from _arm2_reference import arm
from _pictures import COLORS, finish, new_figure
from scipy.integrate import cumulative_trapezoid

NAMES = "brachialis", "triceps"
JOINTS = "shoulder", "elbow"
TIME = "time [s]"


def draw(first, second, published, axes):
    """Figure of the results of both conditions.

    Parameters
    ----------
    first, second : Result
        Conditions I and II, frames as those of the table.
    published : structured array
        Motions that the authors published, and lengths by OpenSim.
    axes : (3, 3) float array
        Of the cylinder in the humerus.
    """
    figure = new_figure(13, 15)
    panels = iter(figure.subplots(5, 3).ravel())
    t, given = first.time, published[: first.time.size]
    wraps = wrap_angles(first, axes)

    one = next(panels)
    for name, muscle, color in zip(NAMES, arm.MUSCLES, COLORS, strict=False):
        one.plot(t, [arm.excitation(muscle, x) for x in t], "--", color=color, lw=0.8)
        one.plot(t, first.muscles[name]["activation"], color=color, label=name)
    finish(one, "excitation (dashed), activation [Fig. 5]", TIME, "")

    curves = (
        ("length", 1e3, "length [mm], OpenSim dashed [6]"),
        ("lengthening_speed", 1e3, "lengthening speed [mm/s] [6]"),
        ("moment_arm/elbow", 1e3, "moment arm at the elbow [mm], wraps shaded"),
        ("tendon_force", 1.0, "tendon force [N]"),
        ("normalized_fiber_length", 1.0, "fiber length / optimal length"),
    )
    for field, factor, title in curves:
        one = next(panels)
        for name, color, wrap in zip(NAMES, COLORS, wraps.T, strict=False):
            one.plot(t, factor * first.muscles[name][field], color=color, label=name)
            if field == "length":
                one.plot(t, factor * given[f"{name}_opensim"], "--", color=color, lw=0.8)
            if field.startswith("moment_arm"):
                low, high = one.get_ylim()
                one.fill_between(t, low, high, where=wrap > 0.0, color=color, alpha=0.15, lw=0)
        finish(one, title, TIME, "")

    one = next(panels)
    poses = np.stack([given["shoulder_opensim"], given["elbow_opensim"]], 1)
    for name, muscle, color in zip(NAMES, arm.MUSCLES, COLORS, strict=False):
        bones = [arm.pose(q, np.zeros(2)) for q in poses]
        own = np.array([arm.path(muscle, pose, axes).length for pose in bones])
        one.plot(t, 1e6 * (own - given[f"{name}_opensim"]), color=color, label=name)
    finish(one, "length minus OpenSim's, at its poses [µm] [7]", TIME, "")

    one, total = next(panels), 0.0
    for name, color in zip(NAMES, COLORS, strict=False):
        own = first.muscles[name]
        torque = own["tendon_force"] * own["moment_arm/elbow"]
        one.plot(t, torque, color=color, label=name)
        total = total + torque
    one.plot(t, total, "k", lw=0.8, label="both")
    finish(one, "torques at the elbow [N m] [8]", TIME, "")

    one, other = next(panels), next(panels)
    for name, color in zip(JOINTS, COLORS, strict=False):
        q = first.coordinate(name)
        one.plot(t, q, color=color, label=name)
        one.plot(t, given[f"{name}_opensim"], "--", color=color, lw=0.8)
        for label, line in (("I", "-"), ("opensim", "--")):
            shown = "authors" if label == "I" else "OpenSim"
            off = 1e3 * (q - given[f"{name}_{label}"])
            other.plot(t, off, line, color=color, label=f"{name} - {shown}")
    finish(one, "angles [rad], OpenSim dashed [9]", TIME, "")
    finish(other, "differences of angles [mrad] [9]", TIME, "")

    one, other = next(panels), next(panels)
    power = sum(-m["tendon_force"] * m["lengthening_speed"] for m in first.muscles.values())
    one.plot(t, power, "k", label="power [W]")
    one.plot(t, cumulative_trapezoid(power, t, initial=0.0), color=COLORS[1], label="work [J]")
    finish(one, "power and work of the muscles [10]", TIME, "")
    for result, line in ((first, "--"), (second, "-")):
        for axis, row, color in zip("xyz", wrist(result).T, COLORS, strict=False):
            other.plot(t, row, line, color=color, label=axis if line == "-" else None)
    finish(other, "wrist [m], dashed without robot [10, 11]", TIME, "")

    robot = second.elements["robot"]
    for field, title in (("force", "force of the robot [N] [11]"), ("moment", "moment [N m] [11]")):
        one = next(panels)
        for k, (axis, color) in enumerate(zip("xyz", COLORS, strict=False)):
            one.plot(t, robot[field][:, k], color=color, label=axis)
        finish(one, title, TIME, "")
    one = next(panels)
    for name, color in zip(JOINTS, COLORS, strict=False):
        off = 1e3 * (second.coordinate(name) - given[f"{name}_II"])
        one.plot(t, off, color=color, label=name)
    finish(one, "condition II: angles minus the authors' [mrad]", TIME, "")
    return figure


def poses(result):
    """Bones at all frames."""
    angles = np.stack([result.coordinate(name) for name in JOINTS], 1)
    return [arm.pose(q, np.zeros(2)) for q in angles]


def wrap_angles(result, axes):
    """Wrap angles of both muscles (n, 2); negative without contact [rad]."""
    return np.array([[arm.path(m, one, axes).wrap for m in arm.MUSCLES] for one in poses(result)])


def wrist(result):
    """Positions of the wrist (n, 3)."""
    return np.array([one.point(1, arm.WRIST)[0] for one in poses(result)])
