"""Condensation of dependent unknowns: constrained, or of first order."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from fibermsk._arrays import Array, Index
from fibermsk.protocol import BorderedMatrix, Projects, System, Tangent, offers


def bordered(tangent: Tangent | None) -> BorderedMatrix:
    """Tangent with its sparse part in compressed columns; of a dense one that part is empty."""
    if isinstance(tangent, np.ndarray):
        m = tangent.shape[0]
        return BorderedMatrix(csc_array((0, 0)), np.zeros((0, m)), np.zeros((m, 0)), tangent)
    assert isinstance(tangent, BorderedMatrix)
    return tangent._replace(A=tangent.sparse)


def expanded(matrix: BorderedMatrix) -> BorderedMatrix:
    """Matrix with states at quadrature points in its border, as others of first order."""
    points = matrix.points
    if points is None:
        return matrix
    n, k, m = matrix.B.shape[0], matrix.D.shape[0], points.size
    columns, rows = np.empty((n + k, m)), np.empty((m, n + k))
    unit = np.zeros(n + k)
    for j, one in enumerate(np.eye(m)):
        columns[:, j] = points.columns(one, n)
    for j in range(n + k):
        unit[j] = 1.0
        rows[:, j] = points.rows(unit, n)
        unit[j] = 0.0
    on_nodes, on_border = columns[:n], columns[n:]
    per_row = rows / points.diagonal[:, None]
    by_nodes, by_border = per_row[:, :n], per_row[:, n:]
    corner = matrix.D + on_border @ by_border
    return BorderedMatrix(
        csc_array(matrix.sparse + csc_array(on_nodes) @ csc_array(by_nodes)),
        np.hstack([matrix.B + on_nodes @ by_border, on_nodes]),
        np.vstack([matrix.R + on_border @ by_nodes, rows[:, :n]]),
        np.block([[corner, on_border], [rows[:, n:], np.diag(points.diagonal)]]),
    )


def condensed(matrix: BorderedMatrix, k: int) -> BorderedMatrix:
    """Schur complement: the matrix without the last k unknowns, if their rows stay zero.

    States at quadrature points, which count among the k, are eliminated already.

    Raises
    ------
    numpy.linalg.LinAlgError
        If their corner is singular.
    """
    if matrix.points is not None:
        matrix, k = matrix._replace(points=None), k - matrix.points.size
    if not k:
        return matrix
    n_x, n = matrix.B.shape[0], matrix.D.shape[0] - k
    on_nodes, on_q = matrix.B[:, n:], matrix.D[:n, n:]
    # derivatives (k, n_x + n) of the last unknowns in the others
    follow = -np.linalg.solve(matrix.D[n:, n:], np.hstack([matrix.R[n:], matrix.D[n:, :n]]))
    by_nodes, by_q = follow[:, :n_x], follow[:, n_x:]
    return BorderedMatrix(
        csc_array(matrix.sparse + csc_array(on_nodes) @ csc_array(by_nodes)),
        matrix.B[:, :n] + on_nodes @ by_q,
        matrix.R[:n] + on_q @ by_nodes,
        matrix.D[:n, :n] + on_q @ by_q,
    )


def followers(system: System, t: float, y: Array) -> tuple[Index, Array]:
    """Constrained unknowns (m,), and their derivatives (m, n) in all others."""
    if not offers(system, Projects):
        return np.zeros(0, np.int64), np.zeros((0, y.size))
    held, G = system.held(t, y)
    return held, np.asarray(-np.linalg.solve(G[:, held], G), np.float64)


def part(matrix: BorderedMatrix, free: Index, held: Index, follow: Array) -> BorderedMatrix:
    """Matrix of the free unknowns (n_free,), with constrained ones (m,) of the border eliminated.

    follow (m, n_free): derivatives of the latter; zero for nodes.
    """
    n = matrix.B.shape[0]
    kept, border, held = free[free < n], free[free >= n] - n, held - n
    follow = follow[:, kept.size :]
    A = csc_array(matrix.sparse[kept][:, kept])
    B = matrix.B[np.ix_(kept, border)] + matrix.B[np.ix_(kept, held)] @ follow
    D = matrix.D[np.ix_(border, border)] + matrix.D[np.ix_(border, held)] @ follow
    return BorderedMatrix(A, B, matrix.R[np.ix_(border, kept)], D)


def free_part(system: System, t: float, y: Array, matrix: BorderedMatrix) -> BorderedMatrix:
    """Tangent at a state without the constrained unknowns; its rows of states are condensed."""
    held, follow = followers(system, t, y)
    if not held.size:
        return matrix
    free = np.setdiff1d(np.arange(matrix.B.shape[0] + matrix.D.shape[0]), held)
    return part(matrix, free, held, follow[:, free])
