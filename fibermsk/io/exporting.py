"""Export of results to ParaView, OpenSim and spreadsheets."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.files import check_writable, path_of
from fibermsk.io.csv import csv_writers
from fibermsk.io.sto import sto_writers
from fibermsk.io.vtkhdf import vtkhdf_writers
from fibermsk.rescue import write_all
from fibermsk.results.result import Result

Report: TypeAlias = Callable[[Path, float], None]

_WRITERS = {"vtkhdf": vtkhdf_writers, "sto": sto_writers, "csv": csv_writers}

FORMATS = tuple(_WRITERS)
"""Names of the formats, which are the file extensions."""


def check_export(path: str | os.PathLike[str], to: str | None = None) -> tuple[Path, str]:
    """Check path and format of an `export`, before a result is read; return both."""
    path = path_of(path, "export: path")
    known = ", ".join(FORMATS)
    ending = path.suffix.lower().removeprefix(".")
    if to is None:
        if ending not in FORMATS:
            raise ModelError(f"cannot export to {path}: the extension must be one of: {known}")
        to = ending
    if not isinstance(to, str) or to not in FORMATS:
        shown = repr(to) if isinstance(to, str) else type(to).__name__
        raise ModelError(f"cannot export to {shown}: the format must be one of: {known}")
    if ending != to:
        raise ModelError(
            f"cannot export to {path}: extension is {path.suffix or 'missing'}; must be .{to} for "
            f"this format, such as {path.with_suffix(f'.{to}')}"
        )
    check_writable(path)
    return path, to


def export(
    result: Result,
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    report: Report | None = None,
) -> tuple[Path, ...]:
    """Export a result for other programs to several files, named after their contents.

    Parameters
    ----------
    result : Result
        Result of a complete, failed or interrupted run; every file contains its status.
    path : path
        Base name of the files: ``run.csv`` stands for ``run_time.csv``, ``run_fibers.csv`` and so
        on. The folder is created; existing files of these names are replaced.
    to : {"vtkhdf", "sto", "csv"}, optional
        Format; by default from the extension of ``path``.

        ``"vtkhdf"``, for ParaView 5.12 and later: ``_fibers``, polylines with the fields along the
        fibers; ``_bones``, triangles that move; ``_attachments``, points with the force on the
        bodies. Each contains all times.

        ``"sto"``, for OpenSim 4: ``_coordinates``, ``_speeds``, ``_activations``, ``_forces`` (mean
        axial force along each fiber), ``_lengths`` and ``_attachments``, where ``NAME_vx`` to
        ``NAME_vz`` are the force on the body and ``NAME_px`` to ``NAME_pz`` its point of
        application, as in OpenSim's external loads. Angles in radians.

        ``"csv"``: ``_time``, a row for each frame, and the long tables ``_fibers``, ``_nodes`` and
        ``_bodies`` of `Result.to_dataframe`, units in brackets in the row of names.
    report : callable, optional
        Called with each file and its written fraction, between 0 and 1.

    Returns
    -------
    files : tuple of pathlib.Path
        Files written; empty ones are omitted.

    Raises
    ------
    ModelError
        If the format is unknown or does not match the extension, the result has no frame or no data
        for the format, or a file cannot be written.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.export(fm.load("arm.h5"), "for_paraview/arm.vtkhdf")  # doctest: +SKIP
    """
    _check.function("export", "report", report)
    path, to = check_export(path, to)
    if not isinstance(result, Result):
        _check.refuse("export", "result", result, "be a Result, such as fm.load returns")
    if result.time.size == 0:
        raise ModelError(f"the result of {result.scene!r} has no frame; must have one or more")
    writers = _WRITERS[to](result)
    if not writers:
        raise ModelError(f"the result of {result.scene!r} has no data for a .{to} file")
    files = {what: path.with_name(f"{path.stem}_{what}{path.suffix}") for what in writers}
    for file in files.values():
        check_writable(file)

    def write(what: str, file: Path, beside: Path) -> None:
        writers[what](beside, lambda part: report and report(file, part))

    write_all({file: partial(write, what, file) for what, file in files.items()})
    return tuple(files.values())
