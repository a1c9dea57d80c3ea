"""Bundles for many muscles of a model, placed with knowledge of each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from fibermsk import _check
from fibermsk._check import suggestion
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.bundle import MuscleBundle
from fibermsk.anatomy.guides import Shapes, rings_of
from fibermsk.anatomy.placing import Placing, is_near, place
from fibermsk.anatomy.sizes import Sizes, choose, model_tension
from fibermsk.errors import ModelError
from fibermsk.laws import PenaltyContact
from fibermsk.model import ActivationDynamics, Body, Contact, LineMuscle, Model
from fibermsk.model.muscles.activation import Activation
from fibermsk.system.reports.muscle_path import active_points, path_points
from fibermsk.system.skeleton.skeleton import skeleton

SPREAD, SMOOTHING = 0.15, 0.02
"""Width of attachments and smoothing of paths: closer to the points of the line muscle than those
of a single bundle."""


@dataclass(frozen=True, eq=False)
class PlacedMuscle:
    """A muscle of a model as a bundle, with what guides it.

    Attributes
    ----------
    bundle : MuscleBundle
        Its fibers, with their report.
    sizes : Sizes
        Specific tension, number of fibers and belly.
    shapes : Shapes
        Shapes of its wrap surfaces.
    rings : tuple of ViaRing
        Rings at its path points.
    bones : tuple of Body
        Bodies with shapes that its fibers touch.
    overlaps : tuple of str
        Muscles through which it passes, without contact.
    remarks : tuple of str
        What could not be represented.
    """

    bundle: MuscleBundle
    sizes: Sizes
    shapes: Shapes
    rings: tuple[Any, ...]
    bones: tuple[Body, ...]
    overlaps: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def thickness(self) -> float:
        """Diameter of the belly [m], of all fibers packed side by side."""
        return 2.0 * self.sizes.belly_radius

    @property
    def moved(self) -> float:
        """Largest distance of a fiber's end from that of the line muscle [m]."""
        report = self.bundle.report
        return max(report.moved_origin, report.moved_insertion)

    def __str__(self) -> str:
        """One line with numbers, and remarks below it."""
        report, sizes = self.bundle.report, self.sizes
        line = (
            f"{report.name}: {sizes.n_fibers} fibers, {1e-4 * sizes.specific_tension:.0f} N/cm^2, "
            f"starts at {report.start_length:.2f} of the optimum, belly "
            f"{1e3 * sizes.belly_length:.0f} mm long and {1e3 * self.thickness:.0f} mm thick, "
            f"radii {report.radius_factor:.2f} of these, ends moved by {1e3 * self.moved:.1f} mm, "
            f"{1e3 * report.mass:.0f} g, {len(self.rings)} rings, "
            f"{len(self.shapes.bodies)} bodies with wrap surfaces"
        )
        return "\n".join([line, *(f"    {text}" for text in self.remarks)])


@dataclass(frozen=True, eq=False)
class ModelBundles:
    """A model whose line muscles are bundles of fibers.

    Attributes
    ----------
    model : Model
        Copy of the model with fibers, contacts, rings and shapes of wrap surfaces.
    muscles : dict of str to PlacedMuscle
        The bundles, by name of the muscle.
    refused : dict of str to str
        Muscles that remain line muscles, with the reason.
    """

    model: Model
    muscles: dict[str, PlacedMuscle] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def fibers(self) -> tuple[Any, ...]:
        """All fibers."""
        return tuple(fiber for one in self.muscles.values() for fiber in one.bundle.fibers)

    @property
    def mass(self) -> float:
        """Mass of all fibers [kg]."""
        return math.fsum(one.bundle.report.mass for one in self.muscles.values())

    def __str__(self) -> str:
        """A line for each muscle."""
        total = f"{len(self.muscles)} bundles with {len(self.fibers)} fibers, {self.mass:.2f} kg"
        if self.refused:
            total += f"; {len(self.refused)} muscles refused"
        reasons = [f"refused {name}: {reason}" for name, reason in self.refused.items()]
        return "\n".join([total, *map(str, self.muscles.values()), *reasons])


