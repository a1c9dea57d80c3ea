"""Cables without contact in this package: the work that Exudyn does too."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from fibermsk.bench import bundle_case as case
from fibermsk.bench.bundle_ours import bundle_model
from fibermsk.errors import ModelWarning
from fibermsk.results import Result
from fibermsk.solvers import FixedSteps, GeneralizedAlpha, Newton, simulate
from fibermsk.system import build

__all__ = ["run_cables"]

# --- solver settings --------------------------------------------------------------------------

METHOD = GeneralizedAlpha(rho_inf=0.9)
"""Time integrator, of second order; the one that Exudyn uses."""

NEWTON = Newton(tolerance=1e-5, contraction=0.3)
"""Nonlinear solver."""

# ----------------------------------------------------------------------------------------------


def run_cables(
    n: int,
    steps: int,
    bending: float = 1.0,
    duration: float = case.DURATION,
    frames: int = case.FRAMES,
) -> dict[str, Any]:
    """Run cables side by side that do not touch.

    Parameters
    ----------
    n : int
        Cables.
    steps : int
        Time steps of the whole run, a multiple of the frames.
    bending : float
        Bending stiffness over that of solid round sections.
    duration : float
        Simulated time [s].
    frames : int
        How often to look at the run.

    Returns
    -------
    run : dict
        ``seconds`` of `fibermsk.simulate` (the kernels compiled before), ``steps``,
        ``newton_iterations`` and ``drops``, those of the middle of the first cable at each frame
        [m].
    """

    def run(n: int, steps: int, duration: float) -> tuple[Result, float]:
        system = build(bundle_model(n, contact=False, bending=bending))
        began = time.perf_counter()
        with warnings.catch_warnings():
            # straight cables without tension are slack for a moment at the start
            warnings.simplefilter("ignore", ModelWarning)
            result = simulate(
                system,
                t_end=duration,
                dt=duration / steps,
                method=METHOD,
                newton=NEWTON,
                control=FixedSteps(),
                time_error=False,
            )
        return result, time.perf_counter() - began

    run(1, 2, 2.0 * duration / steps)  # compiles
    result, seconds = run(n, steps, duration)
    chosen = np.linspace(0, steps, frames + 1).round().astype(int)[1:]
    middle = result.fibers["fiber_0"].position[:, case.ELEMENTS // 2, 2]
    return {
        "seconds": seconds,
        "steps": result.stats["substeps"],
        "newton_iterations": result.stats["newton_iterations"],
        "drops": (-middle[chosen]).tolist(),
    }
