"""Fiber-fiber contact: a loaded fiber rests on a stiffer one that crosses it.

The upper fiber from (0, 0, 0) to (1, 0, 0) m, mu = 1e7 N/m^2, carries 5000 N per metre of reference
length in +z, towards the lower fiber from (0.4321, -0.3, 0.15) to (0.863, 0.4, 0.15) m, mu = 2e8
N/m^2. Both have radius 0.05 m and sigma_0 = 10 N/m^2 and are pinned at their ends; static, without
weight; penalty kappa = 1000 N/m, gamma = 2, with the line force on each fiber integrated over its
own centerline (the paper's two half passes). Gfrerer and Simeon (2021), section 5.3 and table 3,
with mu in N/mm^2 as in section 5.2. The quantity is the z of the upper fiber's middle.

The answer: the equilibrium of each fiber is a boundary-value problem of six ordinary differential
equations in which the other fiber is a given curve. scipy's collocation solves both in turn until
the result is constant (each iteration reduces its change by a factor of 40). No code is shared with
the package, including the closest-point search.

The tolerance: the error of the cubic elements is at most 0.03 m / elements^4 (measured with 12
points: 0.028 at 5 elements, 0.020 at 4, 0.017 at 8, 0.007 at 16, 0.003 at 64). The penalty law has
a kink where contact begins, so that the error of the Gauss points decreases only with the square of
their spacing, at most 0.04 m / (elements * quadrature)^2 (measured: 0.030; 1 to 128 elements with 1
to 12 points were run). With the paper's 5 points the quadrature error dominates from 16 elements on
and decreases irregularly; with 12 points the error decreases with the fourth power of the element
length up to 64 elements.
"""

from functools import cache, partial

import numpy as np
from _cable_equations import penalty, solve_cable, stretch_of
from scipy.interpolate import CubicHermiteSpline

import fibermsk as fm
from fibermsk.verify import Expected

RADIUS, PRESTRESS, STIFFNESS, LIMIT = 0.05, 10.0, 1000.0, 2.0
UPPER = {"ends": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), "mu": 1.0e7, "load": (0.0, 0.0, 5000.0)}
LOWER = {
    "ends": ((0.4321, -0.3, 0.15), (0.863, 0.4, 0.15)),
    "mu": 2.0e8,
    "load": (0.0, 0.0, 0.0),
}

MOST = 0.05
"""Largest tolerance relative to the answer: coarser settings do not pass."""


def model(elements, quadrature):
    """Two crossing fibers."""
    model = fm.Model("fiber_contact", gravity=(0.0, 0.0, 0.0))
    fibers = []
    for name, data in (("upper", UPPER), ("lower", LOWER)):
        tissue = fm.Tissue(
            density=1000.0, muscle=fm.KelvinVoigt(data["mu"], 0.0), prestress=PRESTRESS
        )
        ends = tuple(model.ground.at(end) for end in data["ends"])
        fibers.append(
            fm.Fiber(
                name,
                attach=ends,
                radius=RADIUS,
                n_elements=elements,
                tissue=tissue,
                line_load=data["load"],
            )
        )
    model.add(*fibers)
    law = fm.PenaltyContact(STIFFNESS, LIMIT)
    contact = fm.Contact(
        *fibers, law, points_per_element=quadrature, formulation="half_pass", refine=False
    )
    model.add(contact)
    return model


