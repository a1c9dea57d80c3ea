"""Arrays with CuPy's manners on the host: they never turn into NumPy's, nor mix with them, unasked.

What CuPy refuses is refused here: implicit conversion, arithmetic and assignment with arrays of
NumPy, functions of NumPy that do not dispatch, `initial` in reductions. What it gives as arrays
without dimensions, such as sums and entries, are such arrays here.
"""

from types import SimpleNamespace

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fibermsk.gpu import Device, host_device

FUNCTIONS = (
    "array", "zeros", "empty_like", "ascontiguousarray", "cumsum", "isfinite", "arange", "argsort",
    "flatnonzero", "nonzero", "searchsorted", "sort", "unique", "where",
)  # fmt: skip
"""What the backend calls in the module of its arrays."""

DISPATCHED = (np.zeros_like, np.empty_like, np.concatenate, np.argmax)
"""Functions of NumPy that solvers call with vectors of any kind; ufuncs beside."""


class StrictArray(NDArrayOperatorsMixin):
    """An array that is none of NumPy."""

    def __init__(self, values):
        self._values = np.asarray(values)

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a NumPy array")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__":
            raise TypeError(f"{ufunc.__name__}.{method}")
        result = ufunc(*map(unwrap, inputs), **{k: unwrap(v) for k, v in options.items()})
        return options["out"][0] if "out" in options else wrap(result)

    def __array_function__(self, function, types, inputs, options):
        if function not in DISPATCHED:
            raise TypeError(f"{function.__name__} is not known to work with CuPy")
        return wrap(function(*map(unwrap, inputs), **{k: unwrap(v) for k, v in options.items()}))

    def __getitem__(self, at):
        return wrap(self._values[unwrap(at)])

    def __setitem__(self, at, value):
        self._values[unwrap(at)] = unwrap(value)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return (wrap(value) for value in self._values)

    def __float__(self):
        return float(self._values)

    def __int__(self):
        return int(self._values)

    def __bool__(self):
        return bool(self._values)

    def astype(self, kind):
        return wrap(self._values.astype(kind))

    def tolist(self):
        return self._values.tolist()

    def copy(self):
        return wrap(self._values.copy())

    def reshape(self, *shape):
        # a view, as CuPy's of contiguous arrays
        result = self._values.reshape(*shape)
        assert np.shares_memory(result, self._values) or result.size == 0
        return wrap(result)

    def _reduced(self, name, axis):
        return wrap(np.asarray(getattr(self._values, name)(axis=axis)))

    def sum(self, axis=None):
        return self._reduced("sum", axis)

    def max(self, axis=None):
        return self._reduced("max", axis)

    def min(self, axis=None):
        return self._reduced("min", axis)

    def any(self, axis=None):
        return self._reduced("any", axis)

    def all(self, axis=None):
        return self._reduced("all", axis)

    @property
    def T(self):
        return wrap(self._values.T)

    @property
    def shape(self):
        return self._values.shape

    @property
    def size(self):
        return self._values.size

    @property
    def ndim(self):
        return self._values.ndim

    @property
    def dtype(self):
        return self._values.dtype


def wrap(value):
    """A strict array of one of NumPy or of a number of it, or a tuple of these."""
    if isinstance(value, tuple):
        return tuple(map(wrap, value))
    return StrictArray(value) if isinstance(value, np.ndarray | np.generic) else value


def unwrap(value):
    """What lies in a strict array; arrays of NumPy are refused."""
    if isinstance(value, StrictArray):
        return value._values
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("an array of NumPy among those of the device")
    if hasattr(value, "_make"):
        return value._make(map(unwrap, value))
    if isinstance(value, tuple | list):
        return type(value)(map(unwrap, value))
    return value


def _array(values):
    return wrap(np.array(values if isinstance(values, np.ndarray) else unwrap(values)))


def _dispatched(function):
    return lambda *inputs, **options: wrap(function(*map(unwrap, inputs), **options))


def _launch(body, tasks, values):
    host_device().launch(body, unwrap(tasks), tuple(map(unwrap, values)))


def _to_host(array):
    assert isinstance(array, StrictArray)
    return np.array(array._values)


def strict_device():
    """The host in the place of a GPU, with arrays that may not be mixed up."""
    module = {name: _dispatched(getattr(np, name)) for name in FUNCTIONS}
    return Device("strict", SimpleNamespace(**{**module, "array": _array}), _launch, _to_host)
