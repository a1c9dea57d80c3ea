"""Two free fibers collide: which quantities each contact formulation conserves.

Two curved, tapered, unequal fibers without attachments fly towards each other and fold over each
other where they cross (a cable has no bending stiffness). No external forces act, so that linear
and angular momentum are constant. This is the independent answer.

- Forces: the contact forces of one configuration have no resultant and no moment. With pair
  potentials (formulation="variational") both vanish to round-off. With two half passes (the
  paper's) the line force on each fiber is integrated along that fiber; where fibers with unequal
  radii cross at an angle, the two integrals differ by several percent on any mesh. The expected
  imbalance is computed by dense sampling of the two curves.
- Each pair is counted once: two equal unstretched fibers side by side repel each other with the
  F(g) of the penalty law on each, in both formulations.
- Motion: backward Euler conserves linear momentum exactly if the forces balance, so that the drift
  is due to the tolerance of Newton's method. It does not conserve angular momentum: the drift is
  proportional to the step. This order is measured, and the drift is extrapolated from `steps` and
  twice as many. Backward Euler does not conserve energy either: it dissipates the waves that the
  impact sends along the fibers. The study lists the energy.
"""

from __future__ import annotations

import numpy as np
from _extrapolation import order_of, richardson
from scipy.spatial import cKDTree

import fibermsk as fm
from fibermsk.system.contact.sets import Border
from fibermsk.verify import Expected

DURATION = 0.02
SPEED = 0.5
RADII = (0.006, 0.004)
KAPPA, GAMMA = 300.0, 3.0

_FINEST = 128


def lower(s):
    """Centerline of the lower fiber."""
    return np.stack([0.1 * s, 0.01 * np.sin(2.0 * s), 0.0 * s], axis=1)


def upper(s, distance):
    """Centerline of the upper fiber, which crosses the lower one at a distance."""
    return np.stack([0.05 + 0.02 * s, 0.06 * (s - 0.4), distance + 0.02 * (s - 0.55) ** 2], axis=1)


def model(formulation: str, elements: int, gap: float = 0.05) -> fm.Model:
    """Two fibers with free ends; the relative gap where they cross is about `gap`."""
    distance = (1.0 + gap) * 0.0105
    tissue = fm.Tissue(density=1000.0, muscle=fm.KelvinVoigt(shear_modulus=5e4, viscosity=200.0))

    result = fm.Model("collision", gravity=(0, 0, 0))
    paths = (lower, lambda s: upper(s, distance))
    for name, path, radius in zip(("lower", "upper"), paths, RADII, strict=True):

        def profile(s, radius=radius):
            return radius * (1.0 + 0.2 * s)

        result.add(fm.Fiber(name, path, radius=profile, n_elements=elements, tissue=tissue))
    law = fm.PenaltyContact(stiffness=KAPPA, limit=GAMMA)
    result.add(fm.Contact(result.fibers, result.fibers, law, formulation=formulation))
    return result


def imbalance(formulation: str, elements: int) -> tuple[float, float]:
    """Resultant and moment of the contact forces, relative to the force on one fiber.

    At a penetration; the moment is about the middle of the lower fiber, relative to the force times
    its length.
    """
    system = fm.build(model(formulation, elements, gap=-0.1))
    y, v = system.initial_state()
    nodes, q = system.split(y)
    system.contact.evaluate(nodes, system.tree.evaluate(q, q, q))
    force = np.zeros_like(nodes)
    n = nodes.size
    border = Border(
        force,
        np.zeros(0),
        np.zeros((0, 3, 6, 6)),
        np.zeros((n, 0)),
        np.zeros((0, n)),
        np.zeros((0, 0)),
    )
    system.contact.scatter_fibers(border, False)
    about = np.array([0.05, 0.01, 0.0])
    moment = np.cross(nodes[:, :3] - about, force[:, :3]) + np.cross(nodes[:, 3:], force[:, 3:])
    first = system.cables.node_start[1]
    size = float(np.linalg.norm(force[:first, :3].sum(axis=0)))
    net = np.linalg.norm(force[:, :3].sum(axis=0))
    return float(net / size), float(np.linalg.norm(moment.sum(axis=0)) / (0.1 * size))


