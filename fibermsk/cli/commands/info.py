"""`fibermsk info`: print the contents of a result file or a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fibermsk.cli.commands.model_info import show_model
from fibermsk.cli.commands.result_info import pairs, show_result
from fibermsk.cli.commands.study_info import is_study, show_study
from fibermsk.cli.options import Bundle, Geometry, GeometryOutside, JsonOut
from fibermsk.cli.output import print_json
from fibermsk.cli.parameters import show_parameters
from fibermsk.cli.running.job import check_job, resume_command
from fibermsk.errors import ModelError


def info(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Result file (.h5), study (.nc) or OpenSim model (.osim); with --parameters also "
            "a scene.",
        ),
    ],
    json: JsonOut = False,
    geometry: Geometry = None,
    geometry_outside: GeometryOutside = False,
    parameters: Annotated[
        bool,
        typer.Option(
            "--parameters",
            help="List the parameters of a scene or a model by path, with unit and allowed range.",
        ),
    ] = False,
    match: Annotated[
        str | None,
        typer.Option("--match", metavar="PATTERN", help="Only matching parameters."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE ...", help="Settings, with --parameters or --bundle."
        ),
    ] = None,
    bundle: Bundle = None,
    every: Annotated[
        bool, typer.Option("--all", help="All that the file has, one by one.")
    ] = False,
) -> None:
    """Print the contents of a result file or study, with ranges and units, or of a model."""
    if bundle is not None and file.suffix.lower() != ".osim":
        raise ModelError(f"--bundle {bundle}: must be left out: {file} is not a model (.osim)")
    if bundle is not None and not parameters:
        _show_bundles(file, bundle, geometry, settings or [], json)
        return
    if parameters:
        options = {"geometry": geometry, "geometry_outside": geometry_outside}
        show_parameters(file, match, settings or [], options, json, bundle, whole=every)
        return
    for option, given in (("--match", match), ("--set", settings)):
        if given is not None:
            raise ModelError(f"{option} {given}: must be left out without --parameters")
    if file.suffix.lower() == ".osim":
        show_model(file, geometry, json, outside=geometry_outside, whole=every)
        return
    if geometry is not None:
        raise ModelError(f"--geometry {geometry}: {file} is not a model; must be left out")
    if geometry_outside:
        raise ModelError(f"--geometry-outside: {file} is not a model; must be left out")
    from fibermsk.io import describe, is_checkpoint

    if is_checkpoint(file):
        _show_checkpoint(file, json)
        return
    if is_study(file):
        show_study(file, json)
        return
    _check_kind(file)
    found = describe(file)
    attributes, datasets = found["attributes"], found["datasets"]
    if json:
        print_json({"file": str(file), **attributes, "datasets": datasets})
        return
    show_result(file, attributes, datasets, whole=every)


def _show_bundles(
    file: Path, bundle: str, geometry: Path | None, settings: list[str], json: bool
) -> None:
    """Print a report on muscles of a model as bundles of fibers."""
    from fibermsk.cli.running.model_files import bundles_of_model, report_bundles

    made = bundles_of_model(file, bundle, geometry, settings)
    if json:
        print_json(report_bundles(made, file))
    else:
        typer.echo(str(made))


def _check_kind(file: Path) -> None:
    """Refuse a file that is neither HDF5 nor a file of this package."""
    import h5py

    from fibermsk.io.sealed import kind_of

    if file.is_file() and kind_of(file) is None and not h5py.is_hdf5(file):
        raise ModelError(
            f"{file}: must be a result file (.h5), a checkpoint or an OpenSim model (.osim); a "
            "model must have the ending .osim"
        )


def _show_checkpoint(file: Path, json: bool) -> None:
    """Print the run of a checkpoint and its progress."""
    from fibermsk.io import load_checkpoint

    taken = load_checkpoint(file)
    command = "its script, with resume_from"
    if "scene" in taken.job:
        command = resume_command(check_job(taken.job, file), file)
    shown = {
        "file": str(file),
        "kind": "checkpoint",
        "scene": taken.job.get("scene", "of a script"),
        "time": taken.time,
        "duration": taken.duration,
        "frames": len(taken.arrays["frames.t"]),
        "fibermsk_version": taken.identity["fibermsk"],
        "method": taken.identity["the method"],
        "control": taken.identity["the step control"],
        "parameters": taken.job.get("parameters", {}),
    }
    if json:
        print_json(shown)
        return
    typer.echo(f"{file}: checkpoint; to resume: {command}")
    shown["time"] = f"{taken.time:.6g} of {taken.duration:g} s"
    shown["parameters"] = pairs(shown["parameters"])
    for key in list(shown)[2:]:
        if key != "duration":
            text = str(shown[key])
            typer.echo(f"  {key}: {text if text.isprintable() else repr(text)}")
