"""Wrap surfaces of line muscles as shapes for contact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.model import Capsule, LineMuscle
from fibermsk.model.muscles.level_set import WrapLevelSet
from fibermsk.model.muscles.wrap import (
    WrapCappedCylinder,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)


def shapes_from_wraps(
    muscles: LineMuscle | Iterable[LineMuscle], names: Iterable[str] | None = None
) -> dict[str, tuple[Capsule, ...]]:
    """Convert wrap surfaces to capsules, if no bone guides a path.

    Parameters
    ----------
    muscles : LineMuscle or several
        Muscles whose active wrap surfaces are converted.
    names : iterable of str, optional
        Names of the surfaces; all if left out.

    Returns
    -------
    shapes : dict
        Name of a body -> shapes in its frame. Add them as a separate body welded to it,
        ``fm.Body("elbow_roll", shapes=shapes["humerus"])`` and ``fm.Weld(humerus, roll)``.

    Raises
    ------
    ModelError
        If no muscle has a surface of one of the names, or it is a torus.

    Notes
    -----
    A cylinder becomes a capsule of its length and radius, plus hemispherical caps; a sphere becomes
    a sphere; an ellipsoid becomes the capsule along its longest axis with the mean of the two other
    semi-axes as its radius. Shapes do not define the side of a path: fibers stay on their initial
    side.
    """
    owner = "shapes_from_wraps"
    group = (muscles,) if isinstance(muscles, LineMuscle) else _several(owner, "muscles", muscles)
    surfaces = {}
    for muscle in group:
        _check.instance(owner, "muscles", muscle, LineMuscle, "a LineMuscle or several")
        for wrap in muscle.wraps:
            if wrap.shape.active:
                surfaces[wrap.shape.name] = wrap.shape
    wanted = tuple(surfaces) if names is None else _several(owner, "names", names)
    shapes: dict[str, tuple[Capsule, ...]] = {}
    for name in wanted:
        if not isinstance(name, str) or name not in surfaces:
            known = ", ".join(map(repr, surfaces)) or "none"
            _check.refuse(owner, "names", name, f"be one of the active surfaces: {known}")
        surface = surfaces[name]
        body = surface.body.name
        shapes[body] = (*shapes.get(body, ()), capsule_of(surface))
    return shapes


def _several(owner: str, field: str, value: Any) -> tuple[Any, ...]:
    """Items of an iterable."""
    try:
        return tuple(value)
    except Exception:  # not iterable, or iteration fails
        _check.refuse(owner, field, value, "be a sequence")


def capsule_of(surface: Any) -> Capsule:
    """Capsule of a wrap surface, in the frame of its body; refused for others."""
    center, axes = np.asarray(surface.position), np.asarray(surface.rotation)
    if isinstance(surface, WrapSphere):
        return Capsule(center, center, surface.radius)
    if isinstance(surface, WrapCylinder):
        half = 0.5 * surface.length * axes[:, 2]
        return Capsule(center - half, center + half, surface.radius)
    if isinstance(surface, WrapEllipsoid):
        semi = np.asarray(surface.radii)
        longest = int(np.argmax(semi))
        radius = float((semi.sum() - semi[longest]) / 2.0)
        half = (semi[longest] - radius) * axes[:, longest]
        return Capsule(center - half, center + half, radius)
    assert isinstance(surface, WrapTorus | WrapCappedCylinder | WrapLevelSet)
    _check.refuse(
        "shapes_from_wraps", "surface", surface, "be a sphere, a cylinder or an ellipsoid"
    )
