"""The system of a model: its equations of motion, and what solvers and reports ask of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import sparse
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.guard import Guard, guarded
from fibermsk.kernels import safeguard
from fibermsk.model import Model
from fibermsk.model.plausible import remarks
from fibermsk.protocol import Evaluation, Frames, Tolerance, Verdict
from fibermsk.results import Result
from fibermsk.system import norms
from fibermsk.system.assembly import Assembly
from fibermsk.system.breakpoints import find_breakpoints
from fibermsk.system.configuration import Configuration
from fibermsk.system.contributions import (
    Bending,
    Bodies,
    BoneContact,
    Contribution,
    FiberContact,
    Fibers,
    PassiveJoints,
    Slopes,
)
from fibermsk.system.diagnose import flawed_term, suspects
from fibermsk.system.energy import Energy, energy
from fibermsk.system.identity import fingerprint
from fibermsk.system.loads import Loads
from fibermsk.system.observe import observe, stress_remark
from fibermsk.system.passing import Judge
from fibermsk.system.pickling import check_picklable
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
    contributions, elements : tuple of Contribution
        All of the physics, and the part of it that the elements of the model bring.
    breakpoints : (n,) float array
        Times at which a signal is not smooth [s].
    """

    def __init__(self, model: Model) -> None:
        self.model, self.guard = model, Guard(f"the system of model {model.name!r}")
        own = self.configuration = Configuration(model)
        self.skeleton, self.cables, self.partners = own.skeleton, own.cables, own.partners
        self.contact, self.attached, self.moving_points = (
            own.contact, own.attached, own.moving_points,
        )  # fmt: skip
        self.tension = TensionProbe(self.cables)
        self.loads = Loads(model, self.cables, self.tree.gravity)
        self.breakpoints = find_breakpoints(model, self.skeleton.constraints)
        self.elements = tuple(element.contribute(own) for element in model.elements)
        self.contributions: tuple[Contribution, ...] = (
            Fibers(model, self.cables, self.loads, self.tension),
            *([Bending(self.cables)] if self.cables.bent.size else []),
            FiberContact(self.contact),
            BoneContact(self.contact),
            Bodies(model, self.skeleton),
            PassiveJoints(self.skeleton.passive),
            *self.elements,
        )
        parts = self.cables, self.skeleton, self.attached, self.contributions
        self._assemble = Assembly(*parts, self.tension.round_off)
        self._judge = Judge(own)
        nodes, q = own.split(own.start()[0])
        owner, links = f"model {model.name!r}", self.skeleton.at(q).links
        check_start(owner, self.cables, self.partners, self.tree, nodes, links)

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
        return self.configuration.n

    @property
    def scale(self) -> Array:
        """Reference length of the fiber for node unknowns [m], 1 for coordinates."""
        return self.configuration.scale

    def next_breakpoint(self, t: float, t_end: float) -> float:
        """Next corner of a signal after t, or t_end."""
        k = int(np.searchsorted(self.breakpoints, t, side="right"))
        return min(float(self.breakpoints[k]), t_end) if k < self.breakpoints.size else t_end

    def split(self, y: Array) -> tuple[Array, Array]:
        """Views of the node part (n_nodes, 6) and of the coordinate part of y or v."""
        return self.configuration.split(y)

    def initial_state(self) -> tuple[Array, Array]:
        """Reference configuration, at rest but for the start speeds and what they move."""
        return self.configuration.start()

    def attachment_hessian(self, q: Array) -> sparse.COO:
        """Rank-3 tensor dC/dq (3 n_points, n, n) of the attachment map, with C = dc/dq."""
        return self.attached.hessian(np.asarray(q, float))

    def error_size(self, dy: Array, dv: Array | None, tolerance: Tolerance) -> float:
        """Largest error of any fiber or coordinate over its tolerance."""
        rates = None if dv is None else self.split(dv)
        return norms.error_size(self.cables, self.split(dy), rates, tolerance)

    def drift(self, t: float, y: Array, v: Array) -> tuple[float, float]:
        """Largest |x_D - c(q)| [m] and |v_D - C(q) p| [m/s] of any attached end.

        Or from the velocity of a moving point where it is given.
        """
        at = self.cables.attached_nodes
        off = self.split(y - self.retract(t, y, np.zeros_like(y)))[0][at, :3]
        slip = self.split(v - self.enforce(y, v, t, derive=False))[0][at, :3]
        return norms.longest(off), norms.longest(slip)

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions at time t after an increment; attached nodes are put where they belong."""
        return self.configuration.retract(t, y, increment)

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with v_D = C(q) p, and at a given time those of the prescribed motions.

        Without `derive`, ends on moving points of which only positions are given keep theirs.
        """
        return self.configuration.enforce(y, v, t, derive=derive)

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Accelerations likewise, of attached nodes C(q) p_dot + (dC/dq p) p."""
        return self.configuration.enforce_rate(y, v, v_dot, t, derive=derive)

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
        at, admissibility = self.configuration.at(t, y, v, v_dot, second=tangent)
        found = self._assemble(at, Slopes(dv_dy, dvdot_dv, rates) if tangent else None)
        flaw = ""
        if not np.isfinite(found.residual).all():
            unknowns = {"position": y, "velocity": v, "acceleration": v_dot}
            flaw = flawed_term(self.contributions, at, unknowns, found.residual, self.describe)
        return Evaluation(
            found.residual, found.matrix, admissibility, found.reactions, flaw, found.imbalance
        )

    @guarded
    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Safeguard of an update from y; see `fibermsk.protocol.System`."""
        limit = self.skeleton.step_limit(self.split(y)[1], self.split(increment)[1])
        self.configuration.look_at(y)
        nodes, q = self.split(y)
        update, update_q = self.split(limit * increment)
        on_axes = self.skeleton.to_axes(self.configuration.motion, update_q)
        update[self.cables.attached_nodes, :3] = self.configuration.ends.C @ on_axes
        cables = self.cables
        fraction = safeguard.stretch_fraction(
            nodes, update, cables.elements, cables.h, cables.xi, KEEP_STRETCH
        )
        stray = self.attached.stray(
            self.configuration.motion, nodes, on_axes, self.skeleton.excess(q, update_q)
        )
        return limit * self.contact.step_fraction(update, on_axes, stray, fraction, keep)

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
        if self.configuration.must_look_at(y):
            nodes, q = self.split(y)
            self.contact.locate(nodes, self.skeleton.at(q).links)
            self.forget()
        refined = self.contact.refine_along()
        if refined:
            self.forget()
        return refined

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        return self.configuration.describe(unknown)

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
        moving = [point for _, point in self.moving_points]
        parts = self.cables, moving, self.breakpoints
        return fingerprint(self.contributions, *parts, times)

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
        at, _ = self.configuration.at(np.nan, y, v, np.zeros_like(v))
        self.forget()
        return energy(self.contributions, at)

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
        at, _ = self.configuration.at(t, y, v, np.zeros_like(v))
        self.forget()
        return suspects(self.contributions, at)

    def forget(self) -> None:
        """Contact was evaluated elsewhere: find it anew where it is needed next."""
        self.configuration.forget()
