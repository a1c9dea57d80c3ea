"""A Kelvin-Voigt fiber creeps under a dead load and is pulled to a new length as the law says.

A fiber of 0.1 m, radius 4 mm, shear modulus 20 kPa, viscosity 10 kN s/m^2 (time constant 0.5 s):

- creep: one end fixed and the other free, under a constant load q per reference length along the
  fiber that is switched on at t = 0. Every section then carries a constant force q (L - s) (a dead
  load needs no concentrated force that way), and creeps on its own. The displacement of the free
  end at 0.25 s and 1 s, and the stretch at the fixed end at 1 s;
- relaxation: the end moves by a quarter of the length and stops, x(t) = L (1 + a (1 - cos(w t)) /
  2) up to t = 2 pi / w = 0.5 s, w = 2 pi / s, and the fiber is held from then on. The pull at 1/8
  and 3/8 s, while it is viscous for the most part, and the pull once held: a Kelvin-Voigt solid
  relaxes to its elastic force without delay.

Answers, with p = P / mu at the constant nominal stress P = q (L - s) / A0: 3 eta l' / l^2 + mu (l
- l^-2) = P, so 3 eta l' = mu (1 + p l^2 - l^3), a separable equation: t = (3 eta / mu) sum over
the roots r of 1 + p l^2 - l^3 of ln((l - r) / (1 - r)) / (2 p r - 3 r^2), in complex numbers;
solved for l by a root search at 24 Gauss points of s, and confirmed in the tests by scipy's DOP853
at 1e-12. In relaxation N = A0 (mu (l - l^-2) + 3 eta l' / l^2) with the prescribed l(t). Nothing
of the package is used.

Inertia is not part of these answers: the density is 1e-3 kg/m^3, so that inertia is below 1e-9 of
the stress. Space is exact in relaxation; in creep the mesh leaves 1e-4 / elements^4 of the
displacement and, of order 3 in a slope, 0.012 / elements^3 of the stretch at the end (measured on
2 to 16 elements). What is left is backward Euler: first order in the step, and second order for
values extrapolated from the steps and half the steps (Richardson), with constants measured on 8 to
512 steps.
"""

import numpy as np
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


def creep(elements: int, steps: int):
    """Result under the dead load."""
    model = fm.Model("creep", gravity=(0.0, 0.0, 0.0))
    attach = model.ground.at(0, 0, 0), None
    model.add(fiber(attach, elements, line_load=(LOAD, 0.0, 0.0)))
    return fm.simulate(
        fm.build(model),
        t_end=T_END,
        dt=T_END / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )


def end_stretch(t: float | np.ndarray) -> np.ndarray:
    """Prescribed stretch over time."""
    return 1.0 + 0.5 * PULL * (1.0 - np.cos(OMEGA * np.minimum(t, 0.5)))


def relax(elements: int, steps: int):
    """Result under the prescribed motion."""
    model = fm.Model("relaxation", gravity=(0.0, 0.0, 0.0))
    hand = fm.MovingPoint(lambda t: (LENGTH * float(end_stretch(t)), 0.0, 0.0))
    model.add(fiber((model.ground.at(0, 0, 0), hand), elements))
    return fm.simulate(
        fm.build(model),
        t_end=T_END,
        dt=T_END / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )


def run(elements: int = 8, steps: int = 64) -> dict[str, float]:
    """Displacements of creep, pulls of relaxation.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; 2 or more.
    steps : int
        Time steps in a second, a multiple of 8.
    """
    if steps % 8 or elements < 2:
        raise fm.ModelError("creep_relaxation: steps must be a multiple of 8, elements 2 or more")
    found = []
    for n in (steps, 2 * steps):
        history = creep(elements, n).fibers["fiber"]
        tip = history.position[:, -1, 0] - LENGTH
        found.append((tip[n // 4], tip[n], history.tangent[n, 0, 0] / LENGTH))
    early, late, stretch = found[0]
    history = relax(elements, steps).fibers["fiber"]
    pull = history.force_origin[:, 0]
    return {
        "creep_quarter_s_m": float(early),
        "creep_1_s_m": float(late),
        "creep_1_s_extrapolated_m": float(2.0 * found[1][1] - late),
        "creep_stretch_1_s_extrapolated": float(2.0 * found[1][2] - stretch),
        "pull_1_8_s_N": float(pull[steps // 8]),
        "pull_3_8_s_N": float(pull[3 * steps // 8]),
        "held_pull_N": float(pull[-1]),
        "unevenness_of_pull": float(np.ptp(history.axial_force, axis=1).max() / pull.max()),
    }


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
    """Pull of the fiber that is stretched as prescribed [N]."""
    stretch = end_stretch(t)
    rate = 0.5 * PULL * OMEGA * np.sin(OMEGA * t) * (t < 0.5)
    return float(AREA * (MU * (stretch - stretch**-2) + 3.0 * ETA * rate / stretch**2))


def expected(elements: int = 8, steps: int = 64) -> dict[str, Expected]:
    """Closed forms."""
    h = T_END / steps
    tip, end = 1e-4 / elements**4, 0.012 / elements**3
    final = stretch_at(1.0, LOAD * LENGTH / (AREA * MU))
    values = {
        "creep_quarter_s_m": (exact_tip(0.25), 0.2, 1, tip),
        "creep_1_s_m": (exact_tip(1.0), 0.265, 1, tip),
        "creep_1_s_extrapolated_m": (exact_tip(1.0), 0.058, 2, tip),
        "creep_stretch_1_s_extrapolated": (final, 0.023, 2, end),
        "pull_1_8_s_N": (exact_pull(0.125), 3.5, 1, 0.0),
        "pull_3_8_s_N": (exact_pull(0.375), 1.65, 1, 0.0),
    }
    found = {}
    for name, (value, c, order, space) in values.items():
        why = f"backward Euler: {c:g} dt of it"
        if order == 2:
            why = f"extrapolated from dt and dt / 2: {c:g} dt^2 of it"
        why += f", the constant measured; mesh {space:.0e}; 1e-8 for inertia and Newton's method"
        found[name] = Expected(float(value), float(value) * (c * h**order + space + 1e-8), why)
    found["held_pull_N"] = Expected(
        exact_pull(1.0),
        1e-8 * exact_pull(1.0),
        "no error of the step where nothing moves; inertia and Newton's method",
    )
    found["unevenness_of_pull"] = Expected(
        0.0, 1e-8, "the stretch is the same everywhere; inertia and Newton's method"
    )
    return found


def study(fine: bool = False) -> dict:
    """Errors over the time step, and the histories.

    Parameters
    ----------
    fine : bool
        Up to 512 steps instead of 64.
    """
    names = ("creep_1_s_m", "creep_1_s_extrapolated_m", "pull_3_8_s_N")
    rows, last, values = [], None, expected()
    for steps in (8, 16, 32, 64, 128, 256, 512)[: 7 if fine else 4]:
        got = run(16, steps)
        error = [got[name] / values[name].value - 1.0 for name in names]
        order = [""] * 3 if last is None else list(np.log2(np.divide(last, error)))
        rows.append([steps, *(cell for pair in zip(error, order, strict=True) for cell in pair)])
        last = error
    columns = ["steps"]
    for what in ("creep at 1 s", "the same, extrapolated", "pull at 3/8 s"):
        columns += [f"relative error of {what}", "order"]
    creeping, relaxing = creep(8, 64), relax(8, 64)
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
