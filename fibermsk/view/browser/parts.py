"""Notes of surfaces and labels for the head of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.still import Still
from fibermsk.view.browser.packing import Packer
from fibermsk.view.drawing.pieces import Piece, still_labels

MOST_JOINED = 8
"""Most shapes that meet in fillets of one piece of a page, as in `shaders.js`."""


def piece_note(
    packer: Packer, piece: Piece, places: Mapping[str, int], joined: Sequence[Piece] = ()
) -> dict[str, Any]:
    """Note of a surface; `places` are numbers of bodies by name.

    It has fillets with the pieces `joined`, itself among them, as in `Fillets`.
    """
    around = joined if len(joined) <= MOST_JOINED else ()
    return {
        "body": places[piece.body] if piece.body else -1,
        # few beside the arrays over frames
        "points": packer.add(piece.surface.points, "f4"),
        "normals": packer.add(np.rint(127.0 * piece.surface.normals), "i1"),
        "faces": packer.add(piece.surface.faces, "u4"),
        "color": [float(x) for x in piece.color],
        "opacity": float(piece.opacity),
        "joined": [
            {
                "body": places[other.body] if other.body else -1,
                "solid": [float(x) for x in cast(Array, other.solid)],
            }
            for other in around
        ],
    }


def label_notes(still: Still) -> list[dict[str, Any]]:
    """Notes of the labels of a model."""
    return [{"words": label.words, "point": label.point.tolist()} for label in still_labels(still)]
