"""The pressure of contacts along the fibers, beside the axial force of the tissue."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.axial import fill_pressure
from fibermsk.system.contact import ContactSearch
from fibermsk.system.contact_sets import PotentialFibers

__all__ = ["pressure_along"]

Array = NDArray[np.float64]


def pressure_along(search: ContactSearch) -> Array:
    """Part of the axial force that the pressure of potentials makes, at the points evaluated last.

    Parameters
    ----------
    search : ContactSearch
        After `evaluate`; all its laws have the same number of points.

    Returns
    -------
    force : (n_elements, n_points) float array
        [N], not positive. Between fibers, what the partner's points press with is that of fibers
        side by side. Half passes have none: their force has no part along the fiber.
    """
    cables, partners = search.cables, search.partners
    n_points = int(partners.points.max(initial=1))
    total = np.zeros((cables.h.size, n_points))
    for part in (search.fiber_sets[1], search.bone_sets[1]):
        own, law = (np.repeat(x, n_points) for x in (part.runs.element, part.runs.law))
        if not own.size:
            continue
        point = np.tile(np.arange(n_points), part.runs.element.size)
        share = _reference_radius(cables.radius_poly, own, partners.xi[law, point])
        if isinstance(part, PotentialFibers):
            near = part.element >= 0
            share[near] += _reference_radius(cables.radius_poly, part.element[near], part.xi[near])
        else:
            share += part.state[:, 2]
        along = np.empty(own.size)
        fill_pressure(part.state, share, law, partners.constants, along)
        np.add.at(total, (own, point), along)
    return total


def _reference_radius(radius_poly: Array, element: NDArray[np.int64], xi: Array) -> Array:
    powers = np.vander(xi, radius_poly.shape[1], increasing=True)
    return np.sum(radius_poly[element] * powers, axis=1)
