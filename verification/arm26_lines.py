"""Line muscles of OpenSim's arm26 in a forward run, against the same run by OpenSim.

The scene `arm26_lines`: the arm of the file with its two coordinates and six muscles of Thelen
(2003), from the muscles' equilibrium at rest, excited for 1 s. OpenSim (4.6) reads the same file,
gets the same excitations by a PrescribedController, equilibrates its muscles and integrates with
its default integrator. Compared at every 10 ms are coordinates, speeds, and of each muscle length,
activation, fiber length and tendon force; and the fiber lengths at the start.

What OpenSim computes in another way is taken away from the file, one cause after the other:

- "file": as it is. The path of TRIlong passes the cylinder at the glenoid beyond its end. OpenSim
  yet finds a contact there at -16.52 to -16.60 degrees of the shoulder: its length jumps by 8.5 mm
  and back. An integrator that steps there gets a kick of 23 N.
- "without_glenoid": without this cylinder. OpenSim's paths around cylinder and ellipsoid are not
  the shortest ones, and its moment arms not the slopes of its lengths (docs/howto/wrapping.md).
- "geodesic": OpenSim's own geodesics (Scholz2015GeometryPath) around these surfaces. They agree
  until the triceps touch the cylinder at 0.34 s; why not after that is not examined. OpenSim
  follows geodesics to a tolerance of 0.1 degrees, which cannot be set.
- "spheres": spheres of 16 and 20 mm for cylinder and ellipsoid, around which OpenSim is exact. Now
  both are the same equations, and the difference is that of the integrators. Also with all muscles
  of Millard (2012) and of De Groote (2016) with their default curves; and "straight", without
  wrapping.

The tolerances of the spheres and of straight paths are bounds of this package's time error, found
at tolerances from 1e-5 to 1e-8: it decreases with the power 0.5 to 0.6 of the tolerance. Those of
the others are bounds of OpenSim's own errors.

Energy needs no other program: kinetic energy and weight gain what the tendons supply, and each
muscle supplies the loss of its tendon's energy and the work of its fibers. Powers are integrated
over frames every 1 ms by Simpson's rule.

Needs arm26.osim, which is not part of this package, and the package `opensim`.
"""

import numpy as np
from _arm26_variants import FRAME, VARIANTS, differences, run_both
from _held_elbow import folder
from _work import work

import fibermsk as fm
from fibermsk.verify import Expected

SAME = ("straight", "spheres", "spheres_millard", "spheres_degroote")
"""Variants in which both programs have the same equations."""
LIMITS = {
    "coordinates": (4e-5, 1.0),
    "speeds": (4e-4, 1.0),
    "length": (2e-6, 0.1),
    "activation": (8e-6, 1.0),
    "fiber_length": (2e-6, 0.1),
    "tendon_force": (4e-2, 60.0),
}
"""Largest difference at a tolerance of 1e-6, and size of the quantity [rad, rad/s, m, 1, m, N]."""
OTHERS = {"geodesic": 1e-3, "without_glenoid": 6e-3, "file": 1e-2}
"""Largest difference of a coordinate where OpenSim's paths differ [rad]."""
LAST = 1.0
ACCURACY = 1e-9
"""Of OpenSim's integrator: 3e-7 rad over 1 s."""
FINE = 10
"""Frames in `FRAME` for the integrals of the energies."""


def check(duration: float, tolerance: float) -> None:
    """Refuse settings out of range."""
    if not (FRAME <= duration <= LAST and abs(duration / FRAME - round(duration / FRAME)) < 1e-9):
        raise fm.ModelError(
            f"arm26_lines: duration = {duration} s; must be a multiple of {FRAME} s up to {LAST} s"
        )
    if not 1e-9 <= tolerance <= 1e-5:
        raise fm.ModelError(f"arm26_lines: tolerance = {tolerance}; must be 1e-9 to 1e-5")


def energy_errors(result, scene) -> tuple[float, float]:
    """Largest errors of the energy of bones and of muscles, over the work of the muscles."""
    system = fm.build(scene.model)
    order = [system.describe(k) for k in range(system.n)]
    columns = {name: result.coordinates[name] for name in result.coordinates}
    speeds = dict(result.speeds)
    for name, one in result.muscles.items():
        columns[f"{name}: fiber_length"] = one["fiber_length"]
        columns[f"{name}: active_state"] = one["activation"]
    y = np.stack([columns[name] for name in order], 1)
    v = np.stack([speeds.get(name, np.zeros(result.time.size)) for name in order], 1)
    energies = [system.energy(*one) for one in zip(y, v, strict=True)]
    stored = np.array([one.kinetic + one.gravity for one in energies])
    inner, supplied = [], 0.0
    for muscle in scene.model.muscles:
        one = result.muscles[muscle.name]
        power = one["tendon_force"] * one["lengthening_speed"]
        lengths = zip(one["fiber_length"], one["tendon_length"], strict=True)
        tendon = np.array([muscle.law.energy(muscle, *pair)[1] for pair in lengths])
        fibers = one["total_fiber_force"] * one["fiber_velocity"]
        inner.append((tendon - tendon[0] - work(result, power - fibers))[::2])
        supplied = supplied - power
    done = np.abs(work(result, supplied)).max()
    outer = (stored - stored[0] - work(result, supplied))[::2]  # where the integrals are exact
    return float(np.abs(outer).max() / done), float(np.abs(inner).max() / done)


