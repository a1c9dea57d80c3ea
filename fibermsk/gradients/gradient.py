"""Gradients of objectives of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.gradients.apart import prepared
from fibermsk.gradients.changes.entries import Entry, moved, search_bounds, size_of, values_with
from fibermsk.gradients.linear_run import LinearRun
from fibermsk.gradients.objective import Objective
from fibermsk.gradients.simulation import Simulation
from fibermsk.results import Progress, Result
from fibermsk.system import FiberSystem


@dataclass(frozen=True, repr=False)
class RunGradient(Described):
    """Value of an objective and its derivatives.

    Attributes
    ----------
    value : float
        The objective.
    gradient : (n,) float array
        Its derivatives in the parameters, each over the parameter's unit.
    parameters : tuple of Entry
        The numbers: path, place in an array, value, unit and bounds.
    result : Result
        The run.
    run : LinearRun
        The run with its steps, for `vjp` and `jvp`.
    """

    value: float
    gradient: Array
    parameters: tuple[Entry, ...]
    result: Result
    run: LinearRun

    @property
    def by_name(self) -> dict[str, float]:
        """Derivatives by path."""
        names = [one.name for one in self.parameters]
        return dict(zip(names, self.gradient.tolist(), strict=True))

    def vjp(self, cotangents: Mapping[str, Array]) -> Array:
        """Derivatives (n,) in the parameters of a sum of cotangents times quantities, one sweep.

        By name of the quantity that the objective reads, in the shape that it has there; those
        left out are zero.
        """
        return self.run.vjp(cotangents)

    def jvp(self, direction: Array) -> dict[str, Array]:
        """Derivatives of the quantities along a direction (n,) of the parameters, one sweep ahead.

        A `ConvergenceError` names the step, the unknown and the parameters where they overflow.
        ``found.vjp(found.jvp(d))`` is the product of d with the Gauss-Newton matrix of the sum of
        half the squares of all quantities.
        """
        return self.run.jvp(direction)

    def jacobian(self, ways: Array | None = None) -> dict[str, Array]:
        """Derivatives (m, n_frames, ...) of the quantities along ways (m, n), a sweep for each.

        By name; by default in each parameter. For least squares.
        """
        return self.run.jacobian(ways)


def gradient(
    simulation: Simulation, objective: Objective, parameters: str | Iterable[str]
) -> RunGradient:
    """Differentiate an objective of a run in parameters of its model, by the discrete adjoint.

    One sweep back over the accepted steps, with one transposed solution per stage, gives the
    derivatives in all parameters; it is exact for the discrete run. What parameters change in the
    equations of a stage is a difference of single evaluations. Those inside of fibers and line
    muscles (tissue, law, forces and lengths of the muscle, activation) cost four or five
    evaluations of the muscles alone, for all muscles together, and knots of all signals one of
    these. Ends and radii of all fibers cost little more, and contact once per fiber. Masses,
    dampings, contacts and shapes cost as many evaluations of these parts, others of residuals.

    Parameters
    ----------
    simulation : Simulation
        The run.
    objective : Objective
        What is differentiated.
    parameters : str or several
        Paths or patterns, as in `with_parameters`: ``"biceps_*/tissue/muscle/shear_modulus"``. A
        rotation counts as three angles about its own axes.

    Returns
    -------
    found : RunGradient
        Value, derivatives and the run.

    Raises
    ------
    ModelError
        If an argument is refused; if the run has delays, exact wrapping with mass, contact points
        that were frozen, or steps that do not land on frames.
    ConvergenceError
        If the run fails, or a derivative is not finite.

    Notes
    -----
    wang2022, section 4.7, for implicit methods and any system. Contact is differentiated as the
    penalty that it is, with the contact points of each step: a continuous force, whose slope jumps
    where a point opens or closes. There the objective is continuous, and its gradient jumps.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    >>> bob = model.add(fm.Body("bob", 1.0, (0, -0.3, 0), (1e-3, 1e-3, 1e-3)))
    >>> hinge = model.add(fm.Hinge("swing", model.ground, bob, (0, 0, 0), (0, 0, 1), value=0.5))
    >>> run = fm.Simulation(model, t_end=0.2, dt=0.02)
    >>> end = fm.Objective(lambda time, q: q[-1], {"q": "swing"})
    >>> found = fm.gradient(run, end, ["swing/value", "bob/mass"])
    >>> [round(one, 3) for one in found.gradient.tolist()]
    [0.474, -0.003]
    """
    _check.instance("gradient", "simulation", simulation, Simulation, "a Simulation")
    _check.instance("gradient", "objective", objective, Objective, "an Objective")
    system, entries = prepared(simulation, parameters)
    return differentiated(simulation, system, objective, entries)


def differentiated(
    simulation: Simulation,
    system: FiberSystem,
    objective: Objective,
    entries: tuple[Entry, ...],
    progress: Callable[[Progress], None] | None = None,
) -> RunGradient:
    """RunGradient of a system's run in numbers of its model."""
    return _swept(LinearRun(simulation, system, objective, entries, progress), entries)


