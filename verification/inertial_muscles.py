"""Muscles with mass: energy, orders, and published effects of where the mass is.

scenes/double_pendulum.py has a muscle of 1 kg on two bones of 1 kg, without force, released at
rest; its energy is constant. scenes/two_bones.py is pulled straight by a muscle of 1 kg.

- `order_METHOD`: order of the error of the energy in the time step, type II (through a via point)
  with a continuous mass, over 0.4 s with 100 and 200 steps.
- `explicit_energy_error`: largest change of the energy of type II over `duration`, integrated by
  scipy's DOP853 with a relative tolerance of 1e-11, over the largest kinetic energy.
- `blended_explicit_energy_error`: that of type III (around a cylinder), which touches the cylinder
  at about 0.13 s and lifts off at 0.36 s: the steps resolve the blend.
- `blended_explicit_rough_error`: the same with a tolerance of 1e-9.
- `blended_energy_error`: that of type III over 0.5 s with the scene's adaptive steps of SDIRK4.
- `group_energy_error`: the same with the muscle in five parts around cylinders of 20 to 60 mm.
- `points_jump_J`: largest change of the energy of type II with 20 even mass points over 0.4 s: it
  jumps whenever a point passes the via point, as the speeds of the hinges stay and its own does
  not. For comparison.
- `points_jump_off`: largest difference of that change from the kinetic energies of plain NumPy on
  both sides of the via point, over the largest change.
- `refraction_order`: order of the change of the energy of type III without a blend after 0.25 s,
  when the path has left the cylinder, with 100 and 200 steps of SDIRK2, through the refraction of
  the velocities.
- `accelerations_I`, `_II`, `_III`: largest difference to plain NumPy (`_plain_muscle_mass.py`),
  which has Lagrange's equations of an integral over the material, over the largest acceleration.
- `straight_q1_s`, `straight_q2_s`, `straight_lumped_q1_s`, `straight_lumped_q2_s`: times at which
  the hinges of the two bones first pass through zero (W Fig. 6), with the mass along the muscle
  (together, to three digits) and lumped; of `_plain_two_bones.py`, which is plain NumPy.
- `refraction_J`: that change of the energy with 200 steps. For comparison.
- `rest_of_5_points`: inertia that five even points lack of that of a continuous straight muscle
  with a fixed origin, m d^2 / 3.
"""

import _plain_muscle_mass as plain
import _plain_two_bones as plain_two_bones
import numpy as np
from _pendulum_energies import plot as plot, study as study
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.solvers import accelerations
from fibermsk.verify import Expected

METHODS = {
    "backward_euler": fm.BackwardEuler(),
    "bdf2": fm.BDF2(),
    "sdirk2": fm.SDIRK2(),
    "generalized_alpha": fm.GeneralizedAlpha(),
    "sdirk4": fm.SDIRK4(),
}
NEWTON = fm.Newton(tolerance=1e-11)
STATES = ((0.5, -0.9, 0.8, -1.1), (0.7, -0.28, -0.5, 1.2), (-0.3, -0.1, 1.0, 0.6))
NAMES = "q1", "q2"


def system(muscle: str, **options):
    """System of the double pendulum."""
    return fm.build(find("double_pendulum").make({"muscle": muscle, **options}).model)


def motion(result) -> list[tuple[np.ndarray, np.ndarray]]:
    """Angles and their rates in each frame."""
    q, p = (
        np.transpose([of[name] for name in NAMES]) for of in (result.coordinates, result.speeds)
    )
    return list(zip(q, p, strict=True))


def energies(own, result) -> tuple[np.ndarray, float]:
    """Change of the energy over the frames, and the largest kinetic energy [J]."""
    found = [own.energy(q.copy(), p.copy()) for q, p in motion(result)]
    total = np.array([one.total for one in found])
    return total - total[0], max(one.kinetic for one in found)


def change(own, method, duration: float, steps: int) -> np.ndarray:
    """Change of the energy [J] with fixed steps."""
    result = fm.simulate(
        own, t_end=duration, dt=duration / steps, method=method, newton=NEWTON,
        control=fm.FixedSteps(), time_error=False,
    )  # fmt: skip
    return energies(own, result)[0]


