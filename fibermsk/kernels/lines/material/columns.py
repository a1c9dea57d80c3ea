"""What moves a path: axes that carry all of it, and coordinates that move parts of it.

A path depends on *columns*: first the axes that move all that it touches, as if it were rigid (see
`fibermsk.kernels.lines.material.common`), then the coordinates by which other axes and drivers
move it. Generalized forces are those on the axes and drivers (n_u,), and then those on the
coordinates (n,): entry n_u + c is coordinate c.
"""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Array, Index
from fibermsk._compile import inlined, inner_body


class Movers(NamedTuple):
    """Columns of muscles, one after another.

    Attributes
    ----------
    axis_start, axes : (n_muscles + 1,) and (n,) int array
        Axes and drivers of each muscle, in order; the first ones move all of its path.
    n_common : (n_muscles,) int array
        Number of those that do.
    column_start, columns : (n_muscles + 1,) and (n,) int array
        Entries of the forces: these axes, and then coordinates.
    """

    axis_start: Index
    axes: Index
    n_common: Index
    column_start: Index
    columns: Index


class Ways(NamedTuple):
    """Axes and drivers u in the coordinates; see `fibermsk.kernels.skeleton.coordinate_map`.

    Attributes
    ----------
    J, V, W : (n_u, n) float array
        Derivatives of u, u_dot and u_ddot in q.
    support, H : (n_u, k) int and (n_u, k, k) float array
        Coordinates that each u depends on, -1 for none, and its second derivatives in these; k = 0
        if all are linear.
    """

    J: Array
    V: Array
    W: Array
    support: Index
    H: Array


@inner_body
def fill_way(ways, c, axes, way):
    """Fill way (3, n_u) with the variation of axes and drivers by coordinate c."""
    for a in axes:
        way[0, a], way[1, a], way[2, a] = ways.J[a, c], ways.V[a, c], ways.W[a, c]


@inner_body
def count_pairs(n):
    """Number of passes in which pairs of n columns occur once, and each column as the first."""
    return max(n * (n - 1) // 2, min(n, 2))


@inlined
def pair_at(n, k):
    """Columns of pass k; whether the first is so for the first time, and whether the pair is."""
    a = k % n
    b = (a + 1 + k // n) % n
    return a, b, k < n, a != b and (n > 2 or k == 0)


@inner_body
def fill_pair(ways, c, d, axes, one, bent, way):
    """Fill a motion and its variation whose second derivatives are those by coordinates.

    Rates one (n_u,) and accelerations bent (n_u,) are those of a unit rate of c, so that second
    derivatives in time are those by c twice; way (3, n_u) is that by d, so that variations of rates
    are those by c and d. False if these are zero.
    """
    by_c, by_d, bends = False, False, False
    for a in axes:
        one[a], way[0, a], way[1, a], way[2, a] = ways.J[a, c], ways.J[a, d], 0.0, 0.0
        bent[a] = 0.0
        for i in range(ways.H.shape[1]):
            if ways.support[a, i] == c:
                for j in range(ways.H.shape[1]):
                    if ways.support[a, j] == c:
                        bent[a] = ways.H[a, i, j]
                    if ways.support[a, j] == d:
                        way[1, a] = ways.H[a, i, j]
        by_c, by_d = by_c or one[a] != 0.0, by_d or way[0, a] != 0.0
        bends = bends or way[1, a] != 0.0
    return bends or (by_c and by_d)
