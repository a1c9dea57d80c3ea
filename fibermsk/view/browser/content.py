"""Data of the page: a head in JSON, and the arrays that it refers to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.measures import Asked, Measure, measures_of
from fibermsk.results.result import FiberHistory, Result
from fibermsk.results.still import Still
from fibermsk.view.browser.packing import Frames, Packer
from fibermsk.view.browser.parts import label_notes, piece_note
from fibermsk.view.browser.pose import Poses
from fibermsk.view.drawing.arrows import elements_per_arrow
from fibermsk.view.drawing.camera import PRESETS
from fibermsk.view.drawing.colors import color_stops
from fibermsk.view.drawing.compare import (
    common_limits,
    common_times,
    make_stages,
    result_names,
)
from fibermsk.view.drawing.envelopes import (
    AROUND,
    SHARPNESS,
    SHEEN,
    THICK,
    bundles,
    check_bundles,
    stripes,
)
from fibermsk.view.drawing.looks import ARROW_COLORS, THEMES
from fibermsk.view.drawing.meshes import directions
from fibermsk.view.drawing.stage import AMBIENT, LIGHTS, Stage, common_camera
from fibermsk.view.fields import (
    FIELDS,
    check_field,
    field_of,
    field_words,
    flawed_fibers,
    nearest_frame,
)
from fibermsk.view.forces import ARROW_KINDS, check_kinds, greatest_force, sample_weights

_N_DIRECTIONS = 300
_MOST_CONTACTS = 3000
"""Largest number of contact arrows; beyond it neighboring elements share one."""
_N_STOPS = 17
"""Colors of a scale in the page, which interpolates between them; as in `shaders.js`."""
_NOT_SHOWN = ("cut_force",)
"""Fields of fibers that pages do not use."""


class Content:
    """Data of a page in `n_parts` parts: the head with all constant arrays, then frames.

    `title` names the results; `error` is the rounding error of centerlines along each axis [m];
    `poses` gives other poses of a model.
    """

    def __init__(
        self,
        title: str,
        head: bytes,
        runs: Sequence[Frames],
        error: float,
        poses: Poses | None = None,
    ) -> None:
        self.title, self.error, self.poses = title, error, poses
        self._head = head
        self._places = [(run, k) for run in runs for k in range(len(run.bounds) - 1)]
        self.n_parts = 1 + len(self._places)

    def part(self, number: int) -> bytes:
        """A part, compressed; 0 is the head."""
        if number == 0:
            return self._head
        run, k = self._places[number - 1]
        return run.part(k)


def kept_frames(n_frames: int, most: int | None) -> NDArray[np.int64]:
    """Evenly spaced frames with the first and the last; all if there are at most `most`."""
    if most is not None and most < 2:
        raise ModelError(f"max_frames = {most}; must be at least 2, or None for all frames")
    if most is None or n_frames <= most:
        return np.arange(n_frames)
    return np.unique(np.rint(np.linspace(0, n_frames - 1, most)).astype(np.int64))


def pack(
    shown: Result | Still | Sequence[Result],
    *,
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
    color_by: str = "tissue",
    autoplay: bool = False,
    max_frames: int | None = None,
    time: float | None = None,
    served: bool = False,
    arrows: Iterable[str] = (),
    labels: bool = False,
    envelope: bool = False,
    measures: Asked = (),
) -> Content:
    """Data of a page; parameters as for `write_page`.

    A page that is `served` has sliders for the coordinates of a model.
    """
    color_by, arrows = check_field(color_by), check_kinds(arrows)
    envelope = _check.flag("view", "envelope", envelope)
    stages = make_stages(
        shown, color_by, compare, theme="light", arrows=arrows, labels=labels, budget=_NO_TUBES
    )
    several = [shown] if isinstance(shown, (Result, Still)) else shown
    results = [stage.result for stage in stages]
    if envelope:
        for result in results:
            check_bundles(result.scene, result.drawn)
    names = result_names(results, names)
    if time is not None:
        longest = max(results, key=lambda result: float(result.time[-1]))
        time = float(longest.time[nearest_frame(longest, time)])
    share = max(elements_per_arrow(result, _MOST_CONTACTS) for result in results)
    packer, runs, notes = Packer(), [], []
    for stage, name, one in zip(stages, names, several, strict=True):
        # values of the user's own are those of the first run
        asked = measures if not runs or not isinstance(measures, Mapping) else ()
        runs.append(Frames(kept_frames(stage.result.time.size, max_frames)))
        # the script labels the fibers, which move
        labeled = label_notes(one) if isinstance(one, Still) else []
        told = _measures(runs[-1], measures_of(stage.result, asked))
        more = {"labels": labeled, "measures": told}
        notes.append(_run(packer, runs[-1], stage, name) | more)
    first_part = 1
    for run, note in zip(runs, notes, strict=True):
        note |= {"bounds": run.bounds, "first_part": first_part}
        first_part += len(run.bounds) - 1
    error = max(_error(note, stage) for note, stage in zip(notes, stages, strict=True))
    cloud = np.concatenate([stage.cloud for stage in stages])
    margins = np.concatenate([stage.margins for stage in stages])
    first, poses = results[0], None
    if served and isinstance(several[0], Still) and several[0].poses is not None:
        poses = Poses(several[0], stages[0])
    head = {
        "pose": None if poses is None else poses.note,
        "runs": notes,
        "overlay": compare == "overlay",
        "version": first.version,
        "still": stages[0].is_still,
        "up": [float(x) for x in first.up],
        "error": error,
        "autoplay": autoplay,
        "start": time,
        "color_by": color_by,
        "arrows": list(arrows),
        "names": labels,
        "envelopes": {
            "shown": envelope,
            "around": AROUND,
            "sharpness": SHARPNESS,
            "thick": THICK,
            "sheen": SHEEN,
            "stripes": stripes().tolist(),
        },
        "time": packer.add(
            common_times([one.time[run.kept] for one, run in zip(results, runs, strict=True)]), "f8"
        ),
        "fields": _fields(results),
        "camera": {
            "ways": _ways(stages),
            "angle": common_camera(stages, "fit", 1.0).angle,
            "cloud": packer.add(_outermost(*_with_arrows(cloud, margins, stages)), "f8"),
        },
        "size": float(np.linalg.norm(np.ptp(cloud, axis=0))),
        "share": share,
        "greatest": {
            kind: max(greatest_force(result, kind, share) for result in results)
            for kind in ARROW_KINDS
        },
        "colors": dict(ARROW_COLORS),
        "shade": {name: theme.shade for name, theme in THEMES.items()},
        "lights": [[list(direction), strength] for direction, strength in LIGHTS],
        "ambient": AMBIENT,
    }
    words = json.dumps(head, allow_nan=False, separators=(",", ":"))
    return Content(", ".join(names), packer.bytes(words), runs, error, poses)


_NO_TUBES = 1
"""The script makes the tubes, so that those of the stages have the fewest points."""


def _run(packer: Packer, frames: Frames, stage: Stage, name: str) -> dict[str, Any]:
    result = stage.result
    places = {name: number for number, name in enumerate(result.bodies)}
    flawed = flawed_fibers(result)
    return {
        "name": name,
        "status": result.status,
        "message": result.message,
        "method": result.method,
        "n_all": int(result.time.size),
        "opacity": stage.opacity,
        "behind": stage.behind,
        "lift": stage.lift,
        "flawed": flawed[frames.kept].tolist() if flawed.any() else [],
        "time": packer.add(result.time[frames.kept], "f8"),
        "fibers": [_fiber(packer, frames, name, fiber) for name, fiber in result.drawn.items()],
        "bodies": [
            {
                "name": name,
                "position": frames.add(body.position, "f4"),
                "rotation": frames.add(body.rotation, "f4"),
            }
            for name, body in result.bodies.items()
        ],
        "bundles": bundles(result.drawn),
        "pieces": [
            piece_note(packer, piece, places, stage.fillets.joined(piece)) for piece in stage.pieces
        ],
        "coordinates": [
            {
                "name": name,
                "unit": result.unit_of(name),
                "moves": bool(np.ptp(values) > 1e-9),
                "values": frames.add(values, "f8"),
            }
            for name, values in result.coordinates.items()
        ],
    }


def _measures(frames: Frames, measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """Notes of measures; the script shows radians as degrees, and rates as they are."""
    notes = []
    for one in measures:
        unit, values = (one.unit, one.values) if one.unit == "rad" else one.shown
        note = {"words": one.words, "unit": unit or "1", "values": frames.add(values, "f8")}
        notes.append({"name": one.name} | note)
    return notes


def _fiber(packer: Packer, frames: Frames, name: str, fiber: FiberHistory) -> dict[str, Any]:
    note: dict[str, Any] = {"name": name}
    for key in ("node_theta", "theta"):
        note[key] = packer.add(getattr(fiber, key), "f8")
    note["weight"] = packer.add(sample_weights(fiber), "f8")
    note["muscle_fraction"] = packer.add(fiber.muscle_fraction, "f4")
    for key, field in FIBER_FIELDS.items():
        if field.varies and not field.derived and key not in _NOT_SHOWN:
            note[key] = frames.add(getattr(fiber, key))
    return note


def _error(run: dict[str, Any], stage: Stage) -> float:
    """Largest error of a centerline due to the rounding of nodes and tangents [m].

    The shape functions of the positions are positive with the sum 1; those of the tangents have
    absolute values with the sum h xi (1 - xi), at most h / 4.
    """
    worst = 0.0
    for note, fiber in zip(run["fibers"], stage.result.drawn.values(), strict=True):
        longest = float(np.max(np.diff(fiber.node_theta)))
        steps = note["position"]["step"] + note["tangent"]["step"] * longest / 4.0
        worst = max(worst, 0.5 * steps)
    return worst


def _fields(results: Sequence[Result]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "words": field_words(name),
            "scale": field_of(name).label,
            "unit": field_of(name).shown_unit,
            "limits": list(limits := common_limits(results, name)),
            "colors": color_stops(name, limits, _N_STOPS),
        }
        for name in (FIELDS if any(result.drawn for result in results) else ())
    ]


def _ways(stages: Sequence[Stage]) -> dict[str, dict[str, list[float]]]:
    """For each camera preset, the direction of view and the upward direction of the picture."""
    ways = {}
    for preset in PRESETS:
        _, above, forward = common_camera(stages, preset, 1.0).axes
        ways[preset] = {"forward": forward.tolist(), "above": above.tolist()}
    return ways


def _with_arrows(cloud: Array, margins: Array, stages: Sequence[Stage]) -> tuple[Array, Array]:
    """Points and radii of a scene, and those around the tips of its arrows."""
    tips = [stage.tips() for stage in stages]
    points = np.concatenate([cloud, *(ends for ends, _ in tips)])
    return points, np.concatenate([margins, *(reach for _, reach in tips)])


def _outermost(points: Array, margins: Array) -> Array:
    """Balls (x, y, z, radius) that are outermost in some direction."""
    balls = np.column_stack([points, margins])
    if len(balls) <= _N_DIRECTIONS:
        return balls
    # one direction at a time, because there may be a million points
    farthest = [
        int(np.argmax(points @ direction + margins)) for direction in directions(_N_DIRECTIONS)
    ]
    return balls[np.unique(farthest)]
