"""Every integrator has its order in time on coupled fibers and bodies, also in the reported forces.

Backward Euler has order 1; BDF2, SDIRK2 and generalized-alpha (rho 0, 0.8 and 1) have order 2. This
is measured on systems that couple fibers to bodies or to prescribed motions, with equal steps and
with steps that alternate in the ratio 1 : 1.6, for positions, velocities and reported pulls. The
error is the root mean square over eight frames (four for the limb) and over the entries; the order
is the base-2 logarithm of its ratio from `steps` to 2 `steps` steps. A result is the lowest order
of all quantities and both kinds of steps. Every attached end must follow its body in position and
velocity, in every step, to round-off.

- pendulum: the rod of pendulum_on_fiber.py for 0.25 s, on four elements with an active stress of
  300 kPa. It starts from static equilibrium and is moved by the activation 0.1 sin^2(2 pi t), t in
  s: no load begins suddenly, and the motion is smooth. Angle, speed and pull on the rod are
  compared with scipy's Radau IIA with the tolerance 1e-10 on the same elements, with the attached
  ends eliminated in separate code. This reference uses the forces of the package, but not its time
  integration.
- heavy: the same rod on a fiber of 50000 kg/m^3, three elements, for 0.2 s. The mass at the
  attached node is a tenth of the rod's, so that a wrong acceleration of the end causes a visible
  error. The exact motion is prescribed, an angle of 0.2 + 0.3 sin 8t and a wave of 0.01 m sin 10t
  across the fiber: the load is the residual of the discrete equations for this motion. Compared:
  angle, nodes, their speeds, pulls.
- driven: the manufactured solution of manufactured_solution.py (viscous, active, prescribed motion
  of both ends, load over time) from 0.5 to 0.625 s on three elements. The nodes move as in the
  exact solution of the continuous problem, and the load is again the residual of the discrete
  equations: there is no error in space. Compared: nodes, their speeds, pulls.
- limb: scenes/upper_limb.py with eight elements for 0.05 s from rest with straight fibers; its
  first contact closes at 0.053 s. Elbow angle and node positions are compared with the Richardson
  extrapolation of SDIRK2 from 8 and 16 times the steps; the tests confirm this reference with BDF2.
  The fine study also starts from static equilibrium, where four contacts are closed until 0.062 s.

The tolerance: an error C h^p (1 + k h + ...) gives the measured order p + k h / (2 ln 2), whose
difference from p is proportional to 1 / steps. From 64 to 128 steps the orders are at most 0.08 too
low (limb, nodes), hence the tolerance 6.4 / steps; 0.1 too low for the pulls of SDIRK2 on the
driven fiber, hence 9.6 / steps. BDF2 starts with a step of SDIRK2, and its later errors on the
driven fiber are so small that the third order of the start is visible: 2.2 there, 2.06 with 512
steps; hence 16 / steps. Generalized-alpha with rho 1 does not damp the viscous axial modes, which
uneven steps excite until h resolves them: on the pendulum the order of its pulls decreases to 1.75
from 128 to 256 steps, with smaller errors than equal steps, and is 1.96 with 2048; hence at least
0.27. With more than 256 steps the errors of the references and of Newton's method are not
negligible.

Resolve the fastest waves of the fibers before you measure orders of the limb: the node positions
have order 1.8 as long as h omega is above 1 (from equilibrium, BDF2, h = 0.2 ms), and 2.00 below
(tests). These waves do not affect the elbow angle.
"""

import numpy as np
from _order_cases import case
from _stepping import METHODS, march, rms_error

import fibermsk as fm
from fibermsk.verify import Expected

CASES = ("pendulum", "heavy", "driven", "limb")
MOST_STEPS = 256
"""With more steps the errors of the references and of Newton's method are not negligible."""


