"""Named items of a model: unique names, and references to items of the model only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model.muscles.fiber import Fiber
from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.joint import JOINTS, Joint

Named = Body | Joint | Fiber | LineMuscle


class Names:
    """Bodies, joints, fibers and line muscles by kind and name; unique among one kind."""

    def __init__(self, ground: Body) -> None:
        self._ground = ground
        self._items: dict[tuple[str, str], Named] = {_key(ground): ground}

    def add(self, item: Named) -> None:
        """Add a checked item."""
        self._items[_key(item)] = item

    def copy(self, instead: Callable[[Any], Any]) -> Names:
        """Copy with each item replaced by `instead` of it, under the same name."""
        copy = Names(instead(self._ground))
        copy._items = {key: instead(item) for key, item in self._items.items()}
        return copy

    def check_new(self, owner: str, item: Named) -> None:
        """Check that an item is new and its name is free; `owner` is the model in messages."""
        other = self._items.get(_key(item))
        if other is item:
            raise ModelError(
                f"{owner}: {_check.show(item)} is already in the model; must be added once"
            )
        if other is not None:
            remedy = "rename one of them"
            if other is self._ground:
                remedy = "use model.ground, or choose another name"
            raise ModelError(
                f"{owner}: name {item.name!r} of the new {type(item).__name__.lower()} "
                f"is taken by a {type(other).__name__.lower()}; must be unique; {remedy}"
            )

    def check_known(self, owner: str, model: str, item: Body | Fiber) -> None:
        """Check that an item to which `owner` refers is in the model, named `model` in messages."""
        other = self._items.get(_key(item))
        if other is item:
            return
        kind = type(item).__name__.lower()
        remedy = f"add it first: model.add({item.name})"
        if isinstance(other, type(item)):
            remedy = f"the model has another {kind} of this name; use the one that was added"
        raise ModelError(f"{owner}: unknown {kind} {item.name!r}; must belong to {model}; {remedy}")


def _key(item: Named) -> tuple[str, str]:
    kind = "joint" if isinstance(item, JOINTS) else type(item).__name__.lower()
    return kind, item.name
