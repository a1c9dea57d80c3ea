"""The isometric active force of a fiber follows the force-length curve.

A straight fiber of 0.1 m, radius 5 mm, all muscle (muscle fraction 1), is stretched to lambda
between 0.7 and 2.1 by moving its end, and is brought to static equilibrium there, relaxed and
activated. The difference of the pulls on the fixed end is the active force, as in an experiment.

The answer: N_active = A0 alpha (S_max / lambda) exp(-|(lambda / lambda_opt - 1) / dW|^nu), nominal
stress times reference area ("Stress" in docs/theory.md), with S_max = 40 kPa, lambda_opt = 1.3, dW
= 0.3, nu = 4. The formula is written out here and shares no code with the package. The relaxed pull
is A0 (mu (lambda - lambda^-2) + sigma_0 / lambda) with mu = sigma_0 = 150 kPa: the fiber is taut at
every stretch, and stiff enough to be stable where the active force decreases with the stretch.

The stretch is uniform, and cubic elements represent a straight line exactly: there is no
discretization error. The tolerance, 1e-9 of the largest active force, is that of Newton's method
(increments of 1e-7 of the length, squared) and of the difference of two pulls.
"""

import numpy as np

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.1  # m
AREA = np.pi * 5e-3**2  # m^2
MU = PRESTRESS = 1.5e5  # N/m^2
MAX_STRESS, OPTIMUM, WIDTH, EXPONENT = 4e4, 1.3, 0.3, 4.0
SHORTEST, LONGEST = 0.7, 2.1
LARGEST_STEP = 0.1  # of the stretch, from one equilibrium to the next
TAILS = {"short": 0.8, "optimum": OPTIMUM, "long": 1.9}


def pulls(stretches: np.ndarray, activation: float, elements: int) -> np.ndarray:
    """Pull of the fiber in equilibrium on its fixed end at increasing stretches, (n,) [N]."""

    def end(t: float) -> np.ndarray:
        return np.array([LENGTH * (1.0 + t), 0.0, 0.0])

    model = fm.Model("force_length", gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(
        1060.0,
        fm.KelvinVoigt(MU, 1e3),
        active=fm.ActiveStress(MAX_STRESS, OPTIMUM, WIDTH, EXPONENT),
        prestress=PRESTRESS,
    )
    model.add(
        fm.Fiber(
            "fiber",
            attach=(model.ground.at(0, 0, 0), fm.MovingPoint(end)),
            radius=5e-3,
            n_elements=elements,
            tissue=tissue,
            activation=activation,
        )
    )
    system = fm.build(model)
    found = np.empty(stretches.size)
    for way in (np.flatnonzero(stretches < 1.0)[::-1], np.flatnonzero(stretches >= 1.0)):
        (y, v), last = system.initial_state(), 1.0
        for i in way:
            # small steps: an end that moved beyond the next node would fold the fiber
            n_steps = int(np.ceil(abs(stretches[i] - last) / LARGEST_STEP)) or 1
            for stretch in np.linspace(last, stretches[i], n_steps + 1)[1:]:
                y, v = fm.equilibrium(system, (y, v), t=float(stretch - 1.0))
            last = stretches[i]
            now = system.evaluate(last - 1.0, y, v, 0.0 * v, tangent=False)
            found[i] = -now.reactions[0, 0]
    return found


def curve(stretch: np.ndarray, activation: float) -> np.ndarray:
    """Closed form of the active force [N]."""
    shape = np.exp(-(np.abs((stretch / OPTIMUM - 1.0) / WIDTH) ** EXPONENT))
    return AREA * activation * MAX_STRESS * shape / stretch


def passive(stretch: np.ndarray) -> np.ndarray:
    """Closed form of the relaxed force [N]."""
    return AREA * (MU * (stretch - stretch**-2) + PRESTRESS / stretch)


def sweep(elements: int, stretches: int, activation: float):
    """Stretches, relaxed pulls and active pulls."""
    grid = np.union1d(np.linspace(SHORTEST, LONGEST, stretches), list(TAILS.values()))
    relaxed = pulls(grid, 0.0, elements)
    return grid, relaxed, pulls(grid, activation, elements) - relaxed


def run(elements: int = 2, stretches: int = 29, activation: float = 0.7) -> dict[str, float]:
    """Active force at three stretches, and the largest differences over all of them.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber.
    stretches : int
        Number of stretches from 0.7 to 2.1, besides the three that are reported.
    activation : float
        Of the activated fiber, in (0, 1].
    """
    grid, relaxed, active = sweep(elements, stretches, activation)
    values = {
        f"force_{name}_N": float(active[np.searchsorted(grid, stretch - 1e-12)])
        for name, stretch in TAILS.items()
    }
    off = np.abs(active - curve(grid, activation)).max()
    values["largest_difference"] = float(off / curve(OPTIMUM, activation))
    values["largest_passive_difference"] = float(np.abs(relaxed / passive(grid) - 1.0).max())
    return values


def expected(
    elements: int = 2, stretches: int = 29, activation: float = 0.7
) -> dict[str, Expected]:
    """The force-length formula."""
    why = "no discretization error: Newton's method, and the difference of two pulls"
    formula = {"source": "closed form of the stress, written out here"}
    largest = curve(OPTIMUM, activation)
    tolerance = 1e-9 / activation
    values = {
        f"force_{name}_N": Expected(
            float(curve(x, activation)), float(tolerance * largest), why, **formula
        )
        for name, x in TAILS.items()
    }
    values["largest_difference"] = Expected(
        0.0, tolerance, why + "; relative to the largest", **formula
    )
    values["largest_passive_difference"] = Expected(0.0, 1e-9, why + "; relative", **formula)
    return values


def study(fine: bool = False) -> dict:
    """The measured curves.

    Parameters
    ----------
    fine : bool
        81 instead of 29 stretches.
    """
    rows, curves = [], {}
    for activation in (0.5, 1.0):
        grid, relaxed, active = sweep(2, 81 if fine else 29, activation)
        curves[activation] = (grid, relaxed, active)
        exact = curve(grid, activation)
        for k in np.linspace(0, grid.size - 1, 8).astype(int):
            rows.append([activation, grid[k], exact[k], active[k], active[k] - exact[k]])
    columns = ["activation", "stretch", "closed form [N]", "active force [N]", "difference [N]"]
    return {
        "tables": {"Isometric active force": {"columns": columns, "rows": rows}},
        "curves": curves,
    }


def plot(numbers: dict):
    """Active and passive force against stretch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for activation, (grid, _, active) in numbers["curves"].items():
        fine = np.linspace(SHORTEST, LONGEST, 400)
        axes.plot(fine, curve(fine, activation), color="0.6", lw=3)
        axes.plot(grid, active, ".", label=f"active, activation {activation:g}")
    grid, relaxed, _ = numbers["curves"][1.0]
    axes.plot(grid, relaxed, "k.", ms=3, label="relaxed")
    axes.plot(fine, passive(fine), color="0.6", lw=1)
    axes.set(xlabel="stretch [-]", ylabel="force [N]", ylim=(0, 6))
    axes.legend()
    return figure
