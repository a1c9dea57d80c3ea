"""Fast crossings at random, and a check of what came of them that shares nothing with the package.

Fibers are driven against fibers, bones, bones on a prescribed coordinate and thin plates, so fast
that a step may go farther than everything is thick. The check samples the centerlines densely from
nodes and tangents of the result: the signed crossings of two curves, seen along the motion, tell
whether they have passed each other; the distances tell how deep they are in each other.
"""

import warnings

import numpy as np
from solving import CONTROLS, FORMULATIONS, METHODS

import fibermsk as fm

KINDS = ("fiber-fiber", "fiber-bone", "prescribed bone", "thin plate")

_HALF = 0.1
"""Half of a fiber's length [m]."""

_PLATE, _THICK = 0.06, 0.003
"""Side and thickness of a plate [m]."""

_SAMPLES = 60
"""Points of an element at which centerlines are looked at."""

_ROOM = -0.01
"""Least 1 + gamma g that counts as admissible: the package finds depths at points a tenth of the
radii apart, which leaves 0.13 % of the radii, times gamma."""


def draw(rng):
    """Numbers of one case."""
    kind = KINDS[rng.integers(4)]
    radius = float(rng.uniform(1e-3, 5e-3))
    other = float(rng.uniform(1e-3, 6e-3))
    speed = float(10.0 ** rng.uniform(-0.7, 1.0))
    step = float(10.0 ** rng.uniform(-0.7, 1.5)) * radius / speed
    gap = float(rng.uniform(1.0, 3.0)) * (radius + other)
    way = gap + float(rng.uniform(1.0, 4.0)) * (radius + other)
    return {
        "kind": kind,
        "radius": radius,
        "other": other,
        "speed": speed,
        "dt": min(step, way / speed),
        "t_end": min(way / speed, 12.0 * step),
        "gap": gap,
        "elements": int(rng.integers(2, 8)),
        "angle": float(np.deg2rad(rng.uniform(50.0, 130.0))),
        "offset": float(rng.uniform(-0.02, 0.02)),
        "shear": float(10.0 ** rng.uniform(3.5, 6.0)),
        "prestress": float(10.0 ** rng.uniform(2.0, 4.5)),
        "limit": float(rng.uniform(2.0, 6.0)),
        "stiffness": float(10.0 ** rng.uniform(1.5, 3.5)),
        "points": int(rng.integers(1, 6)),
        "formulation": FORMULATIONS[rng.integers(2)],
        "method": list(METHODS.values())[rng.integers(4)],
        "control": CONTROLS[rng.integers(4)],
    }


def _fiber(case, name, ends, radius, moving):
    """A fiber whose ends are moved up with a speed."""
    tissue = fm.Tissue(
        1000.0, fm.KelvinVoigt(case["shear"], 0.01 * case["shear"]), prestress=case["prestress"]
    )
    ends = [np.array(end, float) for end in ends]
    points = tuple(
        fm.MovingPoint(lambda t, end=end: end + np.array([0.0, 0.0, moving * t])) for end in ends
    )
    return fm.Fiber(
        name, ends, attach=points, radius=radius, n_elements=case["elements"], tissue=tissue
    )


def _across(case, z):
    """Ends of something that lies across the x-axis, not with a sample right over it."""
    way = 2.0 * _HALF * np.array([np.cos(case["angle"]), np.sin(case["angle"]), 0.0])
    start = np.array([case["offset"], 0.0, z]) - 0.53217 * way
    return start, start + way


def _plate():
    """A thin box about the origin as triangles, finely enough for its grid."""
    half = np.array([_PLATE, _PLATE, _THICK]) / 2.0
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [part for a, b, c, d in quads for part in ((a, b, c), (a, c, d))]
    return fm.Mesh(corners, faces, name="plate", spacing=0.75e-3)


PLATE = _plate()


def describe(case):
    """The model of a case; a moving fiber starts below what it meets."""
    model = fm.Model("crossing", gravity=(0, 0, 0))
    along = (-_HALF, 0.0, 0.0), (_HALF, 0.0, 0.0)
    kind, radius, other = case["kind"], case["radius"], case["other"]
    moving = 0.0 if kind == "prescribed bone" else case["speed"]
    fiber = model.add(_fiber(case, "fiber", along, radius, moving))
    z = radius + other + case["gap"]
    if kind == "fiber-fiber":
        met = model.add(_fiber(case, "other", _across(case, z), other, 0.0))
    else:
        z = radius + 0.5 * _THICK + case["gap"] if kind == "thin plate" else z
        start, end = (point - (0.0, 0.0, z) for point in _across(case, z))
        shape = PLATE if kind == "thin plate" else fm.Capsule(tuple(start), tuple(end), other)
        met = model.add(fm.Body("bone", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3), shapes=shape))
        if kind == "prescribed bone":
            down = fm.Linear(-case["speed"], 0.0)
            moved = fm.Coordinate("down", kind="translation", prescribed=down)
            axis = fm.Axis("translation", (0, 0, 1), "down")
            model.add(fm.FunctionalJoint("slide", model.ground, met, [moved], [axis], at=(0, 0, z)))
        else:
            model.add(fm.Weld(model.ground, met, at=(0, 0, z)))
    law = fm.PenaltyContact(case["stiffness"], case["limit"])
    model.add(
        fm.Contact(
            fiber,
            met,
            law,
            points_per_element=case["points"],
            formulation=case["formulation"],
        )
    )
    return model


