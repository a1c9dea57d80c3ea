"""Objectives of runs: functions of a few quantities at the frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.gradients.readings import Frame, readings_of, sampled
from fibermsk.model import Fiber, Station
from fibermsk.system import FiberSystem

_STEP = 1e-30
"""Complex step: derivatives without round-off."""

_CHECKS = 1e-6, 1e-8, 1e-10
"""Steps of the differences that they are compared with, over the size of a quantity."""


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
        value = self._called(self.function, time, samples)
        numeric = np.ndim(value) == 0 and np.issubdtype(np.asarray(value).dtype, np.number)
        if not (numeric and np.isrealobj(value) and np.isfinite(value)):
            _check.refuse("Objective", "value", value, "be a finite number")
        return float(value)

    def _called(self, function: Callable[..., Any], time: Array, samples: Mapping[str, Any]) -> Any:
        """What a function of the user returns; refused if it does not take the quantities."""
        try:
            return function(time, **samples)
        except TypeError as error:
            raise ModelError(
                f"Objective: {error}; its functions must take the times and {', '.join(samples)}"
            ) from error
        except (ArithmeticError, LookupError, ValueError) as error:
            kind = type(error).__name__
            raise ModelError(
                f"Objective: its function raised {kind}: {error}; must return a number for the "
                "quantities of the run"
            ) from error

    def derivatives(self, time: Array, samples: Mapping[str, Array]) -> dict[str, Array]:
        """Derivatives in all samples, by name."""
        if self.slopes is not None:
            found = self._called(self.slopes, time, samples)
            what = "a mapping of arrays by name"
            _check.instance("Objective", "slopes", found, Mapping, what)
            if set(found) != set(samples):
                _check.refuse("Objective", "slopes of", sorted(found), f"be {sorted(samples)}")
            given = {
                name: _check.array("Objective", f"slopes of {name!r}", found[name], one.shape)
                for name, one in samples.items()
            }
            must = "must be the derivatives of the function at these quantities"
            self._compare(time, samples, given, "its slopes give", must)
            return given
        found = {name: self._by_complex_steps(time, samples, name) for name in samples}
        must = "must be analytic, without abs, norm, conj, max or comparisons, or have slopes"
        self._compare(time, samples, found, "complex steps give", must)
        return found

    def _compare(
        self, time: Array, samples: Mapping[str, Array], slopes: Mapping[str, Array], what: str,
        must: str,
    ) -> None:  # fmt: skip
        """Refuse derivatives that are not the differences of the function along one direction."""
        rng, ways = np.random.default_rng(0), dict[str, Array]()
        for name, one in samples.items():
            size = max(float(np.abs(one).max(initial=0.0)), 1e-3)
            ways[name] = size * rng.normal(size=one.shape)
        parts = [(slopes[name] * way).ravel() for name, way in ways.items()]
        expected, size = sum(one.sum() for one in parts), sum(np.abs(one).sum() for one in parts)
        change = np.nan
        # shorter steps may stay on one side of a kink, as where a maximum moves to another frame
        for step in _CHECKS:
            ahead, behind = (
                float(self.function(time, **{n: one + h * ways[n] for n, one in samples.items()}))
                for h in (step, -step)
            )
            change = (ahead - behind) / (2.0 * step)
            noise = 1e-14 * max(abs(ahead), abs(behind)) / step
            # not so where one of them is NaN or infinite
            if abs(change - expected) <= 1e-3 * max(size, abs(change)) + noise < np.inf:
                return
        raise ModelError(
            f"Objective: {what} another derivative than differences of the function "
            f"({expected:.6g} and {change:.6g} along one direction); {must}"
        )

    def _by_complex_steps(self, time: Array, samples: Mapping[str, Array], name: str) -> Array:
        own = samples[name].astype(complex)
        found = np.empty(own.shape)
        for at in np.ndindex(own.shape):
            own[at] += 1j * _STEP
            try:
                value = self.function(time, **{**samples, name: own})
            except (TypeError, ValueError) as error:
                raise ModelError(
                    f"Objective: no derivative in {name!r}: {error}; must be a function of complex "
                    "numbers too, or have slopes"
                ) from error
            if not np.iscomplexobj(value):
                raise ModelError(
                    f"Objective: no derivative in {name!r}: the function is real there, as with "
                    "abs, max or .real, or does not use it; must be analytic, or have slopes"
                )
            found[at] = np.imag(value) / _STEP
            own[at] = samples[name][at]
        return found


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
