"""The run of both programs: the scene `arm26_lines`, one second."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from fibermsk._arrays import Array

DURATION = 1.0
TIMES = np.linspace(0.0, DURATION, 21)
"""Times at which errors are compared [s], in runs that are not timed."""

NOT_REACHED = "TRIlongglen"
"""Surface that no path reaches, where OpenSim's length yet jumps and back."""


def model_file() -> Path | None:
    """The model's file, if the environment variable FIBERMSK_MODELS leads to it."""
    folder = os.environ.get("FIBERMSK_MODELS", "")
    tried = [Path(folder) / place / "arm26.osim" for place in (".", "opensim-models")]
    return next((path for path in tried if folder and path.is_file()), None)


def largest_error(found: Array, converged: Array) -> float:
    """Largest difference of coordinates (n_times, 2) [rad]."""
    return float(np.abs(np.subtract(found, converged)).max())