def fibers(elements, quadrature):
    """Both fibers in equilibrium: name -> (theta -> points (n, 3))."""
    system = fm.build(model(elements, quadrature))
    rest = fm.equilibrium(system)
    # the first frame is the initial state
    result = fm.simulate(
        system, rest, t_end=1e-3, dt=1e-3, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    return {name: partial(fiber.centerline, frame=0) for name, fiber in result.fibers.items()}


def run(elements: int = 16, quadrature: int = 5) -> dict[str, float]:
    """z of the upper fiber's middle [m].

    Parameters
    ----------
    elements : int
        Finite elements of each fiber.
    quadrature : int
        Contact points per element.
    """
    upper = fibers(elements, quadrature)["upper"]
    return {"mid_displacement": float(upper(np.array([0.5]))[0, 2])}


class Curve:
    """A solved fiber as the partner of the other: closest points and the stretch there."""

    def __init__(self, s, state, stretch):
        force = np.linalg.norm(state[3:], axis=0)
        lam = stretch(force)
        self.end = s[-1]
        self.point = CubicHermiteSpline(s, state[:3].T, (lam * state[3:] / force).T)
        self.slope, self.bend = self.point.derivative(), self.point.derivative(2)
        self.stretch = CubicHermiteSpline(s, lam, np.gradient(lam, s))
        self.seeds = s[::10]

    def closest(self, x):
        """Closest points (3, n) of points x (3, n), and the stretch (n,) there."""
        apart = self.point(self.seeds)[None] - x.T[:, None]
        s = self.seeds[np.argmin((apart**2).sum(axis=2), axis=1)]
        for _ in range(30):
            r, d = self.point(s) - x.T, self.slope(s)
            change = (r * d).sum(axis=1) / ((d * d).sum(axis=1) + (r * self.bend(s)).sum(axis=1))
            new = np.clip(s - change, 0.0, self.end)
            done = np.abs(new - s).max() < 1e-14
            s = new
            if done:
                break
        return self.point(s).T, self.stretch(s)


@cache
def exact():
    """Solve both fibers in turn: z of the upper one's middle [m], and number of iterations."""
    samples = 2001
    stretches = [
        partial(stretch_of, area=np.pi * RADIUS**2, mu=data["mu"], prestress=PRESTRESS)
        for data in (UPPER, LOWER)
    ]

    def line_force(s, x, stretch, load, other, end):
        y, stretch_there = other.closest(x)
        away = x - y
        distance = np.linalg.norm(away, axis=0)
        gap = distance / (RADIUS / np.sqrt(stretch) + RADIUS / np.sqrt(stretch_there)) - 1.0
        force = penalty(gap, STIFFNESS, LIMIT, end) * stretch * away / distance
        return np.asarray(load)[:, None] + force

    # initial guess: the upper fiber sags by 0.1 m, the lower one is straight
    s = np.linspace(0.0, 1.0, 201)
    zero = np.zeros_like(s)
    sag = np.stack([s, zero, 0.4 * s * (1.0 - s), zero + 6250.0, zero, 5000.0 * (0.5 - s)])
    first, last = map(np.asarray, LOWER["ends"])
    along = last - first
    length = np.linalg.norm(along)
    straight = np.vstack(
        [first[:, None] + along[:, None] * s, np.outer(along / length, zero + 3000.0)]
    )
    guesses = [(s, sag), (length * s, straight)]
    fine = np.linspace(0.0, 1.0, samples)
    line = np.vstack([first[:, None] + along[:, None] * fine, np.outer(along, 0.0 * fine + 1e-3)])
    curves = [None, Curve(length * fine, line, stretches[1])]
    middle, before = np.inf, 0.0
    turn = 0
    while abs(middle - before) > 1e-10:
        before = middle
        # at first the penalty is softened at deep penetration: the guess penetrates too far
        end, tolerance = ((-0.4, 1e-3), (-0.45, 1e-3), (-0.49, 1e-4))[min(turn, 2)]
        for i, data in enumerate((UPPER, LOWER)):
            force = partial(line_force, load=data["load"], other=curves[1 - i], end=end)
            solution = solve_cable(data["ends"], guesses[i], stretches[i], force, tolerance)
            guesses[i] = solution.x, solution.y
            s = np.linspace(0.0, solution.x[-1], samples)
            curves[i] = Curve(s, solution.sol(s), stretches[i])
        middle = float(curves[0].point(0.5)[2])
        turn += 1
        if turn > 40:
            raise ArithmeticError("the reference solution failed: no convergence in 40 iterations")
    return middle, turn


def expected(elements: int = 16, quadrature: int = 5) -> dict[str, Expected]:
    """Answer for the same parameters."""
    tolerance = 0.03 / elements**4 + 0.04 / (elements * quadrature) ** 2 + 2e-9
    why = (
        "0.03 m / elements^4 for the cubic elements + 0.04 m / (elements * quadrature)^2 for the "
        "contact quadrature + 2e-9 m for the collocation"
    )
    return {
        "mid_displacement": Expected(
            exact()[0],
            min(tolerance, MOST * exact()[0]),
            why,
            kind="independent",
            source="boundary-value problems of both fibers in turn by scipy's collocation",
        )
    }


def study(fine: bool = False) -> dict:
    """Convergence of the middle over elements (Fig. 7), and its rate."""
    meshes = (4, 8, 16, 32, 64, 128) if fine else (4, 8, 16, 32)
    answer = exact()[0]
    errors = {
        quadrature: [abs(run(n, quadrature)["mid_displacement"] - answer) for n in meshes]
        for quadrature in (5, 12)
    }
    steps = np.diff(np.log(meshes))
    orders = {q: ["", *np.round(-np.diff(np.log(e)) / steps, 2)] for q, e in errors.items()}
    mean = {q: np.log(e[0] / e[-1]) / np.log(meshes[-1] / meshes[0]) for q, e in errors.items()}
    rows = [
        [n, f"{errors[5][i]:.3g}", str(orders[5][i]), f"{errors[12][i]:.3g}", str(orders[12][i])]
        for i, n in enumerate(meshes)
    ]
    columns = ["elements", "error, 5 points [m]", "order", "error, 12 points [m]", "order"]
    shapes = fibers(32, 5)
    theta = np.linspace(0.0, 1.0, 101)
    return {
        "tables": {"Error of the middle (Fig. 7)": {"columns": columns, "rows": rows}},
        "notes": [
            f"From {meshes[0]} to {meshes[-1]} elements the error falls with the power "
            f"{mean[5]:.1f} of the element length with 5 contact points per element and "
            f"{mean[12]:.1f} with 12; the exact middle is at z = {answer:.10f} m."
        ],
        "meshes": meshes,
        "errors": errors,
        "shapes": {name: curve(theta) for name, curve in shapes.items()},
    }


def plot(numbers: dict):
    """Figs. 6 and 7: the fibers before and after loading, and the convergence."""
    from _pictures import COLORS, draw_tube, finish, finish_space, new_figure

    figure = new_figure(15.0, 4.5)
    figure.get_layout_engine().set(wspace=0.15)
    start = {
        name: np.linspace(*map(np.asarray, data["ends"]), 41)
        for name, data in (("upper", UPPER), ("lower", LOWER))
    }
    box = (0.0, -0.35, -0.1), (1.0, 0.45, 0.25)
    for index, (title, shapes) in enumerate(
        (("Start (Fig. 6a)", start), ("Loaded (Fig. 6b)", numbers["shapes"])), start=1
    ):
        axes = figure.add_subplot(1, 3, index, projection="3d", elev=-20, azim=-65)
        for points, color in zip(shapes.values(), COLORS, strict=False):
            draw_tube(axes, points, RADIUS, color)
        finish_space(axes, title, box)
        axes.invert_zaxis()  # as in the paper, where z points down
    axes = figure.add_subplot(1, 3, 3)
    n = np.array(numbers["meshes"], float)
    for (quadrature, errors), color in zip(numbers["errors"].items(), COLORS, strict=False):
        axes.loglog(n, errors, "o-", color=color, label=f"{quadrature} points")
    axes.loglog(n, numbers["errors"][12][0] * (n[0] / n) ** 4, "k:", label="fourth order")
    finish(axes, "Error of the middle (Fig. 7)", "elements per fiber [-]", "error [m]")
    return figure
