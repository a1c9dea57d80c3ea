"""Accelerations consistent with the forces at a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import System
from fibermsk.solvers.linear import factorize
from fibermsk.solvers.linearize import linearize

__all__ = ["accelerations"]

Array = NDArray[np.float64]


def accelerations(system: System, t: float, y: Array, v: Array) -> Array:
    """Rates of v that satisfy the equations of motion at a given state.

    The residual is linear in them with the reduced mass matrix.

    Parameters
    ----------
    system : System
        From `fibermsk.build`.
    t : float
        Time [s].
    y, v : (n,) float array
        Consistent positions and velocities.

    Returns
    -------
    v_dot : (n,) float array
        New array, dependent entries included.
    """
    bias = system.enforce_rate(y, v, np.zeros_like(v), t)
    here = linearize(system, t, y, v, bias)
    residual = system.evaluate(t, y, v, bias, tangent=False).residual
    v_dot = np.zeros_like(v)
    v_dot[here.free] = factorize(here.mass)(-residual[here.free])
    return system.enforce_rate(y, v, v_dot, t)
