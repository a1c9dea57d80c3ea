"""Measures: numbers of a run over time by name, such as an angle, a length or a moment arm."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.results.curves import at_samples, mean_along
from fibermsk.results.fields import AXES, FIBER_FIELDS
from fibermsk.results.result import FiberHistory, Result

MOST = 4
"""Most measures that are shown at once."""

Asked = str | Sequence[str] | Mapping[str, Any]
"""Names of measures, or values of each frame by label, such as ``{"height [m]": values}``."""

_FIELDS = tuple(
    name for name, field in FIBER_FIELDS.items() if field.varies and field.place != "node"
)


class Measure(NamedTuple):
    """A number over the frames of a run."""

    name: str
    words: str  # for a reader
    unit: str  # SI, "rad" of angles, "1" without dimension
    values: Array  # (n_frames,)

    @property
    def shown(self) -> tuple[str, Array]:
        """Unit and values for a reader: angles are in degrees."""
        if self.unit.startswith("rad"):
            return self.unit.replace("rad", "°", 1), np.degrees(self.values)
        return "" if self.unit == "1" else self.unit, self.values


def measures_of(result: Result, asked: Asked) -> list[Measure]:
    """Measures of a result.

    Parameters
    ----------
    result : Result
        The run.
    asked : str, sequence of str, or mapping of str to (n_frames,) array_like
        Names, at most `MOST`: a coordinate ``"elbow"`` or its rate ``"elbow.speed"``; or
        ``"OWNER.FIELD"`` of a fiber (of fields along it the mean, of forces at its ends the
        magnitude), line muscle (``"BRA.moment_arm/r_elbow_flex"``), element or owner of states. Of
        the fibers ``biceps_1``, ``biceps_2`` and so on ``"biceps.FIELD"`` is the sum of forces and
        the mean of other fields. Or values of your own by label with the unit, ``"height [m]"``.

    Returns
    -------
    measures : list of Measure
        In the order asked for.

    Raises
    ------
    ModelError
        If there is no such measure, there are too many, or values do not have one number a frame.
    """
    if isinstance(asked, Mapping):
        found = [_own(result, label, values) for label, values in asked.items()]
    else:
        names = [asked] if isinstance(asked, str) else list(asked)
        found = [_named(result, name) for name in names]
    if len(found) > MOST:
        raise ModelError(f"{len(found)} measures; at most {MOST} are shown at once")
    return found


def default_measures(result: Result) -> tuple[str, ...]:
    """Names of measures when none is asked for: coordinates that move, else lengths."""
    moving = [name for name, values in result.coordinates.items() if np.ptp(values) > 1e-9]
    if not moving:
        moving = [f"{name}.length" for name in (*result.fibers, *result.muscles)]
    return tuple(moving[: MOST - 1])


def _own(result: Result, label: Any, values: Any) -> Measure:
    """Values of the user, with the unit in the label."""
    _check.instance("measures", "label", label, str, "a text such as 'height [m]'")
    array = _check.array("measures", label, values, (result.time.size,))
    words, _, unit = label.partition(" [")
    return Measure(label, words, unit.rstrip("]").replace("-", "") or "1", np.array(array))


def _named(result: Result, name: Any) -> Measure:
    _check.instance("measures", "name", name, str, "a name, or several")
    if name in result.coordinates:
        return Measure(name, name, result.unit_of(name), result.coordinates[name])
    owner, _, field = name.rpartition(".")
    if field == "speed" and owner in result.speeds:
        return Measure(name, f"{owner}, speed", f"{result.unit_of(owner)}/s", result.speeds[owner])
    # an owner may have a point in its name, and so may a component
    owner, _, field = name.partition(".")
    if owner in result.fibers:
        return _of_fibers(name, [result.fibers[owner]], owner, field, result)
    alike = re.compile(rf"{re.escape(owner)}_?\d+")
    members = [fiber for key, fiber in result.fibers.items() if alike.fullmatch(key)]
    if members:
        return _of_fibers(name, members, owner, field, result)
    for owners in (result.muscles, result.elements, result.states):
        for key, own in owners.items():
            for one, spec in own.fields.items():
                for part, values in own.components(one).items():
                    if name == f"{key}.{one}{part and '_'}{part}":
                        words = f"{key}, {spec.label}{part and ' '}{part}"
                        return Measure(name, words, spec.unit, values)
    raise _unknown(result, name)


def _of_fibers(
    name: str, members: Sequence[FiberHistory], owner: str, field: str, result: Result
) -> Measure:
    """A field of one fiber, or of the fibers of a muscle."""
    axis = None
    if field[-2:-1] == "_" and field[-1] in AXES and field[:-2] in _FIELDS:
        field, axis = field[:-2], AXES.index(field[-1])
    if field not in _FIELDS or (axis is not None and FIBER_FIELDS[field].place != "end"):
        raise _unknown(result, name)
    spec = FIBER_FIELDS[field]
    if spec.place == "end":
        values = sum((getattr(one, field) for one in members), np.zeros(3))
        values = np.linalg.norm(values, axis=1) if axis is None else values[:, axis]
    else:
        each = [_single(one, field) for one in members]
        values = np.sum(each, axis=0) if spec.unit == "N" else np.mean(each, axis=0)
    words = f"{owner}, {spec.label}" + ("" if axis is None else f" {AXES[axis]}")
    return Measure(name, words, spec.unit, np.asarray(values))


def _single(fiber: FiberHistory, field: str) -> Array:
    spec = FIBER_FIELDS[field]
    if spec.place == "fiber":
        return np.asarray(getattr(fiber, field))
    values = getattr(fiber, field)
    if values.ndim == 3:
        values = np.linalg.norm(values, axis=2)
    else:
        values = at_samples(fiber, field)
    return mean_along(fiber, values)


def measure_names(result: Result) -> list[str]:
    """Names of the measures of a result, without components."""
    known = [*result.coordinates, *(f"{one}.speed" for one in result.speeds)]
    for owner in (*result.fibers, *dict.fromkeys(re.sub(r"_?\d+$", "", f) for f in result.fibers)):
        known += [f"{owner}.{field}" for field in _FIELDS]
    for owners in (result.muscles, result.elements, result.states):
        known += [f"{key}.{one}" for key, own in owners.items() for one in own.fields]
    return known


def _unknown(result: Result, name: str) -> ModelError:
    kinds = [
        ("coordinates", list(result.coordinates)),
        ("fibers", list(result.fibers)),
        ("line muscles", list(result.muscles)),
        ("elements", list(result.elements)),
        ("states of", list(result.states)),
    ]
    there = "; ".join(f"{kind}: {_check.first_names(own, 8)}" for kind, own in kinds if own)
    first = next(iter(result.fibers or result.muscles), "")
    example = f", as {first}.length" if first else ""
    known = measure_names(result)
    owner = name.rpartition(".")[0] or name
    fields = [one.removeprefix(f"{owner}.") for one in known if one.startswith(f"{owner}.")]
    if fields:
        there = f"of {owner!r}: {_check.first_names(fields, 12)}"
    hint = _check.similar(name, known)
    return ModelError(
        f"no measure {name!r}; must be a coordinate, or OWNER.FIELD{example}; this result has "
        f"{there or 'none'}{hint}"
    )
