"""Surfaces besides fibers: bones, and line muscles, wraps and joint axes of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgb

from fibermsk._arrays import Array
from fibermsk.results.result import BodyMotion, ShapeRecord
from fibermsk.results.still import JointAxis, Still
from fibermsk.view.drawing.anchors import Anchor, BoneSurface
from fibermsk.view.drawing.bones import bone_solid, bone_surface
from fibermsk.view.drawing.colors import TENDON_COLOR
from fibermsk.view.drawing.insertions import fans, mounts, processes
from fibermsk.view.drawing.labels import Label
from fibermsk.view.drawing.looks import AXIS_COLORS, NAME_COLORS, Color
from fibermsk.view.drawing.meshes import join, mesh_surface
from fibermsk.view.drawing.surfaces import Surface, line_surface, shape_surface

BONE_COLOR: Color = (0.84, 0.80, 0.71)
_TOUCHED_COLOR: Color = (0.45, 0.62, 0.78)
_WRAP_COLOR: Color = (0.27, 0.58, 0.66)
_MUSCLE_COLORS: tuple[Color, ...] = (
    (0.70, 0.20, 0.19),
    (0.60, 0.12, 0.15),
    (0.78, 0.33, 0.29),
    (0.66, 0.16, 0.20),
    (0.74, 0.26, 0.22),
)
"""Alternating reds of line muscles."""
_MOUNT_COLOR: Color = (0.60, 0.62, 0.65)
_UNSOLVED_COLOR: Color = (0.45, 0.45, 0.47)
_MARKED_COLOR: Color = (0.98, 0.72, 0.12)
_AXIS_LENGTH = 0.07
"""Length of a joint axis on its positive side, over the size of the model."""
_NAMES = 3
"""Most coordinates in one label."""


class Piece(NamedTuple):
    """Surface that moves with a body."""

    body: str  # its name; empty for ground
    surface: Surface  # in the body frame
    color: Color
    opacity: float = 1.0
    solid: Array | None = None  # of a bone that is a contact shape, as `bone_solid`


def body_pieces(name: str, body: BodyMotion, span: dict[int, tuple[float, float]]) -> list[Piece]:
    """Surfaces of one body: its meshes, and translucent contact shapes around them.

    Without meshes the contact shapes, or sticks, are solid. `span` is that of `shape_surface` by
    shape number.
    """
    bones = [mesh for mesh in (*body.shapes, *body.visuals) if len(mesh.faces)]
    pieces = [Piece(name, mesh_surface(mesh), BONE_COLOR) for mesh in bones]
    for number, shape in enumerate((*body.shapes, *body.visuals)):
        if shape.kind == "mesh":
            continue
        own = span.get(number)
        if bones:
            pieces.append(Piece(name, shape_surface(shape, span=own), _TOUCHED_COLOR, 0.3))
        else:
            solid = bone_solid(shape, span=own)
            pieces.append(Piece(name, bone_surface(shape, span=own), BONE_COLOR, solid=solid))
    return pieces


def end_pieces(
    anchors: Sequence[Anchor], in_air: Sequence[Anchor], bones: Mapping[str, BoneSurface]
) -> list[Piece]:
    """Processes of the bones, and tendon on them, at the ends of fibers; plates in the air."""
    pieces = []
    for name in dict.fromkeys(anchor.body for anchor in in_air):
        plates = mounts(anchor for anchor in in_air if anchor.body == name)
        if plates is not None:
            pieces.append(Piece(name, plates, _MOUNT_COLOR))
    for name in dict.fromkeys(anchor.body for anchor in anchors):
        own = [anchor for anchor in anchors if anchor.body == name]
        both = (processes(own, bones[name]), BONE_COLOR), (fans(own), to_rgb(TENDON_COLOR))
        for surface, color in both:
            if surface is not None:
                pieces.append(Piece(name, surface, color))
    return pieces


def still_pieces(
    still: Still, size: float, *, axes: bool, marked: str | None = None
) -> list[Piece]:
    """Surfaces of a model besides bodies and fibers; `size` is that of the scene [m].

    Muscles have alternating colors; one without a path is gray, the `marked` one stands out.
    """
    pieces = list[Piece]()
    by_color = dict[Color, list[Surface]]()
    for k, (name, line) in enumerate(still.muscles.items()):
        color = _UNSOLVED_COLOR if line.problem else _MUSCLE_COLORS[k % len(_MUSCLE_COLORS)]
        color = _MARKED_COLOR if name == marked else color
        by_color.setdefault(color, []).append(line_surface(line.points, line.radius))
    pieces += [Piece("", join(lines), color) for color, lines in by_color.items()]
    for wrap in still.wraps.values():
        if len(wrap.faces):
            pieces.append(Piece("", mesh_surface(wrap), _WRAP_COLOR, 0.3))
    if axes:
        pieces += [
            Piece("", _arrow(axis, _AXIS_LENGTH * size), AXIS_COLORS["light"][axis.kind])
            for axis in still.axes
        ]
    return pieces


def still_labels(still: Still, theme: str = "light") -> list[Label]:
    """Names of coordinates at their joint axes, and of muscles at their midpoints."""
    moving: dict[tuple[float, ...], list[JointAxis]] = {}
    for axis in still.axes:
        moving.setdefault(tuple(np.round(axis.point, 6)), []).append(axis)
    labels = []
    for axes in moving.values():
        names = list(dict.fromkeys(name for axis in axes for name in axis.coordinates))
        for k in range(0, len(names), _NAMES):
            words = ", ".join(names[k : k + _NAMES])
            labels.append(Label(words, axes[0].point, AXIS_COLORS[theme][axes[0].kind]))
    for name, line in still.muscles.items():
        path = _along(line.points, np.linspace(0.2, 0.8, 13))
        labels.append(Label(name, path[6], NAME_COLORS[theme], path))
    return labels


def _along(points: Array, parts: Array) -> Array:
    """Points at parts of the length of a polyline (n, 3)."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.stack([np.interp(parts * way[-1], way, points[:, i]) for i in range(3)], axis=1)


def _arrow(axis: JointAxis, length: float) -> Surface:
    """Thin rod along a joint axis with a ball at the positive end."""
    start, end = axis.point - 0.5 * length * axis.direction, axis.point + length * axis.direction
    rod = ShapeRecord("capsule", start, end, 0.015 * length)
    head = ShapeRecord("capsule", end, end, 0.04 * length)
    return join([shape_surface(shape, n_around=16) for shape in (rod, head)])
