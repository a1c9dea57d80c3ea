"""Laws of a user's own: what they are asked for, their constants, and what identifies them.

A law is a frozen dataclass. Its fields are constants, and its functions take them from ``self``
and nothing else: compiled, ``self`` is a tuple of the constants by name.
"""

from __future__ import annotations

import hashlib
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import MISSING, fields
from dis import get_instructions
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol

import numpy as np

from fibermsk import _check
from fibermsk._numbers import Number, bounded, declared, number
from fibermsk.laws.coordinate import CoordinateForce


class StressLaw(Protocol):
    """Nominal stress of a fiber: force per reference area, along the fiber.

    A frozen dataclass whose fields are numbers, best given by `law_constant`. It may also have
    ``energy(self, stretch)``, the energy per reference volume [J/m^3] whose slope is the stress at
    rest without activation, and ``stretch_range = (least, largest)`` if the law is not valid
    for stretches from 0.5 to 2.
    """

    def stress(self, stretch: Any, stretch_rate: Any, activation: Any) -> Any:
        """Nominal stress [N/m^2] at a stretch [-], its rate [1/s] and an activation in [0, 1].

        Or a tuple of the stress and its derivatives in the stretch [N/m^2] and in the rate
        [N s/m^2]. A stress alone must accept complex numbers: its derivatives are complex steps.
        """
        ...


class ContactLaw(Protocol):
    """Line force of a contact: a force per current length of the fiber.

    A frozen dataclass whose fields are numbers, best given by `law_constant`. It may also have
    ``energy(self, gap)`` [N/m], whose slope is minus the line force and which is zero where the
    contact opens; pair potentials need it.
    """

    @property
    def limit(self) -> float:
        """Inverse of the deepest relative gap: gaps stay above -1/limit; above 1."""
        ...

    def line_force(self, gap: Any) -> Any:
        """Line force [N/m] at a relative gap below zero; positive where it repels.

        Or a tuple of the line force and its derivative in the gap.
        """
        ...


