"""The tangent on a device, and how it is solved: GMRES with colored lines as preconditioner.

The border of the joint coordinates is thin: its products are those of dense matrices, and its Schur
complement is made on the host.
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
from fibermsk.linalg.lines import factor_one, multiply_one, solve_one
from fibermsk.protocol import BorderedMatrix
from fibermsk.solvers.linear import factorize

__all__ = ["DeviceMatrix"]


@dataclass(frozen=True)
class DeviceMatrix:
    """Lines with couplings A and a border [[A, B], [R, D]]; satisfies `SolvesItself`.

    Attributes
    ----------
    device : Device
        Of all arrays.
    start : (n_lines + 1,) int array
        First node of each line.
    lines : (n_nodes, 3, 6, 6) float array
        See `fibermsk.linalg.lines`; that of the evaluation last made with a tangent.
    couplings : DeviceCouplings
        Likewise.
    groups : list of (n,) int array
        Lines by color.
    border : Border
        B, R and D; B and R likewise.
    """

    device: Device
    start: Any
    lines: Any
    couplings: DeviceCouplings
    groups: list[Any]
    border: Border

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return int(self.start.size) - 1

    @property
    def meetings(self) -> tuple[Any, ...]:
        """Arguments of bodies that visit the entries of a line."""
        pairs = self.couplings
        return (
            pairs.entry_start, pairs.entry_middle, pairs.entries, pairs.n, pairs.row, pairs.column,
            pairs.block,
        )  # fmt: skip

    def __matmul__(self, x: Any) -> Any:
        """Product with a vector (n,)."""
        product, (B, R, D) = np.zeros_like(x), self.border
        n, launch = int(B.shape[0]), self.device.launch
        at, to = x[:n].reshape(-1, 6), product[:n].reshape(-1, 6)
        launch(multiply_one, self.n_lines, (self.lines, self.start, at, to))
        launch(subtract_others, self.n_lines, (*self.meetings, at, to))
        product *= -1.0
        if D.size:
            product[:n] += B @ x[n:]
            product[n:] = R @ x[:n] + self.device.to_device(D) @ x[n:]
        return product

    def solver(self) -> Solver:
        """Function that solves with this matrix; see `fibermsk.protocol.SolvesItself`."""
        split, device = _Splitting(self), self.device
        direct: list[Any] = []
        if self.couplings.n == 0:
            return lambda right, tolerance: Solution(split.backward(split.forward(right)), 0)

        def solve(right: Any, tolerance: float) -> Solution:
            start = split.forward(right)
            x, iterations, reduction = gmres(split.multiply, start, tolerance, MOST_ITERATIONS)
            if reduction <= max(tolerance, GOOD_ENOUGH):
                return Solution(split.backward(x), iterations)
            if right.size > MOST_DIRECT:
                raise np.linalg.LinAlgError(
                    f"the iterative solution does not converge in {iterations} iterations"
                )
            if not direct:
                direct.append(factorize(self.on_host()))
            return Solution(device.to_device(direct[0](device.to_host(right))), 0)

        return solve

    def on_host(self) -> BorderedMatrix:
        """The same matrix in compressed columns of the host."""
        pairs = self.couplings
        start, lines, row, column, block = map(
            self.device.to_host, (self.start, self.lines, pairs.row, pairs.column, pairs.block)
        )
        line_of_node = np.repeat(np.arange(self.n_lines), np.diff(start))
        couplings = Couplings.between(row, column, row.size, block, line_of_node)
        B, R = map(self.device.to_host, self.border[:2])
        return BorderedMatrix(LineMatrix(start, lines, couplings).tocsc(), B, R, self.border.D)


class _Splitting:
    """Preconditioner as `fibermsk.linalg.Splitting`, with the lines in the order of their colors.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a line or the Schur complement is singular or not finite, or a coupling is not finite.
    """

    def __init__(self, matrix: DeviceMatrix) -> None:
        self._matrix = matrix
        device, xp = matrix.device, matrix.device.xp
        self._factors = xp.empty_like(matrix.lines)
        regular = xp.zeros(matrix.n_lines, bool)
        device.launch(
            factor_one, matrix.n_lines, (matrix.lines, matrix.start, self._factors, regular)
        )
        if not (bool(regular.all()) and bool(xp.isfinite(matrix.couplings.block).all())):
            raise np.linalg.LinAlgError("the tangent is singular or not finite")
        B, R, D = matrix.border
        self._n, self._bordered = int(B.shape[0]), D.size > 0
        if self._bordered:
            # E^-1 B, a row for each coordinate
            self._columns = xp.ascontiguousarray(B.T)
            for column in self._columns:
                arguments = (matrix.start, self._factors, column.reshape(-1, 6))
                device.launch(solve_one, matrix.n_lines, arguments)
            S = D - device.to_host(R @ self._columns.T)
            if not np.isfinite(S).all():
                raise np.linalg.LinAlgError("the tangent is not finite")
            self._inverse, self._rest = device.to_device(np.linalg.inv(S)), device.to_device(D - S)

    def forward(self, v: Any) -> Any:
        """(F + L)^-1 v, a new vector."""
        matrix, x, n = self._matrix, v.copy(), self._n
        arguments = (matrix.start, *matrix.meetings, self._factors, x[:n].reshape(-1, 6))
        for group in matrix.groups:
            matrix.device.launch(solve_one_forward, group, arguments)
        if self._bordered:
            x[n:] = self._inverse @ (x[n:] - matrix.border.R @ x[:n])
        return x

    def backward(self, v: Any) -> Any:
        """(F + U)^-1 F v, a new vector."""
        matrix, x, n = self._matrix, v.copy(), self._n
        if self._bordered:
            x[:n] -= v[n:] @ self._columns
        change = np.empty_like(x[:n]).reshape(-1, 6)
        arguments = (
            matrix.start, *matrix.meetings, self._factors, False, change, x[:n].reshape(-1, 6)
        )  # fmt: skip
        for group in matrix.groups[::-1]:
            matrix.device.launch(solve_one_backward, group, arguments)
        return x

    def multiply(self, v: Any) -> Any:
        """(F + L)^-1 (L + E + U) (F + U)^-1 F v, a new vector."""
        matrix, w, n = self._matrix, self.backward(v), self._n
        change, rest = w - v, np.zeros_like(v)
        matrix.device.launch(
            multiply_one, matrix.n_lines,
            (matrix.lines, matrix.start, change[:n].reshape(-1, 6), rest[:n].reshape(-1, 6)),
        )  # fmt: skip
        if self._bordered:
            rest[n:] = self._rest @ v[n:]
        return w + self.forward(rest)
