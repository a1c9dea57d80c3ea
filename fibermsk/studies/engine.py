"""Points at a time: in this process, by joblib on one machine, or by Dask on several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.studies.packages import package
from fibermsk.studies.points import OWNER, Points
from fibermsk.studies.task import BROKEN, Record, Task

_AHEAD = 4
"""Points for each thread of a cluster that wait there."""


def running(
    task: Task, points: Points, wanted: Sequence[int], n_jobs: int, client: Any
) -> Iterator[Record]:
    """Records of the wanted points, as they end."""
    if client is not None:
        return _on_cluster(task, points, wanted, client)
    jobs = min(_jobs(n_jobs), len(wanted))
    if jobs <= 1:
        return (task(k, *points.given(k)) for k in wanted)
    return _in_processes(task, points, wanted, jobs)


def _jobs(n_jobs: int) -> int:
    """Number of processes; -1 is all cores, -2 all but one."""
    return n_jobs if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + n_jobs, 1)


def _in_processes(task: Task, points: Points, wanted: Sequence[int], jobs: int) -> Iterator[Record]:
    joblib = package("joblib")
    threads = max((os.cpu_count() or 1) // jobs, 1)
    with joblib.parallel_config(backend="loky", inner_max_num_threads=threads):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        yield from parallel(joblib.delayed(task)(k, *points.given(k)) for k in wanted)


def _on_cluster(task: Task, points: Points, wanted: Sequence[int], client: Any) -> Iterator[Record]:
    """Few points wait at a time, so that results do not pile up."""
    as_completed: Callable[..., Any] = package("distributed").as_completed
    (shared,) = client.scatter([task], broadcast=True)
    rest = iter(wanted)
    numbers = dict[str, int]()

    def submit(k: int) -> Any:
        future = client.submit(_called, shared, k, *points.given(k), pure=False)
        numbers[future.key] = k
        return future

    ahead = _AHEAD * max(sum(client.nthreads().values()), 1)
    first = [submit(k) for _, k in zip(range(ahead), rest, strict=False)]
    queue = as_completed(first)
    for future in queue:
        k = numbers.pop(future.key)
        error = future.exception()
        if isinstance(error, ModelError):
            raise error
        if error is not None:
            yield Record(k, BROKEN, f"{type(error).__name__}: {error}", 0.0, {})
        else:
            yield future.result()
        future.release()
        following = next(rest, None)
        if following is not None:
            queue.add(submit(following))


def _called(task: Task, *given: Any) -> Record:
    return task(*given)


def check_client(client: Any) -> None:
    """Refuse what is no client of Dask."""
    if client is not None and not isinstance(client, package("distributed").Client):
        _check.refuse(OWNER, "client", client, "be a client of dask.distributed, or None")
