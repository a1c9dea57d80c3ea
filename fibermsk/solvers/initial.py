"""Accelerations consistent with the forces at a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ConvergenceError
from fibermsk.protocol import System
from fibermsk.solvers.linear import factorize
from fibermsk.solvers.linearize import linearize

__all__ = ["accelerations"]

Array = NDArray[np.float64]


def accelerations(system: System, t: float, y: Array, v: Array, *, rates: bool = False) -> Array:
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
    rates : bool
        Whether prescribed motions have the accelerations of their own, as in `solve_stage`; none
        otherwise.

    Returns
    -------
    v_dot : (n,) float array
        New array, dependent entries included.

    Raises
    ------
    ConvergenceError
        If forces or masses there are not finite, or a coordinate has no inertia.
    """
    given = t if rates else None
    bias = system.enforce_rate(y, v, np.zeros_like(v), given)
    found = system.evaluate(t, y, v, bias, tangent=False)
    if found.flaw:
        raise ConvergenceError(
            f"no accelerations at t = {t:g} s: NaN or infinity in {found.flaw}", time=t
        )
    here = linearize(system, t, y, v, bias)
    v_dot = np.zeros_like(v)
    try:
        v_dot[here.free] = factorize(here.mass)(-found.residual[here.free])
    except np.linalg.LinAlgError as error:
        raise ConvergenceError(
            f"no accelerations at t = {t:g} s: masses: {error}", time=t
        ) from None
    return system.enforce_rate(y, v, v_dot, given)
