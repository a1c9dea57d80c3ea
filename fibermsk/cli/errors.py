"""Errors as messages on standard error with an exit status."""

from __future__ import annotations

import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from fibermsk.cli.options import worded
from fibermsk.errors import ConvergenceError, ModelError, WriteError

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130


class ReportingGroup(TyperGroup):
    """Group of commands that converts exceptions to messages and exit statuses.

    Takes ``--debug`` before or after the command's name.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move ``--debug`` to the front, where the group parses it."""
        if "--debug" in args:
            args = ["--debug", *(arg for arg in args if arg != "--debug")]
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Parameters with words for their values."""
        return [worded(one) for one in super().get_params(ctx)]

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            if type(error).__module__.startswith(("typer", "click")):
                raise
            status = exit_status(error, debug=bool(ctx.params.get("debug")))
        raise typer.Exit(status)


def exit_status(error: BaseException, *, debug: bool) -> int:
    """Report an error on standard error and return its exit status."""
    if debug:
        traceback.print_exception(error)
    if isinstance(error, KeyboardInterrupt):
        typer.echo("interrupted", err=True)
        return INTERRUPTED
    if isinstance(error, ConvergenceError | ModelError):
        typer.echo(f"error: {error}", err=True)
    elif not isinstance(error, BrokenPipeError):
        hint = "" if debug else " (--debug shows the traceback)"
        typer.echo(f"error: {type(error).__name__}: {error}{hint}", err=True)
    refused = isinstance(error, ModelError) and not isinstance(error, WriteError)
    return BAD_INPUT if refused else FAILED
