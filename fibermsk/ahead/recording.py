"""Functions that are compiled in a block, as a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event
from numba.core.targetconfig import ConfigStack

from fibermsk.ahead.listed import Needs, find
from fibermsk.ahead.types import Names, UnknownType


class _Recorder(event.Listener):
    def __init__(self) -> None:
        self.names = Names()
        self.lines: list[str] = []
        self._counting: list[bool] = []

    def on_start(self, event: Any) -> None:
        outer = ConfigStack.top_or_none()
        self._counting.append(outer is None or not outer.is_set("nrt") or outer.nrt)

    def on_end(self, event: Any) -> None:
        counting = self._counting.pop()
        dispatcher = event.data["dispatcher"]
        function = dispatcher.py_func
        if not function.__module__.startswith("fibermsk.") or "<" in function.__qualname__:
            return
        own = "_nrt" in getattr(dispatcher, "made_with", {})
        try:
            kinds = " ".join(map(self.names.text, event.data["args"]))
        except UnknownType:
            return
        mark = "" if counting or own else "-"
        self.lines.append(f"{mark}{function.__module__}.{function.__qualname__} {kinds}")


class Recorded:
    """What was compiled."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def needs(self, kinds: Iterable[str]) -> Needs:
        """The list, for models with such kinds of parts."""
        recorder = self._recorder
        all_ = Needs(frozenset(kinds), dict(recorder.names.defined), tuple(recorder.lines))
        # without functions that kernels compile a copy of, such as laws
        kept = {one.key.partition(" ")[2] for one in find(all_)[0]}
        return all_._replace(lines=tuple(line for line in all_.lines if line in kept))


@contextmanager
def recording() -> Iterator[Recorded]:
    """Record the functions of the package that are compiled in the block, callees first."""
    recorder = _Recorder()
    with event.install_listener("numba:compile", recorder):
        yield Recorded(recorder)
