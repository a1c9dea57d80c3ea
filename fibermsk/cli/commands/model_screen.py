"""Contents of a model file of OpenSim in one screen."""

from __future__ import annotations

import math
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from fibermsk._shown import count, names
from fibermsk.cli.output import aligned
from fibermsk.model import Model
from fibermsk.read.osim.report import KINDS

HEADS = ("", "points", "wraps", "F0 [N]", "l_opt [m]", "l_slack [m]", "pennation")
"""Of the table of muscles."""

_WIDTH = 80
_MOST = 12
"""Rows of a table."""


def screen(model: Model, found: dict[str, Any], *, looked: bool = False) -> list[str]:
    """Lines about a model, of which `found` are the contents, at most 80 letters wide.

    `looked`: whether the user named a folder of meshes.
    """
    gravity = ", ".join(f"{value:.6g}" for value in found["gravity"])
    kinds = Counter(one["kind"] for one in found["joints"])
    lines = [
        f"{found['file']}",
        f"  OpenSim model {model.name!r}, version {found['version']}; gravity ({gravity}) m/s^2",
        f"  {len(model.bodies) - 1} bodies, {found['mass']:.6g} kg: "
        + names(found_names(found["bodies"][1:]), _WIDTH - 30),
        f"  {len(found['joints'])} joints: "
        + ", ".join(f"{n} {kind}" for kind, n in kinds.items()),
    ]
    free = [one for one in found["coordinates"] if not (one["follows"] or _is_held(one))]
    follow = sum(one["follows"] is not None for one in found["coordinates"])
    held = len(found["coordinates"]) - len(free) - follow
    others = [f"{follow} coupled to others"] * bool(follow) + [f"{held} held"] * bool(held)
    title = f"{len(free)} free coordinates" + "".join(f", {one}" for one in others)
    lines += _table(title, [(one["name"], coordinate_words(one)) for one in free])
    if found["muscles"]:
        kinds = Counter(one["kind"] for one in found["muscles"])
        title = "muscles: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items())
        lines += _table(title, [cells for cells, _ in muscle_cells(found)], HEADS)
        lines += [f"  {line}" for line in how_to_run(found["file"], found["muscles"][0]["name"])]
    report = model.import_report
    missing = [file for _, file, path in report.meshes if path is None]
    if report.meshes:
        where = "; give --geometry FOLDER" if missing and not looked else ""
        lines.append(
            f"  meshes: {len(report.meshes) - len(missing)} of {len(report.meshes)} found{where}"
        )
    counts = [
        count(n, kind, "notes" if kind == "note" else kind)
        for kind in KINDS
        if (n := len(report.of_kind(kind)))
    ]
    if counts:
        lines.append(f"  import: {', '.join(counts)}")
        for kind, text, entries in report.grouped():
            if kind == KINDS[-1]:
                break
            times = f" ({len(entries)} times)" if len(entries) > 1 else ""
            lines += _wrapped(f"{kind}: {textwrap.shorten(text, 100, placeholder=' ...')}{times}")
    return [*_cut(lines), "  all of it: --all"]


def found_names(items: Sequence[dict[str, Any]]) -> list[str]:
    """Names of bodies or other parts."""
    return [one["name"] for one in items]


def how_to_run(file: str, muscle: str) -> list[str]:
    """Commands that run the muscles of a model."""
    run = f"fibermsk run {shlex.quote(file)}"
    return [f"run all on lines: {run} --controls 0.3", f"one as fibers: {run} --bundle {muscle}"]


def muscle_cells(found: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Cells of the table of muscles, and the muscle."""
    for one in found["muscles"]:
        cells = (
            one["name"],
            str(one["points"]),
            str(len(one["wraps"])),
            f"{one['max_isometric_force']:.6g}",
            f"{one['optimal_fiber_length']:.5g}",
            f"{one['tendon_slack_length']:.5g}",
            f"{math.degrees(one['pennation_angle']):.4g} deg",
        )
        yield cells, one


def coordinate_words(one: dict[str, Any]) -> str:
    """Start, range and state of a coordinate; angles in degrees."""
    factor, unit = (180.0 / math.pi, "deg") if one["kind"] == "rotation" else (1.0, "m")
    parts = [f"{factor * one['value']:.4g} {unit}"]
    if one["lower"] is not None:
        parts.append(f"in {factor * one['lower']:.4g} to {factor * one['upper']:.4g} {unit}")
    if one["locked"]:
        parts.append("locked")
    if one["prescribed"]:
        parts.append("prescribed")
    if one["follows"]:
        parts.append(f"follows {one['follows']}")
    return ", ".join([*parts, *one["forces"]])


def _is_held(one: dict[str, Any]) -> bool:
    return one["locked"] or one["prescribed"]


def _table(
    title: str, rows: list[tuple[str, ...]], heads: tuple[str, ...] | None = None
) -> list[str]:
    """A title and aligned rows, of which many are left out."""
    shown = rows if len(rows) <= _MOST else rows[: _MOST - 1]
    lines = [f"  {title}", *aligned([heads, *shown] if heads else shown, 4)]
    if len(shown) < len(rows):
        lines.append(f"    and {len(rows) - len(shown)} more (--all)")
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def _cut(lines: list[str]) -> list[str]:
    """Lines without what goes beyond the width, but for names of files."""
    return [
        line if len(line) <= _WIDTH or "/" in line else f"{line[: _WIDTH - 3]}..." for line in lines
    ]
