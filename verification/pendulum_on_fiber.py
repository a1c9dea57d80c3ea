"""A pendulum held by one viscous fiber: energy, momentum, and the limit of a fiber without mass.

A rod of 1.5 kg is hinged at the origin (axis y, damping 0.05 N m s/rad); its center of mass is 0.15
m from the hinge, its moment of inertia is 0.02 kg m^2. A fiber of 0.25 m connects a point above
with the rod, 0.2 m from the hinge: radius 6 mm, shear modulus 200 kPa, viscosity 1.5 kN s/m^2,
prestress 50 kPa, 1060 kg/m^3. Released in the horizontal position, the rod falls until the fiber
holds it, and swings for 1 s. The fiber stays taut.

- Energy: the sum of kinetic, stored, gravitational and dissipated energy is constant. The
  dissipated energy is the time integral (trapezoidal rule) of the viscous power, 3 eta A0 (l'/l)^2
  per reference length, integrated over the fiber with ten Gauss points per element written out
  here, and of the power of the hinge's damping. A wrong factor in any of these terms changes the
  sum.
- Momentum at the attachment: the reported pull of the fiber must satisfy the rod's equation of
  motion (moments about the hinge, with the method's difference of the speed) in every step. For the
  fiber, the pulls on both ends, its weight and the change of its momentum must cancel. Both hold in
  the discrete equations, up to the remaining error of Newton's method.
- Limit: with a fiber of 1e-3 kg/m^3, whose mass is negligible, the angle obeys one equation, I q''
  = weight + moment of N(l, l') - damping, with the distance l of the end points; it is solved by
  DOP853 with the tolerance 1e-12.

Energy and angle are those of SDIRK2 with `steps` and twice as many steps, extrapolated: within 1e-5
of the 0.59 J that the weight supplies in the first fall, and within 1e-5 rad, at 128 steps, third
order (measured: 2.4e-6 and 7e-8). The balances of momentum are those of backward Euler, which must
also converge to the angle with order 1 and must never increase the energy.
"""

from typing import NamedTuple

import numpy as np
from _extrapolation import order_of, richardson
from _stepping import march
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.solvers import State
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
SCALE = MASS * G * 0.04  # J, weight times the approximate fall of the center of mass


class Motion(NamedTuple):
    """Record of a motion: time, angle, its rate, positions, velocities, pulls on both ends."""

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


def swing(elements: int, steps: int, method, density: float = DENSITY):
    """System and its motion; the pulls at the start are not computed: zero."""
    system = build(elements, density)
    start = State(0.0, *system.initial_state())
    frames = march(system, method, start, T_END, steps, frames=steps, newton=NEWTON).frames
    t = np.array([0.0, *(frame.t for frame in frames)])
    y, v = (
        np.array([first, *rest])
        for first, *rest in zip(*((f[1], f[2]) for f in (start, *frames)), strict=True)
    )
    pull = np.array([np.zeros((2, 3)), *(frame.pull for frame in frames)])
    return system, Motion(t, y[:, -1], v[:, -1], y, v, pull[:, 0], pull[:, 1])


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
    """Nodes of several states (n_frames, n_nodes, 6)."""
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
    """Largest violations of the rod's and of the fiber's balance, relative to the largest pull.

    In the equations of backward Euler, whose accelerations are differences of the velocities.
    """
    h = np.diff(motion.t)
    c, s = np.cos(motion.q), np.sin(motion.q)
    # the axis is y: a positive angle moves the rod's end down, x = (cos q, 0, -sin q)
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
        Time steps of 1 s, 32 or more; extrapolation and order take up to 4 times as many.
    """
    if elements < 2 or steps < 32:
        raise fm.ModelError(
            f"pendulum_on_fiber: elements = {elements}, steps = {steps}; must be 2 and 32 or more"
        )
    counts, sdirk2, euler = (steps, 2 * steps), fm.SDIRK2(), fm.BackwardEuler()
    coarse, fine = (energy_balance(*swing(elements, n, sdirk2))["defect"] / SCALE for n in counts)
    angles = [swing(elements, n, sdirk2, LIGHT)[1].q[-1] for n in counts]
    system, motion = swing(elements, steps, euler)
    rod, fiber = momentum_defects(system, motion)
    lost = energy_balance(system, motion)["defect"] / SCALE
    errors = [swing(elements, n, euler, LIGHT)[1].q[-1] - exact() for n in (2 * steps, 4 * steps)]
    return {
        "energy_defect": float(np.abs(richardson(coarse, fine[::2], 2)).max()),
        "energy_added": float(max(0.0, lost.max())),
        "rod_momentum_defect": float(rod),
        "fiber_momentum_defect": float(fiber),
        "light_fiber_angle_rad": float(richardson(*angles, 2)),
        "order_of_light_fiber_angle": order_of(*errors),
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
    close = 1e-5 * (128 / steps) ** 3
    discrete = {
        "kind": "consistency",
        "source": "an identity of the discrete equations of backward Euler",
    }
    newton = "remaining error of Newton's method; relative to the largest pull"
    return {
        "energy_defect": Expected(
            0.0,
            close,
            "SDIRK2, extrapolated: 1e-5 at 128 steps, third order; relative to the energy supplied",
            kind="consistency",
            source="conservation of energy",
        ),
        "energy_added": Expected(
            0.0,
            1e-12,
            "round-off; relative to the energy supplied",
            kind="consistency",
            source="backward Euler never increases the energy",
        ),
        "rod_momentum_defect": Expected(0.0, 1e-8, newton, **discrete),
        "fiber_momentum_defect": Expected(0.0, 1e-8, newton, **discrete),
        "light_fiber_angle_rad": Expected(
            float(exact()),
            close,
            "SDIRK2, extrapolated: 1e-5 rad at 128 steps, third order",
            kind="independent",
            source="the rod's own equation by scipy's DOP853 at 1e-12",
        ),
        "order_of_light_fiber_angle": Expected(
            1.0,
            0.1 * max(1.0, 128 / steps),
            "next term of the error, with 2 and 4 times as many steps",
            kind="order",
            source="order of backward Euler",
        ),
    }


def study(fine: bool = False) -> dict:
    """Defects against the time step, and the energies over time.

    Parameters
    ----------
    fine : bool
        Up to 1024 steps instead of 128.
    """
    rows = []
    for name, method in (("backward Euler", fm.BackwardEuler()), ("SDIRK2", fm.SDIRK2())):
        last = None
        for steps in (32, 64, 128, 256, 512, 1024)[: 6 if fine else 3]:
            defect = energy_balance(*swing(4, steps, method))["defect"] / SCALE
            angle = swing(4, steps, method, LIGHT)[1].q[-1] - exact()
            error = np.array([np.abs(defect).max(), abs(angle)])
            order = ["", ""] if last is None else list(np.log2(last / error))
            rows.append([name, steps, error[0], order[0], error[1], order[1]])
            last = error
    columns = ["method", "steps", "energy defect", "order", "angle error, light fiber [rad]"]
    system, motion = swing(6, 256, fm.SDIRK2())
    t = np.linspace(0.0, T_END, 201)
    return {
        "tables": {"Pendulum on a fiber": {"columns": [*columns, "order"], "rows": rows}},
        "energies": (motion.t, energy_balance(system, motion)),
        "light": (motion.t, swing(6, 256, fm.SDIRK2(), LIGHT)[1].q, t, exact(t)),
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
    right.plot(time, np.degrees(q), label="SDIRK2, 256 steps")
    right.set(xlabel="time [s]", ylabel="angle [degrees]")
    right.legend()
    return figure