def crossed_energy(motion, points: int) -> np.ndarray:
    """Energy [J] that mass points of type II have gained at the via point, by plain NumPy."""
    path, places = plain.PATHS["II"], (np.arange(points) + 0.5) / points
    gains, before = [], None
    for q, p in motion:
        ahead, gain = places - path.parts(q)[1].real, 0.0
        for k in () if before is None else np.flatnonzero(ahead * before[0] < 0.0):
            share = before[0][k] / (before[0][k] - ahead[k])
            at, rate = (a + share * (b - a) for a, b in zip(before[1:], (q, p), strict=True))
            first, second = (
                plain.jacobian(lambda z, k=k, piece=piece: path.at(z, places[k], piece), at) @ rate
                for piece in (0, 1)
            )
            gain += np.sign(ahead[k]) * 0.5 / points * (second @ second - first @ first)
        gains.append(gain)
        before = ahead, q, p
    return np.cumsum(gains)


def explicit_error(muscle: str, duration: float, tolerance: float = 1e-11) -> float:
    """Largest change of the energy over the largest kinetic energy, by DOP853."""
    own = system(muscle)

    def rate(t, z):
        return np.r_[z[2:], accelerations(own, t, z[:2].copy(), z[2:].copy())]

    start = np.concatenate(own.initial_state())
    found = solve_ivp(rate, (0.0, duration), start, method="DOP853", rtol=tolerance, atol=tolerance)
    each = [own.energy(z[:2].copy(), z[2:].copy()) for z in found.y.T]
    total = np.array([one.total for one in each])
    return float(np.abs(total - total[0]).max() / max(one.kinetic for one in each))


def crossings(lumped: bool) -> list[float]:
    """Times at which the hinges of the two bones first pass through zero [s]."""
    result = fm.simulate_scene(find("two_bones").make({"lumped": lumped}))
    found = []
    for name in NAMES:
        angle = CubicHermiteSpline(result.time, result.coordinates[name], result.speeds[name])
        found.append(float(angle.roots(extrapolate=False)[0]))
    return found


def straight_rest(points: int) -> float:
    """Inertia that even points lack of that of a continuous straight muscle, over the latter."""
    found = []
    for places in (None, points):
        model = fm.Model("leg", gravity=(0.0, 0.0, 0.0), meant=("mass",))
        bone = model.add(fm.Body("bone", 1e-3, inertia=(1e-6, 1e-6, 1e-6)))
        model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1), value=0.7))
        ends = model.ground.at(-0.01, 0.05, 0.0), bone.at(0.0, -0.02, 0.0)
        path = [fm.PathPoint(f"p{k}", at) for k, at in enumerate(ends)]
        mass = fm.MuscleMass(0.004, points=places)
        model.add(
            fm.LineMuscle(
                "muscle", path, max_isometric_force=1.0, optimal_fiber_length=0.05,
                tendon_slack_length=0.0, mass=mass,
            )
        )  # fmt: skip
        own = fm.build(model)
        state = own.initial_state()
        needed = own.evaluate(0.0, *state, np.ones(1), tangent=False).residual[0]
        found.append(needed - 1e-6)
    return 1.0 - found[1] / found[0]


