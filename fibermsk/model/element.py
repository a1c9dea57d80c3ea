"""Protocol of elements, which add their own forces to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

from fibermsk.model.skeleton.body import Body


@runtime_checkable
class Element(Protocol):
    """Description of forces that creates the contribution computing them.

    Springs, loads and controllers of this package are elements; users can define their own.
    """

    @property
    def name(self) -> str:
        """Name, unique among the elements of a model."""
        ...

    @property
    def bodies(self) -> Iterable[Body]:
        """Bodies on which it acts; they must belong to the model."""
        ...

    @property
    def coordinates(self) -> Iterable[str]:
        """Names of coordinates on which it acts; they must belong to the model."""
        ...

    @property
    def signals(self) -> Iterable[tuple[str, Callable[[float], Any]]]:
        """Functions of time [s] that it uses, with names for messages.

        They are evaluated twice before a run; an attribute `breakpoints` lists their corners.
        """
        ...

    def contribute(self, configuration: Any) -> Any:
        """Create a `fibermsk.system.contribution.Contribution` for this configuration."""
        ...


class Acts(Protocol):
    """The part of an `Element` by which a model knows it."""

    def contribute(self, configuration: Any, /) -> Any:
        """See `Element.contribute`."""
        ...
