"""Errors of paths that have no taut course."""

from __future__ import annotations

from collections.abc import Sequence

from fibermsk.errors import PathError
from fibermsk.kernels.lines.taut.solve import (
    ACROSS,
    ELSEWHERE,
    INSIDE_END,
    INSIDE_START,
    LOOSE,
    LOST,
    NOT_FINITE,
    ORDER,
    PIECES,
    SHORTER,
    THROUGH,
)

_REASONS = {
    INSIDE_START: (
        "inside", "its start lies inside {}", "move the point out, or make the surface smaller",
    ),
    INSIDE_END: (
        "inside", "its end lies inside {}", "move the point out, or make the surface smaller",
    ),
    LOST: ("lost", "no tangent points were found on {}", "hint a point that the path passes"),
    LOOSE: (
        "loose", "it would leave {} between its tangent points",
        "split the surface into convex ones, or hint another side",
    ),
    SHORTER: (
        "shorter", "on this side of {} it slips off: a sideways displacement shortens it",
        "hint another side, or add a via point",
    ),
    THROUGH: ("through", "a free line passes through {}", "hint another side, or add a via point"),
    PIECES: (
        "pieces", "it would touch {} in several places", "split the surface into convex ones",
    ),
    ORDER: (
        "order", "it touches {} in another order", "list the surfaces in the path's order",
    ),
    ACROSS: (
        "across", "an arc on one passes through another of {}", "hint another side",
    ),
    ELSEWHERE: (
        "side", "it would touch {} on another side than asked",
        "choose the other side or quadrant, limit the coordinates, or add a via point",
    ),
    NOT_FINITE: ("not finite", "its points or {} are not finite numbers", "check the pose"),
}  # fmt: skip


_OF_SEVERAL = (
    "; list a surface twice that is touched before and after another one; move surfaces apart "
    "between which it would lie in the groove"
)


def wrap_error(
    owner: str, status: int, surfaces: Sequence[str], blamed: str = "", pose: str = ""
) -> PathError:
    """Error of a status of `fibermsk.kernels.lines.taut.solve.solve` that is not `TAUT`.

    Parameters
    ----------
    owner : str
        The path, such as "muscle 'BRA'".
    status : int
        The status.
    surfaces : sequence of str
        Names of the surfaces of the section.
    blamed : str
        Name of the one to blame; empty if unknown.
    pose : str
        Coordinates and their values; empty if unknown.
    """
    reason, what, remedy = _REASONS[status]
    own = [blamed] if blamed else list(surfaces)
    names = ", ".join(repr(name) for name in own)
    if len(surfaces) > 1 and status in (PIECES, ORDER, ACROSS):
        remedy += _OF_SEVERAL
    listed = f"wrap surface{'s' if len(own) > 1 else ''} {names}"
    return PathError(f"{owner}: no taut path{pose}: {what.format(listed)}; {remedy}", reason=reason)