def run(case):
    """Result of a case, or the error with which it was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fm.simulate(
                fm.build(describe(case)),
                t_end=case["t_end"],
                dt=case["dt"],
                method=case["method"],
                control=case["control"],
                throw=False,
            )
        except fm.ModelError as error:
            return error


def _curve(theta, position, tangent):
    """Points of a centerline and |x,theta| there, from nodes and theta-tangents."""
    s = np.linspace(0.0, 1.0, _SAMPLES, endpoint=False)[:, None]
    points, speeds = [], []
    for i in range(len(theta) - 1):
        h = theta[i + 1] - theta[i]
        a, b, u, v = position[i], position[i + 1], h * tangent[i], h * tangent[i + 1]
        points.append(
            (2 * s**3 - 3 * s**2 + 1) * a
            + (s**3 - 2 * s**2 + s) * u
            + (3 * s**2 - 2 * s**3) * b
            + (s**3 - s**2) * v
        )
        slope = (6 * s**2 - 6 * s) * (a - b) + (3 * s**2 - 4 * s + 1) * u + (3 * s**2 - 2 * s) * v
        speeds.append(np.linalg.norm(slope / h, axis=1))
    return np.concatenate([*points, position[-1:]]), np.concatenate(
        [*speeds, [np.linalg.norm(tangent[-1])]]
    )


def _crossings(a, b):
    """Sum of the signs of all crossings, seen along z, at which polyline a is above polyline b."""
    p, r = a[:-1, None], (a[1:] - a[:-1])[:, None]
    q, s = b[None, :-1], (b[1:] - b[:-1])[None]
    cross = r[..., 0] * s[..., 1] - r[..., 1] * s[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ((q - p)[..., 0] * s[..., 1] - (q - p)[..., 1] * s[..., 0]) / cross
        u = ((q - p)[..., 0] * r[..., 1] - (q - p)[..., 1] * r[..., 0]) / cross
    meet = (t >= 0.0) & (t < 1.0) & (u >= 0.0) & (u < 1.0)
    above = (p + t[..., None] * r)[..., 2] > (q + u[..., None] * s)[..., 2]
    return int(np.sign(cross)[meet & above].sum()), int(np.sign(cross)[meet & ~above].sum())


def _least_distance(points, a, b):
    """Least distance of each point to a polyline, and where along it that is taken."""
    way = b - a
    square = np.maximum((way**2).sum(axis=1), 1e-300)
    t = ((points[:, None] - a) * way).sum(axis=2) / square
    near = a + np.clip(t, 0.0, 1.0)[..., None] * way
    d = np.linalg.norm(points[:, None] - near, axis=2)
    return d.min(axis=1), d.argmin(axis=1)


def find_fault(case, result):
    """What is wrong with a result, in words; empty if nothing is."""
    kind, limit = case["kind"], case["limit"]
    fiber = result.fibers["fiber"]
    before = None
    for i, t in enumerate(result.time):
        if result.status != "success" and i == len(result.time) - 1:
            continue  # the last frame of a run that says it failed
        points, speed = _curve(fiber.node_theta, fiber.position[i], fiber.tangent[i])
        radius = case["radius"] / np.sqrt(speed / (2.0 * _HALF))
        if kind == "thin plate":
            fault = _check_plate(points, radius, limit, case)
        else:
            other, thick = _met(case, result, i)
            sides = _crossings(points, other)
            if before is None:
                before = sides
            if sides != before:
                return f"passed at t = {t:.4g}: {before} became {sides}"
            d, k = _least_distance(points, other[:-1], other[1:])
            gap = d / (radius + thick[k]) - 1.0
            least = float((1.0 + limit * gap).min())
            fault = f"1 + gamma g = {least:.3g}" if least < _ROOM else ""
        if fault:
            return f"at t = {t:.4g}: {fault}"
    return ""


def _met(case, result, i):
    """Points of what the fiber meets, and the radius from each to the next."""
    if case["kind"] == "fiber-fiber":
        other = result.fibers["other"]
        points, speed = _curve(other.node_theta, other.position[i], other.tangent[i])
        return points, case["other"] / np.sqrt(speed[:-1] / (2.0 * _HALF))
    z = case["radius"] + case["other"] + case["gap"]
    if case["kind"] == "prescribed bone":
        z -= case["speed"] * result.time[i]
    points = np.linspace(*_across(case, z), 200)
    return points, np.full(199, case["other"])


def _check_plate(points, radius, limit, case):
    """What is wrong with a centerline beside the plate: through its middle, or too deep."""
    z = case["radius"] + 0.5 * _THICK + case["gap"]
    x = points - (0.0, 0.0, z)
    inner = (np.abs(x[:, :2]) < 0.5 * _PLATE - 2.0 * _THICK).all(axis=1)
    if (x[inner, 2] > 0.0).any():
        return "through the plate"
    half = np.array([_PLATE, _PLATE, _THICK]) / 2.0
    q = np.abs(x) - half
    phi = np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0)
    R = PLATE.radius
    # the field of a mesh rounds edges over its spacing
    gap = (phi + PLATE.spacing + R) / (radius + R) - 1.0
    least = float((1.0 + limit * gap).min())
    return f"1 + gamma g = {least:.3g} of the plate" if least < _ROOM else ""
