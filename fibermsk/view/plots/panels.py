"""Plots by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fibermsk._check import first_names, similar
from fibermsk.errors import ModelError
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.result import Result
from fibermsk.view.fields import SHORT_NAMES
from fibermsk.view.plots import along, control, histories
from fibermsk.view.plots.panel import Choice, Panel

_LISTED = 12
"""Most coordinates that a message lists."""

PANELS: dict[str, tuple[str, Callable[[Choice], list[Panel]]]] = {}
"""Description and panels of each plot; no panels if the result has no such data."""

for _name, _field in FIBER_FIELDS.items():
    if _field.varies and _field.shape == ("n_samples",):
        _words = _field.title or _field.label
        _title = _words[0].upper() + _words[1:]
        _words = _title.lower()
        PANELS |= {
            _name: (
                f"{_words} along a few fibers at some times",
                partial(along.along, _name, f"{_title} along the fiber"),
            ),
            f"{_name}_over_time": (
                f"{_words}, mean along each fiber over time",
                partial(along.over_time, _name, _title),
            ),
            f"{_name}_map": (
                f"{_words} over time and along a fiber, as colors",
                partial(along.map_of, _name, _title),
            ),
        }

PANELS |= {
    "muscle_fraction": (
        "muscle and tendon along a fiber",
        partial(along.along, "muscle_fraction", "Muscle fraction along the fiber"),
    ),
    "activation": ("activation over time", histories.activation),
    "length": ("length of fibers and line muscles over time", histories.length),
    "muscle_force": ("pull of each muscle at its insertion over time", histories.muscle_force),
    "power": ("power of each muscle on the bodies over time", histories.power),
    "attachment_forces": (
        "components of the force on the body at a fiber's origin over time",
        partial(histories.end_forces, "origin"),
    ),
    "insertion_forces": (
        "components of the force on the body at a fiber's insertion over time",
        partial(histories.end_forces, "insertion"),
    ),
    "coordinates": ("joint coordinates over time", partial(histories.coordinates, "coordinates")),
    "speeds": ("joint speeds over time", partial(histories.coordinates, "speeds")),
    "body_position": ("origins of the bodies over time", histories.body_position),
    "body_rotation": ("rotation of the bodies over time", histories.body_rotation),
    "states": ("states of first order over time", partial(histories.reported, "states")),
    "elements": (
        "fields of springs, loads and other elements over time",
        partial(histories.reported, "elements"),
    ),
    "muscles": ("fields of line muscles over time", partial(histories.reported, "muscles")),
    "controls": ("controls and tendon forces that were found", control.controls),
    "optimum": ("coordinates, activations and lengths of an optimum", control.optimum),
    "convergence": ("violations over the iterations of a search", control.convergence),
    "sparsity": ("entries of the Jacobian of a search", control.sparsity),
    "solver": ("step size, Newton iterations, deepest contact", histories.solver),
}


def panels_of(result: Result) -> dict[str, tuple[str, Callable[[Choice], list[Panel]]]]:
    """`PANELS`, fields of line muscles, and of a single one, state or element: ``OWNER.FIELD``."""
    of_lines = {
        name: (
            f"{field.label} of line muscles over time",
            partial(histories.of_lines, name=name),
        )
        for own in result.muscles.values()
        for name, field in own.fields.items()
        if name not in PANELS and not field.shape
    }
    of_one = {
        f"{owner}.{name}": (
            f"{field.label} of {owner} over time: {field.description}",
            partial(histories.reported_by, owner, own, name),
        )
        for owners in (result.states, result.elements, result.muscles)
        for owner, own in owners.items()
        for name, field in own.fields.items()
    }
    return PANELS | of_lines | of_one


def names_there(choice: Choice) -> list[str]:
    """Names of the plots that a result has data for."""
    return [name for name, (_, make) in panels_of(choice.result).items() if make(choice)]


def plots_of_field(name: str, several: bool) -> list[str]:
    """Plots of a field along the fibers: over time, along, and of a single fiber as a map."""
    full = _full(name)
    if f"{full}_map" not in PANELS:
        return [name]
    return [f"{full}_over_time", full] + ([] if several else [f"{full}_map"])


def find_panels(choice: Choice, name: str) -> list[Panel]:
    """Panels of a plot, also by the short name of a field, or of a coordinate by its name."""
    full, result = _full(name), choice.result
    known = panels_of(result)
    panels = known[full][1](choice) if full in known else []
    if full not in known and name in result.coordinates:
        panels = histories.coordinates("coordinates", choice, (name,))
    if not panels:
        there = names_there(choice)
        hint = similar(name, [*result.coordinates, *there])
        of_one = [one for one in there if "." in one]
        words = ", ".join(one for one in there if "." not in one) or "nothing"
        if of_one:
            words += f"; of one owner {len(of_one)} plots such as {of_one[0]}"
        if choice.lines and not choice.fibers and full in known:
            hint = f"; a line muscle has no fields along it{hint}"
        if result.coordinates:
            words += f"; and the coordinates: {first_names(list(result.coordinates), _LISTED)}"
        raise ModelError(f"no plot {name!r} to plot; this result has: {words}{hint}")
    return panels


def _full(name: str) -> str:
    """Name of a plot in full."""
    return next(
        (
            f"{field}{name.removeprefix(short)}"
            for short, field in SHORT_NAMES.items()
            if name in (short, f"{short}_over_time", f"{short}_map")
        ),
        name,
    )
