"""Contents of a model file of OpenSim, and their representation here."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import typer

from fibermsk._shown import count
from fibermsk.cli.commands.model_screen import (
    HEADS,
    coordinate_words,
    how_to_run,
    muscle_cells,
    screen,
)
from fibermsk.cli.output import aligned, print_json
from fibermsk.model import Coupling, Model
from fibermsk.model.skeleton.body import shapes_of, visuals_of

_OF_COORDINATE = ("name", "kind", "value", "lower", "upper", "locked")


def show_model(
    file: Path, geometry: Path | None, json: bool, *, outside: bool, whole: bool = False
) -> None:
    """Print the contents of an OpenSim file, and the resulting model, in one screen unless `whole`.

    Unknown joints are shown as welds, and listed in the report.
    """
    from fibermsk.read import read_osim

    options: dict[str, Any] = {"geometry": geometry, "geometry_outside": outside}
    model = read_osim(file, unsupported="weld", **options)
    if json:
        print_json(describe_model(model))
        return
    looked = geometry is not None
    for line in _lines(model) if whole else screen(model, describe_model(model), looked=looked):
        typer.echo(line)


def describe_model(model: Model) -> dict[str, Any]:
    """Contents of a model as JSON values."""
    from fibermsk.read.osim.forces.muscles import NUMBERS

    report = model.import_report
    follows = {coupling.dependent: coupling for coupling in model.couplings}
    return {
        "file": report.file,
        "version": report.version,
        "name": model.name,
        "gravity": model.gravity,
        "mass": math.fsum(body.mass or 0.0 for body in model.bodies),
        "bodies": [
            {
                "name": body.name,
                "mass": body.mass or 0.0,
                "shapes": len(shapes_of(body)),
                "visuals": len(visuals_of(body)),
            }
            for body in model.bodies
        ],
        "joints": [
            {
                "name": joint.name,
                "kind": report.joint_kinds.get(joint.name, type(joint).__name__),
                "parent": joint.parent.name,
                "child": joint.child.name,
                "coordinates": [one.name for one in joint.coordinates],
            }
            for joint in model.joints
        ],
        "coordinates": [
            {
                **{key: getattr(one, key) for key in _OF_COORDINATE},
                "prescribed": one.prescribed is not None,
                "follows": _followed(follows[one.name]) if one.name in follows else None,
                "forces": [type(law).__name__ for law in one.laws],
            }
            for one in model.coordinates
        ],
        "muscles": [
            {
                "name": muscle.name,
                "kind": muscle.kind,
                "points": len(muscle.points),
                "wraps": [wrap.shape.name for wrap in muscle.wraps],
                **{key: getattr(muscle, key) for key in NUMBERS},
            }
            for muscle in model.muscles
        ],
        "report": report.as_dict(),
    }


def _lines(model: Model) -> list[str]:
    """Contents of a model as text."""
    found = describe_model(model)
    gravity = ", ".join(f"{value:.6g}" for value in found["gravity"])
    lines = [
        f"{found['file']}: model {model.name!r}, version {found['version']}",
        f"  gravity: ({gravity}) m/s^2",
        f"  mass: {found['mass']:.6g} kg in {len(model.bodies) - 1} bodies besides the ground",
    ]
    bodies = [(one["name"], f"{one['mass']:.6g} kg", _meshes(one)) for one in found["bodies"]]
    lines += _table("bodies", bodies)
    coordinates = {one["name"]: one for one in found["coordinates"]}
    rows = []
    for joint in found["joints"]:
        rows.append((joint["name"], joint["kind"], f"{joint['child']} on {joint['parent']}"))
        rows += [
            ("  " + name, "", coordinate_words(coordinates[name])) for name in joint["coordinates"]
        ]
    lines += _table("joints and their coordinates", rows)
    couplings = [
        (one.dependent, f"follows {', '.join(one.independents)}") for one in model.couplings
    ]
    lines += _table("couplings", couplings)
    muscles = [(*cells, one["kind"]) for cells, one in muscle_cells(found)]
    muscles.insert(0, (*HEADS, "kind"))
    lines += _table("muscles", muscles if found["muscles"] else [])
    lines += ["  representation in fibermsk:", *(f"    {line}" for line in _outlook(model, found))]
    lines += [f"  {line}" for line in str(model.import_report).splitlines()]
    return lines


def _outlook(model: Model, found: dict[str, Any]) -> list[str]:
    """Representation of the model in a simulation."""
    dependent = {one.dependent for one in model.couplings}
    held = [one.name for one in model.coordinates if one.locked or one.prescribed is not None]
    free = len(model.coordinates) - len(dependent) - len(held)
    lines = [f"{free} coordinates are free"]
    if dependent:
        lines.append(f"{len(dependent)} are coupled and eliminated")
    if held:
        lines.append(f"{len(held)} are locked or prescribed: {', '.join(held)}")
    loaded = [one.name for one in model.coordinates if one.laws]
    if loaded:
        lines.append(f"springs, dampers or limits act on {len(loaded)} coordinates")
    if model.muscles:
        ways = ", ".join(how_to_run(found["file"], model.muscles[0].name))
        lines.append(f"{len(model.muscles)} muscles: {ways}")
    touched = [one["name"] for one in found["bodies"] if one["shapes"]]
    names = ", ".join(touched) if touched else "nothing"
    lines.append(f"fibers touch {names}; choose bodies with read_osim(..., contact=[bodies])")
    missing = sum(path is None for _, _, path in model.import_report.meshes)
    meshes = len(model.import_report.meshes)
    lines.append(f"{meshes - missing} of {meshes} mesh files found")
    left = len(model.import_report.of_kind("not understood"))
    if left:
        lines.append(f"{left} elements are NOT part of the model: see the report")
    return lines


def _meshes(one: dict[str, Any]) -> str:
    """Numbers of contact shapes and drawn meshes of a body."""
    parts = []
    if one["shapes"]:
        parts.append(count(one["shapes"], "contact shape"))
    if one["visuals"]:
        parts.append(count(one["visuals"], "drawn mesh", "drawn meshes"))
    return ", ".join(parts)


def _table(title: str, rows: list[tuple[str, ...]]) -> list[str]:
    """A title and aligned rows; nothing without rows."""
    return [f"  {title}:", *aligned(rows, 4)] if rows else []


def _followed(coupling: Coupling) -> str | list[str]:
    """Coordinate that another one follows, or several."""
    names = coupling.independents
    return names[0] if len(names) == 1 else list(names)
