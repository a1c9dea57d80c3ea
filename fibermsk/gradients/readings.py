"""Quantities of a run at one frame, and their derivatives in positions and velocities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.elements.hermite import hermite_d1
from fibermsk.model import Fiber, Model, Station
from fibermsk.solvers.newton.stage import State
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import Slopes
from fibermsk.system.optional import Pulls
from fibermsk.system.own_forces import OwnForces
from fibermsk.system.ports import BodyPoints

FIXED, PLACED, OWN, ALL = "fixed", "placed", "own", "all"
"""What a quantity depends on at given unknowns: on no parameter, on where bodies and paths are, on
numbers of its own muscle too, or on any number."""

OF_MUSCLES = "length", "tendon_force"
"""Quantities of line muscles with a law."""

_STEP = 1e-6
"""Step of differences in the unknowns, over their scale."""


class Frame(NamedTuple):
    """A state of a run, and the memory of the system in it."""

    state: State
    memory: dict[str, Array]


class Reading(Protocol):
    """A quantity of a system; slopes and increments have its shape."""

    depends: str
    owner: str  # of the numbers that it depends on, if these are its own
    path: str  # line muscle on whose path it depends

    def sample(self, frame: Frame) -> Any:
        """Value at a frame."""
        ...

    def pull(self, frame: Frame, slope: Any, y: Array, v: Array) -> None:
        """Add the products of a slope with its derivatives to those of positions and velocities."""
        ...

    def push(self, frame: Frame, dy: Array, dv: Array) -> Any:
        """Increment by those of positions and velocities."""
        ...


class OfEntry:
    """A coordinate or state, or the rate of a coordinate."""

    depends, owner, path = FIXED, "", ""

    def __init__(self, rate: bool, entry: int) -> None:
        self._rate, self._entry = rate, entry

    def sample(self, frame: Frame) -> float:
        """See `Reading.sample`."""
        return (frame.state.v if self._rate else frame.state.y)[self._entry]

    def pull(self, frame: Frame, slope: float, y: Array, v: Array) -> None:
        """See `Reading.pull`."""
        (v if self._rate else y)[self._entry] += slope

    def push(self, frame: Frame, dy: Array, dv: Array) -> float:
        """See `Reading.push`."""
        return (dv if self._rate else dy)[self._entry]


class OfNodes:
    """Positions of the nodes of a fiber (n_nodes, 3) [m]."""

    depends, owner, path = FIXED, "", ""

    def __init__(self, system: FiberSystem, number: int) -> None:
        start = system.cables.node_start
        self._system, self._own = system, slice(int(start[number]), int(start[number + 1]))

    def sample(self, frame: Frame) -> Array:
        """See `Reading.sample`."""
        return self._of(frame.state.y)

    def _of(self, y: Array) -> Array:
        return self._system.split(y)[0][self._own, :3]

    def pull(self, frame: Frame, slope: Array, y: Array, v: Array) -> None:
        """See `Reading.pull`."""
        self._of(y)[...] += slope

    def push(self, frame: Frame, dy: Array, dv: Array) -> Array:
        """See `Reading.push`."""
        return self._of(dy)


class OfPoint:
    """Position of a point of a body in the ground (3,) [m]."""

    depends, owner, path = PLACED, "", ""

    def __init__(self, system: FiberSystem, station: Station) -> None:
        self._system, self._point = system, BodyPoints(system.configuration, (station,))

    def _at(self, frame: Frame) -> tuple[Any, Any]:
        state = frame.state
        motion = self._system.configuration.kinematics(state.t, state.y).motion
        return motion, self._point.place(motion)

    def sample(self, frame: Frame) -> Array:
        """See `Reading.sample`."""
        return self._at(frame)[1].c[0]

    def _jacobian(self, frame: Frame) -> Array:
        motion, placed = self._at(frame)
        return self._system.skeleton.columns(motion, placed.C)[0]

    def pull(self, frame: Frame, slope: Array, y: Array, v: Array) -> None:
        """See `Reading.pull`."""
        if np.any(slope):
            self._system.split(y)[1][:] += slope @ self._jacobian(frame)

    def push(self, frame: Frame, dy: Array, dv: Array) -> Array:
        """See `Reading.push`."""
        return self._jacobian(frame) @ self._system.split(dy)[1]


class OfFiberLength:
    """Length of the centerline of a fiber [m]."""

    depends, owner, path = FIXED, "", ""

    def __init__(self, system: FiberSystem, number: int) -> None:
        self._system, cables = system, system.cables
        own = slice(*cables.element_start[number : number + 2])
        self._nodes, self._weight = cables.elements[own], cables.weight[own]
        slopes = hermite_d1(cables.xi[None, :], cables.h[own, None])
        grid = np.broadcast_shapes(*(one.shape for one in slopes))
        self._slopes = np.stack([np.broadcast_to(one, grid) for one in slopes])

    def _tangents(self, y: Array) -> Array:
        ends = self._system.split(y)[0][self._nodes].reshape(-1, 4, 3)
        return np.einsum("aek,eai->eki", self._slopes, ends)

    def sample(self, frame: Frame) -> float:
        """See `Reading.sample`."""
        return float((self._weight * np.linalg.norm(self._tangents(frame.state.y), axis=2)).sum())

    def _ways(self, frame: Frame) -> Array:
        tangent = self._tangents(frame.state.y)
        unit = tangent / np.linalg.norm(tangent, axis=2)[..., None]
        return self._weight[..., None] * unit

    def pull(self, frame: Frame, slope: float, y: Array, v: Array) -> None:
        """See `Reading.pull`."""
        found = np.einsum("aek,eki->eai", self._slopes, slope * self._ways(frame))
        nodes = self._system.split(y)[0]
        np.add.at(nodes, self._nodes, found.reshape(*self._nodes.shape, 6))

    def push(self, frame: Frame, dy: Array, dv: Array) -> float:
        """See `Reading.push`."""
        return float((self._ways(frame) * self._tangents(dy)).sum())


class OfMuscle:
    """Length of the path of a line muscle [m], or the force of its tendon [N]."""

    def __init__(self, system: FiberSystem, muscles: Pulls, number: int, force: bool) -> None:
        self._system, self._muscles, self._k, self._force = system, muscles, number, force
        self.depends = OWN if force else PLACED
        self.path = muscles.muscles[number].name
        self.owner = self.path if force else ""

    def _at(self, frame: Frame, *, second: bool = False) -> tuple[Any, Any]:
        t, y, v = frame.state
        self._system.restore(frame.memory)
        at = self._system.configuration.kinematics(t, y, v, second=second)
        return at, self._muscles.evaluate(at)

    def sample(self, frame: Frame) -> float:
        """See `Reading.sample`."""
        _, now = self._at(frame)
        return float(now.tension[self._k, 0] if self._force else now.paths.length[self._k])

    def _slopes(self, frame: Frame) -> tuple[Array, Array]:
        """Derivatives (n,) in positions and velocities."""
        system, k = self._system, self._k
        at, now = self._at(frame, second=True)
        by_y, by_v = np.zeros((2, system.n))
        on_q, first = system.split(by_y)[1], system.n - system.configuration.states.n
        if not self._force:
            on_q += now.paths.by_q[k]
            return by_y, by_v
        _, by_length, by_speed, by_activation, by_state, by_rate = now.tension[k]
        X, V = self._muscles.paths.follow(at, now.paths, Slopes(0.0, 0.0, False))
        on_q += by_length * X[k] + by_speed * V[k]
        system.split(by_v)[1][:] += by_speed * X[k]
        for states, slope, rate in zip(
            self._muscles.state_of, (by_state, by_activation), (by_rate, 0.0), strict=True
        ):
            if states[k] >= 0:
                by_y[first + states[k]] += slope
                by_v[first + states[k]] += rate
        return by_y, by_v

    def pull(self, frame: Frame, slope: float, y: Array, v: Array) -> None:
        """See `Reading.pull`."""
        if slope:
            by_y, by_v = self._slopes(frame)
            y += slope * by_y
            v += slope * by_v

    def push(self, frame: Frame, dy: Array, dv: Array) -> float:
        """See `Reading.push`."""
        by_y, by_v = self._slopes(frame)
        return float(by_y @ dy + by_v @ dv)


class ByDifferences:
    """A number whose derivatives in some unknowns are central differences, and zero in others."""

    def __init__(
        self,
        system: FiberSystem,
        value: Callable[[Frame], float],
        unknowns: Iterable[int],
        depends: str = ALL,
        owner: str = "",
    ) -> None:
        self._system, self._value, self._unknowns = system, value, list(unknowns)
        self.depends, self.owner, self.path = depends, owner, ""

    def sample(self, frame: Frame) -> float:
        """See `Reading.sample`."""
        return self._value(frame)

    def _along(self, frame: Frame, dy: Array, dv: Array) -> float:
        t, y, v = frame.state
        ahead, behind = (
            self.sample(Frame(State(t, y + sign * dy, v + sign * dv), frame.memory))
            for sign in (1.0, -1.0)
        )
        return 0.5 * (ahead - behind)

    def pull(self, frame: Frame, slope: float, y: Array, v: Array) -> None:
        """See `Reading.pull`."""
        none, scale = np.zeros_like(y), self._system.scale
        for k in self._unknowns if slope else ():
            step = none.copy()
            step[k] = _STEP * scale[k]
            y[k] += slope * self._along(frame, step, none) / step[k]
            v[k] += slope * self._along(frame, none, step) / step[k]

    def push(self, frame: Frame, dy: Array, dv: Array) -> float:
        """See `Reading.push`."""
        size = max(np.abs(dy / self._system.scale).max(), np.abs(dv / self._system.scale).max())
        if size == 0.0:
            return 0.0
        return self._along(frame, _STEP * dy / size, _STEP * dv / size) * size / _STEP


def of_energy(system: FiberSystem) -> ByDifferences:
    """Kinetic and potential energy of all parts [J]."""

    def value(frame: Frame) -> float:
        system.restore(frame.memory)
        return system.energy(frame.state.y, frame.state.v).total

    return ByDifferences(system, value, range(system.n))


def of_tissue(system: FiberSystem, number: int) -> ByDifferences:
    """Mean along a fiber of the axial force that its tissue carries [N]."""
    own, activated = OwnForces(system), int(system.loads.state_of[number])
    unknowns = set(np.flatnonzero(own.owner[: own.n] == number).tolist())
    if activated >= 0:  # also a state of others
        unknowns.add(own.n - system.configuration.states.n + activated)
    return ByDifferences(
        system, lambda frame: float(system.tissue_forces(*frame.state)[number]),
        sorted(unknowns), OWN, system.fiber_names[number],
    )  # fmt: skip


def sampled(reading: Reading, frames: Sequence[Frame]) -> Array:
    """Values of a quantity at all frames."""
    return np.array([reading.sample(frame) for frame in frames])


def units_of(system: FiberSystem) -> dict[str, str]:
    """Names of the quantities that have one, with their units."""
    skeleton = system.skeleton
    found = {one: skeleton.units.get(one, "1") for one in skeleton.independent}
    found |= {f"{one}/speed": f"{unit}/s" for one, unit in found.items()}
    for block in system.states:
        found |= {
            f"{block.owner}/{one}": unit
            for one, unit in zip(block.names, block.units, strict=True)
        }  # fmt: skip
    for fiber in system.fiber_names:
        found |= {f"{fiber}/length": "m", f"{fiber}/tissue_force": "N"}
    muscles = system.line_muscles
    for muscle in () if muscles is None else muscles.muscles:
        found |= {f"{muscle.name}/length": "m", f"{muscle.name}/tendon_force": "N"}
    return found | {"energy": "J"}


def readings_of(
    system: FiberSystem, reads: Mapping[str, str | Station | Fiber]
) -> dict[str, Reading]:
    """Quantities by name of the argument.

    Raises
    ------
    ModelError
        If the system has no such quantity.
    """
    return {name: _reading(system, one) for name, one in reads.items()}


def _reading(system: FiberSystem, one: str | Station | Fiber) -> Reading:
    known = list(system.tree.frames)
    if isinstance(one, Station):
        if one.body.name not in known:
            _check.refuse("Objective", "body", one.body.name, f"be one of {', '.join(known)}")
        return OfPoint(system, one)
    if isinstance(one, Fiber):
        if one.name not in system.fiber_names:
            must = f"be one of {', '.join(system.fiber_names) or 'none'}"
            _check.refuse("Objective", "fiber", one.name, must)
        return OfNodes(system, system.fiber_names.index(one.name))
    return _named(system, one)


def _named(system: FiberSystem, text: str) -> Reading:
    first, known = 6 * system.cables.n_nodes, system.skeleton.independent
    states = [f"{block.owner}/{name}" for block in system.states for name in block.names]
    owner, _, rest = text.rpartition("/")
    if text in known:
        return OfEntry(False, first + known.index(text))
    if rest == "speed" and owner in known:
        return OfEntry(True, first + known.index(owner))
    if text in states:
        return OfEntry(False, first + system.skeleton.n + states.index(text))
    if text == "energy":
        return of_energy(system)
    if rest in ("length", "tissue_force") and owner in system.fiber_names:
        kind = OfFiberLength if rest == "length" else of_tissue
        return kind(system, system.fiber_names.index(owner))
    muscles = system.line_muscles
    names = [] if muscles is None else [muscle.name for muscle in muscles.muscles]
    if muscles is not None and owner in names and rest in OF_MUSCLES:
        return OfMuscle(system, muscles, names.index(owner), rest == "tendon_force")
    refuse_quantity(system.model, units_of(system), text)


def refuse_quantity(
    model: Model, known: Iterable[str], text: str, owner: str = "Objective"
) -> NoReturn:
    """Raise the `ModelError` of a quantity that is not among those that are known."""
    name, _, rest = text.rpartition("/")
    lawless = [one.name for one in model.muscles if one.law is None]
    if rest in OF_MUSCLES and name in lawless:
        must = f"be of a line muscle with a law; {name!r} has none and is not reported"
        _check.refuse(owner, "quantity", text, must, remedy="give it one, such as fm.HillLaw()")
    found = list(known)
    must = f"be one of {_check.first_names(found, 12)}{_check.suggestion(text, found)}"
    _check.refuse(owner, "quantity", text, must)
