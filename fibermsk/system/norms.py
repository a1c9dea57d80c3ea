"""Norms of errors of a step and of the imbalance of forces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.fibers.norms import fiber_errors
from fibermsk.protocol import Tolerance
from fibermsk.system.fibers.cables import Cables


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
    relative = tolerance.relative
    sizes = [
        _largest(q) / (relative + tolerance.angle), _largest(states) / (relative + tolerance.state)
    ]  # fmt: skip
    if tolerance.length < np.inf:
        allowed = relative * cables.length + tolerance.length
        sizes.append(_largest(_fiber_errors(cables, nodes) / allowed))
    if dv is not None:
        nodes, p = dv
        if tolerance.speed is not None:
            sizes.append(_largest(_fiber_errors(cables, nodes)) / tolerance.speed)
        if tolerance.angular_speed is not None:
            sizes.append(_largest(p) / tolerance.angular_speed)
    return float(np.array(sizes).max())  # NaN if any is


def _fiber_errors(cables: Cables, nodes: Array) -> Array:
    """Root mean square over each fiber, (n_fibers,)."""
    errors, (width, share) = np.empty(len(cables.names)), cables.node_widths
    fiber_errors(nodes, cables.ends.at_node, width, share, cables.node_start, errors)
    return errors


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
