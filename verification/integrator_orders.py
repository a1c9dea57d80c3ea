"""Order in time of every integrator on coupled fibers and bodies, with its reported forces.

Backward Euler has order 1; BDF2, SDIRK2 and generalized-alpha (rho 0, 0.8 and 1) have order 2: on
systems that couple fibers to bodies or to prescribed motions, at equal steps and at steps that
alternate in the ratio 1 : 1.6, in positions, velocities and reported pulls alike. The error is the
root mean square over eight frames (four with the limb) and over the entries; the order is the
base-2 logarithm of its ratio from `steps` to 2 `steps` steps. A result is the lowest order among
the quantities and the two kinds of steps. Every attached end must follow its body in position and
velocity, at every step, to round-off.

- pendulum: the rod of pendulum_on_fiber.py for 0.25 s, on four elements with an active stress of
  300 kPa. It starts from its static equilibrium and is moved by the activation 0.1 sin^2(2 pi t), t
  in s: the weight does not jump, and the motion is smooth. Angle, speed and pull on the rod against
  scipy's Radau IIA at 1e-10 on the same elements, with the attached ends eliminated by hand; it
  shares the forces with the package, but no time stepping.
- heavy: the same rod on a fiber of 50000 kg/m^3, three elements, for 0.2 s. The mass at the
  attached node is a tenth of the rod's, so that a wrong acceleration of the end shows. The motion
  is exact, an angle of 0.2 + 0.3 sin 8t and a wave of 0.01 m sin 10t across the fiber: the load is
  what it leaves of the discrete balance. Angle, nodes, their speeds, pulls.
- driven: the manufactured solution of manufactured_solution.py (viscous, active, both ends moving
  as prescribed, load over time) from 0.5 to 0.625 s on three elements. The nodes move as in the
  exact solution of the continuous problem and the load is again what that leaves of the discrete
  balance: there is no error in space. Nodes, their speeds, pulls.
- limb: scenes/upper_limb.py with eight elements for 0.05 s from rest with straight fibers; its
  first contact closes at 0.053 s. Elbow angle and node positions, against Richardson extrapolation
  of SDIRK2 from 8 and 16 times the steps; the tests confirm it with BDF2. The fine study also
  starts from the static equilibrium, where four contacts are closed until 0.062 s.

The tolerance: an error C h^p (1 + k h + ...) gives the order p + k h / (2 ln 2), which nears p as 1
/ steps. Measured from 64 to 128 steps, orders are at most 0.08 too low (limb, nodes), hence 6.4 /
steps; 0.1 for SDIRK2's pulls on the driven fiber, hence 9.6 / steps. BDF2 starts with a step of
SDIRK2 and is then so exact on the driven fiber that the start's third order shows: 2.2 there, 2.06
with 512 steps; hence 16 / steps. Generalized-alpha with rho 1 does not damp the viscous axial
modes, which uneven steps excite until h resolves them: on the pendulum the order of its pulls falls
to 1.75 from 128 to 256 steps, with errors below those of equal steps, and is 1.96 with 2048; hence
at least 0.27. With more than 256 steps the references and Newton's tolerance would show.

Resolve the fastest waves of the fibers before looking for orders in the limb: the node positions
have order 1.8 as long as h omega is above 1 (from equilibrium, BDF2, h = 0.2 ms), and 2.00 below
(tests). The elbow angle does not feel them.
"""

import numpy as np
from _order_cases import case
from _stepping import METHODS, march, rms_error

import fibermsk as fm
from fibermsk.verify import Expected

CASES = ("pendulum", "heavy", "driven", "limb")
MOST_STEPS = 256
"""Finer ladders would come near the errors of the references and of Newton's method."""


class Ladder:
    """Errors of one method on one case over numbers of steps, equal and uneven.

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
    """Refuse numbers of steps without meaning."""
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
    """Orders of the theory."""
    check(steps)
    answers = {}
    for name in CASES:
        for method, integrator in METHODS.items():
            key = f"{name}_{method}"
            near = {"driven_sdirk2": 9.6, "driven_bdf2": 16.0}.get(key, 6.4) / steps
            if key == "pendulum_alpha_1":
                near = max(near, 0.27)
            why = "order of the method; next term of the error, as measured"
            answers[key] = Expected(
                integrator.order, near, why, kind="order", source="order of the method"
            )
        answers[f"{name}_drift"] = Expected(
            0.0,
            1e-14,
            "round-off [m and m/s]",
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
    """Error of the first quantity of each case over the number of steps, equal steps."""
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
