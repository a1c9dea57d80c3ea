"""Places along a path at which integrals over its material are evaluated.

The velocity of the material is discontinuous at via points and its acceleration where a path meets
a surface, so a continuous mass is integrated from corner to corner, and along each line and arc.
"""

from __future__ import annotations

from fibermsk._compile import inlined, inner_body
from fibermsk.kernels.lines.material.along import BEFORE, bends, piece_at, pieces_of, share_at
from fibermsk.kernels.lines.material.jets import minus, over, plus, times
from fibermsk.kernels.lines.material.vectors import get


@inner_body
def density_at(alpha, knots, densities):
    """Density of the mass at a fraction of the length and its slope, linear between knots."""
    if alpha < knots[0] or alpha > knots[-1]:
        return 0.0, 0.0
    k = 0
    while k + 2 < knots.size and alpha > knots[k + 1]:
        k += 1
    slope = (densities[k + 1] - densities[k]) / (knots[k + 1] - knots[k])
    return densities[k] + (alpha - knots[k]) * slope, slope


@inlined
def edge_fraction(j, part, chains, wraps, ends, n):
    """Fraction at the start of a piece of section j, as a jet."""
    at = get(ends, j)
    if part != BEFORE:
        length = minus(get(ends, j + 1), at)
        at = plus(at, times(length, share_at(chains, wraps, j, part)))
    return over(at, get(ends, n))


@inner_body
def fill_points(n, chains, wraps, ends, fractions, alpha, where):
    """Fill nodes at given fractions; returns their number. See `fill_nodes`."""
    for k in range(fractions.size):
        alpha[k] = fractions[k]
        where[k, 0], where[k, 1] = piece_at(n, chains, wraps, ends, fractions[k] * ends[n, 0])
    return fractions.size


@inner_body
def fill_nodes(
    n, chains, wraps, ends, knots, densities, line, arc, alpha, weight, where, edge, sided
):  # fmt: skip
    """Fill nodes and edges of a continuous mass; returns their numbers.

    Parameters
    ----------
    n, chains, wraps, ends
        A path; see `fibermsk.kernels.lines.material.along.fill_paths`.
    knots, densities : (n_knots,) float array
        Mass over the fraction of the length [kg], linear between knots.
    line, arc : (2, k) float array
        Places and weights on [0, 1] of quadratures with both ends, for lines and arcs.
    alpha, weight, where
        Of each node: fraction, mass [kg], and section and piece (2,).
    edge, sided
        Of each end of an interval that the material passes: node, section and piece that start
        there (3,); and the density, negative at the start of an interval.
    """
    nodes, edges, L = 0, 0, ends[n, 0]
    for j in range(n):
        at, pieces = ends[j, 0], pieces_of(chains, wraps, j)
        for part in range(pieces):
            low, at = at, ends[j + 1, 0]
            if part + 1 < pieces:
                share = share_at(chains, wraps, j, part + 1)[0][0]
                at = ends[j, 0] + share * (ends[j + 1, 0] - ends[j, 0])
            rule = arc if bends(chains, wraps, j, part) else line
            first, last = max(low / L, knots[0]), min(at / L, knots[-1])
            while first < last:
                end = last
                for k in range(knots.size):
                    if first < knots[k] < end:
                        end = knots[k]
                for g in range(rule.shape[1]):
                    alpha[nodes + g] = first + rule[0, g] * (end - first)
                    density = density_at(alpha[nodes + g], knots, densities)[0]
                    weight[nodes + g] = rule[1, g] * (end - first) * density
                    where[nodes + g, 0], where[nodes + g, 1] = j, part
                if first == low / L:
                    edge[edges, 0], edge[edges, 1], edge[edges, 2] = nodes, j, part
                    sided[edges] = -density_at(first, knots, densities)[0]
                    edges += 1
                nodes += rule.shape[1]
                if end == at / L:
                    edge[edges, 0], edge[edges, 1], edge[edges, 2] = nodes - 1, j, part + 1
                    if part + 1 == pieces:
                        edge[edges, 1], edge[edges, 2] = j + 1, BEFORE
                    sided[edges] = density_at(end, knots, densities)[0]
                    edges += 1
                first = end
    return nodes, edges
