"""Checks of the options of `fibermsk view`, before files are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fibermsk.cli.shown import is_model
from fibermsk.errors import ModelError

_OWN = {
    "--size": ("--picture", "--movie"),
    "--no-shadows": ("--picture", "--movie"),
    "--fit": ("--picture",),
    "--fps": ("--movie",),
    "--speed": ("--movie",),
    "--max-frames": ("--html", "--web"),
    "--port": ("--web",),
    "--allow-host": ("--web",),
}
"""Options that apply to some outputs only."""


def check_options(ways: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuse two outputs (`ways`) at once, and `options` that do not apply to the output."""
    given = [way for way, value in ways.items() if value]
    if len(given) > 1:
        raise ModelError(f"{given[0]} and {given[1]}: only one at a time is allowed; leave one out")
    for option, those in _OWN.items():
        if options.get(option) is not None and not set(those) & set(given):
            needed = " or ".join(those)
            raise ModelError(f"{option} does not apply without {needed}; leave it out")
    if "--movie" in given and options.get("--time") is not None:
        raise ModelError("--time does not apply: a movie shows the whole run; leave it out")


def check_look(color_by: str, arrows: list[str]) -> None:
    """Refuse fields and kinds of arrows that there are not, also where no window can be opened."""
    from fibermsk.view.fields import check_field
    from fibermsk.view.forces import check_kinds

    check_field(color_by)
    check_kinds(arrows)


def check_files(files: list[Path], idle: dict[str, Any], of_models: dict[str, Any]) -> None:
    """Refuse options that do not apply to files of this kind or number.

    `idle`: ``--time``, ``--compare``, ``--measure``, ``--color-by`` and outputs; `of_models`:
    options of models.
    """
    file, several = files[0], len(files) > 1
    if several or idle["--compare"] is not None:
        if not several:
            raise ModelError(f"--compare needs several results, not {file} alone; name another")
        for one in files:
            if is_model(one):
                raise ModelError(
                    f"{one} is a model; only results (.h5) are compared: view it alone"
                )
    if is_model(file):
        unused = "--time", "--movie", "--measure", "--color-by"
        refused = {option: idle[option] for option in unused}
        kind = "a model without motion"
    else:
        refused, kind = of_models, "not an OpenSim model (.osim)"
    for option, value in refused.items():
        if value is not None and value is not False and value != []:
            raise ModelError(f"{option} does not apply: {file} is {kind}; leave it out")


def comparison(text: str | None) -> str:
    """Value of `compare` in Python."""
    if text is None:
        return "side_by_side"
    if text.replace("_", "-") not in ("side-by-side", "overlay"):
        raise ModelError(f"--compare {text}: must be side-by-side or overlay")
    return text.replace("-", "_")


def pixels(text: str | None) -> dict[str, tuple[int, int]]:
    """Argument ``size`` from ``1280x720``; none for None."""
    if text is None:
        return {}
    width, _, height = text.lower().partition("x")
    try:
        return {"size": (int(width), int(height))}
    except ValueError:
        raise ModelError(
            f"--size {text}: must be width and height in pixels, as in --size 1280x720"
        ) from None
