"""Order in which several processes compile functions: callees first, long chains first."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from threading import Condition

from fibermsk.ahead.listed import Listed


class Schedule:
    """Functions to be compiled, given out one at a time; safe for threads.

    Attributes
    ----------
    total : int
        Number of functions.
    done : int
        How many of them are done.
    """

    def __init__(self, functions: Sequence[Listed]) -> None:
        self.total, self.done = len(functions), 0
        self._functions = functions
        place = {id(one): number for number, one in enumerate(functions)}
        self._callers: list[list[int]] = [[] for _ in functions]
        self._waits = [0] * len(functions)
        for number, one in enumerate(functions):
            for callee in {place[id(c)] for c in one.callees if id(c) in place}:
                self._callers[callee].append(number)
                self._waits[number] += 1
        self._height = [1] * len(functions)
        for number in range(len(functions) - 1, -1, -1):
            above = [self._height[caller] for caller in self._callers[number]]
            self._height[number] = 1 + max(above, default=0)
        self._ready = [self._rank(k) for k, waits in enumerate(self._waits) if not waits]
        heapq.heapify(self._ready)
        self._taken: set[int] = set()
        self._stopped = False
        self._changed = Condition()

    def _rank(self, number: int) -> tuple[int, int]:
        return -self._height[number], number

    def take(self, patience: float) -> Listed | None:
        """A function whose callees are done, waiting for it for some seconds; else None."""
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self.is_over, patience)
            if self._stopped or not self._ready:
                return None
            number = heapq.heappop(self._ready)[1]
            self._taken.add(number)
            return self._functions[number]

    def finish(self, one: Listed) -> None:
        """Mark a function as done, compiled or not: its callers can be taken."""
        with self._changed:
            number = self._number(one)
            self._taken.discard(number)
            self.done += 1
            for caller in self._callers[number]:
                self._waits[caller] -= 1
                if not self._waits[caller]:
                    heapq.heappush(self._ready, self._rank(caller))
            self._changed.notify_all()

    def give_back(self, one: Listed) -> None:
        """Leave a function that was taken to others."""
        with self._changed:
            number = self._number(one)
            self._taken.discard(number)
            heapq.heappush(self._ready, self._rank(number))
            self._changed.notify_all()

    def stop(self) -> None:
        """Give out nothing more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be taken, now or later."""
        return self._stopped or self.done == self.total

    def _number(self, one: Listed) -> int:
        return next(k for k in self._taken if self._functions[k] is one)
