"""A knee on splines with a massive line muscle: inertia, moment arm, energy, gap of the bones.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), section 4.6, with
the knee of the gait10 model: scenes/spline_knee.py, where a shank swings from 1.6 rad of flexion
with a muscle of 0.6 kg behind the joint (`muscle=line`), which also pulls (`muscle=hill`).

- `inertia_off`, `arm_off`: largest difference of the inertia about the knee, and of the moment arm,
  to plain NumPy at angles from -1.9 to 0.3 rad, over the largest value: positions with the splines
  of scipy, complex steps for inertia and central differences for the arm.
- `spline_energy_off`, `hinge_energy_off`: largest change of the energy, over the largest kinetic
  energy, without force. At the points of a cubic spline the third derivative jumps, and with it the
  slope of the force: the energy is worse than that of the hinge, and both are bounded by the
  tolerance of the steps.
- `hill_energy_off`: energy of bone and mass of the muscle minus the work of the tendon, by
  Simpson's rule over the frames, over the largest work.

The study measures the gap between tibia and femur on the bone meshes r_femur.vtp and r_tibia.vtp of
OpenSim, if they are in the folder FIBERMSK_MODELS: least distance of points of either surface from
the other, negative inside. These bones are not those of the joint's model and overlap by 4 to 8 mm;
what counts is that the gap stays as the knee bends.
"""

import numpy as np
from _bone_gap import bones, gap
from _work import work
from scipy.interpolate import CubicSpline

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.verify import Expected

ANGLES = np.linspace(-1.9, 0.3, 23)
"""Of the shank in the thigh [rad]."""


def scene(**options) -> fm.Scene:
    """The scene."""
    return find("spline_knee").make(options)


def splines(model):
    """Splines (x, y) of the knee by scipy, from the points of the model; None for a hinge."""
    axes = getattr(model.joint("knee"), "axes", ())
    found = [one.pairs[0][1] for one in axes if one.kind == "translation"]
    return [CubicSpline(one.x, one.y, bc_type="natural") for one in found] or None


def plain(model, angle: float) -> tuple[float, float]:
    """Inertia about the knee, and moment arm of the muscle, at an angle."""
    center, shank, muscle = splines(model), model.body("shank"), model.muscle("muscle")
    origin, insertion = (np.asarray(point.station.position)[:2] for point in muscle.points)
    fixed = np.asarray(model.joint("knee").at)[:2]

    def place(q, x):
        c, s = np.cos(q), np.sin(q)
        turned = np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])
        if center is None:
            return fixed + turned
        # first-order continuation of the spline to a complex angle
        at = [own(q.real) + 1j * np.imag(q) * own(np.real(q), 1) for own in center]
        return np.array(at) + turned

    def slope(x):
        return place(angle + 1e-30j, x).imag / 1e-30

    J = slope(np.asarray(shank.com))
    inertia = shank.mass * J @ J + np.asarray(shank.inertia)[2, 2]
    end = slope(insertion)
    for alpha, mass in zip(muscle.mass.fractions, muscle.mass.weights, strict=True):
        inertia += mass * alpha**2 * end @ end

    def length(q):
        return np.linalg.norm(place(complex(q), insertion).real - origin)

    h = 1e-5
    arm = -(8 * (length(angle + h) - length(angle - h)) - length(angle + 2 * h)
            + length(angle - 2 * h)) / (12 * h)  # fmt: skip
    return float(inertia), float(arm)


def ours(model, angle: float) -> tuple[float, float]:
    """The same by this package."""
    system = fm.build(model)
    y, still = np.array([angle]), np.zeros(1)
    pulled = [
        system.evaluate(0.0, y, still, np.array([a]), tangent=False).residual[0] for a in (0.0, 1.0)
    ]
    frame = fm.skeleton(model)
    arm = fm.moment_arms(frame, model.muscle("muscle"), y)["knee"]
    return float(pulled[1] - pulled[0]), float(arm)


def drift(joint: str, duration: float) -> float:
    """Largest change of the energy of the swing, over the largest kinetic energy."""
    made = scene(joint=joint, muscle="line", duration=duration, steps=round(200 * duration))
    result, system = fm.simulate_scene(made), fm.build(made.model)
    pairs = zip(result.coordinate("knee"), result.speeds["knee"], strict=True)
    found = [system.energy(np.array([q]), np.array([p])) for q, p in pairs]
    total = np.array([one.total for one in found])
    return float(np.abs(total - total[0]).max() / max(one.kinetic for one in found))


