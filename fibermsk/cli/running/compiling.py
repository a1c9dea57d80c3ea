"""A line on the terminal when kernels are compiled, which takes up to minutes, once."""

from __future__ import annotations

from contextlib import AbstractContextManager

import typer

from fibermsk._compile import while_compiling


def saying_when_compiled(prefix: str = "") -> AbstractContextManager[None]:
    """Say so if any kernel is compiled in the block, not loaded from the cache."""

    def say(part: str) -> None:
        typer.echo(f"{prefix}compiling kernels, once" + (f": {part}" if part else ""), err=True)

    return while_compiling(say)