class Ladder:
    """Errors of one method on one case for several numbers of steps, equal and uneven.

    Attributes
    ----------
    errors : dict
        (quantity, uneven) -> errors, one for each number of steps.
    drift : float
        Largest violation of the constraints in any step.
    """

    def __init__(self, name: str, method: str, counts) -> None:
        problem = case(name, counts[-1] // 2)
        self.order, self.errors, self.drift = METHODS[method].order, {}, 0.0
        for uneven in (False, True):
            for steps in counts:
                run = march(
                    problem.system,
                    METHODS[method],
                    problem.start,
                    problem.exact[-1].t,
                    steps,
                    frames=len(problem.exact),
                    uneven=uneven,
                    drift=problem.drift,
                )
                self.drift = max(self.drift, run.drift)
                for quantity, value in problem.quantities.items():
                    error = rms_error(run.frames, problem.exact, value)
                    self.errors.setdefault((quantity, uneven), []).append(error)

    def orders(self):
        """(quantity, uneven) -> orders at each doubling of the steps."""
        return {
            key: np.log2(np.divide(found[:-1], found[1:])) for key, found in self.errors.items()
        }

    def lowest(self) -> float:
        """Lowest order of the last doubling."""
        return float(min(found[-1] for found in self.orders().values()))


def check(steps: int) -> None:
    """Refuse numbers of steps that are out of range."""
    if not 16 <= steps <= MOST_STEPS or steps % 16:
        raise fm.ModelError(
            f"integrator_orders: steps = {steps}; must be a multiple of 16 up to {MOST_STEPS}"
        )


def run(steps: int = 64) -> dict[str, float]:
    """Measured orders, and violations of the constraints.

    Parameters
    ----------
    steps : int
        The coarser number of steps: a multiple of 16, at most 256.
    """
    check(steps)
    values = {}
    for name in CASES:
        drift = 0.0
        for method in METHODS:
            ladder = Ladder(name, method, (steps, 2 * steps))
            values[f"{name}_{method}"] = ladder.lowest()
            drift = max(drift, ladder.drift)
        values[f"{name}_drift"] = drift
    return values


def expected(steps: int = 64) -> dict[str, Expected]:
    """Orders of the methods."""
    check(steps)
    answers = {}
    for name in CASES:
        for method, integrator in METHODS.items():
            key = f"{name}_{method}"
            near = {"driven_sdirk2": 9.6, "driven_bdf2": 16.0}.get(key, 6.4) / steps
            if key == "pendulum_alpha_1":
                near = max(near, 0.27)
            why = "next term of the error, measured"
            answers[key] = Expected(
                integrator.order, near, why, kind="order", source="order of the method"
            )
        answers[f"{name}_drift"] = Expected(
            0.0,
            1e-14,
            "round-off [m and m/s]",
            kind="consistency",
            source="ends follow their bodies by construction",
        )
    return answers


def study(fine: bool = False) -> dict:
    """All orders and errors.

    Parameters
    ----------
    fine : bool
        Four numbers of steps instead of three, and the limb from its equilibrium.
    """
    counts = (32, 64, 128, 256) if fine else (32, 64, 128)
    names = (*CASES, "limb_equilibrium") if fine else CASES
    tables, ladders = {}, {}
    for name in names:
        rows = []
        for method in METHODS:
            ladder = ladders[name, method] = Ladder(name, method, counts)
            for (quantity, uneven), found in ladder.orders().items():
                error = ladder.errors[quantity, uneven]
                kind = "uneven" if uneven else "equal"
                rows.append(
                    [method, quantity, kind, f"{error[-1]:.3g}", *(f"{x:.3f}" for x in found)]
                )
        doublings = [f"{a} to {b}" for a, b in zip(counts, counts[1:], strict=False)]
        tables[f"Orders, {name}"] = {
            "columns": ["method", "quantity", "steps", f"error at {counts[-1]}", *doublings],
            "rows": rows,
        }
    return {"tables": tables, "counts": counts, "names": names, "ladders": ladders}


def plot(numbers: dict):
    """Error of the first quantity of each case against the number of equal steps."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(12.6, 7.6)
    counts = np.array(numbers["counts"], float)
    for i, name in enumerate(numbers["names"], start=1):
        axes = figure.add_subplot(2, 3, i)
        for method, color in zip(METHODS, COLORS, strict=False):
            (quantity, _), errors = next(iter(numbers["ladders"][name, method].errors.items()))
            axes.loglog(counts, errors, "o-", color=color, label=method, markersize=3.5)
        finish(axes, f"{name}: {quantity}", "steps", "error, root mean square")
    return figure
