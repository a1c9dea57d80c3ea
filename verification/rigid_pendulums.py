"""A compound pendulum and a double pendulum swing as scipy's high-order integrator says.

Both turn about y, under 9.81 m/s^2, and are let go from large angles:

- compound pendulum: a body of 1.5 kg, center of mass 0.25 m below the hinge, moment of inertia
  0.02 kg m^2 about it, hinge damping 0.05 N m s/rad, from 1.2 rad with -0.5 rad/s, for 1 s;
- double pendulum: two rods of 2 kg and 1 kg, 0.4 m and 0.3 m long with their centers in the
  middle, moments of inertia 0.03 and 0.01 kg m^2, undamped, from (1.0, 0.7) rad at rest, for 1 s.

The answer: the equations of motion written out here from Lagrange's equations, solved by DOP853
with tolerances of 1e-12; nothing of the package.

Backward Euler is of first order: the angles at the end differ by c dt, with the constants measured
on 32 to 2048 steps, and by c dt^2 after one Richardson extrapolation from dt and dt / 2. It takes
energy out of the undamped motion, first order in dt, and must not add any.
"""

import numpy as np
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.verify import Expected

G = 9.81  # m/s^2
T_END = 1.0  # s
NEWTON = fm.Newton(tolerance=1e-10)
COMPOUND = {"mass": 1.5, "lever": 0.25, "inertia": 0.02, "damping": 0.05}
COMPOUND_START = (1.2, -0.5)  # rad, rad/s
ROD_1 = {"mass": 2.0, "length": 0.4, "inertia": 0.03}
ROD_2 = {"mass": 1.0, "length": 0.3, "inertia": 0.01}
DOUBLE_START = (1.0, 0.7)  # rad, the second relative to the first


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


def swing(model: fm.Model, steps: int):
    """Coordinates and speeds, each (frames, n)."""
    result = fm.simulate(
        fm.build(model),
        t_end=T_END,
        dt=T_END / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
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


def run(steps: int = 128) -> dict[str, float]:
    """Angles at the end, extrapolated ones, and the energy of the double pendulum.

    Parameters
    ----------
    steps : int
        Time steps of 1 s, 32 or more; the extrapolation also takes twice as many.
    """
    if steps < 32:
        raise fm.ModelError("rigid_pendulums: needs 32 steps or more")
    values = {}
    for name, model in (("compound", compound()), ("double", double())):
        (q, p), (finer, _) = swing(model, steps), swing(model, 2 * steps)
        for k in range(q.shape[1]):
            label = f"{name}_{k + 1}" if q.shape[1] > 1 else name
            values[f"{label}_rad"] = float(q[-1, k])
            values[f"{label}_extrapolated_rad"] = float(2.0 * finer[-1, k] - q[-1, k])
    energy = np.array([double_energy(*pair) for pair in zip(q, p, strict=True)])
    swing_energy = energy[0] - double_energy(np.zeros(2), np.zeros(2))
    values["double_energy_lost"] = float((energy[0] - energy[-1]) / swing_energy)
    values["double_energy_gained_in_a_step"] = float(max(0.0, np.diff(energy).max()) / swing_energy)
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


def expected(steps: int = 128) -> dict[str, Expected]:
    """Solutions of the equations of motion by DOP853."""
    h = T_END / steps
    one = exact(compound_rate, COMPOUND_START)
    two = exact(double_rate, [*DOUBLE_START, 0.0, 0.0])
    values = {}
    for label, value, c, c2 in (
        ("compound", one[0], 6.0, 36.0),
        ("double_1", two[0], 1.7, 120.0),
        ("double_2", two[1], 22.5, 170.0),
    ):
        values[f"{label}_rad"] = Expected(
            float(value), c * h + 1e-9, f"backward Euler: {c:g} dt, the constant measured"
        )
        values[f"{label}_extrapolated_rad"] = Expected(
            float(value),
            c2 * h**2 + 1e-9,
            f"extrapolated from dt and dt / 2: {c2:g} dt^2, the constant measured",
        )
    values["double_energy_lost"] = Expected(
        0.0,
        21.0 * h,
        "the motion conserves it; backward Euler takes up to 21 dt of it, measured",
    )
    values["double_energy_gained_in_a_step"] = Expected(
        0.0, 1e-12, "backward Euler adds energy in no step here; round-off"
    )
    return values


def study(fine: bool = False) -> dict:
    """Errors over the time step.

    Parameters
    ----------
    fine : bool
        Up to 1024 steps instead of 256.
    """
    names = ("compound", "double_1", "double_2")
    rows, last, want = [], None, expected()
    for steps in (32, 64, 128, 256, 512, 1024)[: 6 if fine else 4]:
        got = run(steps)
        error = [
            got[f"{name}{kind}_rad"] - want[f"{name}_rad"].value
            for name in names
            for kind in ("", "_extrapolated")
        ]
        order = [""] * 6 if last is None else list(np.log2(np.abs(np.divide(last, error))))
        pairs = [cell for pair in zip(error, order, strict=True) for cell in pair]
        rows.append([steps, *pairs, got["double_energy_lost"]])
        last = error
    columns = ["steps"]
    for what in ("compound", "double, q1", "double, q2"):
        columns += [f"error of {what} [rad]", "order", "extrapolated [rad]", "order"]
    columns.append("energy lost [-]")
    sol = exact(double_rate, [*DOUBLE_START, 0.0, 0.0], dense=True)
    t = np.linspace(0.0, T_END, 201)
    return {
        "tables": {"Rigid pendulums": {"columns": columns, "rows": rows}},
        "exact": (t, sol(t)[:2]),
        "found": {steps: swing(double(), steps)[0] for steps in (64, 256)},
    }


def plot(numbers: dict):
    """The double pendulum's angles and the convergence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    t, q = numbers["exact"]
    left.plot(t, q.T, color="0.6", lw=3)
    for k, (steps, found) in enumerate(numbers["found"].items()):
        time = np.linspace(0.0, T_END, steps + 1)
        left.plot(time, found[:, 0], f"C{k}-", label=f"{steps} steps")
        left.plot(time, found[:, 1], f"C{k}--")
    left.set(xlabel="time [s]", ylabel="q1 (solid), q2 (dashed) [rad]")
    left.legend()
    rows = numbers["tables"]["Rigid pendulums"]["rows"]
    n = np.array([row[0] for row in rows], float)
    for k, name in enumerate(("compound", "q1", "q2")):
        right.loglog(n, [abs(row[1 + 4 * k]) for row in rows], f"C{k}o-", label=name)
        right.loglog(n, [abs(row[3 + 4 * k]) for row in rows], f"C{k}s--")
    right.set(xlabel="steps", ylabel="error [rad]; dashed: extrapolated")
    right.legend()
    return figure
