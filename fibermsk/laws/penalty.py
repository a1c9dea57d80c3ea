"""Normal contact as a penalty on the relative gap: a line force per current length [N/m]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fibermsk._numbers import POSITIVE, Checked, above, number


@dataclass(frozen=True)
class PenaltyContact(Checked):
    """Contact line force that tends to infinity as the relative gap approaches -1/limit.

    Parameters
    ----------
    stiffness : float
        Penalty stiffness kappa [N/m]; positive.
    limit : float
        Inverse gamma of the deepest relative penetration [-]; above 1. A relative gap of
        -1/limit or less is not admissible.
    """

    stiffness: float = number("N/m", POSITIVE)
    limit: float = number("", above(1.0))


def line_force(gap, stiffness, limit):
    """Repulsive line force F [N/m] of a relative gap [-] and its derivative dF/dgap; zero if open.

    The gap, the distance over the sum of the radii minus 1, must be above -1/limit.

    Notes
    -----
    F = -kappa g / (1 + gamma g), eq. 44 of [1]_.

    References
    ----------
    .. [1] Gfrerer and Simeon, Multibody System Dynamics 52 (2021), 1-30.
    """
    if gap >= 0.0:
        return 0.0, 0.0
    admissibility = 1.0 + limit * gap
    return -stiffness * gap / admissibility, -stiffness / (admissibility * admissibility)


def line_energy(gap, stiffness, limit):
    """Energy Psi [N/m]; its derivative in the relative gap is minus the line force.

    kappa (g / gamma - ln(1 + gamma g) / gamma^2), zero if the contact is open. Times the radii it
    is an energy per length.
    """
    if gap >= 0.0:
        return 0.0
    return stiffness * (gap - math.log1p(limit * gap) / limit) / limit