def bundles_from_model(
    model: Model,
    muscles: str | Iterable[str] = "*",
    *,
    n_fibers: int | None = None,
    n_elements: int = 10,
    activation: float | Activation | ActivationDynamics | Mapping[str, Any] = 0.0,
    specific_tension: float | None = None,
    contact: bool = True,
    points_per_element: int = 5,
    **others: Any,
) -> ModelBundles:
    """Replace line muscles of a model by bundles of fibers, with contact, wraps and via points.

    Parameters
    ----------
    model : Model
        Model with line muscles; not changed.
    muscles : str or several
        Names of muscles or patterns such as ``"*_r"``; all by default.
    n_fibers : int, optional
        Fibers of every muscle; by default 3 to 7, more if they are short and thick.
    n_elements : int
        Finite elements of each fiber.
    activation : float, callable, ActivationDynamics, or dict of them by muscle
        Activation of the fibers; muscles that a dict does not name have 0.
    specific_tension : float, optional
        Force per physiological cross-section [N/m^2]. By default the smallest one, from 0.3 to 1
        MPa, for which all muscles of the model have at most 40 % of the mass of its bodies, and
        the belly of the muscle fits.
    contact : bool
        Whether fibers touch each other, shapes of the model and wrap surfaces.
    points_per_element : int
        Contact points of each element.
    **others
        As of `fibers_from_muscle`, for all muscles.

    Returns
    -------
    bundles : ModelBundles
        The model with its bundles; print it for a report.

    Raises
    ------
    ModelError
        If a number lies outside its range, no muscle has the name, or none can be replaced. A
        muscle whose numbers make a bundle impossible is in `ModelBundles.refused`.

    Notes
    -----
    Muscles are placed one after the other, each beside the earlier ones. Paths of line muscles may
    have common points: bundles that would have to be thinner than half pass through each other,
    without contact, as `PlacedMuscle.overlaps` lists. A bone inside which the line muscle ends,
    deeper than the muscle is thick, does not touch its fibers.

    Attachments are narrower, and paths follow their points more closely, than those of
    `fibers_from_muscle`: ``spread=0.15``, ``smoothing=0.02``, unless given.

    Inner path points become rings (`ViaRing`) as wide as the bundle is there, tori too. Other wrap
    surfaces become capsules, thinner by the bundle's tendons, since the path of the line muscle is
    the middle of the bundle. Conditional and moving path points have no ring; remarks list them,
    with the length of their way.
    """
    owner = "bundles_from_model"
    _check.instance(owner, "model", model, Model, "a Model")
    contact = _check.flag(owner, "contact", contact)
    chosen = select(model, muscles)
    if specific_tension is not None:
        specific_tension = _check.positive(owner, "specific_tension", specific_tension, "N/m^2")
    if n_fibers is not None:
        n_fibers = _check.count(owner, "n_fibers", n_fibers)
    if isinstance(activation, Mapping):
        for name in activation:
            _check.choice(owner, "activation", name, [muscle.name for muscle in chosen])
    least = specific_tension or model_tension(model, model.muscles)
    bodies = skeleton(model)
    values, poses = bodies.values(bodies.start), bodies.poses(bodies.start)
    coordinates = {one.name: one for one in model.coordinates}
    placed: dict[str, PlacedMuscle] = {}
    bundles: dict[str, MuscleBundle] = {}
    refused: dict[str, str] = {}
    for muscle in chosen:
        points = path_points(bodies, muscle, bodies.start)
        length = others.get("length") or paths.polyline_length(points)
        own = activation.get(muscle.name, 0.0) if isinstance(activation, Mapping) else activation
        try:
            sizes = choose(muscle, length, least, n_fibers, specific_tension is not None)
            options = {
                "n_elements": n_elements,
                "activation": own,
                "specific_tension": sizes.specific_tension,
                "tendon_radius": sizes.tendon_radius,
                "belly_length": sizes.belly_length,
                "shorten": True,
                "spread": SPREAD,
                "smoothing": SMOOTHING,
                **others,
            }
            placing, (bundle, overlaps, remarks) = place(
                bundles, partial(Placing, model, muscle, sizes, points, poses, options)
            )
        except ModelError as error:
            refused[muscle.name] = str(error)
            continue
        bundles[muscle.name] = bundle
        rings, more = rings_of(bundle, active_points(muscle, values), poses, coordinates)
        remarks = (*placing.shapes.remarks, *remarks, *more)
        placed[muscle.name] = PlacedMuscle(
            bundle, sizes, placing.shapes, rings, placing.bones, overlaps, remarks
        )
    if not placed:
        first = next(iter(refused))
        raise ModelError(f"{owner}: no muscle can be replaced; {refused[first]}")
    whole = model.copy()
    for one in placed.values():
        whole.add(*one.shapes.bodies, *one.shapes.joints, *one.bundle.fibers, *one.rings)
    if contact:
        whole.add(*_contacts(placed, points_per_element))
    return ModelBundles(whole, placed, refused)


def select(model: Model, muscles: str | Iterable[str]) -> tuple[LineMuscle, ...]:
    """Line muscles of a model by names or patterns, in its order."""
    wanted = (muscles,) if isinstance(muscles, str) else muscles
    what = "a name of a muscle, or a pattern such as '*_r'"
    wanted = _check.items("bundles_from_model", "muscles", wanted, str, what, "a list of names")
    known = [muscle.name for muscle in model.muscles]
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ModelError(
                f"bundles_from_model: muscles = {pattern!r}; must be a muscle of the model, or a "
                f"pattern such as '*_r'; it has: {', '.join(known) or 'none'}"
                + suggestion(pattern, known)
            )
    return tuple(
        muscle
        for muscle in model.muscles
        if any(fnmatchcase(muscle.name, pattern) for pattern in wanted)
    )


def _contacts(placed: Mapping[str, PlacedMuscle], points: int) -> list[Contact]:
    """Contacts of fibers with each other, bones, wrap surfaces and near muscles."""
    found: list[Contact] = []
    names = list(placed)
    for k, name in enumerate(names):
        one = placed[name]
        found += one.bundle.contact(one.bones, points_per_element=points)
        for other in names[:k]:
            apart = other in one.overlaps or not is_near(one.bundle, placed[other].bundle)
            if not apart:
                law = PenaltyContact(2000.0, 3.0)
                fibers = one.bundle.fibers, placed[other].bundle.fibers
                found.append(Contact(*fibers, law, points))
    return found
