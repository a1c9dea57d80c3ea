"""Command reference, from the command line program itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from _write import table, write

__all__ = ["page", "setup"]

HEAD = """# Commands

Every command, argument and option, as `fibermsk COMMAND --help` prints them. Options of several
values take them one after the other: `--set elements=16 steps=512`. Exit status: 0 success; 1 the
computation or a verification problem failed; 2 bad input. An error is one message on standard
error; `fibermsk --debug COMMAND` adds the traceback.

"""


def page(application: typer.Typer) -> str:
    """Markdown page of all commands of an application."""
    group: Any = typer.main.get_command(application)
    rows = [
        (f"[`{group.name} {name}`](#fibermsk-{name})", _first_line(command.help))
        for name, command in group.commands.items()
    ]
    parts = [HEAD, table(("command", "does"), rows)]
    parts.append("\nOptions of the program itself, before the command:\n\n" + _options(group))
    for name, command in group.commands.items():
        parts.append(
            f"\n(fibermsk-{name})=\n## fibermsk {name}\n\n```text\n{_usage(group.name, command)}\n"
            f"```\n\n{(command.help or '').strip()}\n\n{_arguments(command)}{_options(command)}"
        )
    return "".join(parts)


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n\n")[0]


def _kind(parameter: Any) -> str:
    return parameter.param_type_name


def _visible(command: Any, kind: str) -> list[Any]:
    return [p for p in command.params if _kind(p) == kind and not getattr(p, "hidden", False)]


def _placeholder(parameter: Any) -> str:
    word = parameter.metavar or parameter.name.upper()
    several = parameter.nargs != 1 and "..." not in word
    return word + (" ..." if several else "")


def _usage(program: str, command: Any) -> str:
    words = [program, command.name]
    for argument in _visible(command, "argument"):
        word = _placeholder(argument)
        words.append(word if argument.required else f"[{word}]")
    words += [f"{o.opts[0]} {_placeholder(o)}" for o in _visible(command, "option") if o.required]
    return " ".join([*words, "[OPTIONS]"])


def _arguments(command: Any) -> str:
    rows = [(f"`{_placeholder(a)}`", a.help or "") for a in _visible(command, "argument")]
    return table(("argument", ""), rows) + "\n" if rows else ""


def _options(command: Any) -> str:
    rows = []
    for option in _visible(command, "option"):
        names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
        value = "" if option.is_flag else f" `{_placeholder(option)}`"
        rows.append((names + value, option.help or "", _default(option)))
    return table(("option", "", "default"), rows) if rows else ""


def _default(option: Any) -> str:
    if option.required:
        return "must be given"
    value = option.default
    if option.is_flag or value is None or value == () or value == [] or callable(value):
        return ""
    return f"`{value}`"


def generate(app: Any, config: Any) -> None:
    """Write the page before the sources are looked for."""
    from fibermsk.cli.main import app as application

    write(Path(app.srcdir) / "generated" / "commands.md", page(application))


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("config-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
