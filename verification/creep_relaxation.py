"""A Kelvin-Voigt fiber has the exact creep under a dead load and the exact force in relaxation.

A fiber of 0.1 m, radius 4 mm, shear modulus 20 kPa, viscosity 10 kN s/m^2 (time constant 0.5 s):

- creep: one end is fixed, the other free; a constant load q per reference length along the fiber is
  switched on at t = 0. Every section carries the constant force q (L - s) and creeps independently
  of the others (a line load avoids a concentrated force at the free end). Measured: the
  displacement of the free end at 0.25 s and 1 s, and the stretch at the fixed end at 1 s;
- relaxation: the end moves by a quarter of the length and stops, x(t) = L (1 + a (1 - cos(w t)) /
  2) with a = 1/4 up to t = pi / w = 0.5 s, w = 2 pi / s, and the fiber is held from then on.
  Measured: the pull at 1/8 and 3/8 s, when it is mostly viscous, and the pull when the fiber is
  held: a Kelvin-Voigt solid relaxes to its elastic force without delay.

Answers: with p = P / mu and the constant nominal stress P = q (L - s) / A0, the law 3 eta l' / l^2
+ mu (l - l^-2) = P gives 3 eta l' = mu (1 + p l^2 - l^3), a separable equation for the stretch l: t
= (3 eta / mu) sum over the roots r of 1 + p l^2 - l^3 of ln((l - r) / (1 - r)) / (2 p r - 3 r^2),
in complex numbers. It is solved for l by a root search at 24 Gauss points of s, and confirmed in
the tests by scipy's DOP853 with the tolerance 1e-12. In relaxation N = A0 (mu (l - l^-2) + 3 eta l'
/ l^2) with the prescribed l(t). No code of the package is used.

Inertia is not included in these answers: the density is 1e-3 kg/m^3, so that inertia is below 1e-9
of the stress. In relaxation there is no error in space; in creep the error of the mesh is 1e-4 /
elements^4 of the displacement and, of order 3 because it is a slope, 0.012 / elements^3 of the
stretch at the end (measured on 2 to 16 elements). In time, SDIRK2 with `steps` and twice as many
steps is extrapolated: third order, measured 6e-7 of the values at 16 and 32 steps; the tolerance is
1e-6 (64 / steps)^3. Backward Euler must converge to the same answers with order 1, measured between
2 and 4 times as many steps.
"""

import numpy as np
from _extrapolation import order_of, richardson
from scipy.optimize import brentq

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.1  # m
AREA = np.pi * 4e-3**2  # m^2
MU, ETA = 2e4, 1e4
T_END = 1.0  # s
LOAD = 20.0  # N/m
PULL, OMEGA = 0.25, 2.0 * np.pi  # amplitude in lengths, 1/s
NEWTON = fm.Newton(tolerance=1e-9)
NAMES = (
    "creep_quarter_s_m",
    "creep_1_s_m",
    "creep_stretch_1_s",
    "pull_1_8_s_N",
    "pull_3_8_s_N",
    "held_pull_N",
)


def fiber(attach, elements: int, **more) -> fm.Fiber:
    """The fiber along x."""
    return fm.Fiber(
        "fiber",
        [[0.0, 0.0, 0.0], [LENGTH, 0.0, 0.0]],
        attach,
        radius=4e-3,
        n_elements=elements,
        tissue=fm.Tissue(1e-3, fm.KelvinVoigt(MU, ETA)),
        **more,
    )


def settle(model: fm.Model, steps: int, method):
    """Result of a run with equal steps."""
    return fm.simulate(
        fm.build(model),
        t_end=T_END,
        dt=T_END / steps,
        newton=NEWTON,
        method=method,
        control=fm.FixedSteps(),
    )


def creep(elements: int, steps: int, method):
    """Result under the dead load."""
    model = fm.Model("creep", gravity=(0.0, 0.0, 0.0))
    attach = model.ground.at(0, 0, 0), None
    model.add(fiber(attach, elements, line_load=(LOAD, 0.0, 0.0)))
    return settle(model, steps, method)


