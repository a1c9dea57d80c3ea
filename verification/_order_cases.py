"""Systems with smooth motions for measuring the order of integrators."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import manufactured_solution
import numpy as np
import pendulum_on_fiber as rod
from _stepping import METHODS, Forced, Frame, attachment_drift, extrapolate, march
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.solvers import State, accelerations

LIMB_END = 0.05
"""End before the first contact change of the limb [s]: 0.053 s, or 0.062 s from equilibrium."""


class Case(NamedTuple):
    """A system, its initial state, its answer at equal intervals, and the compared quantities.

    quantities: name -> function of a frame; drift: violation of the constraints at a state.
    """

    system: object
    start: State
    exact: list[Frame]
    quantities: dict[str, Callable[[Frame], np.ndarray]]
    drift: Callable[[object, State], float] = attachment_drift


NODES = {"nodes": lambda frame: frame.y, "node speeds": lambda frame: frame.v}
PULLS = {"pulls": lambda frame: frame.pull}
ANGLE = {"angle": lambda frame: frame.y[-1], "speed": lambda frame: frame.v[-1]}


def build_pendulum(elements, density, activation=0.0):
    """The rod and the fiber of pendulum_on_fiber.py, with active stress."""
    model = fm.Model("pendulum", gravity=(0.0, 0.0, -rod.G))
    inertia = (0.5 * rod.INERTIA, rod.INERTIA, rod.INERTIA)
    body = model.add(fm.Body("rod", mass=rod.MASS, com=(rod.COM, 0, 0), inertia=inertia))
    tissue = fm.Tissue(
        density,
        fm.KelvinVoigt(rod.MU, rod.ETA),
        active=fm.ActiveStress(3e5, optimal_stretch=1.0),
        prestress=rod.PRESTRESS,
    )
    model.add(
        fm.Hinge("q", model.ground, body, at=(0, 0, 0), axis=(0, 1, 0), damping=rod.DAMPING),
        fm.Fiber(
            "fiber",
            attach=(model.ground.at(rod.ANCHOR), body.at(rod.OUT)),
            radius=rod.RADIUS,
            n_elements=elements,
            tissue=tissue,
            activation=activation,
        ),
    )
    return fm.build(model)


PENDULUM_END = 0.25  # s
PENDULUM = (
    (0.14957435125, -0.00397547369, -2.94658435828, 0.0, 11.58353659330),
    (0.14912432924, -0.03005706047, -3.02127645025, 0.0, 11.87151685176),
    (0.14730516332, -0.09325612921, -3.12520266776, 0.0, 12.25459611621),
    (0.14286470156, -0.19740896483, -3.23416812957, 0.0, 12.61761937521),
    (0.13462885893, -0.33362554496, -3.32175208578, 0.0, 12.83897339953),
    (0.12189359195, -0.48099460855, -3.36211093131, 0.0, 12.81198923965),
    (0.10476445102, -0.60921054813, -3.33239565367, 0.0, 12.46540991712),
    (0.08438333211, -0.68321340366, -3.21839191881, 0.0, 11.78487325659),
)
"""Angle, speed and pull on the rod at eighths of the time, by `solve_pendulum`."""


def pendulum_start():
    """System and its static equilibrium."""
    system = build_pendulum(4, rod.DENSITY, lambda t: 0.1 * np.sin(2.0 * np.pi * t) ** 2)
    y, v = fm.equilibrium(system, newton=fm.Newton(tolerance=1e-11))
    return system, State(0.0, y, v)


def solve_pendulum(tolerance=1e-10):
    """Table `PENDULUM` (8, 5) by Radau IIA on the equations with the constraints eliminated."""
    system, start = pendulum_start()
    free = np.ones(system.n, bool)
    for node in system.cables.attached_nodes:
        free[6 * node : 6 * node + 3] = False
    m = int(free.sum())

    def full(state):
        y, v = start.y.copy(), np.zeros(system.n)
        y[free], v[free] = state[:m], state[m:]
        (nodes, q), (velocity, p) = system.split(y), system.split(v)
        c, C = system.attached.place(system.skeleton.at(q))
        nodes[system.cables.attached_nodes, :3] = c
        velocity[system.cables.attached_nodes, :3] = C @ p
        return y, v

    def rate(t, state):
        y, v = full(state)
        return np.r_[v[free], accelerations(system, t, y, v)[free]]

    times = PENDULUM_END * np.arange(1, 9) / 8
    found = solve_ivp(
        rate, (0.0, times[-1]), np.r_[start.y[free], start.v[free]], "Radau", times,
        rtol=tolerance, atol=0.1 * tolerance,
    )  # fmt: skip
    rows = []
    for t, state in zip(times, found.y.T, strict=True):
        y, v = full(state)
        v_dot = accelerations(system, t, y, v)
        pull = -system.evaluate(t, y, v, v_dot, tangent=False).reactions
        rows.append([y[-1], v[-1], *pull[1]])
    return np.array(rows)


def tip_drift(system, state) -> float:
    """Largest violation at the rod [m] and [m/s]; the rod's end is coded independently."""
    (nodes, (q,)), (velocity, (p,)) = system.split(state.y), system.split(state.v)
    out = rod.OUT[0] * np.array([np.cos(q), 0.0, -np.sin(q)])
    across = rod.OUT[0] * np.array([-np.sin(q), 0.0, -np.cos(q)])
    apart = nodes[-1, :3] - out, velocity[-1, :3] - p * across
    apart += nodes[0, :3] - rod.ANCHOR, velocity[0, :3]
    return float(np.abs(apart).max())


