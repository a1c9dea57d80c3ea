"""Root mean squares of vectors along fibers."""

from __future__ import annotations

import math

from fibermsk._compile import kernel


@kernel
def fiber_errors(nodes, at_node, width, share, node_start, errors):
    """Fill errors (n_fibers,) with the root mean squares of nodes (n_nodes, 6).

    Positions of attached nodes, where at_node (n_nodes,) is not -1, do not count. width (n_nodes,):
    factor of tangents; share (n_nodes,): of each node in its fiber.
    """
    for f in range(errors.size):
        total = 0.0
        for i in range(node_start[f], node_start[f + 1]):
            square, slope = 0.0, 0.0
            for c in range(3):
                square += nodes[i, c] * nodes[i, c]
                slope += nodes[i, 3 + c] * nodes[i, 3 + c]
            if at_node[i] >= 0:
                square = 0.0
            total += share[i] * (square + width[i] * width[i] * slope)
        errors[f] = math.sqrt(total)
