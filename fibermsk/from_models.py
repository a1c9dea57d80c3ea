"""Functions of a system that also take its model, which is built for the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from fibermsk import _check, solvers, system
from fibermsk._first_use import FIRST_USE
from fibermsk.ahead.kinds import kinds_of
from fibermsk.ahead.team import compile_ahead
from fibermsk.model import Model
from fibermsk.protocol import System

_S = TypeVar("_S", bound=System)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def of_model(
    function: Callable[Concatenate[_S, _P], _R], *, marches: bool = False
) -> Callable[Concatenate[_S | Model, _P], _R]:
    """A guarded function of a system, which also takes a `Model` and builds it for the CPU.

    What one that `marches` needs is compiled before, by several processes.
    """
    first = next(iter(inspect.signature(function).parameters))

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if not arguments and first in options:
            arguments = (options.pop(first),)
        method = options.get("method")
        if marches and method is not None:  # before anything is compiled
            _check.method(function.__name__, method)
        if marches and not getattr(method, "compiled", False):
            _prepare(arguments[0] if arguments else None)
        if arguments and isinstance(arguments[0], Model):
            arguments = (system.build(arguments[0]), *arguments[1:])
        plain: Any = function
        return plain(*arguments, **options)

    call.__module__, call.__qualname__ = __name__, function.__name__
    return call


_prepared = set[frozenset[str]]()
"""Kinds of parts whose kernels are on disk, or in this process."""


def _prepare(subject: Any) -> None:
    """Compile what a run of a model or of a system needs, unless it is there."""
    model = subject if isinstance(subject, Model) else getattr(subject, "model", None)
    if not isinstance(model, Model) or (kinds := kinds_of(model)) in _prepared:
        return
    with FIRST_USE.knowing_the_rest() as tell:
        compile_ahead(kinds, tell)
    _prepared.add(kinds)


simulate = of_model(solvers.simulate, marches=True)
equilibrium = of_model(solvers.equilibrium)
stability = of_model(solvers.stability)
check = of_model(system.check)
check_contribution = of_model(system.check_contribution)
