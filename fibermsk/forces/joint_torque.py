"""Torques and damping between the bodies of spherical and free joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import Body, FunctionalJoint
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums


@dataclass(frozen=True, eq=False, repr=False)
class JointTorque(Described):
    """Torque across a spherical or free joint, and viscous damping of its rotation.

    The torque acts on the child, and the opposite one on the parent.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    joint : FunctionalJoint
        The joint, such as `fm.Spherical` returns.
    torque : (3,) array_like or callable
        Torque in the axes of the parent [N m], or a function of time [s] that returns it.
    damping : float
        Torque over the angular velocity of the child relative to its parent, and against it
        [N m s/rad].

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("arm")
    >>> humerus = fm.Body("humerus", 2.0, (0, 0, -0.13), (0.015, 0.015, 0.0025))
    >>> shoulder = fm.Spherical("shoulder", model.ground, humerus, (0, 0, 1.4))
    >>> model.add(humerus, shoulder, fm.JointTorque("friction", shoulder, damping=1.0))[2].name
    'friction'
    """

    name: str
    joint: FunctionalJoint
    torque: Callable[[float], ArrayLike] | ArrayLike = number(
        "N m", shape=(3,), varies=True, default=(0.0, 0.0, 0.0)
    )
    damping: float = number("N m s/rad", NON_NEGATIVE, default=0.0)

    def __post_init__(self) -> None:
        owner = self._owner
        _check.instance(owner, "joint", self.joint, FunctionalJoint, "a FunctionalJoint")
        if not self.joint.quaternion:
            remedy = "coordinates of other joints have fm.CoordinateActuator and fm.Damper"
            must = "be spherical or free"
            _check.refuse(owner, "joint", self.joint.name, must, remedy=remedy)
        _check.store(self, **checked(self, owner))

    @property
    def _owner(self) -> str:
        return f"joint torque {_check.item_name('joint torque', self.name)!r}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Parent and child of the joint."""
        return self.joint.parent, self.joint.child

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates of the rotation."""
        return tuple(self.joint.quaternion)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The torque, if it is a function."""
        return (("torque", _Signal(self)),) if callable(self.torque) else ()

    def value(self, t: float) -> Array:
        """Torque at a time [s], (3,).

        Raises
        ------
        ModelError
            If a function does not return three finite numbers.
        """
        given: Any = self.torque
        if not callable(given):
            return given
        return _check.array(f"{self._owner} at t = {t:g} s", "torque", given(t), (3,), "N m")

    def contribute(self, configuration: Configuration) -> _Turn:
        """Create the contribution."""
        return _Turn(self, configuration)


class _Signal:
    """Checked torque from a function, with its breakpoints."""

    def __init__(self, torque: JointTorque) -> None:
        self._torque = torque
        given: Any = torque.torque
        if hasattr(given, "breakpoints"):
            self.breakpoints = given.breakpoints

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s]."""
        return self._torque.value(t)


class _Acting(NamedTuple):
    """Torque at one state, ground frame."""

    axes: Array  # (3, 3) directions of the three axes, rows
    speeds: Array  # (3,) of the axes
    velocity: Array  # (3,) of the child relative to the parent
    torque: Array  # (3,) on the child


class _Turn:
    """Contribution of a torque: on the three axes into which the tree divides a rotation."""

    reports = (Field("torque", "N m", "joint torque", "torque on the child, in ground", (3,)),)

    def __init__(self, torque: JointTorque, configuration: Configuration) -> None:
        self._torque, self._skeleton = torque, configuration.skeleton
        frames, joint = configuration.tree.frames, torque.joint
        last, _, _ = frames[joint.child.name]
        self._own = slice(last - 2, last + 1)
        self._link, self._rotation, _ = frames[joint.parent.name]

    def _acting(self, at: At) -> _Acting:
        links, own = at.motion.links, self._own
        R = self._rotation
        if self._link >= 0:
            R = links.rotation[self._link] @ R
        axes, speeds = links.S[own, :3], at.motion.speed[own]
        velocity = speeds @ axes
        torque = R @ self._torque.value(at.t) - self._torque.damping * velocity
        return _Acting(axes, speeds, velocity, torque)

    def fields(self, at: At) -> dict[str, Array]:
        """Torque on the child in ground."""
        return {"torque": self._acting(at).torque}

    def add(self, at: At, sums: Sums) -> None:
        """Add the torque and its derivatives."""
        S, speeds, _, torque = self._acting(at)
        sums.axes.force[self._own] -= S @ torque
        if sums.slopes is None:
            return
        n, own, damping = self._skeleton.tree.n, self._own, self._torque.damping
        dq, dp = np.zeros((n, n)), np.zeros((n, n))
        # axis j rotates with axis k if k precedes it; a common rotation changes nothing
        turned = np.cross(S[None], S[:, None])  # [j, k]: axis k times axis j
        before = np.tri(3, k=-1)[:, :, None] * turned
        swept = np.einsum("jkx,j->kx", before, speeds)  # derivative of the velocity in axis k
        dq[own, own] = -before @ torque + damping * S @ swept.T
        dp[own, own] = damping * S @ S.T
        sums.follow_axes(self._skeleton, at.motion, dq, dp)

    def fingerprint(self, times: NDArray[Any]) -> dict[str, list[Any]]:
        """Joint, damping and torque."""
        own = self._torque
        given = [own.value(float(t)) for t in times]
        return {"the joint torques": [own.name, own.joint.name, own.damping, given]}
