"""`fibermsk scenes`: list scenes, and their parameters."""

from __future__ import annotations

import inspect
import textwrap
from typing import Annotated, Any

import typer

from fibermsk._docstrings import parameter_texts
from fibermsk.cli.completing import scene_names
from fibermsk.cli.options import JsonOut
from fibermsk.cli.output import print_json, printing_beside
from fibermsk.scene_files import find, list_files, read_title

_WIDTH = 80
"""Of lines, in letters."""


def scenes(
    scene: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENE",
            autocompletion=scene_names,
            help="Show the parameters and defaults of this scene.",
        ),
    ] = None,
    json: JsonOut = False,
) -> None:
    """List scenes and verification problems, or the parameters of one."""
    if scene is None:
        _list_all(json)
    else:
        _show_one(scene, json)


def _list_all(json: bool) -> None:
    found = {
        kind: [(path.stem, read_title(path)) for path in list_files(kind)]
        for kind in ("scenes", "verification")
    }
    if json:
        print_json(
            {
                kind: [{"name": name, "title": title} for name, title in items]
                for kind, items in found.items()
            }
        )
        return
    width = max((len(name) for items in found.values() for name, _ in items), default=0)
    headings = {
        "scenes": "Scenes (fibermsk run NAME)",
        "verification": "Verification problems (fibermsk verify NAME)",
    }
    for kind, items in found.items():
        if items or kind == "scenes":
            typer.echo(headings[kind])
        for name, title in items:
            first, *more = textwrap.wrap(title, _WIDTH - 4 - width) or [""]
            typer.echo(f"  {name:<{width}}  {first}")
            for line in more:
                typer.echo(f"  {'':<{width}}  {line}")
        if kind == "scenes" and not items:
            typer.echo("  none found")


def _show_one(scene: str, json: bool) -> None:
    with printing_beside(json):
        file = find(scene, ("scene", "run"))
    meanings = parameter_texts(file.function)
    rows = [(name, _type(parameter), parameter) for name, parameter in file.parameters.items()]
    if json:
        print_json(
            {
                "name": file.name,
                "title": file.title,
                "file": str(file.path),
                "parameters": {
                    name: {
                        "type": kind,
                        "default": _default(parameter),
                        "description": meanings.get(name, ""),
                    }
                    for name, kind, parameter in rows
                },
            }
        )
        return
    named = file.title.casefold().startswith(f"{file.name.casefold()}:")
    typer.echo(file.title if named else f"{file.name}: {file.title}")
    typer.echo(f"  {file.path}")
    typer.echo("Parameters (--set NAME=VALUE)" if rows else "No parameters")
    width = max((len(name) for name in file.parameters), default=0)
    for name, kind, parameter in rows:
        default = _default(parameter)
        shown = "must be set" if parameter.default is parameter.empty else f"default {default}"
        typer.echo(f"  {name:<{width}}  {kind}, {shown}")
        for line in textwrap.wrap(meanings.get(name, ""), _WIDTH - 6 - width):
            typer.echo(f"  {'':<{width}}    {line}")


def _type(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        if parameter.default in (parameter.empty, None):
            return "any"
        annotation = type(parameter.default)
    if annotation is Any:
        return "any"
    return annotation.__name__ if inspect.isclass(annotation) else str(annotation)


def _default(parameter: inspect.Parameter) -> Any:
    return None if parameter.default is parameter.empty else parameter.default
