"""Candidate pairs of fibers, and their runs."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index, Short
from fibermsk._ranges import starts
from fibermsk.kernels.contact.pairs import color_pairs, find_touching, span_rows
from fibermsk.kernels.contact_arrays import PairGroups
from fibermsk.linalg.couplings import list_entries
from fibermsk.system.contact.broad_phase import FiberRuns
from fibermsk.system.fibers.cables import Cables


class RunsOfPairs(NamedTuple):
    """Runs of one formulation, sorted by pair."""

    start: Index  # where each pair's runs begin (n_pairs + 1,)
    runs: Short  # indices (n_runs,) of the runs


@dataclass(frozen=True)
class FiberPairs:
    """Pairs of fibers with common runs; the lower index comes first."""

    first: Index  # the fibers (n_pairs,), in increasing order
    second: Index
    # rows of the couplings, (n_pairs + 1,) and (n_pairs,); see `fibermsk.linalg.couplings`
    row_start: Index
    row_node: Index
    entries: tuple[Index, Index, Index]  # `entry_start`, `entry_middle` and `entries` there

    @classmethod
    def of(cls, runs: FiberRuns, cables: Cables) -> tuple[FiberPairs, Short]:
        """The pairs of some runs, and the pair of each run (n_runs,)."""
        n_fibers = len(cables.names)
        own, other = cables.fiber[runs.element], cables.fiber[runs.candidates[runs.start[:-1]]]
        keys = np.minimum(own, other) * n_fibers + np.maximum(own, other)
        keys, of_run = np.unique(keys, return_inverse=True)
        of_run = of_run.astype(np.int32)
        first, second = np.divmod(keys, max(n_fibers, 1))
        n_pairs = keys.size
        row_node, end = np.empty((2, n_pairs), np.int64)
        span_rows(cables.elements, cables.fiber, runs, of_run, first, row_node, end)
        entries = (
            np.empty(n_fibers + 1, np.int64),
            np.empty(n_fibers, np.int64),
            np.empty(2 * n_pairs, np.int64),
        )
        list_entries(first, second, np.arange(n_fibers), *entries)
        pairs = cls(
            first=first,
            second=second,
            row_start=starts(end - row_node),
            row_node=row_node,
            entries=entries,
        )
        return pairs, of_run

    def sort(self, of_run: Short) -> RunsOfPairs:
        """Runs sorted by pair, from the pair of each run (n_runs,)."""
        counts = np.bincount(of_run, minlength=self.first.size)
        runs = np.argsort(of_run, kind="stable").astype(np.int32)
        return RunsOfPairs(starts(counts), runs)


class TouchingPairs:
    """Pairs in contact, in groups without common fibers, for parallel tasks.

    The groups, and with them the order of all sums, depend only on which pairs touch; results do
    not depend on the candidates.

    Attributes
    ----------
    groups : PairGroups
        Pairs in contact, sorted by group, and where each group begins.
    """

    def __init__(self, pairs: FiberPairs) -> None:
        self._pairs = pairs
        n = pairs.first.size
        self._touches, self._before = np.zeros((2, n), bool)
        self._color, self._room = np.empty((2, n), np.int64)
        self.groups = PairGroups(np.zeros(0, np.int64), np.zeros(1, np.int64))

    def copy(self) -> TouchingPairs:
        """The same pairs in contact, updated apart."""
        own = copy(self)
        own._touches, own._before = self._touches.copy(), self._before.copy()
        own._color, own._room = np.empty((2, self._color.size), np.int64)
        return own

    def update(self, found: list[tuple[RunsOfPairs, Array]]) -> None:
        """Update from the least 1 + gamma g of the runs (n_runs,) of each formulation."""
        self._touches[:] = False
        for own, least in found:
            find_touching(own.start, own.runs, least, self._touches)
        if (self._touches != self._before).any():
            self.regroup()

    def regroup(self) -> None:
        """Make the groups of the pairs that touch."""
        self._before[:] = self._touches
        pairs = self._pairs
        n_colors = color_pairs(
            self._touches, pairs.first, pairs.second, pairs.entries[0], pairs.entries[2],
            self._room, self._color,
        )  # fmt: skip
        own = np.flatnonzero(self._touches)
        color = self._color[own]
        self.groups = PairGroups(
            own[np.argsort(color, kind="stable")],
            starts(np.bincount(color, minlength=n_colors)),
        )
