"""The equations of motion of fibers on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.gpu.arrays import copy_cables
from fibermsk.gpu.border import Elimination
from fibermsk.gpu.contact import DeviceContact
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends
from fibermsk.gpu.matrix import DeviceMatrix
from fibermsk.guard import guarded
from fibermsk.kernels import bending, cable
from fibermsk.kernels.safeguard import fill_stretch_fraction
from fibermsk.protocol import Evaluation, Frames, Tolerance, Verdict
from fibermsk.results import Result
from fibermsk.system import KEEP_STRETCH, FiberSystem
from fibermsk.system.norms import imbalance

__all__ = ["DeviceSystem"]

Array = NDArray[np.float64]


class DeviceSystem:
    """Equations of motion of a model; satisfies `System` and `Offloaded`.

    Vectors lie on the device. What a Newton iteration needs is computed there, but for the few
    joint coordinates: their tree is the host's work. Loads are sampled and candidates for contact
    found on the host when they change. Reports are made by the host.

    Parameters
    ----------
    host : FiberSystem
        The same model, with one fiber or more.
    device : Device
        Where to compute.
    """

    def __init__(self, host: FiberSystem, device: Device) -> None:
        self.host, self.device, self.guard = host, device, host.guard
        cables, xp = host.cables, device.xp
        at = self._at = copy_cables(cables, device)
        self._ends = Ends(device, at, host)
        self._elimination = Elimination(device, at, self._ends)
        self._contact = DeviceContact(device, at, cables, host.contact.spacing, self._ends)
        self._n_x = 6 * cables.n_nodes
        self._lines = xp.zeros((cables.n_nodes, 3, 6, 6))
        self._found = xp.zeros(cables.h.size)
        self._least, self._where, self._which = (
            xp.zeros(len(cables.names), kind) for kind in (float, int, int)
        )
        self._loads: tuple[Any, Any, Any, Any] = (None, None, None, None)
        self._scale = device.to_device(host.scale)
        self._evaluated: Any = None

    @property
    def n(self) -> int:
        """Number of unknowns: six a node, and the joint coordinates."""
        return self.host.n

    @property
    def scale(self) -> Any:
        """Reference length of the fiber for node unknowns [m], 1 for coordinates."""
        return self._scale

    def to_host(self, array: Any) -> Array:
        """An array of NumPy with the contents of one of the device."""
        return array if isinstance(array, np.ndarray) else self.device.to_host(array)

    def from_host(self, array: Array) -> Any:
        """Copy of an array of NumPy, of the device."""
        return self.device.to_device(np.ascontiguousarray(array))

    def next_breakpoint(self, t: float, t_end: float) -> float:
        """Next corner of a signal after t, or t_end."""
        return self.host.next_breakpoint(t, t_end)

    def initial_state(self) -> tuple[Any, Any]:
        """Reference configuration, at rest but for the start speeds and what they move."""
        y, v = self.host.initial_state()
        return self.from_host(y), self.from_host(v)

    def retract(self, t: float, y: Any, increment: Any) -> Any:
        """Positions at time t after an increment; attached nodes are put where they belong."""
        new = y + increment
        self._ends.retract(t, new)
        return new

    def enforce(self, y: Any, v: Any, t: float | None = None, *, derive: bool = True) -> Any:
        """Velocities with v_D = C(q) p, and at a given time those of the prescribed motions."""
        new = v.copy()
        self._ends.enforce(y, new, t, derive)
        return new

    def enforce_rate(
        self, y: Any, v: Any, v_dot: Any, t: float | None = None, *, derive: bool = True
    ) -> Any:
        """Accelerations likewise, C(q) p_dot + (dC/dq p) p."""
        new = v_dot.copy()
        self._ends.enforce_rate(y, v, new, t, derive)
        return new

    def _loads_at(self, t: float) -> tuple[Any, Any]:
        """Nodal forces (n_nodes, 6) and activation of every element, copied when they change."""
        external, activation = self.host.loads.at(t)
        force_of, force, activation_of, active = self._loads
        if force_of is not external:
            force = self.from_host(external)
        if activation_of is not activation:
            active = self.from_host(activation)
        self._loads = (external, force, activation, active)
        return force, active

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
        n_x, lines, ends, tree = self._n_x, self._lines, self._ends, self.host.tree
        passive = self.host.skeleton.passive
        nodes, velocity, acceleration = (part[:n_x].reshape(-1, 6) for part in (y, v, v_dot))
        external, activation = self._loads_at(t)
        q, p, p_dot = ends.coordinates(y, v, v_dot)
        links = ends.at(q, p, p_dot)
        self._follow_host(y)  # a run of the host may have changed it
        admissibility = self._contact.evaluate(nodes, links)
        self._evaluated, self._links = y, links
        residual, r_q = np.zeros_like(y), np.zeros(tree.n)
        r_nodes = residual[:n_x].reshape(-1, 6)
        r_nodes -= external
        border = self._elimination.clear() if tangent else None
        if tangent:
            lines[...] = 0.0
        self._add_elements(
            nodes, velocity, acceleration, activation, dv_dy, dv_dy * dvdot_dv, r_nodes, tangent
        )
        couplings = self._contact.scatter(r_nodes, r_q, lines, border)
        tree.dynamics(links.state, r_q)
        passive.add(None, q, p, p_dot, r_q)
        reactions, levers = self._elimination.take_reactions(links, r_nodes)
        pull = np.trace(levers, axis1=0, axis2=2)
        moments = abs(pull) + abs(r_q) + abs(tree.weight(links.state))
        r_q += pull
        if tree.n:
            residual[n_x:] = self.from_host(r_q)
        matrix = None
        if border is not None:
            if tree.n:
                by_q, by_p, mass = tree.slopes(links.state, p, p_dot)
                border.D[:] += by_q + dv_dy * by_p + (dv_dy * dvdot_dv) * mass
                passive.add_tangent(None, q, p, p_dot, dv_dy, dvdot_dv, border.D)
                fibers = self._fibers(nodes, velocity, activation)
                rates_of = (v[n_x:], v_dot[n_x:], dv_dy, dvdot_dv, rates)
                self._elimination.add_rates(links, fibers, *rates_of, border)
            self._elimination.reduce(links, levers, lines, couplings, border)
            matrix = DeviceMatrix(
                self.device, self._at.node_start, lines, couplings, self._contact.groups, border
            )
        flaw = ""
        if not bool(self.device.xp.isfinite(residual).all()):
            y, v, v_dot = map(self.to_host, (y, v, v_dot))
            flaw = self.host.evaluate(t, y, v, v_dot, tangent=False).flaw
            flaw = flaw or f"the residual on the device {self.device.name!r}"
        unbalanced = max(
            imbalance(r_nodes, self.host.tension.round_off, (external, reactions)),
            imbalance(r_q, 0.0, (moments,)),
        )
        return Evaluation(residual, matrix, admissibility, reactions, flaw, unbalanced)

    def begin(self, t: float, y: Any) -> bool:
        """Start of a run; see `fibermsk.protocol.Collides`."""
        changed = self.host.begin(t, self.to_host(y))
        self._follow_host(y)
        return changed

    def judge(self, before: tuple[float, Any], after: tuple[float, Any]) -> Verdict:
        """Verdict on a motion, by the host; see `fibermsk.protocol.Collides`."""
        (t0, y0), (t1, y1) = before, after
        verdict = self.host.judge((t0, self.to_host(y0)), (t1, self.to_host(y1)))
        self._follow_host(y1)
        return verdict

    def refine_along(self, t: float, y: Any) -> bool:
        """Add contact points where the spacing at y asks for it."""
        refined = self.host.refine_along(t, self.to_host(y))
        self._follow_host(y)
        return refined

    def _follow_host(self, y: Any) -> None:
        """Take contact points with the spacing of the host around positions y, if it is new."""
        if self._contact.revision == self.host.contact.spacing.revision:
            return
        self._contact = self._new_contact()
        self._links = self._ends.at(*self._ends.coordinates(y))
        self._contact.evaluate(y[: self._n_x].reshape(-1, 6), self._links)
        self._evaluated = y

    def _new_contact(self) -> DeviceContact:
        """Contact with the points that the spacing of the host asks for."""
        host = self.host
        return DeviceContact(self.device, self._at, host.cables, host.contact.spacing, self._ends)

    def _add_elements(
        self,
        nodes: Any,
        velocity: Any,
        acceleration: Any,
        activation: Any,
        cv: float,
        ca: float,
        residual: Any,
        tangent: bool,
    ) -> None:
        """Add what the elements contribute: one task each, every other element of a fiber first."""
        at, launch = self._at, self.device.launch
        fibers = (nodes, velocity, acceleration, *self._fibers(nodes, velocity, activation)[2:])
        bent = (nodes, at.elements, at.h, at.xi, at.weight, at.bending)
        for half in at.halves:
            if tangent:
                launch(cable.add_tangent, half, (*fibers, 1.0, cv, ca, residual, self._lines))
            else:
                launch(cable.add_residual, half, (*fibers, residual))
        for half in at.bent_halves:
            if tangent:
                launch(bending.add_tangent, half, (*bent, residual, self._lines))
            else:
                launch(bending.add_residual, half, (*bent, residual))

    def _fibers(self, nodes: Any, velocity: Any, activation: Any) -> tuple[Any, ...]:
        """Arguments of bodies that look at the elements of all fibers."""
        at = self._at
        return (
            nodes, velocity, at.elements, at.h, at.xi, at.weight, at.area, at.G0, at.law,
            activation, at.mass,
        )  # fmt: skip

    @guarded
    def step_fraction(self, y: Any, increment: Any, keep: float) -> float:
        """Safeguard of an update from y; see `fibermsk.protocol.System`."""
        at, n_x = self._at, self._n_x
        nodes = y[:n_x].reshape(-1, 6)
        if self._evaluated is not y:
            self._links = self._ends.at(*self._ends.coordinates(y))
            self._contact.evaluate(nodes, self._links)
            self._evaluated = y
        moves = self._ends.update(self._links, increment)
        update, update_q = moves[:n_x].reshape(-1, 6), moves[n_x:]
        self.device.launch(
            fill_stretch_fraction, int(at.h.size),
            (nodes, update, at.elements, at.h, at.xi, KEEP_STRETCH, self._found),
        )  # fmt: skip
        remainder = self._ends.remainder(self._links, nodes, *self._ends.coordinates(moves))
        fraction = float(self._found.min())
        return self._contact.step_fraction(update, update_q, remainder, fraction, keep)

    @property
    def fiber_names(self) -> tuple[str, ...]:
        """Names of the fibers."""
        return self.host.fiber_names

    @guarded
    def least_tension(self, t: float, y: Any, v: Any) -> tuple[Array, Array]:
        """Least axial force of each fiber [N], and the theta where it is."""
        at, cables = self._at, self.host.cables
        _, activation = self._loads_at(t)
        nodes, velocity = (part[: self._n_x].reshape(-1, 6) for part in (y, v))
        self.device.launch(
            cable.least_force, len(cables.names),
            (
                at.element_start, nodes, velocity, at.elements, at.h, at.xi, at.area, at.G0,
                at.law, activation, self._least, self._where, self._which,
            ),
        )  # fmt: skip
        least, e, k = map(self.device.to_host, (self._least, self._where, self._which))
        theta = cables.theta[cables.elements[e, 0]] + cables.h[e] * cables.xi[k]
        return self.host.tension.rounded(least), theta

    @guarded
    def memory(self) -> dict[str, Array]:
        """What the contact search remembers."""
        return self._contact.memory()

    @guarded
    def restore(self, memory: dict[str, Array]) -> None:
        """Go on from a `memory`; what was evaluated before is forgotten."""
        start = self.host.skeleton.start
        if memory:
            self.host.contact.spacing.restore(memory)
            self._contact = self._new_contact()
        self._contact.restore(memory, self._ends.at(start))
        self._evaluated = None
        self.host.loads.forget()

    def identity(self, times: Array) -> dict[str, str]:
        """Fingerprint of each named part of the model as numbered, and the backend."""
        return {**self.host.identity(times), "the backend": self.device.name}

    def observe(self, frames: Frames) -> Result:
        """Everything that is reported of a run; see `fibermsk.protocol.System`."""
        return self.host.observe(frames)

    def suspects(self, t: float, y: Any, v: Any) -> list[str]:
        """Likely causes of a failed step, from the state it started from."""
        return self.host.suspects(t, self.to_host(y), self.to_host(v))

    def error_size(self, dy: Any, dv: Any, tolerance: Tolerance) -> float:
        """Largest error of any fiber over its tolerance."""
        dy, dv = (None if part is None else self.to_host(part) for part in (dy, dv))
        return self.host.error_size(dy, dv, tolerance)

    def drift(self, t: float, y: Any, v: Any) -> tuple[float, float]:
        """Largest distance of an attached end from its place [m], and its velocity there [m/s]."""
        return self.host.drift(t, self.to_host(y), self.to_host(v))

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        return self.host.describe(unknown)

    @guarded
    def check_inputs(self, times: Array) -> None:
        """Check every activation and load at the given times."""
        self.host.check_inputs(times)
