"""Accelerations consistent with the forces at a state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array

from fibermsk.protocol import BorderedMatrix, System
from fibermsk.solvers.linear import factorize

__all__ = ["accelerations"]

Array = NDArray[np.float64]


def accelerations(system: System, t: float, y: Array, v: Array) -> Array:
    """Rates of v that satisfy the equations of motion at a given state.

    The residual is linear in them with the reduced mass matrix, which the tangent contains with the
    product of its two slopes: T(b, a) = K + b V + a E + a b M.

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
    bias = system.enforce_rate(y, v, np.zeros_like(v))

    def tangent(b: float, a: float) -> Any:
        return system.evaluate(t, y, v, bias, b, a).tangent

    def mixed(parts: list[Any]) -> Any:
        return parts[0] - parts[1] - parts[2] + parts[3]

    tangents = [tangent(2.0, 1.0), tangent(2.0, 0.0), tangent(1.0, 1.0), tangent(1.0, 0.0)]
    if isinstance(tangents[0], np.ndarray):
        mass = mixed(tangents)
    else:
        A, B, R, D = (mixed(list(parts)) for parts in zip(*tangents, strict=True))
        # dependent entries have no equation of their own
        A = (A + diags_array((A.diagonal() == 0.0).astype(float))).tocsc()
        mass = BorderedMatrix(A, B, R, D)
    residual = system.evaluate(t, y, v, bias, tangent=False).residual
    return system.enforce_rate(y, v, factorize(mass)(-residual))
