"""The pressure of contacts along the fibers, beside the axial force of the tissue."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.axial import add_pressure
from fibermsk.system.contact import ContactSearch

__all__ = ["pressure_along"]

_NO_PARTNERS = np.empty(0, np.int64), np.empty(0)


def pressure_along(search: ContactSearch) -> NDArray[np.float64]:
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
    total = np.zeros((cables.h.size, int(partners.points.max(initial=1))))
    (_, fibers), (_, bones) = search.fiber_sets, search.bone_sets
    for part, points in ((fibers, (fibers.element, fibers.xi)), (bones, _NO_PARTNERS)):
        add_pressure(
            part.runs.element, part.runs.law, partners.constants, partners.xi, cables.radius_poly,
            *points, part.state, total,
        )  # fmt: skip
    return total
