"""What must hold of a run of a random model, computed from its result and the drawn numbers alone.

Nothing of the package is used. Integrals have five Gauss points an element, which is the rule that
the discrete equations are stated with.
"""

import numpy as np
from random_models import motion_of, path_of, radius_of

SAMPLES = 24
"""Points of an element at which centerlines are looked at for penetration."""

_XI, _W = np.polynomial.legendre.leggauss(5)
_XI, _W = 0.5 * (_XI + 1.0), 0.5 * _W


def shape_functions(xi, h, order):
    """Hermite functions of an element of length h in theta, or derivatives, (n, 4)."""
    x = np.asarray(xi)
    if order == 0:
        n = [
            1 + x * x * (2 * x - 3),
            h * x * (x - 1) ** 2,
            x * x * (3 - 2 * x),
            h * x * x * (x - 1),
        ]
    elif order == 1:
        n = [6 * x * (x - 1) / h, (x - 1) * (3 * x - 1), 6 * x * (1 - x) / h, x * (3 * x - 2)]
    else:
        n = [(12 * x - 6) / h**2, (6 * x - 4) / h, (6 - 12 * x) / h**2, (6 * x - 2) / h]
    return np.stack([np.broadcast_to(part, x.shape) for part in n], axis=-1)


class Line:
    """Integrals over one fiber at its Gauss points, (n_points,) in all elements one by one."""

    def __init__(self, fiber):
        theta, X = fiber["nodes"], reference_of(fiber)
        h = np.diff(theta)
        n = len(theta)
        self.places = [np.zeros((5 * len(h), 2 * n)) for _ in range(3)]
        for e, width in enumerate(h):
            for order in range(3):
                rows = slice(5 * e, 5 * e + 5)
                self.places[order][rows, 2 * e : 2 * e + 4] = shape_functions(_XI, width, order)
        self.weight = (h[:, None] * _W).ravel()
        at = (theta[:-1, None] + h[:, None] * _XI).ravel()
        self.G0 = np.linalg.norm(self.places[1] @ X, axis=1)
        self.area = np.pi * radius_of(fiber, at) ** 2
        self.mass = fiber["density"] * self.area * self.G0 * self.weight
        self.length = self.G0 * self.weight
        part = fiber["fraction"]
        self.shear = part * fiber["shear"] + (1.0 - part) * fiber["tendon"]
        self.fiber = fiber

    def at(self, dofs, order=0):
        """Values at the Gauss points of a field with nodal values and slopes (2 n, 3)."""
        return self.places[order] @ dofs

    def stored(self, x):
        """Elastic energy of nodal values x: stretch, prestress and bending."""
        a1, a2 = self.at(x, 1), self.at(x, 2)
        speed = np.linalg.norm(a1, axis=1)
        stretch = speed / self.G0
        density = 0.5 * self.shear * (stretch**2 + 2.0 / stretch - 3.0)
        density += self.fiber["prestress"] * np.log(stretch)
        energy = (density * self.area * self.length).sum()
        bend = (np.cross(a1, a2) ** 2).sum(axis=1) / speed**4
        stiffness = self.fiber["bending"] * 0.75 * self.shear * self.area**2 / np.pi
        return energy + 0.5 * (stiffness * bend / self.G0 * self.weight).sum()

    def tension(self, x):
        """Least axial force of the passive parts [N]."""
        stretch = np.linalg.norm(self.at(x, 1), axis=1) / self.G0
        stress = self.shear * (stretch - stretch**-2) + self.fiber["prestress"] / stretch
        return float((self.area * stress).min())


def reference_of(fiber):
    """Nodal positions and slopes of the reference centerline (2 n, 3)."""
    s = fiber["nodes"][:, None]
    (a, b), bulge, skew = fiber["ends"], fiber["bulge"], fiber["skew"]
    slope = b - a + (1.0 - 2.0 * s) * bulge + (1.0 - 6.0 * s + 6.0 * s * s) * skew
    return np.stack([path_of(fiber)(fiber["nodes"]), slope], axis=1).reshape(-1, 3)


