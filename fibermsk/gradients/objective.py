"""Objectives of runs: functions of a few quantities at the frames."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.gradients.compared import mismatch
from fibermsk.gradients.readings import Frame, readings_of, sampled
from fibermsk.model import Fiber, Station
from fibermsk.system import FiberSystem

_STEP = 1e-30
"""Complex step: derivatives without round-off."""

_ANALYTIC = "analytic, without abs, norm, conj, max or comparisons"


class Objective:
    """A number that a run is judged by.

    Parameters
    ----------
    function : callable
        ``function(time, **quantities) -> float``: times of the frames (n_frames,) and the
        quantities that `reads` names, each with n_frames first.
    reads : mapping of str to str, Station or Fiber
        By argument of the function: ``"elbow"`` for a coordinate (n_frames,), ``"elbow/speed"``
        for its rate, the name of a state of first order such as ``"biceps/active_state"``,
        ``"biceps/length"`` [m] of a fiber or line muscle, ``"biceps/tendon_force"`` [N] of a line
        muscle, ``"biceps_1/tissue_force"`` [N] for the mean along a fiber of the axial force that
        its tissue carries, ``"energy"`` [J] for the kinetic and potential energy, ``body.at(x, y,
        z)`` for the position of a point of a body in the ground (n_frames, 3) [m], or a fiber for
        the positions of its nodes (n_frames, n_nodes, 3) [m].
    slopes : callable, optional
        Derivatives of the function in its quantities: same arguments, a mapping of arrays of their
        shapes by name. By default complex steps of the function, which must then be analytic: no
        ``abs``, ``max`` or comparisons of quantities.

    Raises
    ------
    ModelError
        If an argument is of a wrong kind.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.Objective(lambda time, q: (q[-1] - 1.0) ** 2, {"q": "elbow"}).names
    ('q',)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        reads: Mapping[str, str | Station | Fiber],
        slopes: Callable[..., Mapping[str, Any]] | None = None,
    ) -> None:
        if not callable(function):
            _check.refuse("Objective", "function", function, "be a function")
        _check.function("Objective", "slopes", slopes)
        _check.instance(
            "Objective", "reads", reads, Mapping, "a mapping of what the function reads"
        )
        if not reads:
            _check.refuse("Objective", "reads", reads, "name one quantity or more")
        for name, one in reads.items():
            if not isinstance(name, str) or not name.isidentifier() or name == "time":
                must = "name an argument of the function, besides time"
                _check.refuse("Objective", "name in reads", name, must)
            what = "a text, a point such as body.at(0, 0, 0), or a fiber"
            _check.instance("Objective", f"reads of {name!r}", one, (str, Station, Fiber), what)
        self.function, self.reads, self.slopes = function, dict(reads), slopes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities."""
        return tuple(self.reads)

    def evaluate(self, time: Array, samples: Mapping[str, Array]) -> float:
        """Value; refused if it is not a finite number."""
        must = "return a number for the quantities of the run"
        value = self._real(time, samples, must)
        if not np.isfinite(value):
            _check.refuse(self._owner, "value", value, "be a finite number")
        return value

    def _real(self, time: Array, samples: Mapping[str, Array], must: str) -> float:
        """Value, which may be NaN; refused if it is no real number."""
        value = self._called("function", time, samples, must)
        numeric = np.ndim(value) == 0 and np.issubdtype(np.asarray(value).dtype, np.number)
        if not (numeric and np.isrealobj(value)):
            _check.refuse(self._owner, "value", value, "be a finite number")
        return float(value)

    @property
    def _owner(self) -> str:
        """The objective in errors."""
        return f"Objective of {', '.join(self.names)}"

    def _called(self, which: str, time: Array, samples: Mapping[str, Any], must: str) -> Any:
        """What a function of the user returns; refused if it does not take the quantities."""
        function: Any = getattr(self, which)
        own = f"{self._owner}: its {which} {_name(function)!r}"
        try:
            # copies: what it does to its arguments must not change the run
            return function(np.array(time), **{k: np.array(one) for k, one in samples.items()})
        except Exception as error:  # of the user's own code, of any kind
            if not _takes(function, time, samples):
                wanted = f"the times and {', '.join(samples)}"
                raise ModelError(
                    f"{own} has other arguments; its functions must take {wanted}"
                ) from error
            raise ModelError(
                f"{own} raised {type(error).__name__}: {error}; must {must}"
            ) from error

    @np.errstate(all="ignore")
    def derivatives(self, time: Array, samples: Mapping[str, Array]) -> dict[str, Array]:
        """Derivatives in all samples, by name; refused if they are not finite."""
        if self.slopes is not None:
            what, must = "its slopes give", "be the derivatives of the function at these quantities"
            slopes = self._given
        else:
            what, must = "complex steps give", f"be {_ANALYTIC}, or have slopes"
            slopes = self._by_complex_steps
        found = slopes(time, samples)
        for name, one in found.items():
            bad = np.argwhere(~np.isfinite(one))
            if bad.size:
                raise ModelError(
                    f"{self._owner}: the derivative of {_name(self.function)!r} in {name!r} is "
                    f"{one[tuple(bad[0])]:g} at t = {time[bad[0][0]]:g} s; must be finite: a root "
                    "of zero has none, for example; its square, or the root of x^2 + 1e-16, has"
                )
        beside = "return a number also for quantities next to those of the run"
        differ = mismatch(
            lambda own: self._real(time, own, beside),
            lambda own: found if own is samples else slopes(time, own),
            samples,
        )
        if differ is not None:
            raise ModelError(
                f"{self._owner}: {what} another derivative than differences of the function "
                f"{_name(self.function)!r} ({differ.expected:.6g} and {differ.difference:.6g} "
                f"along one direction); must {must}"
            )
        return found

    def _given(self, time: Array, samples: Mapping[str, Array]) -> dict[str, Array]:
        must = "return a mapping of arrays by name for the quantities of the run"
        found = self._called("slopes", time, samples, must)
        _check.instance(self._owner, "slopes", found, Mapping, "a mapping of arrays by name")
        if set(found) != set(samples):
            _check.refuse(
                self._owner, "slopes of", sorted(map(str, found)), f"be {sorted(samples)}"
            )
        return {
            name: _check.array(self._owner, f"slopes of {name!r}", found[name], one.shape)
            for name, one in samples.items()
        }

    def _by_complex_steps(self, time: Array, samples: Mapping[str, Array]) -> dict[str, Array]:
        return {name: self._by_steps_of(time, samples, name) for name in samples}

    def _by_steps_of(self, time: Array, samples: Mapping[str, Array], name: str) -> Array:
        own = samples[name].astype(complex)
        found = np.empty(own.shape)
        must = (
            f"be a function of complex numbers too, for its derivative in {name!r}, or have slopes"
        )
        for at in np.ndindex(own.shape):
            own[at] += 1j * _STEP
            value = self._called("function", time, {**samples, name: own}, must)
            if not np.iscomplexobj(value):
                raise ModelError(
                    f"{self._owner}: no derivative of {_name(self.function)!r} in {name!r}: the "
                    "function is real there, as with abs, max or .real, or does not use it; must "
                    "be analytic, or have slopes"
                )
            found[at] = np.imag(value) / _STEP
            own[at] = samples[name][at]
        return found


def _name(function: Any) -> str:
    """Name of a function in errors."""
    return getattr(function, "__name__", type(function).__name__)


def _takes(function: Callable[..., Any], time: Array, samples: Mapping[str, Any]) -> bool:
    """Whether a function takes the quantities; True where its arguments are not known."""
    try:
        known = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        known.bind(time, **samples)
    except TypeError:
        return False
    return True


class Reader:
    """Quantities of an objective at the frames of a run, and what cotangents they give.

    Attributes
    ----------
    readings : dict of Reading
        By name.
    """

    def __init__(self, system: FiberSystem, objective: Objective) -> None:
        self.readings = readings_of(system, objective.reads)

    def samples(self, frames: Sequence[Frame]) -> dict[str, Array]:
        """Quantities at all frames."""
        return {name: sampled(one, frames) for name, one in self.readings.items()}

    def tangents(
        self, frames: Sequence[Frame], moved: Mapping[int, tuple[Array, Array]]
    ) -> dict[str, Array]:
        """Increments of the quantities, from those of positions and velocities at all frames."""
        return {
            name: np.array([one.push(frame, *moved[k]) for k, frame in enumerate(frames)])
            for name, one in self.readings.items()
        }

    def cotangents(
        self, frames: Sequence[Frame], slopes: Mapping[str, Array]
    ) -> dict[int, tuple[Array, Array]]:
        """Derivatives in positions and velocities, by frame; frames without any are left out."""
        found = dict[int, tuple[Array, Array]]()
        for k, frame in enumerate(frames):
            own = np.zeros_like(frame.state.y), np.zeros_like(frame.state.v)
            for name, one in self.readings.items():
                one.pull(frame, slopes[name][k], *own)
            if own[0].any() or own[1].any():
                found[k] = own
        return found
