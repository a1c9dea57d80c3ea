"""Sides on which chains of surfaces pass cylinders."""

from collections import Counter

import numpy as np

import fibermsk as fm
from fibermsk.system.lines.paths import LinePaths

NUMBERS = {"max_isometric_force": 1.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}


def beside(rng):
    """Skeleton of a free body, and a muscle from it past a thin cylinder and an ellipsoid."""
    model = fm.Model("side")
    inertia = (0.1, 0.1, 0.1)
    body = model.add(fm.Body("b", mass=1.0, com=(0, 0, 0), inertia=inertia))
    slides = ("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))
    parent = model.ground
    for name, axis in slides:
        link = body if name == "z" else model.add(fm.Body(name, 1.0, (0, 0, 0), inertia=inertia))
        model.add(fm.Slider(name, parent, link, at=(0, 0, 0), axis=axis))
        parent = link
    rod = fm.WrapCylinder("rod", model.ground, radius=0.008, length=10.0)
    place = rng.uniform((-0.05, 0.01, -0.1), (0.05, 0.1, 0.1))
    ball = fm.WrapEllipsoid("ball", model.ground, place, radii=rng.uniform(0.02, 0.06, 3))
    ends = model.ground.at(-0.2, 0.02, 0), body.at(0.2, 0.03, 0)
    points = [fm.PathPoint(name, end) for name, end in zip("oi", ends, strict=True)]
    wraps = [fm.PathWrap(rod, side=int(rng.choice([-1, 1]))), fm.PathWrap(ball)]
    return fm.skeleton(model), fm.LineMuscle("m", points, wraps=wraps, **NUMBERS)


def winding(x):
    """Angle of points (k, 3) about the z axis."""
    angles = np.unwrap(np.arctan2(x[:, 1], x[:, 0]))
    return angles[-1] - angles[0]


def test_a_touched_cylinder_is_on_its_side(rng):
    """The angle of the path about its axis is the one asked for, or the path is refused."""
    count = Counter()
    for _ in range(40):
        skeleton, muscle = beside(rng)
        try:
            paths = LinePaths(skeleton, [muscle])
        except fm.ModelError:
            continue
        reference = paths.branches.reference[paths.arrays.slot[0]]
        for _ in range(20):
            q = rng.uniform((-0.3, -0.1, -0.1), (0.1, 0.1, 0.1))
            try:
                path = fm.muscle_path(skeleton, muscle, q)
            except fm.PathError as error:
                count[error.reason] += 1
                continue
            arcs = [arc.surface for arc in path.arcs]
            if "rod" in arcs:
                # of the angles of its ends, the nearest to that of the start pose
                ends = path.polyline[[0, -1], :2]
                asked = np.angle(complex(*ends[1]) / complex(*ends[0]))
                asked += 2 * np.pi * np.round((reference - asked) / (2 * np.pi))
                count[" ".join(arcs), bool(abs(winding(path.polyline) - asked) < 1e-6)] += 1
    assert count["rod", True] > 300 and count["rod ball", True] > 10 < count["ball rod", True]
    assert count["side"] > 0 and not any(count[key] for key in count if key[-1] is False)
