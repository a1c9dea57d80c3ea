"""Results for other programs: ParaView, OpenSim, spreadsheets."""

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

__all__ = ["FORMATS", "check_export", "export"]

Report: TypeAlias = Callable[[Path, float], None]

_WRITERS = {"vtkhdf": vtkhdf_writers, "sto": sto_writers, "csv": csv_writers}

FORMATS = tuple(_WRITERS)
"""Names of the formats, and endings of their files."""


def check_export(path: str | os.PathLike[str], to: str | None = None) -> tuple[Path, str]:
    """Path and format of an export, checked before a result is read.

    Parameters
    ----------
    path : path
        As `export` takes it.
    to : str, optional
        As `export` takes it.

    Returns
    -------
    path : pathlib.Path
        The same path.
    to : str
        One of `FORMATS`.

    Raises
    ------
    ModelError
        If the format is unknown, the ending is not that of the format, or nothing can be written.
    """
    path = path_of(path, "export: path")
    known = ", ".join(FORMATS)
    ending = path.suffix.lower().removeprefix(".")
    if to is None:
        if ending not in FORMATS:
            raise ModelError(f"cannot export to {path}: the ending must be one of: {known}")
        to = ending
    if not isinstance(to, str) or to not in FORMATS:
        shown = repr(to) if isinstance(to, str) else type(to).__name__
        raise ModelError(f"cannot export to {shown}: the format must be one of: {known}")
    if ending != to:
        raise ModelError(
            f"cannot export to {path}: its ending is {path.suffix or 'missing'}; must be .{to} for "
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
    """Write a result for other programs; several files, named by what they hold.

    Parameters
    ----------
    result : Result
        A complete, failed or interrupted run; every file tells its status.
    path : path
        Names the files: ``run.csv`` stands for ``run_time.csv``, ``run_fibers.csv`` and so on. The
        folder is made; files already there under these names are replaced, others left alone.
    to : {"vtkhdf", "sto", "csv"}, optional
        The format; by default that of the ending of ``path``.

        ``"vtkhdf"``, for ParaView 5.12 and later: ``_fibers``, polylines with the fields along
        the fibers; ``_bones``, triangles that move; ``_attachments``, points with the force on the
        bodies. Each holds all times.

        ``"sto"``, for OpenSim 4: ``_coordinates``, ``_speeds``, ``_activations``, ``_forces``
        (mean axial force along each fiber), ``_lengths`` and ``_attachments``, where ``NAME_vx`` to
        ``NAME_vz`` are the force on the body and ``NAME_px`` to ``NAME_pz`` where it acts, as
        OpenSim's external loads have them. Angles in radians.

        ``"csv"``: ``_time``, a row for each frame, and the long tables ``_fibers``, ``_nodes`` and
        ``_bodies`` of `Result.to_dataframe`, units in brackets in the row of names.
    report : callable, optional
        Called with each file and the part of it that is written, between 0 and 1.

    Returns
    -------
    files : tuple of pathlib.Path
        The files written; what a result does not have makes no file.

    Raises
    ------
    ModelError
        If the format is unknown or does not fit the ending, the result holds no frame or nothing to
        write, or a file cannot be written.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.export(fm.load("arm.h5"), "for_paraview/arm.vtkhdf")  # doctest: +SKIP
    """
    _check.function("export", "report", report)
    path, to = check_export(path, to)
    if not isinstance(result, Result):
        _check.refuse("export", "result", result, "be a Result, as fm.load gives it")
    if result.time.size == 0:
        raise ModelError(
            f"the result of {result.scene!r} holds no frame; there is nothing to write"
        )
    writers = _WRITERS[to](result)
    if not writers:
        raise ModelError(f"the result of {result.scene!r} holds nothing that a .{to} file can tell")
    files = {what: path.with_name(f"{path.stem}_{what}{path.suffix}") for what in writers}
    for file in files.values():
        check_writable(file)

    def write(what: str, file: Path, beside: Path) -> None:
        writers[what](beside, lambda part: report and report(file, part))

    write_all({file: partial(write, what, file) for what, file in files.items()})
    return tuple(files.values())
