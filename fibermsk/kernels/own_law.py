"""User-defined laws for kernels: compiled, with derivatives, on a row of constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FunctionType
from typing import Any

from numba import config
from numba.core.errors import NumbaError
from numba.np.unsafe.ndarray import to_fixed_tuple

from fibermsk._compile import uncached
from fibermsk.errors import ModelError
from fibermsk.laws.derivatives import STEP
from fibermsk.laws.own import constants_type, law_label


def compiled_law(kind: type, name: str, n_arguments: int, n_slopes: int) -> Callable[..., Any]:
    """Compile a function of a law, of its constants and numbers: the value, and derivatives.

    Parameters
    ----------
    kind : type
        Class of the law.
    name : str
        The function, which returns its value alone or with its derivatives.
    n_arguments, n_slopes : int
        How many numbers it takes after ``self``, and in how many of them, the first ones, its
        derivatives are wanted.

    Returns
    -------
    function : callable
        Of the constants, as `fibermsk.laws.own.constants_type` has them, and the numbers.

    Raises
    ------
    ModelError
        If the function cannot be compiled; includes the error of the compiler.
    """
    constants = constants_type(kind)(*(1.0 for _ in constants_type(kind)._fields))
    function = lazy_law(kind, name)
    with _told(kind, name):
        found = function(constants, *([0.9] * n_arguments))
        if n_slopes and not isinstance(found, tuple):
            function = _STEPS[n_arguments, n_slopes](function)
            function(constants, *([0.9] * n_arguments))
    return function


def compiled_activation_slope(kind: type) -> Callable[..., Any]:
    """Compile the derivative of a stress law in the activation, a complex step.

    Of the constants, as `fibermsk.laws.own.constants_type` has them, stretch, its rate and the
    activation; raises as `compiled_law`.
    """
    stress = compiled_law(kind, "stress", 3, 0)
    constants = constants_type(kind)(*(1.0 for _ in constants_type(kind)._fields))
    try:
        found = stress(constants, 0.9, 0.9, complex(0.9, STEP))
    except NumbaError as error:
        raise ModelError(
            f"law {law_label(kind)!r}: stress cannot be compiled for a complex activation; must "
            "accept one where the activation is a state, for its derivative: np.exp accepts "
            "complex numbers and math.exp does not; compare activation.real, no abs()"
        ) from error
    several = isinstance(found, tuple)

    @uncached
    def slope(constants, stretch, stretch_rate, activation):
        along = stress(constants, stretch, stretch_rate, complex(activation, STEP))
        return along.imag / STEP

    @uncached
    def slope_of_first(constants, stretch, stretch_rate, activation):
        along = stress(constants, stretch, stretch_rate, complex(activation, STEP))
        return along[0].imag / STEP

    return slope_of_first if several else slope


@contextmanager
def _told(kind: type, name: str) -> Iterator[None]:
    """Errors of the compiler as errors of the law."""
    try:
        yield
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        code = getattr(kind, name.partition(" ")[0]).__code__
        where = f"{code.co_filename}, line {code.co_firstlineno}"
        raise ModelError(
            f"law {law_label(kind)!r}: {name} cannot be compiled; must be a function of numbers, "
            f"with math, numpy and functions of the kind alone ({where}): {' '.join(lines[:4])}"
        ) from error


def lazy_law(kind: type, name: str) -> Callable[..., Any]:
    """Function of a law of the package, compiled when a kernel that calls it is compiled."""
    return _compiled_function(getattr(kind, name), {})


def compiled_function(function: Any) -> Any:
    """Compile a function of numbers, and the plain functions that it calls, when it is used."""
    return _compiled_function(function, {})


def _compiled_function(function: FunctionType, known: dict[FunctionType, Any]) -> Any:
    """Compile a function of a user's script, and the plain functions that it calls."""
    if function not in known:
        scope = dict(function.__globals__)
        twin = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
        )
        # what is loaded from disk imports the module of each function: this one is always there
        twin.__module__ = __name__
        known[function] = uncached(twin)  # known before its callees are, which may call it
        for name in function.__code__.co_names:
            if isinstance(scope.get(name), FunctionType):
                scope[name] = _compiled_function(scope[name], known)
    return known[function]


@lru_cache
def constants_at(kind: type, first: int) -> Callable[..., Any]:
    """Compiled function that takes a law's constants from columns of a row, from `first` on."""
    as_tuple = constants_type(kind)
    n = len(as_tuple._fields)
    last = first + n
    if n == 0:
        return uncached(lambda rows, i: as_tuple())

    def read(rows, i):
        return as_tuple(*to_fixed_tuple(rows[i, first:last], n))

    def interpreted(rows, i):
        return as_tuple(*rows[i, first:last])

    return interpreted if config.DISABLE_JIT else uncached(read)


def file_name(kind: type) -> str:
    """Name of a law in the names of compiled files."""
    name = f"{kind.__module__}_{kind.__qualname__}"
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _steps_of_gap(function: Any) -> Any:
    @uncached
    def with_slope(constants, gap):
        along = function(constants, complex(gap, STEP))
        return along.real, along.imag / STEP

    return with_slope


def _steps_of_stretch(function: Any) -> Any:
    @uncached
    def with_slopes(constants, stretch, stretch_rate, activation):
        along = function(constants, complex(stretch, STEP), stretch_rate, activation)
        faster = function(constants, stretch, complex(stretch_rate, STEP), activation)
        return along.real, along.imag / STEP, faster.imag / STEP

    return with_slopes


_STEPS = {(1, 1): _steps_of_gap, (3, 2): _steps_of_stretch}
