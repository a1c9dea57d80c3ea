"""Muscles with mass that touch a surface: blended, switching exactly, and by a network.

The double pendulum of type III (scenes/double_pendulum.py, a muscle of 1 kg around a cylinder of
4 cm), released at rest; its path touches the cylinder at about 0.14 s and lifts off at 0.36 s.
`blend` is the mean of the wrapped and the straight path below a wrap angle of 0.15 rad, `switch`
the exact path, and `network` that of wang2022 in the form of the package. Along one motion (that of
`blend`) over `duration`:

- `position_mm_WAY`, `length_mm_WAY`, `arm_mm_WAY`: largest distance of a point of the path from the
  exact one, error of its length, and of its moment arms about both hinges. Comparison.
- `energy_WAY`: largest change of the energy over the largest kinetic energy, integrated with
  adaptive steps of SDIRK4 (tolerance `tolerance`), for blend and network, whose inertia is smooth.
- `network_ratio`: that of the network with a tolerance of 1e-4 over that with 1e-6: the error is
  one of time integration and vanishes with the steps.
- `switch_order`: order of the change of the energy of `switch` after 0.25 s, when the path has
  lifted off, with 100 and 200 steps of SDIRK2, through the refraction of the velocities.

The study has times for one evaluation with tangent, by the best of several in one process.
"""

import time

import numpy as np
from _pictures import COLORS, finish, new_figure
from inertial_muscles import METHODS, change, energies

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.verify import Expected

WAYS = "blend", "switch", "network"
SMOOTH = "blend", "network"
FRACTIONS = np.linspace(0.05, 0.95, 19)


def scene(way: str, **options) -> fm.Scene:
    """The double pendulum of type III."""
    return find("double_pendulum").make({"muscle": "III", "wrapping": way, **options})


def run_with(way: str, duration: float, tolerance: float):
    """A run, and its change of energy over the largest kinetic energy (frames,)."""
    own = scene(way, duration=duration, steps=100, tolerance=tolerance)
    result = fm.simulate_scene(own)
    moved, kinetic = energies(fm.build(own.model), result)
    return result, moved / kinetic


