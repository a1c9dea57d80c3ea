"""A whole muscle in an experiment: one fiber in series with an elastic tendon."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, bounded, checked, number, part
from fibermsk._shown import Described
from fibermsk.backend import build
from fibermsk.errors import ModelError
from fibermsk.forces import PointSpring
from fibermsk.laws import (
    ActivationLaw,
    ActiveStress,
    GaussianForceLength,
    HillForceVelocity,
    HillStress,
    KelvinVoigt,
    PiecewiseActivation,
    Titin,
)
from fibermsk.model import ActivationDynamics, Body, Fiber, Model, MovingPoint, Slider, Tissue
from fibermsk.results import Result
from fibermsk.solvers import AdaptiveSteps, equilibrium, simulate

FIBER, SPRING, CONNECTION = "fiber", "tendon", "junction"
"""Names of fiber, tendon and the body between them in the model."""

_JUNCTION_MASS = 1e-3
"""Mass between fiber and tendon [kg]: moves by less than a micrometer under its inertia."""

Length = float | Callable[[float], float] | tuple[Sequence[float], Sequence[float]]
"""Length of a muscle [m]: a number, a function of time, or times [s] and lengths."""


class MuscleRun(NamedTuple):
    """What a simulated experiment on a muscle measures; arrays over time."""

    time: Array
    """(n,) [s]."""
    force: Array
    """Force on the tendon (n,) [N], positive if the muscle pulls."""
    length: Array
    """Length of muscle and tendon (n,) [m]."""
    stretch: Array
    """Fiber length over the optimal fiber length (n,) [-]."""
    activation: Array
    """(n,) [-]."""
    result: Result
    """The whole run."""


@dataclass(frozen=True, eq=False, repr=False)
class WholeMuscle(Described):
    """A muscle with tendon whose length is prescribed and whose force is measured.

    One fiber with the strength of the whole muscle, in series with a linear spring as its tendon.

    Parameters
    ----------
    optimal_fiber_length : float
        Length l_0 of the muscle fibers at their largest active force [m]; positive.
    max_isometric_force : float
        Active force F_0 at that length, along the tendon [N]; positive.
    tissue : Tissue
        Tissue of the muscle, with a `HillStress` whose `max_stress` S is positive and, if it has
        titin, its `stress`; both with an `optimal_stretch` of one. No `stiffening`.
    activation : ActivationLaw, optional
        Law of the activation that follows the excitation; without one the activation is the
        excitation.
    tendon_slack_length : float
        Length at which the tendon carries no force [m]; zero or positive, and positive if it
        stretches.
    tendon_strain : float
        Strain of the tendon under F_0 [-], in [0, 0.2]; zero is a rigid tendon.
    pennation_angle : float
        Constant angle between fibers and tendon [rad], in [0, 1.4]. Lengths along the tendon are
        those of the fibers times its cosine, that is contained in F_0.

    Raises
    ------
    ModelError
        If a field lies outside its range.

    See Also
    --------
    cat_soleus : the muscle that is calibrated on experiments.

    Notes
    -----
    The radius of the fiber follows from F_0 / S. A muscle on the descending limb of its force-
    length curve is stable as a whole only with titin, see `Titin`.
    """

    optimal_fiber_length: float = number("m", POSITIVE)
    max_isometric_force: float = number("N", POSITIVE)
    tissue: Tissue = part()
    activation: ActivationLaw | None = None
    tendon_slack_length: float = number("m", NON_NEGATIVE, default=0.0)
    tendon_strain: float = number("", bounded(least=0.0, most=0.2), default=0.0)
    pennation_angle: float = number("rad", bounded(least=0.0, most=1.4), default=0.0)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        _check.instance(owner, "tissue", self.tissue, Tissue, "a Tissue")
        _check.store(self, **checked(self, owner))
        active, titin = self.tissue.active, self.tissue.titin
        if isinstance(active, ActiveStress) or active is None:
            _check.refuse(owner, "tissue.active", active, "be a HillStress")
        _check.positive(owner, "tissue.active.max_stress", active.max_stress, "N/m^2")
        for name, law in (("active", active), ("titin", titin)):
            if law is not None and law.optimal_stretch != 1.0:
                field = f"tissue.{name}.optimal_stretch"
                remedy = "the lengths of the muscle are relative to its optimum"
                _check.refuse(owner, field, law.optimal_stretch, "be 1", remedy=remedy)
        if self.tissue.stiffening is not None:
            remedy = "use Titin for the passive stress; with active_damping=0 it never binds"
            _check.refuse(
                owner, "tissue.stiffening", self.tissue.stiffening, "be None", remedy=remedy
            )
        if self.tendon_strain > 0.0 and self.tendon_slack_length == 0.0:
            _check.refuse(
                owner,
                "tendon_slack_length",
                0.0,
                "be positive for a tendon that stretches",
                unit="m",
                remedy="set it, or tendon_strain=0",
            )

    @property
    def optimal_length(self) -> float:
        """Length of muscle and slack tendon with the fibers at their optimum [m]."""
        return self.tendon_slack_length + self._along

    @property
    def _along(self) -> float:
        """Optimal fiber length along the tendon [m]."""
        return self.optimal_fiber_length * math.cos(self.pennation_angle)

    def simulate(
        self,
        length: Length,
        excitation: Any,
        t_end: float,
        dt: float = 0.05,
        *,
        elements: int = 2,
        error: float = 1e-5,
    ) -> MuscleRun:
        """Force of the muscle for a prescribed length and a prescribed stimulation.

        Parameters
        ----------
        length : float, callable or (times, lengths)
            Length of muscle and tendon [m]: a number; a function t -> length, with its corners in
            an attribute ``breakpoints``; or times [s] and lengths, between which it is linear.
        excitation : float or callable
            Excitation in [0, 1]: a number or a function t -> float such as a `Table`.
        t_end, dt : float
            End of the run and interval between results [s]; positive.
        elements : int
            Finite elements of the fiber.
        error : float
            Tolerance of a time step, as of `AdaptiveSteps`.

        Returns
        -------
        run : MuscleRun
            Time, force, length, fiber stretch and activation, and the whole result.

        Raises
        ------
        ModelError
            If an argument lies outside its range, or the length leaves no room for the muscle.
        ConvergenceError
            If the run fails.

        Notes
        -----
        The start is the equilibrium with the excitation and the length at t = 0; start relaxed to
        see what active stretch does to titin.
        """
        history = _history(length)
        first = history(0.0)
        if not first > self.tendon_slack_length:
            _check.refuse(
                "WholeMuscle",
                "length at t = 0",
                first,
                f"exceed the slack length of the tendon, {self.tendon_slack_length:g} m",
                unit="m",
            )
        system = build(self.model(history, excitation, elements=elements))
        result = simulate(
            system,
            equilibrium(system),
            t_end=t_end,
            dt=dt,
            control=AdaptiveSteps(error, landing=False),
        )
        fiber = result.fibers[FIBER]
        return MuscleRun(
            time=result.time,
            force=-fiber.force_insertion[:, 0],
            length=np.array([history(t) for t in result.time]),
            stretch=fiber.length / self._along,
            activation=np.asarray(fiber.activation),
            result=result,
        )

    def model(
        self, length: Callable[[float], float], excitation: Any, *, elements: int = 2
    ) -> Model:
        """Model of the experiment, along the x axis; the muscle ends at x = length(t).

        Parameters
        ----------
        length : callable
            t -> length of muscle and tendon [m], with its corners in ``breakpoints``.
        excitation : float or callable
            As of `simulate`.
        elements : int
            Finite elements of the fiber.
        """
        model = Model("muscle", gravity=(0.0, 0.0, 0.0))
        slack = self.tendon_slack_length
        start = model.ground.at(slack, 0.0, 0.0)
        if self.tendon_strain > 0.0:
            body = model.add(Body(CONNECTION, mass=_JUNCTION_MASS, inertia=(1e-9, 1e-9, 1e-9)))
            at, axis = (slack, 0.0, 0.0), (1.0, 0.0, 0.0)
            model.add(Slider(f"{CONNECTION}_x", model.ground, body, at=at, axis=axis))
            start = body.at(0.0, 0.0, 0.0)
            model.add(
                PointSpring(
                    SPRING,
                    model.ground.at(0.0, 0.0, 0.0),
                    start,
                    stiffness=self.max_isometric_force / (self.tendon_strain * slack),
                    rest_length=slack,
                    slack=True,
                )
            )
        reference = length(0.0) - slack
        law = self.activation
        model.add(
            Fiber(
                FIBER,
                attach=(start, _moving_end(length)),
                radius=math.sqrt(self.max_isometric_force / self._stress / math.pi),
                n_elements=elements,
                tissue=self._tissue_at(self._along / reference),
                activation=excitation if law is None else ActivationDynamics(excitation, law),
            )
        )
        return model

    @property
    def _stress(self) -> float:
        """Isometric stress S [N/m^2]."""
        active: Any = self.tissue.active
        return active.max_stress

    def _tissue_at(self, optimum: float) -> Tissue:
        """Tissue of a fiber whose optimum is at a stretch."""
        active: Any = self.tissue.active
        titin = self.tissue.titin
        return replace(
            self.tissue,
            active=replace(active, optimal_stretch=optimum),
            titin=None if titin is None else replace(titin, optimal_stretch=optimum),
        )


def _moving_end(length: Callable[[float], float]) -> MovingPoint:
    """End of the muscle on the x axis."""

    def end(t: float) -> Array:
        return np.array([length(t), 0.0, 0.0])

    return MovingPoint(_with_corners(end, getattr(length, "breakpoints", ())))


def _history(length: Length) -> Callable[[float], float]:
    """Length of the muscle as a checked function of time."""
    owner = "WholeMuscle"
    if callable(length):
        given = length

        def called(t: float) -> float:
            return _check.positive(owner, f"length at t = {t:g} s", given(t), "m")

        called(0.0)
        return _with_corners(called, getattr(given, "breakpoints", ()))
    if not isinstance(length, tuple | list):
        return _linear(
            np.array([0.0, 1.0]), np.full(2, _check.positive(owner, "length", length, "m"))
        )
    if len(length) != 2:
        raise ModelError(f"{owner}: length has {len(length)} entries; must be (times, lengths)")
    times = _check.array(owner, "length times", length[0], ("m",), "s")
    values = _check.array(owner, "lengths", length[1], (times.size,), "m")
    if times.size < 2 or (np.diff(times) <= 0.0).any():
        _check.refuse(owner, "length times", times, "be two or more and increase", unit="s")
    if not (values > 0.0).all():
        _check.refuse(owner, "lengths", float(values.min()), "be positive", unit="m")
    return _linear(times, values)


def _linear(times: Array, values: Array) -> Callable[[float], float]:
    """Piecewise linear function with its corners."""

    def history(t: float) -> float:
        return float(np.interp(t, times, values))

    return _with_corners(history, times)


def _with_corners(function: Any, times: Iterable[float]) -> Any:
    """Function of time with its corners [s], where steps of a run end."""
    vars(function)["breakpoints"] = tuple(times)
    return function


def cat_soleus() -> WholeMuscle:
    """Soleus of a cat that is stretched while it is active, calibrated on measured muscle.

    Force-length and force-velocity curves: least squares to Scott, Brown and Loeb [1]_ (figs. 3 and
    4). Strength, titin, passive curve, tendon and activation: least squares to six trials at 3 mm/s
    of Herzog and Leonard [2]_ (fig. 7A), in the verification problem `active_stretch`.

    Returns
    -------
    muscle : WholeMuscle
        Of 42.9 mm optimal fiber length, with 21.2 N. The length 0 mm of [2]_ is its
        `optimal_length`.

    References
    ----------
    .. [1] Scott, Brown and Loeb, Journal of Muscle Research and Cell Motility 17 (1996), 207-219.
    .. [2] Herzog and Leonard, Journal of Experimental Biology 205 (2002), 1275-1283.

    Examples
    --------
    >>> import fibermsk as fm
    >>> soleus = fm.cat_soleus()
    >>> round(1e3 * soleus.optimal_length, 1)
    73.1
    """
    stress = 3e5
    fiber = 0.0429
    return WholeMuscle(
        optimal_fiber_length=fiber,
        max_isometric_force=21.217,
        tissue=Tissue(
            density=1060.0,
            muscle=KelvinVoigt(shear_modulus=100.0, viscosity=1e3),
            active=HillStress(
                max_stress=stress,
                max_velocity=4.67,
                force_length=GaussianForceLength(below=0.465, above=0.554),
                force_velocity=HillForceVelocity(0.19, 1.38, 6.7),
            ),
            titin=Titin(
                stress=stress,
                share=0.9236,
                near_share=0.2553,
                fixed_length=0.1,
                passive_damping=51.23,
                active_damping=1000.0,
                strain=0.3046,
                shape=3.642,
            ),
        ),
        activation=PiecewiseActivation(0.194, 0.2131, variation=0.0),
        tendon_slack_length=27.0 / 38.0 * fiber,
        tendon_strain=0.02038,
        pennation_angle=math.radians(7.0),
    )
