"""Wall times of distances to bones: a capsule, and meshes of more and more triangles."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.bench.measure.timing import medians_in_turn
from fibermsk.kernels.bones.bone_shape import fill_slopes
from fibermsk.model import Body, Capsule, Mesh, Model, Weld
from fibermsk.system.contact.shapes import build_shapes
from fibermsk.system.skeleton.tree import build_tree

__all__ = ["time_bones"]

_RADIUS, _REACH, _SPACING = 0.02, 0.003, 0.002
"""Of the sphere, of the fibers' points beyond it, and of the grid [m]."""

_POINTS = 20_000


def _sphere(n: int) -> Mesh:
    """Mesh of n x 2 n quadrilaterals, cut in two."""
    polar, around = np.linspace(0.0, np.pi, n + 1)[1:-1, None], np.pi * np.arange(2 * n) / n
    rings = np.stack(
        [
            np.sin(polar) * np.cos(around),
            np.sin(polar) * np.sin(around),
            np.cos(polar) + 0.0 * around,
        ],
        axis=2,
    ).reshape(-1, 3)
    vertices = _RADIUS * np.concatenate([rings, [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]])
    i = np.arange(2 * n)
    j = (i + 1) % (2 * n)
    top, bottom, last = rings.shape[0], rings.shape[0] + 1, 2 * n * (n - 2)
    faces = [np.stack([i, j, 0 * i + top], axis=1)]
    faces.append(np.stack([last + j, last + i, 0 * i + bottom], axis=1))
    for ring in range(n - 2):
        a, b = 2 * n * ring, 2 * n * (ring + 1)
        faces += [np.stack([a + i, b + i, b + j], axis=1), np.stack([a + i, b + j, a + j], axis=1)]
    return Mesh(vertices, np.concatenate(faces), spacing=_SPACING)


def time_bones(sizes: list[int], repeats: int = 9) -> list[dict[str, Any]]:
    """Wall times of distances with gradient and Hessian, one thread.

    Parameters
    ----------
    sizes : list of int
        Meshes of a sphere have about four times the square of each in triangles.
    repeats : int
        Of each measurement.

    Returns
    -------
    rows : list of dict
        ``triangles`` (0 for a capsule), ``seconds`` for all ``points``, and ``build``, the seconds
        that the field takes to make.
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
        begin = perf_counter()
        arrays = _arrays(shape)
        faces = shape.report.faces if isinstance(shape, Mesh) else 0
        rows.append({"triangles": faces, "points": _POINTS, "build": perf_counter() - begin})
        out = np.empty(_POINTS), np.empty((_POINTS, 3))
        runs[str(k)] = lambda arrays=arrays, out=out: fill_slopes(away, *arrays, *out)
    times = medians_in_turn(runs, repeats)
    return [{**row, "seconds": times[str(k)]} for k, row in enumerate(rows)]


def _arrays(shape: Capsule | Mesh) -> tuple[NDArray[Any], ...]:
    """Arrays of one shape for the kernels."""
    model = Model("bone")
    body = model.add(Body("bone", shapes=shape))
    model.add(Weld(model.ground, body))
    tree = build_tree(model)[0]
    placed = build_shapes([(body, shape)], tree, np.array([_REACH]), np.array([3.0]))
    zero = np.zeros(0)
    return placed.at(tree.evaluate(zero, zero, zero))
