"""What methods with a compiled loop have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from fibermsk import _check


@dataclass(frozen=True)
class CompiledMethod:
    """A method whose whole run is one compiled loop; see `fibermsk.protocol.Marches`."""

    tolerance: float = 1e-6
    longest: float = math.inf

    name: ClassVar[str]
    compiled: ClassVar[bool] = True

    def __post_init__(self) -> None:
        owner = type(self).__name__
        _check.number(
            owner, "tolerance", self.tolerance,
            accept=lambda x: 1e-13 <= x <= 0.1, must="be in [1e-13, 0.1]",
        )  # fmt: skip
        if not (isinstance(self.longest, float | int) and self.longest > 0.0):
            _check.refuse(owner, "longest", self.longest, "be positive", unit="s")

    def start(self, engine: Any, settings: tuple[Any, ...]) -> Any:
        """Run of an engine with tolerance, longest step, times, positions and velocities."""
        raise NotImplementedError
