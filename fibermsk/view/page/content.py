"""What the page shows of a result: the head that its script reads, and the arrays behind it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.result import FiberHistory, Result
from fibermsk.results.still import Still
from fibermsk.results.units import FIBER_LABELS
from fibermsk.view.arrows import elements_per_arrow
from fibermsk.view.camera import PRESETS, look_along
from fibermsk.view.fields import FIELDS, field_range
from fibermsk.view.forces import greatest_force, sample_weights
from fibermsk.view.looks import ARROW_COLORS, FIELD_COLORS, TENDON_COLORS, THEMES
from fibermsk.view.meshes import directions
from fibermsk.view.page.packing import Packer
from fibermsk.view.pieces import still_labels
from fibermsk.view.stage import AMBIENT, LIGHTS, Stage

__all__ = ["Content", "content", "kept_frames"]

Array = NDArray[np.float64]

_N_DIRECTIONS = 300
_MOST_CONTACTS = 3000
"""Arrows of contact at once; beyond that neighboring elements share one."""


class Content(NamedTuple):
    """Data of a page.

    Attributes
    ----------
    text : str
        Head and arrays, deflated, as base64.
    n_frames, n_all : int
        Frames in the page, and in the result.
    error : float
        Greatest distance between a fiber's centerline in the page and in the result [m], along
        each axis.
    """

    text: str
    n_frames: int
    n_all: int
    error: float


def kept_frames(n_frames: int, most: int | None) -> NDArray[np.int64]:
    """Evenly chosen frames, the first and the last among them; all where they are few enough."""
    if most is None or n_frames <= most:
        return np.arange(n_frames)
    return np.unique(np.rint(np.linspace(0, n_frames - 1, most)).astype(np.int64))


def content(
    shown: Result | Still,
    *,
    color_by: str,
    arrows: tuple[str, ...],
    labels: bool,
    time: float | None,
    autoplay: bool,
    max_frames: int | None,
) -> Content:
    """Pack what a page shows; the parameters are those of `write_page`, checked."""
    stage = Stage(shown, color_by, labels=labels)
    result = stage.result
    frames = kept_frames(result.time.size, max_frames)
    share = elements_per_arrow(result, _MOST_CONTACTS)
    packer = Packer()
    fibers = [_fiber(packer, name, fiber, frames) for name, fiber in result.fibers.items()]
    pairs = zip(fibers, result.fibers.values(), strict=True)
    error = max((_error(note, fiber) for note, fiber in pairs), default=0.0)
    places = {name: number for number, name in enumerate(result.bodies)}
    head = {
        "scene": result.scene,
        "status": result.status,
        "message": result.message,
        "method": result.method,
        "version": result.version,
        "still": stage.is_still,
        "up": [float(x) for x in result.up],
        "n_all": int(result.time.size),
        "error": error,
        "autoplay": autoplay,
        "start": time,
        "color_by": color_by,
        "arrows": list(arrows),
        "names": labels,
        "time": packer.plain(result.time[frames], "f8"),
        "fields": _fields(result),
        "fibers": fibers,
        "bodies": [
            {
                "name": name,
                "position": packer.plain(body.position[frames], "f4"),
                "rotation": packer.plain(body.rotation[frames], "f4"),
            }
            for name, body in result.bodies.items()
        ],
        "pieces": [
            {
                "body": places[piece.body] if piece.body else -1,
                # Points are few beside numbers over the frames, and are not seen to be rounded.
                "points": packer.plain(piece.surface.points, "f4"),
                "normals": packer.plain(np.rint(127.0 * piece.surface.normals), "i1"),
                "faces": packer.plain(piece.surface.faces, "u4"),
                "color": [float(x) for x in piece.color],
                "opacity": float(piece.opacity),
            }
            for piece in stage.pieces
        ],
        "coordinates": [
            {
                "name": name,
                "unit": result.coordinate_units.get(name, "rad"),
                "values": packer.plain(values[frames], "f8"),
            }
            for name, values in result.coordinates.items()
        ],
        "labels": _labels(shown),
        "camera": {
            "ways": _ways(stage),
            "angle": stage.camera((1000, 1000), 0.0).angle,
            "cloud": packer.plain(_outermost(stage.cloud, stage.margins), "f8"),
        },
        "size": float(np.linalg.norm(np.ptp(stage.cloud, axis=0))),
        "share": share,
        "greatest": {
            "attachment": greatest_force(result, "attachment"),
            "contact": greatest_force(result, "contact", share),
        },
        "colors": {"muscle": list(FIELD_COLORS), "tendon": list(TENDON_COLORS), **ARROW_COLORS},
        "shade": {name: theme.shade for name, theme in THEMES.items()},
        "lights": [[list(direction), strength] for direction, strength in LIGHTS],
        "ambient": AMBIENT,
    }
    return Content(packer.text(head), int(frames.size), int(result.time.size), error)


def _fiber(
    packer: Packer, name: str, fiber: FiberHistory, frames: NDArray[np.int64]
) -> dict[str, Any]:
    note: dict[str, Any] = {"name": name}
    for key in ("node_theta", "theta"):
        note[key] = packer.plain(getattr(fiber, key), "f8")
    note["weight"] = packer.plain(sample_weights(fiber), "f8")
    note["muscle_fraction"] = packer.plain(fiber.muscle_fraction, "f4")
    for key in (
        "position", "tangent", "stretch", "radius", "axial_force", "contact_line_force",
        "activation", "force_origin", "force_insertion",
    ):  # fmt: skip
        note[key] = packer.series(getattr(fiber, key)[frames])
    return note


def _error(note: dict[str, Any], fiber: FiberHistory) -> float:
    """Greatest error of a centerline by rounding its nodes and tangents [m].

    The shape functions of the positions are positive with the sum 1; those of the tangents have
    absolute values with the sum h xi (1 - xi), at most h / 4.
    """
    longest = float(np.max(np.diff(fiber.node_theta)))
    return 0.5 * note["position"]["step"] + 0.5 * note["tangent"]["step"] * longest / 4.0


def _fields(result: Result) -> list[dict[str, Any]]:
    fields = []
    for name in FIELDS if result.fibers else ():
        words, _, unit = FIBER_LABELS[name].rstrip("]").partition(" [")
        limits = list(field_range(result, name))
        fields.append({"name": name, "words": words, "unit": unit, "limits": limits})
    return fields


def _ways(stage: Stage) -> dict[str, dict[str, list[float]]]:
    """For each preset of the camera, where it looks and what is up in the picture."""
    ways = {}
    for preset in PRESETS:
        if preset == "fit":
            camera = stage.camera((1000, 1000), 0.0)
        else:
            camera = look_along(preset, stage.cloud, stage.margins, 1.0, stage.result.up)
        _, above, forward = camera.axes
        ways[preset] = {"forward": forward.tolist(), "above": above.tolist()}
    return ways


def _labels(shown: Result | Still) -> list[dict[str, Any]]:
    """Names of what a still shows; the script names the fibers itself, as they move."""
    labels = still_labels(shown) if isinstance(shown, Still) else []
    return [{"words": label.words, "point": [float(x) for x in label.point]} for label in labels]


def _outermost(points: Array, margins: Array) -> Array:
    """Those balls (x, y, z, radius) that lie farthest out in one direction or another."""
    balls = np.column_stack([points, margins])
    if len(balls) <= _N_DIRECTIONS:
        return balls
    # One direction at a time: there may be a million points.
    farthest = [
        int(np.argmax(points @ direction + margins)) for direction in directions(_N_DIRECTIONS)
    ]
    return balls[np.unique(farthest)]
