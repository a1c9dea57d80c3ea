"""Matrices of lines in full."""

import numpy as np

from fibermsk.linalg import Couplings, LineMatrix


def line_matrix(cables, data, couplings=None):
    """Dense matrix (6 n_nodes, 6 n_nodes) of the entries of lines and couplings."""
    n = cables.n_nodes
    none = np.zeros(0, np.int64)
    couplings = couplings or Couplings.between(
        none, none, 0, np.zeros((0, 12, 12)), cables.fiber_of_node
    )
    return LineMatrix(cables.node_start, data.reshape(n, 3, 6, 6), couplings).tocsc().toarray()
