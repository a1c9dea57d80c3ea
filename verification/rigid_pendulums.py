"""A compound pendulum and a double pendulum agree with scipy's high-order integrator.

Both rotate about y, under 9.81 m/s^2, and start from large angles:

- compound pendulum: a body of 1.5 kg, center of mass 0.25 m below the hinge, moment of inertia 0.02
  kg m^2 about that center, hinge damping 0.05 N m s/rad, from 1.2 rad with -0.5 rad/s, for 1 s;
- double pendulum: two rods of 2 kg and 1 kg, 0.4 m and 0.3 m long with their centers in the middle,
  moments of inertia 0.03 and 0.01 kg m^2, undamped, from (1.0, 0.7) rad at rest, for 1 s.

The answer: Lagrange's equations of motion, written out here, solved by DOP853 with tolerances of
1e-12; no code of the package is used.

The angles at the end are those of SDIRK2 with `steps` and twice as many steps, extrapolated: third
order or higher. The tolerance, 1e-5 rad (128 / steps)^3, is larger than the remaining error of the
extrapolation and smaller than the effect of any error in the equations. The energy of the undamped
motion, extrapolated in the same way at every step, stays within 1e-5 of the energy of the swing.

Without extrapolation each method must converge to the answer with its own order: `order_...` is
measured from the error of all three angles, between two numbers of steps of ratio 2 that are large
enough for the next term of the error to be small: from 4 times `steps` for backward Euler, 2 times
for BDF2. Backward Euler dissipates energy and must never increase it.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from _extrapolation import order_of, richardson
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.verify import Expected

G = 9.81  # m/s^2
T_END = 1.0  # s
NEWTON = fm.Newton(tolerance=1e-10)
METHODS = {
    "backward_euler": (fm.BackwardEuler(), 4),
    "bdf2": (fm.BDF2(), 2),
    "sdirk2": (fm.SDIRK2(), 1),
    "generalized_alpha": (fm.GeneralizedAlpha(0.8), 1),
}
"""Methods, and the multiple of `steps` in the coarser of the two runs that measure the order."""
COMPOUND = {"mass": 1.5, "lever": 0.25, "inertia": 0.02, "damping": 0.05}
COMPOUND_START = (1.2, -0.5)  # rad, rad/s
ROD_1 = {"mass": 2.0, "length": 0.4, "inertia": 0.03}
ROD_2 = {"mass": 1.0, "length": 0.3, "inertia": 0.01}
DOUBLE_START = (1.0, 0.7)  # rad, the second relative to the first
ANGLES = ("compound", "double_1", "double_2")


def rod(name: str, mass: float, lever: float, inertia: float) -> fm.Body:
    """Body hanging down from its frame, with its inertia about y."""
    return fm.Body(name, mass=mass, com=(0, 0, -lever), inertia=(inertia, inertia, 0.5 * inertia))


def compound() -> fm.Model:
    """The compound pendulum."""
    model = fm.Model("compound", gravity=(0.0, 0.0, -G))
    body = model.add(rod("body", COMPOUND["mass"], COMPOUND["lever"], COMPOUND["inertia"]))
    angle, speed = COMPOUND_START
    model.add(
        fm.Hinge(
            "q",
            model.ground,
            body,
            at=(0.1, 0.2, 0.3),
            axis=(0, 1, 0),
            damping=COMPOUND["damping"],
            value=angle,
            speed=speed,
        )
    )
    return model


def double() -> fm.Model:
    """The double pendulum."""
    model = fm.Model("double", gravity=(0.0, 0.0, -G))
    first = model.add(rod("first", ROD_1["mass"], 0.5 * ROD_1["length"], ROD_1["inertia"]))
    second = model.add(rod("second", ROD_2["mass"], 0.5 * ROD_2["length"], ROD_2["inertia"]))
    q = DOUBLE_START
    model.add(
        fm.Hinge("q1", model.ground, first, at=(0, 0, 0), axis=(0, 1, 0), value=q[0]),
        fm.Hinge("q2", first, second, at=(0, 0, -ROD_1["length"]), axis=(0, 1, 0), value=q[1]),
    )
    return model


@lru_cache(maxsize=64)
def swing(model: Callable[[], fm.Model], steps: int, method) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds, each (frames, n); kept for repeated calls."""
    result = fm.simulate(
        fm.build(model()),
        t_end=T_END,
        dt=T_END / steps,
        newton=NEWTON,
        method=method,
        control=fm.FixedSteps(),
    )
    return (
        np.stack(list(result.coordinates.values()), axis=1),
        np.stack(list(result.speeds.values()), axis=1),
    )


