"""Checks of paths through points of bodies and around surfaces."""

from __future__ import annotations

from typing import Any

from fibermsk import _check
from fibermsk.model.muscles.line_muscle import MovingPathPoint, PathPoint
from fibermsk.model.muscles.wrap import PathWrap, WrapCappedCylinder


def check_path(owner: str, item: Any) -> dict[str, Any]:
    """Points and wraps of an item as tuples, refused if they are no path."""
    kinds = (PathPoint, MovingPathPoint)
    points = _check.items(owner, "points", item.points, kinds, "a path point", "path points")
    if len(points) < 2:
        _check.refuse(owner, "points", len(points), "be two or more")
    wraps = _check.items(owner, "wraps", item.wraps, PathWrap, "a PathWrap", "path wraps")
    for wrap in wraps:
        if isinstance(wrap.shape, WrapCappedCylinder):
            must, remedy = "be another surface", "use fm.WrapCylinder"
            _check.refuse(owner, "wraps", wrap.shape.name, must, remedy=remedy)
    return {"points": points, "wraps": wraps}
