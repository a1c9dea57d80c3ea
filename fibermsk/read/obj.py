"""Polygons of OBJ files. The format has no counts: a truncated file may look complete."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fibermsk.read.polygons import Polygons

DOUBT = "the format has no counts"


def read_obj(file: Path) -> Polygons:
    """Polygons of all objects and groups of an OBJ file; a ValueError names an unreadable line."""
    vertices: list[list[float]] = []
    corners: list[int] = []
    sizes: list[int] = []
    begun = b""
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        line = begun + line
        if line.endswith(b"\\"):
            begun = line[:-1] + b" "
            continue
        begun = b""
        words = line.partition(b"#")[0].split()
        if not words:
            continue
        try:
            if words[0] == b"v":
                x, y, z = map(float, words[1:4])  # weights and colors may follow
                vertices.append([x, y, z])
            elif words[0] == b"f":
                face = [int(word.partition(b"/")[0]) for word in words[1:]]
                if len(face) < 3 or not all(k > 0 or 0 < -k <= len(vertices) for k in face):
                    raise ValueError
                corners += [k - 1 if k > 0 else len(vertices) + k for k in face]
                sizes.append(len(face))
        except ValueError:
            must = "three numbers" if words[0] == b"v" else "three or more of the vertices"
            found = line[:60].decode("latin-1")
            raise ValueError(f"line {number} has {found!r}; must name {must}") from None
    if not (vertices or sizes):
        raise ValueError("it has neither vertices nor faces")
    return Polygons(
        np.array(vertices, float).reshape(-1, 3),
        np.array(corners, np.int64),
        np.array(sizes, np.int64),
        DOUBT,
    )
