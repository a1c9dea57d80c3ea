"""Points at a time: in this process, by joblib on one machine, or by Dask on several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.studies.packages import package
from fibermsk.studies.points import OWNER, Points
from fibermsk.studies.task import BROKEN, Record, Task

_AHEAD = 4
"""Points for each thread of a cluster that wait there, so that results do not pile up."""
_DISPATCHED = 2
"""Points for each process that joblib has given away."""


def running(
    task: Task, points: Points, wanted: Sequence[int], n_jobs: int, client: Any
) -> Iterator[Record]:
    """Records of the wanted points, as they end."""
    if client is not None:
        return _on_cluster(task, points, wanted, client)
    jobs = n_jobs if n_jobs == 1 else package("joblib").effective_n_jobs(n_jobs)
    if min(jobs, len(wanted)) <= 1:
        return (task(k, *points.given(k)) for k in wanted)
    return _in_processes(task, points, wanted, jobs)


def _in_processes(task: Task, points: Points, wanted: Sequence[int], jobs: int) -> Iterator[Record]:
    """By joblib; a point whose process ends is tried by itself once more, and then given up."""
    ended: Any = package("joblib.externals.loky.process_executor").TerminatedWorkerError
    left = list(wanted)
    while left:
        try:
            for record in _parallel(task, points, left, jobs):
                left.remove(record.point)
                yield record
        except ended:
            for k in left[: _DISPATCHED * jobs]:
                try:
                    (record,) = _parallel(task, points, [k], 2)
                except ended:
                    why = "its process ended: killed, or out of memory"
                    record = Record(k, BROKEN, why, 0.0, {})
                left.remove(k)
                yield record


def _parallel(task: Task, points: Points, wanted: Sequence[int], jobs: int) -> Any:
    joblib = package("joblib")
    options = {"return_as": "generator_unordered", "batch_size": 1}
    parallel = joblib.Parallel(n_jobs=jobs, pre_dispatch=_DISPATCHED * jobs, **options)
    return parallel(joblib.delayed(task)(k, *points.given(k)) for k in list(wanted))


def threads_of_processes(threads: int | None) -> AbstractContextManager[Any]:
    """Context in which each process has a number of threads; by default they share the cores."""
    if threads is None:
        return nullcontext()
    return package("joblib").parallel_config("loky", inner_max_num_threads=threads)


def _on_cluster(task: Task, points: Points, wanted: Sequence[int], client: Any) -> Iterator[Record]:
    """By Dask, on as many workers as there are at a time."""
    distributed = package("distributed")
    as_completed: Callable[..., Any] = distributed.as_completed
    rest, numbers, queue = iter(wanted), dict[str, int](), as_completed([])

    def fill() -> None:
        ahead = _AHEAD * max(sum(client.nthreads().values()), 1)
        while len(numbers) < ahead and (k := next(rest, None)) is not None:
            future = client.submit(task, k, *points.given(k), pure=False)
            numbers[future.key] = k
            queue.add(future)

    fill()
    for future in queue:
        k = numbers.pop(future.key)
        if future.cancelled():
            raise ModelError(
                f"{OWNER}: the cluster has ended; must stay until the study has: points that had "
                "ended are kept, and the same call goes on"
            )
        error = future.exception()
        if isinstance(error, ModelError):
            raise error
        if error is not None:
            yield Record(k, BROKEN, f"{type(error).__name__}: {error}", 0.0, {})
        else:
            yield future.result()
        future.release()
        fill()


def check_client(client: Any) -> None:
    """Refuse what is no client of Dask."""
    if client is not None and not isinstance(client, package("distributed").Client):
        _check.refuse(OWNER, "client", client, "be a client of dask.distributed, or None")
