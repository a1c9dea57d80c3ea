"""A fiber slides with friction on a turning cylinder: the capstan equation.

A fiber of 0.2 m, radius 2 mm, shear modulus 1 MPa, prestress 40 kPa, no weight, initially
straight, is wrapped within 1 s around a cylinder (radius 20 mm, axis y) that turns with constant
speed; its ends move as in `wrap_cylinder`, and are then held. The fiber comes to rest, and the
cylinder slides under it.

In steady sliding the tensions of the two free parts have the ratio

    T_2 / T_1 = e^(mu' phi),  mu' = mu s / sqrt(s^2 + s_0^2),

with the angle phi by which the path turns, and the sliding speed s = omega d over the speed s_0 of
the regularization. The ratio does not depend on the radius: where the fiber is on a circle of
radius d about the axis, its line force is T / d, so that dT / T = mu' d(phi). The fiber presses,
and friction acts, at the distance d = R + r of its centerline: the moment on the cylinder is the
difference of the tensions times this distance, and friction dissipates this moment times omega.

On a circle that changes its radius d along the fiber, since the fiber becomes thinner with tension
and the contact is soft, it is the moment T d about the axis that grows by e^(mu' phi): the normal
force has none. The angle between the pulls at both ends is that by which the force along the fiber
turns. With both, the equation holds to second order in the slope of d; that of the tensions differs
by the ratio of the two d.

Tolerances: 1 % of the ratio of the tensions, half a percent of that of the moments with the angle
between the pulls (contact begins inside an element), 1 % of the moment, whose arm is d.
"""

from __future__ import annotations

import numpy as np

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.2  # m
RADIUS, CYLINDER = 2e-3, 2e-2  # m
MU, VISCOSITY, PRESTRESS = 1e6, 2e4, 4e4  # N/m^2, N s/m^2, N/m^2
STIFFNESS, LIMIT = 4e4, 4.0  # N/m, 1
PULL = 1.06
CONTACT = RADIUS + CYLINDER
OMEGA = 5.0  # rad/s, about -y: towards the right end
SPEED = 2e-3  # m/s, of the regularization
END = 2.0  # s; the ends move in the first half


def end(half_angle: float, part: float) -> np.ndarray:
    """Position of the right end after a part of its motion, as in `wrap_cylinder` [m]."""
    a = part * half_angle
    free = 0.5 * LENGTH * (1.0 + part * (PULL - 1.0)) - CONTACT * a
    return CONTACT * np.array([np.sin(a), np.cos(a)]) + free * np.array([np.cos(a), -np.sin(a)])


def solve(mu: float, angle: float, elements: int, formulation: str, steps: int):
    """System and result, with frames at rest at the end."""
    half = 0.5 * np.radians(angle)

    def motion(side: float):
        def at(t: float) -> tuple[float, float, float]:
            part = min(2.0 * t / END, 1.0)
            x, z = end(half, part * part * (3.0 - 2.0 * part))  # zero velocity at the end
            return side * float(x), 0.0, float(z)

        return fm.MovingPoint(at)

    model = fm.Model("capstan", gravity=(0.0, 0.0, 0.0))
    shape = fm.InfiniteCylinder((0, 0, 0), (0, 1, 0), CYLINDER)
    drum = model.add(fm.Body("drum", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3), shapes=shape))
    turn = fm.Coordinate("turn", prescribed=fm.Linear(OMEGA))
    hinge = fm.Hinge("hinge", model.ground, drum, (0, 0, 0), axis=(0, 1, 0), coordinate=turn)
    model.add(hinge)
    fiber = fm.Fiber(
        "fiber",
        attach=(motion(-1.0), motion(1.0)),
        radius=RADIUS,
        n_elements=elements,
        tissue=fm.Tissue(1000.0, fm.KelvinVoigt(MU, VISCOSITY), prestress=PRESTRESS),
    )
    model.add(fiber)
    law, friction = fm.PenaltyContact(STIFFNESS, LIMIT), fm.Friction(mu, SPEED)
    model.add(fm.Contact(fiber, drum, law, formulation=formulation, friction=friction))
    system = fm.build(model)
    once = {"method": fm.BackwardEuler(), "control": fm.FixedSteps()}
    return system, fm.simulate(system, t_end=END, dt=END / steps, **once)


