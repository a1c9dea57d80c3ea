"""Two fibers collide freely in space: what the contact formulations conserve.

Two curved, tapered, unequal fibers without any attachment fly at each other and fold over each
other where they cross (a cable has no bending stiffness). Nothing acts from outside, so linear
and angular momentum stay what they were. That is the independent answer.

- Force level: the contact forces of one configuration have no resultant and no moment. With pair
  potentials (formulation="variational") both vanish to round-off. Two half passes (the paper's)
  integrate each fiber's own line force along that fiber; where the fibers cross at an angle with
  unequal radii the two integrals differ, by several percent on any mesh: the study shows how
  much.
- Motion: backward Euler keeps linear momentum exactly when the forces balance, so the drift is
  left to Newton's tolerance. It does not keep angular momentum, whose drift falls with the first
  power of the step: the tolerance is C / steps with C from the measured series, rounded up. Nor
  does it keep energy, which it takes from the waves that the impact sends along the fibers; the
  study lists it.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import fibermsk as fm
from fibermsk.system.contact_sets import Border
from fibermsk.verify import Expected

DURATION = 0.02
SPEED = 1.0
RADII = (0.006, 0.004)
# Angular momentum drift times the number of steps: 0.0087, 0.011, 0.012 at 100, 200, 400 steps.
_ANGULAR = 0.02


def model(formulation: str, elements: int, gap: float = 0.05) -> fm.Model:
    """Two fibers with free ends; the relative gap where they cross is about `gap`."""
    distance = (1.0 + gap) * 0.0105
    tissue = fm.Tissue(density=1000.0, muscle=fm.KelvinVoigt(shear_modulus=5e4, viscosity=0.0))

    def lower(s):
        return np.stack([0.1 * s, 0.01 * np.sin(2.0 * s), 0.0 * s], axis=1)

    def upper(s):
        return np.stack(
            [0.05 + 0.02 * s, 0.06 * (s - 0.4), distance + 0.02 * (s - 0.55) ** 2], axis=1
        )

    result = fm.Model("collision", gravity=(0, 0, 0))
    for name, path, radius in zip(("lower", "upper"), (lower, upper), RADII, strict=True):
        profile = lambda s, radius=radius: radius * (1.0 + 0.2 * s)  # noqa: E731
        result.add(fm.Fiber(name, path, radius=profile, n_elements=elements, tissue=tissue))
    law = fm.PenaltyContact(stiffness=300.0, limit=3.0)
    result.add(fm.Contact(result.fibers, result.fibers, law, formulation=formulation))
    return result


def imbalance(formulation: str, elements: int) -> tuple[float, float]:
    """Resultant and moment of the contact forces at a penetration, over the force on one fiber.

    The moment is about the middle of the lower fiber and over the force times its length.
    """
    system = fm.build(model(formulation, elements, gap=-0.1))
    y, v = system.initial_state()
    nodes, q = system.split(y)
    system.contact.evaluate(nodes, system.tree.evaluate(q, q, q))
    force = np.zeros_like(nodes)
    n = nodes.size
    border = Border(
        force, np.zeros(0), np.zeros(0), np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0))
    )
    system.contact.scatter(border, False)
    about = np.array([0.05, 0.01, 0.0])
    moment = np.cross(nodes[:, :3] - about, force[:, :3]) + np.cross(nodes[:, 3:], force[:, 3:])
    first = system.cables.node_start[1]
    size = float(np.linalg.norm(force[:first, :3].sum(axis=0)))
    net = np.linalg.norm(force[:, :3].sum(axis=0))
    return float(net / size), float(np.linalg.norm(moment.sum(axis=0)) / (0.1 * size))


def collide(formulation: str, elements: int, steps: int) -> dict[str, float]:
    """Relative drifts of momentum, angular momentum and energy over the whole collision."""
    system = fm.build(model(formulation, elements))
    y, v = system.initial_state()
    system.split(v)[0][system.cables.node_start[1] :, 2] = -SPEED
    result = fm.simulate(
        system, (y, v), t_end=DURATION, dt=DURATION / steps, newton=fm.Newton(tolerance=1e-10)
    )
    if result.min_admissibility.min() > 0.9:
        raise fm.ConvergenceError("the fibers did not press on each other")

    def nodes_at(frame):
        parts = [np.c_[f.position[frame], f.tangent[frame]] for f in result.fibers.values()]
        return np.concatenate(parts)

    h = DURATION / steps
    after = (nodes_at(-1) - nodes_at(-2)) / h
    start, end = system.split(v)[0], after
    measures = []
    for x, speed in ((system.split(y)[0], start), (nodes_at(-1), end)):
        momentum, angular = _momenta(system, x, speed)
        energy = system.energy(x.ravel(), speed.ravel()).total
        measures.append((momentum, angular, energy))
    (p0, l0, e0), (p1, l1, e1) = measures
    return {
        "momentum": float(np.linalg.norm(p1 - p0) / np.linalg.norm(p0)),
        "angular": float(np.linalg.norm(l1 - l0) / np.linalg.norm(l0)),
        "energy": abs(float((e1 - e0) / e0)),
    }


def _momenta(system, x, speed):
    """Linear and angular momentum about the origin, exact for the element mass matrices."""
    elements, mass = system.cables.elements, system.cables.mass
    local_x, local_v = (part[elements].reshape(-1, 4, 3) for part in (x, speed))
    momentum = np.einsum("eab,ebi->eai", mass, local_v)
    return momentum[:, [0, 2]].sum(axis=(0, 1)), np.cross(local_x, momentum).sum(axis=(0, 1))


def run(elements: int = 8, steps: int = 200) -> dict[str, float]:
    """Imbalance of the forces and drifts of the motion, by pair potentials."""
    force, moment = imbalance("variational", elements)
    drift = collide("variational", elements, steps)
    return {
        "net_force": force,
        "net_moment": moment,
        "momentum_drift": drift["momentum"],
        "angular_momentum_drift": drift["angular"],
    }


def expected(elements: int = 8, steps: int = 200) -> dict[str, Expected]:
    """Nothing is lost, up to round-off, Newton's tolerance and the order of the integrator."""
    round_off = 1e-12 * max(1.0, elements / 8)
    return {
        "net_force": Expected(0.0, round_off, "round-off of a sum over the contact points"),
        "net_moment": Expected(0.0, round_off, "round-off of a sum over the contact points"),
        "momentum_drift": Expected(0.0, 1e-8, "Newton's tolerance, summed over the steps"),
        "angular_momentum_drift": Expected(
            0.0, _ANGULAR / steps, "backward Euler, first order: measured constant, rounded up"
        ),
    }