def path_along(way: str, motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (k, n, 3), their derivatives by the second hinge (k, n, 3), and lengths (k, 3)."""
    system = fm.build(scene(way).model)
    paths, x, J, lengths = system.contributions[-1].paths, [], [], []
    for q in motion:
        at = system.configuration.kinematics(0.0, q, 0.0 * q)
        placed = paths.at(at)
        own = paths.material(at, placed, 0, FRACTIONS)
        x.append(own[0])
        J.append(own[1][:, :, 1])
        lengths.append(np.r_[placed.length, placed.by_q[0]])
    return np.array(x), np.array(J), np.array(lengths)


def accuracy(motion) -> dict[str, np.ndarray]:
    """Largest errors of points, length and moment arms [mm], by way."""
    found = {way: path_along(way, motion) for way in WAYS}
    exact, errors = found["switch"], {}
    for way, (x, _, lengths) in found.items():
        off = np.abs(lengths - exact[2]).max(0)
        far = np.linalg.norm(x - exact[0], axis=-1).max()
        errors[way] = 1e3 * np.array([far, off[0], off[1:].max()])
    return errors


def evaluation_ms(way: str) -> float:
    """Time of one evaluation with tangent [ms], the best of 30."""
    system = fm.build(scene(way).model)
    q, v = system.initial_state()
    best = np.inf
    for k in range(31):
        start = time.perf_counter()
        system.evaluate(0.0, q + 1e-6 * k, v, 0.0 * v, 1.0, 1.0)
        best = min(best, time.perf_counter() - start) if k else best
    return 1e3 * best


def run(duration: float = 0.5, tolerance: float = 1e-6) -> dict[str, float]:
    """Errors of paths and energies.

    Parameters
    ----------
    duration : float
        Simulated time [s], 0.4 to 2.
    tolerance : float
        Relative tolerance of the time steps.
    """
    if not 0.4 <= duration <= 2.0:
        raise fm.ModelError(f"wrapping_with_mass: duration = {duration:g} s; must be in [0.4, 2]")
    values, motion = {}, None
    for way in SMOOTH:
        result, moved = run_with(way, duration, tolerance)
        values[f"energy_{way}"] = float(np.abs(moved).max())
        if motion is None:
            motion = np.transpose([result.coordinates[name] for name in ("q1", "q2")]).copy()
    rough = float(np.abs(run_with("network", duration, 1e-4)[1]).max())
    values["network_ratio"] = rough / values["energy_network"]
    sharp = fm.build(scene("switch").model)
    first, second = (change(sharp, METHODS["sdirk2"], 0.25, n)[-1] for n in (100, 200))
    values["switching_J"], values["switch_order"] = float(second), float(np.log2(first / second))
    for way, errors in accuracy(motion).items():
        for name, error in zip(("position", "length", "arm"), errors, strict=True):
            values[f"{name}_mm_{way}"] = float(error)
    return values


def expected(duration: float = 0.5, tolerance: float = 1e-6) -> dict[str, Expected]:
    """Conservation of energy; errors of the paths as they are known before."""
    kept = {"kind": "consistency", "source": "conservation of energy", "scale": 1.0}
    # the blend lies within a narrow range of the angle; the rates of the hinges are controlled too
    values = {
        f"energy_{way}": Expected(0.0, many * tolerance, "tolerance of the steps", **kept)
        for way, many in (("blend", 10.0), ("network", 0.2))
    }
    values["switch_order"] = Expected(
        2.0, 0.035, "next term of the error", kind="order", source="order of the method"
    )
    known = {"kind": "comparison", "source": "the exact path"}
    for name, most in (("position", 4.3), ("length", 1.5), ("arm", 24.0)):
        values[f"{name}_mm_network"] = Expected(
            0.0, most, "largest of its published errors, for a radius of 4 cm", scale=40.0, **known
        )
    return values


def study(fine: bool = False) -> dict:
    """Accuracy, energy and time of the three, and what a picture shows."""
    duration = 2.0 if fine else 0.5
    result, moved = run_with("blend", duration, 1e-6)
    curves = {"blend": (result.time, moved)}
    result_network, moved = run_with("network", duration, 1e-6)
    curves["network"] = (result_network.time, moved)
    result_switch, moved = run_with("switch", duration, 1e-6)
    curves["switch"] = (result_switch.time, moved)
    motion = np.transpose([result.coordinates[name] for name in ("q1", "q2")]).copy()
    errors, taken = accuracy(motion), {way: evaluation_ms(way) for way in WAYS}
    rows = [
        [way, *(f"{error:.3g}" for error in errors[way]), f"{np.abs(curves[way][1]).max():.2g}",
         f"{taken[way]:.2f}", f"{taken[way] / taken['blend']:.1f}"]
        for way in WAYS
    ]  # fmt: skip
    sweep = np.stack([np.full(201, 0.5), np.linspace(-1.2, 0.6, 201)], 1)
    columns = [
        "wrapping", "points [mm]", "length [mm]", "moment arms [mm]", "energy", "evaluation [ms]",
        "over blend",
    ]  # fmt: skip
    title = f"Largest errors over {duration:g} s of the double pendulum III, radius 4 cm"
    return {
        "tables": {title: {"columns": columns, "rows": rows}},
        "notes": ["energy: largest change over the largest kinetic energy"],
        "curves": {way: [list(map(float, part)) for part in curves[way]] for way in WAYS},
        "angle": sweep[:, 1].tolist(),
        "derivative": {way: path_along(way, sweep)[1][:, 9, 0].tolist() for way in WAYS},
    }


def plot(numbers: dict):
    """Energies, and the derivative of a point by the second hinge."""
    figure = new_figure(9.0, 3.4)
    first, second = figure.subplots(1, 2)
    for way, color in zip(WAYS, COLORS, strict=False):
        t, moved = np.array(numbers["curves"][way])
        # below 1e-12, at the start, there is only round-off
        first.semilogy(t[1:], np.maximum(np.abs(moved[1:]), 1e-12), color=color, label=way)
        second.plot(numbers["angle"], numbers["derivative"][way], color=color, label=way)
    finish(first, "Energy of the double pendulum III", "time [s]", "|change| / largest kinetic")
    second.set_xticks([-1.2, -0.6, 0.0, 0.6])
    finish(second, "Middle point: dx / dq2", "second hinge [rad]", "derivative [m/rad]")
    return figure