def end_stretch(t: float | np.ndarray) -> np.ndarray:
    """Prescribed stretch over time."""
    return 1.0 + 0.5 * PULL * (1.0 - np.cos(OMEGA * np.minimum(t, 0.5)))


def relax(elements: int, steps: int, method):
    """Result under the prescribed motion."""
    model = fm.Model("relaxation", gravity=(0.0, 0.0, 0.0))
    hand = fm.MovingPoint(lambda t: (LENGTH * float(end_stretch(t)), 0.0, 0.0))
    model.add(fiber((model.ground.at(0, 0, 0), hand), elements))
    return settle(model, steps, method)


def measure(elements: int, steps: int, method) -> np.ndarray:
    """Displacement at 1/4 s and 1 s [m], stretch at 1 s, pull at 1/8, 3/8 and 1 s [N], unevenness.

    The last is the largest range of the pull over the fiber, over the largest pull.
    """
    creeping = creep(elements, steps, method).fibers["fiber"]
    tip = creeping.position[:, -1, 0] - LENGTH
    relaxing = relax(elements, steps, method).fibers["fiber"]
    pull = relaxing.force_origin[:, 0]
    uneven = np.ptp(relaxing.axial_force, axis=1).max() / pull.max()
    stretch = creeping.tangent[steps, 0, 0] / LENGTH
    times = steps // 8, 3 * steps // 8, steps
    return np.array([tip[steps // 4], tip[steps], stretch, *pull[list(times)], uneven])


def run(elements: int = 8, steps: int = 64) -> dict[str, float]:
    """Displacements of creep, pulls of relaxation.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; 2 or more.
    steps : int
        Time steps in a second, a multiple of 8; extrapolation and orders take up to 4 times as
        many.
    """
    if steps % 8 or elements < 2:
        raise fm.ModelError(
            f"creep_relaxation: steps = {steps}, elements = {elements}; steps must be a multiple "
            "of 8, elements 2 or more"
        )
    coarse, fine = (measure(elements, n, fm.SDIRK2()) for n in (steps, 2 * steps))
    found = richardson(coarse, fine, 2)
    values = {name: float(value) for name, value in zip(NAMES, found, strict=False)}
    answer = exact()
    euler = [measure(elements, n, fm.BackwardEuler()) for n in (2 * steps, 4 * steps)]
    values["unevenness_of_pull"] = float(euler[0][-1])
    errors = [one[:-1] / answer - 1.0 for one in euler]
    values["order_of_creep"] = order_of(errors[0][:2], errors[1][:2])
    values["order_of_pull"] = order_of(errors[0][3:5], errors[1][3:5])
    return values


def time_to(stretch: float, p: float) -> float:
    """Time [s] at which the stretch is reached under the constant nominal stress p mu."""
    roots = np.roots([-1.0, p, 0.0, 1.0]).astype(complex)
    terms = np.log((stretch - roots) / (1.0 - roots)) / (2.0 * p * roots - 3.0 * roots**2)
    return float(3.0 * ETA / MU * terms.sum().real)


def stretch_at(t: float, p: float) -> float:
    """Stretch at time t under the constant nominal stress p mu, by the closed form."""
    if p == 0.0:
        return 1.0
    roots = np.roots([-1.0, p, 0.0, 1.0])
    final = float(roots[np.abs(roots.imag) < 1e-12].real.max())
    # the time is infinite at the final stretch
    return brentq(lambda x: time_to(x, p) - t, 1.0, final - 1e-13 * (final - 1.0), xtol=1e-15)


def exact_tip(t: float) -> float:
    """Displacement of the free end [m]."""
    x, w = np.polynomial.legendre.leggauss(24)
    force = LOAD * LENGTH * 0.5 * (1.0 + x)
    stretch = [stretch_at(t, F / (AREA * MU)) for F in force]
    return float(0.5 * LENGTH * w @ (np.array(stretch) - 1.0))


def exact_pull(t: float) -> float:
    """Pull of the fiber at the prescribed stretch [N]."""
    stretch = end_stretch(t)
    rate = 0.5 * PULL * OMEGA * np.sin(OMEGA * t) * (t < 0.5)
    return float(AREA * (MU * (stretch - stretch**-2) + 3.0 * ETA * rate / stretch**2))


def exact() -> np.ndarray:
    """The answers, in the order of `NAMES`."""
    final = stretch_at(1.0, LOAD * LENGTH / (AREA * MU))
    pulls = (exact_pull(t) for t in (0.125, 0.375, 1.0))
    return np.array([exact_tip(0.25), exact_tip(1.0), final, *pulls])


def expected(elements: int = 8, steps: int = 64) -> dict[str, Expected]:
    """Closed forms."""
    time = 1e-6 * (64 / steps) ** 3
    space = {"creep_quarter_s_m": 1e-4 / elements**4, "creep_1_s_m": 1e-4 / elements**4}
    space["creep_stretch_1_s"] = 0.02 / elements**3
    source = "closed form of the creep law; the stress law at the prescribed stretch"
    found = {
        name: Expected(
            float(value),
            float(value) * (time + space.get(name, 0.0) + 1e-8),
            "SDIRK2, extrapolated: relative 1e-6 at 64 steps, third order; for the mesh "
            f"{space.get(name, 0.0):.0e}; 1e-8 for inertia and Newton's method",
            source=source,
        )
        for name, value in zip(NAMES, exact(), strict=True)
    }
    found["unevenness_of_pull"] = Expected(
        0.0,
        1e-8,
        "backward Euler: inertia and Newton's method; relative to the largest pull",
        kind="consistency",
        source="equilibrium: uniform stretch",
    )
    for name in ("order_of_creep", "order_of_pull"):
        found[name] = Expected(
            1.0,
            0.05 * (1.0 + 32 / steps),
            "next term of the error, with 2 and 4 times as many steps",
            kind="order",
            source="order of backward Euler",
        )
    return found


def study(fine: bool = False) -> dict:
    """Errors against the time step, and the histories over time.

    Parameters
    ----------
    fine : bool
        Up to 512 steps instead of 64.
    """
    methods = {"backward Euler": fm.BackwardEuler(), "SDIRK2": fm.SDIRK2()}
    rows, answer = [], exact()
    for name, method in methods.items():
        last = None
        for steps in (8, 16, 32, 64, 128, 256, 512)[: 7 if fine else 4]:
            error = (measure(16, steps, method)[:-1] / answer - 1.0)[[1, 3, 4]]
            order = [""] * 3 if last is None else list(np.log2(np.abs(last / error)))
            cells = (cell for pair in zip(error, order, strict=True) for cell in pair)
            rows.append([name, steps, *cells])
            last = error
    columns = ["method", "steps"]
    for what in ("creep at 1 s", "pull at 1/8 s", "pull at 3/8 s"):
        columns += [f"relative error of {what}", "order"]
    creeping, relaxing = creep(8, 64, fm.SDIRK2()), relax(8, 64, fm.SDIRK2())
    t = np.linspace(0.0, T_END, 81)
    return {
        "tables": {"Creep and relaxation": {"columns": columns, "rows": rows}},
        "creep": (creeping.time, creeping.fibers["fiber"].position[:, -1, 0] - LENGTH),
        "pull": (relaxing.time, relaxing.fibers["fiber"].force_origin[:, 0]),
        "exact": (t, [exact_tip(s) for s in t[1:]], [exact_pull(s) for s in t]),
    }


def plot(numbers: dict):
    """Displacement and pull over time with the closed forms."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    t, tip, pull = numbers["exact"]
    left.plot(t[1:], 1e3 * np.array(tip), color="0.7", lw=3, label="closed form")
    left.plot(numbers["creep"][0], 1e3 * numbers["creep"][1], "k.", ms=3, label="64 steps")
    left.set(xlabel="time [s]", ylabel="displacement of the free end [mm]")
    right.plot(t, pull, color="0.7", lw=3, label="closed form")
    right.plot(*numbers["pull"], "k.", ms=3, label="64 steps")
    right.set(xlabel="time [s]", ylabel="pull on the fixed end [N]")
    left.legend()
    right.legend()
    return figure
