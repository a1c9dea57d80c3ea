"""Tangent on a device, solved by GMRES with colored lines as preconditioner.

The Schur complement of the joint coordinates is factored on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk.gpu.border import Border
from fibermsk.gpu.device import Device
from fibermsk.gpu.pairs import DeviceCouplings
from fibermsk.linalg import Couplings, LineMatrix, Solution, Solver, gmres
from fibermsk.linalg.couplings import solve_one_backward, solve_one_forward, subtract_others
from fibermsk.linalg.krylov import GOOD_ENOUGH, MOST_DIRECT, MOST_ITERATIONS
from fibermsk.linalg.lines import factor_one, lines_of, multiply_one, solve_one
from fibermsk.linalg.solution import invert_dense
from fibermsk.protocol import BorderedMatrix
from fibermsk.solvers.newton.linear import factorize


@dataclass(frozen=True)
class DeviceMatrix:
    """Lines with couplings A and a border [[A, B], [R, D]]; satisfies `SolvesItself`.

    The next evaluation with a tangent overwrites lines, couplings, B and R.
    """

    device: Device
    start: Any  # first node of each line (n_lines + 1,)
    lines: Any  # (n_nodes, 3, 6, 6), see `fibermsk.linalg.lines`
    couplings: DeviceCouplings
    groups: list[Any]  # lines by color
    border: Border

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return int(self.start.size) - 1

    def __matmul__(self, x: Any) -> Any:
        """Product with a vector (n,)."""
        product, (B, R, D) = np.zeros_like(x), self.border
        n, launch = int(B.shape[0]), self.device.launch
        at, to = x[:n].reshape(-1, 6), product[:n].reshape(-1, 6)
        launch(multiply_one, self.n_lines, (self.lines, self.start, at, to))
        launch(subtract_others, self.n_lines, (self.couplings, at, to))
        product *= -1.0
        if D.size:
            product[:n] += B @ x[n:]
            product[n:] = R @ x[:n] + self.device.to_device(D) @ x[n:]
        return product

    def solver(self, *, spend: bool = False) -> Solver:
        """Function that solves with this matrix; see `fibermsk.protocol.SolvesItself`.

        With `spend`, the factors of the lines replace these.
        """
        split, device = _Splitting(self, in_place=spend), self.device
        direct: list[Any] = []
        if self.couplings.n_blocks == 0:
            return lambda right, tolerance: Solution(split.backward(split.forward(right)), 0)

        def solve(right: Any, tolerance: float) -> Solution:
            start = split.forward(right)
            x, iterations, reduction = gmres(split.multiply, start, tolerance, MOST_ITERATIONS)
            if reduction <= max(tolerance, GOOD_ENOUGH):
                return Solution(split.backward(x), iterations)
            # every block enters every product; one that is not finite ends the iteration
            if not self._is_finite:
                raise np.linalg.LinAlgError("the tangent is not finite")
            if right.size > MOST_DIRECT:
                raise np.linalg.LinAlgError(
                    f"the iterative solution does not converge in {iterations} iterations"
                )
            if not direct:
                direct.append(factorize(self.on_host(spent=spend)))
            return Solution(device.to_device(direct[0](device.to_host(right))), 0)

        return solve

    @property
    def _is_finite(self) -> bool:
        """Whether the blocks in use are finite."""
        n, finite = self.couplings.n_blocks, self.device.xp.isfinite
        blocks = self.couplings.upper[:n], self.couplings.lower[:n]
        return all(bool(finite(part).all()) for part in blocks)

    def on_host(self, *, spent: bool = False) -> BorderedMatrix:
        """The same matrix in compressed columns of the host; spent, from factors of its lines."""
        to_host, pairs = self.device.to_host, self.couplings
        couplings = Couplings(*map(to_host, pairs[:-1]))
        start, lines = to_host(self.start), to_host(self.lines)
        matrix = LineMatrix(start, lines_of(lines, start) if spent else lines, couplings)
        B, R, D = self.border
        return BorderedMatrix(matrix.tocsc(), to_host(B), to_host(R), D)


class _Splitting:
    """Preconditioner as `fibermsk.linalg.Splitting`, with the lines in the order of their colors.

    Raises LinAlgError if the matrix is singular or not finite. `in_place`: see the host's.
    """

    def __init__(self, matrix: DeviceMatrix, *, in_place: bool) -> None:
        self._matrix = matrix
        device, xp = matrix.device, matrix.device.xp
        B, R, D = matrix.border
        pairs, self._n = matrix.couplings, int(B.shape[0])
        self._factors = matrix.lines if in_place else xp.empty_like(matrix.lines)
        regular = xp.zeros(matrix.n_lines, bool)
        device.launch(
            factor_one, matrix.n_lines, (matrix.lines, matrix.start, self._factors, regular)
        )
        if not bool(regular.all()):
            raise np.linalg.LinAlgError("the tangent is singular or not finite")
        self._sweeps = (matrix.start, pairs, self._factors, xp.zeros((self._n // 6, 6)))
        self._bordered = D.size > 0
        if self._bordered:
            self._columns = xp.ascontiguousarray(B.T)  # E^-1 B, a row for each coordinate
            for column in self._columns:
                self._solve_lines(column)
            S = D - device.to_host(R @ self._columns.T)
            self._inverse = device.to_device(invert_dense(S))
            self._D = device.to_device(D)

    def _solve_lines(self, x: Any) -> None:
        """Replace x (6 n_nodes,) by the solution with the lines alone."""
        matrix = self._matrix
        arguments = (self._factors, matrix.start, x.reshape(-1, 6))
        matrix.device.launch(solve_one, matrix.n_lines, arguments)

    def _sweep(self, body: Any, groups: list[Any], x: Any) -> None:
        """Apply the couplings to x (6 n_nodes,), already solved with the lines alone."""
        if self._matrix.couplings.n_blocks:
            arguments = (*self._sweeps, x.reshape(-1, 6))
            for group in groups:
                self._matrix.device.launch(body, group, arguments)

    def forward(self, v: Any) -> Any:
        """(F + L)^-1 v, a new vector."""
        x, n = v.copy(), self._n
        self._solve_lines(x[:n])
        self._sweep(solve_one_forward, self._matrix.groups, x[:n])
        if self._bordered:
            x[n:] = self._inverse @ (x[n:] - self._matrix.border.R @ x[:n])
        return x

    def backward(self, v: Any) -> Any:
        """(F + U)^-1 F v, a new vector."""
        x, n = v.copy(), self._n
        if self._bordered:
            x[:n] -= v[n:] @ self._columns
        self._sweep(solve_one_backward, self._matrix.groups[::-1], x[:n])
        return x

    def multiply(self, v: Any) -> Any:
        """(F + L)^-1 (L + E + U) (F + U)^-1 F v, a new vector."""
        w, n = self.backward(v), self._n
        apart = v[:n] - w[:n]
        self._sweep(solve_one_forward, self._matrix.groups, apart)
        w[:n] += apart
        if self._bordered:
            w[n:] = self._inverse @ (self._D @ v[n:] - self._matrix.border.R @ apart)
        return w
