"""A weightless taut string under a uniform line load takes its exact shape.

A fiber of 0.2 m, radius 3 mm, shear modulus 100 kPa, prestress 40 kPa, no weight, pinned at both
ends and straight between them, carries a constant load q per reference length:

- level: along x, q = (0, 0, -20) N/m;
- inclined: from (0, 0, 0) towards (2, -1, 1.5), q = (3, 8, -15) N/m, a load with a part along the
  string, so that the tension differs from end to end; it stays positive (no slack).

The answer: the force at the reference length s is F(s) = F(0) - q s exactly and lies along the
string. With the stretch lambda(N) that solves N = A0 (mu (lambda - lambda^-2) + sigma_0 / lambda),
x(s) = integral of lambda F / N. The three components of F(0) follow from the position of the other
end by a root search over quadratures; nothing of the package is used. The tension nearly triples
and the string grows by a quarter, so that both parts of the law count.

The tolerances are c / elements^k: k = 4 for the displacement of a point, 6 for the end forces, by
the theory of cubic elements; the constants are those measured on 1 to 64 elements (stated at
`expected`), a tenth added.
"""

import numpy as np
from _centerline import middle
from scipy.integrate import quad_vec
from scipy.optimize import brentq, root

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.2  # m
AREA = np.pi * 3e-3**2  # m^2
MU = 1e5  # N/m^2
PRESTRESS = 4e4  # N/m^2
CASES = {
    "level": (np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, -20.0])),
    "inclined": (np.array([2.0, -1.0, 1.5]) / np.sqrt(7.25), np.array([3.0, 8.0, -15.0])),
}


def solve(case: str, elements: int):
    """System and positions at rest."""
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


def run(elements: int = 12) -> dict[str, float]:
    """Displacement of the material middle, and the tensions at both ends.

    Parameters
    ----------
    elements : int
        Finite elements of the string.
    """
    values = {}
    for case, (direction, _) in CASES.items():
        system, y, v = solve(case, elements)
        moved = middle(system.split(y)[0]) - 0.5 * LENGTH * direction
        reactions = system.evaluate(0.0, y, v, 0.0 * v, tangent=False).reactions
        values[f"{case}_displacement_m"] = float(np.linalg.norm(moved))
        for end, force in zip(("origin", "insertion"), reactions, strict=True):
            values[f"{case}_tension_{end}_N"] = float(np.linalg.norm(force))
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
    """Force at the origin (3,) [N]: the tension there, and away from the origin."""
    direction, load = CASES[case]
    start = AREA * PRESTRESS * direction + 0.5 * LENGTH * load
    end = LENGTH * direction
    found = root(lambda F: place(F, load, LENGTH) - end, start, method="hybr", tol=1e-13)
    assert np.abs(found.fun).max() < 1e-13
    return found.x


MEASURED = {
    "level_displacement_m": 0.134,
    "level_tension_origin_N": 0.043,
    "level_tension_insertion_N": 0.043,
    "inclined_displacement_m": 0.055,
    "inclined_tension_origin_N": 0.19,
    "inclined_tension_insertion_N": 0.087,
}
"""Largest measured product of relative error and elements^4 (displacement) or ^6 (tension)."""


def expected(elements: int = 12) -> dict[str, Expected]:
    """Exact solution by quadrature."""
    values = {}
    for case, (direction, load) in CASES.items():
        F0 = exact(case)
        moved = place(F0, load, 0.5 * LENGTH) - 0.5 * LENGTH * direction
        values[f"{case}_displacement_m"] = np.linalg.norm(moved)
        values[f"{case}_tension_origin_N"] = np.linalg.norm(F0)
        values[f"{case}_tension_insertion_N"] = np.linalg.norm(F0 - load * LENGTH)
    expectations = {}
    for name, value in values.items():
        order = 4 if name.endswith("displacement_m") else 6
        c = 1.1 * MEASURED[name]
        expectations[name] = Expected(
            float(value),
            float(value) * (c / elements**order + 1e-10),
            f"cubic elements: {c:.2g} / elements^{order} of it, the constant measured; 1e-10 for "
            "Newton's method",
        )
    return expectations


def study(fine: bool = False) -> dict:
    """Errors over the mesh, and the tension along the inclined string.

    Parameters
    ----------
    fine : bool
        Up to 64 elements instead of 32.
    """
    tables = {}
    for case in CASES:
        rows, last = [], None
        names = [name for name in MEASURED if name.startswith(case)]
        values = expected()
        for n in (4, 8, 16, 32, 64)[: 5 if fine else 4]:
            got = run(n)
            error = [abs(got[name] / values[name].value - 1.0) for name in names]
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
