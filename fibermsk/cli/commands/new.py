"""`fibermsk new`: write a scene to start from."""

from __future__ import annotations

import importlib.util
import keyword
import shlex
import site
import sys
import sysconfig
from pathlib import Path
from typing import Annotated

import typer

from fibermsk.errors import ModelError
from fibermsk.files import check_writable, replacing

_TEMPLATE = Path(__file__).with_name("_template.py")
_PLACEHOLDER = "NAME"


def new(
    file: Annotated[
        Path, typer.Argument(metavar="SCENE.py", help="File to write, such as my_scene.py.")
    ],
) -> None:
    """Write a commented scene to start from: a bone, a joint, a muscle, contact."""
    _check_name(file)
    check_writable(file)
    text = _TEMPLATE.read_text(encoding="utf-8").replace(_PLACEHOLDER, file.stem)
    with replacing(file) as beside:
        beside.write_text(text, encoding="utf-8")
    scene, result = shlex.quote(str(file)), shlex.quote(f"results/{file.stem}.h5")
    movie, page, plot = (shlex.quote(f"{file.stem}{end}") for end in (".mp4", ".html", ".png"))
    typer.echo(
        f"written {file}: open it in an editor, its comments explain what to change. Next:\n"
        f"  fibermsk run {scene}\n"
        f"  fibermsk view {result}\n"
        f"  fibermsk view {result} --movie {movie}\n"
        f"  fibermsk view {result} --html {page}\n"
        f"  fibermsk plot {result} --out {plot}\n"
        f"  fibermsk run {scene} --set radius=0.012 activation=0.8 --out thicker.h5\n"
        f"  fibermsk scenes {scene}"
    )


def _check_name(file: Path) -> None:
    """Refuse existing files, and names that are not valid for a new Python module."""
    if file.is_dir():
        raise ModelError(
            f"{file} is a folder; name a file in it: "
            f"fibermsk new {shlex.quote(str(file / 'my_scene.py'))}"
        )
    if file.suffix != ".py":
        named = file.with_name(f"{file.stem or 'my_scene'}.py")
        raise ModelError(f"{file}: must end with .py: fibermsk new {shlex.quote(str(named))}")
    name = file.stem
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise ModelError(
            f"{file}: {name!r} is not a valid Python module name; must be letters, digits and _, "
            "not begin with a digit and not be a keyword, such as my_scene.py"
        )
    if _is_module(name):
        raise ModelError(
            f"{file}: {name!r} is a module that Python imports; must differ from it, such as "
            f"my_{name}.py"
        )
    if file.exists() or file.is_symlink():
        raise ModelError(f"{file} exists; remove it first, or choose another name")


def _is_module(name: str) -> bool:
    """Whether this is the name of an installed or standard module."""
    if name in sys.stdlib_module_names:
        return True
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return True  # broken, but hidden by a file of this name
    if spec is None or spec.origin is None:
        return False  # a file takes precedence over a namespace package
    if spec.submodule_search_locations is not None:
        return True
    # single files elsewhere are the user's own
    places = [*site.getsitepackages(), site.getusersitepackages(), sysconfig.get_path("platlib")]
    return Path(spec.origin).resolve().parent in {Path(place).resolve() for place in places}
