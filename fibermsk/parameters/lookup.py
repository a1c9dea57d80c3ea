"""Lookup of the places of a model by path and pattern."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.parameters.places import Place, find_roots


class UnknownPath(ModelError, KeyError):
    """A path that does not exist in a model."""

    __str__ = ModelError.__str__


def is_pattern(path: str) -> bool:
    """Whether a path is a pattern."""
    return any(letter in path for letter in "*?[")


def find(model: Model, path: str) -> list[Place]:
    """Find the places that match a path or a pattern, in the order of the model.

    The wildcards "*", "?" and "[...]" of a pattern do not match "/".

    Raises
    ------
    UnknownPath
        If there is no match; a ModelError and a KeyError. The message suggests similar paths.
    ModelError
        If a path is ambiguous, since two items share the name.
    """
    if not isinstance(path, str) or not path.strip("/"):
        raise ModelError(f"parameter {path!r}: must be a text such as 'biceps_1/radius'")
    first, *rest = path.strip("/").split("/")
    found: list[Place] = []
    for kind, name, root in find_roots(model):
        short = root.path == name
        if short and _fits(name, first):
            found += _below(root, rest)
        if _fits(kind, first) and rest and (kind == first or not short):
            if kind != "model" and _fits(name, rest[0]):
                long = replace(root, path=f"{kind}/{name}")
                found += _below(long, rest[1:])
    if not found:
        raise UnknownPath(f"model {model.name!r}: no parameter {path!r}{_near(model, path)}")
    if not is_pattern(path) and len(found) > 1:
        # a joint and its coordinate may share a name: only one of them has the number
        free = [one for one in found if not one.why]
        if len(free) == 1:
            return free
        kinds = ", ".join(
            f"{kind}/{path}" for kind, _, root in find_roots(model) for one in found
            if root.root is one.root
        )  # fmt: skip
        raise ModelError(
            f"model {model.name!r}: parameter {path!r} matches {len(found)} items of this "
            f"name; must match one; use one of: {kinds}"
        )
    return found


def _fits(name: str, segment: str) -> bool:
    return name == segment or (is_pattern(segment) and fnmatchcase(name, segment))


def _below(place: Place, segments: list[str]) -> Iterator[Place]:
    """Places below a place that match segments of a path."""
    if not segments:
        yield place
        return
    first, *rest = segments
    children = place.children
    if first not in children and first.isdigit() and int(first) < len(children):
        # x, y, z and origin, insertion also by their indices
        first = list(children)[int(first)]
    for name, child in children.items():
        if _fits(name, first):
            yield from _below(replace(child, why=child.why or place.why), rest)


def all_numbers(model: Model) -> list[Place]:
    """Every number of a model; with folders of the kinds if two items share a path."""
    found: dict[str, list[tuple[str, Place]]] = {}
    for kind, _, root in find_roots(model):
        for place in root.numbers():
            found.setdefault(place.path, []).append((kind, place))
    return [
        place if len(same) == 1 else replace(place, path=f"{kind}/{place.path}")
        for same in found.values()
        for kind, place in same
    ]


def _near(model: Model, path: str) -> str:
    """Suggestion of paths similar to an unknown one."""
    known = {place.path for place in all_numbers(model)}
    for one in list(known):
        while one := one.rpartition("/")[0]:
            known.add(one)
    if path.strip("/") in known:
        return f"; that is a group of items, all of which are '{path.strip('/')}/*'"
    close = difflib.get_close_matches(path, sorted(known), n=3, cutoff=0.6)
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    first = path.partition("/")[0]
    below = sorted(one for one in known if one.startswith(f"{first}/") and one.count("/") == 1)
    if below:
        return f"; {first!r} has: {', '.join(below)}"
    return f"; paths begin with: {', '.join(sorted({one.partition('/')[0] for one in known}))}"
