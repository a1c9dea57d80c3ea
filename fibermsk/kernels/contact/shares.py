"""Contributions of the contact points at one quadrature point to the integrated element.

On the side of the integrated element the vectors of `fibermsk.kernels.contact.pair_potential` are
3-vectors times its shape functions N and their slopes N': dn = -n N, dR = rho a1 N', dj = a1/|a1|
N', slide = -u N + by_dR rho a1 N'. As x and a1 are the same for all partners, all contact points at
one quadrature point add up in a share of 15 numbers, which enters residual and lines once at the
end:

====== =====================================================
0-2    force along N
3      force along N', over a1
4-9    A (xx, xy, xz, yy, yz, zz) of the derivative N A N
10-12  b of N b a1 N' and of its transpose
13, 14 alpha and beta of N' (alpha I + beta a1 a1) N'
====== =====================================================
"""

from __future__ import annotations

from fibermsk._compile import body
from fibermsk._vectors import add_two, fill_two
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.fibers.shape import shape, shape_d1

N_SHARE, N_FORCE = 15, 4
"""Numbers of a share, and the first of them, without its tangent."""


@body
def add_to_share(M, turn, rho, j, by_dR, by_identity, by_product, n, u, share):
    """Add the second derivative on the side of the integrated element."""
    A = M[0] - turn
    share[4] += A * n[0] * n[0] + M[5] * u[0] * u[0] + turn
    share[5] += A * n[0] * n[1] + M[5] * u[0] * u[1]
    share[6] += A * n[0] * n[2] + M[5] * u[0] * u[2]
    share[7] += A * n[1] * n[1] + M[5] * u[1] * u[1] + turn
    share[8] += A * n[1] * n[2] + M[5] * u[1] * u[2]
    share[9] += A * n[2] * n[2] + M[5] * u[2] * u[2] + turn
    by_n, by_u = M[1] * rho + M[2] / j, M[5] * by_dR * rho
    for c in range(3):
        share[10 + c] -= by_n * n[c] + by_u * u[c]
    share[13] += by_identity
    share[14] += by_product + rho * (M[3] * rho + 2.0 * M[4] / j + by_u * by_dR)


@body
def share_gradient(fiber, fibers, laws, quadrature, residual):
    """Add the shares of one fiber's quadrature points to the residual; see `fill_gradients`."""
    values = quadrature.values
    for i in range(quadrature.start[fiber], quadrature.start[fiber + 1]):
        e, law = quadrature.element[i], quadrature.law[i]
        node, h = fibers.elements[e, 0], fibers.h[e]
        for q in range(laws.n_points[law]):
            xi, share = laws.xi[law, q], quadrature.shares[i, q]
            nx, dx = shape(xi, h), shape_d1(xi, h)
            for a in range(4):
                for c in range(3):
                    residual[node + a // 2, 3 * (a % 2) + c] += (
                        nx[a] * share[c] + dx[a] * share[3] * values[i, q, 3 + c]
                    )


@body
def share_tangent(fiber, fibers, laws, quadrature, lines):
    """Add the shares of one fiber's quadrature points to the lines; see `fill_tangents`.

    The block of a point is nx G + dx H, with G = nx A + b dx a1 and H = a1 (nx b + beta dx a1) +
    alpha dx for each of the three components.
    """
    along, G, H = scratch(12), scratch((3, 12)), scratch((3, 12))
    for i in range(quadrature.start[fiber], quadrature.start[fiber + 1]):
        e, law = quadrature.element[i], quadrature.law[i]
        node, h = fibers.elements[e, 0], fibers.h[e]
        for q in range(laws.n_points[law]):
            xi, share = laws.xi[law, q], quadrature.shares[i, q]
            nx, dx = shape(xi, h), shape_d1(xi, h)
            a1, b = quadrature.values[i, q, 3:6], share[10:13]
            A = (
                (share[4], share[5], share[6]),
                (share[5], share[7], share[8]),
                (share[6], share[8], share[9]),
            )
            for m in range(4):
                for r in range(3):
                    along[3 * m + r] = dx[m] * a1[r]
                    for c in range(3):
                        G[c, 3 * m + r] = nx[m] * A[c][r]
                        H[c, 3 * m + r] = nx[m] * a1[c] * b[r]
                    H[r, 3 * m + r] += share[13] * dx[m]
            for c in range(3):
                fill_two(G[c], 1.0, G[c], b[c], along)
                fill_two(H[c], 1.0, H[c], share[14] * a1[c], along)
            for k in range(12):
                n, d, c = nx[k // 3], dx[k // 3], k % 3
                own, other = (0, 2) if k < 6 else (1, 0)
                line = node if k < 6 else node + 1
                add_two(lines[node, own, k % 6], n, G[c, :6], d, H[c, :6])
                add_two(lines[line, other, k % 6], n, G[c, 6:], d, H[c, 6:])
