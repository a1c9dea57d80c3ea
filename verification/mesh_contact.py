"""Distance and contact force on meshes of a sphere and a capsule converge with the resolution.

A sphere and a capsule of 20 mm radius (the axis of the capsule is 0.1 m long) are given as triangle
meshes with their vertices on the surface: spheres are icosahedra whose edges are halved n times,
capsules have rings of `around` vertices. Contact uses the signed distance phi to the mesh, sampled
on a grid of 3/4 of an edge and interpolated with C2 continuity.

Compared with the closed form |x - y| - R of sphere and capsule:

- phi at 4000 points (fixed, random), 2 mm outside the surface, root mean square [m];
- the direction of its gradient there, root mean square [rad];
- the force of a fiber of radius r = 2 mm on the bone. The fiber is on a circle of radius d = (1 +
  g)(R + r) with g = -0.1, over 120 degrees around the bone; around the capsule across its axis. The
  law gives a line force F = -kappa g / (1 + gamma g) (kappa 2 kN/m, gamma 3), hence the resultant 2
  F d sin(60 degrees) towards the axis, by integration of F over the arc; nothing moves. The error
  of 16 Hermite elements is 1e-6 of it.

A mesh with vertices on a sphere is inside it: on average by the squared edge length over 8 R; a
mesh of a cylinder by less. So phi has order 2 in the edge length, and so has the force, whose
relative error is 14 times larger: dF/F = dg / (g (1 + gamma g)). The direction of the triangles'
normals has order 1; the grid smooths it over about an edge, which reduces the error but does not
increase the order. A single coarse mesh is therefore not accurate (8 % of the force on the capsule
of 756 triangles). The errors of a mesh and of the next finer one are extrapolated with these orders
to edges of length zero, where they must vanish. The tolerances are a hundredth of the force, 10 um
of the distance at 2 mm, and 10 mrad at level 1, a quarter (direction: half) of these at level 2.
The orders are measured between the two meshes: that of the direction within 0.3, because the edges
of icosahedra and of rings have different lengths. Meshes much finer than the finest one here
improve less, because their grids are not refined further (600,000 nodes).
"""

from __future__ import annotations

import _meshes
import numpy as np
from _wrenches import bone_wrenches

import fibermsk as fm
from fibermsk.system.contact.distance_grid import signed_distance
from fibermsk.verify import Expected

RADIUS, LENGTH = 2e-2, 0.1  # m
FIBER, GAP = 2e-3, -0.1  # m, 1
STIFFNESS, LIMIT = 2e3, 3.0  # N/m, 1
CIRCLE = (1.0 + GAP) * (RADIUS + FIBER)
HALF_ARC = np.pi / 3.0
POINTS, ELEMENTS = 4000, 16
SPHERE, CAPSULE = "sphere", "capsule"
FINEST = 3
ORDERS = {"distance": (2, 0.1), "direction": (1, 0.3), "force": (2, 0.2)}
"""Order of each error in the edge length, and the tolerance of this order."""


def bone(shape: str, level: int) -> fm.Mesh:
    """Mesh of a shape; each level halves its edges."""
    if shape == SPHERE:
        return _meshes.sphere(RADIUS, level + 1)
    return _meshes.capsule(RADIUS, LENGTH, 9 * 2**level)


def edge(mesh: fm.Mesh) -> float:
    """Length of the edges of equal triangles with the same surface [m]."""
    return float(np.sqrt(4.0 / np.sqrt(3.0) * mesh.report.area / mesh.report.faces))


def field_errors(shape: str, mesh: fm.Mesh) -> tuple[float, float]:
    """Root mean squares of the error of the distance [m] and of its direction [rad]."""
    rng = np.random.default_rng(7)
    normal = rng.normal(size=(POINTS, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    foot = RADIUS * normal
    if shape == CAPSULE:  # the side between the caps, and both caps
        side = np.abs(normal[:, 2]) < 0.7
        normal[side, 2] = 0.0
        normal[side] /= np.linalg.norm(normal[side], axis=1)[:, None]
        foot = RADIUS * normal
        foot[side, 2] = LENGTH * rng.uniform(size=int(side.sum()))
        foot[~side & (normal[:, 2] > 0.0), 2] += LENGTH
    phi, gradient = signed_distance(mesh)(foot + FIBER * normal)
    gradient /= np.linalg.norm(gradient, axis=1)[:, None]
    off = np.linalg.norm(np.cross(gradient, normal), axis=1)
    return float(np.sqrt(np.mean((phi - FIBER) ** 2))), float(np.sqrt(np.mean(off**2)))


def force(shape: str, mesh: fm.Mesh) -> float:
    """Resultant on the bone towards its axis [N]."""
    # across the capsule's axis; on the sphere along an oblique great circle
    first = np.array([1.0, 0.0, 0.0])
    second = np.array([0.0, 1.0, 0.0])
    middle = np.array([0.0, 0.0, 0.437 * LENGTH])
    if shape == SPHERE:
        first, second = np.array([0.48, 0.6, 0.64]), np.array([0.8, -0.6, 0.0])
        second = np.cross(first, second) / np.linalg.norm(np.cross(first, second))
        middle = np.zeros(3)

    def path(theta: np.ndarray) -> np.ndarray:
        angle = HALF_ARC * (2.0 * theta[:, None] - 1.0)
        return middle + CIRCLE * (np.cos(angle) * first + np.sin(angle) * second)

    model = fm.Model("arc", gravity=(0.0, 0.0, 0.0))
    body = model.add(fm.Body("bone", shapes=mesh))
    model.add(fm.Weld(model.ground, body))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 100.0))
    fiber = fm.Fiber("fiber", path=path, radius=FIBER, n_elements=ELEMENTS, tissue=tissue)
    model.add(fiber)
    law = fm.PenaltyContact(STIFFNESS, LIMIT)
    model.add(fm.Contact(fiber, body, law, formulation="half_pass", refine=False))
    system = fm.build(model)
    y, v = system.initial_state()
    system.evaluate(0.0, y, v, 0.0 * y, tangent=False)
    return float(-bone_wrenches(system)[0, :3] @ first)


