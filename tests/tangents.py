"""Residuals as functions of the unknowns alone, whose slopes tangents are compared with."""

from scenes_of_tests import independent


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
