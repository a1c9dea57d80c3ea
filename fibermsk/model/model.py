"""The model: bodies, joints, fibers, contacts and elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, TypeVarTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check, _plausible
from fibermsk._numbers import Number
from fibermsk.errors import ModelError
from fibermsk.model.by_name import ByName
from fibermsk.model.contact import Contact, items_of
from fibermsk.model.element import Acts, Element
from fibermsk.model.items import KINDS, Items
from fibermsk.model.muscles.fiber import Fiber
from fibermsk.model.muscles.line_muscle import LineMuscle, bodies_of, coordinates_of
from fibermsk.model.names import Named, Names
from fibermsk.model.skeleton.body import Body, Station
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.coupling import Coupling, check_coupling
from fibermsk.model.skeleton.joint import JOINTS, Joint
from fibermsk.model.skeleton.junction import Junction, is_junction
from fibermsk.model.skeleton.marker import Marked, Marker
from fibermsk.model.summary import SummaryOfModel

Addable = Body | Joint | Junction | Coupling | Fiber | LineMuscle | Contact | Marker | Acts
Item = TypeVar("Item", bound=Addable)
Second = TypeVar("Second", bound=Addable)
Others = TypeVarTuple("Others")

GRAVITY = Number("m/s^2", shape=(3,))


class Model(ByName, Marked, SummaryOfModel):
    """Bodies, joints, fibers, contacts and elements of one simulation.

    Items are also found by their names: ``model.fibers["biceps_1"]``.

    Parameters
    ----------
    name : str
        Name of the model.
    gravity : (3,) array_like
        Acceleration of gravity, ground frame [m/s^2].
    ground : Body, optional
        The ground, if it has shapes; its name must be "ground".
    meant : sequence of str
        Quantities that are intentionally outside the plausible range, such as "muscle stress":
        `build` does not warn about them; ``docs/plausibility.md`` lists their names.

    Attributes
    ----------
    import_report : object or None
        Report of the importer that read the model.
    """

    def __init__(
        self,
        name: str,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        *,
        ground: Body | None = None,
        meant: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.gravity = gravity
        ground = Body("ground") if ground is None else ground
        _check.instance(self._owner, "ground", ground, Body, "a Body or None")
        if ground.name != "ground":
            _check.refuse(self._owner, "ground", ground, "have the name 'ground'")
        self._ground = ground
        self.meant = _plausible.names(self._owner, "meant", meant)
        self._bodies: list[Body] = [self.ground]
        self._joints: list[Joint] = []
        self._joint_of: dict[Body, Joint] = {}
        self._fibers: list[Fiber] = []
        self._contacts: list[Contact] = []
        self._couplings: list[Coupling] = []
        self._muscles: list[LineMuscle] = []
        self._elements: list[Element] = []
        self._markers: list[Marker] = []
        self._coordinates: dict[str, Coordinate] = {}
        self._names = Names(ground)
        self.import_report: Any = None

    @property
    def name(self) -> str:
        """Name of the model; it may be set."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = _check.name("model", name)

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration of gravity (3,), ground frame [m/s^2], read-only; it may be set."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._gravity = GRAVITY.checked(self._owner, "gravity", gravity, GRAVITY.unit_of(self))

    @property
    def ground(self) -> Body:
        """The body that never moves."""
        return self._ground

    @property
    def bodies(self) -> Items[Body]:
        """Bodies in the order they were added, the ground first."""
        return Items(self._bodies, "body")

    @property
    def joints(self) -> Items[Joint]:
        """Joints in the order they were added."""
        return Items(self._joints, "joint")

    @property
    def coordinates(self) -> Items[Coordinate]:
        """Coordinates of all joints, in the order of the joints."""
        return Items(self._coordinates.values(), "coordinate")

    @property
    def couplings(self) -> Items[Coupling]:
        """Couplings in the order they were added."""
        return Items(self._couplings, "coupling")

    @property
    def fibers(self) -> Items[Fiber]:
        """Fibers in the order they were added."""
        return Items(self._fibers, "fiber")

    @property
    def muscles(self) -> Items[LineMuscle]:
        """Line muscles in the order they were added; only those with a law exert forces."""
        return Items(self._muscles, "muscle")

    @property
    def acting_muscles(self) -> tuple[LineMuscle, ...]:
        """Line muscles that exert forces: those with a law, unless fibers are in their place."""
        return self._muscles_that_have("law")

    @property
    def massive_muscles(self) -> tuple[LineMuscle, ...]:
        """Line muscles with mass, unless fibers are in their place."""
        return self._muscles_that_have("mass")

    @property
    def idle_muscles(self) -> tuple[LineMuscle, ...]:
        """Line muscles without law, mass and fibers in their place, unless their file disables one.

        They exert no force; results report their paths.
        """
        doing = {muscle.name for muscle in (*self.acting_muscles, *self.massive_muscles)}
        doing |= self.muscles_with_fibers
        return tuple(
            muscle
            for muscle in self._muscles
            if muscle.name not in doing and muscle.parameters.get("appliesForce") is not False
        )

    def _muscles_that_have(self, field: str) -> tuple[LineMuscle, ...]:
        """Line muscles with a field, unless fibers are in their place."""
        replaced = self.muscles_with_fibers
        found = (one for one in self._muscles if one.name not in replaced)
        return tuple(one for one in found if getattr(one, field) is not None)

    @property
    def muscles_with_fibers(self) -> set[str]:
        """Names of line muscles that fibers stand for: those of "biceps" are "biceps_1" and so on.

        Such a muscle exerts no force of its own.
        """
        fibers = {fiber.name.rpartition("_")[0] for fiber in self._fibers}
        return {muscle.name for muscle in self._muscles} & fibers

    @property
    def elements(self) -> Items[Element]:
        """Springs, loads, controllers and user-defined elements in the order they were added."""
        return Items(self._elements, "element")

    @property
    def contacts(self) -> Items[Contact]:
        """Contacts in the order they were added."""
        return Items(self._contacts, "contact")

    @overload
    def add(self, item: Item, /) -> Item: ...

    @overload
    def add(
        self, first: Item, second: Second, /, *others: *Others
    ) -> tuple[Item, Second, *Others]: ...

    @overload
    def add(self, *items: Addable) -> Any: ...

    def add(self, *items: Any) -> Any:  # pyright: ignore[reportInconsistentOverload]
        """Add bodies, joints, fibers, contacts and other items, after those they refer to.

        Parameters
        ----------
        *items : Body, joint, Junction, Coupling, Fiber, LineMuscle, Contact, Marker or element
            Added in this order; items before a refused one remain.

        Returns
        -------
        item : the same object, or a tuple of them
            The item, or a tuple of several.

        Raises
        ------
        ModelError
            If a name is taken, an item refers to one that is not in this model, a body would get a
            second joint, joints would close a loop, a coordinate would follow two others or itself,
            or a pair would get a second contact.
        """
        for item in items:
            if isinstance(item, Junction):
                self.add(item.body, item.joint)
            elif isinstance(item, Body):
                self._names.check_new(self._owner, item)
                self._bodies.append(item)
            elif isinstance(item, JOINTS):
                self._check_joint(item)
                self._joints.append(item)
                self._joint_of[item.child] = item
                self._coordinates.update({c.name: c for c in item.coordinates})
            elif isinstance(item, Coupling):
                check_coupling(self._owner, self._coordinates, self._couplings, item)
                self._couplings.append(item)
            elif isinstance(item, Fiber):
                self._names.check_new(self._owner, item)
                for station in item.attach:
                    if isinstance(station, Station):
                        self._names.check_known(_check.show(item), self._owner, station.body)
                self._fibers.append(item)
            elif isinstance(item, LineMuscle):
                self._check_muscle(item)
                self._muscles.append(item)
            elif isinstance(item, Contact):
                self._check_contact(item)
                self._contacts.append(item)
            elif isinstance(item, Marker):
                self._add_marker(self._owner, item)
            elif callable(getattr(type(item), "contribute", None)):
                self._check_element(item)
                self._elements.append(item)
            else:
                many = isinstance(item, tuple | list)
                remedy = "unpack the sequence: add(*items)" if many else ""
                must = "be a Body, a joint, a Junction, a Coupling, a Fiber, a LineMuscle, a "
                must += "Contact, a Marker or an element such as a PointSpring"
                _check.refuse(self._owner, "add", item, must, remedy=remedy)
            if isinstance(item, Named):
                self._names.add(item)
        return items[0] if len(items) == 1 else items

    def copy(self, instead: Callable[[Any], Any] = lambda item: item) -> Model:
        """Shallow copy of the model: adding to it does not change this one.

        `instead` maps an item to its replacement, with the same name and references.
        """
        copy = Model.__new__(Model)
        copy._name, copy._gravity, copy._ground = self._name, self._gravity, instead(self._ground)
        for kind in KINDS:
            setattr(copy, f"_{kind}", [instead(item) for item in getattr(self, f"_{kind}")])
        copy._coordinates = {c.name: c for joint in copy._joints for c in joint.coordinates}
        copy._joint_of = {joint.child: joint for joint in copy._joints}
        copy._names = self._names.copy(instead)
        copy.import_report, copy.meant = self.import_report, self.meant
        return copy

    @property
    def junctions(self) -> tuple[Body, ...]:
        """Bodies of the junctions of fibers, in the order they were added."""
        return tuple(body for body in self._bodies if is_junction(body, self.joint_of(body)))

    def joint_of(self, body: Body) -> Joint | None:
        """Joint whose child is a body of this model; None for the ground or without a joint."""
        return self._joint_of.get(body)

    def validate(self) -> None:
        """Check that the model is complete.

        Raises
        ------
        ModelError
            If there is nothing to simulate, a body has no joint, an axis or a coupling names a
            coordinate that no joint has, or a joint moves bodies without any mass, or a body with
            mass and no inertia.
        """
        for body in self._bodies[1:]:
            if self.joint_of(body) is None:
                raise ModelError(
                    f"{self._owner}: body {body.name!r} has no joint; must be connected to the "
                    f"ground or to another body; add a Weld or a Hinge with this child"
                )
        heavy: set[Joint] = set()
        for body in self._bodies[1:]:
            moved_by = [joint for joint in self._chain(body) if joint.axes or joint.coordinates]
            if body.mass is None or not moved_by:
                continue
            heavy.update(moved_by)
            if body.inertia is None:
                remedy = f"{_check.show(moved_by[0])} moves this body"
                _check.refuse(f"body {body.name!r}", "inertia", None, "be given", remedy=remedy)
        ends = {end.body for f in self._fibers for end in f.attach if isinstance(end, Station)}
        for joint in self._joints:
            self._check_axes(joint)
            if joint.coordinates and joint not in heavy:
                if is_junction(joint.child, joint):
                    if joint.child in ends:
                        continue  # its mass is that of the fibers
                    must = "be the end of one fiber or more, or have a mass"
                    _check.refuse(f"junction {joint.name!r}", "fibers", 0, must)
                carried = "it or a body that it carries"
                remedy = f"{_check.show(joint)} moves this body: give {carried} mass and inertia"
                if all(body.mass is None for body in self._bodies):
                    remedy += (
                        f"; none of the {len(self._bodies) - 1} bodies of the model has a mass"
                    )
                owner = f"body {joint.child.name!r}"
                _check.refuse(owner, "mass", None, "be given", remedy=remedy)
        if not self._fibers and not self._coordinates:
            raise ModelError(f"{self._owner}: nothing can move; must have a fiber or a joint")

    @property
    def _owner(self) -> str:
        return f"model {self.name!r}"

    def _chain(self, body: Body) -> Iterator[Joint]:
        """Joints from a body down to the ground."""
        joint = self.joint_of(body)
        while joint is not None:
            yield joint
            joint = self.joint_of(joint.parent)

    def _check_joint(self, joint: Joint) -> None:
        """Check that a joint connects a new child to the tree."""
        owner = _check.show(joint)
        self._names.check_new(self._owner, joint)
        self._names.check_known(owner, self._owner, joint.parent)
        self._names.check_known(owner, self._owner, joint.child)
        if joint.child is self.ground:
            must, remedy = "not be the ground", "make it the parent"
            _check.refuse(owner, "child", joint.child, must, remedy=remedy)
        other = self.joint_of(joint.child)
        if other is not None:
            must = f"be the child of one joint; it already is that of {_check.show(other)}"
            _check.refuse(owner, "child", joint.child, must)
        for coordinate in joint.coordinates:
            if coordinate.name in self._coordinates:
                must = "have a unique name in the model"
                remedy = "give the joint a coordinate of another name"
                _check.refuse(owner, "coordinate", coordinate.name, must, remedy=remedy)
        chain = list(self._chain(joint.parent))
        if any(above.parent is joint.child for above in chain):
            names = ", ".join(_check.show(above) for above in chain)
            must = f"not be an ancestor of its parent, as it is by {names}"
            _check.refuse(owner, "child", joint.child, must, remedy="joints form a tree")

    def _check_axes(self, joint: Joint) -> None:
        """Check that the axes of a joint name coordinates of the model, but no quaternion."""
        for axis in joint.axes:
            for name, _ in axis.pairs:
                coordinate = self._coordinates.get(name)
                if coordinate is None or coordinate.kind == "quaternion":
                    must = "be a coordinate of a joint of the model"
                    if coordinate is not None:
                        must = "not be part of a quaternion"
                    _check.refuse(_check.show(joint), "coordinate of an axis", name, must)

    def _check_muscle(self, muscle: LineMuscle) -> None:
        """Check that a line muscle is new and refers to items of this model."""
        self._names.check_new(self._owner, muscle)
        owner = f"line muscle {muscle.name!r}"
        for body in bodies_of(muscle):
            self._names.check_known(owner, self._owner, body)
        for name in coordinates_of(muscle):
            if name not in self._coordinates:
                must = f"be a coordinate of {self._owner}"
                _check.refuse(owner, "coordinate of a path point", name, must)

    def _check_element(self, element: Element) -> None:
        """Check that an element has a unique name and acts on items of this model."""
        name = _check.item_name("element", element.name)
        owner = f"element {name!r}"
        if any(other.name == name for other in self._elements):
            _check.refuse(owner, "name", name, "be unique among the elements of the model")
        for body in element.bodies:
            self._names.check_known(owner, self._owner, body)
        for coordinate in element.coordinates:
            if coordinate not in self._coordinates:
                known = f"the model has: {', '.join(self._coordinates) or 'none'}"
                must = f"be one of {self._owner}, added before"
                _check.refuse(owner, "coordinate", coordinate, must, remedy=known)

    def _check_contact(self, contact: Contact) -> None:
        """Check that a contact names items of this model and brings new pairs only."""
        if any(contact is other for other in self._contacts):
            raise ModelError(f"{self._owner}: contact is already in the model; must be added once")
        if contact.name and any(contact.name == other.name for other in self._contacts):
            _check.refuse("contact", "name", contact.name, "be unique among those of the model")
        for fiber in items_of(contact.first):
            self._names.check_known("contact", self._owner, fiber)
        for item in items_of(contact.second):
            self._names.check_known("contact", self._owner, item)
        for other in self._contacts:
            pair = contact.shared_pair(other)
            if pair is not None:
                raise ModelError(
                    f"contact: {_check.show(pair[0])} with {_check.show(pair[1])} is already a "
                    "pair of an earlier contact; must be listed once"
                )
