"""The model: bodies, joints, fibers and contacts that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk.errors import ModelError
from fibermsk.laws import _check
from fibermsk.model.body import Body, Station
from fibermsk.model.contact import Contact, items_of
from fibermsk.model.fiber import Fiber
from fibermsk.model.joint import Hinge, Joint, Weld

__all__ = ["Model"]


class Model:
    """Everything that is simulated together.

    Parameters
    ----------
    name : str
        Name of the model.
    gravity : (3,) array_like
        Acceleration of gravity, ground frame [m/s^2].

    Attributes
    ----------
    name : str
        Name of the model.
    gravity : (3,) float array
        Acceleration of gravity, ground frame [m/s^2]; read-only.
    ground : Body
        The body that never moves, named "ground"; its frame is the ground frame.

    Raises
    ------
    ModelError
        If the name is blank or gravity is not three finite numbers.
    """

    name: str
    gravity: np.ndarray
    ground: Body

    def __init__(self, name: str, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self.name = _check.name("model", name)
        self.gravity = _check.array(self._owner, "gravity", gravity, (3,), "m/s^2")
        self.ground = Body("ground")
        self._bodies: list[Body] = [self.ground]
        self._joints: list[Joint] = []
        self._fibers: list[Fiber] = []
        self._contacts: list[Contact] = []
        self._named: dict[str, Body | Joint | Fiber] = {self.ground.name: self.ground}

    def __repr__(self) -> str:
        """Name and numbers of items."""
        return (
            f"Model({self.name!r}: {len(self._bodies)} bodies, {len(self._joints)} joints, "
            f"{len(self._fibers)} fibers, {len(self._contacts)} contacts)"
        )

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies in the order they were added, the ground first."""
        return tuple(self._bodies)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Joints in the order they were added."""
        return tuple(self._joints)

    @property
    def fibers(self) -> tuple[Fiber, ...]:
        """Fibers in the order they were added."""
        return tuple(self._fibers)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Contacts in the order they were added."""
        return tuple(self._contacts)

    def add(self, *items: Any) -> Any:
        """Add bodies, joints, fibers and contacts, each after what it refers to.

        Parameters
        ----------
        *items : Body, Hinge, Weld, Fiber or Contact
            Added in this order; those before a refused item stay.

        Returns
        -------
        item : the same object, or a tuple of them
            The one item, or a tuple of several.

        Raises
        ------
        ModelError
            If a name is taken, an item refers to what was not added to this model, a body would
            get a second joint, joints would close a loop, or a pair would get a second contact.
        """
        for item in items:
            if isinstance(item, Body):
                self._check_new(item)
                self._bodies.append(item)
                self._named[item.name] = item
            elif isinstance(item, Weld | Hinge):
                self._check_joint(item)
                self._joints.append(item)
                self._named[item.name] = item
            elif isinstance(item, Fiber):
                self._check_new(item)
                for station in item.attach:
                    if isinstance(station, Station):
                        self._check_known(_check.show(item), station.body)
                self._fibers.append(item)
                self._named[item.name] = item
            elif isinstance(item, Contact):
                self._check_contact(item)
                self._contacts.append(item)
            else:
                remedy = "add(*items) takes a sequence apart" if np.iterable(item) else ""
                must = "be a Body, Hinge, Weld, Fiber or Contact"
                _check.refuse(self._owner, "add", item, must, remedy=remedy)
        return items[0] if len(items) == 1 else items

    def copy(self) -> Model:
        """Another model with the same items, to which adding does not change this one."""
        copy = Model.__new__(Model)
        copy.name, copy.gravity, copy.ground = self.name, self.gravity, self.ground
        copy._bodies, copy._joints = list(self._bodies), list(self._joints)
        copy._fibers, copy._contacts = list(self._fibers), list(self._contacts)
        copy._named = dict(self._named)
        return copy

    def joint_of(self, body: Body) -> Joint | None:
        """Joint that a body hangs on.

        Parameters
        ----------
        body : Body
            A body of this model.

        Returns
        -------
        joint : Weld, Hinge or None
            The joint whose child it is; None for the ground or a body without joint yet.
        """
        return next((joint for joint in self._joints if joint.child is body), None)

    def validate(self) -> None:
        """Check what only shows once everything is added.

        Raises
        ------
        ModelError
            If there is nothing to simulate, a body has no joint, or a hinge moves bodies without
            any mass, or a body with mass and no inertia.
        """
        for body in self._bodies[1:]:
            if self.joint_of(body) is None:
                raise ModelError(
                    f"{self._owner}: body {body.name!r} has no joint; must hang on the ground or "
                    f"on another body; add a Weld or a Hinge whose child it is"
                )
        carried: dict[Joint, list[Body]] = {}
        for body in self._bodies[1:]:
            moved_by = next((joint for joint in self._chain(body) if joint.dofs), None)
            if moved_by is None:
                continue
            carried.setdefault(moved_by, []).append(body)
            if body.mass is not None and body.inertia is None:
                remedy = f"{_check.show(moved_by)} moves this body"
                _check.refuse(f"body {body.name!r}", "inertia", None, "be given", remedy=remedy)
        for joint, bodies in carried.items():
            if all(body.mass is None for body in bodies):
                remedy = f"{_check.show(joint)} moves this body"
                owner = f"body {joint.child.name!r}"
                _check.refuse(owner, "mass", None, "be given", remedy=remedy)
        if not self._fibers and not any(joint.dofs for joint in self._joints):
            raise ModelError(f"{self._owner}: nothing can move; must have a fiber or a hinge")

    @property
    def _owner(self) -> str:
        return f"model {self.name!r}"

    def _chain(self, body: Body) -> Iterator[Joint]:
        """Joints from a body down to the ground."""
        joint = self.joint_of(body)
        while joint is not None:
            yield joint
            joint = self.joint_of(joint.parent)

    def _check_new(self, item: Body | Joint | Fiber) -> None:
        """Check that an item is new and its name is free in the whole model."""
        other = self._named.get(item.name)
        if other is item:
            raise ModelError(
                f"{self._owner}: {_check.show(item)} was already added; must be added once"
            )
        if other is not None:
            remedy = "rename one of them"
            if other is self.ground:
                remedy = "use model.ground, or choose another name"
            raise ModelError(
                f"{self._owner}: name {item.name!r} of the new {type(item).__name__.lower()} "
                f"is taken by a {type(other).__name__.lower()}; must be unique; {remedy}"
            )

    def _check_known(self, owner: str, item: Body | Fiber) -> None:
        """Check that what an item refers to was added to this model."""
        other = self._named.get(item.name)
        if other is item:
            return
        kind = type(item).__name__.lower()
        remedy = f"add it first: model.add({item.name})"
        if isinstance(other, type(item)):
            remedy = f"the model holds another {kind} of this name; use the one that was added"
        raise ModelError(
            f"{owner}: unknown {kind} {item.name!r}; must belong to {self._owner}; {remedy}"
        )

    def _check_joint(self, joint: Joint) -> None:
        """Check that a joint hangs a new child on the tree."""
        owner = _check.show(joint)
        self._check_new(joint)
        self._check_known(owner, joint.parent)
        self._check_known(owner, joint.child)
        if joint.child is self.ground:
            _check.refuse(
                owner, "child", joint.child, "not be the ground", remedy="make it the parent"
            )
        other = self.joint_of(joint.child)
        if other is not None:
            must = f"hang on one joint, and hangs on {_check.show(other)} already"
            _check.refuse(owner, "child", joint.child, must)
        chain = list(self._chain(joint.parent))
        if any(above.parent is joint.child for above in chain):
            names = ", ".join(_check.show(above) for above in chain)
            must = f"not carry its parent, which hangs on it by {names}"
            _check.refuse(owner, "child", joint.child, must, remedy="joints form a tree, no loop")

    def _check_contact(self, contact: Contact) -> None:
        """Check that a contact names items of this model and brings new pairs only."""
        if any(contact is other for other in self._contacts):
            raise ModelError(f"{self._owner}: this contact was already added; must be added once")
        for fiber in items_of(contact.first):
            self._check_known("contact", fiber)
        for item in items_of(contact.second):
            self._check_known("contact", item)
        for other in self._contacts:
            pair = contact.shared_pair(other)
            if pair is not None:
                raise ModelError(
                    f"contact: {_check.show(pair[0])} with {_check.show(pair[1])} is a pair of an "
                    "earlier contact; must be listed once"
                )
