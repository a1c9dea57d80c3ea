"""Restrict a system to one thread at a time: it caches its last evaluation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from fibermsk.errors import ModelError

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Guard:
    """Reentrant lock of a system, whose name in messages is `owner`; `uses` counts its uses."""

    def __init__(self, owner: str) -> None:
        self._owner, self._lock, self.uses = owner, threading.RLock(), 0

    def enter(self) -> None:
        """Begin a use; the same thread may enter again, another one is refused."""
        if not self._lock.acquire(blocking=False):
            raise ModelError(
                f"{self._owner} is in use by another thread; must be used by one thread at a time; "
                "build a system for each thread, or give each a copy.deepcopy of it"
            )
        self.uses += 1

    def leave(self) -> None:
        """End a use."""
        self._lock.release()


def guarded(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function or method of a system to run in one thread at a time.

    Systems without a `guard` are not locked.
    """

    @wraps(function)
    def call(*arguments: _P.args, **options: _P.kwargs) -> _R:
        guard: Any = getattr(arguments[0], "guard", None) if arguments else None
        if guard is None:
            return function(*arguments, **options)
        guard.enter()
        try:
            return function(*arguments, **options)
        finally:
            guard.leave()

    return call
