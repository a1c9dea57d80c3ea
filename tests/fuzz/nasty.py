"""Values that no argument of a description should choke on."""

import collections
import datetime
import decimal
import enum
import fractions
import math
import pathlib
from unittest import mock

import numpy as np

import fibermsk as fm


class Color(enum.Enum):
    RED = 1


class Whole(enum.IntEnum):
    TWO = 2


class Hostile:
    """Fails at everything that Python lets it fail at."""

    def _fail(self, *_, **__):
        raise LookupError("hostile")

    __float__ = __int__ = __index__ = __len__ = __iter__ = __getitem__ = __array__ = _fail
    __bool__ = __eq__ = __lt__ = __gt__ = __le__ = __ge__ = __abs__ = __neg__ = _fail
    __str__ = __repr__ = __format__ = __call__ = __fspath__ = _fail
    __hash__ = object.__hash__

    @property
    def name(self):
        self._fail()


def _deep(depth):
    value = [1.0]
    for _ in range(depth):
        value = [value]
    return value


def _endless():
    value = []
    value.append(value)
    return value


def _made():
    """Values by a name; some are made anew for each use."""
    body = fm.Body("other", mass=1.0, inertia=(1e-2, 1e-2, 1e-2))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3))
    return {
        "None": None,
        "True": True,
        "False": False,
        "np.True_": np.True_,
        "nan": math.nan,
        "inf": math.inf,
        "-inf": -math.inf,
        "-1": -1,
        "-1.0": -1.0,
        "0": 0,
        "1": 1,
        "2.5": 2.5,
        "-0.0": -0.0,
        "1e308": 1e308,
        "-1e308": -1e308,
        "1e160": 1e160,
        "1e49": 1e49,
        "1e30": 1e30,
        "1e-49": 1e-49,
        "1e-308": 1e-308,
        "5e-324": 5e-324,
        "10**400": 10**400,
        "-10**400": -(10**400),
        "2**63": 2**63,
        "10**9": 10**9,
        "fraction": fractions.Fraction(1, 3),
        "large fraction": fractions.Fraction(10**400, 3),
        "decimal": decimal.Decimal("1.5"),
        "complex": 1.0 + 2.0j,
        "float32 nan": np.float32("nan"),
        "longdouble": np.longdouble("1e4000"),
        "np.int8": np.int8(1),
        "text": "text",
        "empty text": "",
        "blank": "  ",
        "number as text": "1.0",
        "zero byte": "a\0b",
        "surrogate": "\ud800",
        "slash": "../../a/b",
        "long text": "x" * 20_000,
        "bytes": b"bytes",
        "bytearray": bytearray(b"abc"),
        "memoryview": memoryview(b"abc"),
        "[]": [],
        "()": (),
        "[1]": [1.0],
        "(0, 0, 0)": (0.0, 0.0, 0.0),
        "(1e308,) * 3": (1e308, 1e308, 1e308),
        "(1e-308,) * 3": (1e-308, 1e-308, 1e-308),
        "(10**400,) * 3": (10**400, 1, 1),
        "(1e49,) * 3": (1e49, 1e49, 1e49),
        "(1e-49,) * 3": (1e-49, 1e-49, 1e-49),
        "(nan, 0, 0)": (math.nan, 0.0, 0.0),
        "[None] * 3": [None, None, None],
        "[True] * 3": [True, False, True],
        "texts": ["a", "b", "c"],
        "four texts": ("a", "b", "c", "d"),
        "ragged": [[1.0, 2.0], [3.0]],
        "nested": [[[1.0], [2.0]], [[3.0], [4.0]]],
        "deep": _deep(100),
        "very deep": _deep(3000),
        "endless": _endless(),
        "pairs": [("a", 1.0), ("b",)],
        "many": list(range(2000)),
        "{}": {},
        "dict": {"a": 1.0},
        "dict of None": {None: None},
        "set": {1.0, 2.0, 3.0},
        "frozenset": frozenset((1.0,)),
        "object": object(),
        "type": float,
        "class": fm.Body,
        "module": math,
        "lambda": lambda *_: 1.0,
        "lambda nan": lambda *_: math.nan,
        "lambda None": lambda *_: None,
        "lambda text": lambda *_: "text",
        "lambda huge": lambda *_: np.full(3, 1e308),
        "lambda raises": lambda *_: 1 / 0,
        "lambda without arguments": lambda: 1.0,
        "lambda theta": lambda theta, *_: np.zeros((np.size(theta), 3)),
        "lambda ones": lambda theta, *_: np.ones(np.shape(theta)),
        "lambda complex": lambda theta, *_: 1j * np.ones(np.shape(theta)),
        "array 0-d": np.array(1.0),
        "array 0-d text": np.array("a"),
        "array 0-d object": np.array(None),
        "array empty": np.zeros(0),
        "array (3, 0)": np.zeros((3, 0)),
        "array (0, 3)": np.zeros((0, 3)),
        "array (2,)": np.ones(2),
        "array (3,)": np.arange(1.0, 4.0),
        "array (4,)": np.ones(4),
        "array (5,)": np.linspace(0.0, 1.0, 5),
        "array (3, 3)": np.eye(3),
        "array (3, 3) tiny": 1e-308 * np.eye(3),
        "array (3, 3) huge": 1e308 * np.eye(3),
        "array (3, 3) large": 1e49 * np.eye(3),
        "array (3, 3) small": 1e-49 * np.eye(3),
        "array (3, 3) full": np.full((3, 3), 1e308),
        "array (1, 3, 3)": np.ones((1, 3, 3)),
        "array int": np.array([1, 0, 0]),
        "array bool": np.array([True, False, True]),
        "array complex": np.ones(3, complex),
        "array nan": np.full(3, np.nan),
        "array inf (3, 3)": np.full((3, 3), np.inf),
        "array object": np.array([object(), None, "a"], dtype=object),
        "array object of numbers": np.array([1.0, 2, 3], dtype=object),
        "array text": np.array(["a", "b", "c"]),
        "array time": np.array(["2026-01-01"] * 3, dtype="datetime64[D]"),
        "array record": np.zeros(3, dtype=[("a", float)]),
        "array float16": np.ones(3, np.float16),
        "array longdouble": np.full(3, np.longdouble("1e4000")),
        "array strided": np.ones((6, 6))[::2, ::2],
        "array masked": np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
        "enum": Color.RED,
        "int enum": Whole.TWO,
        "range": range(3),
        "deque": collections.deque([1.0]),
        "slice": slice(3),
        "ellipsis": ...,
        "date": datetime.date(2026, 1, 1),
        "path": pathlib.Path("/nowhere/at/all"),
        "exception": ValueError("a"),
        "hostile": Hostile(),
        "several hostile": [Hostile(), Hostile(), Hostile()],
        "body": body,
        "bodies": [body, body],
        "station": body.at(0.0, 0.0, 0.0),
        "coordinate": fm.Coordinate("other"),
        "quaternion": fm.Coordinate("w", "quaternion"),
        "axis": fm.Axis("rotation", (0, 0, 1), "other"),
        "weld": fm.Weld(fm.Body("p"), fm.Body("c")),
        "tissue": tissue,
        "law": fm.PenaltyContact(768.0, 3.0),
        "damper": fm.Damper(0.1),
        "linear": fm.Linear(1.0),
        "steep": fm.Linear(1e40, 1e40),
        "corner": fm.PiecewiseLinear([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]),
        "ramp": fm.Ramp(0.0, 1.0, 0.5),
        "capsule": fm.Capsule((0, 0, 0), (0, 0, 0.1), 0.02),
        "newton": fm.Newton(),
        "method": fm.BDF2(),
        "class of method": fm.BDF2,
    }


# what is used up, or remembers how it was used, is made anew
_ANEW = {
    "generator": lambda: (x for x in (1.0, 2.0, 3.0)),
    "iterator": lambda: iter([1.0]),
    "mock": mock.MagicMock,
    "model": lambda: fm.Model("other"),
}
_VALUES = _made()
NAMES = (*_VALUES, *_ANEW)


def value(name):
    """The value of a name."""
    return _ANEW[name]() if name in _ANEW else _VALUES[name]
