"""The muscle of `fibermsk.bench.wraps.case` in this package."""

from __future__ import annotations

from typing import Any

from fibermsk.bench.measure.timing import timed
from fibermsk.bench.wraps import case
from fibermsk.model import (
    Body,
    Hinge,
    LineMuscle,
    Model,
    PathPoint,
    PathWrap,
    Station,
    WrapCylinder,
    WrapEllipsoid,
)
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.skeleton import Skeleton


def arm(surface: str, muscles: int) -> Model:
    """Model with so many equal muscles around a "cylinder" or an "ellipsoid"."""
    model = Model("arm")
    upper, lower = (
        model.add(Body(name, 1.0, (0, -0.1, 0), inertia=(1, 1, 1))) for name in ("upper", "lower")
    )
    model.add(Hinge("shoulder", model.ground, upper, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(Hinge("elbow", upper, lower, at=case.ELBOW, axis=(0, 0, 1)))
    if surface == "cylinder":
        wrap = PathWrap(WrapCylinder("elbow", upper, case.ELBOW, radius=case.RADIUS), side=1)
    else:
        wrap = PathWrap(WrapEllipsoid("elbow", upper, case.ELBOW, quadrant="-x", radii=case.RADII))
    ends = (
        PathPoint("origin", Station(model.ground, case.ORIGIN)),
        PathPoint("insertion", Station(lower, case.INSERTION)),
    )
    for k in range(muscles):
        model.add(
            LineMuscle(
                f"muscle_{k}", ends, wraps=[wrap], max_isometric_force=1.0,
                optimal_fiber_length=0.1, tendon_slack_length=0.1,
            )
        )  # fmt: skip
    return model


def time_wrap(surface: str, n: int, repeats: int, muscles: int = 1) -> dict[str, Any]:
    """Times of `MuscleGeometry.at` over n poses [s]; ``preparation`` and ``compile`` apart."""
    model = arm(surface, muscles)
    skeleton, q = Skeleton(model), case.poses(n)
    compiling = timed(lambda: MuscleGeometry(skeleton, model.muscles).at(q[:2], follow=True))[1]
    geometry, preparation = timed(MuscleGeometry, skeleton, model.muscles)
    batch: list[Any] = []

    def run() -> None:
        batch[:] = [geometry.at(q, follow=True)]

    found = case.report(
        run, repeats, lambda k: [batch[0].length[k, 0], *batch[0].moment_arm[k, 0]], n
    )
    return found | {"preparation": preparation, "compile": compiling}
