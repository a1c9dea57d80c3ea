"""What a compiled march does not have, by name."""

from __future__ import annotations

from typing import Any, NoReturn, cast

from fibermsk.errors import ModelError
from fibermsk.laws.hill import HillLaw
from fibermsk.system.lines.describe import levels_of
from fibermsk.system.lines.muscles import LineMuscles

_REMEDY = "use another method, such as SDIRK2()"


def refuse(what: str, why: str, remedy: str = _REMEDY) -> NoReturn:
    """Raise a ModelError about an object."""
    raise ModelError(f"Explicit, NDF: {what}: {why}; {remedy}")


def check_parts(model: Any, skeleton: Any) -> None:
    """Refuse what the loop does not have."""
    if model.fibers:
        refuse(f"fiber {model.fibers[0].name!r}", "the loop has no fibers")
    if model.massive_muscles:
        refuse(f"line muscle {model.massive_muscles[0].name!r}", "the loop has no mass of muscles")
    if model.elements:
        refuse(f"element {model.elements[0].name!r}", "the loop has no elements")
    for one in model.couplings:
        if one.enforce == "multiplier":
            refuse(
                f"coupling of {one.dependent!r}",
                "the loop has no multipliers",
                'give it enforce="eliminate", or use another method, such as SDIRK2()',
            )
    for one in model.coordinates:
        if one.prescribed is not None and not one.locked:
            refuse(f"coordinate {one.name!r}", "is prescribed, which the loop does not have")
    if skeleton.map is not None and skeleton.map.arrays.states.size:
        name = skeleton.independent[int(skeleton.map.arrays.states[0, 0])]
        refuse(f"quaternion of {name!r}", "the loop has no quaternions")


def kind_of(lines: LineMuscles | None) -> tuple[type | None, str]:
    """Class of curves and form of the tendon of all muscles."""
    if lines is None:
        return None, ""
    laws = [cast("HillLaw", muscle.law) for muscle in lines.muscles]
    found = [(type(law.curves), law.tendon) for law in laws]
    for muscle, kind in zip(lines.muscles, found, strict=True):
        if levels_of([muscle]):
            what = f"line muscle {muscle.name!r}"
            refuse(what, "the loop has no wrapping surfaces of a user")
        if kind[1] == "balance":
            remedy = 'give its law tendon="elastic"'
            refuse(f"line muscle {muscle.name!r}", 'tendon="balance" has no explicit rate', remedy)
        if kind != found[0]:
            first = f"{found[0][0].__name__} and tendon={found[0][1]!r}"
            refuse(
                f"line muscle {muscle.name!r}",
                f"has another kind of law than {lines.muscles[0].name!r}, {first}",
            )
    return found[0]
