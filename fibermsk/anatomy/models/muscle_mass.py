"""Mass of line muscles, taken from the bodies that include it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.anatomy.calibrate import DENSITY
from fibermsk.anatomy.models.bundles import names_of, select
from fibermsk.anatomy.models.sizes import (
    TENSIONS,
    belly_of,
    carriers,
    local_tensions,
    to_root,
)
from fibermsk.elements.gauss import gauss_rule
from fibermsk.errors import ModelError
from fibermsk.model import Body, LineMuscle, Model, MuscleMass
from fibermsk.model.muscles.line_muscle import mass_of
from fibermsk.system.lines.mass import check_surfaces
from fibermsk.system.lines.solved import active_points, path_length, points_along
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton, skeleton

_Poses = Mapping[str, tuple[Array, Array]]
"""Rotation and position of each body."""

_PARTS, _GAUSS = 1000, 3
"""Parts of the length of a continuous mass, and Gauss points of each: corners of the path within a
part move the center of mass by less than 1e-7 of the length."""


@dataclass(frozen=True, eq=False, repr=False)
class MovedMass(Described):
    """A model in which mass has moved from bodies to line muscles.

    Attributes
    ----------
    model : Model
        Copy of the model, of the same total mass.
    shares : dict of dict of float
        Mass [kg] by muscle and by body from which it was taken.
    left_out : dict of str
        Muscles without mass, with the reason.
    remarks : dict of str
        By muscle: numbers that are implausible, and specific tensions that were raised.
    """

    model: Model
    shares: dict[str, dict[str, float]]
    left_out: dict[str, str]
    remarks: dict[str, str]

    @property
    def mass(self) -> float:
        """Mass of all muscles [kg]."""
        return math.fsum(one for own in self.shares.values() for one in own.values())

    @property
    def taken(self) -> dict[str, float]:
        """Mass taken from each body [kg]."""
        total: dict[str, float] = {}
        for own in self.shares.values():
            for name, one in own.items():
                total[name] = total.get(name, 0.0) + one
        return total

    def __str__(self) -> str:
        """A line for each body and each muscle."""
        lines = [f"{self.mass:.3g} kg in {len(self.shares)} muscles"]
        for name, one in self.taken.items():
            rest = self.model.body(name).mass or 0.0
            share = 100.0 * one / (rest + one)
            lines.append(f"{name}: {one:.3g} kg of {rest + one:.3g} kg ({share:.0f} %)")
        for name, own in self.shares.items():
            parts = ", ".join(f"{one:.3g} kg from {body}" for body, one in own.items())
            lines.append(f"{name}: {parts}")
            if name in self.remarks:
                lines.append(f"    {self.remarks[name]}")
        lines += [f"left out {name}: {reason}" for name, reason in self.left_out.items()]
        return "\n".join(lines)


class _Lumps(NamedTuple):
    """Mass points of a muscle in the body from which they are taken."""

    mass: Array  # (n,) [kg]
    place: Array  # (n, 3) body frame [m]


def with_muscle_mass(
    model: Model,
    muscles: str | Iterable[str] = "*",
    *,
    masses: Mapping[str, float | MuscleMass] | None = None,
    bodies: Mapping[str, str] | None = None,
    specific_tension: float | None = None,
    keep: Literal["inertia", "mass"] = "inertia",
) -> MovedMass:
    """Give line muscles their mass, and take it from the bodies of the model, which include it.

    Parameters
    ----------
    model : Model
        Model with line muscles; not changed.
    muscles : str or several
        Names of muscles or patterns such as ``"*_r"``; all by default.
    masses : mapping of str to float or MuscleMass, optional
        Masses by muscle [kg]. By default F_0 l_0 density / specific tension, in a belly amid the
        path that is as long as that of a bundle (`bundles_from_model`).
    bodies : mapping of str to str, optional
        Body from which all mass of a muscle is taken. By default each part of a muscle is taken
        from the body, of those that the muscle crosses, whose axis is nearest to it in the start
        pose: the line between the joints that the muscle crosses, or from one through the center
        of mass. Bodies with less than a tenth of the mass of the heaviest do not count.
    specific_tension : float, optional
        Force per physiological cross-section [N/m^2]; by default that of `bundles_from_model`, or
        a larger one, up to 1 MPa, of muscles without which a body would have no mass or inertia
        left; see `MovedMass.remarks`.
    keep : {"inertia", "mass"}
        What stays in the start pose, of each body together with what was taken from it: mass,
        center of mass and inertia; or the mass alone, where the center of mass and the radii of
        gyration of the rest of the body stay.

    Returns
    -------
    moved : MovedMass
        The model with masses of muscles; print it for a report.

    Raises
    ------
    ModelError
        If an argument is refused, a muscle that is named cannot have mass, or what is
        left of a body is not a body: without mass, or with an inertia that no body has. Muscles
        found by a pattern that cannot have mass are in `MovedMass.left_out`.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("leg", gravity=(0.0, -9.81, 0.0))
    >>> shank = model.add(fm.Body("shank", 3.0, (0, -0.18, 0), (0.05, 0.006, 0.05)))
    >>> joint = model.add(fm.Hinge("knee", model.ground, shank, (0, 0, 0), (0, 0, 1)))
    >>> ends = model.ground.at(-0.03, 0.02, 0), shank.at(-0.03, -0.36, 0)
    >>> muscle = model.add(fm.LineMuscle("calf", [fm.PathPoint(n, at) for n, at in zip("ab", ends)],
    ...     max_isometric_force=1500.0, optimal_fiber_length=0.06, tendon_slack_length=0.3))
    >>> moved = fm.with_muscle_mass(model)
    >>> print(f"{moved.taken['shank']:.3f} kg, {moved.model.body('shank').mass:.3f} kg are left")
    0.318 kg, 2.682 kg are left
    """
    owner = "with_muscle_mass"
    _check.instance(owner, "model", model, Model, "a Model")
    _check.choice(owner, "keep", keep, ("inertia", "mass"))
    if specific_tension is not None:
        specific_tension = _check.positive(owner, "specific_tension", specific_tension, "N/m^2")
    if isinstance(muscles, Iterator):
        muscles = tuple(muscles)
    chosen = select(model, muscles, owner)
    named = names_of(muscles)
    masses = _by_muscle(owner, "masses", masses, chosen)
    bodies = _by_muscle(owner, "bodies", bodies, chosen)
    frame = skeleton(free_model(model))
    poses = frame.poses(frame.start)
    points = {one.name: active_points(frame, one, frame.start)[1] for one in model.muscles}
    tensions, heavy = local_tensions(model, points, poses)
    if specific_tension is not None:
        tensions, heavy = dict.fromkeys(tensions, specific_tension), {}
    raised: dict[str, str] = {}
    while True:
        given, lumps = dict[LineMuscle, MuscleMass](), dict[Body, dict[str, _Lumps]]()
        shares, left_out = dict[str, dict[str, float]](), dict[str, str]()
        for muscle in chosen:
            name = muscle.name
            try:
                mass = _mass(frame, muscle, masses.get(name), tensions[name])
                known = [model.body(bodies[name])] if name in bodies else carriers(model, muscle)
                axes = _axes(model, known, poses)
                own = _taken(frame, muscle, mass, known, axes, poses)
            except ModelError as error:
                if name in {*named, *masses, *bodies}:
                    raise ModelError(f"{owner}: no mass for muscle {name!r}: {error}") from error
                left_out[name] = str(error)
                continue
            given[muscle] = mass
            shares[name] = {body.name: float(one.mass.sum()) for body, one in own.items()}
            for body, one in own.items():
                lumps.setdefault(body, {})[name] = one
        rest = dict[Body, dict[str, object]]()
        for body, own in lumps.items():
            try:
                rest[body] = _rest(body, list(own.values()), keep)
            except ModelError:
                free = {*own} - {*masses} if specific_tension is None else set[str]()
                lighter = _raised(tensions, sorted(free))
                if not lighter:
                    raise
                tensions |= lighter
                raised |= {
                    name: f"its specific tension is {1e-4 * one:.0f} N/cm^2, so that "
                    f"{body.name} keeps a mass and an inertia"
                    for name, one in lighter.items()
                }
        if len(rest) == len(lumps):
            break
    edits = {muscle: {"mass": mass} for muscle, mass in given.items()}
    remarks = {
        name: text
        for name, text in (heavy | raised).items()
        if name in shares and name not in masses
    }
    return MovedMass(model.edit(edits | rest), shares, left_out, remarks)


def _raised(tensions: Mapping[str, float], names: list[str]) -> dict[str, float]:
    """Tensions of muscles [N/m^2], larger by a tenth; of those that are not the largest."""
    most = TENSIONS[1]
    return {
        name: min(1.1 * tensions[name], most)
        for name in names
        if tensions[name] < (1.0 - 1e-9) * most
    }


def _by_muscle(
    owner: str, field: str, given: Mapping | None, chosen: Iterable[LineMuscle]
) -> Mapping:
    """A mapping by names of chosen muscles."""
    given = {} if given is None else given
    _check.instance(owner, field, given, Mapping, "a mapping by names of muscles")
    known = [one.name for one in chosen]
    for name in given:
        _check.choice(owner, field, name, known)
    return given


def _mass(
    frame: Skeleton, muscle: LineMuscle, given: float | MuscleMass | None, tension: float
) -> MuscleMass:
    """Mass of a muscle and where it lies along the path."""
    if muscle.mass is not None:
        mass = mass_of(muscle).mass
        must = "have none: it is not known from which body it was taken"
        _check.refuse(f"line muscle {muscle.name!r}", "mass", mass, must, unit="kg")
    if isinstance(given, MuscleMass):
        check_surfaces(muscle, given)
        return given
    volume = muscle.max_isometric_force * muscle.optimal_fiber_length / tension
    length = path_length(frame, muscle, frame.start)
    belly = belly_of(volume, max(length - muscle.tendon_slack_length, 0.0), length)
    share = min(belly / length, 1.0)
    ends = 0.5 * (1.0 - share), 0.5 * (1.0 + share)
    mass = MuscleMass(DENSITY * volume if given is None else given, along=ends)
    check_surfaces(muscle, mass)
    return mass


def _taken(
    frame: Skeleton,
    muscle: LineMuscle,
    mass: MuscleMass,
    known: list[Body],
    axes: list[tuple[Array, Array]],
    poses: _Poses,
) -> dict[Body, _Lumps]:
    """Mass points of a muscle by the body from which they are taken."""
    if not any(body.mass for body in known):
        names = ", ".join(body.name for body in known) or "none"
        owner = f"line muscle {muscle.name!r}"
        _check.refuse(
            owner, "bodies", names, "be one with mass or more, from which to take its own"
        )
    fractions, weights = _nodes(mass)
    places = points_along(frame, replace(muscle, mass=mass), frame.start, fractions)
    apart = [_distance(places, *axis) for axis in axes]
    owners, found = np.argmin(apart, axis=0), {}
    for k in np.unique(owners):
        rotation, position = poses[known[k].name]
        own = owners == k
        found[known[k]] = _Lumps(weights[own], (places[own] - position) @ rotation)
    return found


def _axes(model: Model, known: list[Body], poses: _Poses) -> list[tuple[Array, Array]]:
    """Ends of the axes (3,) of bodies that a muscle crosses one after the other, ground frame."""
    ways, found = {body: to_root(model, body) for body in known}, []
    for k, body in enumerate(known):
        ends = []
        for other in (*known[max(k - 1, 0) : k], *known[k + 1 : k + 2]):
            lower, upper = (other, body) if body in ways[other] else (body, other)
            way = ways[lower]
            below = way[way.index(upper) - 1] if upper in way else body
            joint = model.joint_of(below)
            assert joint is not None  # a body below another has one
            rotation, position = poses[below.name]
            ends.append(position + rotation @ np.asarray(joint.child_at))
        rotation, position = poses[body.name]
        center = position + rotation @ np.asarray(body.com)
        first = ends[0] if ends else center
        found.append((first, ends[1] if len(ends) > 1 else 2.0 * center - first))
    return found


def _distance(points: Array, start: Array, end: Array) -> Array:
    """Distance of points (n, 3) from a line between two others (n,)."""
    way = end - start
    share = ((points - start) @ way / max(way @ way, 1e-300)).clip(0.0, 1.0)
    return np.linalg.norm(points - start - share[:, None] * way, axis=1)


def _nodes(mass: MuscleMass) -> tuple[Array, Array]:
    """Fractions of the length, and masses there [kg], that stand for a distribution."""
    if mass.points is not None:
        return mass.fractions, mass.weights
    knots = mass.fractions
    cuts = np.union1d(np.linspace(knots[0], knots[-1], _PARTS + 1), knots)
    places, weights = gauss_rule(_GAUSS)
    width = np.diff(cuts)[:, None]
    at = (cuts[:-1, None] + width * places).ravel()
    return at, (width * weights).ravel() * np.interp(at, knots, mass.weights)


def _rest(body: Body, taken: list[_Lumps], keep: str) -> dict[str, object]:
    """Mass, center of mass and inertia of what is left of a body."""
    m, x = (np.concatenate(part) for part in zip(*taken, strict=True))
    whole, total = float(body.mass or 0.0), float(m.sum())
    owner, rest = f"body {body.name!r}", whole - float(m.sum())
    if rest <= 0.0:
        raise ModelError(
            f"{owner}: mass = {whole:g} kg; must be above {total:.4g} kg, the mass of muscles that "
            "is taken from it; give smaller masses, a larger specific_tension, or other bodies"
        )
    inertia = np.zeros((3, 3)) if body.inertia is None else np.asarray(body.inertia)
    if keep == "mass":
        return {"mass": rest, "inertia": inertia * (rest / whole)}
    com = np.asarray(body.com)
    # second moments about the old center, of which the inertia is tr(S) - S
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    apart = x - com
    first = -(m @ apart)
    S = S - (apart.T * m) @ apart - np.outer(first, first) / rest
    lowest = float(np.linalg.eigvalsh(S)[0])
    if lowest <= 0.0:
        raise ModelError(
            f"{owner}: without {total:.4g} kg of muscles, of {whole:g} kg, its least second moment "
            f"of mass = {lowest:.3g} kg m^2; must be positive: its muscles lie farther from its "
            "center of mass than its inertia allows; give smaller masses, other bodies, or "
            "keep='mass'"
        )
    return {"mass": rest, "com": com + first / rest, "inertia": np.trace(S) * np.eye(3) - S}
