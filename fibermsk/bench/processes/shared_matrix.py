"""Tangent of a model of which each process holds the rows of its own fibers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.bench.processes.exchange import Exchange, Sent
from fibermsk.linalg import Couplings, LineMatrix, Solution, Solver, Splitting, gmres
from fibermsk.linalg.couplings import multiply_entries
from fibermsk.linalg.krylov import GOOD_ENOUGH, MOST_ITERATIONS


@dataclass(frozen=True)
class Krylov:
    """One iterative solution: iterations, and what this process sent in them."""

    iterations: int
    sent: Sent


class SharedMatrix:
    """Lines and couplings of a process; satisfies `fibermsk.protocol.SolvesItself`.

    The rows of owned lines are complete, those of ghosts are not and are left out. GMRES of the
    package runs on parts of vectors: every product gets the entries of ghosts from their owners
    first, dot products are summed over all processes. The preconditioner is the `Splitting` of each
    process for its owned lines, without the couplings to ghosts (block Jacobi over processes).

    The Krylov solvers of SciPy sum dot products in one process only; PETSc's do so over all, but it
    must be compiled with the MPI at hand, as PyPI has no wheels of it.
    """

    def __init__(
        self, matrix: LineMatrix, owned: NDArray[np.bool_], exchange: Exchange, log: list[Krylov]
    ) -> None:
        self.A, self._owned, self._exchange, self._log = matrix, owned, exchange, log

    def solver(self, *, spend: bool = False) -> Solver:
        """Solver of all processes together: each passes the right-hand side of its own rows.

        The matrix is kept, whether or not it may be spent. Solutions include the entries of ghosts;
        their accuracy is as of `fibermsk.solvers.newton.linear.solver`.

        Raises
        ------
        numpy.linalg.LinAlgError
            On all processes, if a line of any is singular or not finite.
        """
        matrix, exchange = self.A, self._exchange
        couplings = matrix.couplings
        first, second = (self._owned[lines] for lines in (couplings.first, couplings.second))
        inner = replace(matrix, couplings=_with_pairs(couplings, first & second))
        across = _with_pairs(couplings, first != second)
        n, problem, split = matrix.shape[0], "", None
        try:
            split = Splitting(inner, np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0)))
        except np.linalg.LinAlgError as error:
            problem = str(error)
        if exchange.largest(np.array([float(split is None)]))[0] or split is None:
            raise np.linalg.LinAlgError(problem or "the tangent of another process is singular")

        def beside(w: Array) -> Array:
            exchange.fill(w)
            rows = np.zeros(n)
            multiply_entries(across, w.reshape(-1, 6), rows.reshape(-1, 6))
            exchange.own(w)
            return np.negative(exchange.own(rows), out=rows)

        def multiply(v: Array) -> Array:
            return split.multiply(v, beside)

        def solve(right: Array, tolerance: float) -> Solution:
            start = split.forward(exchange.own(right.copy()))
            before = exchange.sent.copy()
            x, iterations, reduction = gmres(
                multiply, start, tolerance, MOST_ITERATIONS, exchange.total
            )
            self._log.append(Krylov(iterations, exchange.sent.since(before)))
            if reduction > max(tolerance, GOOD_ENOUGH):
                raise np.linalg.LinAlgError(
                    f"the iterative solution does not converge in {iterations} iterations"
                )
            x = split.backward(x)
            exchange.fill(x)
            return Solution(x, iterations)

        return solve


def _with_pairs(couplings: Couplings, keep: NDArray[np.bool_]) -> Couplings:
    """Couplings whose entries are those of some pairs (n_pairs,); they share the blocks."""
    chosen = keep[couplings.entries // 2]
    before = np.concatenate([[0], chosen.cumsum()])
    return couplings._replace(
        entry_start=before[couplings.entry_start],
        entry_middle=before[couplings.entry_middle],
        entries=couplings.entries[chosen],
    )
