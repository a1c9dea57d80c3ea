"""Operations of the task bodies, counted by running them without compilation.

``NUMBA_DISABLE_JIT=1 python -m fibermsk.bench.gpu.operations`` prints them as JSON, per task.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

_FIBERS, _TASKS = 7, 6
"""Size of the bundle, and most tasks of a launch that are counted."""

_FUNCTIONS = 20
"""Operations that a root, quotient, power or other function counts as."""


class _Counted(float):
    """A number whose operations are counted for all such numbers together."""

    total = 0

    def __neg__(self) -> _Counted:
        return _Counted(-float(self))  # part of the next operation

    def __abs__(self) -> _Counted:
        return _Counted(abs(float(self)))


def _counted(function: Callable[..., float], cost: int) -> Callable[..., Any]:
    def call(*numbers: Any) -> Any:
        if any(isinstance(one, np.ndarray) for one in numbers):
            return NotImplemented  # the array applies it to each of its numbers
        _Counted.total += cost
        return _Counted(function(*map(float, numbers)))

    return call


for _name, _cost in (("add", 1), ("sub", 1), ("mul", 1), ("truediv", _FUNCTIONS), ("pow", 2)):
    for _side in (f"__{_name}__", f"__r{_name}__"):
        setattr(_Counted, _side, _counted(getattr(float, _side), _cost))


def count() -> dict[str, float]:
    """Operations of a task of each body in a step of a squeezed bundle of seven fibers.

    A quotient, root or function counts as 20 operations, squares as two. Runs in a process of its
    own, where nothing is compiled.
    """
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", __name__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(f"counting of operations failed:\n{run.stderr}")
    return json.loads(run.stdout)


def _main() -> None:
    # before other kernels take it
    import fibermsk.kernels._scratch as memory

    memory.scratch = lambda shape: np.empty(shape, object)  # pyright: ignore
    from fibermsk.bench.bundles.ours import squeezed_model
    from fibermsk.bench.gpu.measure import advance, name_of, start
    from fibermsk.gpu import DeviceSystem, host_device
    from fibermsk.system import build

    warnings.simplefilter("ignore")
    host, found = host_device(), {}
    numbers = SimpleNamespace(**vars(math))
    for name in ("sqrt", "exp", "sin", "cos", "atan", "atan2", "acos", "log", "cbrt", "hypot"):
        setattr(numbers, name, _counted(getattr(math, name), _FUNCTIONS))
    counting = False

    def launch(body: Any, tasks: Any, arguments: tuple[Any, ...]) -> None:
        every = np.arange(tasks) if isinstance(tasks, int) else tasks
        if counting and every.size:
            chosen = every[:: max(1, every.size // _TASKS)]
            total, n = found.get(name_of(body), (0.0, 0))
            if n < 4 * _TASKS:
                values = tuple(map(_number, arguments))
                modules = [
                    one
                    for key, one in list(sys.modules.items())
                    if key.startswith("fibermsk.") and getattr(one, "math", None) is math
                ]
                for one in modules:
                    one.math = numbers  # pyright: ignore
                _Counted.total = 0
                for i in chosen:
                    body(int(i), *values)
                for one in modules:
                    one.math = math  # pyright: ignore
                found[name_of(body)] = (total + _Counted.total, n + chosen.size)
        host.launch(body, tasks, arguments)

    system = DeviceSystem(build(squeezed_model(_FIBERS)), replace(host, launch=launch))
    dt = 1.0 / 1024.0
    state, _ = start(system, dt)
    counting = True
    state, _ = advance(system, state, dt, 1)
    system.search_again(state.state.y)
    print(json.dumps({name: total / n for name, (total, n) in found.items()}))


def _number(value: Any) -> Any:
    """An argument with its floats replaced by counted numbers."""
    if hasattr(value, "_make"):
        return value._make(map(_number, value))
    if isinstance(value, tuple):
        return tuple(map(_number, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        counted = np.empty(value.shape, object)
        counted.reshape(-1)[:] = [_Counted(x) for x in value.ravel()]
        return counted
    if isinstance(value, np.ndarray):
        return value.copy()
    return _Counted(value) if isinstance(value, float) else value


if __name__ == "__main__":
    _main()
