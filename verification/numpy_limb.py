"""Upper limb: the motion of the paper's algorithm in plain NumPy, step by step.

The first steps of scenes/upper_limb.py (Gfrerer and Simeon 2021, section 5.4), by backward Euler,
are compared with _numpy_limb.py: loops over elements and Gauss points in Python, closest points by
np.roots on every near element, tangents from the paper's appendix, full Newton, scipy's sparse LU
with its default ordering. It imports NumPy and SciPy only, and keeps the attached nodes as
unknowns, which the package eliminates. After half a second the arm has passed its first overshoot;
fibers touch each other and all three bones.

Both solve the same discrete equations, by Newton's method to increments below 1e-10 of a fiber's
length or of 1 rad. Angles, node positions and tangents must therefore agree up to the remaining
error of Newton's method: the tolerance is ten times 1e-10 (measured: 1e-14). A wrong factor in the
forces is visible in the first steps; a wrong tangent is not, it is detected by coupled_tangent.

The study also compares the wall time per step of both, medians over the same first steps, without
compilation.
"""

import time

import numpy as np
from _numpy_limb import march

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.verify import Expected

TOLERANCE = 1e-10
"""Of Newton's method in both programs."""
LEVELS = ((8, 256), (16, 512), (32, 1024))
"""Elements per fiber and steps in 8 s, table 5."""
TIMED = 8
"""Number of timed steps."""


def scene_system(elements: int):
    """The scene's system."""
    return fm.build(find("upper_limb").make({"elements": elements}).model)


def ours(system, steps_per_8s: int, first: int, tolerance: float):
    """Result, and wall time of each step [s]."""
    dt = 8.0 / steps_per_8s
    ticks = [time.perf_counter()]
    result = fm.simulate(
        system,
        t_end=first * dt,
        dt=dt,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
        newton=fm.Newton(tolerance=tolerance),
        progress=lambda _: ticks.append(time.perf_counter()),
    )
    return result, np.diff(ticks)


def nodes_of(result) -> np.ndarray:
    """Positions and tangents of all nodes, (n_frames, n)."""
    frames = len(result.time)
    parts = [
        np.concatenate([fiber.position, fiber.tangent], axis=2).reshape(frames, -1)
        for fiber in result.fibers.values()
    ]
    return np.concatenate(parts, axis=1)


def compare(elements: int, steps_per_8s: int, first: int) -> dict[str, np.ndarray]:
    """Angles [rad] of both, and largest difference of the nodes [m], over the steps."""
    states, _, _ = march(elements, steps_per_8s, first, TOLERANCE)
    result, _ = ours(scene_system(elements), steps_per_8s, first, TOLERANCE)
    slow = np.array([state.u for state in states])
    return {
        "time": result.time,
        "ours": result.coordinate("elbow_flexion"),
        "numpy": np.array([state.q for state in states]),
        "nodes": np.abs(nodes_of(result) - slow).max(axis=1),
    }


def run(elements: int = 8, steps_per_8s: int = 256, first: int = 16) -> dict[str, float]:
    """Largest differences over the first steps.

    Parameters
    ----------
    elements : int
        Finite elements per fiber.
    steps_per_8s : int
        A step takes 8 s over this number.
    first : int
        Number of steps.
    """
    if min(elements, steps_per_8s, first) < 1:
        raise fm.ModelError("numpy_limb: elements, steps_per_8s and first must be 1 or more")
    found = compare(elements, steps_per_8s, first)
    return {
        "angle_difference_rad": float(np.abs(found["ours"] - found["numpy"]).max()),
        "node_difference_m": float(found["nodes"].max()),
    }


def expected(elements: int = 8, steps_per_8s: int = 256, first: int = 16) -> dict[str, Expected]:
    """No difference except the remaining error of Newton's method."""
    why = "the same discrete equations: ten times Newton's tolerance"
    numpy = {"kind": "independent", "source": "the paper's algorithm in plain NumPy"}
    return {
        "angle_difference_rad": Expected(0.0, 10.0 * TOLERANCE, why, **numpy),
        "node_difference_m": Expected(0.0, 10.0 * TOLERANCE, why, **numpy),
    }


def study(fine: bool = False) -> dict:
    """Differences and seconds per step of the levels.

    Parameters
    ----------
    fine : bool
        Levels 1 to 3 instead of level 1 only.
    """
    rows = []
    for level, (elements, steps) in enumerate(LEVELS[: 3 if fine else 1], start=1):
        system = scene_system(elements)
        # compile before timing
        ours(system, steps, 1, 1e-7)
        # time the package before and after, in case the load of the machine changes
        before = ours(system, steps, TIMED, 1e-7)[1]
        slow, iterations, seconds = march(elements, steps, TIMED)
        result, after = ours(system, steps, TIMED, 1e-7)
        fast = float(np.median(np.concatenate([before, after])))
        plain = float(np.median(seconds))
        angle = np.array([state.q for state in slow])
        difference = np.abs(result.coordinate("elbow_flexion") - angle).max()
        rows.append(
            [level, 5 * elements, f"{plain:.3f}", f"{fast:.4f}", f"{plain / fast:.0f}"]
            + [sum(iterations), int(result.stats["newton_iterations"]), f"{difference:.1e}"]
        )
    return {
        "tables": {
            f"Seconds per step, median of the first {TIMED}": {
                "columns": [
                    "level",
                    "elements",
                    "NumPy [s]",
                    "fibermsk [s]",
                    "ratio",
                    "Newton iterations, NumPy",
                    "fibermsk",
                    "largest difference [rad]",
                ],
                "rows": rows,
            }
        },
        "notes": ["Times depend on this machine and on the other programs that were running."],
        "motion": compare(*LEVELS[0], 16),
    }


def plot(numbers: dict):
    """Angle of both over the first steps, and their differences."""
    from _pictures import COLORS, finish, new_figure

    motion = numbers["motion"]
    figure = new_figure(10.0, 4.0)
    angle, difference = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    angle.plot(motion["time"], motion["numpy"], "o", color="0.6", label="plain NumPy")
    angle.plot(motion["time"], motion["ours"], color=COLORS[0], label="fibermsk")
    finish(angle, "Upper limb, level 1", "time [s]", "elbow angle [rad]")
    off = np.abs(motion["ours"] - motion["numpy"])
    # zero cannot be drawn on a logarithmic axis
    for values, name in ((off, "angle [rad]"), (motion["nodes"], "nodes [m]")):
        difference.semilogy(motion["time"], np.maximum(values, 1e-17), "o-", label=name)
    finish(difference, "Differences", "time [s]", "largest difference")
    return figure
