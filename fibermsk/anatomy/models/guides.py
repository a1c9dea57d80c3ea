"""Wrap surfaces and path points of a line muscle as shapes and rings for its fibers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.bundle import MuscleBundle
from fibermsk.anatomy.models.carriers import Carriers, beyond
from fibermsk.anatomy.obstacles import Pose, distance_to
from fibermsk.anatomy.packing import pack_section
from fibermsk.anatomy.wraps import capsule_of
from fibermsk.forces import ViaRing
from fibermsk.model import Body, Capsule, CoordinateRange, LineMuscle, Weld
from fibermsk.model.muscles.line_muscle import ConditionalPathPoint, PathPoint, PointOfPath
from fibermsk.model.muscles.wrap import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from fibermsk.model.skeleton.coordinate import Coordinate

_DEEP = 0.5
"""Depth of a path in the capsule of a surface, over its radius, at which this does not fit."""

_THINNEST = 0.3
"""Smallest radius of a shape, over that of its surface."""

_YIELD = 1e-3
"""Approximate displacement of a ring under the maximum force of a fiber [m]."""

_ROOM = 1.05
"""Radius of a ring over the largest initial distance of a fiber from its center."""

_LEAST = 0.1
"""Smallest radius of a ring at a path point, over that of a fiber's tendon."""

_OUTSIDE = 2.0
"""Radius of a ring over that of a torus, above which the path lies outside of the torus."""

_DENSE = 2001
"""Points of a path at which its depth in surfaces is measured."""


class Shapes(NamedTuple):
    """Bodies with shapes, their joints, and remarks on surfaces that have none."""

    bodies: tuple[Body, ...]
    joints: tuple[Weld, ...]
    remarks: tuple[str, ...]
    deepest: str = ""  # surface that the path enters most; empty without any


def shapes_of_wraps(
    muscle: LineMuscle,
    points: Array,
    poses: Mapping[str, Pose],
    thickness: float,
    without: Sequence[str] = (),
) -> Shapes:
    """Capsules for the wrap surfaces of a muscle, on bodies welded to those of the surfaces.

    The path (m, 3) of the line muscle lies on a surface, the fibers around it: shapes are thinner
    than surfaces by the `thickness` of the bundle's tendons [m]. Surfaces named in `without` are
    left out, because they leave no room.
    """
    dense = paths.resample(points, _DENSE)
    found: dict[str, list[Capsule]] = {}
    carriers: dict[str, Body] = {}
    remarks, entered = [], {}
    for wrap in muscle.wraps:
        surface = wrap.shape
        if not surface.active or isinstance(surface, WrapTorus):
            continue
        if not isinstance(surface, WrapSphere | WrapCylinder | WrapEllipsoid):
            kind = type(surface).__name__
            remarks.append(f"wrap surface {surface.name!r} is not an obstacle: it is a {kind}")
            continue
        if surface.name in without:
            remarks.append(f"wrap surface {surface.name!r} is not an obstacle: it leaves no room")
            continue
        shape = capsule_of(surface)
        rotation, position = poses[surface.body.name]
        phi, _ = distance_to(shape)((dense - position) @ rotation)
        depth = -float(phi.min())
        if depth > _DEEP * shape.radius:
            remarks.append(
                f"wrap surface {surface.name!r} is not an obstacle: the path enters its "
                f"capsule by {1e3 * depth:.0f} mm of a radius of {1e3 * shape.radius:.0f} mm"
            )
            continue
        entered[surface.name] = depth
        radius = max(shape.radius - thickness, _THINNEST * shape.radius)
        found.setdefault(surface.body.name, []).append(Capsule(shape.start, shape.end, radius))
        carriers[surface.body.name] = surface.body
    bodies, joints = [], []
    for name, shapes in found.items():
        body = Body(f"{muscle.name}_wraps_{name}", shapes=tuple(shapes))
        bodies.append(body)
        joints.append(Weld(carriers[name], body))
    deepest = max(entered, key=lambda name: entered[name]) if entered else ""
    return Shapes(tuple(bodies), tuple(joints), tuple(remarks), deepest)


def rings_of(
    bundle: MuscleBundle,
    active: list[PointOfPath],
    carriers: Carriers,
    poses: Mapping[str, Pose],
    coordinates: Mapping[str, Coordinate],
) -> tuple[tuple[ViaRing, ...], tuple[str, ...]]:
    """Rings at the inner path points and tori of a muscle, and remarks on some.

    A ring is as wide as the bundle is there initially: it holds the fibers where they are. That of
    a conditional point opens where the point is inactive; if it is so at the start, the ring is as
    wide as the fibers need side by side.
    """
    muscle = bundle.muscle
    grids = [paths.Grid.over(part.nodes, 40) for part in bundle.sections]
    curves = [grid.value @ curve.nodal for grid, curve in zip(grids, bundle.curves, strict=True)]
    stiffness = muscle.max_isometric_force / len(bundle.fibers) / _YIELD
    names = [fiber.name for fiber in bundle.fibers]
    reach = float(np.hypot(*pack_section(len(names)).T).max())
    rings, remarks = [], []

    def ring(
        name: str, body: Body, place: Any, least: float, when: CoordinateRange | None, on: bool
    ) -> ViaRing:
        rotation, position = poses[body.name]
        center = position + rotation @ np.asarray(place)
        radius = least
        for grid, curve, part in zip(grids, curves, bundle.sections, strict=True):
            off = np.linalg.norm(curve - center, axis=1)
            near = off.argmin()
            side = reach * float(part.radius(grid.at[near]))
            radius = max(radius, _ROOM * (float(off[near]) if on else side))
        own = f"{muscle.name}_{name}"
        return ViaRing(own, body.at(place), names, radius, stiffness, active=when)

    tendon = bundle.report.radius_tendon
    ends = active[0], active[-1]
    for point in muscle.points:
        on = point in active
        if wide := beyond(point, coordinates):
            remarks.append(
                f"moving path point {point.name!r}: its ring moves on beyond the point's range of "
                f"{', '.join(wide)}"
            )
        conditional = isinstance(point, ConditionalPathPoint)
        if point in ends or (not on and not conditional):
            if conditional:
                remarks.append(
                    f"conditional path point {point.name!r} is an end of the fibers at all values "
                    f"of {point.coordinate}"
                )
            continue
        when = None
        if conditional:
            when = CoordinateRange(point.coordinate, point.lower, point.upper)
        place = point.station.position if isinstance(point, PathPoint) else np.zeros(3)
        name = f"via{len(rings) + 1}"
        rings.append(ring(name, carriers.under(point), place, _LEAST * tendon, when, on))
    for wrap in muscle.wraps:
        surface = wrap.shape
        if surface.active and isinstance(surface, WrapTorus):
            hole = surface.outer_radius - surface.inner_radius - tendon
            least = max(hole, 2.0 * tendon)
            own = f"via{len(rings) + 1}"
            made = ring(own, surface.body, surface.position, least, None, True)
            if made.radius > _OUTSIDE * least:
                remarks.append(
                    f"torus {surface.name!r} has no ring: the path does not lead through it"
                )
                continue
            rings.append(made)
    return tuple(rings), tuple(remarks)
