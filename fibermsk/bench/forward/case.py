"""The run of both programs: the scene `arm26_lines`, one second."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fibermsk._arrays import Array
from fibermsk.bench.measure.models import find_model

DURATION = 1.0
TIMES = np.linspace(0.0, DURATION, 21)
"""Times at which errors are compared [s], in runs that are not timed."""

NOT_REACHED = "TRIlongglen"
"""Surface that no path reaches, where OpenSim's length yet jumps and back."""


def model_file() -> Path | None:
    """The model's file, if the environment variable FIBERMSK_MODELS leads to it."""
    return find_model("arm26.osim")


def largest_error(found: Array, converged: Array) -> float:
    """Largest difference of coordinates (n_times, 2) [rad]."""
    return float(np.abs(np.subtract(found, converged)).max())
