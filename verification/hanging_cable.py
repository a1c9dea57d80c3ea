"""A fiber between two walls has the shape of the exact elastic catenary.

A fiber of 0.3 m, radius 6 mm, shear modulus 20 kPa and 1060 kg/m^3, unstressed and straight between
two points 0.3 m apart, sags under its own weight.

The answer: the force at the reference length s from the origin is F(s) = (H, w (s - L/2)) with the
weight w per reference length, and is tangent to the fiber. With the stretch lambda(N) that solves N
= A0 mu (lambda - lambda^-2), the slopes are dx/ds = lambda F_x / N and dz/ds = lambda F_z / N. H
follows from the span by a root search over quadratures to 1e-13. No differential equation is
solved, and no code of the package is used.

In theory, cubic elements have order 4 in the displacement of a point and order 6 in the end force,
which is the derivative of an energy and converges with twice the order of the slopes. Both are
extrapolated with these orders from `elements` and twice as many, with a relative tolerance of 1e-6
(16 / elements)^4 (measured: 3e-9 and 4e-12). Both orders are measured between these meshes; they
are approached from below. The vertical force is half the weight on any mesh.
"""

import numpy as np
from _centerline import middle
from _extrapolation import order_of, richardson
from scipy.integrate import quad
from scipy.optimize import brentq

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.3  # m, reference length and span
RADIUS = 6e-3  # m
MU = 2e4  # N/m^2
DENSITY = 1060.0  # kg/m^3
GRAVITY = 9.81  # m/s^2
AREA = np.pi * RADIUS**2
WEIGHT = DENSITY * AREA * GRAVITY  # N/m
ORDER_SAG, ORDER_FORCE = 4, 6


def solve(elements: int):
    """System and its equilibrium."""
    model = fm.Model("hanging_cable", gravity=(0.0, 0.0, -GRAVITY))
    model.add(
        fm.Fiber(
            "fiber",
            attach=(model.ground.at(0, 0, 0), model.ground.at(LENGTH, 0, 0)),
            radius=RADIUS,
            n_elements=elements,
            tissue=fm.Tissue(DENSITY, fm.KelvinVoigt(MU, 0.0)),
        )
    )
    system = fm.build(model)
    return system, *fm.equilibrium(system)


def measure(elements: int) -> np.ndarray:
    """Sag [m], and horizontal and vertical force of the fiber on the wall at its origin [N]."""
    system, y, v = solve(elements)
    pull = -system.evaluate(0.0, y, v, 0.0 * v, tangent=False).reactions[0]
    return np.array([-middle(system.split(y)[0])[2], pull[0], pull[2]])


def run(elements: int = 16) -> dict[str, float]:
    """Sag and forces, extrapolated, and the orders of the first two.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; a second run has twice as many.
    """
    coarse, fine = measure(elements), measure(2 * elements)
    sag, H = exact()
    return {
        "sag_m": float(richardson(coarse[0], fine[0], ORDER_SAG)),
        "horizontal_force_N": float(richardson(coarse[1], fine[1], ORDER_FORCE)),
        "vertical_force_N": float(fine[2]),
        "order_of_sag": order_of(coarse[0] - sag, fine[0] - sag),
        "order_of_force": order_of(coarse[1] - H, fine[1] - H),
    }


def stretch_of(force: float) -> float:
    """Stretch at which the elastic fiber carries a tension [N]."""
    return brentq(lambda x: AREA * MU * (x - x**-2) - force, 1.0 - 1e-12, 20.0, xtol=1e-15)


def offset(H: float, component: int, end: float) -> float:
    """Distance of the point at reference length `end` from the middle, in x (0) or z (1) [m]."""

    def slope(s: float) -> float:
        F = (H, WEIGHT * s)
        N = np.hypot(*F)
        return stretch_of(N) * F[component] / N

    return quad(slope, 0.0, end, epsabs=1e-14, epsrel=1e-13)[0]


def exact() -> tuple[float, float]:
    """Sag [m] and horizontal force [N] of the elastic catenary."""
    half = 0.5 * LENGTH
    H = brentq(lambda H: offset(H, 0, half) - half, 1e-3, 10.0, xtol=1e-14)
    return offset(H, 1, half), H


def expected(elements: int = 16) -> dict[str, Expected]:
    """Answers from the elastic catenary."""
    sag, H = exact()
    close = 1e-6 * (16 / elements) ** 4
    why = "extrapolated from two meshes: relative 1e-6 (16 / elements)^4"
    catenary = "elastic catenary by quadrature"
    below = {"kind": "order", "source": "theory of cubic elements"}
    return {
        "sag_m": Expected(sag, sag * close, why, source=catenary),
        "horizontal_force_N": Expected(H, H * close, why, source=catenary),
        "vertical_force_N": Expected(
            -0.5 * WEIGHT * LENGTH,
            1e-9 * WEIGHT * LENGTH,
            "exact for any mesh; 1e-9 of the weight for Newton's method",
            source="equilibrium: half the weight",
        ),
        "order_of_sag": Expected(
            ORDER_SAG, 4.0 / elements, "approached from below with mesh refinement", **below
        ),
        "order_of_force": Expected(
            ORDER_FORCE, 5.0 / elements, "approached from below with mesh refinement", **below
        ),
    }


def study(fine: bool = False) -> dict:
    """Errors against the mesh, and the shape.

    Parameters
    ----------
    fine : bool
        Up to 64 elements instead of 32.
    """
    sag, H = exact()
    rows, last = [], None
    for n in (4, 8, 16, 32, 64)[: 5 if fine else 4]:
        got = measure(n)
        error = [got[0] / sag - 1.0, got[1] / H - 1.0]
        order = ["", ""] if last is None else list(np.log2(np.abs(np.divide(last, error))))
        rows.append([n, got[0], error[0], order[0], error[1], order[1]])
        last = error
    system, y, _ = solve(16)
    s = np.linspace(0.0, 0.5 * LENGTH, 21)
    curve = np.array([[offset(H, 0, e), offset(H, 1, e) - sag] for e in s])
    columns = ["elements", "sag [m]", "relative error", "order", "error of H", "order of H"]
    return {
        "tables": {"Hanging cable": {"columns": columns, "rows": rows}},
        "nodes": system.split(y)[0][:, [0, 2]],
        "exact": np.r_[[0.5 * LENGTH, 0.0] + curve[::-1] * [-1, 1], [0.5 * LENGTH, 0.0] + curve],
    }


def plot(numbers: dict):
    """Shape against the exact one, and convergence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(*(1e3 * numbers["exact"].T), color="0.6", lw=3, label="elastic catenary")
    left.plot(*(1e3 * numbers["nodes"].T), "k.", label="16 elements, nodes")
    left.set(xlabel="x [mm]", ylabel="z [mm]")
    left.legend()
    rows = numbers["tables"]["Hanging cable"]["rows"]
    n = np.array([row[0] for row in rows], float)
    for column, label, mark in ((2, "sag", "o"), (4, "horizontal force", "s")):
        right.loglog(n, [abs(row[column]) for row in rows], mark + "-", label=label)
    for column, order in ((2, 4), (4, 6)):
        right.loglog(n, abs(rows[0][column]) * (n / n[0]) ** -order, "k:", label=f"order {order}")
    right.set(xlabel="elements", ylabel="relative error [-]")
    right.legend()
    return figure