class CoordinateLaw(Protocol):
    """Generalized force of a coordinate on itself: any value that can be called."""

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Force at a coordinate [rad or m] and its rate, its derivatives, and the energy [J]."""
        ...


def law_constant(
    unit: str = "",
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    default: Any = MISSING,
) -> Any:
    """Field of a law: a constant with its unit and its range.

    Parameters
    ----------
    unit : str
        In SI, such as "N/m^2"; empty for a pure number.
    least, most : float, optional
        Smallest and largest value.
    above : float, optional
        Bound that the value must exceed.
    default : float, optional
        Value where none is given.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import fibermsk as fm
    >>> @dataclass(frozen=True)
    ... class Linear:
    ...     modulus: float = fm.law_constant("N/m^2", above=0.0)
    ...
    ...     def stress(self, stretch, stretch_rate, activation):
    ...         return self.modulus * (stretch - 1.0)
    """
    return number(unit, bounded(least, above, most), default=default)


def check_constants(owner: str, field_name: str, law: Any, functions: tuple[str, ...]) -> None:
    """Check that a law is a frozen dataclass of numbers in their ranges, with some functions."""
    must = f"be a frozen dataclass with {' and '.join(functions)}"
    remedy = "see fm.StressLaw and fm.ContactLaw"
    made = getattr(law, "__dataclass_params__", None)
    if isinstance(law, type) or made is None or not made.frozen:
        _check.refuse(owner, field_name, law, must, remedy=remedy)
    for name in functions:
        if not isinstance(getattr(type(law), name, None), FunctionType):
            _check.refuse(owner, field_name, law, f"have a function {name}(self, ...)")
    about = f"{owner}: {field_name}: law {law_label(type(law))!r}"
    for one in fields(law):
        what = declared(one)
        what = what if isinstance(what, Number) else Number()
        what.checked(about, one.name, getattr(law, one.name), what.unit_of(law))


def law_label(kind: type) -> str:
    """Name of a law in messages."""
    return kind.__name__


def constant_names(kind: type) -> tuple[str, ...]:
    """Names of the constants of a law."""
    return tuple(one.name for one in fields(kind))


@lru_cache
def constants_type(kind: type) -> Any:
    """Named tuple that stands for ``self`` of a law."""
    return namedtuple(kind.__name__, constant_names(kind))


def constant_values(law: Any) -> Any:
    """Constants of a law as such a tuple."""
    kind = type(law)
    return constants_type(kind)(*(float(getattr(law, name)) for name in constant_names(kind)))


def law_digest(kind: type, functions: tuple[str, ...]) -> str:
    """SHA-256 of what a law computes: its name, its constants' and its functions with callees.

    It includes the current values that the functions take from their script or from modules.

    Raises
    ------
    ModelError
        If a function uses an object whose changes cannot be detected. The message names it.
    """
    sha = hashlib.sha256(repr((kind.__module__, kind.__qualname__, constant_names(kind))).encode())
    known: set[int] = set()
    for name in functions:
        function = getattr(kind, name, None)
        sha.update(name.encode())
        if function is not None:
            for part in _parts(f"law {law_label(kind)!r}", name, function, known):
                sha.update(part)
    return sha.hexdigest()


def function_digest(owner: str, function: Any) -> str:
    """SHA-256 of what a function of its own computes, as `law_digest`."""
    parts = _parts(owner, function.__name__, function, set())
    return hashlib.sha256(b"".join(parts)).hexdigest()


_LIBRARIES = ("builtins", "cmath", "math", "numba", "numpy")
"""Modules whose functions are told by their names."""


def _parts(law: str, name: str, value: Any, known: set[int]) -> Iterator[bytes]:
    """What identifies a value, and of a function its code and all that it names."""
    yield f"\0{name}\0".encode()
    value = getattr(value, "py_func", value)
    if isinstance(value, np.ufunc) or _is_of_a_library(value):
        yield value.__name__.encode()
    elif isinstance(value, FunctionType):
        if id(value) not in known:
            known.add(id(value))
            yield from _parts_of_function(law, value, known)
    elif isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        yield repr((value.dtype, value.shape)).encode()
        yield value.tobytes()
    elif isinstance(value, tuple):
        yield repr((type(value), len(value))).encode()
        for i, one in enumerate(value):
            yield from _parts(law, f"{name}[{i}]", one, known)
    elif value is None or isinstance(value, bool | int | float | complex | str):
        yield repr(value).encode()
    else:
        must = "be a function, a number, a string, an array of numbers or a tuple of those"
        remedy = "make the needed values constants of the law with fm.law_constant"
        if not law.startswith("law "):
            remedy = "give the needed values as numbers"
        _check.refuse(law, name, value, must, remedy=remedy)


def _is_of_a_library(value: Any) -> bool:
    module = str(getattr(value, "__module__", ""))
    return hasattr(value, "__name__") and module.partition(".")[0] in _LIBRARIES


def _parts_of_function(law: str, function: FunctionType, known: set[int]) -> Iterator[bytes]:
    defaults = function.__defaults__ or (), tuple(sorted((function.__kwdefaults__ or {}).items()))
    yield from _parts(law, f"defaults of {function.__name__}", defaults, known)
    free, cells = function.__code__.co_freevars, function.__closure__ or ()
    enclosed = {name: cell.cell_contents for name, cell in zip(free, cells, strict=True)}
    for code in codes_of(function.__code__):
        yield code.co_code
        yield repr([c for c in code.co_consts if not isinstance(c, CodeType)]).encode()
        yield repr((code.co_names, code.co_varnames, code.co_freevars)).encode()
        for name, value in _taken(code, {**function.__globals__, **enclosed}):
            yield from _parts(law, name, value, known)


def _taken(code: CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names that code takes from its scope, with their values: of modules, their attributes."""
    name, value = "", None
    for step in get_instructions(code):
        if step.opname == "EXTENDED_ARG":
            continue
        if isinstance(value, ModuleType) and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            name, value = f"{name}.{step.argval}", getattr(value, step.argval, None)
            continue
        if name:
            yield name, value
        name, value = "", None
        if step.opname in ("LOAD_GLOBAL", "LOAD_DEREF") and step.argval in scope:
            name, value = step.argval, scope[step.argval]


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """Code of a function and of all functions inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_of(inner)
