"""Trees of bodies on joints of any kind, from their descriptions alone, by the complex step.

Positions and orientations are analytic functions of the coordinates, evaluated with complex
numbers: Jacobians come from the complex step, exact to rounding. Mass matrix from the kinetic
energy of each body, bias from Christoffel's symbols of differences of it. Nothing here is fast.
"""

import numpy as np

import fibermsk as fm

from .rigid import rotation_about

STEP = 1e-30


def value(function, x):
    """Function of one coordinate at a complex number, whose real part tells the piece."""
    own = function.pieces()
    piece = np.searchsorted(own.knots, np.real(x), side="right")
    s = x - own.origin[piece]
    amplitude, rate, phase = own.sines[piece]
    return np.polynomial.polynomial.polyval(s, own.coefficients[piece]) + amplitude * np.sin(
        rate * s + phase
    )


def coupled(coupling, x):
    """Value of a coupling at complex values of coordinates."""
    if isinstance(coupling.function, fm.MultivariatePolynomial):
        own = np.array([x[name] for name in coupling.independents])
        powers = np.asarray(coupling.function.powers)
        return np.prod(own**powers, axis=1) @ coupling.function.coefficients
    return sum(value(function, x[name]) for name, function in coupling.terms)


def rotation_of(q):
    """Matrix of a quaternion of any length."""
    w, x, y, z = q / np.sqrt(q @ q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def all_coordinates(model, independent, q):
    """Every coordinate by name, from the state."""
    found = dict(zip(independent, q, strict=True))
    found |= {c.name: c.value for c in model.coordinates if c.locked}
    for _ in model.couplings:  # chains, however they are listed
        for c in model.couplings:
            if c.dependent not in found and set(c.independents) <= set(found):
                found[c.dependent] = coupled(c, found)
    return found


def poses(model, independent, q):
    """Rotation and position of every body in ground, by name."""
    x = all_coordinates(model, independent, q)
    found = {"ground": (np.eye(3), np.zeros(3))}
    left = list(model.bodies[1:])
    while left:
        for body in left:
            joint = model.joint_of(body)
            if joint.parent.name not in found:
                continue
            R, p = found[joint.parent.name]
            p = p + R @ joint.at
            for axis in joint.axes:
                amount = axis.offset + sum(value(f, x[name]) for name, f in axis.pairs)
                if axis.kind == "rotation":
                    R = R @ rotation_about(axis.direction, amount)
                else:
                    p = p + R @ (amount * axis.direction)
            if getattr(joint, "quaternion", ()):
                R = R @ rotation_of(np.array([x[name] for name in joint.quaternion]))
            R = R @ joint.rotation
            found[body.name] = R, p - R @ joint.child_at
            left.remove(body)
            break
    return found


def derivatives(function, q):
    """Jacobian of a function of q by the complex step, (n_values, n)."""
    columns = []
    for e in np.eye(q.size):
        columns.append(np.asarray(function(q + 1j * STEP * e)).imag.ravel() / STEP)
    return np.array(columns).T


def point_jacobian(model, independent, q, body, local):
    def point(q):
        R, p = poses(model, independent, q)[body]
        return R @ local + p

    return derivatives(point, q)


def spin_jacobian(model, independent, q, body):
    """w = J p, from dR R^T."""
    R = poses(model, independent, q)[body][0]
    dR = derivatives(lambda q: poses(model, independent, q)[body][0], q).reshape(3, 3, -1)
    W = np.einsum("ijk,lj->ilk", dR, R)
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def mass_matrix(model, independent, q):
    M = np.zeros((q.size, q.size))
    for body in model.bodies[1:]:
        if body.mass is None:
            continue
        J = point_jacobian(model, independent, q, body.name, body.com)
        W = spin_jacobian(model, independent, q, body.name)
        R = poses(model, independent, q)[body.name][0]
        M += body.mass * J.T @ J + W.T @ (R @ body.inertia @ R.T) @ W
    return M


def bias(model, independent, q, p, h=1e-4):
    """Christoffel's symbols with differences of fourth order of M, and the weight."""
    n = q.size
    dM = np.zeros((n, n, n))
    for k, e in enumerate(np.eye(n)):
        at = [mass_matrix(model, independent, q + s * h * e) for s in (-2, -1, 1, 2)]
        dM[:, :, k] = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
    force = np.einsum("kji,i,j->k", dM, p, p) - 0.5 * np.einsum("ijk,i,j->k", dM, p, p)
    for body in model.bodies[1:]:
        if body.mass is not None:
            J = point_jacobian(model, independent, q, body.name, body.com)
            force -= body.mass * J.T @ model.gravity
    return force
