"""External forces as a file of OpenSim's external loads and its table."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._version import __version__
from fibermsk.analysis.loads.external_loads import Samples
from fibermsk.errors import ModelError
from fibermsk.files import path_of, replacing_all
from fibermsk.forces import ExternalForce
from fibermsk.io.sto import sto_head
from fibermsk.write.osim.notes import legal
from fibermsk.write.osim.tree import first_free, leaf, named
from fibermsk.write.osim.writer import VERSION

_OWNER = "write_external_loads"

_VECTORS = ("force", "force", "v"), ("at", "point", "p"), ("torque", "torque", "m")
"""Field, what OpenSim calls it, and the letter of its columns."""


def write_external_loads(
    loads: Sequence[ExternalForce], path: str | PathLike[str], *, time: ArrayLike | None = None
) -> Path:
    """Write external forces as a file of OpenSim (.xml), and their table (.sto) beside it.

    `read_external_loads` reads the same forces from it, and OpenSim's tools apply them to the model
    that `write_osim` writes.

    Parameters
    ----------
    loads : sequence of ExternalForce
        The forces, such as those from `read_external_loads`; constants are constant columns.
    path : path
        The file, whose name ends in .xml. The table has the same name with .sto. Both are written
        whole, or none.
    time : (n,) array_like, optional
        Instants [s] at which functions of time are tabulated; increasing, two or more. By default
        those of the table from which the forces were read.

    Returns
    -------
    path : pathlib.Path
        The file.

    Raises
    ------
    ModelError
        If the forces have no instants of their own or several ones and `time` is not given, a name
        is that of two, or a file cannot be written.

    Notes
    -----
    OpenSim interpolates with natural cubic splines, as `read_external_loads` does: between the
    instants other functions differ from them.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.read_osim("subject01.osim")  # doctest: +SKIP
    >>> loads = fm.read_external_loads("subject01_walk_grf.xml", model)  # doctest: +SKIP
    >>> fm.write_external_loads(loads, "grf.xml")  # doctest: +SKIP
    """
    given = _loads(loads)
    file = path_of(path, f"{_OWNER}: path")
    _check.choice(_OWNER, "ending", file.suffix.lower(), (".xml",))
    instants = _instants(given, time)
    table = file.with_suffix(".sto")
    root = Element("OpenSimDocument", {"Version": VERSION})
    element = named(root, "ExternalLoads", legal(file.stem))
    objects = SubElement(element, "objects")
    columns = {"time": instants}
    taken = list[str]()
    for k, load in enumerate(given, 1):
        name = first_free(legal(load.name), taken)
        taken.append(name)
        columns |= _write(objects, name, load, k, instants)
    SubElement(element, "groups")
    leaf(element, "datafile", table.name)
    indent(root, "  ")
    lines = sto_head(legal(file.stem), list(columns), instants.size, {"fibermsk": __version__})
    for row in np.stack(list(columns.values()), axis=1):
        lines.append("\t".join(repr(float(one)) for one in row))
    with replacing_all([file, table]) as (beside, table_beside):
        ElementTree(root).write(beside, encoding="UTF-8", xml_declaration=True)
        table_beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _loads(loads: Any) -> list[ExternalForce]:
    """Checked forces."""
    what = "a list of ExternalForce, such as from read_external_loads"
    given = list(_check.items(_OWNER, "loads", loads, ExternalForce, "an ExternalForce", what))
    if not given:
        _check.refuse(_OWNER, "loads", 0, "be one force or more")
    names = [one.name for one in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        _check.refuse(_OWNER, "names", twice, "be different")
    return given


def _instants(loads: Sequence[ExternalForce], time: ArrayLike | None) -> Array:
    """Instants of the table."""
    if time is not None:
        instants = _check.array(_OWNER, "time", time, ("n",), "s")
        if instants.size < 2 or not (np.diff(instants) > 0.0).all():
            _check.refuse(_OWNER, "time", instants, "be two instants or more, increasing", unit="s")
        return np.array(instants)
    found: Array | None = None
    for load in loads:
        for field, _, _ in _VECTORS:
            given = getattr(load, field)
            if not callable(given):
                continue
            if not isinstance(given, Samples):
                raise ModelError(
                    f"external force {load.name!r}: {field} is a function of time without samples; "
                    "must be tabulated in a file: give time=, the instants"
                )
            if found is not None and not np.array_equal(found, given.time):
                raise ModelError(
                    f"external force {load.name!r}: {field} has other instants than the forces "
                    "before it; must have the same in one file: give time=, or write two files"
                )
            found = given.time
    if found is None:
        must = "be given for constant forces, such as (0, 1)"
        _check.refuse(_OWNER, "time", time, must, unit="s")
    return found


def _write(
    objects: Element, name: str, load: ExternalForce, k: int, time: Array
) -> dict[str, Array]:
    """Add a load; return its columns by name."""
    element = named(objects, "ExternalForce", name)
    leaf(element, "appliesForce", True)
    own = {"ground": "ground", "body": legal(load.body.name)}
    leaf(element, "applied_to_body", own["body"])
    leaf(element, "force_expressed_in_body", own[load.frame])
    leaf(element, "point_expressed_in_body", own[load.at_frame])
    columns = dict[str, Array]()
    for field, what, letter in _VECTORS:
        value = getattr(load, field)
        absent = not callable(value) and not np.any(value)
        if absent and (field == "torque" or (field == "at" and load.at_frame == "body")):
            continue  # without a point it acts at the origin of the body
        identifier = f"load{k}_{letter}"  # no beginning of another one
        leaf(element, f"{what}_identifier", identifier)
        values = _values(load, field, time)
        columns |= {f"{identifier}{axis}": values[:, i] for i, axis in enumerate("xyz")}
    return columns


def _values(load: ExternalForce, field: str, time: Array) -> Array:
    """A vector at the instants, (n, 3)."""
    given = getattr(load, field)
    if isinstance(given, Samples) and np.array_equal(given.time, time):
        return given.values
    return np.array([load.value(field, float(t)) for t in time])