def exact_force() -> float:
    """Resultant of the arc on sphere and capsule [N]."""
    line_force = -STIFFNESS * GAP / (1.0 + LIMIT * GAP)
    return 2.0 * line_force * CIRCLE * np.sin(HALF_ARC)


def errors(shape: str, level: int) -> tuple[float, float, float]:
    """Root mean square errors of distance [m] and direction [rad], relative error of the force."""
    mesh = bone(shape, level)
    return (*field_errors(shape, mesh), force(shape, mesh) / exact_force() - 1.0)


def run(shape: str = CAPSULE, level: int = 1) -> dict[str, float]:
    """Errors extrapolated to edges of length zero, and their orders.

    Parameters
    ----------
    shape : str
        "sphere" or "capsule".
    level : int
        Number of halvings of the edges in the coarser of two meshes, 1 or 2.
    """
    if shape not in (SPHERE, CAPSULE) or not 1 <= level < FINEST:
        raise fm.ModelError(
            f"mesh_contact: shape = {shape!r}, level = {level}; shape must be 'sphere' or "
            "'capsule', level 1 or 2"
        )
    here, finer = errors(shape, level), errors(shape, level + 1)
    ratio = edge(bone(shape, level)) / edge(bone(shape, level + 1))
    values = {}
    for (name, (order, _)), a, b in zip(ORDERS.items(), here, finer, strict=True):
        values[name] = b + (b - a) / (ratio**order - 1.0)
        values[f"order_of_{name}"] = float(np.log(abs(a / b)) / np.log(ratio))
    return {
        "distance_error_m": values.pop("distance"),
        "direction_error_rad": values.pop("direction"),
        "force_over_exact": 1.0 + values.pop("force"),
        **values,
    }


def expected(shape: str = CAPSULE, level: int = 1) -> dict[str, Expected]:
    """Closed forms of the shape."""
    exact = {"source": f"closed form of the {shape}"}
    why = "extrapolated from two meshes: {}, {} of it with each halving of the edges"
    second = 4.0 ** (1 - level)
    answers = {
        "distance_error_m": Expected(
            0.0, 1e-5 * second, why.format("10 um at level 1", "a quarter"), scale=FIBER, **exact
        ),
        "direction_error_rad": Expected(
            0.0, 1e-2 * 2.0 ** (1 - level), why.format("10 mrad at level 1", "half"), **exact
        ),
        "force_over_exact": Expected(
            1.0, 1e-2 * second, why.format("1 % at level 1", "a quarter"), **exact
        ),
    }
    for name, (order, close) in ORDERS.items():
        answers[f"order_of_{name}"] = Expected(
            order,
            close,
            "next terms of the error, edges of different lengths",
            kind="order",
            source="vertices on the surface; normals of triangles",
        )
    return answers


def study(fine: bool = False) -> dict:
    """Errors against the resolution.

    Parameters
    ----------
    fine : bool
        One more halving of the edges.
    """
    tables = {}
    for shape in (SPHERE, CAPSULE):
        rows, before = [], None
        for level in range(1, FINEST + 1 if fine else FINEST):
            mesh, found = bone(shape, level), errors(shape, level)
            orders = [np.nan] * 3
            if before is not None:
                ratio = np.log(before[0] / edge(mesh))
                orders = [
                    float(np.log(abs(a / b)) / ratio) for a, b in zip(before[1], found, strict=True)
                ]
            before = edge(mesh), found
            pairs = [value for pair in zip(found, orders, strict=True) for value in pair]
            rows.append([mesh.report.faces, edge(mesh), *pairs])
        tables[f"Mesh of a {shape}"] = {
            "columns": [
                "triangles",
                "edge [m]",
                "rms error of the distance [m]",
                "order",
                "rms error of the direction [rad]",
                "order",
                "relative error of the force",
                "order",
            ],
            "rows": rows,
        }
    return {"tables": tables}


def plot(numbers: dict):
    """Errors against the edge length."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for k, (title, table) in enumerate(numbers["tables"].items()):
        rows = np.array(table["rows"], float)
        for axes, column in ((left, 2), (middle, 4), (right, 6)):
            axes.loglog(1e3 * rows[:, 1], np.abs(rows[:, column]), f"C{k}o-", label=title)
    names = ("distance [m]", "direction [rad]", "force, relative")
    for axes, name, order in zip((left, middle, right), names, (2, 1, 2), strict=True):
        axes.set(xlabel="edge [mm]", title=f"error of the {name}")
        low, high = axes.get_xlim()
        bottom = axes.get_ylim()[0]
        axes.loglog([low, high], [bottom, bottom * (high / low) ** order], "k:", label=f"{order}")
        axes.legend()
    return figure
