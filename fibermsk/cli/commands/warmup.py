"""`fibermsk warmup`: compile kernels before they are needed."""

from __future__ import annotations

from typing import Annotated

import typer

from fibermsk.cli.completing import scene_names
from fibermsk.cli.options import JsonOut
from fibermsk.cli.output import print_json


def warmup(
    scenes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCENE ...",
            autocompletion=scene_names,
            help="Scenes whose kernels are compiled; by default all.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes at a time.")] = 2,
    json: JsonOut = False,
) -> None:
    """Compile the kernels of scenes, by running each for a moment; later runs start at once."""
    from fibermsk.cli.running.progress import Counted, progress_report
    from fibermsk.cli.running.warming import Warmed, warm_all
    from fibermsk.results import Progress
    from fibermsk.scene_files import list_files, path_of

    names = [path.stem for path in list_files("scenes")]
    if scenes:
        for one in scenes:
            path_of(one, ("scenes",))
        names = list(dict.fromkeys(scenes))
    found = list[Warmed]()
    with progress_report("warmup", quiet=False) as tell:
        tell(Counted(0, len(names), "scene"))

        def told(one: Warmed) -> None:
            found.append(one)
            count = sum(each.compiled for each in found)
            tell(Counted(len(found), len(names), "scene", f", {count} functions compiled"))

        def compiling(now: Progress) -> None:
            if now.part:
                tell(now)

        warm_all(names, jobs, told, compiling)
    left = {one.scene: one.message for one in found if one.message}
    count = sum(one.compiled for one in found)
    if json:
        print_json({
            "compiled": count, "scenes": {one.scene: one.compiled for one in found},
            "left_out": left, "seconds": sum(one.seconds for one in found),
        })  # fmt: skip
        return
    typer.echo(f"{count} functions compiled for {len(found) - len(left)} scenes")
    for name, why in left.items():
        typer.echo(f"left out: {name}: {why}")
