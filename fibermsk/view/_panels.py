"""What can be plotted, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from fibermsk.errors import ModelError
from fibermsk.view import _along, _histories
from fibermsk.view._panel import Choice, Panel
from fibermsk.view.fields import SHORT_NAMES

__all__ = ["PANELS", "find_panels", "names_there"]

_FIELDS = {
    "stretch": "Stretch",
    "radius": "Radius",
    "axial_force": "Axial force",
    "stress": "Axial stress (force / current area)",
    "contact_force_density": "Net contact force per current length",
}
"""Title of each field along the fibers."""


def _of_fields() -> Iterator[tuple[str, Callable[[Choice], list[Panel]]]]:
    for name, title in _FIELDS.items():
        yield name, partial(_along.along, name, f"{title} along the fiber")
        yield f"{name}_over_time", partial(_along.over_time, name, title)
        yield f"{name}_map", partial(_along.map_of, name, title)


PANELS: dict[str, tuple[str, Callable[[Choice], list[Panel]]]] = {}
"""What each is in a few words, and the panels of a choice: none where the result has none."""

for _name, _make in _of_fields():
    _title = _FIELDS[_name.removesuffix("_over_time").removesuffix("_map")].lower()
    if _name.endswith("_over_time"):
        _words = f"{_title}, mean along each fiber over time"
    elif _name.endswith("_map"):
        _words = f"{_title} over time and along a fiber, as colors"
    else:
        _words = f"{_title} along a few fibers at some times"
    PANELS[_name] = (_words, _make)

PANELS |= {
    "muscle_fraction": (
        "where a fiber is muscle and where tendon",
        partial(_along.along, "muscle_fraction", "Muscle fraction along the fiber"),
    ),
    "activation": ("activation over time", _histories.activation),
    "length": ("length of the fibers over time", _histories.length),
    "muscle_force": ("pull of each muscle at its insertion over time", _histories.muscle_force),
    "power": ("power of each muscle on the bodies over time", _histories.power),
    "attachment_forces": (
        "components of the force on the body at a fiber's origin over time",
        partial(_histories.end_forces, "origin"),
    ),
    "insertion_forces": (
        "components of the force on the body at a fiber's insertion over time",
        partial(_histories.end_forces, "insertion"),
    ),
    "coordinates": ("joint coordinates over time", _histories.coordinates),
    "speeds": ("joint speeds over time", _histories.speeds),
    "body_position": ("origins of the bodies over time", _histories.body_position),
    "body_rotation": ("rotation of the bodies over time", _histories.body_rotation),
    "solver": ("step size, Newton iterations, deepest contact", _histories.solver),
}


def names_there(choice: Choice) -> list[str]:
    """Names of what a result has."""
    return [name for name, (_, make) in PANELS.items() if make(choice)]


def find_panels(choice: Choice, name: str) -> list[Panel]:
    """Panels of a name, in which a field may have its short name.

    Raises
    ------
    ModelError
        If there is no such thing to draw; the message lists those there are.
    """
    full = next(
        (
            f"{field}{name.removeprefix(short)}"
            for short, field in SHORT_NAMES.items()
            if name in (short, f"{short}_over_time", f"{short}_map")
        ),
        name,
    )
    panels = PANELS[full][1](choice) if full in PANELS else []
    if not panels:
        there = ", ".join(names_there(choice)) or "nothing"
        raise ModelError(f"nothing called {name!r} to plot; this result has: {there}")
    return panels
