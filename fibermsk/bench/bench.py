"""Benchmarks: settings and findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fibermsk.bench.measure.machine import describe_machine, versions

__all__ = ["Bench", "Findings", "Options", "run_bench"]


def _silent(message: str) -> None:
    pass


@dataclass(frozen=True)
class Options:
    """Settings of a benchmark.

    Attributes
    ----------
    quick : bool
        Small sizes and few repeats: to see that it works, not to publish.
    threads : int or None
        Threads of this package; as many as there are cores if None. The peers run on one.
    scenes, verification : pathlib.Path or None
        Folders of the scenes and of the verification problems.
    say : callable
        Called with a line of progress.
    """

    quick: bool = False
    threads: int | None = None
    scenes: Path | None = None
    verification: Path | None = None
    say: Callable[[str], None] = _silent


@dataclass
class Findings:
    """Findings of a benchmark.

    Attributes
    ----------
    rows : list of dict
        One a measurement: at least ``case``, ``who``, ``n`` and ``seconds``.
    ratios : dict
        The other's time over ours unless named otherwise; None where there is nothing to compare.
    notes : list of str
        What the numbers do not say.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    ratios: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, case: str, who: str, n: int, seconds: float | None, **more: Any) -> None:
        """Append a row."""
        self.rows.append({"case": case, "who": who, "n": n, "seconds": seconds, **more})


@dataclass(frozen=True)
class Bench:
    """A benchmark: name, title and function."""

    name: str
    title: str
    run: Callable[[Options], Findings]


def run_bench(bench: Bench, options: Options) -> dict[str, Any]:
    """Run a benchmark; return the object that `fibermsk bench --json` prints.

    Returns
    -------
    found : dict
        ``bench``, ``machine``, ``threads``, ``versions``, ``rows``, ``ratios``, ``notes``.
    """
    machine = describe_machine()
    findings = bench.run(options)
    return {
        "bench": bench.name,
        "machine": machine,
        "threads": options.threads or machine["cores"],
        "versions": versions(),
        "quick": options.quick,
        "rows": findings.rows,
        "ratios": findings.ratios,
        "notes": findings.notes,
    }
