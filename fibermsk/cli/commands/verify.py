"""`fibermsk verify`: run the verification problems and compare with their references."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fibermsk._extras import check_drawing
from fibermsk.cli.completing import names_of_problems
from fibermsk.cli.errors import FAILED
from fibermsk.cli.options import Threads, parse_settings, use_threads
from fibermsk.cli.output import print_json, printing_beside
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.files import check_writable
from fibermsk.scene_files import find_problem, problem_names

if TYPE_CHECKING:
    from fibermsk.verify import Outcome, Problem


def verify(
    context: typer.Context,
    problems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBLEM",
            autocompletion=names_of_problems,
            help="Names or Python files; by default all.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE ...", help="Set parameters of the problems."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on standard output.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write an HTML page and Markdown there."),
    ] = None,
    fine: Annotated[
        bool, typer.Option("--fine", help="With --report: studies on fine meshes, minutes each.")
    ] = False,
    threads: Threads = None,
) -> None:
    """Run verification problems; the exit status is 1 if any fails."""
    use_threads(threads)
    if report is not None:
        check_drawing("the figures of a report")
    if fine and report is None:
        raise ModelError("--fine is for the report; give --report DIR as well")
    names = list(dict.fromkeys(problems or problem_names()))
    if not names:
        raise ModelError("this installation has no verification problems")
    with printing_beside(json):
        chosen = [find_problem(name) for name in names]
        runs = [
            (problem, parse_settings(settings or [], problem.parameters, f"{problem.name!r}"))
            for problem in chosen
        ]
        if report is not None:
            _check_folder(report)
        debug = bool(context.find_root().params.get("debug"))
        outcomes, sections = [], []
        for number, (problem, parameters) in enumerate(runs, start=1):
            outcome = _run(problem, parameters, f"{number} of {len(runs)}", bool(settings), debug)
            if outcome.skipped and problems:
                raise ModelError(outcome.error)
            outcomes.append(outcome)
            if not json:
                _print(outcome)
            if report is not None:
                from fibermsk.verify.report import study_problem

                typer.echo(f"{outcome.problem.name}: tables and figure", err=True)
                sections.append(study_problem(outcome, fine=fine))
        if report is not None:
            from fibermsk.verify.report import write_report

            pages = write_report(sections, report)
            typer.echo(f"written to {' and '.join(map(str, pages))}", err=True)
    if json:
        print_json({"problems": [outcome.as_dict() for outcome in outcomes]})
    skipped = [outcome.problem.name for outcome in outcomes if outcome.skipped]
    if skipped:
        names = ", ".join(skipped)
        typer.echo(f"skipped, because a package or a model is missing: {names}", err=True)
    short = [o.problem.name for o in outcomes if not o.passed and not o.skipped]
    if short:
        typer.echo(f"error: failed: {', '.join(short)}", err=True)
        raise typer.Exit(FAILED)


def _run(
    problem: Problem, parameters: dict[str, Any], which: str, were_set: bool, debug: bool
) -> Outcome:
    """Run one problem; an error becomes its outcome, so that the others run."""
    from fibermsk.cli.running.compiling import saying_when_compiled
    from fibermsk.verify import Outcome, Unavailable, run_problem

    typer.echo(f"{problem.name}: running ({which})", err=True)

    try:
        with saying_when_compiled(f"{problem.name}: "):
            return run_problem(problem, parameters)
    except Unavailable as error:
        return Outcome(problem, parameters, error=str(error), skipped=True)
    except Exception as error:
        if isinstance(error, ModelError) and were_set:
            raise  # the user's own setting is out of range
        if debug:
            traceback.print_exception(error)
        kind = "" if isinstance(error, ModelError | ConvergenceError) else type(error).__name__
        return Outcome(problem, parameters, error=f"{kind}: {error}" if kind else str(error))


def _check_folder(folder: Path) -> None:
    """Refuse a folder without write access, before the problems run."""
    from fibermsk.verify.report import HTML_NAME, MARKDOWN_NAME

    if folder.exists() and not folder.is_dir():
        raise ModelError(f"cannot write to {folder}: it is a file; name a folder")
    for name in (HTML_NAME, MARKDOWN_NAME):
        check_writable(folder / name)


def _print(outcome: Outcome) -> None:
    verdict = "passed" if outcome.passed else "FAILED"
    if outcome.skipped:
        verdict = "skipped"
    typer.echo(f"{outcome.problem.name}: {verdict}, {outcome.seconds:.1f} s")
    if outcome.error:
        typer.echo(f"  {outcome.error}")
    width = max((len(row.quantity) for row in outcome.rows), default=0)
    for row in outcome.rows:
        kind = row.expected.evidence
        if not row.expected.verifies:
            kind += f": {row.expected.kind}, not verification"
        verdict = row.misses or "ok" if row.passed else "FAILED"
        typer.echo(
            f"  {row.quantity:<{width}}  {row.ours:.9g}, expected {row.expected.value:.9g} "
            f"within {row.expected.tolerance:.2g}: {verdict} ({kind})"
        )
