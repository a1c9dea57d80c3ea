"""Content of a file that an import did not understand or changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

KINDS = ("not understood", "changed", "note")


class PlacedMesh(NamedTuple):
    """A mesh file that a body names, with its place there, for writing it again.

    Attributes
    ----------
    body, file : str
        The body, and the file as the model names it.
    position, rotation, scale : array
        Its vertices r become rotation @ (scale * r) + position, body frame; (3,) [m], (3, 3), (3,).
    mesh : Mesh or None
        The mesh in the model; None if it was not read.
    """

    body: str
    file: str
    position: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    mesh: Any


@dataclass(frozen=True)
class ImportEntry:
    """One remark about an imported model; those of the same kind and text are one, repeated."""

    kind: str  # "not understood" is left out, "changed" taken in another form, "note" worth knowing
    element: str  # path of the element in the file
    line: int  # its line
    text: str  # what happened and what follows from it


@dataclass(repr=False)
class ImportReport:
    """Content of a file that an import did not understand or changed.

    Attributes
    ----------
    file : str
        The file.
    version : int
        Its version, such as 40000.
    entries : list of ImportEntry
        In the order of the file.
    joint_kinds : dict
        Class of each joint in the file, such as "CustomJoint", by the joint's name.
    meshes : list of (body, file, path)
        Mesh files that bodies name; path is None for one that was not found.
    actuators : dict
        Actuators of the file by name, which act with a control; see `with_actuators`.
    placed : list of PlacedMesh
        Their places in the bodies.
    """

    file: str
    version: int = 0
    entries: list[ImportEntry] = field(default_factory=list)
    joint_kinds: dict[str, str] = field(default_factory=dict)
    meshes: list[tuple[str, str, str | None]] = field(default_factory=list)
    actuators: dict[str, Any] = field(default_factory=dict, repr=False)
    placed: list[PlacedMesh] = field(default_factory=list)

    def add(self, kind: str, element: Any, text: str) -> None:
        """Add an entry about an element of the file."""
        self.entries.append(ImportEntry(kind, element.path, element.line, text))

    def of_kind(self, kind: str) -> list[ImportEntry]:
        """Entries of one kind."""
        return [entry for entry in self.entries if entry.kind == kind]

    def grouped(self) -> Iterator[tuple[str, str, list[ImportEntry]]]:
        """Kinds and texts with the entries that share them, "not understood" first."""
        for kind in KINDS:
            groups: dict[str, list[ImportEntry]] = {}
            for entry in self.of_kind(kind):
                groups.setdefault(entry.text, []).append(entry)
            for text, entries in groups.items():
                yield kind, text, entries

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.of_kind(kind))} {kind}" for kind in KINDS)
        return f"import of {self.file} (version {self.version}): {counts}"

    def __str__(self) -> str:
        lines = [repr(self)]
        last = ""
        for kind, text, entries in self.grouped():
            if kind != last:
                lines.append(f"  {kind}:")
                last = kind
            where = f"line {entries[0].line}, {entries[0].element}"
            if len(entries) > 1:
                where += f", and {len(entries) - 1} more"
            lines.append(f"    {text} ({where})")
        missing = [file for _, file, path in self.meshes if path is None]
        if missing:
            found = len(self.meshes) - len(missing)
            names = ", ".join(dict.fromkeys(missing))
            lines.append(f"  meshes: {found} found, {len(missing)} missing: {names}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """All fields but the places of meshes, as types of JSON; actuators by name."""
        return {
            "file": self.file,
            "version": self.version,
            "entries": [asdict(entry) for entry in self.entries],
            "joint_kinds": dict(self.joint_kinds),
            "meshes": [{"body": b, "file": f, "path": p} for b, f, p in self.meshes],
            "actuators": list(self.actuators),
        }
