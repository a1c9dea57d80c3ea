"""Branches of paths: windings around cylinders, and the feet and the order of chains."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.lines.path_arrays import PathArrays, PathState
from fibermsk.kernels.lines.section import FOUND, UNSOLVED


class Branches:
    """Branches near which the paths of the next state are sought.

    Attributes
    ----------
    reference, held, feet, touches, rank
        See `fibermsk.kernels.lines.path_arrays.PathState`.
    """

    def __init__(self, arrays: PathArrays) -> None:
        self._arrays, n_slots = arrays, arrays.acts.size
        self.reference, self.held = np.zeros(n_slots), np.full(n_slots, -1)
        self.feet, self.touches = np.zeros((n_slots, 7)), np.full(n_slots, UNSOLVED, np.int64)
        self.rank = np.zeros(arrays.kind.size, np.int64)
        self._start_rank = self.rank.copy()

    def new_state(self) -> PathState:
        """Arrays of a state with these branches; its points are not placed."""
        arrays = self._arrays
        n, m, moving = arrays.link.size, arrays.kind.size, arrays.axis.shape
        return PathState(
            np.empty((n, 3)), np.empty(n, bool),
            np.empty(moving), np.empty(moving), np.empty(moving),
            np.empty((m, 3, 3)), np.empty((m, 3)), np.full(n, -1, np.int64), np.zeros(n),
            np.zeros((n, FOUND)), self.reference.copy(), np.zeros(self.reference.size, bool),
            self.held.copy(), self.feet.copy(), self.touches.copy(),
            np.zeros_like(self.feet), np.zeros_like(self.touches), self.rank.copy(),
            np.zeros(3, np.int64),
        )  # fmt: skip

    def start(self, state: PathState) -> None:
        """Begin with the windings and the orders of a state."""
        self.reference[:], self.rank[:] = state.reference, state.rank
        self._start_rank = state.rank.copy()

    def follow(self, state: PathState) -> None:
        """Follow a solution."""
        self.reference[:] = state.reference
        self.follow_chains(state)

    def follow_chains(self, state: PathState) -> None:
        """Follow the chains of a solution."""
        self.feet[:], self.touches[:], self.rank[:] = state.feet, state.touches, state.rank

    def memory(self) -> dict[str, Array]:
        """All that `restore` needs."""
        memory: dict[str, Array] = {"winding": self.reference.copy()}
        if (self.touches != UNSOLVED).any():
            memory |= {"feet": self.feet.copy(), "touches": self.touches.astype(float)}
            memory["order"] = self.rank.astype(float)
        return memory

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a `memory`."""
        self.reference[:] = memory["winding"]
        self.touches[:] = memory.get("touches", UNSOLVED)
        self.feet[:] = memory.get("feet", 0.0)
        self.rank[:] = memory.get("order", self._start_rank)
