"""`fibermsk fit`: parameters of a person's arm from motion and EMG."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk import _check
from fibermsk._extras import CURVES, check_drawing
from fibermsk.cli.completing import one_of
from fibermsk.cli.options import Degrees, JsonOut, Threads, use_threads
from fibermsk.cli.output import aligned, plain, print_json
from fibermsk.errors import ModelError

Files = Annotated[list[Path], typer.Option("--motion", metavar="FILE", help="Motion; repeatable.")]
Records = Annotated[
    list[Path],
    typer.Option("--emg", metavar="FILE", help="EMG in [0, 1], one for each motion; repeatable."),
]


def fit(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    motion: Files,
    emg: Records,
    report: Annotated[Path, typer.Option("--report", metavar="DIR", help="Folder of the report.")],
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Go on without asking what the data can tell.")
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="COLUMN=MUSCLE", help="Muscle of a column; repeatable."),
    ] = None,
    body: Annotated[
        list[str] | None,
        typer.Option("--body", metavar="NAME", help="Body whose inertia is sought; repeatable."),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="rigid|elastic|fiber",
            autocompletion=one_of("rigid", "elastic", "fiber"),
            help="Rigid or elastic tendons, or lengths of fibers that are given.",
        ),
    ] = "rigid",
    fibers: Annotated[
        list[Path] | None,
        typer.Option("--fibers", metavar="FILE", help="Lengths of fibers, for the mode fiber."),
    ] = None,
    loads: Annotated[
        list[Path] | None,
        typer.Option(
            "--loads", metavar="FILE.xml", help="External loads, one for each motion; repeatable."
        ),
    ] = None,
    loss: Annotated[
        str,
        typer.Option(
            "--loss",
            metavar="normalized|torque|acceleration",
            autocompletion=one_of("normalized", "torque", "acceleration"),
            help="Quantity that is compared.",
        ),
    ] = "normalized",
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior", metavar="PATTERN=SHARE", help="Deviation of guesses, 0.1 by default."
        ),
    ] = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option("--bounds", metavar="PATTERN=FROM:TO", help="Bounds of numbers; repeatable."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group", metavar="NAME=PATTERN,...", help="Numbers that share a factor; repeatable."
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--fixed", metavar="PATTERN", help="Numbers that are known; repeatable."),
    ] = None,
    filter: Annotated[
        str | None,
        typer.Option(
            "--filter", metavar="C1:C2", help="Guess of the EMG's filter, poles -C1 and -C2."
        ),
    ] = None,
    emg_delay: Annotated[
        float | None,
        typer.Option("--emg-delay", metavar="S", help="Guess of the delay of EMG [s]."),
    ] = None,
    activation_times: Annotated[
        str | None,
        typer.Option(
            "--activation-times", metavar="RISE:FALL", help="Guess of the time constants [s]."
        ),
    ] = None,
    delay: Annotated[
        str,
        typer.Option(
            "--delay",
            metavar="smooth|linear",
            autocompletion=one_of("smooth", "linear"),
            help="Between samples of EMG.",
        ),
    ] = "smooth",
    sigma: Annotated[
        float | None,
        typer.Option("--sigma", help="Deviation of the residuals [N m]; estimated by default."),
    ] = None,
    held_out: Annotated[
        int | None,
        typer.Option("--hold-out", help="Last motions that are predicted; 1 if there are several."),
    ] = None,
    guesses: Annotated[int, typer.Option("--guesses", help="Searches, from other guesses.")] = 1,
    spread: Annotated[
        float, typer.Option("--spread", help="Relative deviation of these guesses.")
    ] = 0.1,
    seed: Annotated[int, typer.Option("--seed", help="Of these guesses.")] = 0,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="lm|adam",
            autocompletion=one_of("lm", "adam"),
            help="Levenberg-Marquardt; Adam is for comparison: it never tells that it converged.",
        ),
    ] = "lm",
    iterations: Annotated[int, typer.Option("--iterations", help="Most steps of a search.")] = 4000,
    workers: Annotated[int, typer.Option("--jobs", "--workers", help="Searches at a time.")] = 1,
    lowpass: Annotated[
        float | None, typer.Option("--lowpass", metavar="HZ", help="Filter of the motions.")
    ] = None,
    degrees: Degrees = None,
    threads: Threads = None,
    json: JsonOut = False,
) -> None:
    """Find parameters of muscles and bones from motions and EMG, without EMG of deep muscles.

    First tells what the data can tell, and asks; then searches, predicts what was held out, and
    writes a report.
    """
    use_threads(threads)
    check_drawing("the figures of a report", CURVES)
    from fibermsk.analysis import read_external_loads
    from fibermsk.cli.running.interrupts import interruptible
    from fibermsk.cli.running.progress import progress_report
    from fibermsk.cli.warned import collecting
    from fibermsk.identification import IdentificationProblem, identify
    from fibermsk.identification.found import METHODS
    from fibermsk.identification.report.words import (
        certainty_in_words,
        conditions_in_words,
        found_in_words,
    )
    from fibermsk.results import Progress

    for one in (report, *report.parents):
        if one.exists() and not one.is_dir():
            raise ModelError(f"--report {report}; must be a folder: {one} is a file")
    _check.choice("fit", "method", method, METHODS)
    held = held_out if held_out is not None else int(len(motion) > 1)
    with collecting() as warned:
        arm, bones = _arm(model)
        given = [read_external_loads(one, arm) for one in loads] if loads else None
        problem = IdentificationProblem(
            arm, motion, emg, columns=_pairs("--column", column), bodies=body or bones, mode=mode,
            fibers=fibers, loss=loss,
            prior={"*": 0.1} | {k: _number(v) for k, v in _pairs("--prior", prior).items()},
            bounds={k: _range("--bounds", v) for k, v in _pairs("--bounds", bounds).items()},
            groups={k: v.split(",") for k, v in _pairs("--group", group).items()},
            fixed=fixed or (), loads=given, held_out=held, lowpass=lowpass, in_degrees=degrees,
            filter=_range("--filter", filter) if filter else None, delay=delay,
            activation_times=_range("--activation-times", activation_times)
            if activation_times else None,
            **({} if emg_delay is None else {"emg_delay": emg_delay}),
        )  # fmt: skip
        expected = problem.expected(_EXPECTED if not sigma else sigma)
        before = conditions_in_words(problem) + certainty_in_words(problem.names, expected)
        for line in before:
            typer.echo(line, err=True)
        if not yes and not typer.confirm("Search?", default=False, err=True):
            typer.echo("nothing was searched, and nothing written", err=True)
            raise typer.Exit(1)
        with interruptible() as check, progress_report(model.stem, quiet=json) as tell:

            def progress(step: Any) -> None:
                check()
                line = f"step {step.iteration}, guess weighed with {step.weight:g} N m, sum of "
                tell(Progress(0.0, 1.0, message=f"{line}squares {step.cost:.4g}"))

            found = identify(
                problem, sigma="estimate" if sigma is None else sigma, guesses=guesses,
                spread=spread, seed=seed, method=method, iterations=iterations, workers=workers,
                progress=progress,
            )  # fmt: skip
        found.report(report)
    own, lines = found.certainty, found_in_words(found)
    if json:
        print_json(
            plain({
                "report": str(report), "converged": found.solved.converged, "before": before,
                "found": lines, "estimates": found.values,
                "deviations": dict(zip(problem.names, own.deviation.tolist(), strict=True)),
                "told_by": dict(zip(problem.names, own.verdict, strict=True)),
                "residuals": {
                    one.name: {"rms": one.rms, "size": one.size, "held_out": one.held_out}
                    for one in found.movements
                },
                "warnings": warned,
            })
        )  # fmt: skip
    else:
        for line in lines:
            typer.echo(line)
        rows = [("parameter", "guess", "estimate", "deviation", "told by")]
        rows += [
            (name, f"{first:.4g}", f"{value:.4g}", f"{size:.2g}", verdict)
            for name, first, value, size, verdict in zip(
                problem.names, found.problem.guess, found.solved.z, own.deviation, own.verdict,
                strict=True,
            )
        ]  # fmt: skip
        for line in aligned(rows):
            typer.echo(line)
    typer.echo(f"written to {report / 'report.html'}", err=True)
    if not found.solved.converged:
        raise typer.Exit(1)


_EXPECTED = 0.3
"""Deviation of residuals [N m] of which it is told what the data would tell."""

_BONES = "humerus", "ulna", "radius"


def _arm(path: Path) -> tuple[Any, list[str] | None]:
    """Model of a file; that of MoBL-ARMS without phantoms, and its bones."""
    from fibermsk.cli.shown import model_file
    from fibermsk.identification import mobl_arm
    from fibermsk.identification.arm import is_mobl

    model = model_file(path)
    return (mobl_arm(path), list(_BONES)) if is_mobl(model) else (model, None)


def _pairs(option: str, given: list[str] | None) -> dict[str, str]:
    found = dict[str, str]()
    for one in given or ():
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise ModelError(f"{option} {one}; must be NAME=VALUE")
        if name in found:
            raise ModelError(f"{option} {one}; must be given once for {name!r}")
        found[name] = value
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ModelError(f"--prior {text}; must be a number, such as 0.05") from None


def _range(option: str, text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        raise ModelError(f"{option} {text}; must be two numbers with a colon in between") from None
    return low, high
