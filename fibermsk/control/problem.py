"""Optimal control of a model: what is moved, how it begins and ends, and what is made small."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, number
from fibermsk._warn import warn
from fibermsk.control.conditions import Along, AtRest, EndState, FreeDuration, Phase, Range
from fibermsk.control.muscles.choice import DiscretePaths, FittedPaths
from fibermsk.control.objectives import Effort, Objectives, Term, Tracking
from fibermsk.errors import ModelWarning
from fibermsk.model import ActivationDynamics, Model

if TYPE_CHECKING:
    from fibermsk.control.solving.solution import ControlSolution

STEPS = 50
"""Number of intervals unless given."""

SHARPEST = 2.0
"""Sharpness of the change from rise to fall of an activation above which excitations chatter."""

_OWNER = "OptimalControl"


@dataclass(frozen=True)
class Excitations(Checked):
    """Controls: excitations of all line muscles that act, constant in each interval.

    A muscle whose activation is no state is given its activation.

    Parameters
    ----------
    lower, upper : float
        Bounds of all, in [0, 1].
    """

    lower: float = number("", NON_NEGATIVE, default=0.0)
    upper: float = number("", POSITIVE, default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lower <= self.upper <= 1.0:
            must = f"lie between lower = {self.lower:g} and 1"
            _check.refuse("Excitations", "upper", self.upper, must)


@dataclass(frozen=True, eq=False)
class Torques:
    """Controls: torques or forces on coordinates and across balls, constant in each interval.

    Parameters
    ----------
    largest : mapping of str to float
        Largest torque or force of coordinates, and of each component of the torque across
        spherical and free joints, by name [N m or N]; positive. That of a ball is a vector in the
        axes of its parent.
    limited : bool
        Whether these are bounds. Reserves have none; their effort is over these
        values all the same.
    """

    largest: Mapping[str, float]
    limited: bool = True

    def __post_init__(self) -> None:
        _check.flag("Torques", "limited", self.limited)
        _check.instance("Torques", "largest", self.largest, Mapping, "a dict by name")
        if not self.largest:
            _check.refuse("Torques", "largest", self.largest, "name a coordinate or joint")
        values = {
            name: _check.positive("Torques", f"largest[{name!r}]", value, "N m or N")
            for name, value in self.largest.items()
        }
        _check.store(self, largest=values)


@dataclass(frozen=True, eq=False)
class OptimalControl:
    """Find the excitations or torques that do a task best.

    Parameters
    ----------
    model : Model
        Bodies on hinges, sliders, universal, spherical and free joints, closed chains, forces on
        coordinates, and line muscles with the curves of De Groote.
    duration : float, FreeDuration or sequence of Phase
        Duration of the motion [s]; or its parts, one after the other.
    steps : int, optional
        Number of intervals, 50 by default; parts have their own.
    controls : Excitations, Torques or sequence of them
        What is chosen in every interval.
    objective : Term or sum of terms
        What is made small, such as ``fm.Effort() + 1e-3 * fm.Activation()``.
    start, end : EndState
        State at both ends; see `AtRest`.
    path : sequence of Range or Along
        What holds during the motion.
    muscle_paths : FittedPaths or DiscretePaths, optional
        How paths of muscles are described; by default by exact geodesics around at most one sphere
        or cylinder each.

    Raises
    ------
    ModelError
        If the model cannot be described so, or the conditions are not valid or contradict each
        other.

    Warns
    -----
    ModelWarning
        If excitations that alternate cost less than steady ones, so that there is no optimum.

    Examples
    --------
    >>> import fibermsk as fm
    >>> problem = fm.make_scene("two_muscle_arm")  # doctest: +SKIP
    >>> solution = problem.solve()  # doctest: +SKIP
    """

    model: Model
    _: KW_ONLY
    duration: float | FreeDuration | Sequence[Phase]
    steps: int | None = None
    controls: Excitations | Torques | Sequence[Excitations | Torques] = field(
        default_factory=Excitations
    )
    objective: Term | Objectives = field(default_factory=Effort)
    start: EndState = field(default_factory=AtRest)
    end: EndState = field(default_factory=AtRest)
    path: Sequence[Range | Along] = ()
    muscle_paths: FittedPaths | DiscretePaths | None = None

    def __post_init__(self) -> None:
        _check.instance(_OWNER, "model", self.model, Model, "a Model")
        given = None if self.steps is None else _check.count(_OWNER, "steps", self.steps)
        phases = self.duration
        if not isinstance(phases, Sequence):
            own = phases
            if not isinstance(own, FreeDuration):
                own = _check.positive(_OWNER, "duration", own, "s")
            phases = (Phase(own, STEPS if given is None else given),)
        _check.items(_OWNER, "duration", phases, Phase, "a Phase", "Phases")
        if not phases:
            _check.refuse(_OWNER, "duration", phases, "have one Phase or more")
        steps = sum(one.steps for one in phases)
        if given not in (None, steps):
            must = f"be left out: those of the phases are {steps}"
            _check.refuse(_OWNER, "steps", given, must)
        controls = self.controls
        if isinstance(controls, Excitations | Torques):
            controls = (controls,)
        what = "an Excitations or Torques"
        _check.items(_OWNER, "controls", controls, Excitations | Torques, what, what)
        if not controls:
            _check.refuse(_OWNER, "controls", controls, f"have {what}")
        _check_once(controls)
        for name in ("start", "end"):
            _check.instance(_OWNER, name, getattr(self, name), EndState, "an EndState")
        what = "a FittedPaths or a DiscretePaths"
        kinds = FittedPaths, DiscretePaths, type(None)
        _check.instance(_OWNER, "muscle_paths", self.muscle_paths, kinds, what)
        what = "a Range or an Along"
        _check.items(_OWNER, "path", self.path, Range | Along, what, what)
        _check.store(
            self,
            duration=tuple(phases),
            steps=steps,
            controls=tuple(controls),
            objective=Objectives.of(self.objective),
            path=tuple(self.path),
        )
        if any(isinstance(one.duration, FreeDuration) for one in self.phases):
            _check_times(self.objectives)
        self._check_phases()
        _ranges_of(self.path)
        self._warn_of_chattering()

    @property
    def n(self) -> int:
        """Number of intervals."""
        return sum(one.steps for one in self.phases)

    def times(self, durations: Array) -> Array:
        """Times of the nodes (n + 1,) [s] for durations of the phases [s]."""
        return nodes_of(durations, [one.steps for one in self.phases])

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Parts of the motion, one or more."""
        found: Any = self.duration
        return found

    @property
    def objectives(self) -> Objectives:
        """The objective as a sum of terms."""
        found: Any = self.objective
        return found

    @property
    def _controls(self) -> tuple[Excitations | Torques, ...]:
        found: Any = self.controls
        return found

    @property
    def excitations(self) -> Excitations | None:
        """Bounds of excitations, if they are controls."""
        return next((one for one in self._controls if isinstance(one, Excitations)), None)

    @property
    def largest(self) -> dict[str, float]:
        """Largest torques by name."""
        found: dict[str, float] = {}
        for one in self._controls:
            if isinstance(one, Torques):
                found |= one.largest
        return found

    @property
    def unlimited(self) -> set[str]:
        """Names of torques without bounds."""
        return {
            name
            for one in self._controls
            if isinstance(one, Torques) and not one.limited
            for name in one.largest
        }

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Ranges of coordinates; infinite where they have no end."""
        return {name: one for name, one in _ranges_of(self.path).items() if "/" not in name}

    @property
    def interval_ranges(self) -> dict[str, tuple[float, float]]:
        """Those of what intervals have: speeds and forces."""
        return {name: one for name, one in _ranges_of(self.path).items() if "/" in name}

    def solve(
        self,
        guess: ControlSolution | None = None,
        *,
        starts: int = 1,
        coarse: int = 0,
        tolerance: float = 1e-10,
        iterations: int = 500,
        seed: int = 0,
        expand: bool = False,
        progress: bool | Callable[[Any], None] = True,
    ) -> ControlSolution:
        """Solve the problem, and simulate the model with the controls that were found.

        Parameters
        ----------
        guess : ControlSolution, optional
            Solution of this problem with other steps, durations or conditions from which to start.
            By default a straight motion between both ends.
        starts : int
            Number of starts; those after the first are straight motions, bent at random, smoothly.
            The best optimum is returned, the others are its `optima`.
        coarse : int
            Number of times that the steps are halved to start with; each solution is the guess of
            the next finer one. A grid without a solution is passed over.
        tolerance : float
            Tolerance of the conditions of optimality; positive, at most 1e-3.
        iterations : int
            Largest number of iterations.
        seed : int
            Of the random starts.
        expand : bool
            Whether the whole problem is made one graph: slower to build, three times faster to
            solve.
        progress : bool or callable
            Whether iterations are printed; or a function of a `SolverStep`.

        Returns
        -------
        solution : ControlSolution
            An optimum; or the last iterate, after an interrupt, with status "interrupted".

        Raises
        ------
        ConvergenceError
            If no optimum is found, or a body turns by more than a quarter turn in an interval. Its
            `solution` is the last iterate; the message names the worst violation and the controls
            at their bounds.
        """
        from fibermsk.control.solving.search import search

        return search(
            self, guess, starts=starts, coarse=coarse, tolerance=tolerance, iterations=iterations,
            seed=seed, expand=expand, progress=progress,
        )  # fmt: skip

    def _check_phases(self) -> None:
        """Refuse excitations of phases outside of those of the muscles."""
        muscles = {one.name for one in self.model.acting_muscles}
        torques = self.largest
        for k, phase in enumerate(self.phases):
            for name, (low, high) in phase.controls.items():
                if name in muscles and name not in torques and not 0.0 <= low <= high <= 1.0:
                    must = "lie in [0, 1]"
                    _check.refuse(f"Phase {k}", f"controls[{name!r}]", (low, high), must)

    def _warn_of_chattering(self) -> None:
        terms = self.objectives.terms
        if self.excitations is None or not any(isinstance(term, Effort) for _, term in terms):
            return
        for muscle in self.model.acting_muscles:
            driven = muscle.activation
            if not isinstance(driven, ActivationDynamics):
                continue
            sharpness = getattr(driven.law, "sharpness", 0.0)
            if sharpness > SHARPEST:
                warn(
                    f"line muscle {muscle.name!r}: sharpness = {sharpness:g} of its activation "
                    f"exceeds {SHARPEST:g}: where rise and fall have other time constants, an "
                    "excitation that alternates costs less than a steady one, and there is no "
                    "optimum; use fm.SmoothActivation(sharpness=0.1)",
                    ModelWarning,
                )
                return


def nodes_of(durations: Array, steps: Sequence[int]) -> Array:
    """Nodes (n + 1,) of parts of some durations, one after the other, with even steps in each."""
    ends = np.concatenate([[0.0], np.cumsum(durations)])
    own = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(ends, ends[1:], steps, strict=False)]
    return np.concatenate([[0.0], *own])


def _check_once(controls: Sequence[Any]) -> None:
    """Refuse controls that are given twice."""
    if sum(isinstance(one, Excitations) for one in controls) > 1:
        _check.refuse(_OWNER, "controls", "two of Excitations", "have one")
    seen = set[str]()
    for one in controls:
        for name in one.largest if isinstance(one, Torques) else ():
            if name in seen:
                must, remedy = "be in one of Torques", "give its largest torque once"
                _check.refuse(_OWNER, "controls", name, must, remedy=remedy)
            seen.add(name)


def _ranges_of(path: Sequence[Any]) -> dict[str, tuple[float, float]]:
    """Ranges of coordinates by name; refused if they contradict each other."""
    found: dict[str, tuple[float, float]] = {}
    for one in path:
        if isinstance(one, Range):
            low, high = found.get(one.coordinate, (-np.inf, np.inf))
            low = low if one.lower is None else max(low, one.lower)
            high = high if one.upper is None else min(high, one.upper)
            if low > high:
                owner, must = f"Range of {one.coordinate!r}", f"be at most upper = {high:g}"
                remedy = "all ranges of a coordinate hold together"
                _check.refuse(owner, "lower", low, must, remedy=remedy)
            found[one.coordinate] = low, high
    return found


def _check_times(objective: Objectives) -> None:
    """Refuse a motion that is followed in a time that is chosen."""
    if any(isinstance(term, Tracking) for _, term in objective.terms):
        must = "be a number where a motion is followed"
        _check.refuse(_OWNER, "duration", "a FreeDuration", must, remedy="leave Tracking out")
