"""What the page shows of a result: the head that its script reads, and the arrays behind it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.result import FiberHistory, Result
from fibermsk.results.still import Still
from fibermsk.results.units import FIBER_LABELS
from fibermsk.view.camera import PRESETS, look_along
from fibermsk.view.fields import FIELDS, field_range
from fibermsk.view.looks import ARROW_COLORS, FIELD_COLORS, TENDON_COLORS, THEMES
from fibermsk.view.page.packing import Packer
from fibermsk.view.pieces import still_labels
from fibermsk.view.stage import AMBIENT, LIGHTS, Stage

__all__ = ["Content", "content", "kept_frames"]

Array = NDArray[np.float64]

_N_DIRECTIONS = 600


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
        "greatest": {
            "attachment": max(map(_greatest_pull, result.fibers.values()), default=0.0),
            "contact": max(map(_greatest_contact, result.fibers.values()), default=0.0),
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
    note["weight"] = packer.plain(_weights(fiber), "f8")
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


def _greatest_pull(fiber: FiberHistory) -> float:
    """Greatest force on a body at one of its ends [N]."""
    lengths = np.linalg.norm([fiber.force_origin, fiber.force_insertion], axis=-1)
    return float(np.max(lengths, where=np.isfinite(lengths), initial=0.0))


def _greatest_contact(fiber: FiberHistory) -> float:
    """Greatest contact force on an element [N]."""
    pressed = np.flatnonzero(np.any(fiber.contact_line_force != 0.0, axis=(1, 2)))
    if not pressed.size:
        return 0.0
    element, xi, size = _places(fiber)
    x, t = fiber.position[pressed], fiber.tangent[pressed]
    weights = (
        6.0 * xi * (xi - 1.0) / size, xi * (3.0 * xi - 4.0) + 1.0,
        6.0 * xi * (1.0 - xi) / size, xi * (3.0 * xi - 2.0),
    )  # fmt: skip
    ends = (x[:, element], t[:, element], x[:, element + 1], t[:, element + 1])
    slope = sum(w[:, None] * end for w, end in zip(weights, ends, strict=True))
    lengths = _weights(fiber) * np.linalg.norm(slope, axis=-1)
    forces = fiber.contact_line_force[pressed] * lengths[..., None]
    total = np.zeros((pressed.size, fiber.node_theta.size - 1, 3))
    for e in np.unique(element):
        total[:, e] = forces[:, element == e].sum(axis=1)
    sizes = np.linalg.norm(total, axis=-1)
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0.0))


def _places(fiber: FiberHistory) -> tuple[NDArray[np.int64], Array, Array]:
    """Element of each sample, the place in it from 0 to 1, and its length in theta."""
    nodes = fiber.node_theta
    element = np.searchsorted(nodes, fiber.theta, side="right") - 1
    element = np.clip(element, 0, nodes.size - 2)
    size = np.diff(nodes)[element]
    return element, (fiber.theta - nodes[element]) / size, size


def _weights(fiber: FiberHistory) -> Array:
    """Length in theta that each sample stands for, (n_samples,).

    Weights that integrate polynomials through the samples of each element exactly, so that they
    are Gauss weights at Gauss points; the distance between the middles of neighbors where an
    element has no sample or too many.
    """
    nodes, theta = fiber.node_theta, fiber.theta
    element, xi, size = _places(fiber)
    counts = np.bincount(element, minlength=nodes.size - 1)
    if counts.min() < 1 or counts.max() > 6:
        middles = np.concatenate([nodes[:1], 0.5 * (theta[1:] + theta[:-1]), nodes[-1:]])
        return np.diff(middles)
    weights = np.empty(theta.size)
    for e in range(nodes.size - 1):
        mine = element == e
        power = np.arange(counts[e])
        powers = xi[mine] ** power[:, None]
        weights[mine] = size[mine] * np.linalg.solve(powers, 1.0 / (power + 1.0))
    return weights


def _outermost(points: Array, margins: Array) -> Array:
    """Those balls (x, y, z, radius) that lie farthest out in one direction or another."""
    balls = np.column_stack([points, margins])
    if len(balls) <= _N_DIRECTIONS:
        return balls
    # Evenly spread over the sphere: a Fibonacci spiral.
    k = np.arange(_N_DIRECTIONS) + 0.5
    height, turn = 1.0 - 2.0 * k / _N_DIRECTIONS, np.pi * (1.0 + np.sqrt(5.0)) * k
    along = np.sqrt(1.0 - height**2)
    directions = np.stack([along * np.cos(turn), along * np.sin(turn), height])
    return balls[np.unique(np.argmax(points @ directions + margins[:, None], axis=0))]
