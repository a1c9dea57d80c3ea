"""Forces on coordinates: one table from each law to the force of OpenSim."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from fibermsk.laws.coordinate import Damper, SmoothLimit, Spring
from fibermsk.model.model import Model
from fibermsk.write.osim.joints import Names
from fibermsk.write.osim.notes import Notes
from fibermsk.write.osim.tree import first_free, leaf, named

DEGREE = math.pi / 180.0


def write_laws(
    parent: Element, model: Model, names: Names, motions: Mapping[str, str], notes: Notes
) -> None:
    """Add the laws of all coordinates; `motions` tell which are in degrees in OpenSim."""
    for one in model.coordinates:
        laws = list(one.laws)
        while laws:
            law, coordinate = laws.pop(0), names.coordinates.get(one.name)
            if coordinate is None:
                continue
            writer = LAWS.get(type(law))
            if writer is None:
                kind = getattr(type(law), "__name__", "law")
                notes.add("forces on coordinates without a class in OpenSim are left out",
                          f"{kind} on {one.name}")  # fmt: skip
                continue
            values = writer(law, DEGREE if motions.get(one.name) == "rotational" else 1.0)
            if isinstance(law, Spring) and laws and isinstance(laws[0], Damper):
                values["viscosity"] = laws[0].damping
                laws = laws[1:]
            tag, end = TAGS[type(law)]
            taken = [*names.muscles.values(), *(force.get("name", "") for force in parent)]
            force = named(parent, tag, first_free(f"{coordinate}_{end}", taken))
            leaf(force, "appliesForce", True)
            leaf(force, "coordinate", coordinate)
            for property_, value in values.items():
                leaf(force, property_, value)


def _limit(law: SmoothLimit, unit: float) -> dict[str, float]:
    return {
        "upper_stiffness": law.upper_stiffness * unit,
        "upper_limit": law.upper / unit,
        "lower_stiffness": law.lower_stiffness * unit,
        "lower_limit": law.lower / unit,
        "damping": law.damping * unit,
        "transition": law.transition / unit,
    }


def _spring(law: Spring, unit: float) -> dict[str, float]:
    return {"stiffness": law.stiffness, "rest_length": law.rest, "viscosity": 0.0}


def _damper(law: Damper, unit: float) -> dict[str, float]:
    return {"stiffness": 0.0, "rest_length": 0.0, "viscosity": law.damping}


LAWS: dict[type, Callable[[Any, float], dict[str, float]]] = {
    Damper: _damper,
    SmoothLimit: _limit,
    Spring: _spring,
}
"""Properties of the force for each law, with the unit of the coordinate in the file."""

TAGS = {
    Damper: ("SpringGeneralizedForce", "damper"),
    SmoothLimit: ("CoordinateLimitForce", "limit"),
    Spring: ("SpringGeneralizedForce", "spring"),
}
"""Class of OpenSim for each law, and the end of its name."""
