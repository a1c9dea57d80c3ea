"""A weightless taut string under a uniform line load has its exact shape.

A fiber of 0.2 m, radius 3 mm, shear modulus 100 kPa, prestress 40 kPa, no weight, pinned at both
ends and straight between them, carries a constant load q per reference length:

- level: along x, q = (0, 0, -20) N/m;
- inclined: from (0, 0, 0) towards (2, -1, 1.5), q = (3, 8, -15) N/m: the load has a component along
  the string, so that the tension varies from end to end; it stays positive (no slack).

The answer: the force at the reference length s is exactly F(s) = F(0) - q s and is tangent to the
string. With the stretch lambda(N) that solves N = A0 (mu (lambda - lambda^-2) + sigma_0 / lambda),
x(s) = integral of lambda F / N. The three components of F(0) follow from the position of the other
end by a root search over quadratures; no code of the package is used. The tension nearly triples
and the string elongates by a quarter, so that both terms of the law are significant.

In theory, cubic elements have order 4 in the displacement of a point and order 6 in the end forces.
All are extrapolated with these orders from `elements` and twice as many, with a relative tolerance
of 1e-6 (16 / elements)^4 (measured at 16: 4e-8). The orders are measured between these meshes, from
the level string and from the tensions of the inclined one; the error of its displacement changes
sign.
"""

import numpy as np
from _centerline import middle
from _extrapolation import order_of, richardson
from scipy.integrate import quad_vec
from scipy.optimize import brentq, root

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.2  # m
AREA = np.pi * 3e-3**2  # m^2
MU = 1e5  # N/m^2
PRESTRESS = 4e4  # N/m^2
ENDS = ("origin", "insertion")
CASES = {
    "level": (np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, -20.0])),
    "inclined": (np.array([2.0, -1.0, 1.5]) / np.sqrt(7.25), np.array([3.0, 8.0, -15.0])),
}


def solve(case: str, elements: int):
    """System and its equilibrium."""
    direction, load = CASES[case]
    model = fm.Model(case, gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(MU, 0.0), prestress=PRESTRESS)
    model.add(
        fm.Fiber(
            "string",
            attach=(model.ground.at(0, 0, 0), model.ground.at(LENGTH * direction)),
            radius=3e-3,
            n_elements=elements,
            tissue=tissue,
            line_load=load,
        )
    )
    system = fm.build(model)
    return system, *fm.equilibrium(system)


def order_in_space(name: str) -> int:
    """Order of cubic elements in a quantity."""
    return 4 if name.endswith("displacement_m") else 6


def measure(elements: int) -> dict[str, float]:
    """Displacement of the material middle [m], and the tensions at both ends [N]."""
    values = {}
    for case, (direction, _) in CASES.items():
        system, y, v = solve(case, elements)
        moved = middle(system.split(y)[0]) - 0.5 * LENGTH * direction
        reactions = system.evaluate(0.0, y, v, 0.0 * v, tangent=False).reactions
        values[f"{case}_displacement_m"] = float(np.linalg.norm(moved))
        for end, force in zip(ENDS, reactions, strict=True):
            values[f"{case}_tension_{end}_N"] = float(np.linalg.norm(force))
    return values


def run(elements: int = 16) -> dict[str, float]:
    """Displacements and tensions, extrapolated, and orders.

    Parameters
    ----------
    elements : int
        Finite elements of the string; a second run has twice as many.
    """
    coarse, fine, answer = measure(elements), measure(2 * elements), exact_values()
    values = {
        name: float(richardson(coarse[name], fine[name], order_in_space(name))) for name in answer
    }
    for name, quantities in ORDERS.items():
        errors = ([found[q] / answer[q] - 1.0 for q in quantities] for found in (coarse, fine))
        values[name] = order_of(*errors)
    return values


def stretch_of(force: float) -> float:
    """Stretch at which the string carries a tension [N]."""
    return brentq(
        lambda x: AREA * (MU * (x - x**-2) + PRESTRESS / x) - force, 0.5, 20.0, xtol=1e-15
    )


