"""Upper limb: elbow angle of the paper's forward simulation, and its accuracy.

Two biceps and three triceps fibers move a forearm for 8 s; the numbers are in scenes/upper_limb.py.
Gfrerer and Simeon (2021), section 5.4, figs. 10-12 and table 5. Two kinds of numbers:

- `angle_max`, `angle_end` and `angle_step_3`: the paper's method, backward Euler, with the given
  steps. Its error in time is large, 0.07 rad in the first swing with 256 steps: these numbers are
  the solution of the discrete equations and not accurate angles of the limb. The answers are the
  same solution by the paper's algorithm in plain NumPy (_numpy_limb.py), which shares no code with
  the package: at level 1 (8 elements, 256 steps, 8 s) for the whole run, and at any setting after
  three steps. The tolerance is that of the package's Newton method, 1e-6 rad.
- `angle_max_adaptive` and `angle_difference_adaptive`: the motion of the limb itself, by SDIRK2
  with adaptive steps, up to 2 s, every 1/32 s. The answer is scipy's Radau IIA
  (_limb_reference.py). The tolerance is a thousandth of the swing of 1.02 rad, plus 1.5 rad /
  elements^4 for other meshes than that of the answer (a mesh of 64 elements differs by 4e-4 rad
  from one of 8).

The paper's statement "the resulting curves virtually agree" therefore holds from 2 s on (level 1
differs from vanishing steps by 0.03 rad on the steep flanks and 0.001 rad at the crests), but not
in the first swing: the arm overshoots at 0.23 s to 1.023 rad, and the steps of levels 1 to 4 reduce
this to 0.951, 0.958, 0.984 and 1.002 rad.
"""

import time

import _numpy_limb
import numpy as np
from _limb_reference import ANGLE, END_256, EVERY, MAX_256
from scipy.interpolate import CubicSpline

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.verify import Expected

LEVELS = ((8, 256), (16, 512), (32, 1024), (64, 2048))
SETTLED = 2.0  # s
KNOWN = EVERY * (ANGLE.size - 1)
"""End of the answer for vanishing steps [s]."""
CLOSE = 1e-3
"""Tolerance of the adaptive run [rad]."""
MOST = 0.05
"""Largest tolerance [rad]: coarser meshes do not pass."""


def simulate(elements, steps, duration=8.0):
    """Result of the scene."""
    parameters = {"elements": elements, "steps": steps, "duration": duration}
    return fm.simulate_scene(find("upper_limb").make(parameters), method="backward_euler")


def adaptive(elements, duration):
    """Elbow angle every 1/32 s up to 2 s, or to the last of these within a shorter run [rad]."""
    system = fm.build(find("upper_limb").make({"elements": elements}).model)
    result = fm.simulate(
        system,
        t_end=EVERY * known_entries(duration),
        dt=EVERY,
        method=fm.SDIRK2(),
        control=fm.AdaptiveSteps(1e-4),
    )
    return result.coordinate("elbow_flexion")


def known_entries(duration):
    """Number of entries of the answer after the first that are within the run."""
    return int(min(duration, KNOWN) / EVERY + 1e-9)


def run(elements: int = 8, steps: int = 256, duration: float = 8.0) -> dict[str, float]:
    """Elbow angles [rad].

    Parameters
    ----------
    elements : int
        Finite elements per fiber.
    steps : int
        Time steps of backward Euler.
    duration : float
        Simulated time [s]; the adaptive run ends at 2 s at the latest.
    """
    angle = simulate(elements, steps, duration).coordinate("elbow_flexion")
    values = {
        "angle_max": float(angle.max()),
        "angle_end": float(angle[-1]),
        "angle_step_3": float(angle[min(3, steps)]),
    }
    n = known_entries(duration)
    if n:
        accurate = adaptive(elements, duration)
        values["angle_max_adaptive"] = float(accurate.max())
        values["angle_difference_adaptive"] = float(np.abs(accurate - ANGLE[: n + 1]).max())
    return values


def reference(t):
    """Angle in the limit of vanishing steps [rad], up to 2 s."""
    knots = EVERY * np.arange(ANGLE.size)
    return CubicSpline(knots, ANGLE, bc_type=((1, 0.0), "not-a-knot"))(t)


def expected(elements: int = 8, steps: int = 256, duration: float = 8.0) -> dict[str, Expected]:
    """Answer for the same parameters."""
    numpy = {"kind": "independent", "source": "the paper's algorithm in plain NumPy, same steps"}
    newton = "the same discrete equations: remaining error of Newton's method"
    few = min(3, steps)
    _, first, _ = _numpy_limb.simulate(elements, 8.0 * steps / duration, few, 1e-9)
    answers = {"angle_step_3": Expected(float(first[-1]), 1e-6, newton, **numpy)}
    if (elements, steps, duration) == (8, 256, 8.0):
        answers["angle_max"] = Expected(MAX_256, 1e-6, newton, **numpy)
        answers["angle_end"] = Expected(END_256, 1e-6, newton, **numpy)
    n = known_entries(duration)
    if n:
        mesh = 0.0 if elements == 8 else 1.5 / elements**4
        close = min(CLOSE + mesh, MOST)
        why = "SDIRK2, adaptive: 1e-3 rad; meshes other than 8: also 1.5 rad / elements^4"
        radau = {"kind": "independent", "source": "scipy's Radau IIA, 8 elements", "scale": 1.0}
        highest = float(ANGLE[: n + 1].max())
        answers["angle_max_adaptive"] = Expected(highest, close, why, **radau)
        answers["angle_difference_adaptive"] = Expected(0.0, close, why, **radau)
    return answers


