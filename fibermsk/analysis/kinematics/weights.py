"""Weights of markers or sensors, by name or from a file of OpenSim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.files import path_of
from fibermsk.read.xml_tree import Element, read_xml

_OWNER = "inverse_kinematics"

Weights = Mapping[str, float] | str | PathLike[str] | None


def weights_of(weights: Weights, names: Sequence[str], known: Sequence[str]) -> Array:
    """Weights (m,) of items with names, 1 by default; others must be `known`.

    A file leaves out those without a task, as in OpenSim.
    """
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, str | PathLike):
        file = path_of(weights, f"{_OWNER}: weights")
        found = _of_file(file)
        return np.array([found.get(name, 0.0) for name in names])
    what = "a dict of weights by name, or a file of OpenSim with an IKTaskSet"
    _check.instance(_OWNER, "weights", weights, Mapping, what)
    for name, weight in weights.items():
        if name not in known:
            _check.instance(_OWNER, "weights", name, str, "a name")
            missing = _check.missing("marker or sensor", name, known, "the model has")
            raise ModelError(f"{_OWNER}: weights: {missing}")
        _check.non_negative(f"{_OWNER}: weights", name, weight)
    return np.array([float(weights.get(name, 1.0)) for name in names])


def _of_file(file: Path) -> dict[str, float]:
    """Weights of the marker tasks of a file; those that do not apply have 0."""
    root = read_xml(file, what="tasks")
    sets = [one for one in root.walk() if one.tag == "IKTaskSet"]
    if len(sets) != 1:
        raise ModelError(f"{file}: holds {len(sets)} IKTaskSet; must be one; is it another file?")
    found, unused = dict[str, float](), list[str]()
    for task in (one for place in sets[0].find("objects") for one in place.children):
        acts = (_text(task, "apply") or "true").lower()
        if acts not in ("true", "false"):
            _fail(file, task, f"apply = {acts[:20]!r}", "must be true or false")
        weight = _weight(file, task) if acts == "true" else 0.0
        if task.tag == "IKMarkerTask":
            if task.name in found:
                _fail(file, task, "is given twice", "must be given once")
            found[task.name] = weight
        elif weight > 0.0:
            unused.append(task.label)
    if unused:
        text = f"{file}: only tasks of markers are used; left out: {', '.join(unused[:12])}"
        warn(text, ModelWarning)
    if not found:
        raise ModelError(f"{file}: has no IKMarkerTask; must have one or more")
    return found


def _weight(file: Path, task: Element) -> float:
    text = _text(task, "weight") or "1"
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not 0.0 <= weight <= 1e12:
        _fail(file, task, f"weight = {text[:20]!r}", "must be zero or positive")
    return weight


def _text(task: Element, tag: str) -> str:
    found = task.find(tag)
    return found[0].text if found else ""


def _fail(file: Path, task: Element, problem: str, must: str) -> Any:
    raise ModelError(f"{file}, line {task.line}: {task.label}: {problem}; {must}")
