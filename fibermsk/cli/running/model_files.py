"""Muscles of an OpenSim model on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fibermsk.cli.options import parse_settings
from fibermsk.errors import ModelError
from fibermsk.scene_files import SceneFile, find

if TYPE_CHECKING:
    from fibermsk.anatomy import ModelBundles
    from fibermsk.model import Model
    from fibermsk.parameters import Parameters

MODEL_SCENE = Path(__file__).with_name("model_scene.py")
"""Scene of a model that is given instead of a scene."""


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
        text = "no --controls: the excitation of all muscles is 0, and no actuator acts"
        typer.echo(f"{model.stem}: {text}", err=True)
    settings = [f"model={model.resolve()}", f"bundle={bundle or 'none'}"]
    if motion is not None:
        settings.append(f"motion={motion.resolve()}")
    for name, value in (("activation", activation), ("controls", controls)):
        if value is not None:
            path = Path(value)
            settings.append(f"{name}={path.resolve() if path.is_file() else value}")
    if geometry is not None:
        settings.append(f"geometry={geometry.resolve()}")
    return named(find(str(MODEL_SCENE)), settings), settings


def named(file: SceneFile, settings: list[str]) -> SceneFile:
    """The scene of a model with the name of its file; any other scene as it is."""
    if file.path != MODEL_SCENE:
        return file
    given = dict(setting.split("=", 1) for setting in settings if "=" in setting)
    name = Path(given.get("model", file.name)).stem
    return _ModelScene(name, file.path, file.title, file.function, file.parameters)


class _ModelScene(SceneFile):
    """Scene of a model, of which numbers of the file change before muscles become bundles."""

    def make(self, parameters: dict[str, Any], numbers: Mapping[str, Any] | None = None) -> Any:
        """Scene with these parameters, and with numbers of the file or of the scene's model."""
        if not numbers:
            return super().make(parameters)
        from fibermsk.parameters import Parameters, with_parameters
        from fibermsk.read import read_osim

        source = Parameters(read_osim(parameters["model"], geometry=parameters["geometry"] or None))
        before = {path: value for path, value in numbers.items() if _has(source, path)}
        texts = [f"{path}={_text(value)}" for path, value in before.items()]
        texts = [*filter(None, [parameters["changes"]]), *texts]
        scene = super().make(parameters | {"changes": ";".join(texts)})
        after = {path: value for path, value in numbers.items() if path not in before}
        _refuse_idle(scene.model, after)
        return replace(scene, model=with_parameters(scene.model, after)) if after else scene


def _has(source: Parameters, path: str) -> bool:
    """Whether a path or pattern is one of a model."""
    try:
        return len(source.match(path)) > 0
    except ModelError:
        return False


def _text(value: Any) -> str:
    """A number, or several, as on the command line."""
    return ",".join(map(repr, value)) if isinstance(value, list) else repr(value)


def _refuse_idle(model: Model, numbers: Iterable[str]) -> None:
    """Refuse numbers of laws of line muscles that the run has replaced by bundles."""
    fibers = {fiber.name for fiber in model.fibers}
    replaced = [one.name for one in model.muscles if f"{one.name}_1" in fibers]
    for path in numbers:
        owner = path.partition("/")[0]
        found = next((name for name in replaced if fnmatchcase(name, owner)), None)
        if found is not None:
            raise ModelError(
                f"--param {path}: would have no effect: {found!r} is a bundle in this run; must be "
                "a number of the file, from which the bundle is made, or of its fibers, "
                f"{found}_*/...; 'fibermsk info MODEL.osim --parameters' lists the first, with "
                "--bundle the second"
            )


def about_muscles(file: SceneFile, warned: list[dict[str, Any]]) -> dict[str, Any]:
    """Muscles refused by the scene of a model, and remarks on others; empty for other scenes."""
    if file.path != MODEL_SCENE:
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
) -> ModelBundles:
    """Bundles of a model, as of a run with these options."""
    from fibermsk.cli.running.model_scene import describe, read

    file, own = scene_of_model(model, bundle, None, geometry)
    values = parse_settings([*own, *settings], file.parameters, f"model {model.name!r}")
    source = read(values["model"], values["geometry"], values["contact"], values["changes"])
    return describe(
        source,
        values["bundle"],
        values["fibers"],
        values["elements"],
        values["activation"],
        values["duration"] or 0.2,
        values["free"],
        specific_tension=values["specific_tension"],
    )


def report_bundles(made: ModelBundles, file: Path) -> dict[str, Any]:
    """Numbers of the bundles of a model by muscle."""
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
        "file": str(file),
        "mass": made.mass,
        "muscles": muscles,
        "refused": made.refused,
    }
