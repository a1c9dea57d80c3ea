"""A run as a value: a model with the settings of its integration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk._shown import Described
from fibermsk.model import Model, Scene
from fibermsk.results import Progress, Result
from fibermsk.solvers import (
    METHODS,
    SDIRK2,
    AdaptiveSteps,
    FixedSteps,
    Newton,
    equilibrium,
    simulate,
)
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.newton.stage import Method
from fibermsk.system import FiberSystem, build


@dataclass(frozen=True, repr=False)
class Simulation(Described):
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
    start : {"initial", "equilibrium"}
        The initial state of the model, or the static equilibrium that `equilibrium` finds from it;
        it follows the parameters by the implicit function theorem. With other parameters a closed
        mechanism starts closed, next to its initial state.
    """

    model: Model
    t_end: float
    dt: float
    method: Method | None = None
    control: Any = None
    newton: Newton | None = None
    start: str = "initial"

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
        _check.choice("Simulation", "start", self.start, ("initial", "equilibrium"))
        if getattr(self.method, "compiled", False):
            must = "be an implicit method, such as SDIRK2()"
            _check.refuse("Simulation", "method", self.method, must)

    @classmethod
    def of_scene(cls, scene: Scene, *, method: str | Method | None = None) -> Simulation:
        """Run of a scene, with its steps and start, and its method unless another is given.

        Raises
        ------
        ModelError
            If the scene has observers, whose effect has no derivative, or the method is refused.
        """
        owner = "Simulation"
        _check.instance(owner, "scene", scene, Scene, "a Scene")
        chosen: Any = scene.method if method is None else method
        if isinstance(chosen, str):
            chosen = METHODS[_check.choice(owner, "method", chosen, METHODS)]
        if scene.observers:
            must = "be left out: how they change a run has no derivative"
            _check.refuse(owner, "observers", len(scene.observers), must)
        control: Any = FixedSteps()
        if scene.tolerance:
            control = AdaptiveSteps(
                scene.tolerance, angular_speed=scene.rate_tolerance, landing=True
            )
        dt = scene.duration / scene.steps
        return cls(scene.model, scene.duration, dt, chosen, control, start=scene.start)

    def system(self) -> FiberSystem:
        """Build the system."""
        return build(self.model)

    def run(
        self,
        system: FiberSystem | None = None,
        trajectory: Trajectory | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Result:
        """Simulate, optionally with a system that is built already."""
        system = self.system() if system is None else system
        newton = Newton(tolerance=1e-10) if self.newton is None else self.newton
        start: Any = None
        if system.model is not self.model:
            # other parameters may open a closed mechanism
            start = system.project(0.0, *system.initial_state())
        if self.start == "equilibrium":
            start = equilibrium(system, start, newton=newton, progress=progress)
        return simulate(
            system,
            start,
            t_end=self.t_end,
            dt=self.dt,
            method=SDIRK2() if self.method is None else self.method,
            control=FixedSteps() if self.control is None else self.control,
            newton=newton,
            time_error=False,
            trajectory=trajectory,
            progress=progress,
        )
