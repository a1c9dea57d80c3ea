"""A pendulum held by one viscous fiber: energy, momentum, and the limit of a fiber without mass.

A rod of 1.5 kg is hinged at the origin (axis y, damping 0.05 N m s/rad), its center of mass 0.15 m
out, its moment of inertia 0.02 kg m^2. A fiber of 0.25 m runs from a point above to 0.2 m out on
the rod: radius 6 mm, shear modulus 200 kPa, viscosity 1.5 kN s/m^2, prestress 50 kPa, 1060 kg/m^3.
Let go from the horizontal, the rod falls until the fiber holds it, and swings for 1 s. The fiber
stays taut.

- Energy: kinetic + stored + gravity + dissipated is constant. The dissipated energy is the time
  integral (trapezoids) of the viscous power, 3 eta A0 (l'/l)^2 per reference length, integrated
  over the fiber by ten Gauss points per element written out here, and of the hinge's damping.
  Backward Euler takes energy away besides, of first order in the step: the defect is at most c dt,
  and falls to c dt^2 when extrapolated from dt and dt / 2. A wrong factor in any of the parts
  would stay.
- Momentum at the attachment: the reported pull of the fiber must be the one that the rod's own
  equation of motion asks for (moments about the hinge, with the method's difference of the speed),
  in every step. For the fiber, the pulls on both ends, its weight and the change of its momentum
  must cancel. Both hold in the discrete equations but for what Newton's method leaves.
- Limit: with a fiber of 1e-3 kg/m^3, too light to matter, the angle obeys one equation,
  I q'' = weight + moment of N(l, l') - damping, with l the distance of the end points; solved by
  DOP853 at 1e-12. First order in dt, second order extrapolated.

The constants c are measured on 32 to 1024 steps and a tenth larger, of the extrapolated energy a
third, which still grows there: the weight of the fiber, switched on at the start, sets it vibrating
at 16 Hz and more, and coarse steps damp that away early. Energies are compared with the
0.59 J that the weight supplies in the first fall.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.verify import Expected

G = 9.81  # m/s^2
MASS, COM, INERTIA, DAMPING = 1.5, 0.15, 0.02, 0.05
OUT, ANCHOR = np.array([0.2, 0.0, 0.0]), np.array([0.13, 0.0, 0.24])
LENGTH = float(np.linalg.norm(OUT - ANCHOR))  # m
RADIUS, MU, ETA, PRESTRESS, DENSITY = 6e-3, 2e5, 1.5e3, 5e4, 1060.0
LIGHT = 1e-3  # kg/m^3
AREA = np.pi * RADIUS**2
HINGE_INERTIA = INERTIA + MASS * COM**2
T_END = 1.0  # s
NEWTON = fm.Newton(tolerance=1e-10)
SCALE = MASS * G * 0.04  # J, weight times about the height that the center of mass falls


class Motion(NamedTuple):
    """What is recorded: time, angle, its rate, positions, velocities, pulls on both ends."""

    t: np.ndarray
    q: np.ndarray
    p: np.ndarray
    y: np.ndarray
    v: np.ndarray
    origin: np.ndarray
    insertion: np.ndarray


def build(elements: int, density: float):
    """System with the rod and its fiber."""
    model = fm.Model("pendulum_on_fiber", gravity=(0.0, 0.0, -G))
    inertia = (0.5 * INERTIA, INERTIA, INERTIA)
    rod = model.add(fm.Body("rod", mass=MASS, com=(COM, 0, 0), inertia=inertia))
    model.add(
        fm.Hinge("q", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), damping=DAMPING),
        fm.Fiber(
            "fiber",
            attach=(model.ground.at(ANCHOR), rod.at(OUT)),
            radius=RADIUS,
            n_elements=elements,
            tissue=fm.Tissue(density, fm.KelvinVoigt(MU, ETA), prestress=PRESTRESS),
        ),
    )
    return fm.build(model)


def swing(elements: int, steps: int, density: float = DENSITY):
    """System and its motion."""
    system = build(elements, density)
    result = fm.simulate(
        system,
        t_end=T_END,
        dt=T_END / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    fiber, q, p = result.fibers["fiber"], result.coordinate("q"), result.speeds["q"]
    y, v = (np.zeros((steps + 1, system.n)) for _ in range(2))
    for i in range(steps + 1):
        nodes, coordinate = system.split(y[i])
        nodes[:, :3], nodes[:, 3:] = fiber.position[i], fiber.tangent[i]
        coordinate[:] = q[i]
        if i:
            v[i] = (y[i] - y[i - 1]) * (steps / T_END)
            system.split(v[i])[1][:] = p[i]
            v[i] = system.enforce(y[i], v[i])
    return system, Motion(result.time, q, p, y, v, fiber.force_origin, fiber.force_insertion)


def on_fiber(nodes: np.ndarray, slope: bool) -> tuple[np.ndarray, np.ndarray]:
    """Hermite values (or theta-slopes) at ten Gauss points of each element, and their weights.

    nodes: (n_frames, n_nodes, 6) of a fiber with uniform nodes. Returns (n_frames, n, 3) and (n,).
    """
    n = nodes.shape[1] - 1
    x, w = np.polynomial.legendre.leggauss(10)
    x, w, h = 0.5 * (1.0 + x), 0.5 * w / n, 1.0 / n
    if slope:
        shape = np.array(
            [6 * x * (x - 1) / h, (1 - x) * (1 - 3 * x), 6 * x * (1 - x) / h, x * (3 * x - 2)]
        )
    else:
        shape = np.array(
            [1 + x**2 * (2 * x - 3), h * x * (x - 1) ** 2, x**2 * (3 - 2 * x), h * x**2 * (x - 1)]
        )
    control = np.stack(
        [nodes[:, :-1, :3], nodes[:, :-1, 3:], nodes[:, 1:, :3], nodes[:, 1:, 3:]], axis=2
    )
    values = np.einsum("feki,kg->fegi", control, shape)
    return values.reshape(nodes.shape[0], -1, 3), np.tile(w, n)


def nodes_of(system, y: np.ndarray) -> np.ndarray:
    """Node part of many states (n_frames, n_nodes, 6)."""
    return np.array([system.split(one)[0] for one in y])


def energy_balance(system, motion: Motion) -> dict[str, np.ndarray]:
    """Energies over time [J]."""
    slope, weight = on_fiber(nodes_of(system, motion.y), True)
    rate, _ = on_fiber(nodes_of(system, motion.v), True)
    # l'/l = a.a' / a.a
    strain_rate = (slope * rate).sum(axis=2) / (slope**2).sum(axis=2)
    viscous = 3.0 * ETA * AREA * LENGTH * strain_rate**2 @ weight
    power = viscous + DAMPING * motion.p**2
    step = np.diff(motion.t)
    dissipated = np.r_[0.0, np.cumsum(0.5 * step * (power[1:] + power[:-1]))]
    parts = [system.energy(y, v) for y, v in zip(motion.y, motion.v, strict=True)]
    kinetic, stored, gravity = (
        np.array([getattr(part, name) for part in parts])
        for name in ("kinetic", "elastic", "gravity")
    )
    gravity -= gravity[0]
    total = kinetic + stored + gravity + dissipated
    return {
        "kinetic": kinetic,
        "stored": stored,
        "supplied by weight": -gravity,
        "dissipated": dissipated,
        "defect": total - total[0],
    }


def momentum_defects(system, motion: Motion) -> tuple[float, float]:
    """Largest violations of the rod's and of the fiber's balance, over the largest pull."""
    h = np.diff(motion.t)
    c, s = np.cos(motion.q), np.sin(motion.q)
    # the axis is y: a positive angle turns the rod's end down, x = (cos q, 0, -sin q)
    F = motion.insertion
    moment = OUT[0] * (-s * F[:, 0] - c * F[:, 2]) + MASS * G * COM * c - DAMPING * motion.p
    rod = np.diff(motion.p) / h * HINGE_INERTIA - moment[1:]
    velocity, weight = on_fiber(nodes_of(system, motion.v), False)
    line_mass = DENSITY * AREA * LENGTH
    momentum = line_mass * np.einsum("fgi,g->fi", velocity, weight)
    force = -motion.origin - motion.insertion + line_mass * np.array([0.0, 0.0, -G])
    fiber = np.diff(momentum, axis=0) / h[:, None] - force[1:]
    largest = np.linalg.norm(F, axis=1).max()
    return np.abs(rod).max() / (largest * OUT[0]), np.abs(fiber).max() / largest


def run(elements: int = 6, steps: int = 128) -> dict[str, float]:
    """Defects of the balances, and the angle with the light fiber.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; 2 or more.
    steps : int
        Time steps of 1 s, 32 or more; extrapolations also take twice as many.
    """
    if elements < 2 or steps < 32:
        raise fm.ModelError("pendulum_on_fiber: needs 2 elements and 32 steps or more")
    system, motion = swing(elements, steps)
    defect = energy_balance(system, motion)["defect"] / SCALE
    finer = energy_balance(*swing(elements, 2 * steps))["defect"][::2] / SCALE
    rod, fiber = momentum_defects(system, motion)
    angle, angle_finer = (swing(elements, n, LIGHT)[1].q[-1] for n in (steps, 2 * steps))
    return {
        "energy_defect": float(np.abs(defect).max()),
        "energy_defect_extrapolated": float(np.abs(2.0 * finer - defect).max()),
        "energy_added": float(max(0.0, defect.max())),
        "rod_momentum_defect": float(rod),
        "fiber_momentum_defect": float(fiber),
        "light_fiber_angle_rad": float(angle),
        "light_fiber_angle_extrapolated_rad": float(2.0 * angle_finer - angle),
    }


def light_rate(t: float, state: np.ndarray) -> list[float]:
    """Equation of motion of the rod on a fiber without mass."""
    q, p = state
    c, s = np.cos(q), np.sin(q)
    along = OUT[0] * np.array([c, 0.0, -s]) - ANCHOR
    velocity = OUT[0] * p * np.array([-s, 0.0, -c])
    distance = np.linalg.norm(along)
    stretch, rate = distance / LENGTH, along @ velocity / (distance * LENGTH)
    P = MU * (stretch - stretch**-2) + 3.0 * ETA * rate / stretch**2 + PRESTRESS / stretch
    pull = -AREA * P * along / distance
    moment = OUT[0] * (-s * pull[0] - c * pull[2]) + MASS * G * COM * c - DAMPING * p
    return [p, moment / HINGE_INERTIA]


def exact(times=None) -> np.ndarray:
    """Angle over time with the light fiber; at the end if no times are given."""
    found = solve_ivp(light_rate, (0.0, T_END), [0.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12)
    return found.y[0] if times is not None else found.y[0, -1]


def expected(elements: int = 6, steps: int = 128) -> dict[str, Expected]:
    """Balances, and DOP853 for the light fiber."""
    h = T_END / steps
    angle = float(exact())
    newton = "exact in the discrete equations: what Newton's method leaves"
    return {
        "energy_defect": Expected(
            0.0, 8.2 * h, "backward Euler: 8.2 dt of the energy supplied, the constant measured"
        ),
        "energy_defect_extrapolated": Expected(
            0.0, 230.0 * h**2, "extrapolated from dt and dt / 2: 230 dt^2, the constant measured"
        ),
        "energy_added": Expected(0.0, 1e-12, "backward Euler only takes energy away"),
        "rod_momentum_defect": Expected(0.0, 1e-8, newton),
        "fiber_momentum_defect": Expected(0.0, 1e-8, newton),
        "light_fiber_angle_rad": Expected(
            angle, 0.33 * h, "DOP853; backward Euler: 0.33 dt, the constant measured"
        ),
        "light_fiber_angle_extrapolated_rad": Expected(
            angle, 5.5 * h**2, "DOP853; extrapolated: 5.5 dt^2, the constant measured"
        ),
    }


def study(fine: bool = False) -> dict:
    """Defects over the time step, and the energies over time.

    Parameters
    ----------
    fine : bool
        Up to 1024 steps instead of 256.
    """
    names = (
        "energy_defect",
        "energy_defect_extrapolated",
        "light_fiber_angle_rad",
        "light_fiber_angle_extrapolated_rad",
    )
    rows, last, answers = [], None, expected()
    for steps in (32, 64, 128, 256, 512, 1024)[: 6 if fine else 3]:
        got = run(4, steps)
        error = [got[name] - answers[name].value for name in names]
        order = [""] * 4 if last is None else list(np.log2(np.abs(np.divide(last, error))))
        rows.append([steps, *(cell for pair in zip(error, order, strict=True) for cell in pair)])
        last = error
    columns = ["steps"]
    for what in ("energy defect", "the same, extrapolated", "angle error, light fiber [rad]"):
        columns += [what, "order"]
    columns += ["the same, extrapolated [rad]", "order"]
    system, motion = swing(6, 256)
    t = np.linspace(0.0, T_END, 201)
    return {
        "tables": {"Pendulum on a fiber": {"columns": columns, "rows": rows}},
        "energies": (motion.t, energy_balance(system, motion)),
        "light": (motion.t, swing(6, 256, LIGHT)[1].q, t, exact(t)),
    }


def plot(numbers: dict):
    """Energies over time, and the angle with the light fiber."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    t, parts = numbers["energies"]
    for name, energy in parts.items():
        left.plot(t, energy, label=name)
    left.set(xlabel="time [s]", ylabel="energy [J]")
    left.legend()
    time, q, fine, answer = numbers["light"]
    right.plot(fine, np.degrees(answer), color="0.6", lw=3, label="DOP853, no mass")
    right.plot(time, np.degrees(q), label="256 steps")
    right.set(xlabel="time [s]", ylabel="angle [degrees]")
    right.legend()
    return figure
