"""Energy of differences of the stretch along a fiber."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk._numbers import POSITIVE, Checked, bounded, number


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
    power : float
        Power of the muscle fraction that S is multiplied with; 1 or more. A large one, such as 1e4,
        leaves out all that is not muscle alone: the stretch may then change freely where the muscle
        ends, and is even inside a muscle shorter than l_g.
    """

    stress: float = number("N/m^2", POSITIVE)
    length: float = number("m", POSITIVE)
    power: float = number("", bounded(least=1.0), default=1.0)
