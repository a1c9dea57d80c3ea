"""Values that the shell completes."""

from __future__ import annotations

from collections.abc import Callable


def scene_names() -> list[str]:
    """Names of the scenes of the package."""
    from fibermsk.scene_files import list_files

    return [file.stem for file in list_files("scenes")]


def names_of_problems() -> list[str]:
    """Names of the verification problems."""
    from fibermsk.scene_files import problem_names

    return problem_names()


def names_of_benches() -> list[str]:
    """Names of the benchmarks."""
    from fibermsk.bench import BENCHES

    return list(BENCHES)


def one_of(*values: str) -> Callable[[], list[str]]:
    """Completion by one of some values."""
    return lambda: list(values)
