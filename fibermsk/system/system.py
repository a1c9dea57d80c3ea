"""The system of a model: equations of motion, and queries of solvers and reports."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np
import sparse
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.guard import Guard, guarded
from fibermsk.model import Model
from fibermsk.parameters import Parameters
from fibermsk.protocol import (
    NO_MULTIPLIERS,
    Collides,
    Evaluation,
    Tolerance,
    Verdict,
)
from fibermsk.system import norms
from fibermsk.system.activation.states import ActivationStates
from fibermsk.system.assembly import Assembly
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import Contribution, Slopes, contribution_of
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.tension import TensionProbe
from fibermsk.system.friction.forces import (
    NAME as FRICTION,
    FrictionForces,
    free_name,
    has_friction,
)
from fibermsk.system.fused import FusedEvaluation, covers
from fibermsk.system.optional import HasMemory, HasStepFraction, HasTouching
from fibermsk.system.parts import Parts, same_start
from fibermsk.system.physics import physics_of
from fibermsk.system.pickling import check_picklable
from fibermsk.system.projection import Projection
from fibermsk.system.recorder import Recorder
from fibermsk.system.reporting import Reporting
from fibermsk.system.reports.diagnose import flawed_term
from fibermsk.system.reports.element_fields import ElementFields
from fibermsk.system.reports.identity import fingerprint
from fibermsk.system.reports.moment import Moment
from fibermsk.system.signals import Inputs, all_signals, corners, delayed
from fibermsk.system.start import check_start
from fibermsk.system.varying import Varying


class FiberSystem(Reporting, Varying):
    """Equations of motion of a model; satisfies `fibermsk.protocol.System`.

    It caches its last evaluation, so one thread at a time may use it. Copies and pickles are
    rebuilt from the model.

    Attributes
    ----------
    model : Model
        The description.
    guard : Guard
        Lock for one thread at a time.
    skeleton, cables, partners
        Arrays of the model.
    tree : Tree
        Axes of the joints and the bodies on them.
    fiber_names : tuple of str
        Names of the fibers.
    moving_points : list of (int, MovingPoint)
        Nodes with prescribed motion, and the points that prescribe it.
    contributions : tuple of Contribution
        All contributions to the equations of motion.
    named_elements : dict of Contribution
        Contributions of the elements of the model, by name.
    inputs : Inputs
        Functions of time that may keep state.
    states : tuple of StateBlock
        Unknowns of first order; see `fibermsk.protocol.HasStates`.
    multipliers : Multipliers
        Constraints on the coordinates.
    breakpoints : (n,) float array
        Times at which a signal is not smooth [s].
    """

    def __init__(self, model: Model, before: tuple[FiberSystem, Parts] | None = None) -> None:
        self.model, self.guard = model, Guard(f"the system of model {model.name!r}")
        own, owner = Configuration(model, before and before[1]), f"model {model.name!r}"
        self.configuration = own
        self.skeleton, self.cables, self.partners = own.skeleton, own.cables, own.partners
        self.contact, self.attached = own.contact, own.attached
        self.tree, self.moving_points = own.tree, own.moving_points
        self.fiber_names = self.cables.names
        self.tension = TensionProbe(self.cables, own.axial_forces)
        activation = ActivationStates(model, own)
        self.loads = Loads(model, self.cables, self.tree.bodies.gravity, activation.state_of)
        self.named_elements = {one.name: contribution_of(one, own) for one in model.elements}
        if has_friction(self.partners):
            self.named_elements[free_name(model)] = FrictionForces(own)
        self.contributions: tuple[Contribution, ...] = (
            *physics_of(model, own, self.loads, self.tension, activation.state_of_muscle),
            *([activation] if activation.groups else []),
            *self.named_elements.values(),
        )
        self._limiting = [one for one in self.contributions if isinstance(one, HasStepFraction)]
        self._colliding = [one for one in self.contributions if isinstance(one, Collides)]
        touching = [one.touching for one in self.contributions if isinstance(one, HasTouching)]
        self._touching = [one for one in touching if one.n]
        self._recorder = Recorder(self.contributions, own, self._unforced)
        self._remembering = [one for one in self.contributions if isinstance(one, HasMemory)]
        signals = all_signals(self.contributions, model.elements)
        self.inputs = Inputs(signals)
        knots = self.skeleton.constraints.knots
        self.breakpoints = delayed(
            np.unique(np.concatenate([corners(signals), *knots])), self._recorder.delays.values()
        )
        parts = self.cables, self.skeleton, self.attached, self.contributions
        self._assemble = Assembly(*parts, self.tension.round_off)
        self.states, self.multipliers = tuple(own.states.blocks), self._assemble.multipliers
        self._projection = Projection(own, self.multipliers)
        if self.multipliers.holding:
            self.multipliers.leave_out(own, owner, told=before is not None)
        if self._recorder.delays:
            self.hold(0.0, *self.initial_state())
        if before is not None and same_start(own.parts, before[0].configuration.parts):
            return
        nodes, q = own.split(own.start()[0])
        links = self.skeleton.at(q).links
        check_start(owner, self.cables, self.partners, self.tree, nodes, links)

    def __reduce__(self) -> tuple[Any, ...]:
        check_picklable(self.model)
        return FiberSystem, (self.model,)

    def __copy__(self) -> FiberSystem:
        return FiberSystem(self.model.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> FiberSystem:
        return FiberSystem(self.model.copy())

    @cached_property
    def parameters(self) -> Parameters:
        """Numbers of the model by path, with units, ranges and descriptions."""
        return Parameters(self.model)

    def with_parameters(self, values: Mapping[str, Any]) -> FiberSystem:
        """New system with other parameter values, bitwise identical to one built with them.

        `values` are by path or pattern, as in `fibermsk.with_parameters`. Arrays that do not depend
        on them are shared: numbering, unchanged fibers, bodies, fields of bone meshes. Warns of
        implausible new values.

        Raises
        ------
        ModelError
            If a path, a shape or a value is wrong, or the model cannot be built with the values.
        """
        from fibermsk.system.build import rebuild

        return rebuild(self, values)

    @cached_property
    def _fused(self) -> FusedEvaluation | None:
        """Evaluation in few compiled calls, of models of which it knows all parts."""
        own, tension = self.configuration, self.tension
        if not covers(own, self.contributions, self.multipliers, tension):
            return None
        return FusedEvaluation(own, self.loads, tension, self.skeleton.passive)

    @property
    def n(self) -> int:
        """Number of unknowns: six per node, the coordinates of the skeleton, and the states."""
        return self.configuration.n

    @property
    def scale(self) -> Array:
        """Reference length of the fiber for node unknowns [m], 1 for coordinates; state scales."""
        return self.configuration.scale

    def next_breakpoint(self, t: float, t_end: float) -> float:
        """Next corner of a signal after t, or t_end."""
        k = int(np.searchsorted(self.breakpoints, t, side="right"))
        return min(float(self.breakpoints[k]), t_end) if k < self.breakpoints.size else t_end

    def split(self, y: Array) -> tuple[Array, Array]:
        """Views of the node part (n_nodes, 6) and of the coordinate part of y or v."""
        return self.configuration.split(y)

    def initial_state(self) -> tuple[Array, Array]:
        """Reference configuration, at rest except for the initial speeds."""
        y, v = self.configuration.start()
        if self.multipliers.holding:
            _, p = self.split(v)
            moving = np.flatnonzero(p)
            p += self.multipliers.completion(self.configuration.kinematics(0.0, y, v), moving)
            v = self.enforce(y, v)
        return y, v

    def held(self, t: float, y: Array) -> tuple[NDArray[np.int64], Array]:
        """Constrained unknowns; see `fibermsk.protocol.Projects`."""
        at = self.configuration.kinematics(t, y)
        own, G = self.multipliers.held(at)
        whole, first = np.zeros((own.size, self.n)), at.nodes.size
        whole[:, first : first + self.skeleton.n] = G
        return first + own, whole

    def project(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Project positions and velocities onto the constraints of contributions."""
        if not self.multipliers.holding:
            return y, v
        return self._projection.project(t, y, v)

    def attachment_hessian(self, q: Array) -> sparse.COO:
        """Rank-3 tensor dC/dq (3 n_points, n, n) of the attachment map, with C = dc/dq."""
        return self.attached.hessian(np.asarray(q, float))

    def error_size(self, dy: Array, dv: Array | None, tolerance: Tolerance) -> float:
        """Largest error of any fiber, coordinate or state over its tolerance."""
        own = self.configuration
        rates = None if dv is None else self.split(dv)
        positions = *self.split(dy), own.states_of(dy) / own.states.scale
        return norms.error_size(self.cables, positions, rates, tolerance)

    def drift(self, t: float, y: Array, v: Array) -> tuple[float, float]:
        """Largest |x_D - c(q)| [m] and |v_D - C(q) p| [m/s] of any attached end.

        Includes the error from given velocities of moving points, and g and g_dot of constraints.
        """
        at = self.cables.attached_nodes
        off = self.split(y - self.retract(t, y, np.zeros_like(y)))[0][at, :3]
        slip = self.split(v - self.enforce(y, v, t, derive=False))[0][at, :3]
        drifts = norms.longest(off), norms.longest(slip)
        if not self.multipliers.holding:
            return drifts
        open_by, opening = self.multipliers.drift(self.configuration.kinematics(t, y, v))
        return max(drifts[0], open_by), max(drifts[1], opening)

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions at time t after an increment; attached nodes are moved to their attachments."""
        return (self._fused or self.configuration).retract(t, y, increment)

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with v_D = C(q) p, and those of prescribed motions if t is given.

        Without `derive`, ends on moving points with only prescribed positions keep theirs.
        """
        return (self._fused or self.configuration).enforce(y, v, t, derive=derive)

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Accelerations as in `enforce`, of attached nodes C(q) p_dot + (dC/dq p) p."""
        return (self._fused or self.configuration).enforce_rate(y, v, v_dot, t, derive=derive)

    @guarded
    def evaluate(
        self,
        t: float,
        y: Array,
        v: Array,
        v_dot: Array,
        dv_dy: float = 0.0,
        dvdot_dv: float = 0.0,
        *,
        rates: bool = False,
        tangent: bool = True,
    ) -> Evaluation:
        """Residual M v_dot - forces and its tangent; see `fibermsk.protocol.System`."""
        self.inputs.ask_again(t)
        if self._fused is not None:
            slopes = Slopes(dv_dy, dvdot_dv, rates) if tangent else None
            evaluation = self._fused(t, y, v, v_dot, slopes)
            if evaluation is not None:
                return evaluation
        at, admissibility = self.configuration.at(t, y, v, v_dot, second=tangent)
        found = self._assemble(at, Slopes(dv_dy, dvdot_dv, rates) if tangent else None)
        flaw = ""
        if not np.isfinite(found.residual).all():
            unknowns = {"position": y, "velocity": v, "acceleration": v_dot}
            flaw = flawed_term(self.contributions, at, unknowns, found.residual, self.describe)
        return Evaluation(
            found.residual, found.matrix, admissibility, found.reactions, flaw, found.imbalance,
            found.multipliers,
        )  # fmt: skip

    @guarded
    def rate_forces(self, t: float, y: Array, v: Array, v_dot: Array) -> Array | None:
        """Forces of a residual that rates change; see `fibermsk.protocol.HasRateForces`."""
        own = self.configuration
        if (
            self._fused is not None
            or not self.partners.points.size
            or self.multipliers.any
            or own.states.n > own.states.n_free
        ):
            return None
        at, _ = own.at(t, y, v, v_dot)
        return self._assemble.of_rates(at)

    def marching(self) -> Any:
        """The equations as one compiled loop; see `fibermsk.protocol.Marches`."""
        return self._march

    @cached_property
    def _march(self) -> Any:
        from fibermsk.system.forward import ForwardMarch  # compiles only where it is used

        return ForwardMarch(self)

    def frictionless(self) -> AbstractContextManager[None]:
        """Context in which evaluations have no friction; see `fibermsk.protocol.Rubs`."""
        friction = self.named_elements.get(FRICTION)
        return friction.left_out() if isinstance(friction, FrictionForces) else nullcontext()

    @guarded
    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Safeguard of an update from y; see `fibermsk.protocol.System`."""
        if self._fused is not None:
            found = self._fused.step_fraction(y, increment, keep)
            if found is not None:
                return found
        limit = self.skeleton.step_limit(self.split(y)[1], self.split(increment)[1])
        wanted, fraction = self.configuration.update(y, limit * increment, keep), 1.0
        for one in self._limiting:
            fraction = one.step_fraction(wanted, fraction)
        return limit * fraction

    def rounded(self) -> AbstractContextManager[None]:
        """Context of couplings in single precision; see `fibermsk.protocol.Rounds`."""
        return self.configuration.contact.rounded()

    def freeze(self, t: float, y: Array, other: Array) -> list[str]:
        """Freeze contact points that jump on the way to another y; see `Freezes`."""
        ways = [self.configuration.kinematics(t, one) for one in (other, y)]
        return self.configuration.contact.freeze([(at.nodes, at.motion.links) for at in ways])

    def thaw(self) -> None:
        """Release them; see `fibermsk.protocol.Freezes`."""
        self.configuration.contact.thaw()

    @guarded
    def begin(self, t: float, y: Array) -> bool:
        """Start a run; see `fibermsk.protocol.Collides`."""
        at = self.configuration.kinematics(t, y)
        self.multipliers.check(at)
        for touching in self._touching:
            touching.check(self.model)
        # check the fields of elements before the run
        ElementFields(self.named_elements, 1, self.configuration.states).put(0, at, NO_MULTIPLIERS)
        return any([one.begin(t, y) for one in self._colliding])

    @property
    def shortest_delay(self) -> tuple[float, str]:
        """Shortest delay [s] and its name; see `fibermsk.protocol.Records`."""
        return self._recorder.shortest

    def record(self, t: float, y: Array, v: Array) -> None:
        """Record an accepted state; see `fibermsk.protocol.Records`."""
        self._recorder.record(t, y, v)

    def hold(self, t: float, y: Array, v: Array, values: Array | None = None) -> Array:
        """Start a new past at a state; see `fibermsk.protocol.Records`."""
        return self._recorder.hold(t, y, v, values)

    def confirm(self, t: float, y: Array, v: Array) -> None:
        """Refuse the past of another measure; see `fibermsk.protocol.Records`."""
        self._recorder.confirm(t, y, v)

    def _unforced(self, t: float, y: Array, v: Array) -> Moment:
        """State by name; the forces of attachments and constraints, not known yet, are NaN."""
        reactions = np.full((self.cables.end_element.size, 3), np.nan)
        return self.moment(t, y, v, reactions)

    @guarded
    def judge(self, before: tuple[float, Array], after: tuple[float, Array]) -> Verdict:
        """Check the motion between two states for collisions."""
        verdict = Verdict()
        for one in self._colliding:
            found = one.judge(before, after)
            if found.reason or found.refined:
                return found
            verdict = min(verdict, found, key=lambda each: each.admissibility)
        return verdict

    @guarded
    def refine_along(self, t: float, y: Array) -> bool:
        """Add contact points where y requires it; see `fibermsk.protocol.Collides`."""
        return any([one.refine_along(t, y) for one in self._colliding])

    @property
    def n_switches(self) -> int:
        """Number of angles of exact paths with mass; see `fibermsk.protocol.Switches`."""
        return sum(one.n for one in self._touching)

    def switch_angles(self, t: float, y: Array) -> Array:
        """Their values [rad]; see `fibermsk.protocol.Switches`."""
        return self._touching[0].angles(self.configuration.kinematics(t, y))

    def switch_slope(self, t: float, y: Array, k: int) -> Array:
        """Derivatives (n,) of angle k; see `fibermsk.protocol.Switches`."""
        out = np.zeros_like(y)
        self.split(out)[1][:] = self._touching[0].slope(self.configuration.kinematics(t, y), k)
        return out

    def hold_sides(self, sides: Array | None) -> None:
        """Keep surfaces touched or not; see `fibermsk.protocol.Switches`."""
        self._touching[0].hold(sides)

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        return self.configuration.describe(unknown)

    @guarded
    def check_inputs(self, times: Array) -> None:
        """Check every function of time at the given times."""
        self.inputs.check(times)
        for _, point in self.moving_points:
            point.check_at(times)

    @guarded
    def memory(self) -> dict[str, Array]:
        """Memories of the contributions, by number and name."""
        return {
            f"{k}.{name}": array
            for k, one in enumerate(self._remembering)
            for name, array in one.memory().items()
        }

    @guarded
    def restore(self, memory: dict[str, Array]) -> None:
        """Restore a `memory`; cached evaluations are invalidated."""
        for k, one in enumerate(self._remembering):
            own = f"{k}."
            found = {name: array for name, array in memory.items() if name.startswith(own)}
            one.restore({name.removeprefix(own): array for name, array in found.items()})
        self.forget()
        self.loads.forget()

    @guarded
    def identity(self, times: Array) -> dict[str, str]:
        """Fingerprint of each named part of the numbered model."""
        moving = [point for _, point in self.moving_points]
        parts = self.cables, moving, self.states, self.breakpoints
        return fingerprint(self.contributions, *parts, times)

    def moment(
        self, t: float, y: Array, v: Array, reactions: Array, multipliers: Array = NO_MULTIPLIERS
    ) -> Moment:
        """One state by name; see `fibermsk.protocol.Legible`."""
        return Moment(self, t, y, v, (reactions, multipliers))
