"""Values that the shell completes."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from fibermsk.errors import ModelError

if TYPE_CHECKING:
    from fibermsk.model import Model
    from fibermsk.results import Result


def scene_names() -> list[str]:
    """Names of the scenes of the package."""
    from fibermsk.scene_files import list_files

    return [file.stem for file in list_files("scenes")]


def names_of_problems() -> list[str]:
    """Names of the verification problems."""
    from fibermsk.scene_files import problem_names

    return problem_names()


def names_of_benches() -> list[str]:
    """Names of the benchmarks."""
    from fibermsk.bench import BENCHES

    return list(BENCHES)


def one_of(*values: str) -> Callable[[], list[str]]:
    """Completion by one of some values."""
    return lambda: list(values)


def settings_of(ctx: typer.Context) -> list[str]:
    """Parameters of the scene that is given, with their defaults, without running its file."""
    from fibermsk.cli.running.model_files import MODEL_SCENE
    from fibermsk.scene_files import path_of

    scene = _given(ctx, "scene")
    try:
        path = MODEL_SCENE if scene.lower().endswith(".osim") else path_of(scene)
        body = ast.parse(path.read_text(encoding="utf-8")).body
    except (ModelError, OSError, SyntaxError, ValueError):
        return []
    functions = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == "scene"]
    found: list[str] = []
    for given in (one.args for one in functions[-1:]):
        names = given.posonlyargs + given.args
        defaults = [*[None] * (len(names) - len(given.defaults)), *given.defaults]
        pairs = [*zip(names, defaults, strict=True)]
        pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
        found += [f"{name.arg}={_value(default)}" for name, default in pairs]
    return found


def _value(default: ast.expr | None) -> str:
    """A default as it is written after --set."""
    if isinstance(default, ast.Constant):
        return str(default.value)
    return "" if default is None else ast.unparse(default)


def muscles(ctx: typer.Context) -> list[str]:
    """Muscles of the model that is given."""
    return _of_model(_given(ctx, "scene"), lambda model: [one.name for one in model.muscles])


def poses(ctx: typer.Context) -> list[str]:
    """Coordinates of the model that is given, with their values at the start."""

    def told(model: Model) -> list[str]:
        free = (one for one in model.coordinates if one.kind != "quaternion")
        return [f"{one.name}={one.value:g}" for one in free]

    return _of_model(_given(ctx, "files"), told)


def _of_model(path: str, names: Callable[[Model], list[str]]) -> list[str]:
    from fibermsk.read import read_osim

    if not path.lower().endswith(".osim"):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return names(read_osim(path))
    except (ModelError, OSError):
        return []


def measures(ctx: typer.Context) -> list[str]:
    """Measures of the result that is given."""
    from fibermsk.results.measures import measure_names

    return _of_result(ctx, measure_names)


def plots(ctx: typer.Context) -> list[str]:
    """Plots of the result that is given."""
    from fibermsk.view.plots import plot_names

    return _of_result(ctx, lambda result: list(plot_names(result)))


def fibers(ctx: typer.Context) -> list[str]:
    """Fibers of the result that is given."""
    return _of_result(ctx, lambda result: list(result.fibers))


def _of_result(ctx: typer.Context, names: Callable[[Result], list[str]]) -> list[str]:
    from fibermsk.io import load

    try:
        return names(load(_given(ctx, "file") or _given(ctx, "files"), lazy=True))
    except ModelError:
        return []


def _given(ctx: typer.Context, name: str) -> str:
    """The first value of an argument; a command that lacks the value at the end keeps it apart."""
    value: Any = ctx.params.get(name) or ctx.args
    return str(value[0] if isinstance(value, list | tuple) and value else value or "")
