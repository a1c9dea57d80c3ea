"""Progress of a run or movie on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from fibermsk.results.progress import Progress

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_PICTURES = 3.0
"""For movies, which take seconds."""

_TIME = 7
"""Letters of a time."""
_FIRST, _MANY = 50, 3000
"""Steps are short if this many more are needed to the end, after the first ones, which grow."""
_WIDE, _LONG, _SHORT, _LEAST = 100, 58, 34, 10
"""Letters of a wide line, of the words in it and in others, and of a bar."""


@dataclass(frozen=True)
class Counted:
    """Progress of a movie or a study."""

    done: int
    total: int
    what: str  # "picture" or "point"
    note: str = ""
    message: str = ""

    @property
    def fraction(self) -> float:
        """Fraction that is done, between 0 and 1."""
        return self.done / self.total


def progress_report(title: str, *, quiet: bool) -> AbstractContextManager[Any]:
    """Context that yields a function to call with each ``Progress``, or ``Counted``.

    A bar on a terminal, else a line every ten seconds, for movies every three; nothing if quiet.
    """
    if quiet:
        return nullcontext(lambda progress: None)
    return _bar(title) if sys.stderr.isatty() else nullcontext(_Lines(title))


@contextlib.contextmanager
def _bar(title: str) -> Iterator[Callable[[Progress | Counted], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress as Bars,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    console = Console(stderr=True)
    title_width, bar_width, words_width = widths(console.width, len(title))

    def text(what: str, width: int) -> TextColumn:
        column = Column(no_wrap=True, min_width=width, max_width=width, overflow="ellipsis")
        return TextColumn(what, table_column=column, markup=False)

    with Bars(
        text("{task.description}", title_width),
        BarColumn(bar_width),
        text("{task.fields[now]}", words_width),
        TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=_TIME)),
        text("left", 4),
        TimeRemainingColumn(table_column=Column(no_wrap=True, min_width=_TIME)),
        console=console,
    ) as bars:
        task = bars.add_task(title, total=1.0, now="starting")
        last, short = 0.0, _ShortSteps()

        def tell(progress: Progress | Counted) -> None:
            nonlocal last
            if progress.fraction < last:  # of another task, with a time of its own
                bars.reset(task, total=1.0)
            last = progress.fraction
            words = _words(progress)
            if len(words) > words_width:
                words = _words(progress, short=True)
            bars.update(task, completed=last, now=words)
            if said := short.reason(progress):
                bars.print(f"{title}: {said}", markup=False, highlight=False)

        yield tell


def widths(whole: int, title: int) -> tuple[int, int, int]:
    """Letters of the title, the bar and the words of a line that is `whole` wide."""
    room = whole - 2 * _TIME - len("left") - 5  # what is between columns
    words = max(min(_LONG if whole >= _WIDE else _SHORT, room - _LEAST - 8), 1)
    title = max(min(title, room - words - _LEAST), 1)
    return title, max(min(room - words - title, 40), 1), words


class _ShortSteps:
    """Reasons why the steps of a run are short, each told once."""

    def __init__(self) -> None:
        self._told = set[str]()

    def reason(self, progress: Progress | Counted) -> str:
        """What is to be told now, or nothing."""
        if not (isinstance(progress, Progress) and progress.obstacle):
            return ""
        first = progress.obstacle.partition(";")[0]  # what follows are numbers
        left = progress.duration - progress.time
        if left < _MANY * progress.step_size or progress.step < _FIRST or first in self._told:
            return ""
        self._told.add(first)
        many = float(f"{left / progress.step_size:.2g}")
        return (
            f"at t = {progress.time:.4g} s steps are {progress.step_size:.2g} s, "
            f"{many:,.0f} of them to the end, since longer ones do not succeed: {progress.obstacle}"
        )


class _Lines:
    def __init__(self, title: str) -> None:
        self._title = title
        self._short = _ShortSteps()
        self._last = time.monotonic()
        self._first: tuple[float, float] | None = None
        self._message = ""

    def __call__(self, progress: Progress | Counted) -> None:
        now = time.monotonic()
        if progress.message:
            if progress.message != self._message:
                self._last = now
                _print(f"{self._title}: {progress.message}")
            elif _part(progress) and now - self._last >= _SECONDS_BETWEEN_LINES:
                self._last = now
                _print(f"{self._title}: {_words(progress)}")
            self._message = progress.message
            return
        if said := self._short.reason(progress):
            _print(f"{self._title}: {said}")
        # the first step may include compilation, so that the rate is measured after it
        if self._first is None:
            self._first = (now, progress.fraction)
        pause = _SECONDS_BETWEEN_LINES
        if isinstance(progress, Counted) and progress.what == "picture":
            pause = 0.0 if progress.done == 0 else _SECONDS_BETWEEN_PICTURES
        if now - self._last < pause:
            return
        self._last = now
        line = f"{self._title}: {_words(progress)}"
        began, done = self._first
        if progress.fraction > done:
            left = (now - began) * (1.0 - progress.fraction) / (progress.fraction - done)
            line += f", about {left:.0f} s left"
        _print(line)


def _print(line: str) -> None:
    """Print on standard error, ignoring a full disk."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def _part(progress: Progress | Counted) -> str:
    return progress.part if isinstance(progress, Progress) else ""


def _words(progress: Progress | Counted, *, short: bool = False) -> str:
    if progress.message:
        return ", ".join(filter(None, (progress.message, _part(progress))))
    if isinstance(progress, Counted):
        return f"{progress.what} {progress.done} of {progress.total}{progress.note}"
    words = f"t = {progress.time:.3f} of {progress.duration:g} s, step {progress.step}"
    return words if short else f"{words}, {progress.newton_iterations} Newton iterations"
