"""How large errors are: of a step, in physical units, and of a balance of forces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import Tolerance
from fibermsk.system.cables import Cables, per_fiber

__all__ = ["error_size", "imbalance", "longest"]

Array = NDArray[np.float64]


def error_size(
    cables: Cables,
    dy: tuple[Array, Array],
    dv: tuple[Array, Array] | None,
    tolerance: Tolerance,
) -> float:
    """Size of an error over its tolerance: of the centerlines and the coordinates, not of a mesh.

    A tangent dx/dtheta moves the centerline by up to its product with the element's length in
    theta, so it counts as a position after multiplication by that length. The error of a fiber is
    the root mean square over its nodes, each with the share of theta it stands for. Nodes on bodies
    follow the coordinates, and their positions add nothing of their own.

    Parameters
    ----------
    cables : Cables
        The fibers.
    dy, dv : pair of float arrays
        Errors of positions and velocities, of nodes (n_nodes, 6) and of coordinates (n,); dv may be
        None where no speed has a tolerance.
    tolerance : Tolerance
        What is allowed.

    Returns
    -------
    size : float
        The largest of all fibers and coordinates; 1 is what is allowed.
    """
    nodes, q = dy
    sizes = [
        _fiber_errors(cables, nodes) / (tolerance.relative * cables.length + tolerance.length),
        np.abs(q) / (tolerance.relative + tolerance.angle),
    ]
    if dv is not None:
        nodes, p = dv
        if tolerance.speed is not None:
            sizes.append(_fiber_errors(cables, nodes) / tolerance.speed)
        if tolerance.angular_speed is not None:
            sizes.append(np.abs(p) / tolerance.angular_speed)
    return float(np.concatenate(sizes).max(initial=0.0))


def _fiber_errors(cables: Cables, nodes: Array) -> Array:
    """Root mean square over each fiber, (n_fibers,)."""
    square = (nodes[:, :3] ** 2).sum(axis=1)
    square[cables.attached_nodes] = 0.0
    width, share = cables.node_widths
    square += width**2 * (nodes[:, 3:] ** 2).sum(axis=1)
    return np.sqrt(per_fiber(np.add, share * square, cables.node_start))


def longest(vectors: Array) -> float:
    """Length of the longest of some vectors (n, 3)."""
    return float(np.linalg.norm(vectors, axis=1).max(initial=0.0))


def imbalance(residual: Any, round_off: float, forces: Iterable[Any]) -> float:
    """Largest residual over the largest of the forces present, or their round-off.

    Arrays of NumPy or of a device [N, or N m]; zero where nothing acts at all.
    """
    present = max([round_off, *map(_largest, forces)])
    return _largest(residual) / present if present > 0.0 else 0.0


def _largest(values: Any) -> float:
    return float(abs(values).max()) if values.size else 0.0
