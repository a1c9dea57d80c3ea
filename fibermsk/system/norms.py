"""How large errors are: drift off the attachments, and errors of a step in physical units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

__all__ = ["drift"]

Array = NDArray[np.float64]


def drift(system: FiberSystem, t: float, y: Array, v: Array) -> tuple[float, float]:
    """How far attached ends are from where their bodies have them.

    Parameters
    ----------
    system : FiberSystem
        Knows the attachments.
    t : float
        Time, for ends on moving points [s].
    y, v : (n,) float array
        Positions and velocities, as the integrator left them.

    Returns
    -------
    position : float
        Largest |x_D - c(q)| of any attached end [m].
    velocity : float
        Largest |v_D - C(q) p| [m/s]; ends on moving points have none, for their velocity is the
        time integrator's own difference.
    """
    at = system.cables.attached_nodes
    off = system.split(y - system.retract(t, y, np.zeros_like(y)))[0][at, :3]
    slip = system.split(v - system.enforce(y, v))[0][at, :3]
    return _longest(off), _longest(slip)


def _longest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
