"""A fiber with bending stiffness whose ends are pushed together has the shape of the elastica.

A fiber of 0.3 m, radius 6 mm, shear modulus 20 kPa, with the full bending stiffness of a round
section, B = 3 mu pi r^4 / 4 (`Tissue(bending=1.0)`), without weight. Its pinned ends are 0.2 m
apart: it has buckled sideways.

The answer: with the angle phi(s) of the centerline, the reference length s and the thrust P, the
energy W(lambda) + B phi'^2 / 2 with x' = lambda cos(phi), z' = lambda sin(phi) is stationary where

    N(lambda) = -P cos(phi),    B phi'' = -P lambda sin(phi),    phi' = 0 at both ends,

with N = A0 mu (lambda - lambda^-2): Euler's elastica of 1744 for a compressible fiber. P and the
angle at the end follow from phi = 0 and x = 0.1 m at the middle, by shooting with DOP853 with the
tolerance 1e-13; no code of the package is used. A second number is the thrust of a shallow arch,
near Euler's load: its ends are closer than the length by two parts in a thousand, of which
compression takes one, and P is within 0.2 % of Euler's load pi^2 B / L^2.

The curvature of cubic elements has order 2; energy, thrust and shape therefore have order 4. All
are extrapolated with this order from `elements` and twice as many, with a relative tolerance of
1e-5 (16 / elements)^4 (measured at 16: 6e-7). The order is measured near Euler's load, where the
errors decrease smoothly; on the high arch it still decreases from 5 to 4.
"""

from __future__ import annotations

import numpy as np
from _centerline import middle
from _extrapolation import order_of, richardson
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH, SPAN, RADIUS = 0.3, 0.2, 6e-3  # m
MU = 2e4  # N/m^2
AREA = np.pi * RADIUS**2
B = 3.0 * MU * np.pi * RADIUS**4 / 4.0  # N m^2
EULER = np.pi**2 * B / LENGTH**2  # N
SHALLOW = LENGTH * (1.0 - 2e-3)  # m


def solve(elements: int, span: float):
    """System and its equilibrium with the ends `span` apart [m]."""
    model = fm.Model("elastica", gravity=(0.0, 0.0, 0.0))
    end = fm.MovingPoint(lambda t: (LENGTH + t * (span - LENGTH), 0.0, 0.0))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(MU, 0.0), bending=1.0)
    model.add(
        fm.Fiber(
            "fiber",
            attach=(model.ground.at(0, 0, 0), end),
            radius=RADIUS,
            n_elements=elements,
            tissue=tissue,
        )
    )
    system = fm.build(model)
    # initial shape: half a sine wave longer than the fiber, which is taut and shortens
    s = system.cables.theta
    rise = 3.0 / np.pi * np.sqrt(span * (LENGTH - span))
    nodes = np.zeros((s.size, 6))
    nodes[:, 0], nodes[:, 3] = span * s, span
    nodes[:, 2] = rise * np.sin(np.pi * s)
    nodes[:, 5] = rise * np.pi * np.cos(np.pi * s)
    start = nodes.ravel(), np.zeros(nodes.size)
    return system, *fm.equilibrium(system, start, t=1.0)


def measure(elements: int) -> dict[str, float]:
    """Rise of the middle [m] and thrust [N] of the high arch, thrust of the shallow one."""
    system, y, v = solve(elements, SPAN)
    push = -system.evaluate(1.0, y, v, 0.0 * v, tangent=False).reactions[0]
    shallow, y_shallow, _ = solve(elements, SHALLOW)
    thrust = -shallow.evaluate(1.0, y_shallow, v, 0.0 * v, tangent=False).reactions[0, 0]
    return {
        "rise_m": float(middle(system.split(y)[0])[2]),
        "thrust_N": float(-push[0]),
        "thrust_near_eulers_N": float(-thrust),
        "cross_force_N": float(np.linalg.norm(push[1:])),
    }


def run(elements: int = 16) -> dict[str, float]:
    """Rise and thrust, extrapolated, and the order near Euler's load.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; a second run has twice as many.
    """
    coarse, fine, answer = measure(elements), measure(2 * elements), exact_values()
    values = {name: float(richardson(coarse[name], fine[name], 4)) for name in answer}
    values["cross_force_N"] = fine["cross_force_N"]
    near = "thrust_near_eulers_N"
    errors = (found[near] - answer[near] for found in (coarse, fine))
    values["order_near_eulers"] = order_of(*errors)
    return values


def stretch_of(force: float) -> float:
    """Stretch at which the fiber carries an axial force [N]."""
    return brentq(lambda x: AREA * MU * (x - x**-2) - force, 0.2, 2.0, xtol=1e-15, rtol=1e-15)


