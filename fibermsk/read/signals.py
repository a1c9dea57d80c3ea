"""Time series from files: OpenSim storages (.sto, .mot) and tables (.csv)."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.files import path_of
from fibermsk.model import Table
from fibermsk.read.heads import check_columns, split_heads, storage_header
from fibermsk.read.lines import lines_of
from fibermsk.read.recordings.smoothing import (
    FILTER_ORDER,
    Treatment,
    check_filter,
    check_new_times,
    lowpass_treatment,
    natural_spline,
    smoothed,
    spline_treatment,
)

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_FIGURES = re.compile(r"[0-9.eE+-]*")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3}
"""Units of the time column in seconds."""


@dataclass(frozen=True, eq=False, repr=False)
class Signals(Described):
    """Time series, such as coordinates, activations or an electromyogram.

    Parameters
    ----------
    name : str
        Name in the header of a storage, or that of the file.
    time : (m,) array_like
        Instants [s]; strictly increasing.
    values : dict of (m,) array_like
        Values by name of column.
    units : dict of str, optional
        Units of the columns; empty if not given.
    in_degrees : bool, optional
        Whether the angles of a storage are in degrees: from its header, else as in OpenSim, true
        for a .mot file without a version. Values are never converted.
    degrees_said : bool, optional
        Whether a header says so.
    treatment : sequence of Treatment, optional
        Filters and splines that were applied, in their order; stored as a tuple.
    """

    name: str
    time: Array
    values: dict[str, Array]
    units: dict[str, str] = field(default_factory=dict)
    in_degrees: bool = False
    degrees_said: bool = False
    treatment: tuple[Treatment, ...] = ()

    def __post_init__(self) -> None:
        owner = f"signals {_check.instance('signals', 'name', self.name, str, 'a text')!r}"
        for what, value in (("values", self.values), ("units", self.units)):
            _check.instance(owner, what, value, Mapping, "a dict by the names of the columns")
        in_degrees = _check.flag(owner, "in_degrees", self.in_degrees)
        _check.flag(owner, "degrees_said", self.degrees_said)
        # files may contain any numbers; their users check the range
        time = _check.array(owner, "time", self.time, ("m",), "s", largest=math.inf)
        late = np.flatnonzero(time[1:] <= time[:-1])
        if late.size:
            k = int(late[0]) + 1
            must = f"be later than time[{k - 1}] = {time[k - 1]} s"
            _check.refuse(owner, f"time[{k}]", time[k], must, unit="s")
        values = {
            key: _check.array(owner, f"values[{key!r}]", column, (time.size,), largest=math.inf)
            for key, column in self.values.items()
        }
        units = {key: str(self.units.get(key, "")) for key in values}
        several = "a sequence of treatments"
        done = _check.items(owner, "treatment", self.treatment, Treatment, "a Treatment", several)
        _check.store(
            self, time=time, values=values, units=units, in_degrees=in_degrees, treatment=done
        )

    def filtered(self, cutoff: float, *, order: int = FILTER_ORDER) -> Signals:
        """Remove fast changes by a Butterworth filter, forward and backward.

        Parameters
        ----------
        cutoff : float
            Cut-off frequency [Hz], below half the rate; intervals must be equal.
        order : int
            Order of the filter, which acts twice.

        Returns
        -------
        signals : Signals
            All columns, which are continued by reflection at both ends, by half of their duration,
            before they are filtered, as in OpenSim.
        """
        cutoff, order = check_filter(f"signals {self.name!r}", self.time, cutoff, order, "cutoff")
        table = smoothed(self.time, self._table(), cutoff, order)
        return self._treated(self.time, table, lowpass_treatment(cutoff, order))

    def resampled(self, time: ArrayLike, *, order: int = 3) -> Signals:
        """Values at other instants (m,) [s], by natural splines of order 3 or 5."""
        owner = f"signals {self.name!r}"
        new, order = check_new_times(owner, self.time, time, order)
        table = natural_spline(owner, self.time, self._table(), order)(new)
        return self._treated(new, table, spline_treatment(order, new.size))

    def _table(self) -> Array:
        """All columns (m, n)."""
        return np.array([*self.values.values()]).reshape(len(self.values), self.time.size).T

    def _treated(self, time: Array, table: Array, treatment: Treatment) -> Signals:
        values = dict(zip(self.values, table.T.copy(), strict=True))
        return replace(self, time=time, values=values, treatment=(*self.treatment, treatment))

    def signal(self, name: str) -> Array:
        """Get the values of one column, (m,), read-only.

        Raises
        ------
        ModelError
            If there is no such column; the message lists those available.
        """
        owner = f"signals {self.name!r}"
        _check.instance(owner, "column", name, str, "the name of a column")
        if name not in self.values:
            known = ", ".join(self.values) or "none"
            known = known if len(known) <= 500 else f"{known[:497]}..."
            raise ModelError(f"signals {self.name!r} have no {name!r}; they have: {known}")
        return self.values[name]

    def activation(self, name: str, *, scale: float = 1.0) -> Table:
        """Convert one column, times `scale` such as 0.01 for percent, to an activation.

        It is interpolated linearly, constant before the first and after the last sample.

        Raises
        ------
        ModelError
            If there is no such column, fewer than two samples, or a scaled value outside [0, 1]:
            values are not clipped.
        """
        scale = _check.positive("activation", "scale", scale)
        with np.errstate(over="ignore"):  # overflow is refused below
            values = self.signal(name) * scale
        owner = f"signals {self.name!r}"
        if self.time.size < 2:
            _check.refuse(owner, "samples", self.time.size, "be two or more for an activation")
        wrong = np.flatnonzero((values < 0.0) | (values > 1.0))
        if wrong.size:
            k = int(wrong[0])
            highest = float(np.max(self.values[name]))
            remedy = (
                f"give scale, for example 1 / {highest:g} which is its largest value"
                if values.min() >= 0.0
                else "rectify and filter an electromyogram first, or clip the values"
            )
            _check.refuse(
                owner, f"{name} at t = {self.time[k]:g} s", float(values[k]),
                f"lie in [0, 1] ({wrong.size} of {values.size} samples do not)", remedy=remedy,
            )  # fmt: skip
        return Table(self.time, values)


def read_signals(path: str | PathLike[str]) -> Signals:
    """Read signals from a file.

    Parameters
    ----------
    path : str or path
        A storage of OpenSim (.sto or .mot, with the header of any version, or that of SIMM), or a
        .csv file: a row of names, as ``biceps [mV]`` or ``biceps (mV)``, with a unit or without,
        and rows of numbers with decimal points, separated by commas, semicolons or tabs; # starts a
        comment before the names. The first column is time, in s, or in ms if declared.

    Returns
    -------
    signals : Signals
        All columns but time, unconverted.

    Raises
    ------
    ModelError
        If the file cannot be read, is inconsistent with its header, has missing, surplus or
        nonfinite values, duplicate names or times that do not increase.

    Examples
    --------
    >>> import fibermsk as fm
    >>> signals = fm.read_signals("walk.sto")  # doctest: +SKIP
    >>> activations = {"biceps": signals.activation("BIClong")}  # doctest: +SKIP
    >>> model = fm.with_activations(model, activations)  # doctest: +SKIP
    """
    file = path_of(path, "read_signals: path")
    owner = f"signal file {str(file)!r}"
    ending = file.suffix.lower()
    if ending not in (".csv", ".mot", ".sto"):
        _check.refuse(
            owner, "extension", file.suffix or "none", "be one of .csv, .mot, .sto",
            remedy="export the file as one of them",
        )  # fmt: skip
    lines = lines_of(owner, file)
    if ending == ".csv":
        return _table(owner, file.stem, lines)
    return _storage(owner, file.stem, lines, old_in_degrees=ending == ".mot")


def _storage(owner: str, stem: str, lines: list[str], *, old_in_degrees: bool) -> Signals:
    """Signals of a .sto or .mot file; those without a version may be in degrees by default."""
    header, end = storage_header(owner, lines)
    kind, line = header.get("datatype", ("double", 0))
    if kind.lower() != "double":
        raise ModelError(
            f"{owner}, line {line}: DataType={kind[:40]}; must be double: vectors and rotations "
            "are not supported, split them into columns (OpenSim: TimeSeriesTable.flatten); "
            "fm.read_motion reads quaternions"
        )
    start = next((k for k in range(end + 1, len(lines)) if lines[k].strip()), None)
    if start is None:
        raise ModelError(f"{owner}: has no names of columns after endheader on line {end + 1}")
    rows = [k for k in range(start + 1, len(lines)) if lines[k].strip()]
    names = [name.strip() for name in lines[start].strip().split("\t")]
    if rows and len(names) != len(lines[rows[0]].split()):
        names = lines[start].split()
    check_columns(owner, names, start + 1)
    _check_said(owner, header, ("nColumns", "nc", "datacolumns"), len(names), "columns")
    time, values = _numbers(owner, names, start + 1, ((k + 1, lines[k].split()) for k in rows))
    _check_said(owner, header, ("nRows", "nr", "datarows"), time.size, "rows")
    unsaid = "yes" if old_in_degrees and "version" not in header else "no"
    degrees, line = header.get("indegrees", (unsaid, 0))
    if degrees.lower() not in ("yes", "y", "no", "n"):
        raise ModelError(f"{owner}, line {line}: inDegrees={degrees[:40]}; must be yes or no")
    name = header.get("name", ("", 0))[0] or stem
    return Signals(
        name, time, values, in_degrees=degrees.lower() in ("yes", "y"),
        degrees_said="indegrees" in header,
    )  # fmt: skip


def _check_said(
    owner: str, header: dict[str, tuple[str, int]], keys: tuple[str, ...], found: int, what: str
) -> None:
    """Refuse a file whose number of rows or columns differs from its header."""
    for key in keys:
        said, line = header.get(key.lower(), (str(found), 0))
        if not re.fullmatch(r"\d{1,18}", said, re.ASCII) or int(said) != found:
            raise ModelError(
                f"{owner}, line {line}: declares {key} = {said[:40]}, found {found} {what}; "
                "the file is truncated or was edited, export it again or correct its header"
            )


def _table(owner: str, stem: str, lines: list[str]) -> Signals:
    """Signals of a .csv file."""
    start = next(
        (k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")),
        None,
    )
    if start is None:
        raise ModelError(f"{owner}: has only comments; must have a row of names")
    split = max(",;\t", key=lines[start].count)
    rows = _cells(owner, lines[start:], split, start)
    line, heads = next(rows)
    while len(heads) > 1 and not heads[-1]:
        heads.pop()  # surplus separators, as written by spreadsheets
    names, units = split_heads(heads)
    check_columns(owner, names, line)
    if units[0] not in _SECONDS:
        raise ModelError(f"{owner}, line {line}: time in {units[0]!r}; must be in s or ms")
    rows = _plain_rows(owner, rows, len(names), commas=split != ",")
    time, values = _numbers(owner, names, line, rows)
    said = dict(zip(names[1:], units[1:], strict=True))
    return Signals(stem, time * _SECONDS[units[0]], values, said)


def _cells(
    owner: str, lines: list[str], split: str, skipped: int
) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each nonblank row of a table."""
    reader = csv.reader(lines, delimiter=split, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield skipped + reader.line_num, cells
    except csv.Error as error:
        raise ModelError(
            f"{owner}, line {skipped + reader.line_num}: cannot be read: {error}"
        ) from None


def _plain_rows(
    owner: str, rows: Iterator[tuple[int, list[str]]], n: int, *, commas: bool
) -> Iterator[tuple[int, list[str]]]:
    """Rows without surplus separators; recognizable decimal commas are refused."""
    for line, row in rows:
        while len(row) > n and not row[-1]:
            row.pop()
        wrong = [cell for cell in row if commas and _DECIMAL_COMMA.fullmatch(cell)]
        if wrong:
            raise ModelError(
                f"{owner}, line {line}: {wrong[0][:40]!r} has a decimal comma; must have a decimal "
                "point, export the file with points"
            )
        yield line, row


def _numbers(
    owner: str, names: list[str], named: int, rows: Iterable[tuple[int, list[str]]]
) -> tuple[Array, dict[str, Array]]:
    """Times, and the values of the other columns, whose names are on line `named`."""
    lines, flat = array("q"), array("d")
    for line, row in rows:
        if len(row) != len(names):
            raise ModelError(
                f"{owner}, line {line}: has {len(row)} values; must have {len(names)}, one for "
                f"each name on line {named}"
            )
        try:
            numbers = list(map(float, row))
        except ValueError:
            numbers = [math.nan]
        # float also accepts nan, 1_000 and digits of all scripts
        if not _FIGURES.fullmatch("".join(row)) or not all(map(math.isfinite, numbers)):
            name, word = next(
                (name, word)
                for name, word in zip(names, row, strict=True)
                if not _NUMBER.fullmatch(word) or not math.isfinite(float(word))
            )
            raise ModelError(
                f"{owner}, line {line}: {name[:80]} = {word[:40]!r}; must be a finite number; cut "
                "or fill gaps first"
            )
        lines.append(line)
        flat.extend(numbers)
    if not lines:
        raise ModelError(f"{owner}: has no rows of numbers after line {named}")
    table = np.array(flat).reshape(len(lines), len(names))
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0.0)
    if late.size:
        k = int(late[0]) + 1
        raise ModelError(
            f"{owner}, line {lines[k]}: time = {table[k, 0]:g} after {table[k - 1, 0]:g}; must "
            "increase"
        )
    return table[:, 0].copy(), {name: table[:, j].copy() for j, name in enumerate(names) if j}