def run(duration: float = 0.25, tolerance: float = 1e-7) -> dict[str, float]:
    """Largest differences from OpenSim at any frame.

    Parameters
    ----------
    duration : float
        Simulated time [s]; a multiple of 0.01 up to 1.
    tolerance : float
        Relative tolerance of the time steps of this package, 1e-9 to 1e-5.
    """
    check(duration, tolerance)
    folder()
    values = {}
    for name, pair in run_both([*SAME, *OTHERS], duration, tolerance, ACCURACY).items():
        off = differences(*pair)
        for quantity in LIMITS if name in SAME else ("coordinates",):
            values[f"{name}_{quantity}_off"] = off[quantity]
        if name in SAME:
            values[f"{name}_start_off"] = off["start"]
    steps = FINE * round(duration / FRAME)
    scene = fm.make_scene("arm26_lines", duration=duration, steps=steps, tolerance=tolerance)
    outer, inner = energy_errors(fm.simulate_scene(scene), scene)
    values["energy_of_bones_off"], values["energy_of_muscles_off"] = outer, inner
    usual = fm.make_scene("arm26_lines", duration=duration, steps=round(duration / FRAME))
    fine = fm.make_scene(
        "arm26_lines", duration=duration, steps=round(duration / FRAME), tolerance=tolerance
    )
    ends = [fm.simulate_scene(one).coordinates for one in (usual, fine)]
    values["default_off"] = max(float(np.abs(ends[0][q] - ends[1][q]).max()) for q in ends[0])
    return values


def expected(duration: float = 0.25, tolerance: float = 1e-7) -> dict[str, Expected]:
    """References at every frame."""
    check(duration, tolerance)
    opensim = {"kind": "independent", "source": "OpenSim 4.6, accuracy 1e-9"}
    values = {}
    for name in SAME:
        for quantity, (limit, size) in LIMITS.items():
            most = limit * (tolerance / 1e-6) ** 0.45
            why = "time error of this package, by the power 0.45 of its tolerance"
            values[f"{name}_{quantity}_off"] = Expected(0.0, most, why, scale=size, **opensim)
        why = "OpenSim ends its iterations at 1e-8 of the largest isometric force"
        values[f"{name}_start_off"] = Expected(0.0, 1e-9, why, scale=0.1, **opensim)
    for name, most in OTHERS.items():
        why = "OpenSim's paths, see the statement"
        values[f"{name}_coordinates_off"] = Expected(
            0.0, most, why, "comparison", "OpenSim 4.6", 1.0
        )
    law = {"kind": "consistency", "source": "balance of energy", "scale": 1.0}
    why = "time steps of 1 ms or less, second order"
    values["energy_of_bones_off"] = Expected(0.0, 5e-5, why, **law)
    why = "the same, and Simpson's rule where a signal has a corner or a path touches"
    values["energy_of_muscles_off"] = Expected(0.0, 1e-4, why, **law)
    why = "claim of the scene's default tolerance"
    values["default_off"] = Expected(
        0.0, 1e-4, why, "consistency", "smaller time steps of the same method", 1.0
    )
    return values


def study(fine: bool = False) -> dict:
    """Differences of all variants over 1 s, and their decrease with both tolerances.

    Parameters
    ----------
    fine : bool
        Also tolerances of 1e-7 and 1e-8.
    """
    tolerance = 1e-7 if fine else 1e-6
    found = run_both(VARIANTS, LAST, tolerance, ACCURACY)
    rows = []
    for name, pair in found.items():
        off = differences(*pair)
        rows.append([name, *(off[quantity] for quantity in LIMITS), off["start"]])
    converged = []
    for own in (1e-5, 1e-6, 1e-7, 1e-8) if fine else (1e-5, 1e-6):
        result, other = run_both(["spheres"], LAST, own, ACCURACY)["spheres"]
        off = differences(result, other)
        steps = result.stats["substeps"]
        converged.append([own, steps, *(off[quantity] for quantity in LIMITS)])
    units = ("[rad]", "[rad/s]", "[m]", "", "[m]", "[N]")
    names = [f"{name.replace('_', ' ')} {unit}" for name, unit in zip(LIMITS, units, strict=True)]
    return {
        "tables": {
            f"Largest difference from OpenSim over {LAST:g} s, tolerance {tolerance:g}": {
                "columns": ["variant", *names, "fiber length at the start [m]"],
                "rows": rows,
            },
            f"Spheres: largest difference over {LAST:g} s": {
                "columns": ["tolerance", "steps", *names],
                "rows": converged,
            },
        },
        "found": found,
    }  # fmt: skip


def plot(numbers: dict):
    """Motion, activations, fibers, forces, and differences to OpenSim."""
    from _arm26_figures import draw

    return draw(numbers["found"])