def place(F0: np.ndarray, load: np.ndarray, end: float) -> np.ndarray:
    """Position at the reference length `end` where the force at the origin is F0 [N]."""

    def slope(s: float) -> np.ndarray:
        F = F0 - load * s
        N = np.linalg.norm(F)
        return stretch_of(N) * F / N

    return quad_vec(slope, 0.0, end, epsabs=1e-15, epsrel=1e-13)[0]


def exact(case: str) -> np.ndarray:
    """Force of the string at the origin (3,) [N], directed away from the origin."""
    direction, load = CASES[case]
    start = AREA * PRESTRESS * direction + 0.5 * LENGTH * load
    end = LENGTH * direction
    found = root(lambda F: place(F, load, LENGTH) - end, start, method="hybr", tol=1e-13)
    assert np.abs(found.fun).max() < 1e-13
    return found.x


ORDERS = {
    "order_of_displacement": ["level_displacement_m"],
    "order_of_tension": [f"{case}_tension_{end}_N" for case in CASES for end in ENDS],
}
"""Quantities from which each order is measured."""


def exact_values() -> dict[str, float]:
    """Answers with the names of `measure`."""
    values = {}
    for case, (direction, load) in CASES.items():
        F0 = exact(case)
        moved = place(F0, load, 0.5 * LENGTH) - 0.5 * LENGTH * direction
        values[f"{case}_displacement_m"] = float(np.linalg.norm(moved))
        values[f"{case}_tension_origin_N"] = float(np.linalg.norm(F0))
        values[f"{case}_tension_insertion_N"] = float(np.linalg.norm(F0 - load * LENGTH))
    return values


def expected(elements: int = 16) -> dict[str, Expected]:
    """Exact solution by quadrature."""
    close = 1e-6 * (16 / elements) ** 4
    found = {
        name: Expected(
            value,
            value * close,
            "extrapolated from two meshes: relative 1e-6 (16 / elements)^4",
            source="exact force along the string, quadrature",
        )
        for name, value in exact_values().items()
    }
    for name, quantities in ORDERS.items():
        found[name] = Expected(
            order_in_space(quantities[0]),
            5.0 / elements,
            "approached from below with mesh refinement",
            kind="order",
            source="theory of cubic elements",
        )
    return found


def study(fine: bool = False) -> dict:
    """Errors against the mesh, and the shapes.

    Parameters
    ----------
    fine : bool
        Up to 64 elements instead of 32.
    """
    tables, values = {}, exact_values()
    for case in CASES:
        rows, last = [], None
        names = [name for name in values if name.startswith(case)]
        for n in (4, 8, 16, 32, 64)[: 5 if fine else 4]:
            got = measure(n)
            error = [abs(got[name] / values[name] - 1.0) for name in names]
            order = [""] * 3 if last is None else list(np.log2(np.divide(last, error)))
            rows.append([n, *(cell for pair in zip(error, order, strict=True) for cell in pair)])
            last = error
        columns = ["elements"]
        for what in ("displacement", "tension at origin", "tension at insertion"):
            columns += [f"relative error of {what}", "order"]
        tables[f"String under a line load, {case}"] = {"columns": columns, "rows": rows}
    shapes = {}
    for case, (direction, load) in CASES.items():
        system, y, _ = solve(case, 12)
        F0 = exact(case)
        s = np.linspace(0.0, LENGTH, 41)
        curve = np.array([place(F0, load, e) if e else np.zeros(3) for e in s])
        shapes[case] = (system.split(y)[0][:, :3], curve, direction)
    return {"tables": tables, "shapes": shapes}


def plot(numbers: dict):
    """Shapes against the exact ones: deflection away from the straight line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, (case, (nodes, curve, direction)) in zip(
        figure.subplots(1, 2), numbers["shapes"].items(), strict=True
    ):
        for points, style in ((curve, {"color": "0.6", "lw": 3, "label": "exact"}), (nodes, {})):
            along = points @ direction
            away = np.linalg.norm(points - along[:, None] * direction, axis=1)
            style = style or {"ls": "", "marker": ".", "color": "k", "label": "12 elements, nodes"}
            axes.plot(1e3 * along, -1e3 * away, **style)
        axes.set(xlabel="along the chord [mm]", ylabel="deflection [mm]", title=case)
        axes.legend()
    return figure