def parallel(formulation: str, elements: int) -> float:
    """Force on one of two equal fibers side by side, relative to F(g) times their length."""
    gap, length, radius = -0.1, 0.1, 0.005
    tissue = fm.Tissue(density=1000.0, muscle=fm.KelvinVoigt(shear_modulus=5e4, viscosity=0.0))
    pair = fm.Model("parallel", gravity=(0, 0, 0))
    for i, y in enumerate((0.0, 2.0 * radius * (1.0 + gap))):
        path = [[0.0, y, 0.0], [length, y, 0.0]]
        pair.add(fm.Fiber(f"fiber_{i}", path, radius=radius, n_elements=elements, tissue=tissue))
    law = fm.PenaltyContact(stiffness=KAPPA, limit=GAMMA)
    pair.add(fm.Contact(pair.fibers, pair.fibers, law, formulation=formulation))
    system = fm.build(pair)
    y, v = system.initial_state()
    # at rest without gravity the residual is minus the contact force
    force = system.split(system.evaluate(0.0, y, v, v, tangent=False).residual)[0]
    total = force[: system.cables.node_start[1], 1].sum()
    return float(total / (-KAPPA * gap / (1.0 + GAMMA * gap) * length))


def half_pass_imbalance() -> float:
    """Resultant of half passes relative to the force on the lower fiber, from the exact curves.

    Both line forces are integrated with dense sampling; the closest points are found by search and
    a parabola.
    """
    s = np.linspace(0.0, 1.0, 8001)
    curves = lower(s), upper(s, 0.9 * 0.0105)
    radii = [radius * (1.0 + 0.2 * s) for radius in RADII]
    sums = []
    for own, other in ((0, 1), (1, 0)):
        x = 0.5 * (curves[own][1:] + curves[own][:-1])
        r_x = 0.5 * (radii[own][1:] + radii[own][:-1])
        length = np.linalg.norm(np.diff(curves[own], axis=0), axis=1)
        near = np.flatnonzero(cKDTree(curves[other]).query(x)[0] < r_x + radii[other].max())
        total = np.zeros(3)
        for i in near:
            d2 = ((curves[other] - x[i]) ** 2).sum(axis=1)
            k = int(np.clip(np.argmin(d2), 1, s.size - 2))
            below, at, above = d2[k - 1 : k + 2]
            shift = 0.5 * (below - above) / (below - 2.0 * at + above)
            y = curves[other][k] + shift * 0.5 * (curves[other][k + 1] - curves[other][k - 1])
            d = np.linalg.norm(y - x[i])
            gap = d / (r_x[i] + radii[other][k]) - 1.0
            if gap < 0.0:
                total += KAPPA * gap / (1.0 + GAMMA * gap) * (y - x[i]) / d * length[i]
        sums.append(total)
    return float(np.linalg.norm(sums[0] + sums[1]) / np.linalg.norm(sums[0]))


def collide(formulation: str, elements: int, steps: int) -> dict[str, np.ndarray]:
    """Drifts of momentum (3,), angular momentum (3,) and energy (1,) over the whole collision.

    Each relative to its initial value.
    """
    system = fm.build(model(formulation, elements))
    y, v = system.initial_state()
    system.split(v)[0][system.cables.node_start[1] :, 2] = -SPEED
    result = fm.simulate(
        system,
        (y, v),
        t_end=DURATION,
        dt=DURATION / steps,
        newton=fm.Newton(tolerance=1e-10),
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    if result.min_admissibility.min() > 0.97:
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
        "momentum": (p1 - p0) / np.linalg.norm(p0),
        "angular": (l1 - l0) / np.linalg.norm(l0),
        "energy": np.array([(e1 - e0) / e0]),
    }


