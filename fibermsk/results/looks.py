"""Texts of a result and its parts for a prompt and a notebook, and its plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fibermsk._extras import CURVES, PICTURES, check_drawing
from fibermsk._shown import WIDTH, Summarized, Summary, count, names, span
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.named import name_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fibermsk.results.result import BodyMotion, FiberHistory, Result

_RANGES = (
    "stretch",
    "radius",
    "length",
    "axial_force",
    "contact_force_density",
    "activation",
    "force_origin",
    "force_insertion",
)
"""Fields of a fiber whose ranges are shown; of vectors the range of their magnitude."""

_FEW = 3
"""Coordinates whose ranges are shown."""


class LooksOfFiber(Summarized):
    """Text of a `FiberHistory`."""

    def _summary(self) -> Summary:
        fiber = cast("FiberHistory", self)
        elements = count(fiber.node_theta.size - 1, "element")
        rows = []
        for name in _RANGES:
            field, values = FIBER_FIELDS[name], getattr(fiber, name)
            if field.shape == (3,):
                values = np.linalg.norm(values, axis=-1)
            rows.append((name, span(values, field.unit)))
        others = (name for name in FIBER_FIELDS if name not in _RANGES)
        rows.append(("also", names(others, WIDTH - 4 - max(map(len, _RANGES)))))
        return Summary(f"Fiber of {elements} over {_frames(fiber.position)}", rows)


class LooksOfBody(Summarized):
    """Text of a `BodyMotion`."""

    def _summary(self) -> Summary:
        body = cast("BodyMotion", self)
        rows = [(axis, span(body.position[:, k], "m")) for k, axis in enumerate("xyz")]
        for field in ("shapes", "visuals"):
            if some := getattr(body, field):
                rows.append((field, names(one.kind for one in some)))
        return Summary(f"Motion of a body over {_frames(body.position)}", rows)


class LooksOfResult(Summarized):
    """Text and plots of a `Result`."""

    def __post_init__(self) -> None:
        name_parts(self)

    def plot(
        self,
        what: str | Sequence[str] | None = None,
        *,
        fiber: str | Sequence[str] | None = None,
        times: float | Sequence[float] | None = None,
    ) -> Figure:
        """Plot fields over time, and along the fibers.

        Parameters
        ----------
        what : str or several, optional
            A field of the fibers such as ``"stretch"``: over time and along the fiber, and of a
            single fiber also as a map of both; a coordinate; a field of the line muscles such as
            ``"tendon_force"``; ``"OWNER.FIELD"`` of one line muscle, state or element; or any other
            plot of :func:`fibermsk.view.plot_names`. The default
            is a one-page summary.
        fiber : str or several, optional
            Names of fibers and line muscles, or patterns such as ``"biceps*"``; all by default.
        times : float or several, optional
            At most four simulated times [s] for curves along the fibers; by default two
            characteristic ones.

        Returns
        -------
        figure : matplotlib.figure.Figure
            A notebook shows it; ``figure.savefig`` writes it, ``figure.axes`` are its axes.

        Raises
        ------
        ModelError
            If there is no such plot or fiber, or a time is outside of the run (the message lists
            those that exist), or the extra ``view`` is not installed.

        Examples
        --------
        >>> result.plot("stretch", fiber="biceps_1").savefig("stretch.png")  # doctest: +SKIP
        >>> result.plot("elbow_flexion")  # doctest: +SKIP
        """
        # one of two imports of a higher layer, and only when called
        check_drawing("a plot", PICTURES if what is None else CURVES)
        from fibermsk.view.plots.figure import plot_fields

        return plot_fields(cast("Result", self), what, fibers=fiber, times=times)

    def _summary(self) -> Summary:
        result = cast("Result", self)
        rows = [("time", f"{span(result.time, 's')} in {_frames(result.time)}"), _run(result)]
        if result.message:
            rows.append(("reason", result.message))
        rows.append(("coordinates", _coordinates(result)))
        for field in ("fibers", "muscles", "bodies", "elements", "states", "tables"):
            if some := getattr(result, field):
                rows.append((field, names(some)))
        if result.slack:
            rows.append(("compressed", names(dict.fromkeys(one.fiber for one in result.slack))))
        if result.softening:
            fibers = dict.fromkeys(one.fiber for one in result.softening)
            where = "on the descending limb"
            rows.append(("softening", f"{names(fibers, WIDTH - 20 - len(where))} {where}"))
        if result.parameters:
            pairs = (f"{name} = {value}" for name, value in result.parameters.items())
            rows.append(("parameters", names(pairs)))
        rows = [(name, words) for name, words in rows if words]
        return Summary(f"Result of {result.scene!r}: {result.status}", rows)


def _frames(values: Any) -> str:
    return count(len(values), "frame")


def _run(result: Result) -> tuple[str, str]:
    stats = result.stats
    words = [result.method]
    if (steps := stats.get("steps")) is not None:
        words.append(count(steps, "step"))
    words.append(f"{int(np.sum(result.newton_iterations))} Newton iterations")
    if "wall_seconds" in stats:
        words.append(f"in {stats['wall_seconds']:.3g} s")
    return "method", ", ".join(words)


def _coordinates(result: Result) -> str:
    if len(result.coordinates) > _FEW:
        return names(result.coordinates)
    found = result.coordinates.items()
    return names(f"{name} {span(values, result.unit_of(name))}" for name, values in found)
