"""Elements of a file: numbers with all their digits, sets, and frames fixed to bodies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np


def text_of(value: Any) -> str:
    """Text of a truth value, a word, a number or an array of numbers."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if np.ndim(value):
        return " ".join(text_of(one) for one in np.ravel(value))
    return repr(float(value) + 0.0)  # no negative zero


def leaf(parent: Element, tag: str, value: Any = "") -> Element:
    """Add a child with a text."""
    child = SubElement(parent, tag)
    child.text = text_of(value) or None
    return child


def named(parent: Element, tag: str, name: str, **leaves: Any) -> Element:
    """Add a child with a name and children with texts."""
    child = SubElement(parent, tag, {"name": name})
    for inner, value in leaves.items():
        leaf(child, inner, value)
    return child


def set_of(parent: Element, tag: str, name: str = "") -> Element:
    """Objects of a set, of a name; the set is added where the parent has none."""
    name = name or tag.lower()
    found = parent.find(f"{tag}[@name='{name}']")
    if found is None:
        found = SubElement(parent, tag, {"name": name})
        SubElement(found, "objects")
        SubElement(found, "groups")
    objects = found.find("objects")
    assert objects is not None
    return objects


def inside(parent: Element, tag: str) -> Element:
    """Child with a tag, added where the parent has none."""
    found = parent.find(tag)
    return SubElement(parent, tag) if found is None else found


def angles_of(rotation: Any) -> np.ndarray:
    """Angles (3,) of turns about x, then the turned y, then the turned z [rad].

    The second and the third follow from what the first leaves over, so that they give the rotation
    to round-off also where the first and the third axis nearly coincide.
    """
    R = np.asarray(rotation)
    x = math.atan2(-R[1, 2], R[2, 2]) if math.hypot(R[1, 2], R[2, 2]) > 0.0 else 0.0
    c, s = math.cos(x), math.sin(x)
    left = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]) @ R
    return np.array([x, math.atan2(left[0, 2], left[2, 2]), math.atan2(left[1, 0], left[1, 1])])


def offset_frame(parent: Element, name: str, of: str, position: Any, rotation: Any) -> Element:
    """Add a frame fixed to another one, whose path is `of`."""
    return named(
        parent,
        "PhysicalOffsetFrame",
        name,
        socket_parent=of,
        translation=np.asarray(position),
        orientation=angles_of(rotation),
    )


def first_free(wanted: str, taken: Iterable[str]) -> str:
    """A name that is not taken: the wanted one, or this with a number."""
    names, found, k = set(taken), wanted, 1
    while found in names:
        k += 1
        found = f"{wanted}_{k}"
    return found
