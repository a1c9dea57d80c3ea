"""Matrices of lines in full."""

from fibermsk.linalg import Couplings, LineMatrix


def line_matrix(cables, data, couplings=None):
    """Dense matrix (6 n_nodes, 6 n_nodes) of the entries of lines and couplings."""
    couplings = couplings or Couplings.none(cables.node_start.size - 1)
    lines = data.reshape(cables.n_nodes, 3, 6, 6)
    return LineMatrix(cables.node_start, lines, couplings).tocsc().toarray()
