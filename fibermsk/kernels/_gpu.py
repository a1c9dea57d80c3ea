"""How the body of a task runs on a GPU: one thread calls it for one task.

A body is an ordinary kernel (see `fibermsk._compile.kernel`) of (task index, arrays and
numbers); the loops of the CPU call the same function. It and all that it calls may use numbers,
tuples, the `math` module, views of arrays and `fibermsk.kernels._scratch.scratch`, but neither
`numpy.empty` nor arithmetic on whole arrays. numba-cuda compiles the Python source of every kernel
that a body calls anew, with IEEE division and square root; products and sums are fused, so that
results agree with the CPU to round-off and not bit by bit.

Imported only where a GPU is used: numba-cuda is part of the optional extra ``gpu``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import cuda

__all__ = ["launch", "over_tasks"]

_THREADS_PER_BLOCK = 64


def over_tasks(body: Any) -> Callable[[int, tuple[Any, ...]], None]:
    """Function of (n_tasks, arguments) for `cuda.jit`: thread i calls body(i, *arguments).

    The arguments travel as one tuple, because a compiled GPU function takes no ``*arguments``.
    """

    def each_task(n_tasks, arguments):
        i = cuda.grid(1)
        if i < n_tasks:
            body(i, *arguments)

    return each_task


@cache
def _compiled(body: Any) -> Any:
    return cuda.jit(over_tasks(body))


def launch(body: Any, n_tasks: int, arguments: tuple[Any, ...], stream: Any = 0) -> None:
    """Call body(i, *arguments) for every i below n_tasks, in any order and without waiting.

    Parameters
    ----------
    body : kernel
        Writes only to memory that no other task writes to.
    n_tasks : int
        Number of tasks; none is no launch.
    arguments : tuple
        Arrays on the GPU (CuPy's are taken as they are), floats and ints.
    stream : numba.cuda stream or 0
        Of CuPy's current stream: ``cuda.external_stream(cupy.cuda.get_current_stream().ptr)``.
    """
    if n_tasks == 0:
        return
    blocks = -(-n_tasks // _THREADS_PER_BLOCK)
    _compiled(body)[blocks, _THREADS_PER_BLOCK, stream](n_tasks, arguments)
