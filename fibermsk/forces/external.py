"""External forces and torques on bodies, such as ground reactions, as functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import checked, number
from fibermsk.model import Body
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import BodyPoints

Given = Callable[[float], ArrayLike] | ArrayLike


@dataclass(frozen=True, eq=False)
class ExternalForce:
    """External force at a point of a body, and external torque.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    body : Body
        Body on which it acts.
    force : (3,) array_like or callable
        Force [N], or a function of time [s] that returns it.
    at : (3,) array_like
        Point of application, body frame [m].
    torque : (3,) array_like or callable
        Torque [N m], or a function of time [s] that returns it.
    frame : {'ground', 'body'}
        Frame in which both are expressed.

    Examples
    --------
    >>> import fibermsk as fm
    >>> hand = fm.Body("hand", 0.5, (0, 0, 0), (1e-3, 1e-3, 1e-3))
    >>> load = fm.ExternalForce("load", hand, lambda t: (0.0, 0.0, -20.0 * min(t, 1.0)))
    """

    name: str
    body: Body
    force: Given = number("N", shape=(3,), varies=True, default=(0.0, 0.0, 0.0))
    at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    torque: Given = number("N m", shape=(3,), varies=True, default=(0.0, 0.0, 0.0))
    frame: Literal["ground", "body"] = "ground"

    coordinates = ()

    def __post_init__(self) -> None:
        owner = self._owner
        _check.instance(owner, "body", self.body, Body, "a Body")
        _check.store(self, **checked(self, owner))
        _check.choice(owner, "frame", self.frame, ("ground", "body"))

    @property
    def _owner(self) -> str:
        return f"external force {_check.item_name('external force', self.name)!r}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Body on which it acts."""
        return (self.body,)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """Force and torque, if they are functions."""
        given = _Signal(self, "force"), _Signal(self, "torque")
        return tuple((one.field, one) for one in given if one.varies)

    def value(self, field: str, t: float) -> Array:
        """Evaluate force or torque at a time [s], (3,).

        Raises
        ------
        ModelError
            If a function does not return three finite numbers.
        """
        given = getattr(self, field)
        if not callable(given):
            return given
        unit = "N" if field == "force" else "N m"
        return _check.array(f"{self._owner} at t = {t:g} s", field, given(t), (3,), unit)

    def contribute(self, configuration: Configuration) -> _Load:
        """Create the contribution."""
        return _Load(self, configuration)


class _Signal:
    """Checked force or torque from a function, with its breakpoints."""

    def __init__(self, load: ExternalForce, field: str) -> None:
        self._load, self.field = load, field
        given = getattr(load, field)
        self.varies = callable(given)
        if hasattr(given, "breakpoints"):
            self.breakpoints = given.breakpoints

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s]."""
        return self._load.value(self.field, t)


class _Load:
    """Contribution of an external force."""

    reports = (
        Field("force", "N", "external force", "force on the body, in ground", (3,)),
        Field("torque", "N m", "external torque", "torque on the body, in ground", (3,)),
        Field("position", "m", "point of action", "where the force acts, in ground", (3,)),
    )

    def __init__(self, load: ExternalForce, configuration: Configuration) -> None:
        self._load, self._skeleton = load, configuration.skeleton
        self._port = BodyPoints(configuration, (load.body.at(load.at),))
        link, R, _ = configuration.tree.frames[load.body.name]
        self._link, self._rotation = int(link), R

    def _wrench(self, at: At) -> tuple[Array, Array]:
        """Force and torque in the ground frame."""
        load, link = self._load, self._link
        force, torque = load.value("force", at.t), load.value("torque", at.t)
        if load.frame == "ground":
            return force, torque
        R = self._rotation if link < 0 else at.motion.links.rotation[link] @ self._rotation
        return R @ force, R @ torque

    def fields(self, at: At) -> dict[str, Array]:
        """Force, torque and point of application in ground."""
        force, torque = self._wrench(at)
        return {"force": force, "torque": torque, "position": self._port.at(at).x[0]}

    def add(self, at: At, sums: Sums) -> None:
        """Add force and torque and their derivatives."""
        load, tree, links = self._load, self._skeleton.tree, at.motion.links
        force, torque = self._wrench(at)
        # derivative of the body's angular velocity in the speeds of the axes
        W = np.zeros((3, tree.n))
        if self._link >= 0:
            own = tree.moves[self._link]
            W[:, own] = links.S[own, :3].T
        by_turn = np.zeros((3, 3))
        if load.frame == "body":
            by_turn = -_cross(force)
        placed = self._port.at(at)
        none = np.zeros((3, 3))
        self._port.push(at, placed, sums, force[None], none, none)
        sums.axes.force[:] -= W.T @ torque
        if sums.slopes is None:
            return
        dq = -placed.C[0].T @ by_turn @ W
        if load.frame == "body":
            dq += W.T @ _cross(torque) @ W
        # axis j rotates with axis k if k precedes it
        dq -= tree.moves * (np.cross(W.T, torque) @ W)
        sums.follow_axes(self._skeleton, at.motion, dq, np.zeros_like(dq))

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Body, point and frame, and force and torque over time."""
        load = self._load
        given = [load.value(field, float(t)) for field in ("force", "torque") for t in times]
        parts = [load.name, load.frame, self._port.link, self._port.local, given]
        return {"the external forces": parts}


def _cross(a: Array) -> Array:
    """Matrix of the cross product with a vector (3,) on the left."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
