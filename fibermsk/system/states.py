"""Unknowns of first order: states of a contribution, such as an activation or a tendon force.

A state s has a rate and no inertia; its row is F(t, y, s, s_dot) = 0. States come after nodes and
coordinates in y, and their rates in the same places of v.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.protocol import StateBlock
from fibermsk.results import StateRecord
from fibermsk.system.contribution import At, Sums


class States:
    """Port of a contribution to its states.

    Parameters
    ----------
    block : StateBlock
        Owner, names, units, scales and start values.
    first : int
        Number of its first entry among all states.

    Attributes
    ----------
    block : StateBlock
        The block of states.
    """

    def __init__(self, block: StateBlock, first: int) -> None:
        self.block = block
        self._own = slice(first, first + len(block.names))

    def at(self, at: At) -> tuple[Array, Array]:
        """Values and rates, two (m,)."""
        return at.states[self._own], at.rates[self._own]

    def add(self, sums: Sums, row: ArrayLike, by_state: ArrayLike, by_rate: ArrayLike) -> None:
        """Add rows F (m,), and their derivatives (m, m) in values and rates."""
        m = len(self.block.names)
        sums.states.row[self._own] += _shaped(self.block.owner, "row", row, (m,))
        if sums.slopes is not None:
            slope = _shaped(self.block.owner, "by_state", by_state, (m, m))
            rate = _shaped(self.block.owner, "by_rate", by_rate, (m, m))
            sums.states.by_state[self._own, self._own] += slope + sums.slopes.dv_dy * rate

    def follow(self, sums: Sums, by_q: ArrayLike) -> None:
        """Add derivatives of the rows in the coordinates, (m, n), if there is a tangent.

        With X and V of `BodyPoints.follow` or `CoordinatePort.follow`: F_x X + F_v V.
        """
        sums.states.by_q[self._own] += np.asarray(by_q, float)

    def act(
        self, sums: Sums, follows: Array, by_state: ArrayLike, by_rate: ArrayLike = 0.0
    ) -> None:
        """Add derivatives of forces in the states, if there is a tangent.

        Parameters
        ----------
        sums : Sums
            Sums to add to.
        follows : (k, n) float array
            Derivatives X (see `follow`) of the k quantities that the forces act on.
        by_state, by_rate : (k, m) array_like
            Derivatives of the forces in values and rates of the states.
        """
        assert sums.slopes is not None
        slope = np.asarray(by_state, float) + sums.slopes.dv_dy * np.asarray(by_rate, float)
        sums.states.on_q[:, self._own] -= follows.T @ slope


def _shaped(owner: str, name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Array of a shape."""
    array = np.asarray(value, float)
    if array.shape != shape:
        _check.refuse(f"states of {owner!r}", name, array.shape, f"have the shape {shape}")
    return array


class StatesOfModel:
    """All states of a model in blocks.

    Attributes
    ----------
    at_points : list of StateBlock
        Those at quadrature points, a block per fiber, after all others.
    """

    def __init__(self) -> None:
        self._blocks: list[StateBlock] = []
        self._n_free = 0
        self.at_points: list[StateBlock] = []

    @property
    def blocks(self) -> list[StateBlock]:
        """All blocks in the order of their entries."""
        return [*self._blocks, *self.at_points]

    @property
    def n_free(self) -> int:
        """Number of states that are not at quadrature points."""
        return self._n_free

    @property
    def n(self) -> int:
        """Number of all states."""
        return self._n_free + sum(len(block.names) for block in self.at_points)

    @property
    def scale(self) -> Array:
        """Characteristic sizes, (n,)."""
        return np.concatenate([np.zeros(0), *(block.scale for block in self.blocks)])

    @property
    def start(self) -> Array:
        """Start values, (n,)."""
        return np.concatenate([np.zeros(0), *(block.start for block in self.blocks)])

    def describe(self, state: int) -> str:
        """Name of a state, such as "tendon_1: force"."""
        names = [f"{block.owner}: {name}" for block in self.blocks for name in block.names]
        return names[state]

    def records(self, values: Array) -> list[StateRecord]:
        """Values at frames (n_frames, n), block by block."""
        ends = np.cumsum([len(block.names) for block in self.blocks])
        parts = np.split(values, ends[:-1].astype(int), axis=1)
        return [
            StateRecord(block.owner, block.names, block.units, part, block.field, block.shape)
            for block, part in zip(self.blocks, parts, strict=False)
        ]

    def new(
        self,
        owner: str,
        names: Sequence[str],
        units: Sequence[str],
        scale: ArrayLike,
        start: ArrayLike,
    ) -> States:
        """Add a block of states for a contribution.

        Parameters
        ----------
        owner : str
            Name of the element; one owner may have several blocks with other names.
        names, units : sequence of m str
            Of each entry, for messages, files and plots.
        scale : (m,) array_like
            Characteristic size of each; tolerances are relative to it. Positive.
        start : (m,) array_like
            Values at the start.

        Raises
        ------
        ModelError
            If the owner has states of these names already, or a length or range is wrong.
        """
        what = f"states of {owner!r}"
        names = _check.items(what, "names", names, str, "a text", "a list of names")
        units = _check.items(what, "units", units, str, "a text, empty for none", "a list of units")
        for name in names:
            _check.item_name(f"{what}: entry", name)
            if any(one.owner == owner and name in (one.field, *one.names) for one in self.blocks):
                raise ModelError(
                    f"{what}: the name {name!r} is taken; must be unique for each owner"
                )
        m = len(names)
        if not m or len(units) != m or len(set(names)) != m:
            _check.refuse(what, "names", names, f"be unique, and as many as units, {units}")
        sizes = np.array(_check.array(what, "scale", scale, (m,)))
        if not (sizes > 0.0).all():
            _check.refuse(what, "scale", sizes.min(), "be positive")
        begin = np.array(_check.array(what, "start", start, (m,)))
        block = StateBlock(owner, names, units, sizes, begin)
        port = States(block, self.n_free)
        self._blocks.append(block)
        self._n_free += m
        return port

    def new_at_points(self, fiber: str, field: str, unit: str, scale: float, start: Array) -> None:
        """Add states at the quadrature points of a fiber; start (n_elements, n_points).

        Their contribution adds rows to `Sums.points`. The fiber may own other states.
        """
        if any(
            block.owner == fiber and field in (block.field, *block.names) for block in self.blocks
        ):
            raise ModelError(
                f"states of {fiber!r}: the name {field!r} is taken; must be unique for each owner"
            )
        n_elements, n_points = start.shape
        names = tuple(
            f"{field} of element {e + 1}, point {k + 1}"
            for e in range(n_elements)
            for k in range(n_points)
        )
        units, sizes = (unit,) * start.size, np.full(start.size, scale)
        self.at_points.append(
            StateBlock(fiber, names, units, sizes, start.ravel().copy(), field, start.shape)
        )
