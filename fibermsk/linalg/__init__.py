"""Linear algebra for matrices of lines: block-tridiagonal fibers, coupled between elements."""

from fibermsk.linalg.krylov import gmres
from fibermsk.linalg.matrix import Couplings, LineMatrix
from fibermsk.linalg.preconditioner import LineSweep

__all__ = ["Couplings", "LineMatrix", "LineSweep", "gmres"]
