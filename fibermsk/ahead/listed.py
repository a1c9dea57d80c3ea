"""Lists of the functions that runs compile, as files of text.

The first lines have the kinds of parts of the models that need them, and definitions of named
tuples. Then every line has a function and the types of its arguments, callees first; a line that
begins with ``-`` has one that is compiled without counts of references, as its caller is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from numba.core.dispatcher import Dispatcher

from fibermsk.ahead.types import Names, UnknownType

FOLDER = Path(__file__).parent
_KINDS = "kinds: "
_SHARED = "_shared"


@dataclass(frozen=True, eq=False)
class Listed:
    """A function to be compiled for types of its arguments.

    Attributes
    ----------
    key : str
        List and line of the function.
    function : Dispatcher
        The function.
    types : tuple
        Types of Numba.
    counting : bool
        Whether references are counted.
    """

    key: str
    function: Any
    types: tuple[Any, ...]
    counting: bool
    callees: list[Listed] = field(default_factory=list)


class Needs(NamedTuple):
    """A list as text: kinds of parts, definitions and functions."""

    kinds: frozenset[str]
    defined: dict[str, str]
    lines: tuple[str, ...]

    def write(self, path: Path) -> None:
        """Write the list."""
        parts = [f"{_KINDS}{', '.join(sorted(self.kinds))}"]
        parts += [f"{name} := {text}" for name, text in self.defined.items()]
        path.write_text("\n".join([*parts, *self.lines]) + "\n", encoding="utf-8")


def read(path: Path) -> Needs:
    """Read a list."""
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    kinds = first.removeprefix(_KINDS).split(", ")
    defined = dict(line.split(" := ") for line in rest if " := " in line)
    lines = tuple(line for line in rest if " := " not in line)
    return Needs(frozenset(kinds), defined, lines)


def lists_for(kinds: frozenset[str], folder: Path = FOLDER) -> Iterator[Needs]:
    """Lists of what models with such parts need, each for some or all of these."""
    for path in sorted(folder.glob("*.txt")):
        needs = read(path)
        if needs.kinds <= kinds:
            yield needs


def functions_for(kinds: frozenset[str], folder: Path = FOLDER) -> list[Listed]:
    """Functions that models with such parts need, with their callees; these come first.

    What a list has that is no longer there is left out.
    """
    found: dict[Any, Listed] = {}
    for number, needs in enumerate(lists_for(kinds, folder)):
        for one in find(needs, number)[0]:
            found.setdefault((id(one.function), one.types), one)
    functions = list(found.values())
    _join(functions)
    return functions


def find(needs: Needs, number: int = 0) -> tuple[list[Listed], list[str]]:
    """Functions of a list without their callees, and why others were left out."""
    names, found, left = Names(), list[Listed](), list[str]()
    for name, text in needs.defined.items():
        try:
            names.define(name, text)
        except UnknownType as error:
            left.append(f"{name}: {error}")
    for line in needs.lines:
        try:
            found.append(_listed(number, line, names))
        except (ImportError, AttributeError, UnknownType) as error:
            left.append(f"{line.split()[0]}: {error}")
    return found, left


def _listed(number: int, line: str, names: Names) -> Listed:
    counting = not line.startswith("-")
    path, _, text = line.removeprefix("-").partition(" ")
    module, _, name = path.rpartition(".")
    scope = import_module(module)
    base = name.removesuffix(_SHARED)
    if not hasattr(scope, name) and name != base:
        function = getattr(scope, base).shared
    else:
        function = getattr(scope, name)
        function = getattr(function, "alone", function)
    if not isinstance(function, Dispatcher):
        raise UnknownType("is not compiled")
    kinds = names.kinds(text)
    if len(kinds) != len(signature(function.py_func).parameters):
        raise UnknownType(f"does not have {len(kinds)} arguments")
    return Listed(f"{number} {line}", function, kinds, counting)


def _join(found: Sequence[Listed]) -> None:
    """Give the functions their callees: all versions of each function that one names."""
    versions: dict[int, list[Listed]] = {}
    for one in found:
        versions.setdefault(id(one.function.py_func), []).append(one)
    known: dict[int, set[int]] = {}

    def called(function: Any) -> set[int]:
        """Listed functions that one calls, itself or by functions that are not listed."""
        key = id(function)
        if key not in known:
            known[key] = set()
            for name in function.__code__.co_names:
                other = getattr(function.__globals__.get(name), "py_func", None)
                if id(other) in versions:
                    known[key].add(id(other))
                elif other is not None:
                    known[key] |= called(other)
        return known[key]

    place = {id(one): number for number, one in enumerate(found)}
    for one in found:
        for key in called(one.function.py_func):
            one.callees.extend(v for v in versions[key] if place[id(v)] < place[id(one)])
