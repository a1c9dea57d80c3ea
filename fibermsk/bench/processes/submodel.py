"""The model of one block: its own fibers and the ghosts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fibermsk.bench.processes.partition import Block
from fibermsk.model import Contact, Fiber, Model


def submodel(model: Model, block: Block) -> Model:
    """Model of a block's fibers, in the order of the whole model.

    Ghosts are in contact with owned fibers but not with each other: their owners evaluate that.
    """
    whole = model.fibers
    owned = {whole[f] for f in block.owned}
    part = Model(model.name, model.gravity, ground=model.ground, meant=model.meant)
    part.add(*(whole[f] for f in block.fibers))
    local = set(part.fibers)
    for contact in model.contacts:
        first, second = ([one for one in side if one in local] for side in _sides(contact))
        for sides in _pieces(first, second, owned):
            if _has_pair(*sides):
                part.add(replace(contact, first=sides[0], second=sides[1], name=""))
    return part


def _sides(contact: Contact) -> tuple[Sequence[Fiber], Sequence[Fiber]]:
    return contact.first, contact.second  # pyright: ignore[reportReturnType]


def _pieces(
    first: list[Fiber], second: list[Fiber], owned: set[Fiber]
) -> Iterator[tuple[list[Fiber], list[Fiber]]]:
    """Both sides of disjoint contacts with all pairs of two sides that have an owned fiber."""
    on_first, on_second = set(first), set(second)
    yield [one for one in first if one in owned], second
    ghosts = [one for one in first if one not in owned]
    mine = [one for one in second if one in owned]
    # pairs that the first piece has not in either order
    yield [one for one in ghosts if one not in on_second], mine
    yield (
        [one for one in ghosts if one in on_second],
        [one for one in mine if one not in on_first],
    )


def _has_pair(first: list[Fiber], second: list[Fiber]) -> bool:
    return bool(first and second) and not (len(first) == len(second) == 1 and first == second)
