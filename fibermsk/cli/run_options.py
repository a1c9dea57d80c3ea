"""Options of commands that run a scene."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[
    Path | None,
    typer.Option("--out", help="Result file; by default results/<scene>.h5.", dir_okay=True),
]
Check = Annotated[
    bool, typer.Option("--check", help="Compare the forces with inverse dynamics of the motion.")
]
Activated = Annotated[
    str | None,
    typer.Option(
        "--activation",
        metavar="VALUE|FILE",
        help="Activation of the bundles of a model: end of a ramp, or a file by muscle.",
    ),
]
Moved = Annotated[
    Path | None,
    typer.Option("--motion", metavar="FILE", help="Motion that a model's coordinates follow."),
]
Controls = Annotated[
    str | None,
    typer.Option(
        "--controls",
        metavar="FILE|VALUE",
        help="File with columns of a model's muscles and actuators, or one excitation of all "
        "muscles.",
    ),
]
End = Annotated[
    float | None,
    typer.Option(
        "--t-end", "--until", metavar="SECONDS", help="Duration of the run; the time step stays."
    ),
]
Step = Annotated[
    float | None,
    typer.Option(
        "--dt",
        metavar="SECONDS",
        help="Time step; with adaptive steps that between frames.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object on standard output at the end of the run."),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Let a run that fails or is interrupted replace a complete result; else it is "
        "written beside it, as NAME.partial.h5.",
    ),
]
Every = Annotated[
    float | None,
    typer.Option(
        "--checkpoint-every",
        metavar="SECONDS",
        help="Interval of checkpoints beside the result, for fibermsk resume; by default a minute.",
    ),
]
NoCheckpoint = Annotated[
    bool, typer.Option("--no-checkpoint", help="Write no checkpoint, and leave none at a failure.")
]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        metavar="PNG",
        help="Write a picture at the end of the run, of the moment farthest from the start.",
    ),
]
Movie = Annotated[
    Path | None,
    typer.Option("--movie", metavar="MP4|GIF", help="Write a movie at the end of the run."),
]
Labels = Annotated[
    bool, typer.Option("--labels", help="Write names of muscles in --picture and --movie.")
]
Envelope = Annotated[
    bool,
    typer.Option(
        "--envelope", help="Draw a skin around the fibers of each bundle in --picture and --movie."
    ),
]
