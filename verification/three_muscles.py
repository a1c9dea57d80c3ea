"""One elbow flexor as a massless line, as a line with mass, and as a bundle of fibers.

scenes/three_muscles.py: a forearm with a ball of 2 kg, lifted within 0.4 s by a straight Hill
muscle of 600 N and 0.21 kg. Compared are the motion of the elbow, the torque that the muscle exerts
on the forearm, I q'' + m g l sin q + c q' by the motion, and the inertia that it adds to the elbow.

What is known by other means: the torque of the massless line is its tension times its moment arm,
with the tension of the Hill law at the reported state; the inertia of a line whose material keeps
its fraction of the length is m |dx/dq|^2 / 3 at the insertion x. The inertia that the bundle adds
is the sum of its masses times the squares of their ways, over that of the elbow: its tendons
hardly stretch, so that the belly moves more than equal strain would have it.

The fibers are a different model: rows of kind "comparison" state how far they are from the line.
The bundle shortens with the Hill muscle's curves, and has besides them titin, damping, and a
tension of 1 % of the force at rest.
"""

import time

import numpy as np
from scipy.interpolate import CubicSpline

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.verify import Expected

NAMES = ("massless", "inertial", "bundle")
ARM = np.hypot(0.012, 0.05)
"""Distance of the insertion from the elbow [m]."""
MASS = 1060.0 * 600.0 * 0.10 / 3.0e5
GRAVITY, DAMPING, LOAD = 9.81, 0.05, 2.0
"""Of the model [m/s^2], of the elbow [N m s], and mass of the ball [kg]."""


def check(steps: int, activation: float) -> None:
    """Refuse settings out of range."""
    if not 40 <= steps <= 1000:
        raise fm.ModelError(f"three_muscles: steps = {steps}; must be 40 to 1000")
    if not 0.3 <= activation <= 1.0:
        raise fm.ModelError(f"three_muscles: activation = {activation}; must be 0.3 to 1")


def own_inertia() -> tuple[float, float]:
    """Inertia of forearm and ball about the elbow [kg m^2], and their weight's moment [N m]."""
    forearm = 0.009 + 1.5 * 0.13**2
    ball = LOAD * (0.4 * 0.03**2 + 0.29**2)
    return forearm + ball, GRAVITY * (1.5 * 0.13 + LOAD * 0.29)


def run_one(name: str, steps: int, **settings) -> tuple[fm.Scene, fm.Result, float]:
    """A run of the scene and the time of its steps [s]."""
    scene = find("three_muscles").make({"muscle": name, "steps": steps} | settings)
    began = time.perf_counter()
    result = fm.simulate_scene(scene)
    return scene, result, time.perf_counter() - began


def torque(result: fm.Result) -> np.ndarray:
    """Torque of the muscle on the forearm, from the motion [N m]."""
    inertia, weight = own_inertia()
    rate = CubicSpline(result.time, result.speeds["elbow"])
    q = result.coordinates["elbow"]
    return inertia * rate(result.time, 1) + weight * np.sin(q) + DAMPING * result.speeds["elbow"]


def line_torque(scene: fm.Scene, result: fm.Result) -> np.ndarray:
    """Tension times moment arm [N m]."""
    bones, line = fm.skeleton(scene.model), scene.model.muscles[0]
    arms = [fm.moment_arms(bones, line, [q])["elbow"] for q in result.coordinates["elbow"]]
    return result.muscles["flexor"]["tendon_force"] * np.array(arms)


def added_inertia(scene: fm.Scene, result: fm.Result) -> tuple[float, float]:
    """Inertia that the fibers add in the middle of the run [kg m^2], and their mass [kg].

    From the ways of the material and of the elbow over a tenth of the run, which is longer than the
    vibrations of fibers across their length.
    """
    total, whole, last = 0.0, 0.0, result.time.size - 1
    low, high = round(0.45 * last), round(0.55 * last)
    theta = (np.arange(400) + 0.5) / 400
    for fiber in scene.model.fibers:
        one = result.fibers[fiber.name]
        way = one.centerline(theta, high) - one.centerline(theta, low)
        line = np.linalg.norm(np.diff(one.centerline(np.linspace(0, 1, 401), 0), axis=0), axis=1)
        mass = fiber.tissue.density * np.pi * fiber.radius_at(theta) ** 2 * line
        total += float((way**2).sum(axis=1) @ mass)
        whole += float(mass.sum())
    q = result.coordinates["elbow"]
    return total / float(q[high] - q[low]) ** 2, whole


