"""Inertial parameters of bodies, in which the forces of a motion are linear.

Ten per body, about the origin of its frame and in its axes: mass m, first moments m c, and moments
of inertia. Of these only some combinations change the forces of any motion: the base parameters.

References
----------
.. [1] Gautier, "Numerical calculation of the base inertial parameters of robots", Journal of
       Robotic Systems 8 (1991), 485-506.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.kernels.skeleton.rigid import TreeBodies
from fibermsk.model import Body
from fibermsk.system.skeleton.skeleton import Skeleton
from fibermsk.system.skeleton.tree import Tree

OF_A_BODY = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Names of the parameters of a body."""

UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)

MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Places of the moments of inertia in a matrix."""

_DEPENDENT = 1e-7
"""Part of a column, over its length, below which it is a combination of earlier ones."""

_PREFERRED = 1.0 + 5e-2 * np.array([0, 0, 0, 0, 1, 0, 2, 0, 0, 0])
"""Weights of columns: of moments of inertia that act nearly alike, Izz is kept, then Ixx."""


def parameters_of(body: Body) -> Array:
    """Inertial parameters (10,) of a body; zero for one without mass."""
    if body.mass is None:
        return np.zeros(10)
    c = np.asarray(body.com)
    about = np.asarray(body.inertia) + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([body.mass, *(body.mass * c), *(about[at] for at in MOMENTS)])


def body_of(values: Array) -> dict[str, Any]:
    """Mass, centre of mass and inertia of a body from its parameters (10,)."""
    mass, c = float(values[0]), values[1:4] / values[0]
    about = np.empty((3, 3))
    for (i, j), value in zip(MOMENTS, values[4:], strict=True):
        about[i, j] = about[j, i] = value
    own = about - mass * (c @ c * np.eye(3) - np.outer(c, c))
    return {"mass": mass, "com": tuple(c.tolist()), "inertia": own}


class Regressor:
    """Derivatives of the generalized forces of a motion in the inertial parameters of bodies.

    Parameters
    ----------
    skeleton : Skeleton
        Bodies and joints.
    bodies : sequence of Body
        Bodies whose parameters are sought; those of others are known.

    Attributes
    ----------
    names : tuple of str
        "humerus/mx" and so on.
    values : (10 b,) float array
        Parameters of the model.
    """

    def __init__(self, skeleton: Skeleton, bodies: Sequence[Body]) -> None:
        self._skeleton = skeleton
        self.names = tuple(f"{one.name}/{name}" for one in bodies for name in OF_A_BODY)
        self.values = np.concatenate([np.zeros(0), *map(parameters_of, bodies)])
        self._columns = list[list[tuple[float, Tree]]]()
        for body in bodies:
            if skeleton.tree.frames[body.name][0] < 0:
                must = "be moved by a joint"
                _check.refuse("identify", "body", body.name, must, remedy="leave it out")
            self._columns += _columns(skeleton.tree, body.name)

    def at(self, q: Array, p: Array, p_dot: Array) -> tuple[Array, Array]:
        """Derivatives Y (k, n, 10 b) at instants, and the forces (k, n) of what is known.

        q, p, p_dot (k, n). Known are the other bodies, and the passive forces of coordinates, which
        are subtracted: the forces of a motion are Y values + known.
        """
        own, k = self._skeleton, q.shape[0]
        Y, total = np.empty((k, own.n, self.values.size)), np.empty((k, own.n))
        for i in range(k):
            motion = own.evaluate(q[i], p[i], p_dot[i])
            total[i] = own.dynamics(motion, q[i], p[i], p_dot[i])
            for j, parts in enumerate(self._columns):
                force = np.zeros(own.tree.n)
                for weight, tree in parts:
                    one = np.zeros(own.tree.n)
                    tree.dynamics(motion.links, one)
                    force += weight * one
                Y[i, :, j] = own.from_axes(motion, force)
        return Y, total - Y @ self.values


def _columns(tree: Tree, name: str) -> list[list[tuple[float, Tree]]]:
    """Trees with one body each, whose forces add up to the derivative in each parameter.

    A moment of inertia alone, a mass at the origin, and a mass beside it less its own moments.
    """
    link, R, x = tree.frames[name]

    def alone(mass: float, com: Array, about_com: Array) -> Tree:
        bodies = TreeBodies(
            link=np.array([link]), mass=np.array([mass]), com=(x + R @ com)[None],
            inertia=(R @ about_com @ R.T)[None], gravity=tree.bodies.gravity,
        )  # fmt: skip
        return replace(tree, bodies=bodies)

    none, still = np.zeros((3, 3)), np.zeros(3)
    at_origin = (1.0, alone(1.0, still, none))
    found = [[at_origin]]
    for unit in np.eye(3):
        aside = alone(1.0, unit, np.outer(unit, unit) - np.eye(3))
        found.append([(1.0, aside), (-1.0, at_origin[1])])
    for i, j in MOMENTS:
        one = none.copy()
        one[i, j] = one[j, i] = 1.0
        found.append([(1.0, alone(0.0, still, one))])
    return found


class Base(NamedTuple):
    """Parameters of which all forces are a function: base = those of `independent` + K dependent.

    Attributes
    ----------
    independent, dependent : int array
        Numbers of parameters; the latter only change others.
    K : (n_independent, n_dependent) float array
        How dependent ones add to the others.
    singular : float array
        Singular values of the derivatives, of unit columns; those of dependent ones are round-off.
    """

    independent: Index
    dependent: Index
    K: Array
    singular: Array

    @property
    def matrix(self) -> Array:
        """Base parameters of each parameter, (n_independent, n)."""
        found = np.zeros((self.independent.size, self.independent.size + self.dependent.size))
        found[np.arange(self.independent.size), self.independent] = 1.0
        found[:, self.dependent] = self.K
        return found

    def of(self, values: Array) -> Array:
        """Base parameters (n_independent,) of all, (n,) or (..., n)."""
        return values[..., self.independent] + values[..., self.dependent] @ self.K.T


def base_of(Y: Array) -> Base:
    """Base parameters from derivatives (rows, 10 b) at many random states.

    Body by body, a rank-revealing factorization chooses parameters that no combination of those of
    earlier bodies replaces, so that dependent ones are lumped towards the ground.
    """
    from scipy.linalg import qr

    sizes: Array = np.linalg.norm(Y, axis=0)
    scaled = Y / np.where(sizes > 0.0, sizes, 1.0)
    found, basis = list[int](), np.zeros((Y.shape[0], 0))
    for first in range(0, Y.shape[1], len(OF_A_BODY)):
        rest = scaled[:, first : first + len(OF_A_BODY)]
        for _ in range(2):  # again, against round-off
            rest = rest - basis @ (basis.T @ rest)
        factors: Any = qr(rest * _PREFERRED, mode="economic", pivoting=True)
        Q, R, order = factors
        rank = int((np.abs(np.diag(R)) > _DEPENDENT).sum())
        found += sorted((first + order[:rank]).tolist())
        basis = np.hstack([basis, Q[:, :rank]])
    own = np.array(found, np.int64)
    others = np.setdiff1d(np.arange(Y.shape[1]), own)
    K = np.linalg.lstsq(scaled[:, own], Y[:, others], rcond=None)[0] / sizes[own, None]
    singular = np.asarray(np.linalg.svd(scaled, compute_uv=False), float)
    return Base(own, others, K, singular)
