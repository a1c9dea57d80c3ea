"""Fibers and bodies coupled at the attachments: residual and tangent of the whole.

State: ``y`` holds the node positions and theta-tangents (n_nodes, 6) and then the coordinates q of
the skeleton; ``v`` their rates. Attached nodes depend on q. Sources: Gfrerer and Simeon (2021),
eqs. 54-64: with the constraints x_D = c(q) and v_D = C(q) p on position and velocity level the
multipliers follow from the rows of the attached nodes (eq. 62) and act on q through C^T (eq. 63):
index 1.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import sparse
from numpy.typing import NDArray

from fibermsk.errors import ModelError
from fibermsk.guard import Guard, guarded
from fibermsk.kernels import attachment, bending, cable, safeguard
from fibermsk.laws import _check
from fibermsk.linalg import LineMatrix
from fibermsk.model import Model, MovingPoint
from fibermsk.model.plausible import remarks
from fibermsk.protocol import BorderedMatrix, Evaluation, Frames, Tolerance, Verdict
from fibermsk.results import Result
from fibermsk.system import norms
from fibermsk.system.attachments import Attachments
from fibermsk.system.breakpoints import find_breakpoints
from fibermsk.system.cables import build_cables
from fibermsk.system.contact import ContactSearch
from fibermsk.system.contact_sets import Border
from fibermsk.system.diagnose import flawed_term, suspects
from fibermsk.system.energy import Energy, energy
from fibermsk.system.identity import fingerprint
from fibermsk.system.loads import Loads
from fibermsk.system.observe import observe, stress_remark
from fibermsk.system.partners import build_partners
from fibermsk.system.passing import Judge
from fibermsk.system.pickling import check_picklable
from fibermsk.system.pullback import Pullback
from fibermsk.system.skeleton import Skeleton
from fibermsk.system.start import check_start
from fibermsk.system.tension import TensionProbe
from fibermsk.system.tree import Tree

__all__ = ["KEEP_STRETCH", "FiberSystem", "build"]

Array = NDArray[np.float64]

# No update may take more than this part of the stretch away at once.
KEEP_STRETCH = 0.2


def build(model: Model) -> FiberSystem:
    """Number a model, check what only its geometry shows, and allocate.

    Parameters
    ----------
    model : Model
        The description; it is not changed and not kept in sync.

    Returns
    -------
    system : FiberSystem
        Ready for `equilibrium` and `simulate`.

    Raises
    ------
    ModelError
        If the model is incomplete, a path misses its attachment, or a fiber starts inadmissibly
        deep in a bone or in another fiber.

    Warns
    -----
    ModelWarning
        If a number is hardly meant, such as an angle in degrees, or line muscles exert no force.
    """
    _check.instance("build", "model", model, Model, "a Model")
    model.validate()
    system = FiberSystem(model.copy())
    for remark in remarks(model, dict(zip(system.cables.names, system.cables.length, strict=True))):
        warnings.warn(remark, stacklevel=3)
    return system


class FiberSystem:
    """Equations of motion of a model; satisfies `fibermsk.protocol.System`.

    It remembers what it evaluated last, so one thread at a time may use it. A copy or a pickle is
    built anew from the model.

    Attributes
    ----------
    model : Model
        What was built.
    guard : Guard
        Which thread uses the system.
    skeleton, cables, partners
        Its arrays.
    moving_points : list of (int, MovingPoint)
        Nodes that are moved as given, and by what.
    breakpoints : (n,) float array
        Times at which a signal is not smooth [s].
    """

    def __init__(self, model: Model) -> None:
        self.model, self.guard = model, Guard(f"the system of model {model.name!r}")
        self.skeleton = Skeleton(model)
        start = self.skeleton.at(self.skeleton.start)
        self.cables = build_cables(model, self.tree, start.links)
        self.partners = build_partners(model, self.tree)
        self.contact = ContactSearch(self.cables, self.partners, self.tree)
        self.attached = Attachments(self.cables, self.skeleton)
        self.tension = TensionProbe(self.cables)
        self._n_x = 6 * self.cables.n_nodes
        self.moving_points = [
            (node, point)
            for node, f, end in zip(
                self.cables.attached_nodes,
                self.cables.point_fiber,
                self.cables.point_end,
                strict=True,
            )
            if isinstance(point := model.fibers[f].attach[end], MovingPoint)
        ]
        self.loads = Loads(model, self.cables, self.tree.gravity)
        self.breakpoints = find_breakpoints(model, self.skeleton.constraints)
        self._lines = np.empty((self.cables.n_nodes, 3, 6, 6))
        self._evaluated: Array | None = None
        self._judge = Judge(self)
        check_start(self)

    def __reduce__(self) -> tuple[Any, ...]:
        check_picklable(self.model)
        return build, (self.model,)

    def __copy__(self) -> FiberSystem:
        return build(self.model)

    def __deepcopy__(self, memo: dict[int, Any]) -> FiberSystem:
        return build(self.model)

    @property
    def tree(self) -> Tree:
        """Axes of the joints and the bodies on them."""
        return self.skeleton.tree

    @property
    def n(self) -> int:
        """Number of unknowns: six a node, and the coordinates of the skeleton."""
        return self._n_x + self.skeleton.n

    @property
    def scale(self) -> Array:
        """Reference length of the fiber for node unknowns [m], 1 for coordinates."""
        counts = np.diff(self.cables.node_start)
        return np.r_[np.repeat(self.cables.length, 6 * counts), np.ones(self.skeleton.n)]

    def next_breakpoint(self, t: float, t_end: float) -> float:
        """Next corner of a signal after t, or t_end."""
        k = int(np.searchsorted(self.breakpoints, t, side="right"))
        return min(float(self.breakpoints[k]), t_end) if k < self.breakpoints.size else t_end

    def split(self, y: Array) -> tuple[Array, Array]:
        """Views of the node part (n_nodes, 6) and of the coordinate part of y or v."""
        return y[: self._n_x].reshape(-1, 6), y[self._n_x :]

    def initial_state(self) -> tuple[Array, Array]:
        """Reference configuration, at rest but for the start speeds and what they move."""
        y = np.r_[self.cables.reference.ravel(), self.skeleton.start]
        v = np.r_[np.zeros(self._n_x), self.skeleton.start_speed]
        return y, self.enforce(y, v)

    def attachment_hessian(self, q: Array) -> sparse.COO:
        """Rank-3 tensor dC/dq (3 n_points, n, n) of the attachment map, with C = dc/dq."""
        return self.attached.hessian(np.asarray(q, float))

    def error_size(self, dy: Array, dv: Array | None, tolerance: Tolerance) -> float:
        """Largest error of any fiber or coordinate over its tolerance."""
        return norms.error_size(self, dy, dv, tolerance)

    def drift(self, t: float, y: Array, v: Array) -> tuple[float, float]:
        """Largest |x_D - c(q)| [m] and |v_D - C(q) p| [m/s] of any attached end."""
        return norms.drift(self, t, y, v)

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions at time t after an increment; attached nodes are put where they belong."""
        new = y + increment
        nodes, q = self.split(new)
        constraints = self.skeleton.constraints
        if constraints.held.size:
            q[constraints.held] = constraints.at(t, 0)
        nodes[self.cables.attached_nodes, :3] = self.attached.place(self.skeleton.at(q)).c
        for node, point in self.moving_points:
            nodes[node, :3] = point.position_at(t)
        return new

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with v_D = C(q) p, and at a given time those of the prescribed motions.

        Without `derive`, ends on moving points of which only positions are given keep theirs.
        """
        new = v.copy()
        nodes, p = self.split(new)
        _, q = self.split(y)
        constraints = self.skeleton.constraints
        if t is not None and constraints.held.size:
            p[constraints.held] = constraints.at(t, 1)
        motion = self.skeleton.evaluate(q, p, np.zeros_like(p))
        C = self.attached.place(motion).C
        nodes[self.cables.attached_nodes, :3] = C @ motion.speed
        given, _ = self.split(v)
        for node, point in self.moving_points:
            if t is not None and (derive or point.gives_rates):
                nodes[node, :3] = point.velocity_at(t)
            else:
                nodes[node, :3] = given[node, :3]
        return new

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Accelerations likewise, of attached nodes C(q) p_dot + (dC/dq p) p."""
        new = v_dot.copy()
        nodes, p_dot = self.split(new)
        (_, q), (_, p) = self.split(y), self.split(v)
        constraints = self.skeleton.constraints
        if t is not None and constraints.held.size:
            p_dot[constraints.held] = constraints.at(t, 2)
        motion = self.skeleton.evaluate(q, p, p_dot)
        ends = self.attached.place(motion)
        slope = self.attached.velocity_slope(motion, ends)
        nodes[self.cables.attached_nodes, :3] = ends.C @ motion.rate + slope @ motion.speed
        given, _ = self.split(v_dot)
        for node, point in self.moving_points:
            if t is not None and (derive or point.gives_rates):
                nodes[node, :3] = point.acceleration_at(t)
            else:
                nodes[node, :3] = given[node, :3]
        return new

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
        cables, skeleton = self.cables, self.skeleton
        (nodes, q), (velocity, p), (acceleration, p_dot) = map(self.split, (y, v, v_dot))
        external, activation = self.loads.at(t)
        motion = skeleton.evaluate(q, p, p_dot, second=tangent)
        ends = self.attached.place(motion)
        admissibility = self.contact.evaluate(nodes, motion.links)
        self._evaluated, self._motion, self._ends = y, motion, ends
        residual = np.zeros(self.n)
        r_nodes, r_q = self.split(residual)
        r_nodes -= external
        lines = self._lines  # left as they are, a matrix's until the next tangent is asked for
        fibers = (
            cables.element_start, nodes, velocity, acceleration, cables.elements, cables.h,
            cables.xi, cables.weight, cables.area, cables.G0, cables.law, activation, cables.mass,
        )  # fmt: skip
        bent = (
            cables.element_start, nodes, cables.elements, cables.h, cables.xi, cables.weight,
            cables.bending,
        )  # fmt: skip
        if tangent:
            lines[:] = 0.0
            cable.assemble_cable(*fibers, 1.0, dv_dy, dv_dy * dvdot_dv, r_nodes, lines)
        else:
            cable.cable_residual(*fibers, r_nodes)
        if cables.bent.size and tangent:
            bending.assemble_bending(*bent, r_nodes, lines)
        elif cables.bent.size:
            bending.bending_residual(*bent, r_nodes)
        # contact and bodies act on the axes of the joints, and then on the coordinates
        pullback = Pullback(skeleton, motion, self._n_x, tangent)
        on_axes = pullback.border
        couplings = self.contact.scatter(
            Border(r_nodes, on_axes.force, lines, on_axes.B, on_axes.R, on_axes.D), tangent
        )
        pullback.add_bodies(dv_dy, dvdot_dv)
        B, R, D = pullback.columns(), pullback.rows(), pullback.corner()
        if D.size:
            rates_of_ends = self.attached.slopes(motion, ends, dv_dy, dvdot_dv, rates)
            attachment.end_rates(
                nodes, velocity, cables.elements, cables.h, cables.xi, cables.weight, cables.area,
                cables.G0, cables.law, activation, cables.mass, cables.end_element,
                cables.end_side, *rates_of_ends, B,
            )  # fmt: skip
        reactions = np.empty((ends.c.shape[0], 3))
        attachment.eliminate_attached(
            cables.elements, cables.end_element, cables.end_side, cables.node_start,
            self.attached.jacobian(motion, ends), cables.attached, cables.fiber, couplings.first,
            couplings.second, couplings.entry_start, couplings.entries, couplings.row_start,
            couplings.row_node, couplings.column, couplings.block_start, couplings.upper,
            couplings.lower, tangent, r_nodes, r_q, lines, B, R, D, reactions,
        )  # fmt: skip
        if tangent:
            self.attached.add_curvature(motion, ends, reactions, on_axes.D)
            pullback.finish(D, ends.C, reactions)
        pull = r_q.copy()
        r_q += skeleton.from_axes(motion, on_axes.force)
        skeleton.passive.add(motion.rows, q, p, p_dot, r_q)
        moments = np.abs(pull) + np.abs(r_q - pull)
        if moments.size:
            moments += np.abs(skeleton.from_axes(motion, self.tree.weight(motion.links)))
        if tangent:
            skeleton.passive.add_tangent(motion.rows, q, p, p_dot, dv_dy, dvdot_dv, D)
        skeleton.constraints.reduce(motion.rows, dv_dy, dvdot_dv, r_q, B, R, D, tangent)
        matrix = None
        if tangent:
            matrix = BorderedMatrix(LineMatrix(cables.node_start, lines, couplings), B, R, D)
        flaw = "" if np.isfinite(residual).all() else flawed_term(self, t, y, v, v_dot, residual)
        unbalanced = max(
            norms.imbalance(r_nodes, self.tension.round_off, (external, reactions)),
            norms.imbalance(r_q, 0.0, (moments,)),
        )
        return Evaluation(residual, matrix, admissibility, reactions, flaw, unbalanced)

    @guarded
    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Safeguard of an update from y; see `fibermsk.protocol.System`."""
        limit = self.skeleton.step_limit(self.split(y)[1], self.split(increment)[1])
        self.look_at(y)
        nodes, q = self.split(y)
        update, update_q = self.split(limit * increment)
        on_axes = self.skeleton.to_axes(self._motion, update_q)
        update[self.cables.attached_nodes, :3] = self._ends.C @ on_axes
        cables = self.cables
        fraction = safeguard.stretch_fraction(
            nodes, update, cables.elements, cables.h, cables.xi, KEEP_STRETCH
        )
        stray = self.attached.stray(self._motion, nodes, on_axes, self.skeleton.excess(q, update_q))
        return limit * self.contact.step_fraction(update, on_axes, stray, fraction, keep)

    def must_look_at(self, y: Array) -> bool:
        """Whether the contact points are those of other positions than y."""
        return self._evaluated is not y

    @guarded
    def look_at(self, y: Array) -> None:
        """Find bodies and contact points at positions y, if it is not there that they are known."""
        if not self.must_look_at(y):
            return
        nodes, q = self.split(y)
        self._motion = self.skeleton.at(q)
        self._ends = self.attached.place(self._motion)
        self.contact.evaluate(nodes, self._motion.links)
        self._evaluated = y

    @guarded
    def begin(self, t: float, y: Array) -> bool:
        """Start of a run: contact points by the present spacing; see `protocol.Collides`."""
        spacing = self.contact.spacing
        known = spacing.memory()
        spacing.clear()
        self.contact.candidates.forget()
        self.forget()
        self.refine_along(t, y)
        verdict = self.judge((t, y), (t, y))
        while verdict.refined:
            verdict = self.judge((t, y), (t, y))
        if verdict.reason:
            raise ModelError(
                f"model {self.model.name!r}: in the start state {verdict.reason}; move the fibers "
                "apart, or start from another state"
            )
        return any(not np.array_equal(known[key], now) for key, now in spacing.memory().items())

    @guarded
    def judge(self, before: tuple[float, Array], after: tuple[float, Array]) -> Verdict:
        """Whether anything passes through anything between two states."""
        return self._judge(before, after) if self.partners.points.size else Verdict()

    @guarded
    def refine_along(self, t: float, y: Array) -> bool:
        """Add contact points where the spacing at y asks for it."""
        if not self.partners.points.size:
            return False
        if self.must_look_at(y):
            nodes, q = self.split(y)
            self.contact.locate(nodes, self.skeleton.at(q).links)
            self.forget()
        refined = self.contact.refine_along()
        if refined:
            self.forget()
        return refined

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        if unknown >= self._n_x:
            return self.skeleton.independent[unknown - self._n_x]
        node, component = divmod(unknown, 6)
        fiber = int(np.searchsorted(self.cables.node_start, node, side="right")) - 1
        local = node - self.cables.node_start[fiber]
        kind = ("x", "y", "z", "tangent x", "tangent y", "tangent z")[component]
        return f"{self.cables.names[fiber]} node {local}, {kind}"

    @guarded
    def check_inputs(self, times: Array) -> None:
        """Check every function of time at the given times."""
        self.loads.inputs.check(times)
        for _, point in self.moving_points:
            point.check_at(times)

    @guarded
    def memory(self) -> dict[str, Array]:
        """What the contact search remembers."""
        return self.contact.memory()

    @guarded
    def restore(self, memory: dict[str, Array]) -> None:
        """Go on from a `memory`; what was evaluated before is forgotten."""
        self.contact.restore(memory)
        self.forget()
        self.loads.forget()

    @guarded
    def identity(self, times: Array) -> dict[str, str]:
        """Fingerprint of each named part of the model as numbered."""
        return fingerprint(self, times)

    @guarded
    def observe(self, frames: Frames) -> Result:
        """Everything that is reported of a run; see `fibermsk.protocol.System`."""
        activations = np.array([self.loads.activations(float(t)) for t in frames.t])
        self.contact.release()  # the reports have contact points of their own
        self.forget()
        parts = self.skeleton, self.cables, self.partners
        result = observe(self.model, *parts, activations, frames)
        remark = stress_remark(self.model, result)
        if remark is not None:
            warnings.warn(remark, stacklevel=4)
        return result

    @guarded
    def energy(self, y: Array, v: Array) -> Energy:
        """Energies of a state; active stress has none, nor contact by half passes."""
        result = energy(self, y, v)
        self.forget()
        return result

    @property
    def fiber_names(self) -> tuple[str, ...]:
        """Names of the fibers."""
        return self.cables.names

    @guarded
    def least_tension(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber [N], and the theta where it is."""
        (nodes, _), (velocity, _) = self.split(y), self.split(v)
        return self.tension.least(nodes, velocity, self.loads.activations(t))

    @guarded
    def suspects(self, t: float, y: Array, v: Array) -> list[str]:
        """Likely causes of a failed step, from the state it started from."""
        found = suspects(self, t, y, v)
        self.forget()
        return found

    def forget(self) -> None:
        """Contact was evaluated elsewhere: find it anew where it is needed next."""
        self._evaluated = None
