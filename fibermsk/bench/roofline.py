"""Speed of the assembly kernels relative to the limits of the machine.

Operations are counted by running a kernel without compilation on numbers that record their
operands; bytes are those of all arrays, once each. The limits are measured by a product of dense
matrices and the sum of two long arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from fibermsk._compile import kernel
from fibermsk.bench.bundles import case
from fibermsk.bench.bundles.ours import bundle_model
from fibermsk.bench.measure.capture import evaluation, last_call
from fibermsk.bench.measure.timing import median_seconds
from fibermsk.kernels.fibers import cable
from fibermsk.laws import stress
from fibermsk.system import build

_MATRIX = 768
_LENGTH = 1 << 23
"""Length of the long arrays, 64 MiB each: larger than caches."""


class _Traced(float):
    """A number that records its operation and operands."""

    kind: str
    sources: tuple[Any, ...]

    def __new__(cls, value: float, kind: str = "", *sources: Any) -> _Traced:
        self = super().__new__(cls, value)
        self.kind, self.sources = kind, sources
        return self

    def __neg__(self) -> _Traced:
        return _Traced(-float(self), "", self)  # part of the next operation

    def __abs__(self) -> _Traced:
        return _Traced(abs(float(self)), "", self)


def _traced(function: Callable[..., float], kind: str) -> Callable[..., _Traced]:
    def call(*numbers: Any) -> _Traced:
        return _Traced(function(*map(float, numbers)), kind, *numbers)

    return call


for _name in ("add", "sub", "mul", "truediv", "pow"):
    for _side in (f"__{_name}__", f"__r{_name}__"):
        _kind = "functions" if _name == "pow" else "operations"
        setattr(_Traced, _side, _traced(getattr(float, _side), _kind))

_MATH = SimpleNamespace(sqrt=_traced(math.sqrt, "operations"), exp=_traced(math.exp, "functions"))


def _count(outputs: list[Any]) -> dict[str, int]:
    """Distinct operations that the outputs depend on; the compiler removes others."""
    counts = {"operations": 0, "functions": 0}
    waiting, seen = [one for one in outputs if isinstance(one, _Traced)], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.kind:
            counts[one.kind] += 1
        waiting += [source for source in one.sources if isinstance(source, _Traced)]
    return counts


def count_work() -> dict[str, dict[str, float]]:
    """Operations and bytes per element of the assembly kernels of one fiber.

    ``operations``: sums, products, quotients and square roots; ``functions``: powers and
    exponentials. Needs ``NUMBA_DISABLE_JIT=1``.
    """
    system = build(bundle_model(1, contact=False))
    found = {}
    for name, tangent in (("cable_residual", False), ("assemble_cable", True)):
        kernels = system.tension.groups[0].kernels
        arguments = last_call(kernels, name, evaluation(system, tangent))
        outputs = arguments[-2:] if tangent else arguments[-1:]  # read and written
        moved = sum(one.nbytes for one in _arrays([*arguments, *outputs]))
        traced = [_trace(one) for one in arguments]
        originals = cable.math, stress.math
        cable.math = stress.math = _MATH  # pyright: ignore[reportAttributeAccessIssue]
        try:
            getattr(cable, name)(*traced)
        finally:
            cable.math, stress.math = originals
        results = [x for one in traced[-len(outputs) :] for x in one.ravel()]
        found[name] = {
            what: count / case.ELEMENTS
            for what, count in {**_count(results), "bytes": moved}.items()
        }
    return found


def _arrays(arguments: Iterable[Any]) -> Iterator[np.ndarray]:
    """Arrays among the arguments of a kernel and in groups of them."""
    for one in arguments:
        if isinstance(one, tuple):
            yield from _arrays(one)
        elif isinstance(one, np.ndarray):
            yield one


def _trace(argument: Any) -> Any:
    """The argument with its floats replaced by traced numbers."""
    if isinstance(argument, cable.CableArrays):
        return cable.CableArrays(*map(_trace, argument))
    if isinstance(argument, np.ndarray) and argument.dtype == np.float64:
        traced = np.empty(argument.shape, object)
        traced.reshape(-1)[:] = [_Traced(x) for x in argument.ravel()]
        return traced
    return _Traced(argument) if isinstance(argument, float) else argument


def measure_machine() -> dict[str, float]:
    """Arithmetic [1/s] and memory traffic [bytes/s] of one core, in a process with one thread."""
    a = np.random.default_rng(0).random((_MATRIX, _MATRIX))
    b, c = a.copy(), np.empty_like(a)
    product = median_seconds(lambda: np.matmul(a, b, out=c), 5)
    x, y, z = (np.ones(_LENGTH) for _ in range(3))
    total = median_seconds(lambda: _add(x, y, z), 5)
    # cache lines are read before they are written
    return {"operations": 2.0 * _MATRIX**3 / product, "bytes": 4.0 * x.nbytes / total}


@kernel
def _add(x, y, z):
    """z = x + 3 y."""
    for i in range(x.size):
        z[i] = x[i] + 3.0 * y[i]
