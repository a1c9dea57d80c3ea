"""Common functions of cubic Hermite elements: small vectors, and assembly of blocks.

Vectors (3,) and matrices (3, 3), column after column, are tuples, kept in registers. The
slopes of the four shape functions are (-g, p, g, q), both for the first derivative and for the
second, so that an element has few integrals: those with g, p, q and with their products.
"""

from __future__ import annotations

from fibermsk._compile import inlined
from fibermsk.kernels._plain import plain

ZERO_3 = (0.0,) * 3
ZERO_9 = (0.0,) * 9


@inlined
def dot(a, b):
    """Scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def scale_3(w, a):
    """Vector w a."""
    return w * a[0], w * a[1], w * a[2]


@inlined
def add_3(total, w, a):
    """Vector total + w a."""
    return total[0] + w * a[0], total[1] + w * a[1], total[2] + w * a[2]


@inlined
def combine_3(v, a, w, b):
    """Vector v a + w b."""
    return v * a[0] + w * b[0], v * a[1] + w * b[1], v * a[2] + w * b[2]


@inlined
def add_9(total, w, a):
    """Matrix total + w a."""
    return (
        total[0] + w * a[0], total[1] + w * a[1], total[2] + w * a[2],
        total[3] + w * a[3], total[4] + w * a[4], total[5] + w * a[5],
        total[6] + w * a[6], total[7] + w * a[7], total[8] + w * a[8],
    )  # fmt: skip


@inlined
def combine_9(v, a, w, b):
    """Matrix v a + w b."""
    return (
        v * a[0] + w * b[0], v * a[1] + w * b[1], v * a[2] + w * b[2],
        v * a[3] + w * b[3], v * a[4] + w * b[4], v * a[5] + w * b[5],
        v * a[6] + w * b[6], v * a[7] + w * b[7], v * a[8] + w * b[8],
    )  # fmt: skip


@inlined
def outer(total, a, b):
    """Matrix total + a b^T."""
    return (
        total[0] + a[0] * b[0], total[1] + a[1] * b[0], total[2] + a[2] * b[0],
        total[3] + a[0] * b[1], total[4] + a[1] * b[1], total[5] + a[2] * b[1],
        total[6] + a[0] * b[2], total[7] + a[1] * b[2], total[8] + a[2] * b[2],
    )  # fmt: skip


@inlined
def unit(w):
    """Matrix w I."""
    return w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w


@inlined
def transposed(S):
    """Matrix S^T."""
    return S[0], S[3], S[6], S[1], S[4], S[7], S[2], S[5], S[8]


@inlined
def chord(nodes, i, j):
    """From an element's first node i to its second j, and the tangents at the two."""
    return (
        (nodes[j, 0] - nodes[i, 0], nodes[j, 1] - nodes[i, 1], nodes[j, 2] - nodes[i, 2]),
        (nodes[i, 3], nodes[i, 4], nodes[i, 5]),
        (nodes[j, 3], nodes[j, 4], nodes[j, 5]),
    )


@inlined
def slope(g, p, q, chord):
    """Derivative of the centerline where the shape functions have the slopes (-g, p, g, q)."""
    x, first, second = chord
    return (
        g * x[0] + p * first[0] + q * second[0],
        g * x[1] + p * first[1] + q * second[1],
        g * x[2] + p * first[2] + q * second[2],
    )


@inlined
def add_integrals(i, integrals, residual):
    """Add the integrals of the gradient with the slopes (-g, p, g, q)."""
    on_g, on_p, on_q = integrals
    for r in range(3):
        residual[i, r] -= on_g[r]
        residual[i, 3 + r] += on_p[r]
        residual[i + 1, r] += on_g[r]
        residual[i + 1, 3 + r] += on_q[r]


@inlined
def _add_block(lines, i, b, c, r, sign, S, inertia):
    """Add sign S + inertia I from row r and column c of node block b on."""
    lines[i, b, c, r] += sign * S[0] + inertia
    lines[i, b, c, r + 1] += sign * S[1]
    lines[i, b, c, r + 2] += sign * S[2]
    lines[i, b, c + 1, r] += sign * S[3]
    lines[i, b, c + 1, r + 1] += sign * S[4] + inertia
    lines[i, b, c + 1, r + 2] += sign * S[5]
    lines[i, b, c + 2, r] += sign * S[6]
    lines[i, b, c + 2, r + 1] += sign * S[7]
    lines[i, b, c + 2, r + 2] += sign * S[8] + inertia


@inlined
def add_stiffness(lines, i, gg, gp, pg, pp, gq, qg, pq, qp, qq, inertia):
    """Add the matrix of the element that begins at node i to the lines (n_nodes, 3, 6, 6).

    gp is the integral with g of the row and p of the column, and so on; inertia (10,) the upper
    triangle of the mass matrix, added to the diagonals. Lines as in
    `fibermsk.linalg.lines`.
    """
    m00, m01, m02, m03, m11, m12, m13, m22, m23, m33 = inertia
    zero, one, two, three = plain(0), plain(1), plain(2), plain(3)
    _add_block(lines, i, zero, zero, zero, 1.0, gg, m00)
    _add_block(lines, i, zero, zero, three, -1.0, pg, m01)
    _add_block(lines, i, zero, three, zero, -1.0, gp, m01)
    _add_block(lines, i, zero, three, three, 1.0, pp, m11)
    _add_block(lines, i, one, zero, zero, -1.0, gg, m02)
    _add_block(lines, i, one, zero, three, 1.0, pg, m12)
    _add_block(lines, i, one, three, zero, -1.0, gq, m03)
    _add_block(lines, i, one, three, three, 1.0, pq, m13)
    _add_block(lines, i, two, zero, zero, -1.0, gg, m02)
    _add_block(lines, i, two, zero, three, -1.0, qg, m03)
    _add_block(lines, i, two, three, zero, 1.0, gp, m12)
    _add_block(lines, i, two, three, three, 1.0, qp, m13)
    _add_block(lines, i + 1, zero, zero, zero, 1.0, gg, m22)
    _add_block(lines, i + 1, zero, zero, three, 1.0, qg, m23)
    _add_block(lines, i + 1, zero, three, zero, 1.0, gq, m23)
    _add_block(lines, i + 1, zero, three, three, 1.0, qq, m33)
