"""Checks of user input: each returns the normalized value or raises `ModelError`.

Every message reads "<object>: <field> = <value> <unit>; must <range>[; <remedy>]".
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from fibermsk.errors import ModelError

LARGEST = 1e50
"""Bound far above quantities in SI units; products of several such numbers are finite."""


_UNIT = 8.0 * float(np.finfo(np.float64).eps)
"""Tolerance of unit length."""

_MOST_KNOWN = 20
"""Most names that a KeyError lists."""

PERCENT = "in percent? divide by 100"
"""Remedy for a fraction outside [0, 1]."""


def first_names(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first few names, and the number of the others."""
    shown, more = separator.join(names[:most]), len(names) - most
    return f"{shown} and {more} more" if more > 0 else shown


def show(value: object) -> str:
    """Short text of a value for an error message."""
    try:
        text = _text(value)
    except Exception:  # an object whose name or repr raises
        text = f"<{type(value).__name__}>"
    first, *more = text.splitlines() or [""]
    return f"{first[:77]}..." if more or len(first) > 80 else first


def _text(value: object) -> str:
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return f"{type(value).__name__.lower()} {name!r}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return " ".join(np.array2string(value, threshold=9, separator=", ").split())
    return repr(value)


def suggestion(word: object, known: Sequence[str]) -> str:
    """``; did you mean 'steps'?``, or an empty text."""
    close = difflib.get_close_matches(str(word), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def missing(kind: str, name: object, known: Sequence[str], holder: str = "there are") -> str:
    """Text of a KeyError: what was looked for, similar names, and what exists."""
    there = first_names(known, _MOST_KNOWN) or "none"
    return f"no {kind} {name!r}; {holder}: {there}{similar(name, known)}"


def similar(name: object, known: Sequence[str]) -> str:
    """``; did you mean 'biceps_1' or 'biceps_2'?``: names that contain the word, or are close."""
    word = str(name).lower()
    close = [one for one in known if len(word) > 1 and word in one.lower()][:3]
    close = close or difflib.get_close_matches(str(name), known, n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def refuse(
    owner: str, field: str, value: object, must: str, *, unit: str = "", remedy: str = ""
) -> NoReturn:
    """Raise the `ModelError` of one field of one object."""
    has_unit = isinstance(value, Real | np.ndarray) and not isinstance(value, bool)
    unit = f" {unit}" if unit and has_unit else ""
    remedy = f"; {remedy}" if remedy else ""
    raise ModelError(f"{owner}: {field} = {show(value)}{unit}; must {must}{remedy}")


def number(
    owner: str,
    field: str,
    value: Any,
    unit: str = "",
    *,
    accept: Callable[[float], bool] = math.isfinite,
    must: str = "be finite",
    largest: float = LARGEST,
    remedy: str = "",
) -> float:
    """Float of a real number for which `accept` is true; booleans are refused."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, Real):
        refuse(owner, field, value, f"be a number and {must}", unit=unit)
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not (math.isfinite(result) and accept(result)):
        refuse(owner, field, value, must, unit=unit, remedy=remedy)
    if abs(result) > largest:
        refuse(owner, field, value, f"be at most {largest:g} in size", unit=unit)
    return result


def positive(owner: str, field: str, value: Any, unit: str = "") -> float:
    """Finite positive float, whose inverse does not overflow."""
    result = number(
        owner, field, value, unit, accept=lambda x: x > 0.0, must="be positive and finite"
    )
    if result < 1.0 / LARGEST:
        refuse(owner, field, value, f"be at least {1.0 / LARGEST:g}", unit=unit)
    return result


def positive_by_name(
    owner: str, field: str, value: Any, names: Sequence[str], default: float, unit: str = ""
) -> dict[str, float]:
    """Positive number of each name: one for all, or a mapping by name with a default."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(names, positive(owner, field, value, unit))
    for name in value:
        if name not in names:
            remedy = f"they are: {', '.join(names)}{suggestion(name, names)}"
            refuse(owner, field, name, "be a coordinate of the motion", remedy=remedy)
    return {
        name: positive(owner, f"{field}[{name!r}]", value.get(name, default), unit)
        for name in names
    }


def non_negative(owner: str, field: str, value: Any, unit: str = "") -> float:
    """Finite float, zero or above."""
    return number(
        owner, field, value, unit, accept=lambda x: x >= 0.0, must="be zero or positive, and finite"
    )


def above(owner: str, field: str, value: Any, bound: float, unit: str = "") -> float:
    """Finite float above a bound."""
    must = f"be greater than {bound:g} and finite"
    return number(owner, field, value, unit, accept=lambda x: x > bound, must=must)


def fraction(owner: str, field: str, value: Any, unit: str = "") -> float:
    """Float in [0, 1]."""
    return number(
        owner,
        field,
        value,
        unit,
        accept=lambda x: 0.0 <= x <= 1.0,
        must="lie in [0, 1]",
        remedy=PERCENT,
    )


def whole(owner: str, field: str, value: Any) -> int:
    """Integer, zero or positive."""
    number = -1 if isinstance(value, bool) or not isinstance(value, Integral) else int(value)
    if number < 0:
        refuse(owner, field, value, "be an integer, 0 or more")
    return number


def count(owner: str, field: str, value: Any, most: int = 2**62) -> int:
    """Integer from one to `most`."""
    number = 0 if isinstance(value, bool) or not isinstance(value, Integral) else int(value)
    if number < 1:
        refuse(owner, field, value, "be an integer, 1 or more")
    if number > most:
        refuse(owner, field, value, f"be at most {most}")
    return number


def flag(owner: str, field: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        refuse(owner, field, value, "be True or False")
    return bool(value)


def choice(owner: str, field: str, value: Any, allowed: Collection[str]) -> str:
    """One of some texts."""
    if not isinstance(value, str) or value not in allowed:
        names = [repr(name) for name in allowed]
        must = f"be one of {', '.join(names)}" if len(names) > 2 else f"be {' or '.join(names)}"
        refuse(owner, field, value, must)
    return value


def name(kind: str, value: Any) -> str:
    """Text that is not blank and valid in all files."""
    if not isinstance(value, str) or not value.strip():
        refuse(kind, "name", value, "be a text that is not blank")
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        must = "have no null character and no lone surrogate, which files cannot store"
        refuse(kind, "name", value, must, remedy="rename it with Unicode characters")
    return value


def item_name(kind: str, value: Any) -> str:
    """Name of an item in a result file, in which "/", "." and ".." form paths."""
    text = name(kind, value)
    if "/" in text or text.strip() in (".", ".."):
        better = "_".join(part for part in text.split("/") if part.strip(" .")) or "item"
        must = 'have no "/" and be neither "." nor "..", which form paths in a result file'
        refuse(kind, "name", value, must, remedy=f"rename it, for example {better!r}")
    return text


def instance(owner: str, field: str, value: Any, kind: type | tuple[type, ...], what: str) -> Any:
    """Value of the given type or types, called `what` in the message."""
    if not isinstance(value, kind):
        refuse(owner, field, value, f"be {what}")
    return value


def items(
    owner: str, field: str, value: Any, kind: Any, what: str, several: str
) -> tuple[Any, ...]:
    """Tuple of the items of a tuple or list (`several` in the message), each as `instance`."""
    instance(owner, field, value, (tuple, list), several)
    for i, item in enumerate(value):
        instance(owner, f"{field}[{i}]", item, kind, what)
    return tuple(value)


_METHODS = (
    "BackwardEuler", "BDF2", "SDIRK2", "SDIRK4", "GeneralizedAlpha", "NDF", "Explicit",
)  # fmt: skip
"""Classes of time integrators."""


def method(owner: str, value: Any) -> Any:
    """Time integrator; see `fibermsk.solvers.newton.stage.Method` and `CompiledMethod`."""
    try:
        found = isinstance(value.name, str) and callable(value.start)
        found = found and (getattr(value, "compiled", False) or callable(value.step))
    except Exception:  # an attribute is missing or raises
        found = False
    if not found or isinstance(value, type):
        word = value.__name__ if isinstance(value, type) else str(value)
        plain = "".join(filter(str.isalnum, word.lower()))
        close = difflib.get_close_matches(plain, [one.lower() for one in _METHODS], n=1)
        written = [one for one in _METHODS if close == [one.lower()]]
        remedy = f"write method=fm.{written[0]}()" if written else ""
        refuse(owner, "method", value, "be a method such as BDF2()", remedy=remedy)
    return value


def function(owner: str, field: str, value: Any) -> Any:
    """Function, or None."""
    if value is not None and not callable(value):
        refuse(owner, field, value, "be a function or None")
    return value


def array(
    owner: str,
    field: str,
    value: Any,
    shape: tuple[int | str, ...],
    unit: str = "",
    largest: float = LARGEST,
) -> np.ndarray:
    """Read-only float64 copy of finite numbers, of at most `largest` in size.

    A letter in `shape` stands for any length.
    """
    wanted = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    must = f"be finite numbers of shape {wanted}"
    try:
        raw = value if isinstance(value, np.ndarray) else np.array(value, dtype=object)
    except Exception:  # rows of different lengths, or objects that raise on conversion
        refuse(owner, field, value, must)
    if np.ma.is_masked(raw):
        refuse(owner, field, value, must, remedy="fill or remove masked entries")
    if raw.shape != shape and (
        raw.ndim != len(shape)
        or any(isinstance(w, int) and n != w for n, w in zip(raw.shape, shape, strict=True))
    ):
        found = f", not {raw.shape}" if raw.ndim else ""
        refuse(owner, field, value, must + found)
    if raw.dtype.kind == "O":
        items = [
            number(owner, f"{field}{list(index)}", item, unit, largest=largest)
            for index, item in np.ndenumerate(raw)
        ]
        result = np.array(items, dtype=np.float64).reshape(raw.shape)
    elif raw.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            result = np.array(raw, dtype=np.float64, order="C")
    else:
        refuse(owner, field, value, must)
    wrong = ~(np.isfinite(result) & (np.abs(result) <= largest))
    if wrong.any():
        where = np.argwhere(wrong)[0].tolist()
        item = result[tuple(where)]
        must = f"be at most {largest:g} in size" if np.isfinite(item) else "be finite"
        refuse(owner, f"{field}{where}", item, must, unit=unit)
    result.flags.writeable = False
    return result


def unit_vector(owner: str, field: str, value: Any) -> np.ndarray:
    """Read-only direction (3,) of length one."""
    vector = array(owner, field, value, (3,), largest=math.inf)
    largest = np.abs(vector).max()
    if 0.5 < largest < 2.0 and abs(np.linalg.norm(vector) - 1.0) <= _UNIT:
        return vector  # a stored direction stays bitwise the same
    if largest == 0.0:
        refuse(owner, field, vector, "be nonzero", remedy="use a direction such as (0, 1, 0)")
    direction = vector / largest
    direction /= np.linalg.norm(direction)
    direction.flags.writeable = False
    return direction


def store(target: object, /, **fields: Any) -> None:
    """Write normalized fields into a frozen dataclass under construction."""
    for field, value in fields.items():
        object.__setattr__(target, field, value)
