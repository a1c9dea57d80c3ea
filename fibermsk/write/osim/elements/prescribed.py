"""External forces given by constants and functions as prescribed forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import numpy as np

from fibermsk._arrays import Array
from fibermsk.forces import ExternalForce
from fibermsk.model.function import Function, Linear
from fibermsk.read.osim.forces.loads import InFrame
from fibermsk.write.osim.functions import write_function
from fibermsk.write.osim.tree import leaf, set_of

if TYPE_CHECKING:
    from fibermsk.write.osim.elements.elements import Elements


def write_prescribed(to: Elements, item: ExternalForce) -> bool:
    """Add an external force; False if it follows other functions of time than those of a file."""
    given = {"force": item.force, "torque": item.torque, "point": item.at}
    if any(callable(one) and not isinstance(one, InFrame) for one in given.values()):
        return False
    local = {
        "force": item.frame == "body",
        "torque": item.frame == "body",
        "point": item.at_frame == "body",
    }
    place = _place([one for name, one in given.items() if local[name]], given["point"])
    if place is None:
        return False
    R, origin = place
    ground = np.eye(3), np.zeros(3)
    vectors = dict[str, Sequence[Function]]()
    for name, one in given.items():
        turn, start = (R, origin) if local[name] else ground
        found = _within(one, turn, start if name == "point" else ground[1])
        if found is None:
            return False
        vectors[name] = found
    force_acts, torque_acts = (_acts(given[name]) for name in ("force", "torque"))
    if force_acts != torque_acts:  # of both that do nothing, one must be there
        del vectors["torque" if force_acts else "force"]
    force = to.named("PrescribedForce", item)
    frame = to.bodies.frame(item.body, origin, R, str(force.get("name")))
    leaf(force, "socket_frame", frame)
    leaf(force, "pointIsGlobal", not local["point"])
    leaf(force, "forceIsGlobal", not local["force"])
    for name, functions in vectors.items():
        _write(force, f"{name}Functions", item.name, functions)
    return True


def _acts(value: Any) -> bool:
    """Whether a force or torque is not always zero."""
    return callable(value) or bool(np.any(value))


def _place(local: Sequence[Any], at: Any) -> tuple[Array, Array] | None:
    """Axes and origin of the frame in which functions are; None if they are in several."""
    turned = [one.rotation for one in local if isinstance(one, InFrame)]
    if any(not np.array_equal(one, turned[0]) for one in turned[1:]):
        return None
    R = turned[0] if turned else np.eye(3)
    inside = isinstance(at, InFrame) and any(one is at for one in local)
    return R, at.origin if inside else np.zeros(3)


def _within(value: Any, R: Array, origin: Array) -> Sequence[Function] | None:
    """Three functions in a frame; None for functions in another one."""
    if isinstance(value, InFrame):
        same = np.array_equal(value.rotation, R) and np.array_equal(value.origin, origin)
        return value.functions if same else None
    return [Linear(0.0, float(one)) for one in R.T @ (np.asarray(value) - origin)]


def _write(force: Element, tag: str, name: str, functions: Sequence[Function]) -> None:
    """Add a set of three functions."""
    objects = set_of(force, "FunctionSet", tag)
    for axis, one in zip("xyz", functions, strict=True):
        write_function(f"external force {name!r}: {tag} {axis}", objects, one)
