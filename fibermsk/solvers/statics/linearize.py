"""The equations linearized about a state: reduced stiffness, damping and mass.

Symbols: ``K`` stiffness, ``E`` damping, ``M`` mass. The tangent of a system is linear in each of
its two slopes, T(b, a) = K + b V + a E + a b M with dv = b dy and dv_dot = a dv, so that four
tangents determine the parts. E is the contribution of the velocities of attached nodes, which move
with the coordinates; it is zero at rest. With constraints G w = 0 the dependent unknowns are
eliminated, w = N u, and the matrices are N^T K N and so on. Unknowns of first order have no mass;
their rows of the damping are the derivatives in their rates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import SuperLU, splu

from fibermsk._arrays import Array
from fibermsk.guard import guarded
from fibermsk.protocol import BorderedMatrix, System
from fibermsk.solvers.newton.condense import bordered, expanded, followers, part
from fibermsk.solvers.orders import first_order

_SLOPE = 1e12
"""Slope a [1/s] at which inertia dominates stiffness, so that the mass has no round-off."""

_MOST_GROWTH = 1e8
"""Element growth of an elimination without pivoting above which signs are unreliable."""

_SHIFT = 1e-13
"""Shift of a matrix whose elimination breaks down, over its largest scaled entry."""


class Linearization(NamedTuple):
    """M w'' + C w' + K w = 0 for small motions w about a state, of the independent unknowns.

    Stiffness [N/m, N m/rad and mixed] and damping describe small motions if the state is at rest.
    The mass is symmetric and positive definite, except for zero rows of unknowns of first order.
    """

    stiffness: BorderedMatrix
    damping: BorderedMatrix
    mass: BorderedMatrix
    free: NDArray[np.int64]  # independent unknowns (n_free,), the rows and columns of the matrices
    n_states: int  # number of these, the last ones, of first order
    held: NDArray[np.int64]  # constrained unknowns (m,)
    follow: Array  # their derivatives (m, n_free) in the independent unknowns

    def whole(self, motion: Array, n: int) -> Array:
        """Expand a motion (n_free,) of the free unknowns to all n; zero at attached nodes."""
        full = np.zeros(n)
        full[self.free], full[self.held] = motion, self.follow @ motion
        return full


@guarded
def linearize(
    system: System, t: float, y: Array, v: Array, v_dot: Array, *, at_rest: bool = False
) -> Linearization:
    """Stiffness, damping and mass, in new matrices, at consistent y, v and v_dot and a time [s].

    With `at_rest`, states at quadrature points are eliminated as they follow in statics.
    """
    tangent, corners, eliminated = None, [], 0
    for b, a in ((0.0, 0.0), (1.0, 0.0), (0.0, _SLOPE), (1.0, _SLOPE)):
        tangent = system.evaluate(t, y, v, v_dot, b, a).tangent
        matrix = bordered(tangent)
        if at_rest and matrix.points is not None:
            eliminated = matrix.points.size
            matrix = matrix._replace(points=None)
        corners.append(expanded(matrix))
    mass = combine(corners, [1.0 / _SLOPE, -1.0 / _SLOPE, -1.0 / _SLOPE, 1.0 / _SLOPE])
    damping = combine(corners[:3], [-1.0 - 1.0 / _SLOPE, 1.0, 1.0 / _SLOPE])
    states = first_order(system)
    states = slice(states.start, states.stop - eliminated)
    k, m = states.stop - states.start, mass.B.shape[1]
    for block in (mass.B[:, m - k :], mass.R[m - k :], mass.D[m - k :], mass.D[:, m - k :]):
        block[...] = 0.0
    # dependent entries have no equation: their rows of the mass are empty
    moved = np.r_[mass.sparse.diagonal() != 0.0, (mass.D != 0.0).any(axis=1)]
    moved[states] = True
    if isinstance(tangent, np.ndarray):  # no entry of a dense tangent is dependent
        moved[:] = True
    held, follow = followers(system, t, y)
    moved[held] = False
    free = np.flatnonzero(moved)
    follow = follow[:, free]
    K, C, M = (part(matrix, free, held, follow) for matrix in (corners[0], damping, mass))
    return Linearization(K, C, M, free, k, held, follow)


def combine(matrices: list[BorderedMatrix], factors: list[float]) -> BorderedMatrix:
    """Linear combination of matrices with csc parts; a new matrix."""
    A, B, R, D = (
        _sum(list(parts), factors) for parts in zip(*(one[:4] for one in matrices), strict=True)
    )
    return BorderedMatrix(csc_array(A), B, R, D)


def _sum(parts, factors):
    """Weighted sum that adds the largest factors first, where terms cancel."""
    total = factors[-1] * parts[-1]
    for factor, term in zip(factors[-2::-1], parts[-2::-1], strict=True):
        total = total + factor * term
    return total


def dense(matrix: BorderedMatrix) -> Array:
    """The matrix in full, (n, n)."""
    return np.block([[matrix.sparse.toarray(), matrix.B], [matrix.R, matrix.D]])


def asymmetry(matrix: BorderedMatrix) -> float:
    """Largest entry of S - S^T over the largest of S, with S equilibrated."""
    scaled = _scaled(matrix)
    difference = combine([scaled, scaled.T], [1.0, -1.0])
    return _largest(difference) / max(_largest(scaled), np.finfo(float).tiny)


def inertia(matrix: BorderedMatrix) -> int:
    """Number of negative eigenvalues of the symmetric part.

    The sparse part is eliminated in symmetric order without pivoting, so that the signs of the
    pivots are those of its eigenvalues (Sylvester); the border adds those of its Schur complement
    (Haynsworth 1968, https://doi.org/10.1016/0024-3795(68)90050-5). Where the elimination meets a
    vanishing pivot, the equilibrated matrix is shifted by 1e-13 of its size; an eigenvalue that is
    zero within round-off counts as positive.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not finite, or the elimination breaks down even with a shift.
    """
    symmetric = _scaled(combine([matrix, matrix.T], [0.5, 0.5]))
    if not np.isfinite(_largest(symmetric)):
        raise np.linalg.LinAlgError("the matrix is not finite")
    n = symmetric.B.shape[0]
    if n == 0:
        return _negative(symmetric.D + _SHIFT * np.eye(symmetric.D.shape[0]))
    for shift in (_SHIFT, 30.0 * _SHIFT, 1e3 * _SHIFT):
        A = csc_array(symmetric.sparse + diags_array(np.full(n, shift)))
        lu = _eliminate(A)
        if lu is None:
            continue
        negative = int((lu.U.diagonal() < 0.0).sum())
        if symmetric.D.size == 0:
            return negative
        corner = symmetric.D - symmetric.R @ lu.solve(symmetric.B)
        corner = 0.5 * (corner + corner.T) + shift * np.eye(corner.shape[0])
        return negative + _negative(corner)
    raise np.linalg.LinAlgError("the signs of the eigenvalues cannot be counted: a pivot vanishes")


def _eliminate(A: csc_array) -> SuperLU | None:
    """LU factors with diagonal pivots; None if pivots are not diagonal, or if entries grow."""
    try:
        lu = splu(
            A,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # exactly singular
        return None
    growth = np.abs(lu.U.data).max(initial=0.0)
    on_diagonal = np.array_equal(lu.perm_r, lu.perm_c)
    return lu if on_diagonal and growth < _MOST_GROWTH else None


def _negative(symmetric: Array) -> int:
    return int((np.linalg.eigvalsh(symmetric) < 0.0).sum())


def _scaled(matrix: BorderedMatrix) -> BorderedMatrix:
    """S_ij / sqrt(s_i s_j) with s_i the largest entry of row and column i; signs are kept."""
    n = matrix.B.shape[0]
    inner = abs(matrix.sparse)
    rows, columns = (
        inner.max(axis=axis).toarray().ravel() if n else np.zeros(0) for axis in (1, 0)
    )
    f = _factor(rows, columns, _row_size(matrix.B), _row_size(matrix.R.T))
    g = _factor(*map(_row_size, (matrix.D, matrix.D.T, matrix.R, matrix.B.T)))
    return BorderedMatrix(
        csc_array(diags_array(f) @ matrix.sparse @ diags_array(f)) if n else matrix.sparse,
        f[:, None] * matrix.B * g,
        g[:, None] * matrix.R * f,
        g[:, None] * matrix.D * g,
    )


def _row_size(rows: Array) -> Array:
    return np.abs(rows).max(axis=1, initial=0.0)


def _factor(*sizes: Array) -> Array:
    size = np.max(sizes, axis=0)
    return 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))


def _largest(matrix: BorderedMatrix) -> float:
    parts = (matrix.sparse.data, matrix.B, matrix.R, matrix.D)
    return max(float(np.abs(part).max(initial=0.0)) for part in parts)
