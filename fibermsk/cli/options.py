"""Common options: `key=value` settings, and several values after one option."""

from __future__ import annotations

import ast
import inspect
import math
import re
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import typer
from typer.core import TyperCommand

from fibermsk import _check
from fibermsk._check import suggestion
from fibermsk.cli.completing import muscles, settings_of
from fibermsk.errors import ModelError

Geometry = Annotated[
    Path | None, typer.Option("--geometry", metavar="DIR", help="Folder of a model's bone meshes.")
]
GeometryOutside = Annotated[
    bool,
    typer.Option("--geometry-outside", help="Read a model's meshes outside of its folders."),
]
Bundle = Annotated[
    str | None,
    typer.Option(
        "--bundle",
        metavar="MUSCLE,...",
        autocompletion=muscles,
        help="Muscles of a model to replace by bundles of fibers: names or patterns, or all.",
    ),
]

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE ...",
        autocompletion=settings_of,
        help="Set parameters of the scene.",
    ),
]
Numbers = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="PATH=VALUE ...",
        help="Change numbers of the model by path or pattern; see fibermsk info --parameters.",
    ),
]
METHODS = "backward_euler", "bdf2", "sdirk2", "generalized_alpha", "sdirk4"
"""Names of the integrators of the package, here so that the help needs no solver."""
COMPILED = "explicit", "ndf"
"""Names of the methods of runs that are compiled as a whole."""


def _method(names: tuple[str, ...]) -> Any:
    """Option with the names of integrators."""
    return typer.Option(
        "--method",
        metavar="NAME",
        autocompletion=lambda: list(names),
        help=f"Time integrator: {', '.join(names)}, or one that the scene's file defines.",
    )


Method = Annotated[str | None, _method(METHODS)]
MethodOfRun = Annotated[str | None, _method(METHODS + COMPILED)]
Scaling = Annotated[
    Path | None,
    typer.Option("--scale", metavar="FILE.xml", help="Factors of the model, of fibermsk scale."),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, metavar="N", help="Threads of kernels; by default all cores."),
]
Degrees = Annotated[
    bool | None,
    typer.Option("--degrees/--radians", help="Unit of rotations; by default by the header."),
]
JsonOut = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

# Options that may be followed by several values, and the pattern of a value.
_MANY = {
    "--set": re.compile(r"[^\W\d]\w*="),
    "--param": re.compile(r"[^-=][^=]*="),
    "--what": re.compile(r"(?!.*\.h(df)?5$)[^\W\d][^/\\]*$"),
    "--to": re.compile(r"(?!.*\.py$)[^-].*[/*]|\*"),
    "--weight": re.compile(r"[^-=][^=]*="),
    "--over": re.compile(r"[^-=][^=]*="),
    "--of": re.compile(r"(?!.*\.nc$)[^-]"),
    "--fiber": re.compile(r"(?!.*\.h5$)[^-]"),
}
_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}


_WORDS: dict[Any, str] = {str: "TEXT", Path: "FILE", int: "N", float: "NUMBER", bool: ""}
"""What the help calls values of options that have no word of their own."""


def readable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a command, whose options have words for their values."""
    hints = get_type_hints(function, include_extras=True)
    for hint in hints.values():
        kind, *more = get_args(hint) or (hint,)
        kinds = set(get_args(kind) or (kind,)) - {type(None)}
        own = kinds.pop() if len(kinds) == 1 else None
        word = _WORDS.get(get_args(own)[0] if get_origin(own) is list else own)
        for info in more:
            if word is not None and hasattr(info, "metavar") and info.metavar is None:
                info.metavar = word
    function.__annotations__ = hints
    return function


def use_threads(threads: int | None) -> None:
    """Run kernels with a number of threads.

    Raises
    ------
    ModelError
        If there are fewer.
    """
    if threads is not None:
        import numba

        most = numba.get_num_threads()
        numba.set_num_threads(_check.count("run", "--threads", threads, most))


class Worded(TyperCommand):
    """Command whose help has words for values, and no names of types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Parameters with their words."""
        return [worded(one) for one in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Pieces of the line of usage, without the braces of some versions of typer."""
        return [one.replace("{", "").replace("}", "") for one in super().collect_usage_pieces(ctx)]


def worded(parameter: Any) -> Any:
    """A parameter whose type is not shown in the help."""
    if parameter.param_type_name == "argument":
        parameter.display_type_rich = lambda ctx: None
    elif parameter.metavar is None and getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    return parameter


class ManyValues(Worded):
    """Command that accepts ``--set a=1 b=2`` for ``--set a=1 --set b=2``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the option before each of its values."""
        spread: list[str] = []
        option, fresh = None, False
        for arg in args:
            if option in ("--set", "--param", "--over") and arg.startswith("="):
                value = arg[1:] or "VALUE"
                raise typer.BadParameter(
                    f"no spaces may be around the = of a value: {option} {spread[-1]}={value}", ctx
                )
            if arg.startswith("-"):
                option, fresh = (arg, True) if arg in _MANY else (None, False)
            elif option is not None and not fresh:
                if _MANY[option].match(arg):
                    spread.append(option)
                else:
                    option = None
            else:
                fresh = False
            spread.append(arg)
        return super().parse_args(ctx, spread)


