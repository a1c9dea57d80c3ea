"""Several results in one viewer: names, common times and common scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.drawing.detail import PICTURE_POINTS
from fibermsk.view.drawing.stage import Stage, arrow_scales
from fibermsk.view.fields import check_frames, field_range
from fibermsk.view.forces import check_kinds

COMPARE = ("side_by_side", "overlay")
"""Ways to show several results."""

_MOST = 4


def common_times(times_of_each: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Times of the frames of all results, increasing and distinct [s]."""
    times = np.unique(np.concatenate(times_of_each))
    # times that differ by rounding only are one
    slack = 1e-9 * max(1.0, float(np.max(np.abs(times))))
    return times[np.concatenate([[True], np.diff(times) > slack])]


def frame_at(result: Result, time: float) -> int:
    """Frame nearest to a time [s]; the last one after the end."""
    return int(np.argmin(np.abs(result.time - time)))


def common_limits(results: Sequence[Result], color_by: str) -> tuple[float, float]:
    """Minimum and maximum of a field over all runs."""
    ranges = [field_range(result, color_by) for result in results if result.drawn]
    if not ranges:
        return field_range(results[0], color_by)
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def result_names(results: Sequence[Result], names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the results, numbered if equal; by default their scenes."""
    if names is not None:
        if len(names) != len(results):
            raise ModelError(f"names holds {len(names)} for {len(results)} results; give one each")
    given = [result.scene for result in results] if names is None else list(names)
    return tuple(
        f"{name} ({given[: k + 1].count(name)})" if given.count(name) > 1 else name
        for k, name in enumerate(given)
    )


def make_stages(
    shown: Result | Still | Sequence[Result | Still],
    color_by: str,
    compare: str,
    *,
    theme: str,
    arrows: Iterable[str],
    labels: bool,
    budget: int = PICTURE_POINTS,
    envelope: bool = False,
) -> list[Stage]:
    """Stages of 1 to 4 results, with common color limits and arrow scales."""
    labels = _check.flag("view", "labels", labels)
    envelope = _check.flag("view", "envelope", envelope)
    several = [shown] if isinstance(shown, (Result, Still)) else shown
    what = "a Result, a Still or a list of them"
    several = _check.items("view", "shown", several, (Result, Still), "a Result or a Still", what)
    if not 1 <= len(several) <= _MOST:
        raise ModelError(f"{len(several)} results; a viewer shows from 1 to {_MOST}")
    if compare not in COMPARE:
        raise ModelError(f"compare = {compare!r}; there are: {', '.join(COMPARE)}")
    results = [one.result if isinstance(one, Still) else one for one in several]
    for result in results:
        check_frames(result)
    stages = [
        Stage(
            one,
            color_by,
            labels=labels,
            limits=common_limits(results, color_by),
            theme=theme,
            budget=budget // len(several),
            ghost=compare == "overlay" and k > 0,
            envelope=envelope,
        )
        for k, one in enumerate(several)
    ]
    set_common_arrows(stages, arrows)
    return stages


def overlaid_time(time: float, ends: Mapping[str, float]) -> str:
    """Words for a time of overlaid results, and which of them have ended before [s]."""
    words = f"t = {min(time, max(ends.values())):.3f} s"
    ended = [(name, end) for name, end in ends.items() if end < time - 1e-9]
    return "\n".join([words, *(f"{name} at its end, {end:.3f} s" for name, end in ended)])


def set_common_arrows(stages: Sequence[Stage], kinds: Iterable[str]) -> None:
    """Show arrows of some kinds on all stages, with a common scale."""
    kinds = check_kinds(kinds)
    scales = arrow_scales(stages, kinds)
    for stage in stages:
        stage.set_arrows(kinds, scales)
