"""Verification report: a self-contained HTML page, and Markdown with figures."""

from __future__ import annotations

import base64
import html
import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.rescue import write_all
from fibermsk.verify.problem import GROUPS, KINDS, VERIFYING, Problem
from fibermsk.verify.runner import Outcome

HTML_NAME = "verification.html"
MARKDOWN_NAME = "verification.md"

_ROW_HEADS = (
    "quantity", "kind", "evidence", "reference", "ours", "difference", "tolerance", "passed"
)  # fmt: skip
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a1a1a; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid #ccc; padding-top: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.75rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
th, td { border-bottom: 1px solid #ddd; padding: 0.25rem 0.75rem 0.25rem 0; text-align: left;
  vertical-align: top; }
img { max-width: 100%; height: auto; }
.no { color: #a40000; font-weight: 600; }
""".strip()


@dataclass(frozen=True)
class Section:
    """One problem of the report."""

    outcome: Outcome
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Title -> ``{"columns": [...], "rows": [[...], ...]}``."""
    notes: list[str] = field(default_factory=list)
    """Findings of the study, in sentences."""
    figure: bytes = b""
    """PNG, empty without a plot."""


def study_problem(outcome: Outcome, *, fine: bool = False) -> Section:
    """Tables and figure of a problem; `fine` takes minutes. A failed study becomes a note."""
    problem: Problem = outcome.problem
    if problem.study is None or outcome.skipped:
        return Section(outcome)
    try:
        numbers = problem.study(fine=fine)
    except (ConvergenceError, ModelError, ArithmeticError) as error:
        return Section(outcome, notes=[f"The study failed: {error}"])
    figure = b""
    if problem.plot is not None:
        with io.BytesIO() as stream:
            problem.plot(numbers).savefig(stream, format="png", dpi=110)
            figure = stream.getvalue()
    return Section(outcome, dict(numbers.get("tables", {})), list(numbers.get("notes", [])), figure)


def write_report(sections: Sequence[Section], folder: Path) -> list[Path]:
    """Write ``verification.html``, ``verification.md`` and figures; return both pages."""
    # figures first, because the Markdown page refers to them
    contents = {f"{s.outcome.problem.name}.png": s.figure for s in sections if s.figure}
    contents |= {HTML_NAME: _html(sections).encode(), MARKDOWN_NAME: _markdown(sections).encode()}
    write_all(
        {folder / name: partial(Path.write_bytes, data=one) for name, one in contents.items()}
    )
    return [folder / HTML_NAME, folder / MARKDOWN_NAME]


def _rows(outcome: Outcome) -> list[list[str]]:
    return [
        [
            row.quantity,
            row.expected.kind,
            row.expected.evidence,
            _number(row.expected.value, 9),
            _number(row.ours, 9),
            _number(row.difference, 3),
            _number(row.expected.tolerance, 3),
            row.misses or "yes" if row.passed else "NO",
        ]
        for row in outcome.rows
    ]


def _groups(sections: Sequence[Section]) -> dict[str, list[list[str]]]:
    """Rows of all problems by table, orders first."""
    found: dict[str, list[list[str]]] = {title: [] for title in GROUPS}
    for outcome in (section.outcome for section in sections):
        for row, words in zip(outcome.rows, _rows(outcome), strict=True):
            found[row.expected.group].append([outcome.problem.name, *words])
    return {title: rows for title, rows in found.items() if rows}


def _verdict(outcome: Outcome) -> str:
    if outcome.error:
        return f"failed: {outcome.error}"
    return "passed" if outcome.passed else "failed"


def _setting(outcome: Outcome) -> str:
    pairs = ", ".join(f"{key} = {value}" for key, value in outcome.parameters.items())
    return f"Parameters: {pairs or 'none'}. {outcome.seconds:.1f} s."


def _summary(sections: Sequence[Section]) -> str:
    """Number of passed problems, and of verified numbers by kind."""
    failed = [s.outcome.problem.name for s in sections if not s.outcome.passed]
    verdict = f"All of {len(sections)} problems pass."
    if failed:
        verdict = f"{len(failed)} of {len(sections)} problems failed: {', '.join(failed)}."
    found = Counter(row.expected.kind for s in sections for row in s.outcome.rows)
    right = sum(found[kind] for kind in VERIFYING)
    return (
        f"{verdict} {right} numbers are verified: "
        + "; ".join(
            f"{found[kind]} {kind} ({meaning})"
            + ("" if kind in VERIFYING else ", not counted as verified")
            for kind, meaning in KINDS.items()
            if found[kind]
        )
        + "."
    )


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of a statement without its first line."""
    rest = text.strip().partition("\n")[2]
    return [" ".join(block.split()) for block in rest.split("\n\n") if block.strip()]


def _whys(outcome: Outcome) -> list[tuple[str, str]]:
    """Source and reason for the tolerance of every row."""
    answers = ((row.quantity, row.expected) for row in outcome.rows)
    return [(name, ": ".join(filter(None, (a.source, a.why)))) for name, a in answers]


def _number(value: Any, digits: int = 5) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return f"{number:.{digits}g}" if math.isfinite(number) else "-"


def _cells(table: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    rows = [[x if isinstance(x, str) else _number(x) for x in row] for row in table["rows"]]
    return [str(column) for column in table["columns"]], rows


def _markdown(sections: Sequence[Section]) -> str:
    lines = ["# Verification", "", _summary(sections), ""]
    for title, rows in _groups(sections).items():
        lines += [f"## {title}", "", *_markdown_table(("problem", *_ROW_HEADS), rows), ""]
    for section in sections:
        outcome = section.outcome
        lines += [f"## {outcome.problem.title}", ""]
        for paragraph in _paragraphs(outcome.problem.statement):
            lines += [paragraph, ""]
        lines += [f"`{outcome.problem.name}`: {_verdict(outcome)}. {_setting(outcome)}", ""]
        if outcome.rows:
            lines += [*_markdown_table(_ROW_HEADS, _rows(outcome)), ""]
        lines += [f"- {name}: {why}" for name, why in _whys(outcome)] + [""]
        for note in section.notes:
            lines += [note, ""]
        for title, table in section.tables.items():
            lines += [f"**{title}**", "", *_markdown_table(*_cells(table)), ""]
        if section.figure:
            lines += [f"![{outcome.problem.title}]({outcome.problem.name}.png)", ""]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(heads), "|" + "---|" * len(heads), *map(line, rows)]


def _html(sections: Sequence[Section]) -> str:
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Verification</title><style>{_STYLE}</style></head><body>",
        f"<h1>Verification</h1><p>{html.escape(_summary(sections))}</p>",
    ]
    for title, rows in _groups(sections).items():
        parts.append(_html_table(("problem", *_ROW_HEADS), rows, caption=title, links=True))
    for section in sections:
        outcome = section.outcome
        problem = outcome.problem
        parts.append(f'<h2 id="{html.escape(problem.name)}">{html.escape(problem.title)}</h2>')
        parts += [f"<p>{html.escape(text)}</p>" for text in _paragraphs(problem.statement)]
        state = "" if outcome.passed else ' class="no"'
        parts.append(
            f"<p><code>{html.escape(problem.name)}</code>: "
            f"<span{state}>{html.escape(_verdict(outcome))}</span>. "
            f"{html.escape(_setting(outcome))}</p>"
        )
        if outcome.rows:
            parts.append(_html_table(_ROW_HEADS, _rows(outcome)))
            items = "".join(
                f"<li>{html.escape(name)}: {html.escape(why)}</li>" for name, why in _whys(outcome)
            )
            parts.append(f"<ul>{items}</ul>")
        parts += [f"<p>{html.escape(note)}</p>" for note in section.notes]
        for title, table in section.tables.items():
            parts.append(_html_table(*_cells(table), caption=title))
        if section.figure:
            data = base64.b64encode(section.figure).decode()
            alt = html.escape(problem.title)
            parts.append(f'<p><img alt="{alt}" src="data:image/png;base64,{data}"></p>')
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _html_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", links: bool = False
) -> str:
    """Table; with links, the first cell of a row links to the section of its name."""
    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    top += "<tr>" + "".join(f"<th>{html.escape(head)}</th>" for head in heads) + "</tr>"
    body = ""
    for row in rows:
        cells = [html.escape(cell) for cell in row]
        if links:
            cells[0] = f'<a href="#{cells[0]}">{cells[0]}</a>'
        bad = ' class="no"' if row[-1] == "NO" else ""
        body += "<tr>" + "".join(f"<td{bad}>{cell}</td>" for cell in cells) + "</tr>"
    return f'<div class="wide"><table>{top}{body}</table></div>'
