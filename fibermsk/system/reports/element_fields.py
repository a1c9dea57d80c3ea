"""Fields that elements report, frame by frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError, PathError
from fibermsk.results import Field, Histories
from fibermsk.system.contribution import At
from fibermsk.system.optional import HasConstraints, HasFields
from fibermsk.system.states import StatesOfModel

_SHAPES = "be () for a number or (3,) for a vector"


class ElementFields:
    """Histories of the fields of elements.

    Attributes
    ----------
    histories : dict of Histories
        By element; filled by `put`.

    Raises
    ------
    ModelError
        If two fields, or a field and a state, of an element share a name, or if files cannot store
        a field.
    """

    def __init__(
        self, elements: Mapping[str, object], n_frames: int, states: StatesOfModel
    ) -> None:
        taken = {(block.owner, name) for block in states.blocks for name in block.names}
        self._elements = {name: one for name, one in elements.items() if isinstance(one, HasFields)}
        self._holding = {n: one for n, one in elements.items() if isinstance(one, HasConstraints)}
        self.histories: dict[str, Histories] = {}
        for owner, one in self._elements.items():
            what, fields = f"element {owner!r}", {}
            for field in one.reports:
                _check.instance(what, "reports", field, Field, "a Field")
                _check.item_name(f"{what}: field", field.name)
                _check.name(f"{what}: label of field {field.name!r}", field.label)
                _check.name(f"{what}: unit of field {field.name!r}", field.unit)
                if field.name in fields or (owner, field.name) in taken:
                    must = "be unique among its fields and states"
                    _check.refuse(f"{what}: field", "name", field.name, must)
                if field.shape not in ((), (3,)):
                    _check.refuse(f"{what}: field {field.name!r}", "shape", field.shape, _SHAPES)
                fields[field.name] = field
            arrays = {
                name: np.empty((n_frames, 3)[: 1 + len(f.shape)]) for name, f in fields.items()
            }
            self.histories[owner] = Histories(fields, arrays)

    def put(self, frame: int, at: At, multipliers: Array) -> list[PathError]:
        """Store the values of all fields at a frame with the multipliers (m,) of all constraints.

        Fields of elements whose paths have no solution there are NaN; the reasons are returned.

        Raises
        ------
        ModelError
            If an element returns fields or shapes other than those it describes.
        """
        if not self._elements:
            return []
        without: list[PathError] = []
        at = at._replace(multipliers=self._by_owner(at, multipliers))
        for owner, one in self._elements.items():
            own = self.histories[owner]
            try:
                found = one.fields(at)
            except PathError as error:
                without.append(error)
                for array in own.arrays.values():
                    array[frame] = np.nan
                continue
            must = "a dict of numbers by the names of its fields"
            _check.instance(f"element {owner!r}", "fields", found, dict, must)
            if set(found) != set(own):
                raise ModelError(
                    f"element {owner!r}: fields = {', '.join(found) or 'none'}; must be those that "
                    f"it describes: {', '.join(own) or 'none'}"
                )
            for name, value in found.items():
                if (shape := np.shape(value)) != own.fields[name].shape:
                    raise ModelError(
                        f"element {owner!r}: field {name!r} has the shape {shape}; must have the "
                        f"one that it describes, {own.fields[name].shape}"
                    )
                own.arrays[name][frame] = value
        return without

    def _by_owner(self, at: At, multipliers: Array) -> dict[str, Array]:
        """Multipliers of each element, which come after those of couplings."""
        found, end = {}, multipliers.size
        for name, one in reversed(self._holding.items()):
            begin = end - one.constrain(at, False).g.size
            found[name] = multipliers[begin:end] if end else np.full(end - begin, np.nan)
            end = max(begin, 0)
        return found
