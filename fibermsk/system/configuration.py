"""Arrays of a model, numbering of its unknowns, and kinematics.

State: ``y`` holds the node positions and theta-tangents (n_nodes, 6), then the coordinates q of the
skeleton, and then the states of first order; ``v`` their rates. Attached nodes depend on q,
prescribed entries on time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._ranges import sizes
from fibermsk.model import Model, MovingPoint
from fibermsk.protocol import Followers
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contribution import At, Update
from fibermsk.system.fibers.attachments import Attachments
from fibermsk.system.fibers.tension import AxialForce
from fibermsk.system.parts import Parts, build_parts
from fibermsk.system.skeleton.link_points import PointsAt
from fibermsk.system.skeleton.skeleton import Motion
from fibermsk.system.skeleton.tree import Tree
from fibermsk.system.states import StatesOfModel

ElementForces = Callable[[At, Array, Index, Array], None]
"""Adds minus the forces of each element alone to a residual (2 n_elements, 6): of a state, the same
nodes and the elements' own nodes (n_elements, 2) in them, which no two elements share."""


class Configuration:
    """Fibers, bodies and contacts as arrays, with cached kinematics of the last positions.

    Attributes
    ----------
    parts : Parts
        Arrays of the model.
    skeleton, cables, partners, attached, contact
        The individual arrays, and objects built from them.
    moving_points : list of (int, MovingPoint)
        Nodes with prescribed motion, and the points that prescribe it.
    states : StatesOfModel
        Unknowns of first order of all contributions.
    axial_forces : list of AxialForce
        Axial forces of contributions, in addition to the stress of the fibers.
    element_forces : list of ElementForces
        Forces of contributions on the elements, in addition to stress and bending.
    motion, ends : Motion, PointsAt
        Bodies and attached ends at the last positions.
    """

    motion: Motion
    ends: PointsAt
    _pose: tuple[Motion, PointsAt]
    _pose_key: bytes | None

    def __init__(self, model: Model, parts: Parts | None = None) -> None:
        self.parts = build_parts(model) if parts is None else parts
        self.skeleton, self.cables, self.partners = self.parts
        self.contact = ContactSearch(self.cables, self.partners, self.tree)
        self.attached = Attachments(self.cables, self.skeleton)
        cables = self.cables
        ends = zip(cables.attached_nodes, cables.point_fiber, cables.end_side, strict=True)
        self.moving_points = [
            (node, point)
            for node, f, end in ends
            if isinstance(point := model.fibers[f].attach[end], MovingPoint)
        ]
        self.states = StatesOfModel()
        self.axial_forces: list[AxialForce] = []
        self.element_forces: list[ElementForces] = []
        self._n_x = 6 * cables.n_nodes
        self._second = self._n_x + self.skeleton.n  # unknowns of second order
        self._scale, self._pose_key = np.zeros(0), None
        self.forget()

    @property
    def tree(self) -> Tree:
        """Axes of the joints and the bodies on them."""
        return self.skeleton.tree

    @property
    def n(self) -> int:
        """Number of unknowns: six per node, the coordinates of the skeleton, and the states."""
        return self._second + self.states.n

    @property
    def scale(self) -> Array:
        """Reference length of the fiber for node unknowns [m], 1 for coordinates; state scales."""
        if self._scale.size != self.n:
            nodes = np.repeat(self.cables.length, 6 * sizes(self.cables.node_start))
            self._scale = np.concatenate([nodes, np.ones(self.skeleton.n), self.states.scale])
            self._scale.flags.writeable = False
        return self._scale

    def split(self, y: Array) -> tuple[Array, Array]:
        """Views of the node part (n_nodes, 6) and of the coordinate part of y or v."""
        return y[: self._n_x].reshape(-1, 6), y[self._n_x : self._second]

    def states_of(self, y: Array) -> Array:
        """View of the states of first order in y, or of their rates in v; (n_states,)."""
        return y[self._second :]

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        if unknown >= self._second:
            return self.states.describe(unknown - self._second)
        if unknown >= self._n_x:
            return self.skeleton.independent[unknown - self._n_x]
        return self.cables.describe(*divmod(unknown, 6))

    def start(self) -> tuple[Array, Array]:
        """Reference configuration, at rest except for the initial speeds."""
        y = np.r_[self.cables.reference.ravel(), self.skeleton.start, self.states.start]
        v = np.r_[np.zeros(self._n_x), self.skeleton.start_speed, np.zeros(self.states.n)]
        return y, self.enforce(y, v)

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions at time t after an increment; attached nodes are moved to their attachments."""
        new = y + increment
        nodes, q = self.split(new)
        constraints = self.skeleton.constraints
        if constraints.held.size:
            q[constraints.held] = constraints.at(t, 0)
        nodes[self.cables.attached_nodes, :3] = self.posed(q)[1].c
        for node, point in self.moving_points:
            nodes[node, :3] = point.position_at(t)
        return new

    def posed(self, q: Array) -> tuple[Motion, PointsAt]:
        """Bodies and attached ends at rest at coordinates q (n,), kept for the last of these."""
        key = q.tobytes()
        if key != self._pose_key:
            motion = self.skeleton.at(q.copy())
            self.keep_pose(q, motion, self.attached.place(motion))
        return self._pose

    def keep_pose(self, q: Array, motion: Motion, ends: PointsAt) -> None:
        """Keep bodies and attached ends at rest at coordinates q (n,), the last ones."""
        self._pose, self._pose_key = (motion, ends), q.tobytes()

    def lead(
        self,
        new: Array,
        given: Array,
        t: float | None,
        derive: bool,
        rate: Callable[[MovingPoint, float], Array] = MovingPoint.velocity_at,
    ) -> None:
        """Set the rates of nodes on moving points in new (n,): prescribed, or as given (n,)."""
        if not self.moving_points:
            return
        nodes, own = self.split(new)[0], self.split(given)[0]
        for node, point in self.moving_points:
            if t is not None and (derive or point.gives_rates):
                nodes[node, :3] = rate(point, t)
            else:
                nodes[node, :3] = own[node, :3]

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with v_D = C(q) p, and those of prescribed motions if t is given.

        Without `derive`, ends on moving points with only prescribed positions keep theirs.
        """
        new = v.copy()
        nodes, p = self.split(new)
        _, q = self.split(y)
        constraints = self.skeleton.constraints
        if t is not None and constraints.held.size:
            p[constraints.held] = constraints.at(t, 1)
        motion, ends = self.posed(q)
        nodes[self.cables.attached_nodes, :3] = ends.C @ self.skeleton.to_axes(motion, p)
        self.lead(new, v, t, derive)
        return new

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Accelerations as in `enforce`, of attached nodes C(q) p_dot + (dC/dq p) p."""
        new = v_dot.copy()
        nodes, p_dot = self.split(new)
        (_, q), (_, p) = self.split(y), self.split(v)
        constraints = self.skeleton.constraints
        if t is not None and constraints.held.size:
            p_dot[constraints.held] = constraints.at(t, 2)
        motion, (_, ends) = self.skeleton.evaluate(q, p, p_dot), self.posed(q)
        slope = self.attached.velocity_slope(motion, ends.C)
        nodes[self.cables.attached_nodes, :3] = ends.C @ motion.rate + slope @ motion.speed
        self.lead(new, v_dot, t, derive, MovingPoint.acceleration_at)
        return new

    def followers(self, y: Array, v: Array) -> Followers:
        """How attached ends follow the coordinates; see `fibermsk.protocol.Differentiable`."""
        (_, q), (_, p) = self.split(y), self.split(v)
        motion = self.skeleton.evaluate(q, p, np.zeros_like(p), second=True)
        ends = self.attached.place(motion)
        C = self.attached.jacobian(motion, ends)
        slope, _ = self.attached.slopes(motion, ends, 0.0, 0.0, False)
        n, attached = self.skeleton.n, 3 * self.cables.attached_nodes.size
        return Followers(
            (6 * self.cables.attached_nodes[:, None] + np.arange(3)).ravel(),
            self._n_x + np.arange(n),
            C.reshape(attached, n),
            slope.reshape(attached, n),
            self._n_x + self.skeleton.constraints.held,
        )

    def at(
        self, t: float, y: Array, v: Array, v_dot: Array | None = None, *, second: bool = False
    ) -> tuple[At, float]:
        """Evaluate the kinematics and the least 1 + gamma g of the contact points."""
        at = self.kinematics(t, y, v, v_dot, second=second)
        self.motion, self.ends = at.motion, at.ends
        # contact depends on positions alone
        if self.must_look_at(y):
            self._look(y)
        return at, self._admissibility

    def kinematics(
        self,
        t: float,
        y: Array,
        v: Array | None = None,
        v_dot: Array | None = None,
        *,
        second: bool = False,
        motion: Motion | None = None,
    ) -> At:
        """Kinematics of a state, without contact; rates that are left out are zero.

        `motion`: of the skeleton, where it is known.
        """
        v = np.zeros_like(y) if v is None else v
        v_dot = np.zeros_like(y) if v_dot is None else v_dot
        (nodes, q), (velocity, p), (acceleration, p_dot) = map(self.split, (y, v, v_dot))
        if motion is None:
            motion = self.skeleton.evaluate(q, p, p_dot, second=second)
        own = (nodes, velocity, acceleration, q, p, p_dot)
        n = self.states.n_free
        states, rates = self.states_of(y), self.states_of(v)
        points = states[n:], rates[n:]
        known = q.tobytes() == self._pose_key
        ends = self._pose[1] if known else self.attached.place(motion)
        return At(t, *own, states[:n], rates[:n], motion, ends, points=points)

    def must_look_at(self, y: Array) -> bool:
        """Whether the cached contact points belong to positions other than y."""
        # compared by value: the caller's array may have changed
        known = self._looked_at
        return not (self.contact.is_current and known.size == y.size and (known == y).all())

    def look_at(self, y: Array) -> None:
        """Update bodies and contact points to positions y, unless cached."""
        if not self.must_look_at(y):
            return
        _, q = self.split(y)
        self.motion, self.ends = self.posed(q)
        self._look(y)

    def _look(self, y: Array) -> None:
        """Evaluate the contact points at positions y, where the bodies are in their places."""
        self._looked_at = y.copy()
        nodes, _ = self.split(self._looked_at)
        self._admissibility = self.contact.evaluate(nodes, self.motion.links)

    def update(self, y: Array, increment: Array, keep: float) -> Update:
        """Update by an increment from y, which keeps a fraction of each admissibility."""
        self.look_at(y)
        nodes, q = self.split(y)
        way, way_q = self.split(increment)
        on_axes = self.skeleton.to_axes(self.motion, way_q)
        way[self.cables.attached_nodes, :3] = self.ends.C @ on_axes
        stray = self.attached.stray(self.motion, nodes, on_axes, self.skeleton.excess(q, way_q))
        return Update(nodes, way, on_axes, stray, keep)

    def forget(self) -> None:
        """Invalidate the cached contact points."""
        self._looked_at, self._admissibility = np.zeros(0), 1.0
