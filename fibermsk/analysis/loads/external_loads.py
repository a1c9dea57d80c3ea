"""External loads of OpenSim: forces on bodies from a table, such as ground reactions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.files import path_of
from fibermsk.forces import ExternalForce
from fibermsk.model import Model, NaturalSpline
from fibermsk.model.function import Pieces
from fibermsk.read import Signals, read_signals
from fibermsk.read.xml_tree import Element, read_xml

_NONE = ("", "Unassigned")
_UNUSED = ("data_source_name", "groups")
"""Fields that say nothing about the forces: the file of the data stands in ``datafile``."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Vector that follows splines through samples."""

    owner: str
    time: Array  # (n,)
    values: Array  # (n, 3)

    @cached_property
    def splines(self) -> tuple[Pieces, ...]:
        """Splines by component."""
        return tuple(NaturalSpline(self.time, one).pieces() for one in self.values.T)

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s], (3,)."""
        first, last = self.time[0], self.time[-1]
        if not first <= t <= last:
            raise ModelError(
                f"{self.owner}: t = {t:g} s; must be in [{first:g}, {last:g}] s, where the file "
                "has samples; cut the motion, or extend the file"
            )
        return np.array([spline(t) for spline in self.splines])


def read_external_loads(path: str | PathLike[str], model: Model) -> tuple[ExternalForce, ...]:
    """Read the external loads of an OpenSim file (.xml) and of its table (.mot or .sto).

    Parameters
    ----------
    path : path
        File with ``<ExternalLoads>``, such as ground reactions. The table that it names is found
        from its folder.
    model : Model
        The model with the bodies on which the forces act; not changed.

    Returns
    -------
    loads : tuple of ExternalForce
        Forces and torques; add them to the model. They follow natural cubic splines through the
        samples of the table, as in OpenSim. Those that the file disables are left out.

    Raises
    ------
    ModelError
        If a file cannot be read, a body or column is missing, a force or point is expressed in a
        body other than the ground or the one on which it acts, or the file has loads of another
        kind. The forces raise it outside of the times of the table.

    Warns
    -----
    ModelWarning
        Names fields of the file that are not used.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.read_osim("subject01.osim")  # doctest: +SKIP
    >>> model.add(*fm.read_external_loads("subject01_walk_grf.xml", model))  # doctest: +SKIP
    >>> found = fm.inverse_dynamics(model, "subject01_walk_IK.mot")  # doctest: +SKIP
    """
    file = path_of(path, "read_external_loads: path")
    _check.instance("read_external_loads", "model", model, Model, "a Model")
    if file.suffix.lower() != ".xml":
        must = "be .xml, which names the table of the forces"
        _check.refuse(f"external loads {str(file)!r}", "extension", file.suffix or "none", must)
    return _Reader(file, model).loads()


class _Reader:
    """Loads of one file."""

    def __init__(self, file: Path, model: Model) -> None:
        self._file, self._model = file, model
        root = read_xml(file, what="loads")
        sets = [one for one in (root, *root.children) if one.tag == "ExternalLoads"]
        if len(sets) != 1:
            self._fail(root, "holds no <ExternalLoads>", "must have one; is this another file?")
        self._set = sets[0]

    def loads(self) -> tuple[ExternalForce, ...]:
        """All loads that are not disabled."""
        table = self._text(self._set, "datafile")
        if table in _NONE:
            self._fail(self._set, "has no <datafile>", "must name the table of the forces")
        signals = read_signals(self._file.parent / table)
        places = self._set.find("objects")
        found = [self._load(one, signals) for place in places for one in place.children]
        loads = tuple(one for one in found if one is not None)
        if not loads:
            self._fail(self._set, "has no force that acts", "must have one <ExternalForce> or more")
        unused = [
            f"{one.label} (line {one.line})"
            for one in (*self._set.children, *(part for p in places for part in _fields(p)))
            if not one.seen and one.tag not in ("objects", *_UNUSED) and one.text not in _NONE
        ]
        if unused:
            text = f"external loads {str(self._file)!r}: not used: {', '.join(unused)}"
            warn(text, ModelWarning)
        return loads

    def _load(self, one: Element, signals: Signals) -> ExternalForce | None:
        """One load; None if the file disables it."""
        if one.tag != "ExternalForce":
            self._fail(one, "is another kind of load", "must be an <ExternalForce>")
        on = self._flag(one, "appliesForce", True) and not self._flag(one, "isDisabled", False)
        body = self._text(one, "applied_to_body").rpartition("/")[2]
        given: dict[str, Any] = {}
        for field, what in (("force", "force"), ("torque", "torque"), ("at", "point")):
            identifier = self._text(one, f"{what}_identifier")
            if identifier not in _NONE:
                given[field] = self._samples(one, signals, identifier)
        frames: dict[str, Any] = {
            field: self._frame(one, f"{what}_expressed_in_body", body)
            for field, what in (("frame", "force"), ("at_frame", "point"))
        }
        if not on:
            return None
        if not given.keys() & {"force", "torque"}:
            must = "must have a <force_identifier> or a <torque_identifier>"
            self._fail(one, "has neither force nor torque", must)
        if "at" not in given:
            frames["at_frame"] = "body"  # at its origin
        try:
            carrier = self._model.body(body)
        except ModelError as error:
            self._fail(one, str(error), "must act on a body of the model")
        return ExternalForce(one.name or f"load on {body}", carrier, **given, **frames)

    def _frame(self, one: Element, tag: str, body: str) -> str:
        """Frame of a vector: that of the ground or of the body on which the load acts."""
        name = self._text(one, tag).rpartition("/")[2] or "ground"
        if name not in ("ground", body):
            must = f"must be ground or {body}, on which it acts; express it in the ground"
            self._fail(one, f"{tag} = {name!r}", must)
        return "ground" if name == "ground" else "body"

    def _samples(self, one: Element, signals: Signals, identifier: str) -> Samples:
        """Vector of the three columns whose names begin with an identifier."""
        names = [name for name in signals.values if name.startswith(identifier)]
        if len(names) != 3:
            known = ", ".join(signals.values)
            problem = f"identifier {identifier!r} begins {len(names)} names of columns"
            self._fail(one, problem, f"must begin three of: {known[:500]}")
        owner = f"external force {one.name!r}, {identifier!r}"
        time = signals.time
        if time.size < 2:
            self._fail(one, f"the table has {time.size} samples", "must have two or more")
        values = np.stack([signals.values[name] for name in names], axis=1)
        return Samples(owner, np.asarray(time), values)

    def _flag(self, one: Element, tag: str, default: bool) -> bool:
        """True or false of a child."""
        text = self._text(one, tag).lower()
        if text not in ("", "true", "false"):
            self._fail(one, f"{tag} = {text!r}", "must be true or false")
        return text == "true" if text else default

    def _text(self, one: Element, tag: str) -> str:
        """Text of a child; empty if it is missing."""
        found = one.find(tag)
        if len(found) > 1:
            self._fail(found[1], "is given twice", "must be given once")
        for child in found:
            child.seen = True
        return found[0].text if found else ""

    def _fail(self, one: Element, problem: str, must: str) -> NoReturn:
        """Raise the error of an element."""
        raise ModelError(f"{self._file}, line {one.line}: {one.label}: {problem}; {must}")


def _fields(place: Element) -> list[Element]:
    """Fields of all loads of a set."""
    return [part for one in place.children for part in one.children]
