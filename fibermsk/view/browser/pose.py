"""Poses of a model that a page asks its server for."""

from __future__ import annotations

import json
import math
from typing import Any
from urllib.parse import parse_qsl

from fibermsk._check import suggestion
from fibermsk.errors import ModelError
from fibermsk.results.still import Still
from fibermsk.view.browser.packing import Packer
from fibermsk.view.browser.parts import label_notes, piece_note
from fibermsk.view.drawing.stage import Stage


class Poses:
    """A model in the poses of queries such as ``knee=0.3&muscle=vasti``.

    `note` is what the page is told of it: coordinates with ranges and values, and muscles.
    """

    def __init__(self, still: Still, stage: Stage) -> None:
        assert still.poses is not None
        self._poses, self._stage = still.poses, stage
        self._muscles = list(still.muscles)
        values = still.result.coordinates
        self.note: dict[str, Any] = {
            "coordinates": [
                {**one._asdict(), "value": float(values[one.name][0])}
                for one in self._poses.coordinates
            ],
            "muscles": self._muscles,
        }

    def answer(self, query: str) -> bytes:
        """Data of a pose: bodies, pieces that are not fixed to bodies, labels and a muscle."""
        values = dict(parse_qsl(query))
        muscle = values.pop("muscle", None)
        if muscle is not None and muscle not in self._muscles:
            raise ModelError(f"no muscle {muscle!r}{suggestion(muscle, self._muscles)}")
        still = self._poses.still({name: _number(name, text) for name, text in values.items()})
        self._stage.pose_as(still, muscle)
        packer, line = Packer(), None
        if muscle is not None:
            own = still.muscles[muscle]
            line = {
                "length": None if own.problem else own.length,
                "arms": [list(one) for one in own.moment_arms],
                "problem": own.problem,
            }
        head = {
            "bodies": [
                {
                    "position": packer.add(body.position[0], "f4"),
                    "rotation": packer.add(body.rotation[0], "f4"),
                }
                for body in still.result.bodies.values()
            ],
            "pieces": [
                piece_note(packer, piece, {}) for piece in self._stage.pieces if not piece.body
            ],
            "labels": label_notes(still),
            "values": {name: float(one[0]) for name, one in still.result.coordinates.items()},
            "line": line,
            "unsolved": [name for name, one in still.muscles.items() if one.problem],
        }
        return packer.bytes(json.dumps(head, allow_nan=False, separators=(",", ":")))


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"coordinate {name!r} = {text}; must be a finite number")
    return value
