"""The arrays of a model, which unknown is whose, and what follows of positions.

State: ``y`` holds the node positions and theta-tangents (n_nodes, 6) and then the coordinates q of
the skeleton; ``v`` their rates. Attached nodes depend on q, and prescribed entries on the time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fibermsk.model import Model, MovingPoint
from fibermsk.system.attachments import Attachments, Ends
from fibermsk.system.cables import build_cables
from fibermsk.system.contact import ContactSearch
from fibermsk.system.contributions import At
from fibermsk.system.partners import build_partners
from fibermsk.system.skeleton import Motion, Skeleton
from fibermsk.system.tree import Tree

__all__ = ["Configuration"]

Array = NDArray[np.float64]


class Configuration:
    """Fibers, bodies and contacts as arrays, with the positions they were last looked at in.

    Parameters
    ----------
    model : Model
        What to number.

    Attributes
    ----------
    skeleton, cables, partners, attached, contact
        Its parts.
    moving_points : list of (int, MovingPoint)
        Nodes that are moved as given, and by what.
    motion, ends : Motion, Ends
        Bodies and attached ends where they were last looked at.
    """

    motion: Motion
    ends: Ends

    def __init__(self, model: Model) -> None:
        self.skeleton = Skeleton(model)
        start = self.skeleton.at(self.skeleton.start)
        self.cables = build_cables(model, self.tree, start.links)
        self.partners = build_partners(model, self.tree)
        self.contact = ContactSearch(self.cables, self.partners, self.tree)
        self.attached = Attachments(self.cables, self.skeleton)
        cables = self.cables
        ends = zip(cables.attached_nodes, cables.point_fiber, cables.point_end, strict=True)
        self.moving_points = [
            (node, point)
            for node, f, end in ends
            if isinstance(point := model.fibers[f].attach[end], MovingPoint)
        ]
        self._n_x = 6 * cables.n_nodes
        self._looked_at: Array | None = None

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

    def split(self, y: Array) -> tuple[Array, Array]:
        """Views of the node part (n_nodes, 6) and of the coordinate part of y or v."""
        return y[: self._n_x].reshape(-1, 6), y[self._n_x :]

    def describe(self, unknown: int) -> str:
        """Name of an unknown, such as "biceps_1 node 4, x"."""
        if unknown >= self._n_x:
            return self.skeleton.independent[unknown - self._n_x]
        return self.cables.describe(*divmod(unknown, 6))

    def start(self) -> tuple[Array, Array]:
        """Reference configuration, at rest but for the start speeds and what they move."""
        y = np.r_[self.cables.reference.ravel(), self.skeleton.start]
        v = np.r_[np.zeros(self._n_x), self.skeleton.start_speed]
        return y, self.enforce(y, v)

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
        self._lead(nodes, given, t, derive, MovingPoint.velocity_at)
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
        self._lead(nodes, given, t, derive, MovingPoint.acceleration_at)
        return new

    def _lead(
        self,
        nodes: Array,
        given: Array,
        t: float | None,
        derive: bool,
        rate: Callable[[MovingPoint, float], Array],
    ) -> None:
        """Put rates of moving points at a time on their nodes, or those that are given."""
        for node, point in self.moving_points:
            if t is not None and (derive or point.gives_rates):
                nodes[node, :3] = rate(point, t)
            else:
                nodes[node, :3] = given[node, :3]

    def at(
        self, t: float, y: Array, v: Array, v_dot: Array, *, second: bool = False
    ) -> tuple[At, float]:
        """Look at a state: its kinematics, and the least 1 + gamma g of its contact points."""
        (nodes, q), (velocity, p), (acceleration, p_dot) = map(self.split, (y, v, v_dot))
        self.motion = self.skeleton.evaluate(q, p, p_dot, second=second)
        self.ends = self.attached.place(self.motion)
        admissibility = self.contact.evaluate(nodes, self.motion.links)
        self._looked_at = y
        kinematics = (nodes, velocity, acceleration, q, p, p_dot, self.motion, self.ends)
        return At(t, *kinematics), admissibility

    def must_look_at(self, y: Array) -> bool:
        """Whether the contact points are those of other positions than y."""
        return self._looked_at is not y

    def look_at(self, y: Array) -> None:
        """Find bodies and contact points at positions y, if it is not there that they are known."""
        if not self.must_look_at(y):
            return
        nodes, q = self.split(y)
        self.motion = self.skeleton.at(q)
        self.ends = self.attached.place(self.motion)
        self.contact.evaluate(nodes, self.motion.links)
        self._looked_at = y

    def forget(self) -> None:
        """Contact was evaluated elsewhere: find it anew where it is needed next."""
        self._looked_at = None
