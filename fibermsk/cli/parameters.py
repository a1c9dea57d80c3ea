"""`fibermsk info --parameters`: numbers of a scene or model by path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer

from fibermsk.cli.options import parse_settings
from fibermsk.cli.output import aligned, print_json, printing_beside
from fibermsk.cli.running.model_files import bundles_of_model
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.parameters import Parameters
from fibermsk.scene_files import find

_WIDEST = 60
"""Width of a description in a table."""


def show_parameters(
    what: Path,
    pattern: str | None,
    settings: list[str],
    geometry: dict[str, Any],
    json: bool,
    bundle: str | None = None,
) -> None:
    """Print the parameters of a scene or an OpenSim model that match a pattern; all if it is None.

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
        (path, _number(one.value), one.unit, one.range, _short(one.description))
        for path, one in found.items()
    ]
    for line in aligned(rows):
        typer.echo(line)


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
    """Number or array as text."""
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    text = np.array2string(np.asarray(value), precision=4, separator=", ", suppress_small=True)
    return " ".join(text.split())


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
