"""The equations of motion of fibers on a device."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import copy_cables
from fibermsk.gpu.assembly import DeviceAssembly
from fibermsk.gpu.contact.search import DeviceContact
from fibermsk.gpu.contribution import DeviceAt, at_on_host
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends
from fibermsk.gpu.twins import DeviceFibers, Parts, contributions_of, remembering
from fibermsk.guard import guarded
from fibermsk.parameters import Parameters
from fibermsk.protocol import Evaluation, Frames, PartObserver, Tolerance, Verdict
from fibermsk.results import Result
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import Slopes, Update
from fibermsk.system.optional import HasStepFraction


class DeviceSystem:
    """Equations of motion of a model on a device; satisfies `System` and `Offloaded`.

    Vectors are on the device, where Newton iterations run. On the host are the tree of the joint
    coordinates, states and constraints, loads when they change, colors of fibers, and reports.
    Raises ModelError if an element acts on fibers.
    """

    def __init__(self, host: FiberSystem, device: Device) -> None:
        self.host, self.device, self.guard = host, device, host.guard
        cables = host.cables
        at = copy_cables(cables, device)
        self._ends = ends = Ends(device, at, host)
        self._contact = DeviceContact(device, at, host.contact.spacing, ends)
        self._n_x = 6 * cables.n_nodes
        parts = Parts(device, at, ends, self._contact, host)
        contributions = contributions_of(parts)
        self._assemble = DeviceAssembly(parts, contributions)
        self._limiting = [one for one in contributions if isinstance(one, HasStepFraction)]
        (self._fibers,) = (one for one in contributions if isinstance(one, DeviceFibers))
        self._remembering = remembering(host)
        self.n, self.fiber_names, self.states = host.n, host.fiber_names, host.states
        self.scale: Any = device.to_device(host.scale)
        self._evaluated: Any = None

    @property
    def parameters(self) -> Parameters:
        """Numbers of the model by path; see `FiberSystem.parameters`."""
        return self.host.parameters

    def with_parameters(self, values: Mapping[str, Any]) -> DeviceSystem:
        """The same system with other values; see `FiberSystem.with_parameters`."""
        return DeviceSystem(self.host.with_parameters(values), self.device)

    def to_host(self, array: Any) -> Array:
        """Copy a device array to NumPy."""
        return array if isinstance(array, np.ndarray) else self.device.to_host(array)

    def from_host(self, array: Array) -> Any:
        """Copy a NumPy array to the device."""
        return self.device.to_device(np.ascontiguousarray(array))

    def next_breakpoint(self, t: float, t_end: float) -> float:
        """Next corner of a signal after t, or t_end."""
        return self.host.next_breakpoint(t, t_end)

    def initial_state(self) -> tuple[Any, Any]:
        """Reference configuration, at rest except for the initial speeds."""
        y, v = self.host.initial_state()
        return self.from_host(y), self.from_host(v)

    def retract(self, t: float, y: Any, increment: Any) -> Any:
        """Positions at time t after an increment; attached nodes are moved to their attachments."""
        new = y + increment
        self._ends.retract(t, new)
        return new

    def enforce(self, y: Any, v: Any, t: float | None = None, *, derive: bool = True) -> Any:
        """Velocities with v_D = C(q) p, and those of prescribed motions if t is given."""
        new = v.copy()
        self._ends.enforce(y, new, t, derive)
        return new

    def enforce_rate(
        self, y: Any, v: Any, v_dot: Any, t: float | None = None, *, derive: bool = True
    ) -> Any:
        """Accelerations as in `enforce`, C(q) p_dot + (dC/dq p) p."""
        new = v_dot.copy()
        self._ends.enforce_rate(y, v, new, t, derive)
        return new

    def _nodes(self, vector: Any) -> Any:
        """View of the node part (n_nodes, 6)."""
        return vector[: self._n_x].reshape(-1, 6)

    @guarded
    def evaluate(
        self,
        t: float,
        y: Any,
        v: Any,
        v_dot: Any,
        dv_dy: float = 0.0,
        dvdot_dv: float = 0.0,
        *,
        rates: bool = False,
        tangent: bool = True,
    ) -> Evaluation:
        """Residual M v_dot - forces and its tangent; see `fibermsk.protocol.System`."""
        ends = self._ends
        self.host.inputs.ask_again(t)
        border = ends.border(y, v, v_dot)
        links = ends.at(*(part for part, _ in border), second=tangent)
        self._follow_host(y)  # a run of the host may have changed the spacing
        nodes, velocity, acceleration = (self._nodes(part) for part in (y, v, v_dot))
        admissibility = self._contact.evaluate(nodes, links)
        self._evaluated, self._links = y, links
        on_host = at_on_host(t, border, links.motion)
        at = DeviceAt(nodes, velocity, acceleration, links, on_host)
        found = self._assemble(at, Slopes(dv_dy, dvdot_dv, rates) if tangent else None)
        flaw = ""
        if not bool(self.device.xp.isfinite(found.residual).all()):
            y, v, v_dot = map(self.to_host, (y, v, v_dot))
            flaw = self.host.evaluate(t, y, v, v_dot, tangent=False).flaw
            flaw = flaw or f"the residual on the device {self.device.name!r}"
        return Evaluation(
            found.residual, found.matrix, admissibility, found.reactions, flaw, found.imbalance,
            found.multipliers,
        )  # fmt: skip

    def rounded(self) -> AbstractContextManager[None]:
        """Context of couplings in single precision; see `fibermsk.protocol.Rounds`."""
        return self._contact.rounded()

    def begin(self, t: float, y: Any) -> bool:
        """Start a run; see `fibermsk.protocol.Collides`."""
        changed = self.host.begin(t, self.to_host(y))
        self._follow_host(y)
        return changed

    def judge(self, before: tuple[float, Any], after: tuple[float, Any]) -> Verdict:
        """Check a motion on the host; see `fibermsk.protocol.Collides`."""
        (t0, y0), (t1, y1) = before, after
        verdict = self.host.judge((t0, self.to_host(y0)), (t1, self.to_host(y1)))
        self._follow_host(y1)
        return verdict

    def refine_along(self, t: float, y: Any) -> bool:
        """Add contact points where the spacing at y requires it."""
        refined = self.host.refine_along(t, self.to_host(y))
        self._follow_host(y)
        return refined

    def _follow_host(self, y: Any) -> None:
        """Update contact points if the spacing of the host has changed."""
        if self._contact.follow_spacing():
            self._look_at(y)

    def _look_at(self, y: Any) -> None:
        """Update links and contact points to positions y."""
        self._links = self._ends.at(*self._ends.coordinates(y))
        self._contact.evaluate(self._nodes(y), self._links)
        self._evaluated = y

    def search_again(self, y: Any) -> None:
        """Search the candidate pairs at positions y, although the present ones may be valid."""
        self._contact.forget()
        self._look_at(y)

    @guarded
    def step_fraction(self, y: Any, increment: Any, keep: float) -> float:
        """Safeguard of an update from y; see `fibermsk.protocol.System`."""
        if self._evaluated is not y:
            self._look_at(y)
        limit = self._ends.step_limit(y, increment)
        moves, axes, stray = self._ends.update(self._links, y, limit * increment)
        wanted, fraction = Update(self._nodes(y), self._nodes(moves), axes, stray, keep), 1.0
        for one in self._limiting:
            fraction = one.step_fraction(wanted, fraction)
        return limit * fraction

    def held(self, t: float, y: Any) -> tuple[NDArray[np.int64], Array]:
        """Constrained unknowns on the host; see `fibermsk.protocol.Projects`."""
        return self.host.held(t, self.to_host(y))

    def project(self, t: float, y: Any, v: Any) -> tuple[Any, Any]:
        """Project positions and velocities onto the constraints, which have coordinates alone."""
        if not self.host.multipliers.holding:
            return y, v
        (q, _), (p, _) = self._ends.border(y, v)
        at, rates = self.host.initial_state()
        self.host.split(at)[1][:], self.host.split(rates)[1][:] = q, p
        found = self.host.project(t, at, rates)
        own = slice(self._n_x, self._n_x + q.size)
        y, v = y.copy(), v.copy()
        y[own], v[own] = (self.from_host(self.host.split(one)[1]) for one in found)
        y = self.retract(t, y, 0.0)
        return y, self.enforce(y, v)

    @property
    def shortest_delay(self) -> tuple[float, str]:
        """Shortest delay [s] and its name; see `fibermsk.protocol.Records`."""
        return self.host.shortest_delay

    def record(self, t: float, y: Any, v: Any) -> None:
        """Record an accepted state on the host; see `fibermsk.protocol.Records`."""
        if np.isfinite(self.shortest_delay[0]):
            self.host.record(t, self.to_host(y), self.to_host(v))

    def hold(self, t: float, y: Any, v: Any, values: Array | None = None) -> Array:
        """Start a new past at a state; see `fibermsk.protocol.Records`."""
        return self.host.hold(t, self.to_host(y), self.to_host(v), values)

    def confirm(self, t: float, y: Any, v: Any) -> None:
        """Refuse the past of another measure; see `fibermsk.protocol.Records`."""
        self.host.confirm(t, self.to_host(y), self.to_host(v))

    @property
    def n_switches(self) -> int:
        """Number of angles of exact paths with mass; see `fibermsk.protocol.Switches`."""
        return self.host.n_switches

    def switch_angles(self, t: float, y: Any) -> Array:
        """Their values [rad], on the host; see `fibermsk.protocol.Switches`."""
        return self.host.switch_angles(t, self.to_host(y))

    def switch_slope(self, t: float, y: Any, k: int) -> Any:
        """Derivatives (n,) of angle k; see `fibermsk.protocol.Switches`."""
        return self.from_host(self.host.switch_slope(t, self.to_host(y), k))

    def hold_sides(self, sides: Array | None) -> None:
        """Keep surfaces touched or not; see `fibermsk.protocol.Switches`."""
        self.host.hold_sides(sides)

    @guarded
    def least_tension(self, t: float, y: Any, v: Any) -> tuple[Array, Array]:
        """Least axial force of each fiber [N], and its theta."""
        ((_, states),) = self._ends.border(y)
        return self._fibers.least_tension(t, self._nodes(y), self._nodes(v), states)

    @guarded
    def memory(self) -> dict[str, Array]:
        """Internal state of the contact search, and of contributions of the host by number."""
        of_host = {
            f"{k}.{name}": array
            for k, one in enumerate(self._remembering)
            for name, array in one.memory().items()
        }
        return {**self._contact.memory(), **of_host}

    @guarded
    def restore(self, memory: dict[str, Array]) -> None:
        """Restore a `memory`; cached evaluations are invalidated."""
        start = self.host.skeleton.start
        for k, one in enumerate(self._remembering):
            own = f"{k}."
            found = {name: array for name, array in memory.items() if name.startswith(own)}
            one.restore({name.removeprefix(own): array for name, array in found.items()})
        memory = {name: array for name, array in memory.items() if "." not in name}
        if memory:
            self.host.contact.spacing.restore(memory)
            self._contact.follow_spacing()
        self._contact.restore(memory, self._ends.at(start))
        self._evaluated = None
        self.host.loads.forget()

    def identity(self, times: Array) -> dict[str, str]:
        """Fingerprint of each named part of the numbered model, and the backend."""
        return {**self.host.identity(times), "the backend": self.device.name}

    def observe(self, frames: Frames) -> Result:
        """Result of a run; see `fibermsk.protocol.System`."""
        return self.host.observe(frames)

    def observation(self) -> PartObserver:
        """Results of a run part by part; see `fibermsk.protocol.ObservesParts`."""
        return self.host.observation()

    def cuts(self, t: float, y: Any, v: Any, reactions: Array) -> Array:
        """Forces through cuts of the fibers, on the host; see `fibermsk.protocol.HasCuts`."""
        return self.host.cuts(t, self.to_host(y), self.to_host(v), reactions)

    def suspects(self, t: float, y: Any, v: Any) -> list[str]:
        """Likely causes of a failed step from this state."""
        return self.host.suspects(t, self.to_host(y), self.to_host(v))

    def error_size(self, dy: Any, dv: Any, tolerance: Tolerance) -> float:
        """Largest error of any fiber over its tolerance."""
        dy, dv = (None if part is None else self.to_host(part) for part in (dy, dv))
        return self.host.error_size(dy, dv, tolerance)

    def drift(self, t: float, y: Any, v: Any) -> tuple[float, float]:
        """Largest drift of an attached end in position [m] and velocity [m/s]."""
        return self.host.drift(t, self.to_host(y), self.to_host(v))

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        return self.host.describe(unknown)

    @guarded
    def check_inputs(self, times: Array) -> None:
        """Check every activation and load at the given times."""
        self.host.check_inputs(times)
