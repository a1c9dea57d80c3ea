"""GPU launch of task bodies, one thread per task.

A body is an ordinary kernel (see `fibermsk._compile.kernel`) of (task index, arrays and
numbers); the loops of the CPU call the same function. It and all that it calls may use numbers,
tuples, the `math` module, views of arrays and `fibermsk.kernels._scratch.scratch`, but neither
`numpy.empty` nor arithmetic on whole arrays. numba-cuda compiles the Python source of every kernel
that a body calls anew, with IEEE division and square root; products and sums are fused, so that
results agree with the CPU to round-off, not bitwise.

Imported only where a GPU is used: numba-cuda is part of the optional extra ``gpu``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import config, cuda

_THREADS_PER_BLOCK = 64

# small models underuse a GPU, which needs no warning
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


def over_tasks(body: Any) -> Callable[[int, tuple[Any, ...]], None]:
    """Function of (n_tasks, arguments) for `cuda.jit`: thread i calls body(i, *arguments).

    The arguments are one tuple, because a compiled GPU function takes no ``*arguments``.
    """

    def each_task(n_tasks, arguments):
        i = cuda.grid(1)
        if i < n_tasks:
            body(i, *arguments)

    return each_task


def over_listed(body: Any) -> Callable[[Any, tuple[Any, ...]], None]:
    """Function of (tasks, arguments) for `cuda.jit`: thread i calls body(tasks[i], *arguments)."""

    def each_listed(tasks, arguments):
        i = cuda.grid(1)
        if i < tasks.size:
            body(tasks[i], *arguments)

    return each_listed


@cache
def _compiled(body: Any, listed: bool) -> Any:
    return cuda.jit((over_listed if listed else over_tasks)(body))


def launch(body: Any, tasks: Any, arguments: tuple[Any, ...]) -> None:
    """Call body(i, *arguments) for every task i, in any order and without waiting.

    Parameters
    ----------
    body : kernel
        Writes only to memory that no other task writes to.
    tasks : int or int array on the GPU
        The number of tasks, numbered from 0; or the task indices, each once. No tasks, no launch.
    arguments : tuple
        Arrays on the GPU, such as of CuPy, floats and ints.
    """
    listed = not isinstance(tasks, int)
    n_tasks = tasks.size if listed else tasks
    if n_tasks == 0:
        return
    blocks = -(-n_tasks // _THREADS_PER_BLOCK)
    # on the default stream, which CuPy uses too unless another is current
    _compiled(body, listed)[blocks, _THREADS_PER_BLOCK](tasks, arguments)
