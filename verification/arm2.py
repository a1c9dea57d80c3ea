"""Line muscles that wrap: the arm of Munoz-Pepi and others, to the end of the published motion.

The scene `arm2` (Munoz-Pepi, Sanchez, Dong, Ocampo and Parra-Vega 2023, section III-E and F): two
hinges, two Hill muscles with elastic tendons around a cylinder, condition I without and II with a
robot. Compared are

- the angles at the end with the same equations in plain NumPy by scipy's DOP853
  (`_arm2_reference.py`, `data/arm2_reference.csv`), at every frame: the scene's default tolerance
  is said to give 1e-4 rad;
- the angles of ``formulation=reproduce``, the authors' formulation, with their published files
  (`data/arm2_published.csv`), at every frame: 1e-5 rad;
- lengths, their rates and moment arms with the same path in plain NumPy at the same poses:
  round-off. No muscle has a moment arm at the shoulder, because both span the elbow alone;
- energy: kinetic energy, weight and joint springs gain what dampers and muscles supply; each muscle
  supplies the loss of its tendon's energy and the work of its fibers. Powers are integrated over
  frames every 1 ms by Simpson's rule; the error is that of the time steps, of second order;
- with rigid tendons and fibers without damping the published result of OpenSim, whose model has
  both: 2 mrad, at fixed steps of 10 ms of OpenSim's integrator.
"""

from pathlib import Path

import numpy as np
from _arm2_reference import AXES, arm
from _work import work

import fibermsk as fm
from fibermsk.verify import Expected

DATA = Path(__file__).parent / "data"
PUBLISHED, REFERENCE = (
    np.genfromtxt(DATA / f"arm2_{name}.csv", delimiter=",", names=True)
    for name in ("published", "reference")
)
STEP, LAST = 0.01, 5.0
FINE = 10
"""Frames between two of the data, for the integrals of the energies."""
AUTHORS = "Munoz-Pepi and others (2023), published files"


def simulated(duration, each=1, **options):
    """Result with frames every 10 ms, or more by `each`."""
    steps = each * round(duration / STEP)
    return fm.simulate_scene(fm.make_scene("arm2", duration=duration, steps=steps, **options))


def angles(result):
    """Shoulder and elbow at the frames of the data (n, 2)."""
    return motion(result)[0][:: round(STEP / (result.time[1] - result.time[0]))]


def given(table, name, n):
    """Shoulder and elbow of a table (n, 2)."""
    return np.stack([table[f"shoulder_{name}"], table[f"elbow_{name}"]], 1)[:n]


def off(result, table, name):
    """Largest differences of shoulder and elbow from a table [rad]."""
    found = angles(result)
    return np.abs(found - given(table, name, len(found))).max(axis=0)


def motion(result):
    """Angles and speeds of shoulder and elbow at all frames, two (n, 2)."""
    both = result.coordinates, result.speeds
    return [np.stack([one["shoulder"], one["elbow"]], 1) for one in both]


def balance(result):
    """Largest errors of the energy of the arm and of the muscles, over the muscles' work."""
    (q, p), stored = motion(result), []
    for angle, speed in zip(q, p, strict=True):
        bones = arm.pose(angle, speed)
        parts = arm.mechanical_energy(bones, arm.mass_and_bias(bones)[0])
        stored.append(sum(parts) + arm.passive_energy(angle))
    stored, lost = np.array(stored), np.sum(p**2, axis=1)  # dampers of 1 N m s/rad
    inner, supplied = [], 0.0
    for one, muscle in zip(result.muscles.values(), arm.MUSCLES, strict=True):
        power = one["tendon_force"] * one["lengthening_speed"]
        tendon = [arm.tendon_energy(muscle, 1.0 + strain) for strain in one["tendon_strain"]]
        fibers = one["total_fiber_force"] * one["fiber_velocity"]
        inner.append(np.subtract(tendon, tendon[0]) - work(result, power - fibers))
        supplied = supplied - power
    done = np.abs(work(result, supplied)).max()
    outer = stored - stored[0] - work(result, supplied - lost)
    return np.abs(outer).max() / done, np.abs(inner).max() / done


def path_off(result):
    """Largest difference of lengths, their rates and moment arms from plain NumPy."""
    largest = 0.0
    for k, (angle, speeds) in enumerate(zip(*motion(result), strict=True)):
        bones = arm.pose(angle, speeds)
        for own, muscle in zip(result.muscles.values(), arm.MUSCLES, strict=True):
            path = arm.path(muscle, bones, AXES)
            found = own["length"][k], own["lengthening_speed"][k], -own["moment_arm/elbow"][k]
            plain = np.array([path.length, path.slope @ speeds, path.slope[1]])
            largest = max(largest, np.abs(found - plain).max(), abs(path.slope[0]))
    return largest


def check(duration):
    """Refuse a duration without data."""
    if not (STEP <= duration <= LAST and abs(duration / STEP - round(duration / STEP)) < 1e-9):
        raise fm.ModelError(
            f"arm2: duration = {duration} s; must be a multiple of {STEP} s up to {LAST} s"
        )


