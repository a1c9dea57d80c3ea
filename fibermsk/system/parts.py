"""Arrays of a model, and of the same model with other values, which share unchanged arrays.

Parameters of fibers affect the arrays of `Cables` at their own elements; those of bodies, joints
and coordinates the `Skeleton`, and through it the positions of attached ends and bones; those of
contacts and shapes the `Partners`, where fiber radii set the margins of mesh fields.
All arrays are computed by the same functions in the same order as when a model is built, so that
they are bitwise identical; equal arrays are reused.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk.model import Model
from fibermsk.parameters import Revision
from fibermsk.system.contact.partners import Partners, build_partners
from fibermsk.system.fibers.cables import Cables, build_cables
from fibermsk.system.skeleton.skeleton import Skeleton


class Parts(NamedTuple):
    """A model as arrays: bodies and joints, fibers, contacts."""

    skeleton: Skeleton
    cables: Cables
    partners: Partners


def build_parts(model: Model) -> Parts:
    """Number a model."""
    skeleton = Skeleton(model)
    cables = build_cables(model, skeleton.tree, skeleton.at(skeleton.start).links)
    return Parts(skeleton, cables, build_partners(model, skeleton.tree))


def revise_parts(before: Parts, old: Model, revision: Revision) -> Parts:
    """Arrays of a revised model, from those of the old model."""
    skeleton, cables, partners = before
    model, touched = revision.model, revision.touched
    if any(id(item) in touched for item in _moving(old)):
        skeleton = Skeleton(model)
        skeleton.tree = shared(skeleton.tree, before.skeleton.tree)
    fields_of_fibers = [touched.get(id(fiber), set()) for fiber in old.fibers]
    if skeleton is not before.skeleton or any(fields_of_fibers):
        links = skeleton.at(skeleton.start).links
        found = build_cables(model, skeleton.tree, links, (cables, fields_of_fibers))
        cables = shared(found, cables)
    if (
        any("shapes" in touched.get(id(body), ()) for body in old.bodies)
        or any(id(contact) in touched for contact in old.contacts)
        or _other_shapes(cables, before.cables)
        or skeleton.tree.frames is not before.skeleton.tree.frames
    ):
        partners = shared(build_partners(model, skeleton.tree), partners)
    return Parts(skeleton, cables, partners)


def same_start(one: Parts, other: Parts) -> bool:
    """Whether the initial contacts and their penetration are the same."""
    if one.cables.reference is not other.cables.reference:
        return False
    if _other_shapes(one.cables, other.cables):
        return False
    poses = [parts.skeleton.at(parts.skeleton.start).links for parts in (one, other)]
    return (
        one.partners.shapes is other.partners.shapes
        and np.array_equal(one.partners.constants[:, 1:], other.partners.constants[:, 1:])
        and np.array_equal(poses[0].rotation, poses[1].rotation)
        and np.array_equal(poses[0].position, poses[1].position)
    )


def _other_shapes(new: Cables, old: Cables) -> bool:
    """Whether radii differ."""
    return new.radius_rows is not old.radius_rows or new.shape_of is not old.shape_of


def shared(new: Any, old: Any) -> Any:
    """Return `new` with bitwise equal parts taken from `old`.

    Dataclasses and named tuples are compared field by field; if all fields are equal, `old` itself
    is returned.
    """
    if is_dataclass(new) and type(new) is type(old) and not isinstance(new, type):
        found = {f.name: shared(getattr(new, f.name), getattr(old, f.name)) for f in fields(new)}
        if all(value is getattr(old, name) for name, value in found.items()):
            return old
        return replace(new, **found)
    if isinstance(new, tuple) and hasattr(new, "_fields") and type(new) is type(old):
        parts = [shared(*pair) for pair in zip(new, old, strict=True)]
        same = all(value is part for value, part in zip(parts, old, strict=True))
        return old if same else type(new)(*parts)
    return old if _same(new, old) else new


def _same(new: Any, old: Any) -> bool:
    """Whether two values are bitwise equal."""
    if isinstance(new, np.ndarray):
        return new.dtype == old.dtype and new.shape == old.shape and new.tobytes() == old.tobytes()
    if isinstance(new, tuple | list):
        return len(new) == len(old) and all(map(_same, new, old))
    if isinstance(new, dict):
        return list(new) == list(old) and all(map(_same, new.values(), old.values()))
    return bool(new == old)


def _moving(model: Model) -> tuple[Any, ...]:
    """Items that define the skeleton; gravity is stored in the model itself."""
    return (model, *model.bodies, *model.joints, *model.coordinates, *model.couplings)