def pendulum() -> Case:
    """Rod on a contracting fiber, from equilibrium."""
    system, start = pendulum_start()
    times = PENDULUM_END * np.arange(1, 9) / 8
    exact = [
        Frame(t, np.array([q]), np.array([p]), np.array([pull]))
        for t, (q, p, *pull) in zip(times, PENDULUM, strict=True)
    ]
    quantities = {**ANGLE, "pull on the rod": lambda frame: frame.pull[-1]}
    return Case(system, start, exact, quantities, tip_drift)


def heavy() -> Case:
    """Rod on a heavy fiber, forced along an exact motion."""
    system = build_pendulum(3, 50000.0)
    theta = system.cables.theta[:, None]
    wave = 0.01 * np.sin(np.pi * theta) * [0.3, 1.0, 0.0]
    wave_slope = 0.01 * np.pi * np.cos(np.pi * theta) * [0.3, 1.0, 0.0]

    def motion(t):
        w, k = 8.0, 10.0
        q, p = 0.2 + 0.3 * np.sin(w * t), 0.3 * w * np.cos(w * t)
        p_dot = -0.3 * w**2 * np.sin(w * t)
        # the tip (cos q, 0, -sin q), its velocity and its acceleration
        out = rod.OUT[0] * np.array([np.cos(q), 0.0, -np.sin(q)])
        across = rod.OUT[0] * np.array([-np.sin(q), 0.0, -np.cos(q)])
        tips = out, across * p, across * p_dot - out * p**2
        waves = np.sin(k * t), k * np.cos(k * t), -(k**2) * np.sin(k * t)
        anchors = rod.ANCHOR, np.zeros(3), np.zeros(3)
        parts = []
        for tip, anchor, size, coordinate in zip(tips, anchors, waves, (q, p, p_dot), strict=True):
            position = anchor + theta * (tip - anchor) + size * wave
            slope = tip - anchor + size * wave_slope
            parts.append(np.r_[np.hstack([position, slope]).ravel(), coordinate])
        return parts

    forced = Forced(system, motion)
    exact = [forced.exact(0.2 * (i + 1) / 8) for i in range(8)]
    start = State(*forced.exact(0.0)[:3])
    return Case(forced, start, exact, {**ANGLE, **NODES, **PULLS}, tip_drift)


def driven() -> Case:
    """The manufactured solution without spatial error, with prescribed motion of its ends."""
    system = fm.build(manufactured_solution.model(3, led_by_rates=True))
    theta = system.cables.theta
    zero, one = np.zeros_like(theta), np.ones_like(theta)
    shape = [zero, np.cos(theta), np.sin(8.0 * theta)]
    shape += [zero, -np.sin(theta), 8.0 * np.cos(8.0 * theta)]
    straight = np.stack([theta, zero, zero, one, zero, zero], axis=1)

    def motion(t):
        sizes = 1.0 - np.cos(t), np.sin(t), np.cos(t)
        y, v, v_dot = ((size * np.stack(shape, axis=1)) for size in sizes)
        return [(straight + y).ravel(), v.ravel(), v_dot.ravel()]

    forced = Forced(system, motion)

    def drift(_, state):
        """Positions of the ends [m]; their velocity may be the integrator's own difference."""
        ends = np.r_[0:3, system.n - 6 : system.n - 3]
        return float(np.abs(state.y - motion(state.t)[0])[ends].max())

    exact = [forced.exact(0.5 + 0.125 * (i + 1) / 8) for i in range(8)]
    return Case(forced, State(*forced.exact(0.5)[:3]), exact, {**NODES, **PULLS}, drift)


def limb_start(kind):
    """System of the upper limb, and its start "initial" or "equilibrium"."""
    system = fm.build(find("upper_limb").make({"elements": 8}).model)
    y, v = system.initial_state()
    if kind == "equilibrium":
        y, v = fm.equilibrium(system, newton=fm.Newton(tolerance=1e-11))
    return system, State(0.0, y, v)


def limb(kind, steps, method="sdirk2") -> Case:
    """The upper limb before its first contact change; the answer takes 8 and 16 times `steps`."""
    system, start = limb_start(kind)
    coarse, fine = (
        march(system, METHODS[method], start, LIMB_END, n * steps, frames=4).frames for n in (8, 16)
    )

    def positions(frame):
        return system.split(frame.y)[0][:, :3]

    quantities = {"elbow angle": ANGLE["angle"], "node positions": positions}
    return Case(system, start, extrapolate(coarse, fine), quantities)


@cache
def case(name: str, steps: int) -> Case:
    """Case of this name, for refinements up to 2 `steps`."""
    if name.startswith("limb"):
        return limb("equilibrium" if name.endswith("equilibrium") else "initial", steps)
    return {"pendulum": pendulum, "heavy": heavy, "driven": driven}[name]()
