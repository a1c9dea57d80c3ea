"""Work space of the mass of a muscle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._compile import inner, inner_body
from fibermsk.kernels.lines.material.along import ROWS
from fibermsk.kernels.lines.material.common import VIA_ROWS


class Work(NamedTuple):
    """Arrays that `fibermsk.kernels.lines.material.mass.fill_mass` fills.

    Attributes
    ----------
    points, wraps, ends
        A path; see `fibermsk.kernels.lines.material.along.fill_paths`.
    alpha, weight, where, edge, sided
        Nodes and edges; see `fibermsk.kernels.lines.material.nodes.fill_nodes`.
    found : (3, n_nodes, 3, n_own) float array
        By own column b: x_b, x'_b and x''_b.
    motion : (n_nodes, 3, 3) float array
        x', x'' - g and x.
    x : (n_nodes, 3, 6) float array
        Jets of the nodes.
    passed : (n_own, n_edges) float array
        Derivatives of the fractions of edges.
    via : (n_own or 1, n, VIA_ROWS, 6) float array
        Via points; see `fibermsk.kernels.lines.material.common`.
    way, one, bent : (3, n_u), (n_u,), (n_u,) float array
        Variation of a motion; its rates and accelerations.
    dens : (n,) float array
        Densities at the via points [kg].
    pull : (n, 2, 3) float array
        Forces on straight sections.
    sums : (3, n_own, n_own) float array
        Sums over the nodes.
    """

    points: Array
    wraps: Array
    ends: Array
    alpha: Array
    weight: Array
    where: Index
    edge: Index
    sided: Array
    found: Array
    motion: Array
    x: Array
    passed: Array
    via: Array
    way: Array
    one: Array
    bent: Array
    dens: Array
    pull: Array
    sums: Array


@inner
def new_work(n, n_own, n_u, pieces, rule):
    """Work space of muscles with at most so many path points, columns, pieces, nodes on a piece."""
    nodes = pieces * rule
    return Work(
        np.empty((n, 3, 6)), np.empty((n, ROWS, 6)), np.empty((n, 6)), np.empty(nodes),
        np.empty(nodes), np.empty((nodes, 2), np.int64), np.empty((2 * pieces, 3), np.int64),
        np.empty(2 * pieces), np.empty((3, nodes, 3, n_own)), np.empty((nodes, 3, 3)),
        np.empty((nodes, 3, 6)), np.empty((n_own, 2 * pieces)),
        np.empty((max(n_own, 1), n, VIA_ROWS, 6)), np.empty((3, n_u)), np.empty(n_u),
        np.empty(n_u), np.empty(n), np.empty((n, 2, 3)), np.empty((3, n_own, n_own)),
    )  # fmt: skip


@inner_body
def clear(work):
    """Set to zero what a muscle adds to or fills in part."""
    work.way[:], work.one[:], work.bent[:], work.pull[:] = 0.0, 0.0, 0.0, 0.0
