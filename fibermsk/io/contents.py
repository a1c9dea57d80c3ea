"""Names and types in result files that writing and reading share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fibermsk import _check
from fibermsk.results.fields import SHAPE_FIELDS

# Whether a path is a group or a dataset is known only when the file is read.
Node: TypeAlias = Any

KINDS = {False: np.dtype(np.float64), True: np.dtype(np.int64)}
"""Data type of an array, by whether it holds integers."""
OF_SHAPES = {name: field for name, field in SHAPE_FIELDS.items() if field.unit}
"""Numbers of shapes; their kinds are texts."""
PATH = "path"
"""Array of the path of a line muscle."""
RANGES = "ranges"
"""Attribute of the file in JSON: least and largest value of each dataset by path."""
TEXTS = {
    "scene": "scene",
    "fibermsk_version": "version",
    **{name: name for name in ("method", "status", "message")},
}
"""Attributes that are texts, with the field of the result."""
VALUES = ("parameters", "stats")
"""Fields that are attributes in JSON."""


def escape(name: str) -> str:
    """Escape a name for an HDF5 link, in which '/' and '.' are special."""
    _check.name("result: item", name)
    return name.replace("%", "%25").replace("/", "%2F") if name != "." else "%2E"


def unescape(name: str) -> str:
    """The name of an HDF5 link."""
    return name.replace("%2E", ".").replace("%2F", "/").replace("%25", "%")
