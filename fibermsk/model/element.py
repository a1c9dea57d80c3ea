"""What a model may hold besides the items that it knows: elements that bring their own physics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

from fibermsk.model.body import Body

__all__ = ["Element"]


@runtime_checkable
class Element(Protocol):
    """A value that describes forces, and makes the contribution that computes them.

    Springs, loads and controllers of this package are such values, and so are those of a user.
    """

    @property
    def name(self) -> str:
        """Unique among the elements of a model."""
        ...

    @property
    def bodies(self) -> Iterable[Body]:
        """Bodies that it acts on, which the model must have."""
        ...

    @property
    def coordinates(self) -> Iterable[str]:
        """Coordinates that it acts on, likewise."""
        ...

    @property
    def signals(self) -> Iterable[tuple[str, Callable[[float], Any]]]:
        """Functions of time [s] that it was given, by what they are for.

        They are asked twice before a run, and may tell of their corners by `breakpoints`.
        """
        ...

    def contribute(self, configuration: Any) -> Any:
        """A `fibermsk.system.contributions.Contribution` to the system with this configuration."""
        ...
