"""What the contact points at one quadrature point contribute to their own element.

On the side of the integrated element the vectors of `fibermsk.kernels.pair_potential` are 3-vectors
times its shape functions N and their slopes N': dn = -n N, dR = rho a1 N', dj = a1/|a1| N', slide =
-u N + by_dR rho a1 N'. As x and a1 are the same for all partners, all contact points at one
quadrature point add up in a share of 15 numbers, which enters residual and lines once at the end:

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
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.shape import shape, shape_d1

__all__ = ["N_SHARE", "add_to_share", "share_gradient", "share_tangent"]

N_SHARE = 15


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
def share_gradient(fiber, section_start, element, law, law_points, law_xi, h, elements, sections,
    shares, residual,
):  # fmt: skip
    """Add the shares of one fiber's quadrature points to the residual; see `fill_gradients`."""
    for i in range(section_start[fiber], section_start[fiber + 1]):
        e = element[i]
        node = elements[e, 0]
        for q in range(law_points[law[i]]):
            xi, share = law_xi[law[i], q], shares[i, q]
            nx, dx = shape(xi, h[e]), shape_d1(xi, h[e])
            for a in range(4):
                for c in range(3):
                    residual[node + a // 2, 3 * (a % 2) + c] += (
                        nx[a] * share[c] + dx[a] * share[3] * sections[i, q, 3 + c]
                    )


@body
def share_tangent(fiber, section_start, element, law, law_points, law_xi, h, elements, sections,
    shares, lines,
):  # fmt: skip
    """Add the shares of one fiber's quadrature points to the lines; see `fill_tangents`."""
    row = scratch(12)
    for i in range(section_start[fiber], section_start[fiber + 1]):
        e = element[i]
        node = elements[e, 0]
        for q in range(law_points[law[i]]):
            xi, share = law_xi[law[i], q], shares[i, q]
            nx, dx = shape(xi, h[e]), shape_d1(xi, h[e])
            a1 = (sections[i, q, 3], sections[i, q, 4], sections[i, q, 5])
            A = (
                (share[4], share[5], share[6]),
                (share[5], share[7], share[8]),
                (share[6], share[8], share[9]),
            )
            b, alpha, beta = (share[10], share[11], share[12]), share[13], share[14]
            for k in range(12):
                a, c = k // 3, k % 3
                for m in range(4):
                    for r in range(3):
                        value = nx[a] * (nx[m] * A[c][r] + dx[m] * b[c] * a1[r]) + dx[a] * a1[c] * (
                            nx[m] * b[r] + dx[m] * beta * a1[r]
                        )
                        if r == c:
                            value += alpha * dx[a] * dx[m]
                        row[3 * m + r] = value
                if k < 6:
                    for r in range(6):
                        lines[node, 0, k, r] += row[r]
                        lines[node, 2, k, r] += row[6 + r]
                else:
                    for r in range(6):
                        lines[node, 1, k - 6, r] += row[r]
                        lines[node + 1, 0, k - 6, r] += row[6 + r]
