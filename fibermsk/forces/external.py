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
from fibermsk._shown import Described
from fibermsk.model import Body
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import BodyPoints

Given = Callable[[float], ArrayLike] | ArrayLike
_UNITS = {"force": "N", "torque": "N m", "at": "m"}


@dataclass(frozen=True, eq=False, repr=False)
class ExternalForce(Described):
    """External force at a point of a body, and external torque.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    body : Body
        Body on which it acts.
    force : (3,) array_like or callable
        Force [N], or a function of time [s] that returns it.
    at : (3,) array_like or callable
        Point of application [m], or a function of time [s] that returns it.
    torque : (3,) array_like or callable
        Torque [N m], or a function of time [s] that returns it.
    frame : {'ground', 'body'}
        Frame in which force and torque are expressed.
    at_frame : {'body', 'ground'}
        Frame of the point: one of the body moves with it; one of the ground does not, such as the
        center of pressure under a foot.

    Examples
    --------
    >>> import fibermsk as fm
    >>> hand = fm.Body("hand", 0.5, (0, 0, 0), (1e-3, 1e-3, 1e-3))
    >>> load = fm.ExternalForce("load", hand, lambda t: (0.0, 0.0, -20.0 * min(t, 1.0)))
    """

    name: str
    body: Body
    force: Given = number("N", shape=(3,), varies=True, default=(0.0, 0.0, 0.0))
    at: Given = number("m", shape=(3,), varies=True, default=(0.0, 0.0, 0.0))
    torque: Given = number("N m", shape=(3,), varies=True, default=(0.0, 0.0, 0.0))
    frame: Literal["ground", "body"] = "ground"
    at_frame: Literal["body", "ground"] = "body"

    coordinates = ()

    def __post_init__(self) -> None:
        owner = self._owner
        _check.instance(owner, "body", self.body, Body, "a Body")
        _check.store(self, **checked(self, owner))
        for field in ("frame", "at_frame"):
            _check.choice(owner, field, getattr(self, field), ("ground", "body"))

    @property
    def _owner(self) -> str:
        return f"external force {_check.item_name('external force', self.name)!r}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Body on which it acts."""
        return (self.body,)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """Force, torque and point, if they are functions."""
        given = (_Signal(self, field) for field in _UNITS)
        return tuple((one.field, one) for one in given if one.varies)

    def value(self, field: str, t: float) -> Array:
        """Evaluate force, torque or point at a time [s], (3,).

        Raises
        ------
        ModelError
            If a function does not return three finite numbers.
        """
        given = getattr(self, field)
        if not callable(given):
            return given
        return _check.array(f"{self._owner} at t = {t:g} s", field, given(t), (3,), _UNITS[field])

    def contribute(self, configuration: Configuration) -> _Load:
        """Create the contribution."""
        return _Load(self, configuration)


class _Signal:
    """Checked force, torque or point from a function, with its breakpoints."""

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
        self._port = BodyPoints(configuration, (load.body.at((0.0, 0.0, 0.0)),))
        link, R, _ = configuration.tree.frames[load.body.name]
        self._link, self._rotation = int(link), R

    def _given(self, at: At, origin: Array) -> tuple[Array, Array, Array]:
        """Force, torque, and point relative to the origin of the body; ground frame."""
        load, link = self._load, self._link
        force, torque, point = (load.value(field, at.t) for field in _UNITS)
        R = self._rotation if link < 0 else at.motion.links.rotation[link] @ self._rotation
        if load.frame == "body":
            force, torque = R @ force, R @ torque
        return force, torque, R @ point if load.at_frame == "body" else point - origin

    def fields(self, at: At) -> dict[str, Array]:
        """Force, torque and point of application in ground."""
        origin = self._port.at(at).x[0]
        force, torque, arm = self._given(at, origin)
        return {"force": force, "torque": torque, "position": origin + arm}

    def add(self, at: At, sums: Sums) -> None:
        """Add force and torque and their derivatives."""
        load, tree, links = self._load, self._skeleton.tree, at.motion.links
        placed = self._port.at(at)
        force, own, arm = self._given(at, placed.x[0])
        torque = own + np.cross(arm, force)  # about the origin of the body
        # derivative of the body's angular velocity in the speeds of the axes
        W = np.zeros((3, tree.n))
        if self._link >= 0:
            moving = tree.moves[self._link]
            W[:, moving] = links.S[moving, :3].T
        none = np.zeros((3, 3))
        self._port.push(at, placed, sums, force[None], none, none)
        sums.axes.force[:] -= W.T @ torque
        if sums.slopes is None:
            return
        C, force_x = placed.C[0], _cross(force)
        arm_turns = -_cross(arm) @ W if load.at_frame == "body" else -C
        by_axes = -force_x @ arm_turns  # derivative of the torque
        dq = np.zeros((tree.n, tree.n))
        if load.frame == "body":
            turned = -force_x @ W
            by_axes += _cross(arm) @ turned - _cross(own) @ W
            dq -= C.T @ turned
        dq -= W.T @ by_axes
        # axis j rotates with axis k if k precedes it
        dq -= tree.moves * (np.cross(W.T, torque) @ W)
        sums.follow_axes(self._skeleton, at.motion, dq, np.zeros_like(dq))

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Body, point and frame, and force and torque over time."""
        load = self._load
        given = [load.value(field, float(t)) for field in _UNITS for t in times]
        frames = load.frame, load.at_frame
        parts = [load.name, *frames, self._port.link, self._port.local, given]
        return {"the external forces": parts}


def _cross(a: Array) -> Array:
    """Matrix of the cross product with a vector (3,) on the left."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
