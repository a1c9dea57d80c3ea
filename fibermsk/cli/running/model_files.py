"""Muscles of an OpenSim model on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import typer

from fibermsk.cli.options import parse_settings
from fibermsk.errors import ModelError
from fibermsk.scene_files import SceneFile, find

_SCENE = Path(__file__).with_name("model_scene.py")


def scene_of_model(
    model: Path,
    bundle: str | None,
    activation: str | None,
    geometry: Path | None,
    motion: Path | None = None,
    controls: str | None = None,
) -> tuple[SceneFile, list[str]]:
    """Scene that runs a model with its muscles, and its settings.

    Without bundles, motion and controls, the excitation of all muscles is 0.
    """
    if not model.is_file():
        raise ModelError(f"there is no model file {model}")
    if motion is not None and not motion.is_file():
        raise ModelError(f"--motion {motion}: there is no such file")
    if activation is not None and (controls is not None or bundle is None):
        raise ModelError(
            f"--activation {activation}: must be left out "
            + ("without --bundle; give --controls" if bundle is None else "with --controls")
        )
    if bundle is None and motion is None and controls is None:
        controls = "0"
        typer.echo(f"{model.stem}: no --controls: the excitation of all muscles is 0", err=True)
    settings = [f"model={model.resolve()}", f"bundle={bundle or 'none'}"]
    if motion is not None:
        settings.append(f"motion={motion.resolve()}")
    for name, value in (("activation", activation), ("controls", controls)):
        if value is not None:
            path = Path(value)
            settings.append(f"{name}={path.resolve() if path.is_file() else value}")
    if geometry is not None:
        settings.append(f"geometry={geometry.resolve()}")
    return replace(find(str(_SCENE)), name=model.stem), settings


def named(file: SceneFile, settings: list[str]) -> SceneFile:
    """The scene of a model with the name of its file; any other scene as it is."""
    if file.path != _SCENE:
        return file
    given = dict(setting.split("=", 1) for setting in settings if "=" in setting)
    return replace(file, name=Path(given.get("model", file.name)).stem)


def refuse_idle(file: SceneFile, model: Any, numbers: Iterable[str]) -> None:
    """Refuse numbers of line muscles that the run has replaced by bundles.

    Raises
    ------
    ModelError
        If the path of a number begins with such a muscle, or a pattern for it.
    """
    if file.path != _SCENE:
        return
    fibers = {fiber.name for fiber in model.fibers}
    replaced = [one.name for one in model.muscles if f"{one.name}_1" in fibers]
    for path in numbers:
        owner, _, rest = path.partition("/")
        found = next((name for name in replaced if fnmatchcase(name, owner)), None)
        if found is not None:
            raise ModelError(
                f"--param {path}: would have no effect: {found!r} is a bundle in this run, made "
                f"from the muscle of the file; must be a number of its fibers, {found}_*/...; to "
                f"change {rest or 'the muscle'} before, use fm.with_parameters and "
                "fm.bundles_from_model, or another model file"
            )


def about_muscles(file: SceneFile, warned: list[dict[str, Any]]) -> dict[str, Any]:
    """Muscles refused by the scene of a model, and remarks on others; empty for other scenes."""
    if file.path != _SCENE:
        return {}
    return {
        kind: {one["fiber"]: one["text"] for one in warned if one["kind"] == kind}
        for kind in ("refused", "remarks")
    }


def refuse_without_model(scene: str, **options: Any) -> None:
    """Refuse options of a model for a scene."""
    for name, value in options.items():
        if value is not None:
            text = f"--{name} {value}: must be left out: {scene} is not a model (.osim)"
            raise ModelError(text)


def bundles_of_model(
    model: Path, bundle: str, geometry: Path | None, settings: list[str]
) -> dict[str, Any]:
    """Report on the bundles of a model: its text, and numbers by muscle."""
    from fibermsk.cli.running.model_scene import describe, read

    file, own = scene_of_model(model, bundle, None, geometry)
    values = parse_settings([*own, *settings], file.parameters, f"model {model.name!r}")
    source = read(values["model"], values["geometry"], values["contact"])
    made = describe(
        source,
        values["bundle"],
        values["fibers"],
        values["elements"],
        values["activation"],
        values["duration"] or 0.2,
        values["free"],
        specific_tension=values["specific_tension"],
    )
    muscles = {}
    for name, one in made.muscles.items():
        report, sizes = one.bundle.report, one.sizes
        muscles[name] = {
            "fibers": sizes.n_fibers,
            "specific_tension": one.specific_tension,
            "start_length": report.start_length,
            "muscle_length": report.muscle_length,
            "tendon_length": report.tendon_length,
            "belly_length": sizes.belly_length,
            "thickness": one.thickness,
            "radius_factor": report.radius_factor,
            "moved_origin": report.moved_origin,
            "moved_insertion": report.moved_insertion,
            "mass": report.mass,
            "belly_mass": sizes.mass * report.radius_factor**2,
            "rings": {ring.name: ring.radius for ring in one.rings},
            "wraps": [body.name for body in one.shapes.bodies],
            "overlaps": list(one.overlaps),
            "remarks": list(one.remarks),
        }
    return {
        "file": str(model),
        "mass": made.mass,
        "muscles": muscles,
        "refused": made.refused,
        "text": str(made),
    }
