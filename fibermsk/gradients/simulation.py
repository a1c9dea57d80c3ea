"""A run as a value: a model with the settings of its integration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk.model import Model
from fibermsk.results import Result
from fibermsk.solvers import SDIRK2, AdaptiveSteps, FixedSteps, Newton, simulate
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.newton.stage import Method
from fibermsk.system import FiberSystem, build


@dataclass(frozen=True)
class Simulation:
    """A run that starts from the initial state of a model; see `simulate`.

    Parameters
    ----------
    model : Model
        The model.
    t_end : float
        End of the simulated time [s].
    dt : float
        Time between frames [s].
    method : Method, optional
        Implicit time integrator; default `SDIRK2()`.
    control : FixedSteps or AdaptiveSteps, optional
        Default: one fixed step per frame. The derivative of an adaptive run is that of the steps
        that it took: it leaves out how their lengths follow the parameters.
    newton : Newton, optional
        Nonlinear solver. Its default tolerance is 1e-10: the derivative is that of exact solutions.
    """

    model: Model
    t_end: float
    dt: float
    method: Method | None = None
    control: Any = None
    newton: Newton | None = None

    def __post_init__(self) -> None:
        _check.instance("Simulation", "model", self.model, Model, "a Model")
        for field in ("t_end", "dt"):
            _check.store(
                self, **{field: _check.positive("Simulation", field, getattr(self, field), "s")}
            )
        if self.method is not None:
            _check.method("Simulation", self.method)
        rules = (FixedSteps, AdaptiveSteps, type(None))
        _check.instance(
            "Simulation", "control", self.control, rules, "FixedSteps() or AdaptiveSteps()"
        )
        _check.instance("Simulation", "newton", self.newton, (Newton, type(None)), "a Newton()")
        if getattr(self.method, "compiled", False):
            must = "be an implicit method, such as SDIRK2()"
            _check.refuse("Simulation", "method", self.method, must)

    def system(self) -> FiberSystem:
        """Build the system."""
        return build(self.model)

    def run(
        self, system: FiberSystem | None = None, trajectory: Trajectory | None = None
    ) -> Result:
        """Simulate, optionally with a system that is built already."""
        return simulate(
            self.system() if system is None else system,
            t_end=self.t_end,
            dt=self.dt,
            method=SDIRK2() if self.method is None else self.method,
            control=FixedSteps() if self.control is None else self.control,
            newton=Newton(tolerance=1e-10) if self.newton is None else self.newton,
            time_error=False,
            trajectory=trajectory,
        )
