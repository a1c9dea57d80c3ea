"""Picture and movie that a run ends with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer

from fibermsk._extras import MP4, PICTURES, check_drawing
from fibermsk.errors import ModelError
from fibermsk.files import check_writable

if TYPE_CHECKING:
    from fibermsk.results import Result

_ENDINGS = {"picture": (".png",), "movie": (".mp4", ".gif")}


class Drawn(NamedTuple):
    """Files of the picture and the movie of a run, None for neither, and how they are drawn."""

    picture: Path | None = None
    movie: Path | None = None
    labels: bool = False
    envelope: bool = False

    def check(self) -> Drawn:
        """Refuse before the run what could not be drawn after it.

        Raises
        ------
        ModelError
            If a file has another ending or cannot be written, a package is not installed, or there
            is nothing to draw names or envelopes in.
        """
        if self.picture is None and self.movie is None:
            for option in self._looks():
                raise ModelError(
                    f"--{option} does not apply without --picture or --movie; leave it out"
                )
        for kind, endings in _ENDINGS.items():
            path = getattr(self, kind)
            if path is None:
                continue
            if path.suffix.lower() not in endings:
                raise ModelError(f"--{kind} {path}; must end with one of: {', '.join(endings)}")
            check_drawing(f"{path} after the run", PICTURES)
            check_writable(path)
        if self.movie is not None and self.movie.suffix.lower() == ".mp4":
            check_drawing(f"{self.movie} after the run", MP4)
            from fibermsk.view.pictures.movie_files import find_encoder

            find_encoder()
        return self

    def _looks(self) -> dict[str, Any]:
        """Options of the pictures that are asked for."""
        looks = {"labels": self.labels, "envelope": self.envelope}
        return {name: True for name, asked in looks.items() if asked}

    def draw(self, result: Result, quiet: bool) -> tuple[str, dict[str, Any]]:
        """Draw a complete run; the problem if there is one, and entries of the report."""
        if self == NOTHING:
            return "", {}
        from fibermsk import view
        from fibermsk.cli.running.progress import Counted, progress_report

        done: dict[str, Any] = dict.fromkeys(_ENDINGS)
        try:
            if self.picture is not None:
                view.screenshot(result, self.picture, time=farthest_time(result), **self._looks())
                done["picture"] = str(self.picture)
            if self.movie is not None:
                with progress_report(self.movie.name, quiet=quiet) as tell:

                    def progress(number: int, total: int) -> None:
                        tell(Counted(number, total, "picture"))

                    view.movie(result, self.movie, progress=progress, **self._looks())
                done["movie"] = str(self.movie)
        except ModelError as error:
            return f"the result is written, but not drawn: {error}", done
        if not quiet:
            typer.echo(f"  drawn in {' and '.join(filter(None, done.values()))}", err=True)
        return "", done


NOTHING = Drawn()


def farthest_time(result: Result) -> float:
    """Time of the frame that is farthest from the first one [s].

    By the sum of the changes of the coordinates, or without a motion of these by the largest way
    of a node of a fiber; without any motion the last time.
    """
    moved = np.zeros(result.time.size)
    for values in result.coordinates.values():
        moved += np.abs(values - values[0])
    if not moved.any():
        for fiber in result.fibers.values():
            way = np.linalg.norm(fiber.position - fiber.position[0], axis=-1)
            moved = np.maximum(moved, way.max(axis=-1))
    known = np.nan_to_num(moved)
    return float(result.time[np.argmax(known) if known.any() else -1])