def run(duration: float = 1.0) -> dict[str, float]:
    """Orders, changes of energy, differences to plain NumPy, times.

    Parameters
    ----------
    duration : float
        Simulated time of the explicit run [s], up to 5.
    """
    if not 0.1 <= duration <= 5.0:
        raise fm.ModelError(f"inertial_muscles: duration = {duration:g} s; must be in [0.1, 5]")
    values, two = {}, system("II")
    for name, method in METHODS.items():
        rough, fine = (np.abs(change(two, method, 0.4, n)).max() for n in (100, 200))
        values[f"order_{name}"] = float(np.log2(rough / fine))
    values["explicit_energy_error"] = explicit_error("II", duration)
    values["blended_explicit_energy_error"] = explicit_error("III", duration)
    values["blended_explicit_rough_error"] = explicit_error("III", duration, 1e-9)
    three = find("double_pendulum").make({"muscle": "III", "duration": 0.5, "steps": 50})
    moved, kinetic = energies(fm.build(three.model), fm.simulate_scene(three))
    values["blended_energy_error"] = float(np.abs(moved).max() / kinetic)
    group = find("double_pendulum").make({"muscle": "group", "duration": 0.5, "steps": 50})
    moved, kinetic = energies(fm.build(group.model), fm.simulate_scene(group))
    values["group_energy_error"] = float(np.abs(moved).max() / kinetic)
    points = find("double_pendulum").make(
        {"muscle": "II", "mass": "points", "duration": 0.4, "steps": 400}
    )
    result = fm.simulate_scene(points)
    moved, _ = energies(fm.build(points.model), result)
    values["points_jump_J"] = float(np.abs(moved).max())
    off = np.abs(moved - crossed_energy(motion(result), 20)).max()
    values["points_jump_off"] = float(off / np.abs(moved).max())
    sharp = system("III", blend=0.0)
    rough, fine = (change(sharp, METHODS["sdirk2"], 0.25, n)[-1] for n in (100, 200))
    values["refraction_J"] = float(fine)
    values["refraction_order"] = float(np.log2(rough / fine))
    for muscle, path in plain.PATHS.items():
        own, off, size = system(muscle), 0.0, 0.0
        for state in STATES:
            q, p = np.array(state[:2]), np.array(state[2:])
            answer = plain.accelerations(q, p, path)
            off = max(off, np.abs(accelerations(own, 0.0, q, p) - answer).max())
            size = max(size, np.abs(answer).max())
        values[f"accelerations_{muscle}"] = float(off / size)
    for name, lumped in (("straight", False), ("straight_lumped", True)):
        values[f"{name}_q1_s"], values[f"{name}_q2_s"] = crossings(lumped)
    values["rest_of_5_points"] = straight_rest(5)
    return values


def expected(duration: float = 1.0) -> dict[str, Expected]:
    """Conservation of energy, orders of the methods, plain NumPy, the figure of the paper."""
    kept = {"kind": "consistency", "source": "conservation of energy"}
    values = {
        f"order_{name}": Expected(
            method.order, 0.1, "next term of the error", kind="order", source="order of the method"
        )
        for name, method in METHODS.items()
    }
    values["explicit_energy_error"] = Expected(
        0.0, 1e-8, "of the largest kinetic energy; the tolerance is 1e-11", scale=1.0, **kept
    )
    values["blended_explicit_energy_error"] = Expected(
        0.0, 1e-8, "of the largest kinetic energy; the tolerance is 1e-11", scale=1.0, **kept
    )
    values["blended_explicit_rough_error"] = Expected(
        0.0, 2e-7, "of the largest kinetic energy; the tolerance is 1e-9", scale=1.0, **kept
    )
    values["blended_energy_error"] = Expected(
        0.0, 1e-6, "of the largest kinetic energy; tolerance of the steps", scale=1.0, **kept
    )
    values["group_energy_error"] = Expected(
        0.0, 5e-6, "of the largest kinetic energy; tolerance of the steps", scale=1.0, **kept
    )
    values["points_jump_off"] = Expected(
        0.0, 5e-3, "time of the crossing between two frames", scale=1.0,
        kind="independent", source="kinetic energies in plain NumPy",
    )  # fmt: skip
    values["refraction_order"] = Expected(
        2.0, 0.035, "next term of the error", kind="order", source="order of the method"
    )
    for muscle in plain.PATHS:
        values[f"accelerations_{muscle}"] = Expected(
            0.0, 1e-9, "differences of the mass matrix in the reference", scale=1.0,
            kind="independent", source="Lagrange's equations in plain NumPy",
        )  # fmt: skip
    other = {"kind": "independent", "source": "Newton's equations in plain NumPy"}
    for name, lumped in (("straight", False), ("straight_lumped", True)):
        for hinge, time in zip(NAMES, plain_two_bones.crossings(lumped), strict=True):
            values[f"{name}_{hinge}_s"] = Expected(
                time, 2e-6, "tolerance of the steps, interpolation between frames", **other
            )
    values["rest_of_5_points"] = Expected(
        0.01, 1e-10, "round-off", source="1 / (4 N^2) of m d^2 / 3"
    )
    return values
