"""Studies over values of parameters."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fibermsk import _check
from fibermsk._version import __version__
from fibermsk.errors import ModelError
from fibermsk.files import check_writable, path_of
from fibermsk.model import Scene
from fibermsk.model.scene import METHODS
from fibermsk.parameters import Parameters
from fibermsk.rescue import write_whole
from fibermsk.results.snapshot import library_versions
from fibermsk.studies import dataset
from fibermsk.studies.engine import check_client, running
from fibermsk.studies.identity import described, plain
from fibermsk.studies.journal import ENDING, Journal
from fibermsk.studies.outputs import OutputError, Outputs, checked
from fibermsk.studies.points import OWNER, Points, points_of
from fibermsk.studies.task import DONE, Source, Task

if TYPE_CHECKING:
    import xarray  # pyright: ignore[reportMissingImports]


@dataclass(frozen=True)
class StudyProgress:
    """Progress of a study.

    Attributes
    ----------
    done, total : int
        Points that have ended, and all points.
    failed : int
        Those of them without values.
    message : str
        What the last one that failed says.
    """

    done: int
    total: int
    failed: int = 0
    message: str = ""

    @property
    def fraction(self) -> float:
        """Completed fraction, between 0 and 1."""
        return self.done / self.total


def sweep(
    scene: Source,
    over: Mapping[str, Any],
    *,
    outputs: Outputs | str | None = None,
    out: str | PathLike[str] | None = None,
    design: str = "grid",
    n: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    client: Any = None,
    settings: Mapping[str, Any] | None = None,
    numbers: Mapping[str, Any] | None = None,
    method: Any = None,
    progress: Callable[[StudyProgress], None] | None = None,
) -> xarray.Dataset:
    """Run a scene at many values of its parameters.

    Parameters
    ----------
    scene : str, path, Scene or callable
        Name or file of a scene; a scene; or a function that returns one.
    over : mapping of str to sequence
        Values by path or pattern of numbers of the model, such as ``"biceps_*/radius"``, all of
        which take the value; or by parameter of the scene. Of samples, the ends of each range.
    outputs : str, sequence of str, or mapping of str to callable, optional
        What is kept: columns of a result's table over time, by name or pattern
        (``"biceps_*.length"``), or one number of each, with ``_max``, ``_min``, ``_end`` or
        ``_mean``; or functions of a result that return a number or a row of numbers. By default all
        coordinates.
    out : path, optional
        File of netCDF that is written. Beside it, points that have ended are kept in
        ``<out>.points``, from which the same call goes on after an interruption of any kind.
    design : {"grid", "latin", "sobol"}
        All combinations; a Latin hypercube of `n` points; or Saltelli's points of a Sobol sequence
        for `sobol_indices`, n (2 d + 2) for d parameters.
    n : int, optional
        Number of samples; for "sobol" a power of two.
    seed : int
        Of the samples.
    n_jobs : int
        Processes at a time, by joblib; -1 for all cores.
    client : dask.distributed.Client, optional
        Runs the points elsewhere.
    settings : mapping, optional
        Parameters of the scene at all points.
    numbers : mapping, optional
        Numbers of its model by path at all points.
    method : str or Method, optional
        Time integrator that replaces that of the scene.
    progress : callable, optional
        Called with a `StudyProgress` as points end.

    Returns
    -------
    found : xarray.Dataset
        Outputs over the parameters (of samples over ``sample``) and, of columns, over ``frame``;
        with ``status`` ("done", "failed", "refused" or "broken"), ``message`` (why, or warnings)
        and ``seconds`` of each point. Points that failed have NaN. Of a file, values are read when
        they are asked for.

    Raises
    ------
    ModelError
        If an argument is refused, results do not have the outputs, or files are of another study.

    Examples
    --------
    >>> import fibermsk as fm
    >>> radii = [3e-3, 4e-3]
    >>> found = fm.sweep("hanging_fiber", {"fiber/radius": radii})  # doctest: +SKIP
    """
    seed = _check.whole(OWNER, "seed", seed)
    if type(n_jobs) is not int or n_jobs == 0:
        _check.refuse(OWNER, "n_jobs", n_jobs, "be a number of processes, or -1 for all cores")
    check_client(client)
    _check.function(OWNER, "progress", progress)
    if isinstance(method, str):
        _check.choice(OWNER, "method", method, METHODS)
    elif method is not None:
        _check.method(OWNER, method)
    for field, value in (("settings", settings), ("numbers", numbers)):
        _check.instance(OWNER, field, value, (Mapping, type(None)), "a dict or None")
    kept = checked(outputs)
    parameters, reference, digest = described(scene)
    given = dict(settings or {})
    for name in given:
        if name not in parameters:
            near = _check.suggestion(name, list(parameters))
            _check.refuse(OWNER, "settings", name, f"be parameters of the scene{near}")
        if name in over:
            _check.refuse(OWNER, "settings", name, "not be varied, too")
    points = points_of(over, parameters, design, n, seed)
    task = Task(scene, digest, given, dict(numbers or {}), method, kept)
    _check_paths(task, points)
    about = {
        "scene": reference, "digest": digest, "design": design, "seed": seed, "n": n,
        "over": {one.key: plain(one.values) for one in points.axes},
        "settings": plain(given), "numbers": plain(task.numbers), "method": plain(method),
        "outputs": plain(kept), "fibermsk_version": __version__, "versions": library_versions(),
    }  # fmt: skip
    with ExitStack() as stack:
        if out is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "study.nc"
        else:
            path = check_writable(path_of(out, f"{OWNER}: out"))
        if not dataset.finished(path, about):
            _compute(path, task, points, about, n_jobs, client, progress)
        found = dataset.open_dataset(path, points)
        return found.load() if out is None else found


def _compute(
    path: Path, task: Task, points: Points, about: dict[str, Any], n_jobs: int, client: Any,
    progress: Callable[[StudyProgress], None] | None,
) -> None:  # fmt: skip
    """Compute what is missing, and write the file."""
    total, beside = len(points.rows), path.with_name(path.name + ENDING)
    with Journal(beside, about) as journal:
        known = journal.done()
        ended, failed = len(known), sum(one != DONE for one in known.values())
        wanted = [k for k in range(total) if k not in known]
        if progress is not None:
            progress(StudyProgress(ended, total, failed))
        try:
            for record in running(task, points, wanted, n_jobs, client):
                journal.add(record)
                ended, message = ended + 1, ""
                if record.status != DONE:
                    failed += 1
                    message = f"{points.words(record.point)}: {record.message}"
                if progress is not None:
                    progress(StudyProgress(ended, total, failed, message))
        except OutputError:
            beside.unlink()  # of no use: no point has what is asked for
            raise
        write_whole(path, lambda to: dataset.write_dataset(to, journal, points, about))
    beside.unlink()


def _check_paths(task: Task, points: Points) -> None:
    """Refuse paths that the model does not have."""
    try:
        scene = task.scene_at(points.given(0)[0], {})
    except ModelError:
        raise
    except Exception as error:  # of a function of the user
        why = f"return a scene: it raised {type(error).__name__}: {error}"
        _check.refuse(OWNER, "scene", task.scene, why)
    if not isinstance(scene, Scene):
        must = "be a scene that runs in time, not a problem that is solved"
        _check.refuse(OWNER, "scene", type(scene).__name__, must)
    for axis in points.axes:
        if axis.in_model:
            Parameters(scene.model).match(axis.key)
