"""Linear algebra for matrices of lines: block-tridiagonal fibers, coupled between elements."""

from fibermsk.linalg.couplings import Couplings as Couplings
from fibermsk.linalg.krylov import gmres as gmres
from fibermsk.linalg.matrix import LineMatrix as LineMatrix
from fibermsk.linalg.points import Condensed as Condensed, PointStates as PointStates
from fibermsk.linalg.solution import Solution as Solution, Solver as Solver
from fibermsk.linalg.splitting import Splitting as Splitting
