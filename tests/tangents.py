"""Residuals as functions of the unknowns alone, whose slopes tangents are compared with."""

import numpy as np
from scenes_of_tests import apply, independent


def moving_state(system, rng, bend=2e-3):
    """A bent, moving state with accelerations."""
    y, _ = system.initial_state()
    free = independent(system)
    y = system.retract(0.0, y, bend * rng.normal(size=system.n) * system.scale * free)
    v = system.enforce(y, 0.3 * rng.normal(size=system.n))
    v_dot = 3.0 * rng.normal(size=system.n)
    return y, v, v_dot


def along(system, y0, v0, a0, beta, alpha, rates=False):
    """Residual as a function of the unknowns alone: v and v_dot follow y."""

    def residual(y):
        v = system.enforce(y, v0 + beta * (y - y0))
        a = a0 + alpha * (v - v0)
        if rates:
            a = system.enforce_rate(y, v, a)
        return system.evaluate(0.1, y, v, a, tangent=False).residual

    return residual


def tangent_error(system, rng, beta, alpha, bend=2e-3, h=1e-6):
    """Largest error of the tangent along a direction by central differences, over its largest."""
    y, v, a = moving_state(system, rng, bend)
    tangent = system.evaluate(0.1, y, v, a, beta, alpha).tangent
    residual, free = along(system, y, v, a, beta, alpha), independent(system)
    d = rng.normal(size=system.n) * system.scale * free
    ahead, behind = (residual(system.retract(0.0, y, s * d)) for s in (h, -h))
    slope = (ahead - behind) / (2 * h) * free
    return np.abs(apply(tangent, d) * free - slope).max() / np.abs(slope).max()
