"""Muscles that are mirror images of each other, and the mirror image of a bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.bundle import MuscleBundle
from fibermsk.anatomy.obstacles import Obstacles, Pose
from fibermsk.model import ActivationDynamics, Body, Fiber, LineMuscle
from fibermsk.model.muscles.activation import Activation

_EXACT = 1e-4
"""Tolerance of mirror symmetry, over the length of a path."""

_ALONG = 201
"""Points of a path that are compared."""

_REACH = 0.05
"""Distance up to which bones must be mirror images as well [m]."""

_NUMBERS = (
    "max_isometric_force",
    "optimal_fiber_length",
    "tendon_slack_length",
    "pennation_angle",
    "max_contraction_velocity",
)


class Plane(NamedTuple):
    """Plane of symmetry: x . normal = offset, with a unit normal (3,) and the offset [m]."""

    normal: Array
    offset: float

    def image(self, points: Array) -> Array:
        """Mirror images of points (n, 3)."""
        return points - 2.0 * (points @ self.normal - self.offset)[:, None] * self.normal

    def turned(self, vectors: Array) -> Array:
        """Mirror images of vectors (n, 3)."""
        return vectors - 2.0 * (vectors @ self.normal)[:, None] * self.normal


def pairs_of(
    muscles: Sequence[LineMuscle], points: Mapping[str, Array]
) -> tuple[dict[str, str], Plane | None]:
    """Names of muscles with equal numbers and mirrored paths, in both directions, and their plane.

    The plane is that of most pairs; None without any.
    """
    found: list[tuple[str, str, Plane]] = []
    # arcs of mirrored paths may have different numbers of points
    points = {name: paths.resample(own, _ALONG) for name, own in points.items()}
    for k, one in enumerate(muscles):
        for other in muscles[k + 1 :]:
            plane = _between(one, other, points)
            if plane is not None:
                found.append((one.name, other.name, plane))
    best: list[tuple[str, str, Plane]] = []
    for *_, plane in found:
        same = [item for item in found if _equal(item[2], plane)]
        best = same if len(same) > len(best) else best
    partner: dict[str, str] = {}
    for first, second, _ in best:
        if first not in partner and second not in partner:
            partner |= {first: second, second: first}
    return partner, best[0][2] if best else None


def _between(one: LineMuscle, other: LineMuscle, points: Mapping[str, Array]) -> Plane | None:
    """Plane of symmetry of two muscles."""
    here, there = points[one.name], points[other.name]
    if any(getattr(one, name) != getattr(other, name) for name in _NUMBERS):
        return None
    way = there - here
    far = way[np.argmax(np.linalg.norm(way, axis=1))]
    size = float(np.linalg.norm(far))
    small = _EXACT * paths.polyline_length(here)
    if size <= small:
        return None
    plane = Plane(far / size, float(np.mean(0.5 * (here + there) @ (far / size))))
    return plane if np.abs(plane.image(here) - there).max() <= small else None


def _equal(one: Plane, other: Plane) -> bool:
    """Whether two planes are the same, within the tolerance of paths."""
    along = float(one.normal @ other.normal)
    return abs(along) > 1.0 - 1e-6 and abs(one.offset - np.sign(along) * other.offset) < 1e-4


def mirrored(
    bundle: MuscleBundle,
    muscle: LineMuscle,
    plane: Plane,
    ends: tuple[Body, Body],
    poses: Mapping[str, Pose],
    activation: float | Activation | ActivationDynamics,
) -> MuscleBundle:
    """Mirror image of a bundle, for a muscle that is the image of its muscle.

    `ends` are the bodies of the first and last path point.
    """
    curves, fibers = [], []
    for i, (curve, part) in enumerate(zip(bundle.curves, bundle.sections, strict=True)):
        nodal = np.empty_like(curve.nodal)
        nodal[0::2], nodal[1::2] = plane.image(curve.nodal[0::2]), plane.turned(curve.nodal[1::2])
        image = paths.Curve(curve.theta, nodal)
        attach = [
            body.at((nodal[k] - poses[body.name][1]) @ poses[body.name][0])
            for body, k in zip(ends, (0, -2), strict=True)
        ]
        like = bundle.fibers[i]
        fibers.append(
            Fiber(
                f"{muscle.name}_{i + 1}",
                path=image,
                attach=attach,
                radius=part.radius,
                n_elements=len(part.nodes) - 1,
                tissue=like.tissue,
                muscle_fraction=part.muscle_fraction,
                activation=activation,
                nodes=part.nodes,
            )
        )
        curves.append(image)
    report = replace(bundle.report, name=muscle.name)
    return MuscleBundle(
        muscle, tuple(fibers), bundle.calibration, report, tuple(curves), bundle.sections
    )


def same_bones(
    bundle: MuscleBundle,
    image: MuscleBundle,
    bones: Sequence[Body],
    others: Sequence[Body],
    poses: Mapping[str, Pose],
) -> bool:
    """Whether the bones near a bundle are mirror images of the `others`, near its image."""
    here, there = Obstacles(bones, poses), Obstacles(others, poses)
    for one, other, part in zip(bundle.curves, image.curves, bundle.sections, strict=True):
        value = paths.Grid.over(part.nodes, 10).value
        near = here.distance(value @ one.nodal)[0].clip(max=_REACH)
        close = there.distance(value @ other.nodal)[0].clip(max=_REACH)
        if np.abs(near - close).max() > _EXACT * bundle.report.path_length:
            return False
    return True
