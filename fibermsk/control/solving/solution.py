"""What optimal control finds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.control.plant import Plant
from fibermsk.control.solving.guess import Guess
from fibermsk.control.solving.solver import Warm
from fibermsk.results import Result
from fibermsk.results.columns import Column


@dataclass(frozen=True, eq=False)
class Resimulation:
    """How the model moves with the controls that were found.

    Attributes
    ----------
    discrete : float
        Largest difference of a coordinate between the solution and the discrete equations solved
        forward from its start [rad or m].
    coordinate, speed : float
        Largest differences of coordinates and of their rates between the solution and a run of
        `fibermsk.simulate` [rad or m, rad/s or m/s]. They fall with the square of the steps.
    """

    discrete: float
    coordinate: float
    speed: float


@dataclass(frozen=True, eq=False)
class ControlSolution:
    """A motion with its controls.

    Attributes
    ----------
    status, message : str
        "success", "interrupted" or "failed", and what the solver says.
    time : (n + 1,) float array
        Nodes [s].
    coordinates, speeds : dict of (n + 1,) float array
        By coordinate [rad or m], and their rates at the nodes.
    controls : dict of (n,) float array
        Excitations, and torques [N m or N], of each interval, by name.
    activations, fiber_lengths, lengths : dict of (n + 1,) float array
        Of the muscles at the nodes, where they are states; [-], [m], and lengths of paths [m].
    forces : dict of (n,) float array
        Tendon force of each interval [N].
    duration : float
        [s]
    objective : float
        Value of the objective; `terms` has its unweighted terms by name.
    terms : dict of float
        Terms.
    iterations : int
        Iterations of the solver; `history` has objective, violation and dual infeasibility of each.
    stationarity, violation : float
        Largest component of the gradient of the Lagrangian, and largest violation of an equation.
    multipliers : dict of (k,) float array
        Of the equations, by name and in order of time; and of what is given at an end, such as
        "elbow at the end": minus the derivative of the optimum in it.
    build_seconds, solve_seconds : float
        Wall times [s].
    entries : (int, int)
        Entries of Jacobian and Hessian.
    pattern : (2, n_entries) int array
        Rows and columns of the entries of the Jacobian.
    resimulation : Resimulation
        Differences to forward runs.
    result : Result
        The run of `fibermsk.simulate` with these controls, with a frame at each node.
    remarks : tuple of str
        What is not as it seems; printed, and in the summary.
    optima : tuple of (float, str)
        Objective and status of all starts, the best first.
    """

    status: str
    message: str
    time: Array
    coordinates: dict[str, Array]
    speeds: dict[str, Array]
    controls: dict[str, Array]
    activations: dict[str, Array]
    fiber_lengths: dict[str, Array]
    lengths: dict[str, Array]
    forces: dict[str, Array]
    duration: float
    objective: float
    terms: dict[str, float]
    iterations: int
    history: Array
    stationarity: float
    violation: float
    multipliers: dict[str, Array]
    build_seconds: float
    solve_seconds: float
    entries: tuple[int, int]
    pattern: Index
    resimulation: Resimulation
    result: Result
    guess: Guess = field(repr=False)
    warm: Warm = field(repr=False)
    remarks: tuple[str, ...] = ()
    optima: tuple[tuple[float, str], ...] = ()

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers for ``fibermsk run --json``."""
        own = self.resimulation
        return {
            "objective": self.objective, "terms": self.terms, "duration": self.duration,
            "iterations": self.iterations, "kkt": self.stationarity, "violation": self.violation,
            "build_seconds": self.build_seconds, "solve_seconds": self.solve_seconds,
            "jacobian_entries": self.entries[0], "hessian_entries": self.entries[1],
            "resimulation": {
                "discrete": own.discrete, "coordinate": own.coordinate, "speed": own.speed,
            },
            "optima": [list(one) for one in self.optima], "warnings": list(self.remarks),
        }  # fmt: skip

    def __repr__(self) -> str:
        own = self.resimulation
        return (
            f"ControlSolution({self.status}: objective {self.objective:.6g} after "
            f"{self.iterations} iterations, {self.time.size - 1} steps over {self.duration:g} s; "
            f"simulated again: {own.coordinate:.2g} off)"
        )


def as_result(solution: ControlSolution, plant: Plant) -> Result:
    """The run with the controls that were found, with the solution in its tables."""
    result = solution.result
    units = {name: result.unit_of(name) for name in result.coordinates}
    torques = {
        label: "N" if units.get(one.name) == "m" else "N m"
        for one in plant.drives for label in one.labels
    }  # fmt: skip
    optimum = {"time": Column(solution.time, "s")}
    optimum |= {name: Column(one, units[name]) for name, one in solution.coordinates.items()}
    for what, unit, values in (
        ("activation", "", solution.activations), ("fiber_length", "m", solution.fiber_lengths),
        ("length", "m", solution.lengths),
    ):  # fmt: skip
        optimum |= {f"{name}/{what}": Column(one, unit) for name, one in values.items()}
    control = {name: Column(one, torques.get(name, "")) for name, one in solution.controls.items()}
    forces = {f"{name}/tendon_force": Column(one, "N") for name, one in solution.forces.items()}
    names = "objective", "violation", "dual_infeasibility"
    trail = zip(names, solution.history.T, strict=True) if solution.history.size else ()
    complete = solution.status == "success" and result.is_complete
    message = "" if complete else f"{solution.message}; {result.message}".removesuffix("; ")
    return replace(
        result,
        status=result.status if solution.status == "success" else solution.status,
        message=message,
        stats=result.stats | {"control": solution.summary},
        tables={
            "control": control | forces,
            "optimum": optimum,
            "multipliers": {name: Column(one) for name, one in solution.multipliers.items()},
            "convergence": {name: Column(one.copy()) for name, one in trail},
            "sparsity": {
                name: Column(one.astype(float))
                for name, one in zip(("row", "column"), solution.pattern, strict=True)
            },
        },
    )


def by_name(labels: list[str], values: Array) -> dict[str, Array]:
    """Values by label, in order."""
    found: dict[str, list[float]] = {}
    for label, value in zip(labels, values.tolist(), strict=True):
        found.setdefault(label, []).append(value)
    return {name: np.array(one) for name, one in found.items()}