def _swept(run: LinearRun, entries: tuple[Entry, ...]) -> RunGradient:
    """Value of the objective of a run, and its gradient by a sweep back."""
    return RunGradient(run.value, run.vjp(run.slopes()), entries, run.result, run)


class GradientProblem:
    """Objective of a run as a function of parameters, with its gradient, for an optimizer.

    ``scipy.optimize.minimize(problem, problem.start, jac=True, bounds=problem.bounds)``.

    Parameters
    ----------
    simulation, objective, parameters
        As of `gradient`.
    scales : (n,) array_like, optional
        Sizes of the parameters; the unknowns are the parameters over these. By default the size of
        each; for those that are zero or nearly so one that is usual for their unit.

    Attributes
    ----------
    parameters : tuple of Entry
        The numbers, at the start.
    start, scales : (n,) float array
        Unknowns at the start, and their sizes.
    bounds : list of pairs of float
        Bounds of the unknowns; where an end is not allowed, a millionth of the size inside.
    runs : int
        Number of simulations so far.
    """

    def __init__(
        self,
        simulation: Simulation,
        objective: Objective,
        parameters: str | Iterable[str],
        scales: Array | None = None,
    ) -> None:
        owner = "GradientProblem"
        _check.instance(owner, "simulation", simulation, Simulation, "a Simulation")
        _check.instance(owner, "objective", objective, Objective, "an Objective")
        self._simulation, self._objective, self.runs = simulation, objective, 0
        self._system, self.parameters = prepared(simulation, parameters)
        values = np.array([one.value for one in self.parameters])
        if scales is None:
            scales = np.array([size_of(self._system, one) for one in self.parameters])
        self.scales = _check.array(owner, "scales", scales, values.shape)
        if not (self.scales > 0.0).all():
            _check.refuse(owner, "scales", self.scales, "be positive")
        self.start = values / self.scales
        self.bounds = []
        for one, scale in zip(self.parameters, self.scales, strict=True):
            low, high = search_bounds(self._system, one, size_of(self._system, one))
            self.bounds.append((low / scale, high / scale))

    def _with(self, unknowns: Array) -> tuple[FiberSystem, Array]:
        """System at some unknowns, and the parameters."""
        given = _check.array("GradientProblem", "unknowns", unknowns, self.scales.shape)
        new = given * self.scales
        values = values_with(self._system, self.parameters, new)
        self.runs += 1
        return self._system.with_parameters(values), new

    def linear_run(self, unknowns: Array) -> LinearRun:
        """Run at some unknowns (n,), with its steps, for `vjp` and `jvp`; no derivative yet.

        The function of the objective has no part in it.
        """
        return self._linear_run(unknowns)[0]

    def _linear_run(self, unknowns: Array) -> tuple[LinearRun, tuple[Entry, ...]]:
        """Run at some unknowns, and the parameters there."""
        system, new = self._with(unknowns)
        entries = moved(self.parameters, new)
        return LinearRun(self._simulation, system, self._objective, entries), entries

    def at(self, unknowns: Array) -> RunGradient:
        """Run, value and gradient, over the units of the parameters, at some unknowns (n,)."""
        return _swept(*self._linear_run(unknowns))

    def value(self, unknowns: Array) -> float:
        """The objective alone, at some unknowns (n,)."""
        system, _ = self._with(unknowns)
        return LinearRun(self._simulation, system, self._objective).value

    def __call__(self, unknowns: Array) -> tuple[float, Array]:
        """Value, and derivatives (n,) in the unknowns."""
        found = self.at(unknowns)
        return found.value, found.gradient * self.scales
