"""Report of an identification: a page with figures, and tables."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk._version import __version__
from fibermsk.files import path_of
from fibermsk.identification.found import Identification
from fibermsk.identification.report.pictures import (
    draw_convergence,
    draw_correlation,
    draw_estimates,
    draw_movement,
)
from fibermsk.identification.report.words import (
    caution_of,
    certainty_in_words,
    conditions_in_words,
    found_in_words,
    table_of,
)
from fibermsk.rescue import write_all

_STYLE = """body{font:15px/1.45 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;font-size:13px}td,th{padding:2px 8px;border-bottom:1px solid #ddd;
text-align:right}td:first-child,th:first-child,td:last-child{text-align:left}img{max-width:100%}"""


def write_report(found: Identification, folder: str | PathLike[str]) -> None:
    """Write `report.html`, its figures, `estimates.csv` and `correlation.csv`."""
    folder = Path(path_of(folder, "report: folder"))
    folder.mkdir(parents=True, exist_ok=True)
    figures = {"estimates.png": draw_estimates(found), "convergence.png": draw_convergence(found)}
    for k in range(len(found.movements)):
        figures[f"movement_{k + 1}.png"] = draw_movement(found, k)
    figures["correlation.png"] = draw_correlation(found)
    writers: dict[Path, Callable[[Path], object]] = {}
    for name, figure in figures.items():
        writers[folder / name] = _drawing(figure)
    table = table_of(found)
    rows = [list(table), *zip(*table.values(), strict=True)]
    writers[folder / "estimates.csv"] = _text(_csv(rows))
    names = found.problem.names
    own = found.certainty.correlation
    rows = [["", *names], *([name, *row] for name, row in zip(names, own.tolist(), strict=True))]
    writers[folder / "correlation.csv"] = _text(_csv(rows))
    writers[folder / "report.html"] = _text(_page(found, list(figures)))
    write_all(writers)


def _drawing(figure: Any) -> Callable[[Path], object]:
    return lambda path: figure.savefig(path, dpi=110, format="png")


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


def _csv(rows: list[Any]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _page(found: Identification, figures: list[str]) -> str:
    problem, own = found.problem, found.certainty
    title = f"Parameters of {problem.preparation.model.name}"
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1>",
        "<h2>What the data can tell</h2>", _list(conditions_in_words(problem)),
        "<h2>What was found</h2>", _list(found_in_words(found)),
        f"<p><strong>{html.escape(caution_of(problem.loss))}</strong></p>",
        "<h2>How sure it is</h2>", _list(certainty_in_words(problem.names, own)),
        "<h2>Estimates</h2>", _table(found),
    ]  # fmt: skip
    titles = {
        "estimates.png": "Changes from the guess, with intervals of 95 %",
        "convergence.png": "Search", "correlation.png": "Correlations",
    }  # fmt: skip
    for name in figures:
        known = name.removesuffix(".png").replace("_", " ").capitalize()
        parts.append(f"<h2>{html.escape(titles.get(name, known))}</h2><img src='{name}' alt=''>")
    parts.append(f"<p>fibermsk {__version__}</p></body></html>")
    return "\n".join(parts)


def _list(lines: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"


def _table(found: Identification) -> str:
    table = table_of(found)
    head = "".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in table)
    body = []
    for row in zip(*table.values(), strict=True):
        cells = [
            f"{one:.4g}" if isinstance(one, float) and np.isfinite(one) else html.escape(str(one))
            for one in row
        ]
        body.append("<tr>" + "".join(f"<td>{one}</td>" for one in cells) + "</tr>")
    return f"<table><tr>{head}</tr>{''.join(body)}</table>"