def shoot(thrust: float, angle: float, ends=None):
    """Angle, its slope, x and z from the end to the middle."""

    def slope(s, state):
        phi = state[0]
        lam = stretch_of(-thrust * np.cos(phi))
        bend = -thrust * lam * np.sin(phi) / B
        return [state[1], bend, lam * np.cos(phi), lam * np.sin(phi)]

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}
    return solve_ivp(slope, (0.0, 0.5 * LENGTH), [angle, 0.0, 0.0, 0.0], t_eval=ends, **options)


def exact(span: float) -> tuple[float, float, float]:
    """Thrust [N], angle at the end [rad] and rise [m]."""

    def misses(guess):
        phi, _, x, _ = shoot(EULER * guess[0], guess[1]).y[:, -1]
        return [phi, (x - 0.5 * span) / LENGTH]

    # inextensible and shallow: the ends approach by angle^2 / 4 of the length
    guess = [1.0, 2.0 * np.sqrt(1.0 - span / LENGTH)]
    found = root(misses, guess, tol=1e-13)
    if np.abs(misses(found.x)).max() > 1e-11:
        raise RuntimeError(f"shooting failed: {found.message}")
    thrust, angle = EULER * found.x[0], found.x[1]
    return thrust, angle, shoot(thrust, angle).y[3, -1]


def exact_values() -> dict[str, float]:
    """Answers with the names of `measure`."""
    thrust, _, rise = exact(SPAN)
    return {"rise_m": rise, "thrust_N": thrust, "thrust_near_eulers_N": exact(SHALLOW)[0]}


def expected(elements: int = 16) -> dict[str, Expected]:
    """Answers from the equation of the elastica."""
    answer = exact_values()
    found = {
        name: Expected(
            value,
            value * 1e-5 * (16 / elements) ** 4,
            "extrapolated from two meshes: relative 1e-5 (16 / elements)^4",
            kind="independent",
            source="equation of the elastica, shooting with scipy's DOP853 at 1e-13",
        )
        for name, value in answer.items()
    }
    found["cross_force_N"] = Expected(
        0.0,
        1e-9 * answer["thrust_N"],
        "remaining error of Newton's method",
        kind="consistency",
        source="symmetry",
        scale=answer["thrust_N"],
    )
    found["order_near_eulers"] = Expected(
        4.0,
        0.1 * max(1.0, 8 / elements),
        "next term of the error",
        kind="order",
        source="theory of cubic elements with bending",
    )
    return found


def study(fine: bool = False) -> dict:
    """Errors against the mesh, and the shape.

    Parameters
    ----------
    fine : bool
        Up to 64 elements instead of 32.
    """
    thrust, angle, _ = exact(SPAN)
    answer = exact_values()
    rows, last = [], None
    for n in (4, 8, 16, 32, 64)[: 5 if fine else 4]:
        got = measure(n)
        error = [got[name] / value - 1.0 for name, value in answer.items()]
        order = [""] * 3 if last is None else list(np.log2(np.abs(np.divide(last, error))))
        rows.append([n, *(entry for pair in zip(error, order, strict=True) for entry in pair)])
        last = error
    system, y, _ = solve(8, SPAN)
    s = np.linspace(0.0, 0.5 * LENGTH, 61)
    half = shoot(thrust, angle, s).y[2:].T
    columns = ["elements", "rise", "order", "thrust", "order", "near Euler's load", "order"]
    return {
        "tables": {"Elastica: relative errors": {"columns": columns, "rows": rows}},
        "nodes": system.split(y)[0][:, [0, 2]],
        "exact": np.r_[half, [SPAN, 0.0] + half[::-1] * [-1, 1]],
    }


def plot(numbers: dict):
    """Shape against the exact one, and convergence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(*(1e3 * numbers["exact"].T), color="0.6", lw=3, label="elastica")
    left.plot(*(1e3 * numbers["nodes"].T), "k.", label="8 elements, nodes")
    left.set(xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
    left.legend()
    rows = numbers["tables"]["Elastica: relative errors"]["rows"]
    n = np.array([row[0] for row in rows], float)
    for column, label, mark in ((1, "rise", "o"), (3, "thrust", "s"), (5, "near Euler's", "^")):
        right.loglog(n, [abs(row[column]) for row in rows], mark + "-", label=label)
    right.loglog(n, abs(rows[0][3]) * (n / n[0]) ** -4.0, "k:", label="order 4")
    right.set(xlabel="elements", ylabel="relative error [-]")
    right.legend()
    return figure
