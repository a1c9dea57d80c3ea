"""Specific tension, number of fibers and length of the belly of a bundle, so that it fits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from fibermsk.anatomy.bundle import THICKEST
from fibermsk.anatomy.calibrate import DENSITY, LONGEST, SHORTEST, SPECIFIC_TENSION
from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle, Model

TENSIONS = (SPECIFIC_TENSION, 1.0e6)
"""Range of the specific tension [N/m^2]: that of mammalian muscle, and the largest value in use.

Fibers of mammals reach 0.225 to 0.35 MPa (Zajac 1989). Models of whole muscles need more for the
measured volumes: 0.6 MPa in Rajagopal et al. (2016), and estimates from human joint moments reach
1 MPa (Buchanan, J. Biomech. 28 (1995), and references there).
"""

_MUSCLE_SHARE = 0.4
"""Largest mass of all muscles over that of the bodies to which they are attached.

Skeletal muscle is 38 % of the body mass of men (Janssen et al., J. Appl. Physiol. 89 (2000), 81).
"""

_FEWEST, _MOST = 3, 7
"""Numbers of fibers to choose from."""

_ASPECT = 0.25
"""Largest radius of a belly over its length."""

_TENDON_SHARE = 0.25
"""Largest mass of the tendons over that of the muscle parts."""

_THICKEST_TENDON, _THINNEST_TENDON = 0.5, 0.15
"""Bounds of the tendon's radius over that of the fiber's belly."""


class Sizes(NamedTuple):
    """Sizes of a bundle.

    Attributes
    ----------
    n_fibers : int
        Number of fibers.
    specific_tension : float
        Force over physiological cross-section [N/m^2].
    belly_length : float
        Length of the belly [m], that of the fibers' muscle parts or larger.
    belly_radius : float
        Radius of the belly [m].
    tendon_radius : float
        Radius of a fiber's tendon over that of its muscle part.
    mass : float
        Mass of the muscle parts, F_0 l_0 density / specific_tension [kg].
    """

    n_fibers: int
    specific_tension: float
    belly_length: float
    belly_radius: float
    tendon_radius: float
    mass: float


def model_tension(model: Model, muscles: Iterable[LineMuscle]) -> float:
    """Smallest specific tension for muscles that outweigh no more than 40 % of their bodies.

    Within `TENSIONS`. The mass of a muscle is density F_0 l_0 / specific tension, in equal parts in
    the bodies of its path points: the masses of a model's bodies include the muscles. Bodies
    without mass, such as the trunk of an arm model, do not count.
    """
    touched, needed = set(), 0.0
    for muscle in muscles:
        bodies = [point.body for point in muscle.points]
        heavy = [body for body in bodies if body.mass]
        touched.update(heavy)
        volume = muscle.max_isometric_force * muscle.optimal_fiber_length
        needed += DENSITY * volume * len(heavy) / len(bodies)
    carrying = math.fsum(body.mass or 0.0 for body in touched)
    low, high = TENSIONS
    if carrying == 0.0:
        return low
    return min(max(needed / (_MUSCLE_SHARE * carrying), low), high)


def choose(
    muscle: LineMuscle, length: float, least: float, n_fibers: int | None, fixed: bool
) -> Sizes:
    """Sizes of the bundle of a muscle with a path of a length [m].

    Parameters
    ----------
    muscle : LineMuscle
        The muscle.
    length : float
        Length of its path at the start [m].
    least : float
        Specific tension that is raised if the belly does not fit [N/m^2].
    n_fibers : int or None
        Number of fibers; chosen if None.
    fixed : bool
        Whether the specific tension is kept.

    Raises
    ------
    ModelError
        If the numbers of the muscle leave no belly that fits.

    Notes
    -----
    The volume of the belly is V = F_0 l_0 / sigma. A fiber of length L_M and radius r fits if r <=
    L_M / 2: more fibers are thinner, and then sigma is raised. The belly of radius R and length L
    is as long as the path allows up to R = L / 4, pi R^2 L = V: fibers that are shorter than it
    lie one behind the other, beside tendons of others.
    """
    owner = f"fibers of muscle {muscle.name!r}"
    force, optimum = muscle.max_isometric_force, muscle.optimal_fiber_length
    along = optimum * math.cos(muscle.pennation_angle)
    rest = length - muscle.tendon_slack_length
    if not (muscle.tendon_slack_length > 0.0 and SHORTEST * along <= rest <= LONGEST * along):
        # refused by `calibrate`, which names the number
        return Sizes(n_fibers or _FEWEST, least, rest, 0.0, _THICKEST_TENDON, 0.0)
    # fibers of radius THICKEST L_M at a specific tension of one
    ratio = force * optimum / (math.pi * THICKEST**2 * rest**3)
    n = n_fibers or min(max(math.ceil(ratio / least), _FEWEST), _MOST)
    tension = least if fixed else max(least, ratio / n * (1.0 + 1e-9))
    high = max(TENSIONS[1], least)
    if ratio / n > (tension if fixed else high):
        enough = math.ceil(ratio / (tension if fixed else high))
        radius = math.sqrt(ratio / n / tension) * THICKEST * rest
        remedy = f"use {enough} fibers or more" if n_fibers else "set n_fibers"
        raise ModelError(
            f"{owner}: max_isometric_force = {force:g} N and optimal_fiber_length = {optimum:g} m "
            f"give fibers of radius {radius:.3g} m at {1e-4 * tension:.3g} N/cm^2, which are "
            f"{rest:.3g} m long in this pose; must be at most {THICKEST:g} of the length; {remedy}"
        )
    volume = force * optimum / tension
    wanted = (volume / (math.pi * _ASPECT**2)) ** (1.0 / 3.0)
    belly = max(rest, min(wanted, 0.8 * length))
    tendon = length - rest
    share = math.sqrt(_TENDON_SHARE * rest / tendon)
    return Sizes(
        n,
        tension,
        belly,
        math.sqrt(volume / (math.pi * belly)),
        min(max(share, _THINNEST_TENDON), _THICKEST_TENDON),
        DENSITY * volume,
    )
