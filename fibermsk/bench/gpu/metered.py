"""Arrays on the host in the place of a GPU's, which count what is done with them."""

from __future__ import annotations

import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fibermsk.bench.gpu.measure import name_of
from fibermsk.gpu import Device, host_device

ARRAYS = "operations of CuPy"
"""Name of all that is no launch of a task body."""


@dataclass
class Work:
    """What was launched under a name: launches, tasks of all, and bytes of arrays.

    An array that a launch reads and writes counts twice, one that it only reads once; if a launch
    has some of all tasks, such as the fibers of one color, it counts with that part.
    """

    launches: int = 0
    tasks: int = 0
    bytes: float = 0.0

    def add(self, tasks: int, moved: float) -> None:
        """Count one launch."""
        self.launches += 1
        self.tasks += tasks
        self.bytes += moved


@dataclass
class Meter:
    """Counts while `on`, and memory in use at all times.

    Attributes
    ----------
    work : dict of Work
        By name of a task body; `ARRAYS` for all other operations.
    waits : int
        Values that the host waited for.
    copied : float
        Bytes copied between host and device.
    live, peak : float
        Bytes of arrays that exist, and their maximum.
    """

    on: bool = False
    work: dict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    waits: int = 0
    copied: float = 0.0
    live: float = 0.0
    peak: float = 0.0
    _known: set[int] = field(default_factory=set)
    _writes: dict[Any, list[bool]] = field(default_factory=dict)
    _most: Counter[str] = field(default_factory=Counter)

    def restart(self) -> None:
        """Begin to count anew."""
        self.work.clear()
        self.waits, self.copied, self.on = 0, 0.0, True

    def operation(self, *arrays: Any) -> None:
        """Count one operation on arrays."""
        if self.on:
            self.work[ARRAYS].add(0, float(sum(one.nbytes for one in arrays)))

    def wait(self, copied: float = 0.0) -> None:
        """Count a value that the host waits for."""
        if self.on:
            self.waits += 1
            self.copied += copied

    def wrap(self, value: Any) -> Any:
        """Metered array of one of NumPy, or of each in a tuple."""
        if isinstance(value, tuple):
            return tuple(map(self.wrap, value))
        if not isinstance(value, np.ndarray | np.generic):
            return value
        array = np.asarray(value)
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if id(owner) not in self._known:
            self._known.add(id(owner))
            self.live += owner.nbytes
            self.peak = max(self.peak, self.live)
            weakref.finalize(owner, self._release, id(owner), owner.nbytes)
        return Metered(array, self)

    def _release(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.live -= size

    def device(self) -> Device:
        """The host in the place of a GPU, with arrays that are counted here."""
        return Device("metered", _Module(self), self._launch, self._to_host)  # pyright: ignore

    def _launch(self, body: Any, tasks: Any, arguments: tuple[Any, ...]) -> None:
        plain, own = unwrap(tasks), tuple(map(unwrap, arguments))
        arrays = list(_arrays(own))
        first = body not in self._writes
        before = [one.copy() for one in arrays] if first else []
        host_device().launch(body, plain, own)
        if first:
            pairs = zip(before, arrays, strict=True)
            self._writes[body] = [not np.array_equal(a, b, equal_nan=True) for a, b in pairs]
        name, n = name_of(body), plain if isinstance(plain, int) else plain.size
        if not n:
            return
        whole = n if isinstance(plain, int) else int(plain.max()) + 1
        self._most[name] = whole = max(self._most[name], whole)
        if self.on:
            seen: dict[int, float] = {}
            for one, written in zip(arrays, self._writes[body], strict=True):
                size = one.nbytes * (2 if written else 1)
                seen[one.__array_interface__["data"][0]] = float(size)
            self.work[name].add(n, sum(seen.values()) * n / whole)

    def _to_host(self, array: Any) -> np.ndarray:
        self.wait(array.nbytes)
        return np.array(array.values)


class Metered(NDArrayOperatorsMixin):
    """An array that is none of NumPy, as CuPy's."""

    def __init__(self, values: np.ndarray, meter: Meter) -> None:
        self.values, self._meter = values, meter

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        into = options.pop("out", None)
        plain = [unwrap(one) for one in inputs]
        if into is not None:
            options["out"] = tuple(map(unwrap, into))
        result = getattr(ufunc, method)(*plain, **options)
        self._meter.operation(*_arrays(plain), *_arrays((result,)))
        return into[0] if into is not None else self._meter.wrap(result)

    def __array_function__(self, function: Any, _: Any, inputs: Any, options: Any) -> Any:
        plain = unwrap(tuple(inputs))
        result = function(*plain, **{name: unwrap(one) for name, one in options.items()})
        self._meter.operation(*_arrays(plain), *_arrays((result,)))
        return self._meter.wrap(tuple(result) if isinstance(result, list) else result)

    def __getitem__(self, at: Any) -> Any:
        result = self.values[unwrap(at)]
        if isinstance(result, np.ndarray) and result.base is None and result.size:
            self._meter.operation(result, result)  # a copy
        return self._meter.wrap(result)

    def __setitem__(self, at: Any, value: Any) -> None:
        plain = unwrap(value)
        self.values[unwrap(at)] = plain
        written = self.values[unwrap(at)]
        self._meter.operation(*_arrays((written, plain)))

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return (self._meter.wrap(one) for one in self.values)

    def __float__(self) -> float:
        self._meter.wait()
        return float(self.values)

    def __int__(self) -> int:
        self._meter.wait()
        return int(self.values)

    def __bool__(self) -> bool:
        self._meter.wait()
        return bool(self.values)

    def tolist(self) -> list[Any]:
        """Values on the host."""
        self._meter.wait(self.values.nbytes)
        return self.values.tolist()

    def _made(self, result: np.ndarray) -> Any:
        self._meter.operation(self.values, result)
        return self._meter.wrap(result)

    def astype(self, kind: Any) -> Any:
        """Copy of a type."""
        return self._made(self.values.astype(kind))

    def copy(self) -> Any:
        """Copy."""
        return self._made(self.values.copy())

    def sum(self, axis: int | None = None) -> Any:
        """Sum."""
        return self._made(np.asarray(self.values.sum(axis=axis)))

    def max(self, axis: int | None = None) -> Any:
        """Largest."""
        return self._made(np.asarray(self.values.max(axis=axis)))

    def min(self, axis: int | None = None) -> Any:
        """Least."""
        return self._made(np.asarray(self.values.min(axis=axis)))

    def all(self, axis: int | None = None) -> Any:
        """Whether all are true."""
        return self._made(np.asarray(self.values.all(axis=axis)))

    def any(self, axis: int | None = None) -> Any:
        """Whether any is true."""
        return self._made(np.asarray(self.values.any(axis=axis)))

    def reshape(self, *shape: int) -> Any:
        """View of another shape."""
        return self._meter.wrap(self.values.reshape(*shape))

    @property
    def T(self) -> Any:
        """Transposed view."""
        return self._meter.wrap(self.values.T)

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "size", "ndim", "dtype", "nbytes"):
            return getattr(self.values, name)
        raise AttributeError(name)


class _Module:
    """Functions of NumPy for metered arrays, in the place of CuPy."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function, meter = getattr(np, name), self._meter

        def call(*inputs: Any, **options: Any) -> Any:
            plain = unwrap(inputs)
            result = function(*plain, **{key: unwrap(one) for key, one in options.items()})
            meter.operation(*_arrays(plain), *_arrays((result,)))
            return meter.wrap(result)

        return call


def unwrap(value: Any) -> Any:
    """What lies in metered arrays, also in groups of them."""
    if isinstance(value, Metered):
        return value.values
    if hasattr(value, "_make"):
        return value._make(map(unwrap, value))
    if isinstance(value, tuple | list):
        return type(value)(map(unwrap, value))
    return value


def _arrays(values: Any) -> Iterator[np.ndarray]:
    """Arrays among values and in groups of them."""
    for one in values:
        if isinstance(one, tuple | list):
            yield from _arrays(one)
        elif isinstance(one, np.ndarray):
            yield one
