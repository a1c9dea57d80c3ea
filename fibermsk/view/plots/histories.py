"""Plots over time: activations, joints, bodies, forces, power, solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes

from fibermsk._arrays import Array
from fibermsk._check import first_names
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.histories import Histories
from fibermsk.results.result import FiberHistory
from fibermsk.view.plots.groups import BAND_WORDS, CURVES, Group, fiber_stem, muscles, spread
from fibermsk.view.plots.panel import COLORS, TIME_LABEL, Choice, Panel, histories

_COORDINATES = 14
_END_PANELS = 6
_ALIKE = 3
"""Most names of line muscles with equal curves."""


def activation(choice: Choice) -> list[Panel]:
    """Activation, with one curve for equal ones of fibers of a muscle, or of line muscles."""
    fibers = choice.result.fibers
    alike: list[Group] = []
    for name in choice.fibers:
        values = fibers[name].activation
        for k, one in enumerate(alike):
            same_stem = fiber_stem(one.fibers[0]) == fiber_stem(name)
            if same_stem and np.array_equal(fibers[one.fibers[0]].activation, values):
                alike[k] = Group("", (*one.fibers, name))
                break
        else:
            alike.append(Group("", (name,)))
    title = "Activation"
    if len(alike) > CURVES:
        groups = choice.over_time()
        curves = {one.label: spread(one, lambda f: fibers[f].activation) for one in groups}
        title += f" ({BAND_WORDS})"
    else:
        stems = [fiber_stem(one.fibers[0]) for one in alike]
        curves = {}
        for one, stem in zip(alike, stems, strict=True):
            if len(one.fibers) == 1:
                label = one.fibers[0]
            elif stems.count(stem) == 1:
                label = f"{stem} ({len(one.fibers)} fibers)"
            else:
                label = f"{one.fibers[0]} and {len(one.fibers) - 1} more"
            curves[label] = fibers[one.fibers[0]].activation
    found = histories(title, FIBER_FIELDS["activation"].axis_label, choice.result, curves)
    return found + of_lines(choice, "activation")


def of_lines(choice: Choice, name: str, title: str = "") -> list[Panel]:
    """A field of the line muscles that have it, with one curve for equal ones."""
    owners = [(owner, choice.result.muscles[owner]) for owner in choice.lines]
    having = [(owner, own) for owner, own in owners if name in own.fields]
    if not having:
        return []
    field = having[0][1].fields[name]
    alike: list[tuple[list[str], Array]] = []
    for owner, own in having:
        same = next((names for names, values in alike if np.array_equal(values, own[name])), None)
        if same is None:
            alike.append(([owner], own[name]))
        else:
            same.append(owner)
    curves = {first_names(names, _ALIKE): values for names, values in alike}
    title = title or f"{field.label[0].upper()}{field.label[1:]} of line muscles"
    return histories(title, field.axis_label, choice.result, curves, CURVES)


_BY_UNIT = {
    "coordinates": {
        "rad": ("Joint angles", "angle [°]"),
        "m": ("Joint translations", "translation [m]"),
        "1": ("Parts of quaternions", "part [-]"),
    },
    "speeds": {
        "rad": ("Joint speeds", "speed [°/s]"),
        "m": ("Speeds of joint translations", "speed [m/s]"),
        "1": ("Rates of quaternions", "rate [1/s]"),
    },
}


def coordinates(table: str, choice: Choice, names: tuple[str, ...] = ()) -> list[Panel]:
    """Joint coordinates or their speeds, all or some, a panel per unit; angles in degrees."""
    panels = []
    result = choice.result
    every = getattr(result, table)
    values = {name: every[name] for name in names or every}
    for unit, (title, label) in _BY_UNIT[table].items():
        scale = 180.0 / np.pi if unit == "rad" else 1.0
        curves = {name: scale * one for name, one in values.items() if result.unit_of(name) == unit}
        panels += histories(title, label, result, curves, _COORDINATES)
    return panels


def end_forces(end: str, choice: Choice) -> list[Panel]:
    """Components of the force on the body at ``"origin"`` or ``"insertion"`` of a few fibers."""
    panels = []
    fibers = choice.result.fibers
    for one in choice.few(_END_PANELS):

        def force(name: str, axis: int) -> Array:
            return getattr(fibers[name], f"force_{end}")[:, axis]

        curves = {x: spread(one, lambda f, k=k: force(f, k)) for k, x in enumerate("xyz")}
        words = "" if len(one.fibers) == 1 else ", median"
        title = f"Force of {one.label} on the body at its {end}{words}"
        panels += histories(title, "force [N]", choice.result, curves)
    return panels


def muscle_force(choice: Choice) -> list[Panel]:
    """Sum of the forces of a muscle's fibers at their insertions, and forces of line muscles."""

    def total(names: list[str]) -> Array:
        fibers = [choice.result.fibers[name] for name in names]
        return np.linalg.norm(sum(fiber.force_insertion for fiber in fibers), axis=1)

    found = _of_muscles(choice, "Pull of a muscle at its insertion", "force [N]", total)
    return found + of_lines(choice, "tendon_force", "Force of line muscles")


