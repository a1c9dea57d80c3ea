"""Norms of errors of a step and of the imbalance of forces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.protocol import Tolerance
from fibermsk.system.fibers.cables import Cables, per_fiber


def error_size(
    cables: Cables,
    dy: tuple[Array, Array, Array],
    dv: tuple[Array, Array] | None,
    tolerance: Tolerance,
) -> float:
    """Mesh-independent error norm of centerlines, coordinates and states, over the tolerance.

    A tangent dx/dtheta moves the centerline by up to its product with the element's length in
    theta, so it counts as a position after multiplication by that length. The error of a fiber is
    the root mean square over its nodes, weighted by their share of theta. Attached nodes follow the
    coordinates and do not contribute.

    Parameters
    ----------
    cables : Cables
        The fibers.
    dy, dv : tuples of float arrays
        Errors of positions and velocities, of nodes (n_nodes, 6) and of coordinates (n,); dv may be
        None if no speed has a tolerance. dy also holds those of states, over their scales.
    tolerance : Tolerance
        Allowed errors.

    Returns
    -------
    size : float
        Maximum over all fibers, coordinates and states; 1 is the allowed error.
    """
    nodes, q, states = dy
    sizes = [
        np.abs(q) / (tolerance.relative + tolerance.angle),
        np.abs(states) / (tolerance.relative + tolerance.state),
    ]
    if tolerance.length < np.inf:
        allowed = tolerance.relative * cables.length + tolerance.length
        sizes.append(_fiber_errors(cables, nodes) / allowed)
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
    """Largest length of vectors (n, 3)."""
    return float(np.linalg.norm(vectors, axis=1).max(initial=0.0))


def imbalance(residual: Any, round_off: float, forces: Iterable[Any]) -> float:
    """Largest residual over the largest force present, or over the round-off if that is larger.

    NumPy or device arrays [N, or N m]; zero if there are no forces.
    """
    present = max([round_off, *map(_largest, forces)])
    return _largest(residual) / present if present > 0.0 else 0.0


def _largest(values: Any) -> float:
    return float(abs(values).max()) if values.size else 0.0