def hill_drift(duration: float) -> float:
    """Largest error of the balance of energy with the muscle's force, over the largest work."""
    steps = 2 * round(250 * duration)
    made = scene(muscle="hill", duration=duration, steps=steps)
    result = fm.simulate_scene(made)
    muscle = made.model.muscle("muscle")
    free = made.model.edit({muscle: {"law": None, "activation": None}})
    system = fm.build(free)
    pairs = zip(result.coordinate("knee"), result.speeds["knee"], strict=True)
    energy = np.array([system.energy(np.array([q]), np.array([p])).total for q, p in pairs])
    own = result.muscles["muscle"]
    done = -work(result, own["tendon_force"] * own["lengthening_speed"])
    return float(np.abs(energy - energy[0] - done)[::2].max() / np.abs(done).max())


def run(duration: float = 0.4) -> dict[str, float]:
    """Differences to plain NumPy, and changes of the energy.

    Parameters
    ----------
    duration : float
        Simulated time [s], 0.3 to 1.
    """
    if not 0.3 <= duration <= 1.0:
        raise fm.ModelError(f"spline_knee: duration = {duration:g} s; must be in [0.3, 1]")
    values = {}
    off, size = np.zeros(2), np.zeros(2)
    for joint in ("spline", "hinge"):
        model = scene(joint=joint, muscle="line").model
        for angle in ANGLES:
            answer = np.array(plain(model, angle))
            off = np.maximum(off, np.abs(np.array(ours(model, angle)) - answer))
            size = np.maximum(size, np.abs(answer))
        values[f"{joint}_energy_off"] = drift(joint, duration)
    values["inertia_off"], values["arm_off"] = (off / size).tolist()
    values["hill_energy_off"] = hill_drift(duration)
    return values


def expected(duration: float = 0.4) -> dict[str, Expected]:
    """Plain NumPy and conservation of energy."""
    numpy = {"kind": "independent", "source": "plain NumPy and scipy's spline", "scale": 1.0}
    law = {"kind": "consistency", "source": "balance of energy", "scale": 1.0}
    return {
        "inertia_off": Expected(0.0, 1e-12, "round-off", **numpy),
        "arm_off": Expected(0.0, 1e-9, "differences of the length", **numpy),
        "spline_energy_off": Expected(0.0, 3e-5, "steps across points of the spline", **law),
        "hinge_energy_off": Expected(0.0, 1e-8, "tolerance of the steps", **law),
        "hill_energy_off": Expected(0.0, 5e-5, "Simpson's rule over frames of 2 ms", **law),
    }


def study(fine: bool = False) -> dict:
    """Gap of the bones, moment arm and inertia over flexion, and both swings."""
    found, notes = bones(), []
    if found is None:
        notes = ["No bone meshes in FIBERMSK_MODELS: the gap is not measured."]
    rows, curves = [], {}
    flexion = np.arange(0.0, 121.0, 5.0 if fine else 15.0)
    for joint in ("spline", "hinge"):
        made = scene(joint=joint, muscle="line", duration=1.0, steps=100)
        frame = fm.skeleton(made.model)
        own = []
        for degrees in flexion:
            angle = -np.deg2rad(degrees)
            pose = frame.poses(np.array([angle]))["shank"]
            between = np.nan if found is None else gap(*found, *pose)
            inertia, arm = ours(made.model, angle)
            own.append([1e3 * between, 1e3 * arm, inertia])
        swing = fm.simulate_scene(made)
        curves[joint] = np.array(own), swing.time, np.rad2deg(swing.coordinate("knee"))
    for k, degrees in enumerate(flexion):
        pair = (curves[joint][0][k] for joint in ("spline", "hinge"))
        rows.append([degrees, *np.ravel(list(zip(*pair, strict=True)))])
    heads = ("gap [mm]", "moment arm [mm]", "inertia [kg m^2]")
    columns = ["flexion [deg]", *(f"{head}, {j}" for head in heads for j in ("spline", "hinge"))]
    return {
        "tables": {"Knee on splines and as a hinge": {"columns": columns, "rows": rows}},
        "notes": notes, "flexion": flexion, "curves": curves,
    }  # fmt: skip


def plot(numbers: dict):
    """Gap and moment arm over flexion, and the swing."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(10.0, 3.2)
    left, middle, right = figure.subplots(1, 3)
    for (joint, (own, time, angle)), color in zip(numbers["curves"].items(), COLORS, strict=False):
        left.plot(numbers["flexion"], own[:, 0], color=color, label=joint)
        middle.plot(numbers["flexion"], own[:, 1], color=color, label=joint)
        right.plot(time, angle, color=color, label=joint)
    finish(left, "gap of tibia and femur", "flexion [deg]", "least distance [mm]")
    finish(middle, "moment arm of the muscle", "flexion [deg]", "[mm]")
    finish(right, "swing of the shank", "time [s]", "angle [deg]")
    return figure
