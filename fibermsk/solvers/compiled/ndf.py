"""Implicit multistep integration of systems that can march without Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk.solvers.compiled.base import CompiledMethod
from fibermsk.solvers.compiled.tableau import tableau


@dataclass(frozen=True)
class NDF(CompiledMethod):
    """Stiff multistep method, adaptive in step and order, for rigid bodies with line muscles.

    Steps are not limited by stiff tendons, and evaluate the paths of the muscles once; the whole
    run is one compiled loop, compiled at the first run. What the loop does not have is refused by
    name, as by `Explicit`.

    Numerical differentiation formulas of Shampine and Reichelt, SIAM Journal on Scientific
    Computing 18 (1997), 1-22. Frames between steps are interpolated with the order of the step.

    Parameters
    ----------
    tolerance : float
        Largest root mean square of the estimated errors of a step: over the values of the unknowns,
        or over 1 rad, 1 m, 1 rad/s, 1 m/s and the scales of the states where these are larger; in
        [1e-13, 0.1].
    longest : float
        Longest step [s]; positive.
    order : int
        Largest order, 1 to 5. Orders 1 and 2 damp fast oscillations of any frequency.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.NDF(tolerance=1e-7).name
    'ndf'
    """

    order: int = 5

    name = "ndf"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.count("NDF", "order", self.order, 5)

    def start(self, engine: Any, settings: tuple[Any, ...]) -> Any:
        """Run of an engine; see the base class."""
        return engine.stiff_run(tableau(), self.order, settings)
