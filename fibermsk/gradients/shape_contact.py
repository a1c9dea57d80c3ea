"""What contact has of numbers of the shape of fibers.

With nodes held, contact depends on a fiber's shape by lengths of elements, reference radii, and
products of reference tangents alone. Numbers that change these in proportion, as all coordinates of
the ends of a straight fiber do, share one difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gradients.rows import Shared
from fibermsk.solvers.adjoint.variation import Variation
from fibermsk.system import FiberSystem
from fibermsk.system.varying import CONTACT

_NONE = 1e-8
"""Change of the shape over that of the number below which contact does not depend on it."""

_PROPORTIONAL = 1e-8
"""Part of a change that is not proportional to another, at most, for both to be one."""


class Member(NamedTuple):
    """A number: that of its fiber, its own in the gradient, and how the shape changes with it."""

    fiber: int
    number: int
    step: float
    shape: Array  # change of the shape with the number by its size; see `change_of`
    vary: Callable[[], Variation]


def contact_of_shapes(members: Sequence[Member]) -> list[Shared]:
    """Differences of contact that hold the derivatives in numbers of the shape of fibers."""
    by_fiber: dict[int, list[Member]] = {}
    for one in members:
        by_fiber.setdefault(one.fiber, []).append(one)
    return [shared for own in by_fiber.values() for shared in _proportional(own)]


def shape_of(system: FiberSystem) -> Array:
    """What contact has of the shape of each element, (n_elements, 15)."""
    cables = system.cables
    rows = cables.reference_power[:, 1:]
    products = np.einsum("eic,ejc->eij", rows, rows).reshape(len(rows), -1)
    return np.hstack([cables.h[:, None], cables.radius_poly, products])


_PARTS = slice(0, 1), slice(1, 6), slice(6, 15)
"""Columns of `shape_of` with one unit each."""


def change_of(system: FiberSystem, change: Array, fiber: int) -> Array:
    """A change (n_elements, 15) of the shape of a fiber over its size, as one vector."""
    cables, whole = system.cables, shape_of(system)
    own = slice(cables.element_start[fiber], cables.element_start[fiber + 1])
    parts = [change[own, part] / np.abs(whole[own, part]).max() for part in _PARTS]
    return np.concatenate([one.ravel() for one in parts])


def _proportional(members: Sequence[Member]) -> list[Shared]:
    """Numbers of one fiber, with those together that change its shape in proportion."""
    found, left = list[Shared](), list(members)
    while left:
        sizes = [float(np.linalg.norm(one.shape)) for one in left]
        first = left[int(np.argmax(sizes))]
        if max(sizes) < _NONE:
            break
        own, rest = list[Member](), list[Member]()
        ratios = list[float]()
        for one in left:
            ratio = float(one.shape @ first.shape) / max(sizes) ** 2
            off = np.linalg.norm(one.shape - ratio * first.shape)
            if off <= _PROPORTIONAL * max(sizes):
                own.append(one)
                ratios.append(ratio * first.step / one.step)
            else:
                rest.append(one)
        numbers = np.array([one.number for one in own])
        found.append(Shared(first.vary(), CONTACT, numbers, np.array(ratios)))
        left = rest
    return found