def study(fine: bool = False) -> dict:
    """Imbalance over meshes and drifts over steps, for both formulations."""
    meshes = (4, 8, 16, 32, 64) if fine else (4, 8, 16, 32)
    steps = (100, 200, 400, 800) if fine else (100, 200, 400)
    forces = [[n, *imbalance("half_pass", n), *imbalance("variational", n)] for n in meshes]
    drifts = []
    for n in steps:
        half, pair = collide("half_pass", 8, n), collide("variational", 8, n)
        drifts.append([n, *half.values(), *pair.values()])
    return {
        "tables": {
            "Resultant and moment of the contact forces, over the force on one fiber": {
                "columns": [
                    "elements",
                    "half passes: force",
                    "moment",
                    "pair potential: force",
                    "moment",
                ],
                "rows": forces,
            },
            "Relative drift over the collision, 8 elements": {
                "columns": [
                    "steps",
                    "half passes: momentum",
                    "angular momentum",
                    "energy",
                    "pair potential: momentum",
                    "angular momentum",
                    "energy",
                ],
                "rows": drifts,
            },
        }
    }


def plot(numbers: dict) -> Figure:
    """Drifts over the number of steps."""
    (_, table) = numbers["tables"].values()
    rows = np.array(table["rows"])
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for column, (label, style) in enumerate(
        (
            ("half passes: momentum", "C1o-"),
            ("half passes: angular momentum", "C1s--"),
            ("half passes: energy", "C1^:"),
            ("pair potential: momentum", "C0o-"),
            ("pair potential: angular momentum", "C0s--"),
            ("pair potential: energy", "C0^:"),
        ),
        start=1,
    ):
        axes.loglog(rows[:, 0], np.maximum(rows[:, column], 1e-16), style, label=label)
    axes.set_xlabel("time steps [-]")
    axes.set_ylabel("relative drift [-]")
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    return figure
