"""Contact forces before a cut through a fiber."""

from __future__ import annotations

from fibermsk._compile import kernel


@kernel
def subtract_loads(element, low, high, load, xi, before, whole):
    """Subtract loads from the forces through cuts at the points of all elements, and from sums.

    Loads (n, 3) of elements (n,), each spread evenly from low to high; xi (n_points,), before
    (n_elements, n_points, 3), whole (n_elements, 3).
    """
    for i in range(element.size):
        e = element[i]
        for a in range(3):
            whole[e, a] -= load[i, a]
        for k in range(xi.size):
            part = min(max((xi[k] - low[i]) / (high[i] - low[i]), 0.0), 1.0)
            for a in range(3):
                before[e, k, a] -= part * load[i, a]
