"""A result file that a run writes itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from fibermsk import _check
from fibermsk.errors import WriteError
from fibermsk.files import check_writable, target_of
from fibermsk.io.hdf5 import load
from fibermsk.io.sealed import RESULT, write_sealed
from fibermsk.io.writing import write_result
from fibermsk.results import Result


class Run(Protocol):
    """A run that has ended; see `fibermsk.solvers.streaming.Run`."""

    @property
    def n_frames(self) -> int:
        """Number of its frames."""
        ...

    @property
    def is_complete(self) -> bool:
        """Whether it ended as intended."""
        ...

    def parts(self) -> Iterator[Result]:
        """Consecutive parts of the result; texts and values of the last are those of the whole."""
        ...


class ResultFile:
    """File that a run writes its result to, without a history in memory.

    Frames wait in a temporary file without a name, in the folder of the file, which vanishes with
    the process. When the run ends, complete or not, the result is written part by part to a second
    temporary file, which then takes the name. A run that is killed leaves its checkpoint, if it
    writes any.

    Parameters
    ----------
    path : path
        Path of the file; its folder is created, an existing file is replaced.
    scene : str
        Name stored in the result; that of the scene or the model if empty.
    parameters : dict, optional
        Parameters stored in the result, besides those of a scene.

    Examples
    --------
    >>> import fibermsk as fm
    >>> file = fm.ResultFile("long.h5")
    >>> result = fm.simulate(system, t_end=3600.0, dt=0.01, save=file)  # doctest: +SKIP
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        scene: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        _check.instance("ResultFile", "scene", scene, str, "a text")
        _check.instance("ResultFile", "parameters", parameters, (Mapping, type(None)), "a dict")
        self.path = check_writable(path)
        self.scene, self.parameters = scene, dict(parameters or {})

    def __repr__(self) -> str:
        return f"ResultFile({str(self.path)!r})"

    def begin(self) -> Path:
        """Folder for the frames during the run, after a check that the file can be written."""
        return target_of(check_writable(self.path)).parent

    def write(self, run: Run) -> Result:
        """Write the result of a run that has ended; return it as ``load(path, lazy=True)``.

        Raises
        ------
        WriteError
            If the file cannot be written; its ``again`` writes it to another path.
        """
        return self.write_to(run, self.path)

    def write_to(self, run: Run, path: str | os.PathLike[str]) -> Result:
        """As `write`, to another path."""
        try:
            write_sealed(
                path, RESULT, lambda file: write_result(file, self._labelled(run), run.n_frames)
            )
        except WriteError as error:
            error.again = lambda other: self.write_to(run, other)
            raise
        return load(path, lazy=True)

    def stats(self) -> dict[str, Any]:
        """Further entries of the stats of the result; none, except of a class of your own."""
        return {}

    def _labelled(self, run: Run) -> Iterator[Result]:
        for part in run.parts():
            yield replace(
                part,
                scene=self.scene or part.scene,
                parameters=part.parameters | self.parameters,
                stats=part.stats | self.stats(),
            )


class WholeRun:
    """A run whose result is in memory; satisfies `Run`."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self.n_frames, self.is_complete = result.time.size, result.is_complete

    def parts(self) -> Iterator[Result]:
        """The result."""
        yield self._result
