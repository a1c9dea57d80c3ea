"""Objectives of runs: functions of a few quantities at the frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.model import Fiber, Station
from fibermsk.solvers.newton.stage import State
from fibermsk.system import FiberSystem
from fibermsk.system.ports import BodyPoints

_STEP = 1e-30
"""Complex step: derivatives without round-off."""


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
        ``body.at(x, y, z)`` for the position of a point of a body in the ground (n_frames, 3) [m],
        or a fiber for the positions of its nodes (n_frames, n_nodes, 3) [m].
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
            what = "a text, a point such as body.at(0, 0, 0), or a fiber"
            _check.instance("Objective", f"reads of {name!r}", one, (str, Station, Fiber), what)
        self.function, self.reads, self.slopes = function, dict(reads), slopes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities."""
        return tuple(self.reads)

    def evaluate(self, time: Array, samples: Mapping[str, Array]) -> float:
        """Value; refused if it is not a finite number."""
        value = self.function(time, **samples)
        if not (np.ndim(value) == 0 and np.isrealobj(value) and np.isfinite(value)):
            _check.refuse("Objective", "value", value, "be a finite number")
        return float(value)

    def derivatives(self, time: Array, samples: Mapping[str, Array]) -> dict[str, Array]:
        """Derivatives in all samples, by name."""
        if self.slopes is not None:
            found = self.slopes(time, **samples)
            if set(found) != set(samples):
                _check.refuse("Objective", "slopes of", sorted(found), f"be {sorted(samples)}")
            return {
                name: _check.array("Objective", f"slopes of {name!r}", found[name], one.shape)
                for name, one in samples.items()
            }
        return {name: self._by_complex_steps(time, samples, name) for name in samples}

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
    """Quantities of an objective in the states of a system, and what cotangents they give.

    Attributes
    ----------
    points : dict of BodyPoints
        Points of bodies, by name of the quantity.
    """

    def __init__(self, system: FiberSystem, objective: Objective) -> None:
        self._system, self._of = system, objective.reads
        self._first = 6 * system.cables.n_nodes
        self._entries = {
            name: self._entry(one) for name, one in self._of.items() if isinstance(one, str)
        }
        known = list(system.tree.frames)
        for one in self._of.values():
            if isinstance(one, Station) and one.body.name not in known:
                _check.refuse("Objective", "body", one.body.name, f"be one of {', '.join(known)}")
            if isinstance(one, Fiber) and one.name not in system.fiber_names:
                must = f"be one of {', '.join(system.fiber_names) or 'none'}"
                _check.refuse("Objective", "fiber", one.name, must)
        self.points = {
            name: BodyPoints(system.configuration, (one,))
            for name, one in self._of.items() if isinstance(one, Station)
        }  # fmt: skip

    def _entry(self, text: str) -> tuple[int, int]:
        """0 for positions or 1 for velocities, and the entry."""
        system, states = self._system, {}
        at = self._first + system.skeleton.n
        for block in system.states:
            for name in block.names:
                states[f"{block.owner}/{name}"] = at
                at += 1
        known = system.skeleton.independent
        name, slash, rest = text.rpartition("/")
        if text in known:
            return 0, self._first + known.index(text)
        if slash and rest == "speed" and name in known:
            return 1, self._first + known.index(name)
        if text in states:
            return 0, states[text]
        names = [*known, *(f"{one}/speed" for one in known), *states]
        must = f"be one of {', '.join(names[:12])}{_check.suggestion(text, names)}"
        _check.refuse("Objective", "quantity", text, must)

    def _nodes(self, fiber: Fiber) -> slice:
        k = self._system.fiber_names.index(fiber.name)
        start = self._system.cables.node_start
        return slice(int(start[k]), int(start[k + 1]))

    def samples(self, states: list[State]) -> dict[str, Array]:
        """Quantities at all frames."""
        found = dict[str, Array]()
        for name, one in self._of.items():
            if isinstance(one, str):
                which, entry = self._entries[name]
                found[name] = np.array([(s.y, s.v)[which][entry] for s in states])
            elif isinstance(one, Fiber):
                own = self._nodes(one)
                found[name] = np.array([self._system.split(s.y)[0][own, :3] for s in states])
            else:
                kinematics = self._system.configuration.kinematics
                found[name] = np.array(
                    [self.points[name].place(kinematics(s.t, s.y).motion).c[0] for s in states]
                )
        return found

    def _jacobian(self, name: str, state: State) -> Array:
        """Derivatives (3, n) of a point of a body in the coordinates."""
        motion = self._system.configuration.kinematics(state.t, state.y).motion
        return self._system.skeleton.columns(motion, self.points[name].place(motion).C)[0]

    def tangents(
        self, states: list[State], moved: Mapping[int, tuple[Array, Array]]
    ) -> dict[str, Array]:
        """Increments of the quantities, from those of positions and velocities at all frames."""
        found = dict[str, Array]()
        for name, one in self._of.items():
            if isinstance(one, str):
                which, entry = self._entries[name]
                found[name] = np.array([moved[k][which][entry] for k in range(len(states))])
            elif isinstance(one, Fiber):
                own, split = self._nodes(one), self._system.split
                found[name] = np.array([split(moved[k][0])[0][own, :3] for k in range(len(states))])
            else:
                split = self._system.split
                found[name] = np.array(
                    [self._jacobian(name, s) @ split(moved[k][0])[1] for k, s in enumerate(states)]
                )
        return found

    def cotangents(
        self, states: list[State], slopes: Mapping[str, Array]
    ) -> dict[int, tuple[Array, Array]]:
        """Derivatives in positions and velocities, by frame; frames without any are left out."""
        found = dict[int, tuple[Array, Array]]()
        for k, state in enumerate(states):
            own = np.zeros_like(state.y), np.zeros_like(state.v)
            for name, one in self._of.items():
                slope = slopes[name][k]
                if isinstance(one, str):
                    which, entry = self._entries[name]
                    own[which][entry] += slope
                elif isinstance(one, Fiber):
                    self._system.split(own[0])[0][self._nodes(one), :3] += slope
                elif slope.any():
                    self._system.split(own[0])[1][:] += slope @ self._jacobian(name, state)
            if own[0].any() or own[1].any():
                found[k] = own
        return found
