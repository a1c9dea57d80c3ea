"""Energy of differences of the stretch along a fiber."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk._numbers import POSITIVE, Checked, number


@dataclass(frozen=True)
class StretchGradient(Checked):
    """Energy 1/2 S l_g^2 (d stretch / ds)^2 per reference volume, over the reference length s.

    It gives the transition between parts of a fiber that stretch differently a width of about l_g,
    and with it convergence with the mesh, where the tissue softens. It does not make an even state
    stable in a fiber much longer than l_g.

    Parameters
    ----------
    stress : float
        S [N/m^2], times the muscle fraction; positive. The largest active stress is a natural
        value.
    length : float
        l_g [m]; positive. Resolve it by elements that are shorter.
    """

    stress: float = number("N/m^2", POSITIVE)
    length: float = number("m", POSITIVE)
