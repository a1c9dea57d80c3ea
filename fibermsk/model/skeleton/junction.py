"""Points without extent that join ends of fibers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.body import Body, Station
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.joint import FunctionalJoint, Joint


@dataclass(frozen=True, eq=False, repr=False)
class Junction(Described):
    """A point that joins ends of fibers and moves freely.

    `Model.add` adds a body and a joint with three translations, both with the junction's name. The
    ends attached to it have one position; their forces balance, but for the inertia of `mass`. They
    transmit no moment: fibers may have a kink there, also those with bending stiffness. Fibers that
    share a junction do not touch each other in contacts.

    Parameters
    ----------
    name : str
        Name of the body and the joint; the coordinates are ``name_tx``, ``name_ty``, ``name_tz``.
    parent : Body
        The ground, or the body in whose frame the coordinates are.
    position : (3,) array_like
        Position at the start, parent frame [m].
    velocity : (3,) array_like
        Velocity at the start relative to the parent, parent frame [m/s].
    mass : float, optional
        Point mass [kg]; positive. If left out, the only mass is that of the fibers.

    Attributes
    ----------
    body : Body
        The point.
    joint : FunctionalJoint
        Its translations.
    station : Station
        The point as an attachment; a `Fiber` takes the junction itself too.

    Raises
    ------
    ModelError
        If a field lies outside its range. `build` refuses a junction without mass at which no fiber
        ends, since nothing would determine its motion.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("Y")
    >>> knot = model.add(fm.Junction("knot", model.ground, (0, 0, -0.1)))
    >>> tissue = fm.Tissue(1060, fm.KelvinVoigt(1e5, 1e2), prestress=1e4)
    >>> for k, x in enumerate((-0.05, 0.05)):
    ...     ends = (model.ground.at(x, 0, 0), knot)
    ...     arm = fm.Fiber(f"arm {k}", attach=ends, radius=2e-3, n_elements=4, tissue=tissue)
    ...     arm = model.add(arm)

    Notes
    -----
    The coordinates p of the point are unknowns, and the end nodes are eliminated: x_D = p, so that
    the rows of all ends add up in those of the point. See ``docs/theory.md``, Junctions.
    """

    name: str
    parent: Body
    position: ArrayLike = number("m", shape=(3,))
    velocity: ArrayLike = number("m/s", shape=(3,), default=(0.0, 0.0, 0.0))
    mass: float | None = number("kg", POSITIVE, default=None)
    body: Body = field(init=False, repr=False)
    joint: FunctionalJoint = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = f"junction {_check.item_name('junction', self.name)!r}"
        _check.instance(owner, "parent", self.parent, Body, "a Body, such as model.ground")
        _check.store(self, **checked(self, owner))
        inertia = None if self.mass is None else np.zeros(3)
        body = Body(self.name, self.mass, inertia=inertia)
        starts = zip("xyz", np.asarray(self.position), np.asarray(self.velocity), strict=True)
        own = [Coordinate(f"{self.name}_t{i}", "translation", x, v) for i, x, v in starts]
        axes = [
            Axis("translation", along, one.name) for one, along in zip(own, np.eye(3), strict=True)
        ]
        joint = FunctionalJoint(self.name, self.parent, body, own, axes)
        _check.store(self, body=body, joint=joint)

    @property
    def station(self) -> Station:
        """The point as an attachment."""
        return self.body.at(0.0, 0.0, 0.0)


def is_junction(body: Body, joint: Joint | None) -> bool:
    """Whether a body is a point without extent that its joint moves by three translations."""
    if not isinstance(joint, FunctionalJoint) or (
        body.inertia is not None and np.any(body.inertia)
    ):
        return False
    kinds = [axis.kind for axis in joint.axes if axis.pairs]
    own = {coordinate.name for coordinate in joint.coordinates}
    moving = [axis.direction for axis in joint.axes if axis.pairs]
    return (
        kinds == ["translation"] * 3
        and len(own) == 3
        and not joint.quaternion
        and {name for axis in joint.axes for name, _ in axis.pairs} == own
        and bool(np.linalg.matrix_rank(np.array(moving)) == 3)
    )
