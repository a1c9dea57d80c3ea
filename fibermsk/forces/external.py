"""Forces and torques on bodies as functions of time: a load in the hand, the ground."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk import _check
from fibermsk.model import Body
from fibermsk.system.configuration import Configuration
from fibermsk.system.contributions import At, Sums
from fibermsk.system.ports import BodyPoints

__all__ = ["ExternalForce"]

Array = NDArray[np.float64]
Given = Callable[[float], ArrayLike] | ArrayLike


@dataclass(frozen=True, eq=False)
class ExternalForce:
    """Force at a point of a body, and torque on it.

    Parameters
    ----------
    name : str
        Unique among the elements of the model.
    body : Body
        What it acts on.
    force : (3,) array_like or callable
        Force [N], or a function of time [s] that gives it.
    at : (3,) array_like
        Where it acts, body frame [m].
    torque : (3,) array_like or callable
        Torque [N m], likewise.
    frame : {'ground', 'body'}
        In whose axes both are given.

    Raises
    ------
    ModelError
        If an argument is of another type or range.

    Examples
    --------
    >>> import fibermsk as fm
    >>> hand = fm.Body("hand", 0.5, (0, 0, 0), (1e-3, 1e-3, 1e-3))
    >>> load = fm.ExternalForce("load", hand, lambda t: (0.0, 0.0, -20.0 * min(t, 1.0)))
    """

    name: str
    body: Body
    force: Given = (0.0, 0.0, 0.0)
    at: ArrayLike = (0.0, 0.0, 0.0)
    torque: Given = (0.0, 0.0, 0.0)
    frame: Literal["ground", "body"] = "ground"

    def __post_init__(self) -> None:
        """Check the fields."""
        owner = self._owner
        _check.instance(owner, "body", self.body, Body, "a Body")
        _check.store(self, at=_check.array(owner, "at", self.at, (3,), "m"))
        for field, unit in (("force", "N"), ("torque", "N m")):
            if not callable(getattr(self, field)):
                value = _check.array(owner, field, getattr(self, field), (3,), unit)
                _check.store(self, **{field: value})
        _check.choice(owner, "frame", self.frame, ("ground", "body"))

    @property
    def _owner(self) -> str:
        return f"external force {_check.item_name('external force', self.name)!r}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The body that it acts on."""
        return (self.body,)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """Force and torque, where they are functions."""
        given = _Signal(self, "force"), _Signal(self, "torque")
        return tuple((one.field, one) for one in given if one.varies)

    def value(self, field: str, t: float) -> Array:
        """Force or torque at a time [s], (3,).

        Raises
        ------
        ModelError
            If a function gives something else than three finite numbers.
        """
        given = getattr(self, field)
        if not callable(given):
            return given
        unit = "N" if field == "force" else "N m"
        return _check.array(f"{self._owner} at t = {t:g} s", field, given(t), (3,), unit)

    def contribute(self, configuration: Configuration) -> _Load:
        """What pushes."""
        return _Load(self, configuration)


class _Signal:
    """A force or torque that a function gives, checked; with the corners that it tells of."""

    def __init__(self, load: ExternalForce, field: str) -> None:
        self._load, self.field = load, field
        given = getattr(load, field)
        self.varies = callable(given)
        if hasattr(given, "breakpoints"):
            self.breakpoints = given.breakpoints

    def __call__(self, t: float) -> Array:
        """Value at a time [s]."""
        return self._load.value(self.field, t)


class _Load:
    """An external force in a system."""

    def __init__(self, load: ExternalForce, configuration: Configuration) -> None:
        self._load, self._skeleton = load, configuration.skeleton
        self._port = BodyPoints(configuration, (load.body.at(load.at),))
        link, R, _ = configuration.tree.frames[load.body.name]
        self._link, self._rotation = int(link), R

    def add(self, at: At, sums: Sums) -> None:
        """Push and turn the body."""
        load, tree, links = self._load, self._skeleton.tree, at.motion.links
        force, torque = load.value("force", at.t), load.value("torque", at.t)
        # angular velocity of the body by the speeds of the axes
        W = np.zeros((3, tree.n))
        if self._link >= 0:
            own = tree.moves[self._link]
            W[:, own] = links.S[own, :3].T
        by_turn = np.zeros((3, 3))
        if load.frame == "body":
            R = self._rotation if self._link < 0 else links.rotation[self._link] @ self._rotation
            force, torque = R @ force, R @ torque
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
        # axis j turns with axis k where k carries it
        dq -= tree.moves * (np.cross(W.T, torque) @ W)
        sums.follow_axes(self._skeleton, at.motion, dq, np.zeros_like(dq))

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Where it acts, and force and torque over time."""
        load = self._load
        given = [load.value(field, float(t)) for field in ("force", "torque") for t in times]
        parts = [load.name, load.frame, self._port.link, self._port.local, given]
        return {"the external forces": parts}


def _cross(a: Array) -> Array:
    """Matrix of the cross product with a vector (3,) from the left."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
