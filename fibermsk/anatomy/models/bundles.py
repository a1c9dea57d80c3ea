"""Line muscles of a model replaced by bundles of fibers."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from fibermsk import _check
from fibermsk._check import suggestion
from fibermsk._shown import Described
from fibermsk.anatomy.bundle import fibers_from_muscle
from fibermsk.anatomy.line_path import line_path
from fibermsk.anatomy.models.carriers import carriers_of
from fibermsk.anatomy.models.mirror import pairs_of
from fibermsk.anatomy.models.placed import PlacedMuscle, Work
from fibermsk.anatomy.models.placing import is_near
from fibermsk.anatomy.models.sizes import Sizes, choose, local_tensions, raised
from fibermsk.errors import ModelError
from fibermsk.laws import PenaltyContact
from fibermsk.model import ActivationDynamics, Contact, LineMuscle, Model
from fibermsk.model.muscles.activation import Activation
from fibermsk.system.skeleton.skeleton import skeleton

_PLACED = {"muscle", "model", "bones", "beside"}
"""Arguments of `fibers_from_muscle` that follow from the places of muscles."""

_ELEMENTS = 10, 16
"""Numbers of elements of a fiber that are tried."""


@dataclass(frozen=True, eq=False, repr=False)
class ModelBundles(Described):
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
    n_elements: int | None = None,
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
        Fibers of every muscle; by default 7, one in the middle of six.
    n_elements : int, optional
        Finite elements of each fiber; by default 10, and 16 for muscles which these allow to follow
        their wrap surfaces.
    activation : float, callable, ActivationDynamics, or dict of them by muscle
        Activation of the fibers; muscles that a dict does not name have 0.
    specific_tension : float, optional
        Force per physiological cross-section [N/m^2]. By default the smallest one, from 0.3 to 1
        MPa, for which all muscles of the model have at most 40 % of the mass of its bodies, those
        in one body at most 40 % of its mass, and the belly of the muscle fits.
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
        If a number lies outside its range, no muscle has the name, none can be replaced, or the
        numbers of a muscle that is named without a pattern make a bundle impossible. One that is
        found by a pattern is in `ModelBundles.refused`.

    Notes
    -----
    Muscles are placed one after the other, each beside the earlier ones; one that is the mirror
    image of another, with its bones, becomes the mirror image of its bundle. Paths of line muscles
    may have common points: bundles that would have to be thinner than half pass through each other,
    without contact, as `PlacedMuscle.overlaps` lists. A bone inside which the line muscle ends,
    deeper than the muscle is thick, does not touch its fibers.

    Unless given, attachments are narrower than those of `fibers_from_muscle`, ``spread=0.15``;
    paths are smoothed over the thickness of a fiber, 0.02 to 0.1 of their length; and bellies lie
    where their paths turn least (``proximal``).

    Inner path points become rings (`ViaRing`) as wide as the bundle is there, tori too; that of a
    conditional point opens outside of the point's range. Rings and ends at moving path points move
    with them, on bodies without mass. Other wrap surfaces become capsules, thinner by the bundle's
    tendons, since the path of the line muscle is the middle of the bundle.
    """
    owner = "bundles_from_model"
    _check.instance(owner, "model", model, Model, "a Model")
    known = inspect.signature(fibers_from_muscle).parameters.keys() - _PLACED
    for name in others:
        if name not in known:
            hint = suggestion(name, ["n_fibers", "n_elements", *sorted(known)])
            raise TypeError(f"{owner}() got an unexpected keyword argument {name!r}{hint}")
    contact = _check.flag(owner, "contact", contact)
    if isinstance(muscles, Iterator):
        muscles = tuple(muscles)
    chosen = select(model, muscles)
    if specific_tension is not None:
        specific_tension = _check.positive(owner, "specific_tension", specific_tension, "N/m^2")
    if n_fibers is not None:
        n_fibers = _check.count(owner, "n_fibers", n_fibers)
    if isinstance(activation, Mapping):
        for name in activation:
            _check.choice(owner, "activation", name, [muscle.name for muscle in chosen])
    carriers, carried = carriers_of(chosen), model.copy()
    carried.add(*(item for muscle in chosen for item in carriers.of(muscle)))
    bodies = skeleton(carried)
    poses = bodies.poses(bodies.start)
    lines = {one.name: line_path(bodies, one) for one in model.muscles}
    points = {name: line.points for name, line in lines.items()}
    least, heavy = local_tensions(model, points, poses)
    if specific_tension is not None:
        least, heavy = dict.fromkeys(least, specific_tension), {}
    elements = _ELEMENTS if n_elements is None else (n_elements,)
    work = Work(carried, lines, carriers, poses, elements, activation, others)
    exact = set(names_of(muscles))
    refused: dict[str, str] = {}
    sizes: dict[str, Sizes] = {}

    def refuse(name: str, error: ModelError) -> None:
        if name in exact:
            raise ModelError(f"{owner}: no bundle for muscle {name!r}: {error}") from error
        refused[name] = str(error)

    # what numbers alone refuse, before anything is placed
    for muscle in chosen:
        length = others.get("length") or lines[muscle.name].length
        try:
            own = least[muscle.name]
            sizes[muscle.name] = choose(muscle, length, own, n_fibers, specific_tension is not None)
        except ModelError as error:
            refuse(muscle.name, error)
    placed: dict[str, PlacedMuscle] = {}
    partner, plane = pairs_of([one for one in chosen if one.name in sizes], points)
    by_name = {muscle.name: muscle for muscle in chosen}
    for muscle in chosen:
        if muscle.name in placed or muscle.name not in sizes:
            continue
        for name in (muscle.name, partner.get(muscle.name)):
            if name is None:
                continue
            more = [raised(by_name[name], sizes[name], least[name]), heavy.get(name, "")]
            try:
                found = None
                if name != muscle.name and muscle.name in placed and plane is not None:
                    found = work.image(
                        by_name[name], sizes[name], placed, muscle.name, partner, plane
                    )
                found = found or work.place(by_name[name], sizes[name], placed)
                placed[name] = work.guided(by_name[name], sizes[name], *found, more)
            except ModelError as error:
                refuse(name, error)
    placed = {name: placed[name] for name in by_name if name in placed}
    if not placed:
        first = next(iter(refused))
        raise ModelError(f"{owner}: no muscle can be replaced; {refused[first]}")
    whole = model.copy()
    for one in placed.values():
        whole.add(*one.shapes.bodies, *one.shapes.joints, *one.moving)
        whole.add(*one.bundle.fibers, *one.rings)
    if contact:
        whole.add(*_contacts(placed, points_per_element))
    return ModelBundles(whole, placed, refused)


def names_of(muscles: str | Iterable[str]) -> tuple[str, ...]:
    """Names or patterns as a tuple."""
    return (muscles,) if isinstance(muscles, str) else tuple(muscles)


def select(
    model: Model, muscles: str | Iterable[str], owner: str = "bundles_from_model"
) -> tuple[LineMuscle, ...]:
    """Line muscles of a model by names or patterns, in its order."""
    wanted = (muscles,) if isinstance(muscles, str) else muscles
    what = "a name of a muscle, or a pattern such as '*_r'"
    wanted = _check.items(owner, "muscles", wanted, str, what, "a list of names")
    if not wanted:
        _check.refuse(owner, "muscles", muscles, "name one or more", remedy="'*' is all")
    known = [muscle.name for muscle in model.muscles]
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ModelError(
                f"{owner}: muscles = {pattern!r}; must be a muscle of the model, or a "
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
            theirs = placed[other]
            apart = other in one.overlaps or name in theirs.overlaps
            if not apart and is_near(one.bundle, theirs.bundle):
                law = PenaltyContact(2000.0, 3.0)
                fibers = one.bundle.fibers, theirs.bundle.fibers
                found.append(Contact(*fibers, law, points))
    return found
