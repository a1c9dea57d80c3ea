"""Runs as functions of JAX, whose derivatives are those of the discrete adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax  # pyright: ignore[reportMissingImports]
import jax.numpy as jnp  # pyright: ignore[reportMissingImports]
import numpy as np

from fibermsk import _check
from fibermsk.gradients import GradientProblem
from fibermsk.gradients.gradient import RunGradient

Quantities = dict[str, Any]


def simulated(problem: GradientProblem) -> Callable[[Any], Quantities]:
    """Quantities of a run as a function of its parameters, for `jax.grad` and learned controllers.

    The function takes the unknowns of the problem, parameters over ``problem.scales``, (n,), and
    returns what its objective reads, at all frames, in the precision of the unknowns. A call is a
    run, and its derivative a sweep back for the cotangents that JAX hands over; the function of
    the objective has no part in it. `jax.jit` calls it from the outside, and `jax.vmap` runs one
    after another.

    Parameters
    ----------
    problem : GradientProblem
        Simulation, quantities and parameters.

    Returns
    -------
    run : callable
        ``run(unknowns) -> dict`` of arrays.

    Raises
    ------
    ModelError
        If the problem is none; while running, if an unknown is out of its bounds.
    ConvergenceError
        If a run fails; JAX wraps it in an error of its own.
    """
    _check.instance("simulated", "problem", problem, GradientProblem, "a GradientProblem")
    last: dict[bytes, RunGradient] = {}

    def at(unknowns: Any) -> RunGradient:
        x = np.asarray(unknowns, float)
        key = x.tobytes()
        if key not in last:
            found = problem.at(x)
            last.clear()  # of the last run only: its steps take memory
            last[key] = found
        return last[key]

    first = at(problem.start).run.samples

    def values(unknowns: Any) -> Quantities:
        own = at(unknowns).run.samples
        return {name: one.astype(unknowns.dtype) for name, one in own.items()}

    def products(unknowns: Any, cotangents: Quantities) -> Any:
        given = {name: np.asarray(one, float) for name, one in cotangents.items()}
        return (at(unknowns).vjp(given) * problem.scales).astype(unknowns.dtype)

    def forward(unknowns: Any) -> Quantities:
        shapes = {
            name: jax.ShapeDtypeStruct(one.shape, unknowns.dtype) for name, one in first.items()
        }
        return jax.pure_callback(values, shapes, unknowns, vmap_method="sequential")

    def kept(unknowns: Any) -> tuple[Quantities, Any]:
        return run(unknowns), unknowns

    def backward(unknowns: Any, cotangents: Quantities) -> tuple[Any]:
        shape = jax.ShapeDtypeStruct(unknowns.shape, unknowns.dtype)
        found = jax.pure_callback(products, shape, unknowns, cotangents, vmap_method="sequential")
        return (found,)

    run = jax.custom_vjp(forward)
    run.defvjp(kept, backward)

    def of_floats(unknowns: Any) -> Quantities:
        given = jnp.asarray(unknowns)
        # of whole numbers too the quantities are none
        return run(given if jnp.issubdtype(given.dtype, jnp.floating) else given.astype(float))

    return of_floats
