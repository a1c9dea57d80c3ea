"""Springs along paths that a clutch engages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import PathWrap
from fibermsk.model.function import Function, Pieces
from fibermsk.model.in_time import InTime, check_in_time
from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.model.muscles.path import check_path
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.lines.pull import AlongPath, PathPull, Tension
from fibermsk.system.states import States

_ENGAGED = 2e-14
"""Control above which the clutch holds, as in OpenSim."""


@dataclass(frozen=True, eq=False, repr=False)
class ClutchedSpring(AlongPath, Described):
    """Spring along a path that a clutch engages; OpenSim's ClutchedPathSpring.

    Its tension is u k z (1 + c dl/dt), u the control within 0 and 1. The stretch z, a state of
    first order, follows the length l of the path while u is positive, dz/dt = dl/dt, and relaxes
    otherwise, dz/dt = -z / tau.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    control : Function or float
        u as a function of time, such as `fm.PiecewiseConstant`, or a constant; clipped to [0, 1].
    stiffness : float
        k [N/m]; 0 or more.
    dissipation : float
        c [s/m]; 0 or more.
    time_constant : float
        tau [s]; positive.
    start : float
        Stretch at the start of a run [m].

    Raises
    ------
    ModelError
        If a field lies outside its range; when the system is built, if a path cannot be found.

    Notes
    -----
    With an engaged clutch `equilibrium` has no unique answer, since z depends on the motion.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("swing")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> places = model.ground.at((0, 0, 0.5)), bob.at((0, 0, 0))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> held = fm.PiecewiseConstant([0.0, 0.1, 0.3], [0.0, 1.0])
    >>> brake = model.add(fm.ClutchedSpring("brake", points, control=held, stiffness=500.0))
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    control: Function | float = number(varies=True)
    stiffness: float = number("N/m", NON_NEGATIVE)
    dissipation: float = number("s/m", NON_NEGATIVE, default=0.0)
    time_constant: float = number("s", POSITIVE, default=0.001)
    start: float = number("m", default=0.0)

    def __post_init__(self) -> None:
        owner = f"clutched spring {_check.item_name('clutched spring', self.name)!r}"
        _check.store(self, **check_path(owner, self), **checked(self, owner))
        check_in_time(owner, "control", self.control)

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law."""
        return [self.stiffness, self.dissipation, self.time_constant, self.start]

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The control, if it is a function."""
        return () if isinstance(self.control, float) else (("control", _Control(self.control)),)

    def contribute(self, configuration: Configuration) -> _Clutch:
        """Create the contribution."""
        return _Clutch(self, configuration)


class _Control(InTime):
    """A control, whose breakpoints are also those at which it changes its sign or is clipped."""

    def __init__(self, value: Function | float) -> None:
        super().__init__(value)
        more = [] if isinstance(value, int | float) else _crossings(value.pieces(), (0.0, 1.0))
        self.breakpoints = np.unique([*np.asarray(self.breakpoints, float), *more])


def _crossings(pieces: Pieces, levels: Sequence[float]) -> list[float]:
    """Where polynomial pieces pass through levels; those of sines are not sought."""
    ends = [-np.inf, *pieces.knots, np.inf]
    found = list[float]()
    for k, (origin, powers) in enumerate(zip(pieces.origin, pieces.coefficients, strict=True)):
        for level in levels:
            falling = np.array(powers[::-1], float)
            falling[-1] -= level
            roots = np.roots(falling) if falling.any() else np.zeros(0)
            at = origin + roots[np.abs(roots.imag) == 0.0].real
            found += [float(one) for one in at if ends[k] < one < ends[k + 1]]
    return found


class _Clutch(PathPull):
    """Contribution of a spring with a clutch."""

    def __init__(self, spring: ClutchedSpring, configuration: Configuration) -> None:
        path: Any = spring  # its tension is that of `tension` below
        super().__init__(path, configuration)
        self._spring = spring
        scale = float(self.paths.place(*_rest(configuration)).length[0])
        self._states: States = configuration.states.new(
            spring.name, ["stretch"], ["m"], [scale], [spring.start]
        )
        self._control = _Control(spring.control)

    def _pull(self, at: At) -> tuple[Tension, float]:
        """Tension, and its derivative in the stretch."""
        own, u = self._spring, self._control(at.t)
        u = min(max(u, 0.0), 1.0)
        (z,), _ = self._states.at(at)
        k, c, speed = own.stiffness, own.dissipation, float(self.paths.at(at).speed[0])
        slope = u * k * (1.0 + c * speed)
        return Tension(slope * float(z), 0.0, u * k * c * float(z), 0.5 * u * k * float(z) ** 2), (
            slope
        )

    def tension(self, at: At) -> Tension:
        """Tension at a state."""
        return self._pull(at)[0]

    def add(self, at: At, sums: Sums) -> None:
        """Add the pull, the row of the stretch, and their derivatives."""
        super().add(at, sums)
        own, placed, ((z,), (rate,)) = self._spring, self.paths.at(at), self._states.at(at)
        engaged = self._control(at.t) > _ENGAGED
        if engaged:
            self._states.add(sums, rate - placed.speed, by_state=[[0.0]], by_rate=[[1.0]])
        else:
            tau = own.time_constant
            self._states.add(sums, [tau * rate + z], by_state=[[1.0]], by_rate=[[tau]])
        if sums.slopes is not None:
            X, V = self.paths.follow(at, placed, sums.slopes)
            if engaged:
                self._states.follow(sums, -V)
            self._states.act(sums, X, by_state=[[-self._pull(at)[1]]])

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Path, law and control."""
        own = self._spring
        given = [self._control(float(t)) for t in times]
        return {"the clutched springs": [own.name, *own.numbers, given, *self.paths.fingerprint]}


def _rest(configuration: Configuration) -> tuple[Any, Array, Array]:
    """Motion, coordinates and rates at the start, at rest."""
    skeleton = configuration.skeleton
    return skeleton.at(skeleton.start), skeleton.start, np.zeros(skeleton.n)
