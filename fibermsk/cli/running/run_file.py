"""The file that `fibermsk run` writes its result to, part by part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk.cli.running.interrupts import not_at_once
from fibermsk.cli.running.saving import Destination, persist
from fibermsk.errors import WriteError
from fibermsk.io import ResultFile, load
from fibermsk.results import Result


class RunFile(ResultFile):
    """File that a run writes its result to, or if it cannot be written another one.

    Parameters
    ----------
    path : Path
        Path of the file.
    more : callable
        Further entries of the stats of the result.
    overwrite : bool
        Whether an incomplete result may replace that of a complete run.

    Attributes
    ----------
    destination : Destination or None
        Where the result belongs; None before a run has ended here.
    """

    def __init__(
        self, path: Path, more: Callable[[], dict[str, Any]], overwrite: bool = False
    ) -> None:
        super().__init__(path)
        self._more, self._overwrite = more, overwrite
        self.destination: Destination | None = None
        self._place: Path | None = None
        self._problem = ""
        self._again: Callable[[Path], Result] | None = None

    def stats(self) -> dict[str, Any]:
        """Further entries of the stats."""
        return self._more()

    def write(self, run: Any) -> Result:
        """Write the result; if it is written nowhere, return its last frame."""
        with not_at_once(f"{self.path} is being written; another Ctrl-C loses the result"):
            return self._write(run)

    def _write(self, run: Any) -> Result:
        own = Destination.of(self.path, run.is_complete, run.n_frames, self._overwrite)
        self.destination, self._place = own, own.path
        self._problem, self._again = "", None
        if own.path is None:
            (whole,) = self._labelled(run)
            return whole
        try:
            return self.write_to(run, own.path)
        except WriteError as error:
            self._problem = str(error)
            if error.kept:
                self._place = error.kept[0]
                return load(self._place, lazy=True)
            self._place, self._again = None, error.again
        iterations, last = 0, None
        for part in self._labelled(run):
            iterations += int(part.newton_iterations.sum())
            last = part.at_frames(slice(-1, None))
        assert last is not None
        return replace(last, newton_iterations=np.array([iterations]))

    def settle(self) -> tuple[Path | None, str]:
        """Path of the written file, and the problem; the user is asked if it is nowhere.

        The path is None if nothing was written, and the problem empty if it is in its file.
        """
        if self._again is None:
            return self._place, self._problem
        assert self.destination is not None and self.destination.path is not None
        return persist(self._again, self.destination.path, self._problem)
