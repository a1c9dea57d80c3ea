"""Bundles of an OpenSim model on the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fibermsk.cli.options import parse_settings
from fibermsk.cli.running.scene_files import SceneFile, find
from fibermsk.errors import ModelError

_SCENE = Path(__file__).with_name("model_scene.py")


def scene_of_model(
    model: Path, bundle: str | None, activation: str | None, geometry: Path | None
) -> tuple[SceneFile, list[str]]:
    """Scene that runs bundles of a model, and its settings."""
    if not model.is_file():
        raise ModelError(f"there is no model file {model}")
    if bundle is None:
        raise ModelError(
            f"{model} is a model: its muscles exert no force without fibers; give --bundle "
            "MUSCLE,... or --bundle all"
        )
    settings = [f"model={model.resolve()}", f"bundle={bundle}"]
    if activation is not None:
        path = Path(activation)
        settings.append(f"activation={path.resolve() if path.is_file() else activation}")
    if geometry is not None:
        settings.append(f"geometry={geometry.resolve()}")
    return replace(find(str(_SCENE)), name=model.stem), settings


def about_muscles(file: SceneFile, warned: list[dict[str, Any]]) -> dict[str, Any]:
    """Muscles refused by the scene of a model, and remarks on others; empty for other scenes."""
    if file.path != _SCENE:
        return {}
    return {
        kind: {one["fiber"]: one["text"] for one in warned if one["kind"] == kind}
        for kind in ("refused", "remarks")
    }


def refuse_without_model(
    scene: str, bundle: str | None, activation: str | None, geometry: Path | None
) -> None:
    """Refuse options of a model for a scene."""
    options = {"--bundle": bundle, "--activation": activation, "--geometry": geometry}
    for option, value in options.items():
        if value is not None:
            raise ModelError(f"{option} {value}: must be left out: {scene} is not a model (.osim)")


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
        values["duration"],
        values["free"],
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
