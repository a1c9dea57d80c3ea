"""Points of a uniform fiber from its nodal values."""

import numpy as np


def middle(nodes: np.ndarray) -> np.ndarray:
    """Point at theta = 1/2 of a uniform fiber with nodes (n, 6)."""
    n = nodes.shape[0] - 1
    if n % 2 == 0:
        return nodes[n // 2, :3]
    a, b = nodes[n // 2], nodes[n // 2 + 1]
    return 0.5 * (a[:3] + b[:3]) + (a[3:] - b[3:]) / (8 * n)
