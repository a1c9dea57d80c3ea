"""States at the quadrature points of fibers, eliminated from a matrix of lines (condensation).

The row of such a state holds itself and the stretch of the fiber at its own point; the force that
depends on it acts along the tangent there. A few numbers per point therefore hold its row, column
and diagonal entry d. The row may also hold one unknown of the border, such as an activation. With
columns B and rows R of all points, the matrix of lines has A - B R / d in place of A, of the same
shape, the border likewise, and the states follow by back-substitution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import kernel

COLUMNS = 10
"""Numbers per point of `PointStates`."""


class PointStates(NamedTuple):
    """States at the points of some elements.

    Attributes
    ----------
    node : (n_elements,) int array
        First node of each element; the second is the next.
    border : (n_elements,) int array
        Unknown of the border in the rows of each element; -1 if there is none.
    data : (n_elements, n_points, 10) float array
        g, p and q: the slopes of the shape functions are (-g, p, g, q); unit tangent of the
        centerline (3,); derivative of the axial force, times the quadrature weight, in the state;
        derivatives of the row in the length of the centerline's theta-tangent, in the state, and in
        the unknown of the border.
    """

    node: NDArray[np.int64]
    border: NDArray[np.int64]
    data: Array

    @property
    def diagonal(self) -> Array:
        """Derivatives of the rows in their states, (n_elements, n_points)."""
        return self.data[:, :, 8]


@kernel
def spread_points(node, data, values, nodes):
    """Add the columns of the states times values (n_elements, n_points) to nodes (n_nodes, 6)."""
    for e in range(node.size):
        i = node[e]
        for k in range(values.shape[1]):
            w = data[e, k, 6] * values[e, k]
            g, p, q = data[e, k, 0], data[e, k, 1], data[e, k, 2]
            for r in range(3):
                along = w * data[e, k, 3 + r]
                nodes[i, r] -= g * along
                nodes[i, 3 + r] += p * along
                nodes[i + 1, r] += g * along
                nodes[i + 1, 3 + r] += q * along


@kernel
def follow_points(node, border, data, nodes, unknowns, values):
    """Fill values (n_elements, n_points) with the rows of the states times nodes and border.

    nodes (n_nodes, 6), unknowns (m,).
    """
    for e in range(node.size):
        i = node[e]
        beside = unknowns[border[e]] if border[e] >= 0 else 0.0
        for k in range(values.shape[1]):
            g, p, q = data[e, k, 0], data[e, k, 1], data[e, k, 2]
            total = 0.0
            for r in range(3):
                along = g * (nodes[i + 1, r] - nodes[i, r])
                along += p * nodes[i, 3 + r] + q * nodes[i + 1, 3 + r]
                total += data[e, k, 3 + r] * along
            values[e, k] = data[e, k, 7] * total + data[e, k, 9] * beside


class Condensed(NamedTuple):
    """Eliminated states of a bordered matrix, the last of its unknowns.

    Attributes
    ----------
    parts : tuple of PointStates
        In the order of the states.
    attached : (n_points,) int array
        Nodes whose positions follow the border.
    follow : (n_points, 3, m) float array
        Their derivatives in the border.
    to_border : (m, 3 n_points) float array
        What the rows of the border take from the rows of these positions.
    transposed : bool
        Whether the columns of the states, not their rows, hold the unknowns of the border.
    """

    parts: tuple[PointStates, ...]
    attached: NDArray[np.int64]
    follow: Array
    to_border: Array
    transposed: bool = False

    @property
    def T(self) -> Condensed:
        """Those of the transposed matrix."""
        swapped = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
        parts = tuple(
            one._replace(data=np.ascontiguousarray(one.data[..., swapped])) for one in self.parts
        )
        n, _, m = self.follow.shape
        follow = np.ascontiguousarray(self.to_border.T.reshape(n, 3, m))
        to_border = np.ascontiguousarray(self.follow.reshape(3 * n, m).T)
        return Condensed(parts, self.attached, follow, to_border, not self.transposed)

    @property
    def diagonal(self) -> Array:
        """Diagonal entries of all states, (n_states,)."""
        return np.concatenate([part.diagonal.ravel() for part in self.parts])

    @property
    def size(self) -> int:
        """Number of states."""
        return sum(part.diagonal.size for part in self.parts)

    def columns(self, values: Array, n_x: int) -> Array:
        """Columns of all states times values (n_states,): a new vector (n_x + m,)."""
        found = np.zeros(n_x + self.follow.shape[2])
        nodes, begin = found[:n_x].reshape(-1, 6), 0
        for part in self.parts:
            end = begin + part.diagonal.size
            own = values[begin:end].reshape(part.diagonal.shape)
            spread_points(part.node, part.data, own, nodes)
            if self.transposed:
                has = part.border >= 0
                beside = (part.data[has, :, 9] * own[has]).sum(axis=1)
                np.add.at(found[n_x:], part.border[has], beside)
            begin = end
        found[n_x:] += self.to_border @ nodes[self.attached, :3].ravel()
        nodes[self.attached, :3] = 0.0
        return found

    def rows(self, x: Array, n_x: int) -> Array:
        """Rows of all states times x (n_x + m,): a new vector (n_states,)."""
        nodes = x[:n_x].reshape(-1, 6).copy()
        nodes[self.attached, :3] = self.follow @ x[n_x:]
        found = []
        for part in self.parts:
            values = np.empty(part.diagonal.shape)
            border = np.full_like(part.border, -1) if self.transposed else part.border
            follow_points(part.node, border, part.data, nodes, x[n_x:], values)
            found.append(values.ravel())
        return np.concatenate(found)