def study(fine: bool = False) -> dict:
    """Levels of table 5: angles, differences between levels, wall times and their factors."""
    simulate(8, 2, 0.01)  # compile before timing
    results, rows, before = [], [], None
    for level, (elements, steps) in enumerate(LEVELS[: 4 if fine else 2], start=1):
        began = time.perf_counter()
        result = simulate(elements, steps)
        seconds = time.perf_counter() - began
        results.append(result)
        angle = result.coordinate("elbow_flexion")
        unknowns = 2 * (5 * 6 * (elements + 1) + 1)
        factor = "" if before is None else f"{seconds / before:.2f}"
        rows.append(
            [level, 5 * elements, unknowns, steps, f"{8.0 / steps:.5f}", f"{seconds:.1f}", factor]
            + [f"{angle.max():.6f}", f"{angle[-1]:.6f}"]
        )
        before = seconds
    angles = [r.coordinate("elbow_flexion") for r in results]
    common = results[0].time
    first, second = common <= 1.0, (common > 1.0) & (common <= KNOWN)
    exact = reference(np.minimum(common, KNOWN))
    differences = []
    for level, angle in enumerate(angles, start=1):
        row = [str(level)]
        to_exact = np.abs(angle[:: 2 ** (level - 1)] - exact)
        if level > 1:
            change = np.abs(angle[::2] - angles[level - 2])
            fine_time = results[level - 2].time
            row += [f"{change[fine_time <= 1.0].max():.4f}"]
            row += [f"{change[fine_time >= SETTLED].max():.4f}"]
        else:
            row += ["", ""]
        differences.append([*row, f"{to_exact[first].max():.4f}", f"{to_exact[second].max():.4f}"])
    return {
        "tables": {
            "Levels and wall times (table 5)": {
                "columns": [
                    "level",
                    "elements",
                    "unknowns",
                    "steps",
                    "dt [s]",
                    "time [s]",
                    "factor",
                    "largest angle [rad]",
                    "last angle [rad]",
                ],
                "rows": rows,
            },
            "Largest differences of the angle [rad]": {
                "columns": [
                    "level",
                    "to the previous level, up to 1 s",
                    "from 2 s on",
                    "to vanishing steps, up to 1 s",
                    "from 1 to 2 s",
                ],
                "rows": differences,
            },
        },
        "notes": [
            "The paper's factors between levels are 4.27, 3.40 and 5.82. Wall times depend on "
            "this machine and on the other programs that were running."
        ]
        + ([] if fine else ["Levels 3 and 4 take minutes: --fine."]),
        "results": results,
    }


def plot(numbers: dict):
    """Figs. 9-13: activation, angle of all levels, attachment and internal forces of the finest."""
    results = numbers["results"]
    panels = ["activation", "coordinates", "attachment_forces", "axial_force"]
    figure = fm.view.plot(results[-1], panels)
    axes = figure.axes[1]
    axes.lines[0].set_label(f"level {len(results)}")
    for level, (result, style) in enumerate(zip(results[:-1], (":", "--", "-."), strict=False)):
        angle = np.degrees(result.coordinate("elbow_flexion"))
        axes.plot(result.time, angle, style, color="0.3", linewidth=1.0, label=f"level {level + 1}")
    t = np.linspace(0.0, KNOWN, 201)
    axes.plot(t, np.degrees(reference(t)), color="#D55E00", linewidth=0.8, label="vanishing steps")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), frameon=False, fontsize="small")
    titles = ("Fig. 9", "Fig. 10", "Fig. 11", "Fig. 11", "Fig. 12")
    for part, fig in zip(figure.axes, titles, strict=False):
        part.set_title(f"{part.get_title(loc='left')} ({fig})", loc="left", fontsize="medium")
    _add_snapshots(figure, results[-1])
    return figure


def _add_snapshots(figure, result) -> None:
    """Fig. 13: the limb at four times of one cycle, below the other panels."""
    from fibermsk.view.pictures.scene import picture

    width, height = figure.get_size_inches()
    figure.draw_without_rendering()  # places the panels
    figure.set_layout_engine("none")
    extra = 0.34 * height
    figure.set_size_inches(width, height + extra)
    for part in figure.axes:
        x, y, w, h = part.get_position().bounds
        part.set_position(
            [x, (y * height + extra) / (height + extra), w, h * height / (height + extra)]
        )
    top = extra / (height + extra)
    for i, t in enumerate((4.5, 5.0, 5.5, 6.0)):
        part = figure.add_axes([0.02 + 0.24 * i, 0.0, 0.24, 0.92 * top])
        part.imshow(picture(result, time=t, color_by="stretch", size=(700, 700), fit="run"))
        part.set_axis_off()
    figure.text(0.05, 0.96 * top, "Snapshots colored by stretch (Fig. 13)", fontsize="medium")
