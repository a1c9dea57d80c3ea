"""Fingerprints of a system, part by part, to tell whether a checkpoint belongs to it."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.model import MovingPoint

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

__all__ = ["fingerprint"]

Array = NDArray[np.float64]

_SAMPLES = np.linspace(0.0, 1.0, 101)
"""Where line loads are sampled along a fiber."""

_FEWEST = 1001
"""Times at which signals are sampled at least, in equal intervals besides the given ones."""

_ATTACHMENT = ("point_link", "point_local", "end_element", "end_side", "point_fiber", "point_end")


def fingerprint(system: FiberSystem, times: Array) -> dict[str, str]:
    """SHA-256 of the arrays of each part of a system.

    Parameters
    ----------
    system : FiberSystem
        As built.
    times : (n_times,) float array
        Times at which activations, line loads given as functions and moving points are sampled, and
        a thousand more between the first and the last [s].

    Returns
    -------
    parts : dict of str
        Name of the part, as it may stand in a message, to its digest.
    """
    times = np.union1d(times, np.linspace(times[0], times[-1], _FEWEST))
    model, cables, tree, partners = system.model, system.cables, system.tree, system.partners
    meshes = [getattr(cables, f.name) for f in fields(cables) if f.name not in _ATTACHMENT]
    bones = [getattr(tree, f.name) for f in fields(tree) if f.name not in ("gravity", "frames")]
    skeleton = system.skeleton
    bones += [skeleton.coordinates, skeleton.independent, skeleton.start, skeleton.start_speed]
    bones += [repr(law) for c in model.coordinates for law in c.laws]
    if skeleton.map is not None:
        bones += [getattr(skeleton.map, f.name) for f in fields(skeleton.map)]
    bones += [skeleton.constraints.at(float(t), 0) for t in times]
    places = [part for name in sorted(tree.frames) for part in (name, *tree.frames[name])]
    moving = [
        point.given_at(float(t))
        for fiber in model.fibers
        for point in fiber.attach
        if isinstance(point, MovingPoint)
        for t in times
    ]
    loads = [
        fiber.line_load_at(_SAMPLES, float(t))
        for fiber in model.fibers
        for t in (times if callable(fiber.line_load) else times[:1])
    ]
    return {
        "the fibers": _digest(meshes),
        "the bodies or joints": _digest([*bones, *places]),
        "the attachments": _digest([getattr(cables, name) for name in _ATTACHMENT]),
        "the contacts": _digest(
            [
                getattr(of, f.name)
                for of in (partners, partners.shapes)
                for f in fields(of)
                if f.name != "shapes"
            ]
        ),
        "gravity": _digest([tree.gravity]),
        "the activations": _digest([system.loads.activations(float(t)) for t in times]),
        "the line loads": _digest(loads),
        "the moving points": _digest(moving),
        "the breakpoints of signals": _digest([system.breakpoints]),
    }


def _digest(values: list[Any]) -> str:
    """SHA-256 of arrays and names, with their types and shapes."""
    sha = hashlib.sha256()
    for value in values:
        array = np.ascontiguousarray(value)
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()
