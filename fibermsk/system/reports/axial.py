"""Axial force due to contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.contact.search import ContactSearch

_NO_PARTNERS = np.empty(0, np.int64), np.empty(0)


def contact_along(search: ContactSearch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Axial forces of contact potentials, at the last contact points.

    Parameters
    ----------
    search : ContactSearch
        After `evaluate`; all its laws have the same number of points.

    Returns
    -------
    pressure : (n_elements, n_points) float array
        Due to the pressure on the section [N], not positive. Between fibers, the pressure of the
        partner's points is that of parallel fibers.
    carried : (n_elements, n_points) float array
        What the contact carries beside the section, its energy per current length [N]. Both are
        zero for half passes, whose force has no axial component.
    """
    cables, partners = search.cables, search.partners
    pressure, carried = np.zeros((2, cables.h.size, int(partners.points.max(initial=1))))
    with_partners = [(part, part.points[:2]) for part in search.sets.fibers]
    for part, points in (*with_partners, *((part, _NO_PARTNERS) for part in search.sets.bones)):
        if not part.potential:
            continue
        part.kernels.add_pressure(
            part.runs.element, part.runs.law, partners.constants, partners.xi, cables.radius_poly,
            *points, part.points.state, pressure, carried,
        )  # fmt: skip
    return pressure, carried
