"""Interface of observers, and the accepted steps that they observe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.protocol import Evaluation, Legible, System
from fibermsk.solvers.newton.stage import State, Step
from fibermsk.solvers.observers.frames import Frame
from fibermsk.solvers.steps.control import Counters
from fibermsk.solvers.vectors import on_host, to_host

_NOTHING = object()
"""Memory before the start."""


@dataclass(frozen=True)
class Accepted:
    """State of a run after an accepted step, or at its start; immutable."""

    system: System
    # the method's memory before the step; None at the start, when a run resumes, and once all
    # observers have seen the step
    before: Any
    memory: Any  # the method's memory, with NumPy or device vectors
    control: Any  # memory of the step size control
    evaluation: Evaluation  # at the present state
    step: Step | None  # result of the method; None if `before` is
    h: float  # length of the step [s]; 0 at the start
    counters: Counters  # cost of the run so far
    n_frames: int  # number of output times passed
    iterations: int  # Newton iterations up to the last of these
    frames: tuple[Frame, ...]  # states at the output times that the step passed, in NumPy
    left: dict[str, NDArray[np.float64]]  # memory of the system
    memories: dict[str, Any]  # those of the observers, by name
    ending: str = ""  # why the run ends here; empty if it continues
    obstacle: str = ""  # why the step was not longer; empty if nothing was in its way

    @property
    def t(self) -> float:
        """Time [s]."""
        return self.memory.state.t

    @cached_property
    def state(self) -> State:
        """Time, positions and velocities, in NumPy."""
        return to_host(self.system, self.memory.state)

    @cached_property
    def view(self) -> Any:
        """The state by name, an `fm.Moment`: coordinates, points of bodies, and reports.

        Raises
        ------
        ModelError
            If the system has no names.
        """
        system = on_host(self.system)
        if not isinstance(system, Legible):
            raise ModelError(
                f"{type(system).__name__} has no method moment; must have one for its states to be "
                "read by name; use state instead"
            )
        forces = to_host(self.system, self.evaluation.reactions), self.evaluation.multipliers
        return system.moment(*self.state, *forces)


class Stop(NamedTuple):
    """Return value of an observer's `step` that ends the run: reason and memory."""

    message: str
    memory: Any = None


class Observer(Protocol):
    """Interface of objects that are called after every accepted step of a run.

    Each call receives the observer's memory and returns a new one. Checkpoints store it for resumed
    runs. A memory is None, a number, an array, or a NamedTuple of these, keeps the type that it
    starts with, and is never changed in place.
    """

    @property
    def name(self) -> str:
        """Unique name among the observers of a run."""
        ...

    def start(self, now: Accepted, /) -> Any:
        """Memory at the start of a run; replaced when a run resumes."""
        ...

    def step(self, memory: Any, now: Accepted, /) -> Any:
        """Memory after an accepted step, or a `Stop`, which ends the run."""
        ...

    def finish(self, memory: Any, now: Accepted, /) -> Any:
        """Called when the run ends, normally, early or by failure; returns nothing."""
        ...


class Redo(Protocol):
    """Function that repeats the present step."""

    def __call__(self, end: float, /) -> Accepted:
        """Repeat the step to a time [s], or to an earlier one on failure."""
        ...


@runtime_checkable
class Lands(Protocol):
    """Additional interface of observers that choose where steps end."""

    def land(self, memory: Any, now: Accepted, redo: Redo, /) -> Accepted:
        """Step to accept: unchanged, or repeated with an earlier end."""
        ...


def require_observers(owner: str, observers: Any) -> tuple[Observer, ...]:
    """Check observers from the user, with unique names."""
    found = _check.instance(owner, "observers", observers, (tuple, list), "a tuple of observers")
    names: set[str] = set()
    for i, one in enumerate(found):
        field = f"observers[{i}]"
        parts = [getattr(one, part, None) for part in ("start", "step", "finish")]
        if isinstance(one, type) or not all(map(callable, parts)):
            must = "be an observer, with a name and the methods start, step and finish"
            _check.refuse(owner, field, one, must, remedy="such as fm.StopWhen(...)")
        name = _check.item_name(f"{owner}: {field}", getattr(one, "name", None))
        if name in names:
            _check.refuse(owner, f"{field}.name", name, "differ from those before it")
        names.add(name)
    return tuple(found)


def require_memory(name: str, value: Any, before: Any = _NOTHING) -> Any:
    """Memory of an observer as a checkpoint can keep it, of the kind that it was before."""
    owner = f"observer {name!r}"
    kind = _kind(value)
    if not kind:
        must = "be None, a number, an array, or a NamedTuple of these"
        remedy = "store other data on the observer, outside of checkpoints"
        _check.refuse(owner, "memory", value, must, remedy=remedy)
    if before is not _NOTHING and kind != (known := _kind(before)):
        must = f"keep its initial type, {known}, and is {kind}"
        remedy = "return this type from start, or in fm.Stop(message, memory)"
        _check.refuse(owner, "memory", value, must, remedy=remedy)
    if hasattr(value, "_fields"):
        for i, part in enumerate(value):
            require_memory(name, part, before if before is _NOTHING else before[i])
    return value


def _kind(value: Any) -> str:
    """Kind of a memory; empty for what a checkpoint cannot keep."""
    if value is None:
        return "None"
    if hasattr(value, "_fields"):
        return type(value).__qualname__
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype}" if value.dtype.kind in "biufc" else ""
    if not isinstance(value, bool | int | float | np.generic):
        return ""
    dtype = np.asarray(value).dtype  # object where an int has more than 64 bits
    return f"{dtype}" if dtype.kind in "biuf" else ""
