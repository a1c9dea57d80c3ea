"""Specific tension, number of fibers and length of the belly of a bundle, so that it fits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.bundle import THICKEST
from fibermsk.anatomy.calibrate import DENSITY, LONGEST, SHORTEST, SPECIFIC_TENSION
from fibermsk.errors import ModelError
from fibermsk.model import Body, LineMuscle, Model

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

_LIGHT = 0.1
"""Mass of a body over that of the heaviest one which a muscle crosses, below which no belly lies
in it, such as the patella."""

_FIBERS = 7
"""Fibers of a muscle when no number is given: one in the middle of six."""

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


def local_tensions(
    model: Model, points: Mapping[str, Array], poses: Mapping[str, tuple[Array, Array]]
) -> tuple[dict[str, float], dict[str, str]]:
    """Smallest specific tension of each muscle of a model [N/m^2], and remarks on masses, by name.

    That of the model (`model_tension`), or a larger one for which the muscles that lie in one body
    have at most 40 % of its mass. A muscle lies in the body, of those between its ends, whose
    center of mass is nearest to the middle of its path (m, 3) [m]. Where this needs more than the
    largest tension, the body does not contain its muscles, as a scapula: those of the model's
    tension then, with a remark.
    """
    high = TENSIONS[1]
    least = model_tension(model, model.muscles)
    nearest_of: dict[str, Body] = {}
    needed: dict[str, float] = {}
    for muscle in model.muscles:
        crossed = carriers(model, muscle)
        if crossed:
            middle = paths.resample(points[muscle.name], 3)[1]
            body = min(crossed, key=lambda one, at=middle: _distance(one, at, poses))
            nearest_of[muscle.name] = body
            mass = DENSITY * muscle.max_isometric_force * muscle.optimal_fiber_length
            needed[body.name] = needed.get(body.name, 0.0) + mass
    tensions, remarks = {}, {}
    for muscle in model.muscles:
        tensions[muscle.name] = least
        body = nearest_of.get(muscle.name)
        if body is None or not body.mass:
            continue
        wanted = needed[body.name] / (_MUSCLE_SHARE * body.mass)
        if wanted <= high:
            tensions[muscle.name] = max(least, wanted)
            continue
        force, optimum = muscle.max_isometric_force, muscle.optimal_fiber_length
        remarks[muscle.name] = (
            f"its force of {force:g} N and optimal fiber length of {optimum:g} m are a belly of "
            f"{1e3 * DENSITY * force * optimum / high:.0f} g even at {1e-4 * high:.0f} N/cm^2, "
            f"where the muscles in {body.name} have "
            f"{100.0 * needed[body.name] / high / body.mass:.0f} % of its mass"
        )
    return tensions, remarks


def carriers(model: Model, muscle: LineMuscle) -> list[Body]:
    """Bodies in which the belly of a muscle may lie: those it crosses that are heavy enough.

    In the order from origin to insertion.
    """
    first, last = (to_root(model, muscle.points[k].body) for k in (0, -1))
    shared = [body for body in first if body in last]
    before, after = ([body for body in way if body not in shared] for way in (first, last))
    crossed = [*before, *shared[:1], *reversed(after)]
    heaviest = max((body.mass or 0.0 for body in crossed), default=0.0)
    return [one for one in crossed if one.mass and one.mass >= _LIGHT * heaviest]


def _distance(body: Body, place: Array, poses: Mapping[str, tuple[Array, Array]]) -> float:
    """Distance of a place (3,) from the center of mass of a body [m]."""
    rotation, position = poses[body.name]
    return float(np.linalg.norm(position + rotation @ np.asarray(body.com) - place))


def to_root(model: Model, body: Body) -> list[Body]:
    """A body and those that carry it, up to the ground."""
    found, joint = [body], model.joint_of(body)
    while joint is not None:
        found.append(joint.parent)
        joint = model.joint_of(joint.parent)
    return found


def raised(muscle: LineMuscle, sizes: Sizes, least: float) -> str:
    """Remark on a specific tension raised above `least` by `choose`; empty without one."""
    if sizes.specific_tension <= least * (1.0 + 1e-6):
        return ""
    enough = math.ceil(sizes.n_fibers * sizes.specific_tension / least * (1.0 - 1e-6))
    mass = DENSITY * muscle.max_isometric_force * muscle.optimal_fiber_length / least
    return (
        f"specific tension raised from {1e-4 * least:.0f} N/cm^2, so that {sizes.n_fibers} fibers "
        f"are thinner than they are long; {enough} fibers would keep it, with a belly of "
        f"{1e3 * mass:.0f} g in place of {1e3 * sizes.mass:.0f} g"
    )


def belly_of(volume: float, rest: float, length: float) -> float:
    """Length [m] of a belly of a volume [m^3]: that of muscle in the path, or as thick allows.

    The muscle part has the length `rest` of the path of a `length` [m].
    """
    wanted = (volume / (math.pi * _ASPECT**2)) ** (1.0 / 3.0)
    return max(rest, min(wanted, 0.8 * length))


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
        Number of fibers; 7 if None.
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
    rest, n = length - muscle.tendon_slack_length, n_fibers or _FIBERS
    if not (muscle.tendon_slack_length > 0.0 and SHORTEST * along <= rest <= LONGEST * along):
        # refused by `calibrate`, which names the number
        return Sizes(n, least, rest, 0.0, _THICKEST_TENDON, 0.0)
    # fibers of radius THICKEST L_M at a specific tension of one
    ratio = force * optimum / (math.pi * THICKEST**2 * rest**3)
    tension = least if fixed else max(least, ratio / n * (1.0 + 1e-9))
    high = max(TENSIONS[1], least)
    if ratio / n > (tension if fixed else high):
        tension = tension if fixed else high
        enough = math.ceil(ratio / tension)
        radius = math.sqrt(ratio / n / tension) * THICKEST * rest
        remedy = f"use {enough} fibers or more" if n_fibers else "set n_fibers"
        raise ModelError(
            f"{owner}: max_isometric_force = {force:g} N and optimal_fiber_length = {optimum:g} m "
            f"give fibers of radius {radius:.3g} m at {1e-4 * tension:.3g} N/cm^2, which are "
            f"{rest:.3g} m long in this pose; must be at most {THICKEST:g} of the length; {remedy}"
        )
    volume = force * optimum / tension
    belly = belly_of(volume, rest, length)
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
