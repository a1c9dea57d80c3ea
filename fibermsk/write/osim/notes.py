"""Names as OpenSim takes them, and what of a model its file does not say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fibermsk import _check
from fibermsk._warn import warn
from fibermsk.errors import ModelWarning
from fibermsk.write.osim.tree import first_free

_ILLEGAL = re.compile("[\\\\/*+\\s\x00-\x1f\x7f-\x9f\ufffe\uffff]")
"""Letters that names of OpenSim, or texts of XML, do not have."""
_MOST = 12
"""Most names that a warning lists."""


def legal(name: str) -> str:
    """Name with `_` for each letter that OpenSim refuses in names."""
    return _ILLEGAL.sub("_", name)


class Notes:
    """What is left out or changed, by reason, with the names of the items."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._names: dict[str, list[str]] = {}

    def add(self, reason: str, name: str) -> None:
        """Add an item for a reason."""
        self._names.setdefault(reason, []).append(name)

    def names_of(self, kind: str, names: Iterable[str]) -> dict[str, str]:
        """Legal and different names of items of one kind; those that change are noted."""
        given = list(names)
        found = {name: name for name in given if legal(name) == name}
        for name in given:
            if name not in found:
                found[name] = first_free(legal(name), found.values())
                text = f"{kind} are renamed, as OpenSim allows neither blanks nor any of \\ / * +"
                self.add(text, f"{name!r} to {found[name]!r}")
        return found

    def warn(self) -> None:
        """Warn of all that was noted, if anything was."""
        if not self._names:
            return
        said = "; ".join(
            f"{reason}: {_check.first_names(list(dict.fromkeys(names)), _MOST)}"
            for reason, names in self._names.items()
        )
        text = f"model {self.model!r} as an OpenSim file: {said}"
        warn(ModelWarning(text, kind="export"))
