"""Inertia and weight of the bodies."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from fibermsk._arrays import Array
from fibermsk.kernels.skeleton import rigid
from fibermsk.model import Model
from fibermsk.system.contribution import At, Sums
from fibermsk.system.skeleton.skeleton import Skeleton


class Bodies:
    """Bodies of a skeleton."""

    def __init__(self, model: Model, skeleton: Skeleton) -> None:
        self._model, self._skeleton = model, skeleton

    def add(self, at: At, sums: Sums) -> None:
        """Add inertia and weight to the axes."""
        tree, motion = self._skeleton.tree, at.motion
        tree.dynamics(motion.links, sums.axes.force)
        if sums.slopes is not None:
            slopes = tree.slopes(motion.links, motion.speed, motion.rate)
            sums.follow_axes(self._skeleton, motion, *slopes)

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add inertia, and gravity to the applied forces."""
        tree, links = self._skeleton.tree, at.motion.links
        weight = tree.weight(links)
        tree.dynamics(links, inertia.axes.force)
        inertia.axes.force[:] += weight
        applied.axes.force[:] -= weight

    def energy(self, at: At) -> dict[str, float]:
        """Kinetic and gravitational energy [J]."""
        kinetic, gravity = rigid.kinetic_and_potential(at.motion.links, self._skeleton.tree.bodies)
        return {"kinetic": kinetic, "gravity": gravity}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Bodies, joints, passive forces of coordinates, and gravity."""
        skeleton, tree = self._skeleton, self._skeleton.tree
        *bodies, gravity = tree.bodies
        axes = [getattr(tree, f.name) for f in fields(tree) if f.name not in ("bodies", "frames")]
        bones = [*axes, *bodies]
        bones += [skeleton.coordinates, skeleton.independent, skeleton.start, skeleton.start_speed]
        bones += [repr(law) for c in self._model.coordinates for law in c.laws]
        if skeleton.map is not None:
            bones += [skeleton.map.n, *skeleton.map.arrays]
        bones += [skeleton.constraints.at(float(t), 0) for t in times]
        places = [part for name in sorted(tree.frames) for part in (name, *tree.frames[name])]
        return {"the bodies or joints": [*bones, *places], "gravity": [gravity]}
