"""Which description the paths of muscles have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, Checked, number
from fibermsk.control.mechanics.directors import Directors
from fibermsk.control.muscles.exact import ExactPath, not_exact
from fibermsk.control.muscles.fitted import FittedPath, fitted_paths
from fibermsk.control.muscles.geodesic import DiscretePath
from fibermsk.control.muscles.path import MusclePath
from fibermsk.model import LineMuscle, Model


@dataclass(frozen=True)
class DiscretePaths:
    """Muscles go around their surfaces on nodes that are unknowns: slower, and less exact.

    For comparison with published results. Contact must last for the whole motion.

    Parameters
    ----------
    nodes : int
        Number of intervals around each surface, two or more.
    """

    nodes: int = 20

    def __post_init__(self) -> None:
        if _check.count("DiscretePaths", "nodes", self.nodes) < 2:
            _check.refuse("DiscretePaths", "nodes", self.nodes, "be 2 or more")


@dataclass(frozen=True)
class FittedPaths(Checked):
    """Paths without a closed form are polynomials of the coordinates that they cross.

    They are fitted to the package's own lengths and moment arms, in the ranges of the coordinates:
    those of `Range`, else those that the model declares. All other paths stay exact.

    Parameters
    ----------
    degree : int
        Total degree.
    within : float
        Largest error of lengths and moment arms that is accepted [m].
    """

    degree: int = 10
    within: float = number("m", POSITIVE, default=2e-3)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.count("FittedPaths", "degree", self.degree)


PathKind = DiscretePaths | FittedPaths | None
"""None for exact paths."""


def paths_of(
    model: Model, own: Directors, muscles: Sequence[LineMuscle], q: Array, kind: PathKind,
    ranges: Mapping[str, tuple[float, float]],
) -> list[MusclePath]:  # fmt: skip
    """Paths of muscles; q (n,) are the director coordinates of the start.

    Raises
    ------
    ModelError
        If a path cannot be described so.
    """
    others = {one.name: why for one in muscles if (why := not_exact(one)) is not None}
    fitted = dict[str, FittedPath]()
    if isinstance(kind, FittedPaths) and others:
        some = [one for one in muscles if one.name in others]
        fitted = fitted_paths(model, own.tree, some, ranges, kind.degree, kind.within)
    found: list[MusclePath] = []
    for one in muscles:
        if one.name in fitted:
            found.append(fitted[one.name])
            continue
        if one.name in others:
            remedy = "muscle_paths=fm.FittedPaths() takes all paths; fm.gradient serves them too"
            _check.refuse(f"line muscle {one.name!r}", *others[one.name], remedy=remedy)
        if isinstance(kind, DiscretePaths):
            found.append(DiscretePath(own, one, q, kind.nodes))
        else:
            found.append(ExactPath(own, one, q))
    return found
