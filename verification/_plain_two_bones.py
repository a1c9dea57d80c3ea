"""Two bones and a straight muscle with mass points, in plain NumPy, written from the equations.

Every place is linear in vectors that turn with the bones, x = R(q1) c + R(q1 + q2) b, so that
Jacobians and accelerations at constant speeds are closed forms. Nothing here uses the package.
"""

import numpy as np
from scipy.integrate import solve_ivp

LENGTH, START = 0.3, (0.5, -0.08181)
ORIGIN, INSERTION, TENSION = np.array([0.0, -0.8]), np.array([0.0, -0.15]), 10.2718
HINGE = np.array([0.0, -LENGTH])


def _turned(angle, x):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


def _place(q, p, c, b):
    """x, J and J_dot p of R(q1) c + R(q1 + q2) b."""
    first, second = _turned(q[0], c), _turned(q[0] + q[1], b)
    across = [np.array([-v[1], v[0]]) for v in (first, second)]
    J = np.stack([across[0] + across[1], across[1]], axis=1)
    return first + second, J, -(p[0] ** 2) * first - (p[0] + p[1]) ** 2 * second


def accelerations(q, p, lumped, points=20, muscle_mass=1.0):
    """Accelerations of the hinges (2,) [rad/s^2]."""
    bone = 1.0 + 0.5 * muscle_mass if lumped else 1.0
    turning = bone * LENGTH**2 / 12.0
    M, force = turning * np.array([[2.0, 1.0], [1.0, 1.0]]), np.zeros(2)
    x, J, drift = _place(q, p, HINGE, INSERTION)
    force += J.T @ (TENSION * (ORIGIN - x) / np.linalg.norm(ORIGIN - x))
    masses = [(bone, *_place(q, p, 0.5 * HINGE, 0.0 * HINGE)[1:])]
    masses.append((bone, *_place(q, p, HINGE, 0.5 * HINGE)[1:]))
    for alpha in () if lumped else (np.arange(points) + 0.5) / points:
        masses.append((muscle_mass / points, alpha * J, alpha * drift))
    for mass, jacobian, bias in masses:
        M += mass * jacobian.T @ jacobian
        force -= mass * jacobian.T @ bias
    return np.linalg.solve(M, force)


def crossings(lumped):
    """Times at which the hinges first pass through zero [s]."""
    events = [lambda t, z: z[0], lambda t, z: z[1]]
    found = solve_ivp(
        lambda t, z: np.r_[z[2:], accelerations(z[:2], z[2:], lumped)], (0.0, 0.5), [*START, 0, 0],
        method="DOP853", rtol=1e-11, atol=1e-13, events=events,
    )  # fmt: skip
    return [float(own[0]) for own in found.t_events]
