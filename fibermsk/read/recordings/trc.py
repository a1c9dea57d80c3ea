"""Positions of markers from .trc files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn

import numpy as np

from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.read.lines import lines_of
from fibermsk.read.recordings.markers import Markers
from fibermsk.rescue import write_whole

_METERS = {"mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "m": 1.0}
_LONG = {"millimeters": "mm", "centimeters": "cm", "meters": "m"}
_FIGURES = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MISSING = ("", "nan")


def write_trc(markers: Markers, file: Path) -> None:
    """Write markers to a .trc file, in mm, whole or not at all; missing ones are empty cells."""
    n, names = markers.time.size, markers.names
    steps = np.diff(markers.time)
    rate = markers.rate if markers.rate is not None else 1.0 / float(np.mean(steps)) if n > 1 else 1
    head = {
        "DataRate": f"{rate:g}", "CameraRate": f"{rate:g}", "NumFrames": n,
        "NumMarkers": len(names), "Units": "mm", "OrigDataRate": f"{rate:g}",
        "OrigDataStartFrame": 1, "OrigNumFrames": n,
    }  # fmt: skip
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{file.name}",
        "\t".join(head),
        "\t".join(map(str, head.values())),
        "\t".join(["Frame#", "Time", *(cell for name in names for cell in (name, "", ""))]),
        "\t".join(["", "", *(f"{axis}{k}" for k in range(1, len(names) + 1) for axis in "XYZ")]),
        "",
    ]
    columns = [1e3 * one for one in markers.positions.values()]
    for k, t in enumerate(markers.time.tolist()):
        cells = [str(k + 1), repr(t)]
        for one in columns:
            cells += ["", "", ""] if np.isnan(one[k, 0]) else map(repr, one[k].tolist())
        if not cells[-1]:
            cells.append("")  # other readers miss a last empty cell
        lines.append("\t".join(cells))
    text = "\n".join(lines) + "\n"
    write_whole(file, lambda beside: beside.write_text(text, encoding="utf-8"))


def read_trc(file: Path) -> Markers:
    """Markers of a .trc file; errors as of `read_motion`."""
    return _Trc(file).markers()


class _Trc:
    """Header and rows of one file."""

    def __init__(self, file: Path) -> None:
        self._owner, self._stem = f"marker file {str(file)!r}", file.stem
        self._lines = lines_of(self._owner, file)
        if not self._lines[0].lower().startswith("pathfiletype"):
            self._fail(0, "begins otherwise", "must begin with PathFileType, as a .trc file")
        if len(self._lines) < 6:
            self._fail(len(self._lines) - 1, "ends here", "must have a header and rows of numbers")
        keys, words = (self._lines[k].split() for k in (1, 2))
        if len(words) < len(keys):
            self._fail(2, f"has {len(words)} values", f"must have {len(keys)}, one for each key")
        self._said = {key.lower(): word for key, word in zip(keys, words, strict=False)}
        self._names = self._read_names()

    def markers(self) -> Markers:
        """All markers, in m."""
        unit = self._said.get("units", "mm").lower()
        unit = _LONG.get(unit, unit)
        if unit not in _METERS:
            self._fail(2, f"Units = {unit[:40]!r}", f"must be one of {', '.join(_METERS)}")
        rows = [k for k in range(5, len(self._lines)) if self._lines[k].strip()]
        if not rows:
            self._fail(len(self._lines) - 1, "ends here", "must have rows of numbers")
        self._check_said("NumFrames", len(rows), "rows")
        table = np.array([self._row(k) for k in rows])
        time = table[:, 0]
        late = np.flatnonzero(np.diff(time) <= 0.0)
        if late.size:
            k = int(late[0]) + 1
            self._fail(rows[k], f"time = {time[k]:g} after {time[k - 1]:g}", "must increase")
        points = _METERS[unit] * table[:, 1:].reshape(len(rows), -1, 3)
        self._miss_origins(points)
        rate = self._rate()
        positions = {name: points[:, j] for j, name in enumerate(self._names)}
        return Markers(self._stem, time, positions, rate=rate, units=unit)

    def _read_names(self) -> list[str]:
        """Names of the markers, every third cell from the third on."""
        cells = self._lines[3].split("\t")
        if len(cells) < 3 or not cells[1].strip().lower().startswith("time"):
            must = "must have Frame#, Time and the names of markers, separated by tabs"
            self._fail(3, "names no markers", must)
        names = [cell.strip() for cell in cells[2::3]]
        while names and not names[-1]:
            names.pop()
        seen = set[str]()
        for k, name in enumerate(names, 1):
            if not name:
                self._fail(3, f"marker {k} has no name", "must be named")
            if name in seen:
                self._fail(3, f"{name[:80]!r} is named twice", "must be unique, rename one")
            seen.add(name)
        self._check_said("NumMarkers", len(names), "names")
        if not names:
            self._fail(3, "names no markers", "must name one or more")
        if not self._lines[4].strip().upper().startswith("X1"):
            self._fail(4, "names no axes", "must be X1, Y1, Z1 and so on")
        return names

    def _row(self, k: int) -> list[float]:
        """Time, and the numbers of all markers; NaN where one is missing."""
        n = 2 + 3 * len(self._names)
        cells = [cell.strip() for cell in self._lines[k].split("\t")]
        if len(cells) != n:
            if len(cells) < n or any(cells[n:]):
                must = f"must have {n}, separated by tabs; a missing marker has three empty ones"
                self._fail(k, f"has {len(cells)} cells", must)
            cells = cells[:n]
        found = [self._number(k, "time", cells[1])]
        for j, name in enumerate(self._names):
            own = cells[2 + 3 * j : 5 + 3 * j]
            missing = [cell.lower() in _MISSING for cell in own]
            if all(missing):
                found += [np.nan] * 3
            elif any(missing):
                must = "must have three numbers, or none where it is missing"
                self._fail(k, f"marker {name[:80]!r} has {3 - sum(missing)} numbers", must)
            else:
                found += [self._number(k, name, cell) for cell in own]
        return found

    def _number(self, k: int, name: str, word: str) -> float:
        if not _FIGURES.fullmatch(word) or not abs(float(word)) <= 1e12:
            self._fail(k, f"{name[:80]} = {word[:40]!r}", "must be a number below 1e12")
        return float(word)

    def _miss_origins(self, points: np.ndarray) -> None:
        """Take markers that are exactly at the origin as missing, with a warning."""
        zero = (points == 0.0).all(axis=2)
        if not zero.any():
            return
        named = [
            f"{name} ({count})"
            for name, count in zip(self._names, zero.sum(axis=0).tolist(), strict=True) if count
        ]  # fmt: skip
        points[zero] = np.nan
        warn(
            f"{self._owner}: taken as missing, since they are exactly at the origin, as some "
            f"systems write it: {', '.join(named[:12])} (frames of each)",
            ModelWarning,
        )

    def _rate(self) -> float | None:
        """Rate of the data [Hz], if the file says one."""
        word = self._said.get("datarate", "")
        if not word:
            return None
        rate = self._number(2, "DataRate", word)
        if rate <= 0.0:
            self._fail(2, f"DataRate = {word}", "must be positive")
        return rate

    def _check_said(self, key: str, found: int, what: str) -> None:
        said = self._said.get(key.lower(), str(found))
        if not re.fullmatch(r"\d{1,9}", said, re.ASCII) or int(said) != found:
            must = "must agree: the file is truncated or was edited, export it again"
            self._fail(2, f"{key} = {said[:40]}, found {found} {what}", must)

    def _fail(self, k: int, problem: str, must: str) -> NoReturn:
        raise ModelError(f"{self._owner}, line {k + 1}: {problem}; {must}")
