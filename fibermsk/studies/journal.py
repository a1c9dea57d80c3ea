"""Points of a study that are computed, in a file that survives the end of the program at any time.

A database of SQLite, to which each point is added as a whole.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from fibermsk.errors import ModelError, WriteError
from fibermsk.studies.outputs import Kept
from fibermsk.studies.task import Record

ENDING = ".points"
"""Of the file beside that of the dataset."""


class Journal:
    """Records of points by number.

    Parameters
    ----------
    path : path
        The file; made if there is none.
    about : dict
        What identifies the study, of JSON types.

    Raises
    ------
    ModelError
        If the file is of another study, or is none of a study.
    """

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self._path = path
        text = json.dumps(about, sort_keys=True)
        try:
            self._base = sqlite3.connect(path, timeout=1.0)
        except sqlite3.Error as error:
            raise ModelError(f"{path}: {error}; must be a file that can be written") from error
        try:
            # one study at a time
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            with self._base:
                self._base.execute("BEGIN EXCLUSIVE")
                self._base.execute("CREATE TABLE IF NOT EXISTS study (about TEXT)")
                self._base.execute(
                    "CREATE TABLE IF NOT EXISTS point (number INTEGER PRIMARY KEY, status TEXT, "
                    "message TEXT, seconds REAL, fields TEXT, arrays BLOB)"
                )
                known = self._base.execute("SELECT about FROM study").fetchone()
                if known is None:
                    self._base.execute("INSERT INTO study VALUES (?)", (text,))
        except sqlite3.OperationalError as error:
            self.close()
            raise ModelError(
                f"{path}: {error}; must be free: does another study write to it?"
            ) from error
        except sqlite3.Error as error:
            self.close()
            raise ModelError(
                f"{path}: {error}; must be a file of this study, or not be there: remove it, or "
                "name another one with out"
            ) from error
        if known is not None and known[0] != text:
            self.close()
            changed = differing(json.loads(known[0]), about)
            raise ModelError(
                f"{path} holds points of another study: its {changed} differ; must be the same to "
                "go on: remove the file, or name another one with out"
            )

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def done(self) -> dict[int, str]:
        """Status of all points that are recorded, by number."""
        return dict(self._base.execute("SELECT number, status FROM point"))

    def add(self, record: Record) -> None:
        """Record a point; it is on the disk then."""
        arrays = io.BytesIO()
        np.savez(arrays, allow_pickle=False, **{
            f"a{k}": np.asarray(one.values) for k, one in enumerate(record.kept.values())
        })  # fmt: skip
        fields = json.dumps([(name, one.unit, one.dim) for name, one in record.kept.items()])
        row = (*record[:4], fields, arrays.getvalue())
        try:
            with self._base:
                self._base.execute("INSERT OR REPLACE INTO point VALUES (?,?,?,?,?,?)", row)
        except sqlite3.Error as error:
            raise WriteError(f"cannot write {self._path}: {error}") from error

    def records(self) -> Iterator[Record]:
        """All records, one after another, by number."""
        rows = self._base.execute("SELECT * FROM point ORDER BY number")
        for number, status, message, seconds, fields, blob in rows:
            with np.load(io.BytesIO(blob), allow_pickle=False) as arrays:
                kept = {
                    name: Kept(arrays[f"a{k}"], unit, dim)
                    for k, (name, unit, dim) in enumerate(json.loads(fields))
                }
            yield Record(number, status, message, seconds, kept)


def differing(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Names of entries that differ."""
    names = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    return ", ".join(names)