def double_mass(q: np.ndarray) -> np.ndarray:
    """Mass matrix of the double pendulum in the relative angles."""
    c1, c2, l1 = 0.5 * ROD_1["length"], 0.5 * ROD_2["length"], ROD_1["length"]
    m1, m2 = ROD_1["mass"], ROD_2["mass"]
    low = m2 * c2**2 + ROD_2["inertia"]
    coupling = m2 * l1 * c2 * np.cos(q[1])
    first = m1 * c1**2 + ROD_1["inertia"] + m2 * l1**2 + low + 2.0 * coupling
    return np.array([[first, low + coupling], [low + coupling, low]])


def double_energy(q: np.ndarray, p: np.ndarray) -> float:
    """Energy of the double pendulum [J]."""
    c1, c2, l1 = 0.5 * ROD_1["length"], 0.5 * ROD_2["length"], ROD_1["length"]
    height = -ROD_1["mass"] * c1 * np.cos(q[0])
    height -= ROD_2["mass"] * (l1 * np.cos(q[0]) + c2 * np.cos(q[0] + q[1]))
    return float(0.5 * p @ double_mass(q) @ p + G * height)


def energies(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Change of the double pendulum's energy over the frames, relative to that of its swing."""
    energy = np.array([double_energy(*pair) for pair in zip(q, p, strict=True)])
    return (energy - energy[0]) / (energy[0] - double_energy(np.zeros(2), np.zeros(2)))


def ends(steps: int, method) -> np.ndarray:
    """The three angles at the end, by one method."""
    return np.concatenate([swing(model, steps, method)[0][-1] for model in (compound, double)])


def run(steps: int = 128) -> dict[str, float]:
    """Angles at the end, extrapolated; the energy of the double pendulum; orders.

    Parameters
    ----------
    steps : int
        Time steps of 1 s, 32 or more; extrapolation and orders take up to 8 times as many.
    """
    if steps < 32:
        raise fm.ModelError(f"rigid_pendulums: steps = {steps}; must be 32 or more")
    sdirk2 = METHODS["sdirk2"][0]
    angles = richardson(ends(steps, sdirk2), ends(2 * steps, sdirk2), 2)
    values = {f"{name}_rad": float(angle) for name, angle in zip(ANGLES, angles, strict=True)}
    coarse, fine = (energies(*swing(double, n, sdirk2)) for n in (steps, 2 * steps))
    values["double_energy_error"] = float(np.abs(richardson(coarse, fine[::2], 2)).max())
    euler = energies(*swing(double, steps, METHODS["backward_euler"][0]))
    values["double_energy_gained_in_a_step"] = float(max(0.0, np.diff(euler).max()))
    answer = exact_ends()
    for name, (method, times) in METHODS.items():
        errors = [ends(n * steps, method) - answer for n in (times, 2 * times)]
        values[f"order_{name}"] = order_of(*errors)
    return values


def compound_rate(t: float, state: np.ndarray) -> list[float]:
    """Equation of motion of the compound pendulum."""
    q, p = state
    m, c = COMPOUND["mass"], COMPOUND["lever"]
    torque = -m * G * c * np.sin(q) - COMPOUND["damping"] * p
    return [p, torque / (COMPOUND["inertia"] + m * c * c)]


def double_rate(t: float, state: np.ndarray) -> np.ndarray:
    """Equations of motion of the double pendulum."""
    q, p = state[:2], state[2:]
    c1, c2, l1 = 0.5 * ROD_1["length"], 0.5 * ROD_2["length"], ROD_1["length"]
    m1, m2 = ROD_1["mass"], ROD_2["mass"]
    s = m2 * l1 * c2 * np.sin(q[1])
    coriolis = np.array([-s * (2.0 * p[0] * p[1] + p[1] ** 2), s * p[0] ** 2])
    lower = m2 * G * c2 * np.sin(q[0] + q[1])
    weight = np.array([(m1 * c1 + m2 * l1) * G * np.sin(q[0]) + lower, lower])
    return np.r_[p, np.linalg.solve(double_mass(q), -coriolis - weight)]


def exact(rate, start, dense: bool = False):
    """Solution by DOP853: the state at the end, or a function of time."""
    found = solve_ivp(
        rate, (0.0, T_END), start, method="DOP853", rtol=1e-12, atol=1e-12, dense_output=dense
    )
    return found.sol if dense else found.y[:, -1]


def exact_ends() -> np.ndarray:
    """The three angles at the end [rad]."""
    one = exact(compound_rate, COMPOUND_START)
    two = exact(double_rate, [*DOUBLE_START, 0.0, 0.0])
    return np.r_[one[0], two[:2]]


def expected(steps: int = 128) -> dict[str, Expected]:
    """Solutions of the equations of motion by DOP853."""
    close = 1e-5 * (128 / steps) ** 3
    solver = {"kind": "independent", "source": "Lagrange's equations by scipy's DOP853 at 1e-12"}
    values = {
        f"{name}_rad": Expected(
            angle, close, "SDIRK2, extrapolated: 1e-5 rad at 128 steps, third order", **solver
        )
        for name, angle in zip(ANGLES, exact_ends(), strict=True)
    }
    values["double_energy_error"] = Expected(
        0.0,
        close,
        "SDIRK2, extrapolated: 1e-5 at 128 steps, third order; relative to the energy of the swing",
        kind="consistency",
        source="conservation of energy",
    )
    values["double_energy_gained_in_a_step"] = Expected(
        0.0,
        1e-12,
        "round-off; relative to the energy of the swing",
        kind="consistency",
        source="backward Euler never increases the energy",
    )
    for name, (method, times) in METHODS.items():
        values[f"order_{name}"] = Expected(
            method.order,
            0.05,
            f"next term of the error, with {times} and {2 * times} times as many steps",
            kind="order",
            source="order of the method",
        )
    return values


def study(fine: bool = False) -> dict:
    """Errors of every method against the time step.

    Parameters
    ----------
    fine : bool
        Up to 1024 steps instead of 256.
    """
    counts = (32, 64, 128, 256, 512, 1024)[: 6 if fine else 4]
    answer, errors = exact_ends(), {}
    for name, (method, _) in METHODS.items():
        errors[name] = np.array([ends(n, method) - answer for n in counts])
    rows = []
    for name, found in errors.items():
        for k, n in enumerate(counts):
            order = order_of(found[k - 1], found[k]) if k else ""
            rows.append([name, n, *found[k], order])
    sol = exact(double_rate, [*DOUBLE_START, 0.0, 0.0], dense=True)
    t = np.linspace(0.0, T_END, 201)
    columns = ["method", "steps", "error of compound [rad]", "of double, q1 [rad]"]
    columns += ["of double, q2 [rad]", "order of all"]
    return {
        "tables": {"Rigid pendulums": {"columns": columns, "rows": rows}},
        "counts": counts,
        "errors": errors,
        "exact": (t, sol(t)[:2]),
        "found": {name: swing(double, 64, METHODS[name][0])[0] for name in METHODS},
    }


def plot(numbers: dict):
    """The double pendulum's angles and the convergence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    t, q = numbers["exact"]
    left.plot(t, q.T, color="0.6", lw=3)
    for k, (name, found) in enumerate(numbers["found"].items()):
        time = np.linspace(0.0, T_END, found.shape[0])
        left.plot(time, found[:, 0], f"C{k}-", label=f"{name}, {found.shape[0] - 1} steps")
        left.plot(time, found[:, 1], f"C{k}--")
        size = np.linalg.norm(numbers["errors"][name], axis=1)
        right.loglog(numbers["counts"], size, f"C{k}o-", label=name)
    left.set(xlabel="time [s]", ylabel="q1 (solid), q2 (dashed) [rad]")
    left.legend(fontsize="small")
    right.set(xlabel="steps", ylabel="error of all angles [rad]")
    right.legend()
    return figure