def nodal(history):
    """Nodal positions and slopes over the frames (n_frames, 2 n, 3)."""
    both = np.stack([history.position, history.tangent], axis=2)
    return both.reshape(len(both), -1, 3)


def check_attachments(case, result):
    """Largest distance of an end from its place over the fiber's length, and how many were seen."""
    worst, seen = 0.0, 0
    for fiber in case["fibers"]:
        position = result.fibers[fiber["name"]].position
        for side, to in enumerate(fiber["attach"]):
            if to == "free":
                continue
            place = _place(case, result, fiber, side)
            away = np.linalg.norm(position[:, -side] - place, axis=1)
            worst = max(worst, float(away.max()) / fiber["length"])
            seen += len(away)
    return worst, seen


def _place(case, result, fiber, side):
    """Where an end belongs over the frames (n_frames, 3)."""
    end, to = fiber["ends"][side], fiber["attach"][side]
    if isinstance(to, dict):
        return np.array([motion_of(fiber, side)(t) for t in result.time])
    if to == "ground":
        return np.broadcast_to(end, (len(result.time), 3))
    local = end - case["base"] - to * case["step"]
    body = result.bodies[case["bodies"][to]["name"]]
    return body.position + body.rotation @ local


def _curve(case, fiber, x):
    """Dense points of a centerline with the current radius there."""
    theta, reference = fiber["nodes"], reference_of(fiber)
    xi = np.linspace(0.0, 1.0, SAMPLES, endpoint=False)
    points, radii = [], []
    for e, h in enumerate(np.diff(theta)):
        own = slice(2 * e, 2 * e + 4)
        last = e == len(theta) - 2
        at = np.r_[xi, 1.0] if last else xi
        points.append(shape_functions(at, h, 0) @ x[own])
        slopes = [
            np.linalg.norm(shape_functions(at, h, 1) @ nodes[own], axis=1)
            for nodes in (x, reference)
        ]
        radii.append(radius_of(fiber, theta[e] + h * at) * np.sqrt(slopes[1] / slopes[0]))
    return np.concatenate(points), np.concatenate(radii)


def _from_line(points, a, b):
    """Distances of points (n, 3) from segments (m, 3), (n, m)."""
    way = b - a
    t = ((points[:, None] - a) * way).sum(axis=2) / (way**2).sum(axis=1)
    return np.linalg.norm(points[:, None] - a - np.clip(t, 0.0, 1.0)[..., None] * way, axis=2)


def least_admissibility(case, result):
    """Least 1 + gamma g over all frames and pairs that may touch, and the number of both seen."""
    least, seen = np.inf, 0
    fibers = case["fibers"]
    nodes = [nodal(result.fibers[fiber["name"]]) for fiber in fibers]
    for i in range(len(result.time)):
        curves = [_curve(case, fiber, x[i]) for fiber, x in zip(fibers, nodes, strict=True)]
        if case["fiber_law"]:
            limit = case["fiber_law"]["limit"]
            for n, (points, radius) in enumerate(curves):
                for others, widths in curves[:n]:
                    d = _from_line(points, others[:-1], others[1:])
                    total = radius[:, None] + 0.5 * (widths[:-1] + widths[1:])
                    least = min(least, 1.0 + limit * float((d / total - 1.0).min()))
                    seen += 1
        if case["bone_law"]:
            bone = case["bodies"][case["touched"]]
            pose = result.bodies[bone["name"]]
            a, b = (
                pose.position[i] + pose.rotation[i] @ (share * case["step"]) for share in (0.1, 0.9)
            )
            for points, radius in curves:
                d = _from_line(points, a[None], b[None])[:, 0]
                gap = float((d / (radius + bone["radius"]) - 1.0).min())
                least = min(least, 1.0 + case["bone_law"]["limit"] * gap)
                seen += 1
    return least, seen
