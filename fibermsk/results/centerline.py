"""Points and tangents of cubic Hermite centerlines from the nodes of a result.

Independent of `fibermsk.elements`: results need arrays only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array


def element_of(nodes: Array, theta: Array) -> NDArray[np.intp]:
    """Element of each material coordinate (n,) among nodes (n_nodes,): its first node."""
    return np.clip(np.searchsorted(nodes, theta, side="right") - 1, 0, nodes.size - 2)


def hermite_places(nodes: Array, theta: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Interpolation factors of points theta (n,) on a cubic Hermite centerline.

    The first node of the element of each point (n,); factors (n, 4) of position and tangent of both
    nodes, for the position and for its derivative in theta. At a node the position is bitwise that
    of the node.
    """
    theta = np.asarray(theta, dtype=float)
    element = element_of(nodes, theta)
    h = nodes[element + 1] - nodes[element]
    xi = (theta - nodes[element]) / h
    shape = [
        1.0 + xi**2 * (2.0 * xi - 3.0),
        h * xi * (xi - 1.0) ** 2,
        xi**2 * (3.0 - 2.0 * xi),
        h * xi**2 * (xi - 1.0),
    ]
    slope = [
        6.0 * xi * (xi - 1.0) / h,
        (3.0 * xi - 1.0) * (xi - 1.0),
        6.0 * xi * (1.0 - xi) / h,
        xi * (3.0 * xi - 2.0),
    ]
    return element, np.stack(shape, axis=1), np.stack(slope, axis=1)


def combine(position: Array, tangent: Array, element: NDArray[np.intp], factors: Array) -> Array:
    """Sum positions and tangents (..., n_nodes, 3) with factors (n, 4) of `hermite_places`."""
    first, second = element, element + 1
    total = factors[:, 0, None] * position[..., first, :]
    total += factors[:, 1, None] * tangent[..., first, :]
    total += factors[:, 2, None] * position[..., second, :]
    total += factors[:, 3, None] * tangent[..., second, :]
    return total