def _momenta(system, x, speed):
    """Linear and angular momentum about the origin, exact for the element mass matrices."""
    elements, mass = system.cables.elements, system.cables.mass
    local_x, local_v = (part[elements].reshape(-1, 4, 3) for part in (x, speed))
    momentum = np.einsum("eab,ebi->eai", mass, local_v)
    return momentum[:, [0, 2]].sum(axis=(0, 1)), np.cross(local_x, momentum).sum(axis=(0, 1))


def run(elements: int = 8, steps: int = 200) -> dict[str, float]:
    """Imbalance of the forces and drifts of the motion, by pair potentials."""
    if elements < 4 or steps < 50:
        raise fm.ModelError(
            f"fiber_collision: elements = {elements}, steps = {steps}; must be 4 and 50 or more "
            "for the collision to be resolved"
        )
    force, moment = imbalance("variational", elements)
    coarse, fine = (collide("variational", elements, n) for n in (steps, 2 * steps))
    left = richardson(coarse["angular"], fine["angular"], 1)
    return {
        "net_force": force,
        "net_moment": moment,
        "momentum_drift": float(np.linalg.norm(coarse["momentum"])),
        "angular_momentum_drift": float(np.linalg.norm(left)),
        "order_of_angular_momentum": order_of(coarse["angular"], fine["angular"]),
        "parallel_force": parallel("variational", elements),
        "parallel_force_half_pass": parallel("half_pass", elements),
        "half_pass_net_force": imbalance("half_pass", _FINEST)[0],
    }


def expected(elements: int = 8, steps: int = 200) -> dict[str, Expected]:
    """Conservation up to round-off, Newton's tolerance and the order of the integrator."""
    round_off = 1e-12 * max(1.0, elements / 8)
    once = {"source": "closed form: penalty law times length, each pair counted once"}
    balance = {"kind": "consistency", "source": "action and reaction"}
    kept = {"kind": "consistency", "source": "conservation of momentum"}
    sums = "round-off of a sum over the contact points; relative to the force on one fiber"
    return {
        "parallel_force": Expected(1.0, 1e-11, "round-off", **once),
        "parallel_force_half_pass": Expected(1.0, 1e-11, "round-off", **once),
        "half_pass_net_force": Expected(
            half_pass_imbalance(),
            2e-4,
            f"contact quadrature on {_FINEST} elements, second order: 4e-5 measured",
            kind="independent",
            source="dense sampling of the two curves",
        ),
        "net_force": Expected(0.0, round_off, sums, **balance),
        "net_moment": Expected(0.0, round_off, sums, **balance),
        "momentum_drift": Expected(
            0.0, 1e-8, "Newton's tolerance, summed over the steps; relative", **kept
        ),
        "angular_momentum_drift": Expected(
            0.0,
            5e-6 * (200 / steps) ** 2,
            "extrapolated: second order in the step; relative to the angular momentum",
            **kept,
        ),
        "order_of_angular_momentum": Expected(
            1.0,
            0.1 * max(1.0, 200 / steps),
            "next term of the drift",
            kind="order",
            source="order of backward Euler",
        ),
    }


def study(fine: bool = False) -> dict:
    """Imbalance on several meshes and drifts with several steps, for both formulations."""
    meshes = (4, 8, 16, 32, 64) if fine else (4, 8, 16, 32)
    steps = (100, 200, 400, 800) if fine else (100, 200, 400)
    forces = [[n, *imbalance("half_pass", n), *imbalance("variational", n)] for n in meshes]
    drifts = []
    for n in steps:
        half, pair = collide("half_pass", 8, n), collide("variational", 8, n)
        sizes = [float(np.linalg.norm(x)) for x in (*half.values(), *pair.values())]
        drifts.append([n, *sizes])
    return {
        "tables": {
            "Resultant and moment of the contact forces, relative to the force on one fiber": {
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


def plot(numbers: dict):
    """Drifts over the number of steps."""
    from matplotlib.figure import Figure

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
