"""Contributions that the parts of a model make: fibers, contact, bodies, joints and lines."""

from __future__ import annotations

from collections.abc import Iterator

from fibermsk._arrays import Index
from fibermsk.model import Model
from fibermsk.system.bodies.bodies import Bodies
from fibermsk.system.bodies.joints import PassiveJoints
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.forces import BoneContact, FiberContact
from fibermsk.system.contact.passing import Passing
from fibermsk.system.contribution import Contribution
from fibermsk.system.fibers.bending import Bending
from fibermsk.system.fibers.forces import Fibers
from fibermsk.system.fibers.gradient import StretchGradientForce
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.tension import TensionProbe
from fibermsk.system.fibers.titin import TitinForce


def physics_of(
    model: Model, own: Configuration, loads: Loads, tension: TensionProbe, state_of_muscle: Index
) -> tuple[Contribution, ...]:
    """Contributions of the fibers, contacts, bodies, joints and line muscles, as they are summed.

    `state_of_muscle` is the state that activates each line muscle; see `LineMuscles`.
    """
    return (
        Fibers(model, own.cables, loads, tension),
        *([Bending(own.cables)] if own.cables.bent.size else []),
        *([StretchGradientForce(model, own)] if _any_fiber(model, "gradient") else []),
        *([TitinForce(model, own, loads)] if _any_fiber(model, "titin") else []),
        FiberContact(own.contact, Passing(own, f"model {model.name!r}")),
        BoneContact(own.contact),
        Bodies(model, own.skeleton),
        PassiveJoints(own.skeleton.passive),
        *_line_muscles(model, own, state_of_muscle),
    )


def _line_muscles(model: Model, own: Configuration, state_of: Index) -> Iterator[Contribution]:
    """Force and mass of the line muscles; their kernels compile only where they are used."""
    paths = None
    if model.acting_muscles:
        from fibermsk.system.lines.muscles import LineMuscles

        muscles = LineMuscles(model, own, state_of)
        paths = muscles.paths
        yield muscles
    if model.massive_muscles:
        from fibermsk.system.lines.mass import MuscleMasses

        yield MuscleMasses(model, own, paths)


def _any_fiber(model: Model, part: str) -> bool:
    """Whether the tissue of any fiber has an optional part."""
    return any(getattr(fiber.tissue, part) is not None for fiber in model.fibers)
