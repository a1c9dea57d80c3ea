"""Functions of a system that also take its model, which is built for the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from fibermsk import solvers, system
from fibermsk.model import Model
from fibermsk.protocol import System

_S = TypeVar("_S", bound=System)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def of_model(
    function: Callable[Concatenate[_S, _P], _R],
) -> Callable[Concatenate[_S | Model, _P], _R]:
    """A guarded function of a system, which also takes a `Model` and builds it for the CPU."""
    # without its guard, so that warnings name the line of the caller
    inner: Any = inspect.unwrap(function)
    first = next(iter(inspect.signature(function).parameters))

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if not arguments and first in options:
            arguments = (options.pop(first),)
        if arguments and isinstance(arguments[0], Model):
            arguments = (system.build(arguments[0]), *arguments[1:])
        guard: Any = getattr(arguments[0], "guard", None) if arguments else None
        if guard is None:
            return inner(*arguments, **options)
        guard.enter()
        try:
            return inner(*arguments, **options)
        finally:
            guard.leave()

    call.__module__, call.__qualname__ = __name__, function.__name__
    return call


simulate = of_model(solvers.simulate)
equilibrium = of_model(solvers.equilibrium)
stability = of_model(solvers.stability)
check = of_model(system.check)
check_contribution = of_model(system.check_contribution)