def parse_settings(
    settings: Sequence[str], parameters: dict[str, inspect.Parameter], owner: str
) -> dict[str, Any]:
    """Values of all parameters of an owner: ``key=value`` settings, and defaults of the others.

    The last setting of a key holds; parameters have resolved annotations.
    """
    values = {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.default is not parameter.empty
    }
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ModelError(
                f"--set {setting}: must be key=value without spaces, for example --set steps=100"
            )
        if key not in parameters:
            known = ", ".join(parameters) or "none"
            raise ModelError(
                f"{owner} has no parameter {key!r}; it has: {known}"
                + suggestion(key, list(parameters))
            )
        try:
            values[key] = _convert(text.strip(), _kind(parameters[key]), key)
        except ModelError as error:
            default = parameters[key].default
            usual = "" if default is inspect.Parameter.empty else f"; its default is {default}"
            raise ModelError(f"--set {error}{usual}") from None
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ModelError(
            f"{owner} needs a value for: {', '.join(missing)} (--set {missing[0]}=...)"
        )
    return values


def parse_numbers(texts: Sequence[str]) -> dict[str, Any]:
    """Values by path of ``path=value`` texts, for `fibermsk.with_parameters`.

    A value is a number, or several separated by commas.
    """
    values: dict[str, Any] = {}
    for text in texts:
        path, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not path:
            raise ModelError(
                f"--param {text}: must be path=value without spaces, for example "
                "--param forearm/mass=1.5"
            )
        if path in values:
            raise ModelError(f"--param {path}: given twice; must be given once")
        try:
            numbers = _sequence(value, list, path)
        except ModelError as error:
            remedy = "'fibermsk info SCENE --parameters' lists ranges and units"
            raise ModelError(f"--param {error}; {remedy}") from None
        if not numbers:
            raise ModelError(f"--param {path}: has no value; must be a number, or several: 1,2,3")
        values[path] = numbers if "," in value else numbers[0]
    return values


def parse_over(
    texts: Sequence[str], parameters: dict[str, inspect.Parameter], design: str
) -> dict[str, list[Any]]:
    """Values by key of ``key=from:to:number`` and ``key=a,b,c`` texts, for `fibermsk.sweep`.

    Keys are parameters of a scene, or paths. Of samples, ``key=from:to``.
    """
    found = dict[str, list[Any]]()
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise ModelError(f"--over {text}: must be KEY=VALUES, such as radius=0.01:0.02:5")
        if key in found:
            raise ModelError(f"--over {key}: given twice; must be given once")
        kind = _kind(parameters[key]) if key in parameters else float
        try:
            found[key] = _several(value, kind, key, design == "grid")
        except ModelError as error:
            raise ModelError(f"--over {error}") from None
    return found


def _several(text: str, kind: Any, key: str, grid: bool) -> list[Any]:
    """Values of a grid, or the ends of a range."""
    parts = text.split(":")
    if len(parts) == 1 and grid:
        return [_convert(item.strip(), kind, key) for item in text.split(",")]
    if len(parts) != (3 if grid else 2):
        form = "FROM:TO:NUMBER, or values with commas" if grid else "FROM:TO"
        raise ModelError(f"{key} = {text!r}; must be {form}")
    low, high = (_float(part, key) for part in parts[:2])
    if not grid:
        return [low, high]
    number = int(parts[2]) if parts[2].strip().isdigit() else 0
    if number < 2:
        raise ModelError(f"{key} = {text!r}; must have a number of values, 2 or more, at the end")
    values = np.linspace(low, high, number).tolist()
    if kind is int:
        if any(one != round(one) for one in values):
            raise ModelError(f"{key} = {text!r}; must give whole numbers")
        return [round(one) for one in values]
    return values


def _kind(parameter: inspect.Parameter) -> Any:
    """Type of a parameter, from its annotation or else its default."""
    if parameter.annotation not in (parameter.empty, Any):
        return parameter.annotation
    if parameter.default is parameter.empty or parameter.default is None:
        return Any
    return type(parameter.default)


def _convert(text: str, kind: Any, key: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        choices = get_args(kind)
        if type(None) in choices and text.lower() in ("none", ""):
            return None
        failed = []
        for choice in choices:
            if choice is type(None):
                continue
            try:
                return _convert(text, choice, key)
            except ModelError as error:
                failed.append(error)
        raise failed[-1]
    if origin is Literal:
        for value in get_args(kind):
            if text == str(value):
                return value
        allowed = ", ".join(str(value) for value in get_args(kind))
        raise ModelError(f"{key} = {text!r}; must be one of: {allowed}")
    if (origin or kind) in (tuple, list):
        return _sequence(text, kind, key)
    if kind is bool:
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise ModelError(f"{key} = {text!r}; must be true or false")
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise ModelError(f"{key} = {text!r}; must be a whole number") from None
    if kind is float:
        return _float(text, key)
    if kind in (str, Path):
        return kind(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _float(text: str, key: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"{key} = {text!r}; must be a finite number")
    return value


def _sequence(text: str, kind: Any, key: str) -> Any:
    """``1,2,3`` as a tuple or list; items are numbers unless annotated otherwise."""
    inside = text.strip()
    if inside[:1] + inside[-1:] in ("()", "[]"):
        inside = inside[1:-1]
    items = [item.strip() for item in inside.split(",") if item.strip()]
    inner = [item for item in get_args(kind) if item is not Ellipsis] or [float]
    fixed = get_origin(kind) is tuple and Ellipsis not in get_args(kind)
    if fixed and len(items) != len(inner):
        raise ModelError(f"{key} = {text!r}; must be {len(inner)} values separated by commas")
    kinds = inner if fixed else inner[:1] * len(items)
    values = [_convert(item, kind, key) for item, kind in zip(items, kinds, strict=True)]
    return tuple(values) if (get_origin(kind) or kind) is tuple else values
