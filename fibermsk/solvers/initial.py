"""Accelerations consistent with the forces at a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ConvergenceError
from fibermsk.guard import guarded
from fibermsk.protocol import System
from fibermsk.solvers.linear import factorize
from fibermsk.solvers.vectors import largest

__all__ = ["accelerations"]

Array = NDArray[np.float64]

_DV_DY, _DVDOT_DV = 1e6, 1e20
"""Slopes [1/s] at which inertia outweighs stiffness and damping in the tangent."""

_MOST_REFINEMENTS = 20

_ROUND_OFF = 1e-8
"""Change of the accelerations, over their size and 1 m/s^2, that round-off may make."""


@guarded
def accelerations(
    system: System, t: float, y: Array, v: Array, *, rates: bool = False, derive: bool = True
) -> Array:
    """Rates of v that satisfy the equations of motion at a given state.

    The residual is linear in them with the reduced mass matrix. With large slopes the tangent is
    that matrix but for small parts, for which a few refinements make up.

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
    derive : bool
        Whether those have them, too, of which only positions are given.

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
    v_dot = system.enforce_rate(y, v, np.zeros_like(v), given, derive=derive)
    found = system.evaluate(t, y, v, v_dot, _DV_DY, _DVDOT_DV)
    if found.flaw:
        raise ConvergenceError(
            f"no accelerations at t = {t:g} s: NaN or infinity in {found.flaw}", time=t
        )
    assert found.tangent is not None
    problem = "a coordinate or a fiber has no inertia"
    try:
        solve = factorize(found.tangent)
        before = np.inf
        for _ in range(_MOST_REFINEMENTS):
            change = _DV_DY * _DVDOT_DV * solve(-found.residual)
            size = largest(change)
            if not size < 0.5 * before:
                # round-off is all that is left, or the tangent is none of inertia
                if before <= _ROUND_OFF * (1.0 + largest(v_dot)):
                    return v_dot
                break
            v_dot = system.enforce_rate(y, v, v_dot + change, given, derive=derive)
            if size == 0.0:
                return v_dot
            before = size
            found = system.evaluate(t, y, v, v_dot, tangent=False)
    except np.linalg.LinAlgError as error:
        problem = str(error)
    raise ConvergenceError(f"no accelerations at t = {t:g} s: masses: {problem}", time=t)