def run(steps: int = 80, activation: float = 0.6) -> dict[str, float]:
    """Motion, torque, inertia and cost of the three.

    Parameters
    ----------
    steps : int
        Time steps, 40 to 1000.
    activation : float
        Activation, 0.3 to 1.
    """
    check(steps, activation)
    values, motion, moments = {}, {}, {}
    for name in NAMES:
        scene, result, seconds = run_one(name, steps, activation=activation)
        motion[name], moments[name] = result.coordinates["elbow"], torque(result)
        values[f"{name}_end_rad"] = float(motion[name][-1])
        values[f"{name}_largest_torque_Nm"] = float(moments[name].max())
        values[f"{name}_newton_iterations"] = float(result.stats["newton_iterations"])
        values[f"{name}_seconds"] = seconds
        if name == "massless":
            # not at the ends, where the spline of the rates is less accurate
            off = np.abs(moments[name] - line_torque(scene, result))[4:-4]
            values["torque_of_the_line_Nm"] = float(off.max())
        elif name == "inertial":
            own = fm.build(scene.model)
            y, v = own.initial_state()  # the elbow first
            kinetic = own.energy(y, np.r_[1.0, np.zeros(v.size - 1)]).kinetic
            values["inertial_added_gcm2"] = 1e7 * (2.0 * kinetic - own_inertia()[0])
        else:
            inertia, values["bundle_mass_kg"] = added_inertia(scene, result)
            values["bundle_added_gcm2"] = 1e7 * inertia
    for name in NAMES[1:]:
        off = np.abs(motion[name] - motion["massless"])
        values[f"{name}_off_rad"] = float(off.max())
        off = np.abs(moments[name] - moments["massless"])[4:-4]
        values[f"{name}_torque_off_Nm"] = float(off.max())
    return values


def expected(steps: int = 80, activation: float = 0.6) -> dict[str, Expected]:
    """Identities of the line, and how far the models are from each other."""
    check(steps, activation)
    line = {"kind": "comparison", "source": "the massless line"}
    return {
        "torque_of_the_line_Nm": Expected(
            0.0,
            0.05,
            "differentiated rates",
            kind="consistency",
            source="tension times moment arm",
            scale=15.0,
        ),
        "inertial_added_gcm2": Expected(
            1e7 * MASS * ARM**2 / 3.0, 1e-3, "round-off", source="m |dx/dq|^2 / 3"
        ),
        "inertial_off_rad": Expected(0.0, 0.02, "a muscle of 0.21 kg", **line),
        "bundle_off_rad": Expected(0.0, 0.03, "fibers, titin and damping", **line),
        "bundle_torque_off_Nm": Expected(0.0, 0.6, "fibers, titin and damping", scale=15.0, **line),
    }


def study(fine: bool = False) -> dict:
    """Motion, torque and cost of the three models.

    Parameters
    ----------
    fine : bool
        Also with four times as many steps.
    """
    rows, data = [], {}
    for steps in (80, 320) if fine else (80,):
        values = run(steps)
        for name in NAMES:
            rows.append(
                [
                    name, steps, values[f"{name}_end_rad"], values[f"{name}_largest_torque_Nm"],
                    values.get(f"{name}_added_gcm2", 0.0),
                    values[f"{name}_newton_iterations"], values[f"{name}_seconds"],
                ]
            )  # fmt: skip
    for name in NAMES:
        _, result, _ = run_one(name, 80)
        data[name] = result.time, result.coordinates["elbow"], torque(result)
    columns = [
        "muscle", "steps", "angle after 0.4 s [rad]", "largest torque [N m]",
        "added inertia [g cm2]", "Newton iterations", "seconds",
    ]  # fmt: skip
    table = {"columns": columns, "rows": rows}
    return {"tables": {"One muscle in three models": table}, "data": data}


def plot(numbers: dict):
    """Angle and torque of the elbow against time."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(9, 3.6)
    angle, moment = figure.subplots(1, 2)
    for (name, (t, q, M)), color in zip(numbers["data"].items(), COLORS, strict=False):
        angle.plot(t, np.degrees(q), color=color, label=name)
        moment.plot(t[2:-2], M[2:-2], color=color, label=name)
    finish(angle, "motion", "time [s]", "elbow flexion [degrees]")
    finish(moment, "torque of the muscle", "time [s]", "torque [N m]")
    return figure