def power(choice: Choice) -> list[Panel]:
    """Power of the muscles on the bodies at their ends."""
    if choice.result.time.size < 2:
        return []

    def total(names: list[str]) -> Array:
        fibers = [choice.result.fibers[name] for name in names]
        return sum((muscle_power(fiber, choice.result.time) for fiber in fibers), np.zeros(()))

    return _of_muscles(choice, "Power of a muscle on the bodies at its ends", "power [W]", total)


def _of_muscles(
    choice: Choice, title: str, label: str, total: Callable[[list[str]], Array]
) -> list[Panel]:
    found = muscles(choice.fibers)
    curves = {
        names[0] if len(names) == 1 else f"{stem} ({len(names)} fibers)": total(names)
        for stem, names in found.items()
    }
    return histories(title, label, choice.result, curves, CURVES)


def muscle_power(fiber: FiberHistory, time: Array) -> Array:
    """Power of a fiber on the bodies at its ends [W], (n_frames,): force times velocity."""
    ends = ((0, fiber.force_origin), (-1, fiber.force_insertion))
    return sum(
        (
            np.einsum("fi,fi->f", force, np.gradient(fiber.position[:, node], time, axis=0))
            for node, force in ends
        ),
        np.zeros(time.size),
    )


def length(choice: Choice) -> list[Panel]:
    """Length of the fibers and of the line muscles."""
    groups = choice.over_time()
    fibers = choice.result.fibers
    curves = {one.label: spread(one, lambda f: fibers[f].length) for one in groups}
    title = "Length of the fibers"
    if any(len(one.fibers) > 1 for one in groups):
        title += f" ({BAND_WORDS})"
    found = histories(title, FIBER_FIELDS["length"].axis_label, choice.result, curves)
    return found + of_lines(choice, "length")


def body_position(choice: Choice) -> list[Panel]:
    """Origins of the body frames, a panel per direction."""
    result = choice.result
    panels = []
    for k, axis in enumerate("xyz"):
        curves = {name: body.position[:, k] for name, body in result.bodies.items()}
        title = f"Origins of the bodies, {axis}"
        panels += histories(title, f"{axis} [m]", result, curves, CURVES)
    return panels


def body_rotation(choice: Choice) -> list[Panel]:
    """Rotation angle of each body since the first frame."""
    result = choice.result
    curves = {}
    for name, body in result.bodies.items():
        turned = np.einsum("fij,ij->f", body.rotation, body.rotation[0])
        curves[name] = np.degrees(np.arccos(np.clip(0.5 * (turned - 1.0), -1.0, 1.0)))
    title = "Rotation of the bodies since the first frame"
    return histories(title, "angle [°]", result, curves, CURVES)


def reported(table: str, choice: Choice) -> list[Panel]:
    """Reports of all elements, or all states, a panel per quantity."""
    panels: dict[str, dict[str, Array]] = {}
    left_out = {*choice.result.fibers, *choice.result.muscles} - {*choice.fibers, *choice.lines}
    for owner, own in getattr(choice.result, table).items():
        if owner in left_out:
            continue
        for name, values in own.items():
            field = own.fields[name]
            label = field.label
            if values.ndim == 3:  # states at quadrature points
                label, values = f"{label}, mean", values.mean(axis=(1, 2))
            elif values.ndim == 2:
                state = field.place == "state"
                if field.unit == "m" and not state:
                    continue  # a position: its distance from the origin is meaningless
                label += ", mean" if state else ", magnitude"
                values = values.mean(axis=1) if state else np.linalg.norm(values, axis=1)
            panels.setdefault(f"{label} [{field.shown_unit}]", {})[owner] = values
    found = []
    for label, curves in panels.items():
        title = label.partition(" [")[0]
        found += histories(title[0].upper() + title[1:], label, choice.result, curves, CURVES)
    return found


def reported_by(owner: str, own: Histories, name: str, choice: Choice) -> list[Panel]:
    """One quantity of one element, or state of one owner; components of vectors."""
    field = own.fields[name]
    curves = {part or owner: values for part, values in own.components(name).items()}
    title = f"{owner}: {field.label}"
    return histories(title, field.axis_label, choice.result, curves, CURVES)


def solver(choice: Choice) -> list[Panel]:
    """Step size, iterations and admissibility."""
    result = choice.result

    def panel(title: str, label: str, values: Array, *, of_steps: bool = True) -> Panel:
        if of_steps and values.size > 1:
            # no step led to the first frame
            values = np.concatenate([values[1:2], values[1:]])

        def draw(axes: Axes) -> None:
            marker = "o" if values.size < 3 else None
            axes.plot(result.time, values, color=COLORS[0], drawstyle="steps-pre", marker=marker)

        return Panel(title, TIME_LABEL, label, draw)

    panels = [
        panel("Step size", "step size [s]", result.step_size),
        panel(
            "Newton iterations per frame", "iterations [-]", result.newton_iterations.astype(float)
        ),
    ]
    if result.fibers:  # nothing else is in contact
        deepest = result.min_admissibility
        panels.append(panel("Deepest contact: least 1 + γg", "1 + γg [-]", deepest, of_steps=False))
    return panels
