"""Studies over values of parameters."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.files import check_writable, path_of
from fibermsk.model import Scene
from fibermsk.model.scene import METHODS
from fibermsk.parameters.lookup import UnknownPath, find
from fibermsk.rescue import write_whole
from fibermsk.studies import dataset
from fibermsk.studies.engine import check_client, running
from fibermsk.studies.identity import described, fingerprint, plain, versions
from fibermsk.studies.journal import ENDING, Journal
from fibermsk.studies.outputs import OutputError, Outputs, checked
from fibermsk.studies.packages import package
from fibermsk.studies.points import OWNER, Points, points_of
from fibermsk.studies.task import BROKEN, DONE, Record, Source, Task

if TYPE_CHECKING:
    import xarray  # pyright: ignore[reportMissingImports]


_TRIED = 20
"""Points at which a scene is looked for that can be made."""


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
    for name in ("xarray", "h5netcdf"):  # which write the file, in the end
        package(name)
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
    parameters, reference, maker, digest = described(scene)
    given = dict(settings or {})
    for name in given:
        if name not in parameters:
            near = _check.suggestion(name, list(parameters))
            _check.refuse(OWNER, "settings", name, f"be parameters of the scene{near}")
        if isinstance(over, Mapping) and name in over:
            _check.refuse(OWNER, "settings", name, "not be varied, too")
    points = points_of(over, parameters, design, n, seed)
    task = Task(maker, digest, given, dict(numbers or {}), method, kept)
    about = {
        "scene": reference, "file": digest, "design": design, "seed": seed, "n": n,
        "over": {one.key: plain(one.values) for one in points.axes},
        "settings": plain(given), "numbers": plain(task.numbers), "method": plain(method),
        "outputs": plain(kept), "model": fingerprint(_first_scenes(task, points)),
        "versions": versions(() if design == "grid" else ("SALib",)),
    }  # fmt: skip
    about = json.loads(json.dumps(about))
    with ExitStack() as stack:
        if out is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "study.nc"
        else:
            path = check_writable(path_of(out, f"{OWNER}: out"))
        beside = path.with_name(path.name + ENDING)
        if dataset.finished(path, about):
            beside.unlink(missing_ok=True)  # of a program that ended just then
        else:
            _compute(path, beside, task, points, about, n_jobs, client, progress)
        found = dataset.open_dataset(path, points)
        return found.load() if out is None else found


def _compute(
    path: Path, beside: Path, task: Task, points: Points, about: dict[str, Any], n_jobs: int,
    client: Any, progress: Callable[[StudyProgress], None] | None,
) -> None:  # fmt: skip
    """Compute what is missing, and write the file."""
    total = len(points.rows)
    with Journal(beside, about) as journal:
        known = journal.done()
        ended, failed = len(known), sum(one != DONE for one in known.values())
        first = next((one.kept for one in journal.records() if one.status == DONE), None)
        wanted = [k for k in range(total) if k not in known]
        if progress is not None:
            progress(StudyProgress(ended, total, failed))
        for record in running(task, points, wanted, n_jobs, client):
            why = dataset.clash(record.kept, first, points)
            if why:
                record = Record(record.point, BROKEN, f"{OWNER}: {why}", record.seconds, {})
            if record.status == BROKEN and record.message.startswith(f"{OWNER}: output"):
                if first is None:  # as it will be at all points
                    beside.unlink()
                    raise OutputError(record.message)
            elif record.status == DONE and first is None:
                first = record.kept
            journal.add(record)
            ended, message = ended + 1, ""
            if record.status != DONE:
                failed += 1
                message = f"{points.words(record.point)}: {record.message}"
            if progress is not None:
                progress(StudyProgress(ended, total, failed, message))
        write_whole(path, lambda to: dataset.write_dataset(to, journal, points, about))
    beside.unlink()


def _first_scenes(task: Task, points: Points) -> list[Scene]:
    """Scenes of the first and last points that can be made; the paths of the model are checked.

    Raises
    ------
    ModelError
        If none of the first points has a scene, or the model has no such path.
    """
    found, wrong = list[Scene](), None
    for k in dict.fromkeys([*range(min(len(points.rows), _TRIED)), len(points.rows) - 1]):
        settings, numbers = points.given(k)
        try:
            if not found:
                model = task.scene_at(settings, {}).model
                for axis in points.axes:
                    if axis.in_model:
                        find(model, axis.key)
            found.append(task.scene_at(settings, numbers))
        except UnknownPath:
            raise
        except (Exception, SystemExit) as error:  # of the model, or of a function of the user
            wrong = wrong or error
        if len(found) == 2:
            break
    if found:
        return found
    if isinstance(wrong, ModelError):
        raise wrong
    why = f"return a scene: it raised {type(wrong).__name__}: {wrong}"
    _check.refuse(OWNER, "scene", task.scene, why)
