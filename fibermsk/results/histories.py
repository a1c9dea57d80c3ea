"""Histories of element reports and of first-order states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Summarized, Summary, count, span
from fibermsk.results.deferred import at_frames
from fibermsk.results.fields import AXES, Field


@dataclass(frozen=True, eq=False, repr=False)
class Histories(Summarized, Mapping[str, Array]):
    """Histories of the fields of one element, or of the states of one owner, by name.

    Attributes
    ----------
    fields : dict of Field
        Unit, label and description of each.
    arrays : dict of (n_frames,) or (n_frames, m) float array
        Values of each; (n_frames, n_elements, n_points) of states at quadrature points.

    Examples
    --------
    >>> result.elements["band"]["tension"].max()  # doctest: +SKIP
    >>> result.elements["band"].fields["tension"].unit  # doctest: +SKIP
    """

    fields: dict[str, Field]
    arrays: dict[str, Array]

    def __getitem__(self, name: str) -> Array:
        """Values of one field."""
        if name not in self.arrays:
            raise KeyError(_check.missing("field", name, list(self.arrays)))
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def _summary(self) -> Summary:
        rows = [(name, span(one, self.fields[name].unit)) for name, one in self.arrays.items()]
        frames = next((len(one) for one in self.arrays.values()), 0)
        return Summary(f"{count(len(rows), 'history', 'histories')} of {frames} frames", rows)

    def components(self, name: str) -> dict[str, Array]:
        """Scalar histories: components x, y, z of a vector, 1, 2, ... of several states.

        Of states at quadrature points, the mean, the least and the largest along the fiber.
        """
        values = self[name]
        if values.ndim == 1:
            return {"": values}
        if values.ndim == 3:
            along = values.reshape(len(values), -1)
            return {"mean": along.mean(1), "min": along.min(1), "max": along.max(1)}
        counted = [str(k + 1) for k in range(values.shape[1])]
        names = AXES if self.fields[name].place == "element" else counted
        return dict(zip(names, values.T, strict=True))

    def at_frames(self, frames: slice) -> Histories:
        """Histories over some frames."""
        return Histories(self.fields, at_frames(self.arrays, frames))


def histories_of(
    states: Mapping[str, Histories],
    elements: Mapping[str, Histories],
    muscles: Mapping[str, Histories],
) -> list[tuple[str, Histories]]:
    """Histories with their owners, in which no owner has a name twice.

    States that are reported of a line muscle too, such as its fiber length, are left out.
    """
    once = list[tuple[str, Histories]]()
    for owner, own in states.items():
        reported = muscles[owner].fields if owner in muscles else {}
        if not reported.keys() & own.fields.keys():
            once.append((owner, own))
            continue
        kept = {name: field for name, field in own.fields.items() if name not in reported}
        once.append((owner, Histories(kept, {name: own[name] for name in kept})))
    return [*once, *elements.items(), *muscles.items()]


class StateRecord(NamedTuple):
    """Recorded first-order states of one owner; consecutive ones of one name form one array."""

    owner: str  # such as an element
    names: tuple[str, ...]  # of each state
    units: tuple[str, ...]  # of each state
    values: Array  # (n_frames, n_states)
    field: str = ""  # name of the array that states at quadrature points form
    shape: tuple[int, ...] = ()  # its shape, elements and points


def state_histories(records: Iterable[StateRecord]) -> dict[str, Histories]:
    """Histories of the states, by owner."""
    found: dict[str, Histories] = {}
    for record in records:
        own = found.setdefault(record.owner, Histories({}, {}))
        if record.field:
            own.arrays[record.field] = record.values.reshape(-1, *record.shape)
            own.fields[record.field] = Field(
                record.field,
                record.units[0],
                record.field.replace("_", " "),
                "state of first order at the quadrature points of the elements",
                record.shape,
                "state",
            )
            continue
        for name, unit in dict(zip(record.names, record.units, strict=True)).items():
            columns = [k for k, other in enumerate(record.names) if other == name]
            values = record.values[:, columns if len(columns) > 1 else columns[0]].copy()
            label = name.replace("_", " ")
            own.arrays[name] = values
            own.fields[name] = Field(
                name, unit, label, "state of first order", values.shape[1:], "state"
            )
    return found
