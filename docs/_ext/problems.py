"""Reference of the verification problems, from the files of `verification/`."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from _write import digest, table, write

from fibermsk.scene_files import find_problem, folder_of, problem_names
from fibermsk.verify import Problem, Unavailable

__all__ = ["page", "setup"]

HEAD = """# Verification problems

Each problem with its statement, the source of its answer, and what `fibermsk verify` compares with
at the default setting. Generated from the files of `verification/`; results are on the page
[verification](../verification.md).

"""
HEADS = (
    "quantity",
    "kind",
    "evidence",
    "expected",
    "tolerance",
    "source",
    "reason for the tolerance",
)


def page(problems: list[Problem], answers: dict[str, list[list[str]]]) -> str:
    """Markdown page of all problems.

    Parameters
    ----------
    problems : list of Problem
        In the order of the page.
    answers : dict of list
        By problem: rows as `answer` makes them.
    """
    rows = [(f"[`{p.name}`](#problem-{p.name})", p.title) for p in problems]
    parts = [HEAD, table(("problem", "statement"), rows)]
    for problem in problems:
        statement = problem.statement.partition("\n")[2].strip()
        parts += [f"\n(problem-{problem.name})=\n## {problem.title}\n\n", statement, "\n\n"]
        parts.append(f"```text\nfibermsk verify {problem.name}{_settings(problem)}\n```\n\n")
        parts.append(table(HEADS, answers[problem.name]))
    return "".join(parts)


def _settings(problem: Problem) -> str:
    defaults = [
        f"{name}={parameter.default}"
        for name, parameter in problem.parameters.items()
        if parameter.default not in (inspect.Parameter.empty, None, "")
    ]
    return f" --set {' '.join(defaults)}" if defaults else ""


def answer(problem: Problem) -> list[list[str]]:
    """Rows of `HEADS` at the defaults."""
    defaults = {name: parameter.default for name, parameter in problem.parameters.items()}
    try:
        found = problem.expected(**defaults)
    except Unavailable as error:
        return [["(all)", "", "", "", "", "", f"not known here: {error}"]]
    return [
        [
            f"`{name}`",
            item.kind,
            item.evidence,
            f"{item.value:.9g}",
            f"{item.tolerance:.3g}",
            item.source,
            item.why,
        ]
        for name, item in found.items()
    ]


def generate(app: Any, config: Any) -> None:
    """Write the page; answers are kept until the files of the problems change."""
    folder = Path(app.srcdir) / "generated"
    kept = folder / "answers.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    shared = digest(*sorted(folder_of("verification").glob("_*.py")))
    problems = [find_problem(name) for name in problem_names()]
    answers = {}
    for problem in problems:
        key = digest(shared, problem.path)
        if known.get(problem.name, {}).get("key") != key:
            known[problem.name] = {"key": key, "rows": answer(problem)}
        answers[problem.name] = known[problem.name]["rows"]
    write(kept, json.dumps(known, indent=1))
    write(folder / "problems.md", page(problems, answers))


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("config-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
