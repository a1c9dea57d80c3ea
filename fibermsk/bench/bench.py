"""Benchmarks: settings and findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fibermsk.bench.measure.machine import describe_machine, versions
from fibermsk.errors import ModelError


@dataclass(frozen=True)
class Options:
    """Settings of a benchmark, among them folders of scenes and verification problems."""

    quick: bool = False
    """Small sizes and few repeats, as a test."""
    threads: int | None = None
    """Of this package, by default all cores. Peers use one."""
    scenes: Path | None = None
    verification: Path | None = None
    say: Callable[[str], None] = lambda _: None
    """Receives lines of progress."""

    def scene(self, file: str) -> str:
        """Path of a scene."""
        if self.scenes is None or not (self.scenes / file).is_file():
            raise ModelError(f"the scene {file} is not beside this installation")
        return str(self.scenes / file)


@dataclass
class Findings:
    """Findings of a benchmark."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    """One per measurement, with at least ``case``, ``who``, ``n`` and ``seconds``."""
    ratios: dict[str, Any] = field(default_factory=dict)
    """Time of another simulator over ours unless named otherwise; None without comparison."""
    notes: list[str] = field(default_factory=list)
    """Explanations of the numbers."""

    def add(self, case: str, who: str, n: int, seconds: float, **more: Any) -> None:
        """Append a row."""
        self.rows.append({"case": case, "who": who, "n": n, "seconds": seconds, **more})


@dataclass(frozen=True)
class Bench:
    """A benchmark: name, title and function."""

    name: str
    title: str
    run: Callable[[Options], Findings]


def run_bench(bench: Bench, options: Options) -> dict[str, Any]:
    """Run a benchmark; return the object of `fibermsk bench --json`."""
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
