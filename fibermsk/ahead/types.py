"""Argument types of kernels as text.

``f8`` and ``i8`` are numbers, ``b1`` truth values, ``f8.2C`` an array of two dimensions in C order
(``A``: any order), with a final ``r`` if it is read-only; ``=3`` is a constant; ``(f8 f8)`` a
tuple. Named tuples have the name of a line that defines them, ``Name := module.Name(f8.2C i8)``;
so have prepared kernels, by their result, all arguments and the places left open, and packed
tuples: see `fibermsk._prepared`.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from numba.core import types

from fibermsk._prepared import PackedType, PreparedType

_SCALARS = {
    "f8": types.float64, "f4": types.float32, "i8": types.int64, "i4": types.int32,
    "u8": types.uint64, "u4": types.uint32, "u1": types.uint8, "b1": types.boolean,
    "none": types.none,
}  # fmt: skip
_NAMES = {kind: name for name, kind in _SCALARS.items()}
_WORD = re.compile(r"\(|\)|[^\s()]+")
_ARRAY = re.compile(r"(\w\d)\.(\d+)([CFA])(r?)")


class UnknownType(ValueError):
    """A type that has no text, or a text that is no type."""


class Names:
    """Named tuples by the names that they have in a list.

    Attributes
    ----------
    defined : dict
        Text of the definition by name, in the order in which they were met.
    """

    def __init__(self) -> None:
        self.defined: dict[str, str] = {}
        self._known: dict[str, Any] = {}
        self._name_of: dict[Any, str] = {}

    def text(self, kind: Any) -> str:
        """Text of a type; named tuples are defined."""
        if isinstance(kind, types.Literal):
            return f"={kind.literal_value!r}"
        if kind in _NAMES:
            return _NAMES[kind]
        if isinstance(kind, types.Array) and kind.dtype in _NAMES and kind.aligned:
            return f"{_NAMES[kind.dtype]}.{kind.ndim}{kind.layout}{'' if kind.mutable else 'r'}"
        if isinstance(kind, (types.NamedTuple, types.NamedUniTuple)):
            parts = " ".join(map(self.text, kind))
            return self._named(kind, kind.instance_class, parts)
        if isinstance(kind, PreparedType):
            arguments = types.BaseTuple.from_types(kind.arguments)
            open_ = types.BaseTuple.from_types(tuple(map(types.literal, kind.open)))
            parts = " ".join(map(self.text, (kind.returns, arguments, open_)))
            return self._named(kind, PreparedType, parts)
        if isinstance(kind, PackedType):
            return self._named(kind, PackedType, self.text(kind.tuple))
        if isinstance(kind, (types.Tuple, types.UniTuple)):
            return f"({' '.join(map(self.text, kind))})"
        raise UnknownType(f"{kind} has no text")

    def _named(self, kind: Any, made: type, parts: str) -> str:
        if kind not in self._name_of:
            name = base = made.__name__
            number = 1
            while name in self.defined:
                number += 1
                name = f"{base}.{number}"
            self._name_of[kind] = name
            self.defined[name] = f"{made.__module__}.{made.__qualname__}({parts})"
        return self._name_of[kind]

    def define(self, name: str, text: str) -> None:
        """Take a definition; its class must have as many fields as it has types."""
        path, _, rest = text.partition("(")
        module, _, attribute = path.rpartition(".")
        try:
            made = getattr(import_module(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            raise UnknownType(f"{path}: {error}") from None
        parts = self.kinds(rest.removesuffix(")"))
        if made is PreparedType:
            returns, arguments, open_ = parts
            places = tuple(one.literal_value for one in tuple(open_))
            self._known[name] = PreparedType(returns, tuple(arguments), places)
            return
        if made is PackedType:
            self._known[name] = PackedType(*parts)
            return
        if len(getattr(made, "_fields", ())) != len(parts):
            raise UnknownType(f"{path} does not have {len(parts)} fields")
        self._known[name] = types.BaseTuple.from_types(parts, made)

    def kinds(self, text: str) -> tuple[Any, ...]:
        """Types of a text."""
        open_: list[list[Any]] = [[]]
        for word in _WORD.findall(text):
            if word == "(":
                open_.append([])
            elif word == ")" and len(open_) > 1:
                parts = open_.pop()
                open_[-1].append(types.BaseTuple.from_types(tuple(parts)))
            else:
                open_[-1].append(self._kind(word))
        if len(open_) != 1:
            raise UnknownType(f"{text!r} has brackets without a partner")
        return tuple(open_[0])

    def _kind(self, word: str) -> Any:
        if word in _SCALARS:
            return _SCALARS[word]
        if word in self._known:
            return self._known[word]
        if word in ("=True", "=False"):
            return types.literal(word == "=True")
        if re.fullmatch(r"=-?\d+", word):
            return types.literal(int(word[1:]))
        array = _ARRAY.fullmatch(word)
        if array and array[1] in _SCALARS:
            return types.Array(_SCALARS[array[1]], int(array[2]), array[3], readonly=bool(array[4]))
        raise UnknownType(f"{word!r} is no type")
