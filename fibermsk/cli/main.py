"""The `fibermsk` command."""

from __future__ import annotations

from typing import Annotated

import typer

from fibermsk.cli.commands import (
    bench,
    export,
    fit,
    ik,
    info,
    inverse_dynamics,
    muscles,
    new,
    plot,
    resume,
    run,
    scale,
    scenes,
    sensitivity,
    so,
    sweep,
    track,
    verify,
    view,
    warmup,
)
from fibermsk.cli.errors import ReportingGroup
from fibermsk.cli.options import ManyValues, Worded, readable

app = typer.Typer(
    name="fibermsk",
    cls=ReportingGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Simulate muscles as bundles of fibers on moving bones, and view the results.",
)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(version("fibermsk"))
        except PackageNotFoundError:
            typer.echo("unknown (fibermsk is not installed)")
        raise typer.Exit()


@app.callback()
@readable
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of every command."""
    import os

    os.environ.setdefault("FIBERMSK_QUIET", "1")  # commands have lines and bars of their own


app.command("scenes", cls=Worded)(readable(scenes.scenes))
app.command("new", cls=Worded)(readable(new.new))
app.command("run", cls=ManyValues)(readable(run.run))
app.command("resume", cls=ManyValues)(readable(resume.resume))
app.command("verify", cls=ManyValues)(readable(verify.verify))
app.command("bench", cls=Worded)(readable(bench.bench))
app.command("view", cls=Worded)(readable(view.view))
app.command("plot", cls=ManyValues)(readable(plot.plot))
app.command("export", cls=ManyValues)(readable(export.export))
app.command("info", cls=ManyValues)(readable(info.info))
app.command("muscles", cls=Worded)(readable(muscles.muscles))
app.command("so", cls=Worded)(readable(so.so))
app.command("track", cls=Worded)(readable(track.track))
app.command("fit", cls=Worded)(readable(fit.fit))
app.command("ik", cls=ManyValues)(readable(ik.ik))
app.command("scale", cls=Worded)(readable(scale.scale))
app.command("id", cls=Worded)(readable(inverse_dynamics.inverse_dynamics))
app.command("sensitivity", cls=ManyValues)(readable(sensitivity.sensitivity))
app.command("warmup", cls=Worded)(readable(warmup.warmup))
app.command("sweep", cls=ManyValues)(readable(sweep.sweep))


def main() -> None:
    """Entry point of the console command."""
    import contextlib
    import sys
    import warnings

    def show(message, category, filename, lineno, file=None, line=None) -> None:
        # a full disk under the log must not end a run
        with contextlib.suppress(OSError):
            print(f"warning: {message}", file=sys.stderr)

    warnings.showwarning = show
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