def run(duration: float = 0.25) -> dict[str, float]:
    """Simulate both conditions, the published formulation, and rigid tendons.

    Parameters
    ----------
    duration : float
        Simulated time [s]; a multiple of 0.01 up to 5.
    """
    check(duration)
    values = {}
    for condition in ("I", "II"):
        result = simulated(duration, condition=condition)
        shoulder, elbow = off(result, REFERENCE, condition)
        values[f"shoulder_{condition}_off"], values[f"elbow_{condition}_off"] = shoulder, elbow
        end = angles(result)[-1]
        values[f"shoulder_{condition}_end"], values[f"elbow_{condition}_end"] = end
        same = simulated(duration, condition=condition, formulation="reproduce")
        values[f"published_{condition}_off"] = off(same, PUBLISHED, condition).max()
    result = simulated(duration, FINE)
    values["energy_of_arm_off"], values["energy_of_muscles_off"] = balance(result)
    values["path_off"] = path_off(result)
    rigid = simulated(duration, tendon="rigid", damping=0.0)
    values["rigid_off"] = off(rigid, REFERENCE, "rigid_undamped").max()
    values["opensim_off"] = off(rigid, PUBLISHED, "opensim").max()
    return values


def expected(duration: float = 0.25) -> dict[str, Expected]:
    """References at every frame, and at the end."""
    check(duration)
    n = round(duration / STEP)
    own = {"kind": "independent", "source": "plain NumPy, DOP853 (_arm2_reference.py)"}
    authors = {"kind": "independent", "source": AUTHORS, "scale": 1.0}
    law = {"kind": "consistency", "source": "balance of energy", "scale": 1.0}
    values = {}
    for name in ("I", "II"):
        for joint in ("shoulder", "elbow"):
            answer = REFERENCE[f"{joint}_{name}"][n]
            why = "claim of the scene's default tolerance"
            values[f"{joint}_{name}_off"] = Expected(0.0, 1e-4, why, scale=1.0, **own)
            values[f"{joint}_{name}_end"] = Expected(answer, 1e-4, why, **own)
        why = "convergence of the authors' iterations"
        values[f"published_{name}_off"] = Expected(0.0, 1e-5, why, **authors)
    why = "time steps of 1 ms or less, second order; largest at the start, over a work that grows"
    most = max(5e-5 / duration, 1e-4)
    values["energy_of_arm_off"] = Expected(0.0, most, why, **law)
    values["energy_of_muscles_off"] = Expected(0.0, most, why, **law)
    plain = {"kind": "independent", "source": "closed form in plain NumPy (_arm2_numpy.py)"}
    values["path_off"] = Expected(0.0, 1e-12, "round-off, in m and m/s", scale=1.0, **plain)
    why = "time steps"
    values["rigid_off"] = Expected(0.0, 1e-4, why, **own, scale=1.0)
    why = "fixed steps of 10 ms in OpenSim"
    values["opensim_off"] = Expected(
        0.0, 2e-3, why, "comparison", "Arm22_states.sto of the authors, by OpenSim 4.4", 1.0
    )
    return values


TENDONS = {
    "elastic tendon, damped fibers": {},
    "rigid tendon, damped fibers": {"tendon": "rigid"},
    "elastic tendon, damping 0.001": {"damping": 1e-3},
    "rigid tendon, undamped fibers": {"tendon": "rigid", "damping": 0.0},
}


def study(fine: bool = False) -> dict:
    """Motion of both conditions, and what separates it from OpenSim's published result.

    Parameters
    ----------
    fine : bool
        The whole 5 s instead of the first one.
    """
    duration = LAST if fine else 1.0
    n = round(duration / STEP) + 1
    first, second = (simulated(duration, condition=name) for name in ("I", "II"))
    rows = [["authors' formulation, their files"]]
    rows[0] += list(np.abs(given(PUBLISHED, "I", n) - given(PUBLISHED, "opensim", n)).max(axis=0))
    for label, options in TENDONS.items():
        result = first if not options else simulated(duration, **options)
        rows.append([f"scene, {label}", *off(result, PUBLISHED, "opensim")])
    converged = []
    for tolerance in (1e-4, 1e-5, 1e-6):
        result = simulated(duration, tolerance=tolerance)
        converged.append([tolerance, result.stats["substeps"], *off(result, REFERENCE, "I")])
    joints = ["shoulder [rad]", "elbow [rad]"]
    title = f"Largest difference to OpenSim's published angles, condition I, first {duration:g} s"
    return {
        "tables": {
            title: {"columns": ["formulation", *joints], "rows": rows},
            "Largest error against DOP853, condition I": {
                "columns": ["tolerance", "steps", *joints],
                "rows": converged,
            },
        },
        "notes": [
            "OpenSim's model has rigid tendons and fibers without damping (`fiber_damping` 0); the "
            "authors' own formulation has elastic tendons and a damping of 0.1."
        ],
        "first": first,
        "second": second,
    }


def plot(numbers: dict):
    """Figures like 5 to 11 of the paper."""
    from _arm2_figures import draw

    return draw(numbers["first"], numbers["second"], PUBLISHED, AXES)
