"""Compile the kernels of scenes by running them for a moment, several at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fibermsk._compile import counting_compilations
from fibermsk.ahead.team import compiled_elsewhere
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.results import Progress

_SHORT = {"steps": 4, "duration": 0.02}
"""Parameters of a scene that make it short."""


class Warmed(NamedTuple):
    """A scene that was run.

    Attributes
    ----------
    scene : str
        Its name.
    compiled : int
        Functions that were compiled for it.
    seconds : float
        Wall time [s].
    message : str
        Why it was not run, or empty.
    """

    scene: str
    compiled: int
    seconds: float
    message: str


def warm(scene: str, progress: Callable[[Progress], None] | None = None) -> Warmed:
    """Run a scene for a moment."""
    from fibermsk.model import Scene
    from fibermsk.scene_files import find
    from fibermsk.scene_run import simulate_scene

    begin, message, before = time.perf_counter(), "", compiled_elsewhere()
    with counting_compilations() as count:
        try:
            file = find(scene)
            made = file.make({k: v for k, v in _SHORT.items() if k in file.parameters})
            if isinstance(made, Scene):
                simulate_scene(made, progress=progress)
            else:
                message = "it is solved, not run"
        except (ModelError, ConvergenceError, ImportError) as error:
            message = str(error)
    compiled = count() + compiled_elsewhere() - before
    return Warmed(scene, compiled, time.perf_counter() - begin, message)


def warm_all(
    scenes: Sequence[str],
    jobs: int,
    tell: Callable[[Warmed], None],
    progress: Callable[[Progress], None],
) -> None:
    """Run scenes in processes of their own; with the progress of the run if there is only one."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    if jobs == 1 or len(scenes) == 1:
        for scene in scenes:
            tell(warm(scene, progress))
        return
    with ProcessPoolExecutor(min(jobs, len(scenes)), get_context("spawn")) as pool:
        for future in as_completed([pool.submit(warm, scene) for scene in scenes]):
            tell(future.result())
