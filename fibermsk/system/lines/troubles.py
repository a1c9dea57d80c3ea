"""Why a path of a line muscle has no solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fibermsk.errors import PathError
from fibermsk.kernels.lines.path_arrays import PathArrays, PathState
from fibermsk.kernels.lines.section import COINCIDENT, OPPOSITE
from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.system.lines.describe import acting
from fibermsk.system.lines.sides import inside_at


def explain(
    muscles: Sequence[LineMuscle], paths: PathArrays, state: PathState,
    pose: Callable[[int], str], *, chained: bool,
) -> PathError:  # fmt: skip
    """Error about the section that has no solution; pose has the coordinates of a muscle."""
    kind, k, blamed = (int(value) for value in state.trouble)
    m = int(np.searchsorted(paths.start, k, side="right")) - 1
    muscle, first = muscles[m], int(paths.start[m])
    after = next(i for i in range(k + 1, int(paths.start[m + 1])) if state.active[i])
    wraps = acting(muscle)

    def name_of(w: int) -> str:
        return wraps[w - int(paths.wrap_start[m])].shape.name if w >= 0 else ""

    ends = [muscle.points[i - first].name for i in (k, after)]
    owner, at = f"line muscle {muscle.name!r}", pose(m)
    what = f"{owner}: between path points {ends[0]!r} and {ends[1]!r}"
    if not chained and kind == COINCIDENT:
        return PathError(f"{what} the distance is zero{at}; must be positive: move one of them")
    if not chained and kind == OPPOSITE:
        return PathError(
            f"{what} the sphere {name_of(blamed)!r} lies exactly in the way{at}, its center on the "
            "line through both; the side is undefined: move one of the points"
        )
    names = []
    for wrap, w in zip(wraps, range(*paths.wrap_start[m : m + 2]), strict=True):
        if k < paths.first[w] or after > paths.last[w]:
            continue
        found = inside_at(paths, state, w, k, after, wrap.shape)
        if found is not None and wrap.inside == "straight":
            continue
        if found is not None:
            point, depth = found
            return PathError(
                f"{owner}: path point {muscle.points[point - first].name!r} lies {depth:.3g} m "
                f"inside wrap surface {wrap.shape.name!r}{at}; must lie outside: limit the "
                'coordinates, move the point, shrink the surface, or set inside="straight" on the '
                "path wrap",
                reason="inside",
            )
        if wrap.shape.name not in names:
            names.append(wrap.shape.name)
    from fibermsk.kernels.lines.taut.refusal import wrap_error  # compiles the chain

    return wrap_error(what, kind, names, name_of(blamed), at)


def told(name: str, value: float, unit: str, ends: tuple[float | None, float | None]) -> str:
    """Value of a coordinate, with a remark if it is outside its declared range."""
    text = f"{name} = {value:.6g}{'' if unit == '1' else f' {unit}'}"
    lower, upper = ends
    if lower is not None and value < lower:
        return f"{text} (below its range, which begins at {lower:.6g})"
    if upper is not None and value > upper:
        return f"{text} (above its range, which ends at {upper:.6g})"
    return text
