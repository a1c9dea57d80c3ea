"""Explicit integration of systems that can march without Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fibermsk.solvers.compiled.base import CompiledMethod
from fibermsk.solvers.compiled.tableau import tableau


@dataclass(frozen=True)
class Explicit(CompiledMethod):
    """Fifth order, explicit, with adaptive steps, for rigid bodies with line muscles.

    The whole run is one compiled loop, compiled at the first run. What the loop does not have is
    refused by name: fibers, contact and other elements, the mass of muscles, prescribed
    coordinates, couplings with multipliers, quaternions, laws and wrapping surfaces of the user,
    excitations that are functions or reflexes, and muscles of several kinds.

    Dormand and Prince, Journal of Computational and Applied Mathematics 6 (1980), 19-26, with
    Gustafsson's control of the steps. Frames between steps are of fourth order.

    Parameters
    ----------
    tolerance : float
        Largest root mean square of the estimated errors of a step: over the values of the unknowns,
        or over 1 rad, 1 m, 1 rad/s, 1 m/s and the scales of the states where these are larger; in
        [1e-13, 0.1].
    longest : float
        Longest step [s]; positive.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.Explicit(tolerance=1e-8).name
    'explicit'
    """

    name = "explicit"

    def start(self, engine: Any, settings: tuple[Any, ...]) -> Any:
        """Run of an engine; see the base class."""
        return engine.explicit_run(tableau(), settings)
