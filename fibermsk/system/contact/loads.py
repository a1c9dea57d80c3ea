"""Forces at contact points, and where on the fibers they act."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.kernels.contact.cuts import find_places
from fibermsk.system.contact.search import ContactSearch


def point_loads(search: ContactSearch) -> Iterator[tuple[Index, Array, Array, Array]]:
    """Forces across the fibers at the contact points of the last evaluation, set by set.

    Element, least and greatest xi on which it acts, (n,), and the force (n, 3) [N]; on the
    integrated fiber and, of potentials, on the partner.
    """
    for part in (*search.sets.fibers, *search.sets.bones):
        # those of the partners, in the order of the points, after all others
        both = part.potential and part in search.sets.fibers
        for partner in (False, True) if both else (False,):
            for points, of_points in part.force_parts(search.geometry):
                element, weight, high = places(search, part, points)
                force = of_points * (weight * search.cables.h[element])[:, None]
                if partner:
                    yield *partner_places(search, part, points, element, weight), -force
                else:
                    yield element, high - weight, high, force


def places(search: ContactSearch, part: Any, points: Index) -> tuple[Index, Array, Array]:
    """Elements of contact points (n,) of a set, their weights, and the greatest xi of each.

    The points are in increasing order.
    """
    runs, n = part.runs, points.size
    element: Index = np.empty(n, runs.element.dtype)
    weight, high = np.empty(n), np.empty(n)
    find_places(
        points, runs.point_start, runs.element, runs.law, search.partners.laws.weight, element,
        weight, high,
    )  # fmt: skip
    return element, weight, high


def partner_places(
    search: ContactSearch, part: Any, points: Index, element: Index, weight: Array
) -> tuple[Index, Array, Array]:
    """Partners' elements of points (n,) at given `places`, and least and greatest xi there."""
    h, found = search.cables.h, part.points
    other, eta = found.element[points], found.xi[points]
    length = part.lengths(points) / found.state[points, 2]
    half = 0.5 * weight * length * h[element] / h[other]
    return other, (eta - half).clip(0.0), (eta + half).clip(max=1.0)
