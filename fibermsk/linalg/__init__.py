"""Linear algebra for matrices of lines: block-tridiagonal fibers, coupled between elements."""

from fibermsk.linalg.couplings import Couplings
from fibermsk.linalg.krylov import gmres
from fibermsk.linalg.matrix import LineMatrix
from fibermsk.linalg.solution import Solution, Solver
from fibermsk.linalg.splitting import Splitting

__all__ = ["Couplings", "LineMatrix", "Solution", "Solver", "Splitting", "gmres"]
