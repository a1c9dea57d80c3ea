"""Wall times of distances to bones: a capsule, and meshes of increasing resolution."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.bench.measure.timing import medians_in_turn, timed
from fibermsk.kernels.bones.bone_shape import fill_slopes
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.model import Body, Capsule, Mesh, Model, Weld
from fibermsk.system.contact.shapes import build_shapes
from fibermsk.system.skeleton.tree import build_tree

_RADIUS, _REACH, _SPACING = 0.02, 0.003, 0.002
"""Of the sphere, of the fibers' points beyond it, and of the grid [m]."""

_POINTS = 20_000


def _sphere(n: int) -> Mesh:
    """Mesh of n x 2 n quadrilaterals, cut in two."""
    from trimesh.creation import uv_sphere  # pyright: ignore[reportMissingImports]

    sphere = uv_sphere(radius=_RADIUS, count=[n + 1, 2 * n])
    return Mesh(np.asarray(sphere.vertices, float), np.asarray(sphere.faces), spacing=_SPACING)


def time_bones(sizes: list[int], repeats: int) -> list[dict[str, Any]]:
    """Wall times of distances with gradient and Hessian, one thread.

    A row has ``triangles``, about four times the square of the size (0 for a capsule), ``seconds``
    for all ``points``, and ``build``, the seconds for the field.
    """
    shapes: list[Capsule | Mesh] = [Capsule((0, 0, 0), (0, 0, 0), _RADIUS)]
    shapes += [_sphere(n) for n in sizes]
    rng = np.random.default_rng(5)
    away = rng.normal(size=(_POINTS, 3))
    far = _RADIUS + _REACH * rng.uniform(size=_POINTS)
    away *= (far / np.linalg.norm(away, axis=1))[:, None]
    _arrays(_sphere(4))  # compiles
    rows, runs = [], {}
    for k, shape in enumerate(shapes):
        arrays, building = timed(_arrays, shape)
        faces = shape.report.faces if isinstance(shape, Mesh) else 0
        rows.append({"triangles": faces, "points": _POINTS, "build": building})
        out = np.empty(_POINTS), np.empty((_POINTS, 3))
        runs[str(k)] = lambda arrays=arrays, out=out: fill_slopes(away, arrays, *out)
    times = medians_in_turn(runs, repeats)
    return [{**row, "seconds": times[str(k)]} for k, row in enumerate(rows)]


def _arrays(shape: Capsule | Mesh) -> BoneShapes:
    """Arrays of one shape for the kernels."""
    model = Model("bone")
    body = model.add(Body("bone", shapes=shape))
    model.add(Weld(model.ground, body))
    tree = build_tree(model)[0]
    placed = build_shapes([(body, shape)], tree, np.array([_REACH]), np.array([3.0]))
    zero = np.zeros(0)
    return placed.at(tree.evaluate(zero, zero, zero))