def run(
    mu: float = 0.3,
    angle: float = 120.0,
    elements: int = 32,
    formulation: str = "variational",
    steps: int = 80,
) -> dict[str, float]:
    """Tensions of both free parts, moment on the cylinder, and dissipated power.

    Parameters
    ----------
    mu : float
        Friction coefficient; above 0, at most 0.6.
    angle : float
        Angle by which the path turns [degrees], 90 to 150.
    elements : int
        Finite elements of the fiber; 16 or more.
    formulation : str
        Of the contact: "variational" or "half_pass".
    steps : int
        Steps of 2 s; 40 or more.
    """
    if not 0.0 < mu <= 0.6 or not 90.0 <= angle <= 150.0 or elements < 16 or steps < 40:
        raise fm.ModelError(
            f"capstan: mu = {mu:g}, angle = {angle:g}, elements = {elements}, steps = {steps}; "
            "must be up to 0.6, 90 to 150 degrees, 16 or more and 40 or more"
        )
    _, result = solve(mu, angle, elements, formulation, steps)
    fiber = result.fibers["fiber"]
    pulls = np.stack([fiber.force_origin[-1], fiber.force_insertion[-1]])[:, [0, 2]]
    low, high = np.sort(np.linalg.norm(pulls, axis=1))
    turned = np.arccos(-(pulls[0] @ pulls[1]) / (low * high))
    ends = fiber.position[-1, [0, -1]][:, [0, 2]]
    # about y, of the pulls on the holders: their sum is the moment that the cylinder receives
    moments = ends[:, 1] * pulls[:, 0] - ends[:, 0] * pulls[:, 1]
    moment, arms = abs(float(moments.sum())), np.sort(np.abs(moments))
    slid, arm = mobilized(mu) * turned, CYLINDER + float(fiber.radius[-1].mean())
    return {
        "tension_ratio": float(high / low),
        "moment_ratio_over_exact": float(arms[1] / arms[0] / np.exp(slid)),
        "moment_over_difference": float(moment / ((high - low) * arm)),
        "power_over_moment": float(result.elements["friction"]["power"][-1] / (moment * OMEGA)),
        "still_m_per_s": still(result),
    }


def still(result) -> float:
    """Largest speed of a node between the last two frames [m/s]."""
    x, time = result.fibers["fiber"].position[-2:], result.time[-2:]
    return float(np.linalg.norm(x[1] - x[0], axis=1).max() / (time[1] - time[0]))


def mobilized(mu: float) -> float:
    """Friction coefficient at the sliding speed."""
    slid = OMEGA * CONTACT
    return mu * slid / np.hypot(slid, SPEED)


def expected(
    mu: float = 0.3,
    angle: float = 120.0,
    elements: int = 32,
    formulation: str = "variational",
    steps: int = 80,
) -> dict[str, Expected]:
    """The capstan equation."""
    ratio = float(np.exp(mobilized(mu) * np.radians(angle)))
    return {
        "tension_ratio": Expected(
            ratio,
            0.01 * ratio,
            "1 %: the fiber becomes thinner with tension, the contact is soft",
            source="Euler's rope, exp(mu phi)",
        ),
        "moment_ratio_over_exact": Expected(
            1.0, 0.005, "half a percent: contact begins inside an element", source="capstan"
        ),
        "moment_over_difference": Expected(
            1.0,
            0.01,
            "1 %: the arm is shorter by the overlap, and varies",
            kind="consistency",
            source="equilibrium",
        ),
        "power_over_moment": Expected(
            1.0,
            1e-3,
            "the fiber is at rest to a ten thousandth of the speed",
            kind="consistency",
            source="energy",
        ),
        "still_m_per_s": Expected(
            0.0,
            1e-4 * SPEED,
            "far below the regularization speed",
            kind="consistency",
            source="steady sliding",
            scale=SPEED,
        ),
    }


def study(fine: bool = False) -> dict:
    """Ratio of the tensions for several coefficients and angles.

    Parameters
    ----------
    fine : bool
        Three angles instead of two, and both formulations.
    """
    rows = []
    for formulation in ("variational", "half_pass")[: 2 if fine else 1]:
        for angle in (90.0, 120.0, 150.0) if fine else (90.0, 150.0):
            for mu in (0.1, 0.2, 0.3, 0.4, 0.5) if fine else (0.1, 0.3, 0.5):
                got = run(mu, angle, formulation=formulation)
                exact = expected(mu, angle)["tension_ratio"].value
                error = got["tension_ratio"] / exact - 1.0
                moments = got["moment_ratio_over_exact"] - 1.0
                rows.append([formulation, angle, mu, got["tension_ratio"], exact, error, moments])
    columns = ["formulation", "angle [degrees]", "mu", "ratio of the tensions", "e^(mu' phi)"]
    columns += ["relative difference", "of the moments with the angle between the pulls"]
    return {"tables": {"Capstan": {"columns": columns, "rows": rows}}}


def plot(numbers: dict):
    """Ratio of the tensions over the product of coefficient and angle."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.8), layout="constrained")
    axes = figure.subplots()
    x = np.linspace(0.0, 1.4, 100)
    axes.semilogy(x, np.exp(x), color="0.6", lw=3, label="capstan equation")
    rows = numbers["tables"]["Capstan"]["rows"]
    for angle in sorted({row[1] for row in rows}):
        own = [(mobilized(row[2]) * np.radians(angle), row[3]) for row in rows if row[1] == angle]
        axes.plot(*np.transpose(own), ".", label=f"{angle:g} degrees")
    axes.set(xlabel="mu' phi [-]", ylabel="ratio of the tensions [-]")
    axes.legend()
    return figure
