"""The tangent on a device, and how it is solved: GMRES with colored lines as preconditioner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk.gpu.device import Device
from fibermsk.gpu.pairs import DeviceCouplings
from fibermsk.linalg import Couplings, LineMatrix, Solution, Solver, gmres
from fibermsk.linalg.couplings import solve_one_backward, solve_one_forward, subtract_others
from fibermsk.linalg.krylov import GOOD_ENOUGH, MOST_DIRECT, MOST_ITERATIONS
from fibermsk.linalg.lines import factor_one, multiply_one
from fibermsk.protocol import BorderedMatrix
from fibermsk.solvers.linear import factorize

__all__ = ["DeviceMatrix"]


@dataclass(frozen=True)
class DeviceMatrix:
    """Block-tridiagonal lines with couplings; satisfies `fibermsk.protocol.SolvesItself`.

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
    """

    device: Device
    start: Any
    lines: Any
    couplings: DeviceCouplings
    groups: list[Any]

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
        product = np.zeros_like(x)
        x, y = x.reshape(-1, 6), product.reshape(-1, 6)
        launch = self.device.launch
        launch(multiply_one, self.n_lines, (self.lines, self.start, x, y))
        launch(subtract_others, self.n_lines, (*self.meetings, x, y))
        return -product

    def solver(self) -> Solver:
        """Function that solves with this matrix; see `fibermsk.protocol.SolvesItself`."""
        split, device = _Splitting(self), self.device
        direct: list[Any] = []
        if self.couplings.n == 0:
            return lambda right, tolerance: Solution(split.forward(right), 0)

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
        A, none = LineMatrix(start, lines, couplings).tocsc(), np.zeros((6 * lines.shape[0], 0))
        return BorderedMatrix(A, none, none.T, np.zeros((0, 0)))


class _Splitting:
    """Preconditioner as `fibermsk.linalg.Splitting`, with the lines in the order of their colors.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a line is singular or not finite, or a coupling is not finite.
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

    def forward(self, v: Any) -> Any:
        """(F + L)^-1 v, a new vector."""
        matrix, x = self._matrix, v.copy()
        arguments = (matrix.start, *matrix.meetings, self._factors, x.reshape(-1, 6))
        for group in matrix.groups:
            matrix.device.launch(solve_one_forward, group, arguments)
        return x

    def backward(self, v: Any) -> Any:
        """(F + U)^-1 F v, a new vector."""
        matrix, x = self._matrix, v.copy()
        change = np.empty_like(x).reshape(-1, 6)
        arguments = (
            matrix.start, *matrix.meetings, self._factors, False, change, x.reshape(-1, 6)
        )  # fmt: skip
        for group in matrix.groups[::-1]:
            matrix.device.launch(solve_one_backward, group, arguments)
        return x

    def multiply(self, v: Any) -> Any:
        """(F + L)^-1 (L + E + U) (F + U)^-1 F v, a new vector."""
        matrix, w = self._matrix, self.backward(v)
        change, rest = w - v, np.zeros_like(v)
        matrix.device.launch(
            multiply_one, matrix.n_lines,
            (matrix.lines, matrix.start, change.reshape(-1, 6), rest.reshape(-1, 6)),
        )  # fmt: skip
        return w + self.forward(rest)
