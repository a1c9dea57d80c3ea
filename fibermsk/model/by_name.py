"""Items of a model by name, and models with other items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model.contact import Contact
from fibermsk.model.element import Element
from fibermsk.model.muscles.fiber import Fiber
from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.joint import Joint
from fibermsk.model.skeleton.marker import Marker

if TYPE_CHECKING:
    from fibermsk.model.model import Model


class ByName:
    """Lookup of the items of a `Model` by name; each raises a ModelError with similar names."""

    def body(self, name: str) -> Body:
        """Body of this name; "ground" is the ground."""
        return self._item("body", name, self._model.bodies)

    def joint(self, name: str) -> Joint:
        """Joint of this name."""
        return self._item("joint", name, self._model.joints)

    def coordinate(self, name: str) -> Coordinate:
        """Coordinate of this name."""
        return self._item("coordinate", name, self._model.coordinates)

    def fiber(self, name: str) -> Fiber:
        """Fiber of this name."""
        return self._item("fiber", name, self._model.fibers)

    def muscle(self, name: str) -> LineMuscle:
        """Line muscle of this name."""
        return self._item("muscle", name, self._model.muscles)

    def contact(self, name: str) -> Contact:
        """Contact of this name; contacts without a name are found in `Model.contacts` only."""
        named = [one for one in self._model.contacts if one.name]
        return self._item("contact", name, named)

    def element(self, name: str) -> Element:
        """Element of this name, such as a spring or a controller."""
        return self._item("element", name, self._model.elements)

    def marker(self, name: str) -> Marker:
        """Marker of this name."""
        return self._item("marker", name, self._model.markers)

    def edit(
        self,
        values: Mapping[Any, Any] | None = None,
        *,
        remove: Iterable[Any] = (),
        add: Sequence[Any] = (),
        rename: Mapping[Any, str] | None = None,
    ) -> Model:
        """Create a changed model; this one stays as it is.

        Unchanged items are shared with this model. References follow: a joint to a body with
        another mass, a contact to a fiber with another radius. First items are removed, then
        values are changed, then names, then new items are added. An item of the new model is best
        looked up there by name.

        Parameters
        ----------
        values : mapping, optional
            By path, as for `with_parameters`, a number or an array: ``{"forearm/mass": 2.0}``. Or
            by item of this model, also a coordinate, a wrap surface or a path point, its new fields
            by name, of any kind: ``{model.joint("elbow"): {"at": (0, -0.3, 0)}}``.
        remove : iterable of items
            Bodies, joints, fibers, muscles, contacts, couplings, elements or markers of this model.
            An item on which a remaining one depends is refused by the names of these; a body and
            its joint go together.
        add : sequence of items
            As for `add`. They refer to unchanged items of this model, or to items of the new one.
        rename : mapping of item to str, optional
            New names, of items that others refer to by object: all but coordinates.

        Returns
        -------
        model : Model
            The new model.

        Raises
        ------
        ModelError
            If an item is not in the model, a path or field does not exist, a value is refused by
            the description, a name is taken, or a removed item is still needed.

        Examples
        --------
        >>> import fibermsk as fm
        >>> model = fm.make_scene("upper_limb").model
        >>> heavier = model.edit({"forearm/mass": 2.0})
        >>> heavier.body("forearm").mass, model.body("forearm").mass == 2.0
        (2.0, False)
        """
        from fibermsk.parameters.edit import edit

        model = self._model
        owner = f"edit of model {model.name!r}"
        for field, value in (("values", values), ("rename", rename)):
            _check.instance(owner, field, value, (Mapping, type(None)), "a dict")
        for field, value in (("remove", remove), ("add", add)):
            if isinstance(value, str) or not isinstance(value, Iterable):
                _check.refuse(owner, field, value, "be a list of items")
        return edit(model, dict(values or {}), list(remove), list(add), dict(rename or {}))

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    def _item(self, kind: str, name: Any, items: Sequence[Any]) -> Any:
        """The item of this name."""
        owner = f"model {self._model.name!r}"
        _check.instance(owner, kind, name, str, "a name")
        for item in items:
            if item.name == name:
                return item
        known = [one.name for one in items]
        hint = _check.similar(name, known)
        words = f"no {kind} {name!r}{hint}"
        if not hint:
            words = _check.missing(kind, name, known, "the model has")
        raise ModelError(f"{owner}: {words}")
