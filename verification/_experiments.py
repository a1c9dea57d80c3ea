"""Measured series of `verification/data`, and what is compared with them."""

from pathlib import Path

import numpy as np

from fibermsk.verify import Expected

DATA = Path(__file__).parent / "data"


def series(name: str) -> dict[str, np.ndarray]:
    """Series (n, 2) of a file by the name of their second column."""
    found: dict[str, list] = {}
    rows: list = []
    for line in (DATA / name).read_text(encoding="utf-8").split():
        x, y = line.split(",")
        if x == "x":
            rows = found[y] = []
        else:
            rows.append((float(x), float(y)))
    return {key: np.array(points) for key, points in found.items()}


def rms(difference: np.ndarray) -> float:
    """Root mean square of numbers that are not NaN."""
    return float(np.sqrt(np.nanmean(np.square(difference))))


def within(limit: float, source: str, why: str) -> Expected:
    """Measured answer: no difference, within a limit of validation."""
    return Expected(0.0, limit, why, kind="measurement", source=source)
