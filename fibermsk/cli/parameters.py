"""`fibermsk info --parameters`: numbers of a scene or model by path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer

from fibermsk._shown import shown
from fibermsk.cli.options import parse_settings
from fibermsk.cli.output import aligned, print_json, printing_beside
from fibermsk.cli.running.model_files import bundles_of_model
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.parameters import Parameters
from fibermsk.scene_files import find

_ANY = "(-inf, inf)"
"""Range that is not shown."""
_WIDEST = 20
"""Letters of a value."""


def show_parameters(
    what: Path,
    pattern: str | None,
    settings: list[str],
    geometry: dict[str, Any],
    json: bool,
    bundle: str | None = None,
    *,
    whole: bool = False,
) -> None:
    """Print the parameters of a scene or an OpenSim model that match a pattern; all if it is None.

    With their descriptions if `whole`.

    `settings` are ``key=value`` of the scene, `geometry` options of `fibermsk.read_osim`, `bundle`
    the muscles of an OpenSim model that are bundles.
    """
    with printing_beside(json):
        if bundle is None:
            model = _model(what, settings, geometry)
        else:
            model = bundles_of_model(what, bundle, geometry["geometry"], settings).model
    found = Parameters(model, pattern)
    if json:
        numbers = {
            path: {
                "value": np.asarray(one.value).tolist(),
                "unit": one.unit,
                "range": one.range,
                "description": one.description,
            }
            for path, one in found.items()
        }
        print_json({"model": model.name, "parameters": numbers})
        return
    typer.echo(f"model {model.name!r}: {len(found)} parameters")
    rows = [
        (path, f"{_number(one.value)} {one.unit}", "" if one.range == _ANY else one.range)
        + ((one.description,) if whole else ())
        for path, one in found.items()
    ]
    for line in aligned(rows):
        typer.echo(line)
    if rows and not whole:
        typer.echo("  --all: with descriptions")


def _model(what: Path, settings: list[str], geometry: dict[str, Any]) -> Model:
    if what.suffix.lower() == ".osim":
        from fibermsk.read import read_osim

        return read_osim(what, **geometry)
    if what.suffix.lower() == ".h5":
        raise ModelError(
            f"--parameters: {what} is a result, not a model; must be the name of a scene, "
            "its Python file or an OpenSim model"
        )
    file = find(str(what))
    owner = f"scene {file.name!r}"
    return file.make(parse_settings(settings, file.parameters, owner)).model


def _number(value: Any) -> str:
    """Number or array as text, the shape of an array that is long."""
    text = shown(np.asarray(value))
    return text if len(text) <= _WIDEST else f"array of shape {np.shape(value)}"
