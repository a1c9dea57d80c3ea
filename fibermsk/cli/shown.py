"""Results and models for `fibermsk view`, read from files."""

from __future__ import annotations

from pathlib import Path

import typer

from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.results import Still


def is_model(file: Path) -> bool:
    """Whether a file is an OpenSim model, by its extension."""
    return file.suffix.lower() == ".osim"


def short_names(files: list[Path]) -> list[str]:
    """Shortest distinct names of the files, with as few folders as needed."""
    paths = [file.resolve().with_suffix("") for file in files]
    names, length = [path.name for path in paths], 1
    while len(set(names)) < len(set(paths)):
        length += 1
        names = ["/".join(path.parts[-length:]) for path in paths]
    return [
        f"{name} ({names[: k + 1].count(name)})" if names.count(name) > 1 else name
        for k, name in enumerate(names)
    ]


def pose_of(pose: list[str]) -> dict[str, float]:
    """Coordinates of a pose from texts such as ``elbow=0.3``."""
    values = dict[str, float]()
    for item in pose:
        name, equals, value = item.partition("=")
        try:
            values[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise ModelError(f"--set {item}: must be COORDINATE=VALUE with a number, in rad or m")
    return values


def model_file(file: Path, scaling: Path | None = None) -> Model:
    """Model of a file, without meshes, scaled if there are factors for it."""
    from fibermsk.read import read_osim

    if not is_model(file):
        raise ModelError(f"{file}; must be an OpenSim model (.osim)")
    model = read_osim(file)
    if scaling is None:
        return model
    from fibermsk.analysis.scaling.scale import scale

    return scale(model, scaling).model


def read_model(
    file: Path, geometry: Path | None, pose: list[str], *, outside: bool = False
) -> Still:
    """Model in its start pose, or with other values of some coordinates."""
    from fibermsk.read import read_osim
    from fibermsk.system.reports.still import still

    values = pose_of(pose)
    model = read_osim(file, geometry=geometry, geometry_outside=outside)
    meshes = model.import_report.meshes
    missing = sum(path is None for _, _, path in meshes)
    if missing:
        where, give = (f"in {geometry}", "") if geometry else ("found", "give --geometry DIR; ")
        typer.echo(
            f"{missing} of {len(meshes)} mesh files not {where}, bodies without meshes are "
            f"drawn as sticks: {give}fibermsk info {file} --all names them",
            err=True,
        )
    for coordinate in model.coordinates:
        value, lower, upper = values.get(coordinate.name), coordinate.lower, coordinate.upper
        if value is None:
            continue
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            ends = (
                "-inf" if lower is None else f"{lower:g}",
                "inf" if upper is None else f"{upper:g}",
            )
            typer.echo(
                f"warning: --set {coordinate.name}={value:g} is outside the range that the "
                f"model declares, {ends[0]} to {ends[1]} "
                + ("rad" if coordinate.kind == "rotation" else "m"),
                err=True,
            )
    shown = still(model, values or None)
    for line in shown.muscles.values():
        if line.problem:
            typer.echo(f"warning: drawn straight: {line.problem}", err=True)
    return shown
