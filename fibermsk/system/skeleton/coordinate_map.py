"""Map from the generalized coordinates to the joint axes: the model's functions as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._ranges import starts
from fibermsk.kernels.skeleton import coordinate_map, frames
from fibermsk.kernels.skeleton.coordinate_map import MapArrays, Rows
from fibermsk.model.function import Function, Linear


@dataclass(frozen=True)
class CoordinateMap:
    """Rows as functions of a state q; see `fibermsk.kernels.skeleton.coordinate_map`."""

    n: int  # entries of q, the first rows
    arrays: MapArrays  # functions of all rows

    def evaluate(self, q: Array, p: Array, p_dot: Array, second: bool) -> Rows:
        """All rows; new arrays."""
        rows = self._begin(q, p, p_dot, second)
        coordinate_map.fill_rows(self.arrays, rows)
        return rows

    def evaluate_frames(self, q: Array, p: Array, p_dot: Array) -> Rows:
        """All rows of many states (k, n): all arrays have an axis for these first."""
        rows = self._begin(q, p, p_dot, False)
        frames.fill_rows_of_frames(self.arrays, rows)
        return rows

    def _begin(self, q: Array, p: Array, p_dot: Array, second: bool) -> Rows:
        """Rows of states (..., n), of which the first n are filled."""
        (m, width), n, of = self.arrays.support.shape, self.n, q.shape[:-1]
        x, x_dot, x_ddot = np.empty((*of, m)), np.empty((*of, m)), np.empty((*of, m))
        x[..., :n], x_dot[..., :n], x_ddot[..., :n] = q, p, p_dot
        J = np.zeros((*of, m, n))
        J[..., np.arange(n), np.arange(n)] = 1.0
        known = m if second else 0
        V, W = (np.zeros((*of, known, n)) for _ in range(2))
        H = np.zeros((*of, known, width, width))
        turns = np.empty((*of, self.arrays.turn_row.size, 3, 3))
        return Rows(x, x_dot, x_ddot, J, V, W, H, turns)

    def add_curvature(self, rows: Rows, first: int, weight: Array, out: Array) -> None:
        """Add the sum of weight_i d2x_i/dq2 over rows from the first on to out (n, n)."""
        coordinate_map.add_curvature(first, self.arrays.support, weight, rows.H, out)

    def columns(self, rows: Rows, first: int, columns: Array) -> Array:
        """Columns (..., m) of the rows from the first on, times J: (..., n)."""
        flat = np.ascontiguousarray(columns).reshape(-1, columns.shape[-1])
        out = np.zeros((flat.shape[0], self.n))
        coordinate_map.add_columns(first, self.arrays.support, rows.J, flat, out)
        return out.reshape(*columns.shape[:-1], self.n)

    def congruence(self, rows: Rows, first: int, M: Array) -> Array:
        """J^T M J of the rows from the first on, (n, n)."""
        out = np.zeros((self.n, self.n))
        coordinate_map.congruence(first, self.arrays.support, rows.J, M, out)
        return out

    def excess(self, q: Array, update: Array) -> Array:
        """Bound of the nonlinear part of rows during an update, (n_rows,)."""
        out = np.zeros(self.arrays.offset.size)
        coordinate_map.bound_excess(self.arrays, q, update, out)
        return out


class Corner(NamedTuple):
    """Derivative of a residual in the coordinates, with rates that depend linearly on them."""

    D: Array  # matrix (n, n) to add to
    dp_dq: float  # derivative of p in q
    dpdot_dp: float  # derivative of p_dot in p


class Push(NamedTuple):
    """A generalized force along a coordinate, with its derivatives in the value and the rate."""

    row: int  # of the map, or entry of the state if there is no map
    force: float  # [N m or N]
    by_x: float  # its derivative in the coordinate
    by_x_dot: float  # and in the rate


def push_coordinates(
    on: CoordinateMap | None,
    rows: Rows | None,
    pushes: Iterable[Push],
    residual: Array,
    corner: Corner | None = None,
) -> None:
    """Subtract forces along coordinates from a residual (n,), and their derivatives from a corner.

    The map and its rows at the state are None if every coordinate is an entry of the state.
    """
    if rows is None:
        for row, force, by_x, by_x_dot in pushes:
            residual[row] -= force
            if corner is not None:
                corner.D[row, row] -= by_x + by_x_dot * corner.dp_dq
        return
    total, weight = np.zeros(residual.size), np.zeros(rows.x.size)
    for row, force, by_x, by_x_dot in pushes:
        J = rows.J[row]
        total += force * J
        if corner is None:
            continue
        way = by_x * J + by_x_dot * corner.dp_dq * J
        way += by_x_dot * rows.V[row]
        corner.D[:] -= np.outer(J, way)
        weight[row] -= force
    residual -= total
    if corner is not None and on is not None:
        on.add_curvature(rows, 0, weight, corner.D)


class MapBuilder:
    """Collect the rows of a map, in order, and their functions; the n first are the state."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._offsets = [0.0] * n
        self._entries: list[tuple[int, int, Function]] = []
        self._turns: list[tuple[list[int], int]] = []

    def add(self, terms: list[tuple[int, Function]], offset: float = 0.0) -> int:
        """Add a row: an offset plus functions of earlier rows; return its number."""
        row = len(self._offsets)
        constant = offset
        for source, function in terms:
            if isinstance(function, Linear):
                constant += function.intercept
                function = Linear(function.slope)
                if function.slope == 0.0:
                    continue
            self._entries.append((row, source, function))
        self._offsets.append(constant)
        return row

    def add_turn(self, states: list[int]) -> int:
        """Add the three rows of a quaternion; return the first."""
        first = len(self._offsets)
        self._turns.append((states, first))
        self._offsets += [0.0] * 3
        return first

    def build(self) -> CoordinateMap:
        """Build the map."""
        pieces = [function.pieces() for _, _, function in self._entries]
        counts = [piece.origin.size for piece in pieces]
        width = max((piece.coefficients.shape[1] for piece in pieces), default=1)
        coefficients = np.zeros((sum(counts), width))
        waves = np.concatenate([np.zeros((0, 3)), *(piece.sines for piece in pieces)])
        start = starts(counts)
        for piece, first, last in zip(pieces, start, start[1:], strict=False):
            coefficients[first:last, : piece.coefficients.shape[1]] = piece.coefficients
        support, place = self._dependence()
        none = [np.zeros(0)]
        arrays = MapArrays(
            offset=np.array(self._offsets, float),
            row=np.array([row for row, _, _ in self._entries], np.int64),
            source=np.array([source for _, source, _ in self._entries], np.int64),
            piece_start=start,
            begin=np.concatenate(none + [np.r_[-np.inf, piece.knots] for piece in pieces]),
            origin=np.concatenate(none + [piece.origin for piece in pieces]),
            coefficients=coefficients,
            waves=waves,
            support=support,
            place=place,
            states=np.array([states for states, _ in self._turns], np.int64).reshape(-1, 4),
            turn_row=np.array([row for _, row in self._turns], np.int64),
        )
        return CoordinateMap(self._n, arrays)

    def _dependence(self) -> tuple[Index, Index]:
        """`support` and `place` of the map."""
        on: list[list[int]] = [[k] if k < self._n else [] for k in range(len(self._offsets))]
        for states, first in self._turns:
            for row in range(first, first + 3):
                on[row] = list(states)
        for row, source, _ in self._entries:
            on[row] += [state for state in on[source] if state not in on[row]]
        width = max(map(len, on), default=1)
        support = np.full((len(on), max(width, 1)), -1, np.int64)
        for row, states in enumerate(on):
            support[row, : len(states)] = states
        place = np.zeros((len(self._entries), support.shape[1]), np.int64)
        for e, (row, source, _) in enumerate(self._entries):
            place[e, : len(on[source])] = [on[row].index(state) for state in on[source]]
        return support, place
