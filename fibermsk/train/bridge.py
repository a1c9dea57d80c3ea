"""Runs as functions of JAX, whose derivatives are those of the discrete adjoint."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import jax  # pyright: ignore[reportMissingImports]
import jax.numpy as jnp  # pyright: ignore[reportMissingImports]
import numpy as np

from fibermsk import _check
from fibermsk.gradients import GradientProblem
from fibermsk.gradients.linear_run import LinearRun

Quantities = dict[str, Any]


def simulated(problem: GradientProblem, *, keep: int = 8) -> Callable[[Any], Quantities]:
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
    keep : int, optional
        How many of the last runs are kept, with their steps, for their sweeps back. Of more calls
        that are differentiated together, the first ones are simulated again.

    Returns
    -------
    run : callable
        ``run(unknowns) -> dict`` of arrays.

    Raises
    ------
    ModelError
        If the problem is none or `keep` is not positive; of a call, if the unknowns are not n real
        numbers; while running, if one is out of its bounds.
    ConvergenceError
        If a run fails; JAX wraps errors while running in one of its own.

    Notes
    -----
    The shapes come from a run at the start of the problem, which is the first that is kept.
    """
    _check.instance("simulated", "problem", problem, GradientProblem, "a GradientProblem")
    _check.count("simulated", "keep", keep)
    shape = problem.start.shape
    runs: OrderedDict[bytes, LinearRun] = OrderedDict()

    def at(unknowns: Any) -> LinearRun:
        x = np.asarray(unknowns, float)
        key = x.tobytes()
        if key not in runs:
            runs[key] = problem.linear_run(x)
        runs.move_to_end(key)
        while len(runs) > keep:  # their steps take memory
            runs.popitem(last=False)
        return runs[key]

    first = at(problem.start).samples

    def values(unknowns: Any) -> Quantities:
        own = at(unknowns).samples
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
        given = jax.ShapeDtypeStruct(unknowns.shape, unknowns.dtype)
        found = jax.pure_callback(products, given, unknowns, cotangents, vmap_method="sequential")
        return (found,)

    run = jax.custom_vjp(forward)
    run.defvjp(kept, backward)

    return lambda unknowns: run(_floats(unknowns, shape))


def _floats(unknowns: Any, shape: tuple[int, ...]) -> Any:
    """Real array of JAX of a shape; refused if it is not, before JAX traces the run."""
    owner, wanted = "simulated", f"({shape[0]},)"
    try:
        given = jnp.asarray(unknowns)
    except (TypeError, ValueError):  # texts, or rows of different lengths
        _check.refuse(owner, "unknowns", unknowns, f"be real numbers of shape {wanted}")
    if given.shape != shape:
        remedy = "for several runs use jax.vmap" if given.shape[1:] == shape else ""
        _check.refuse(owner, "shape of the unknowns", given.shape, f"be {wanted}", remedy=remedy)
    if jnp.issubdtype(given.dtype, jnp.complexfloating):
        kind, remedy = str(given.dtype), "take their real part"
        _check.refuse(owner, "type of the unknowns", kind, "be real", remedy=remedy)
    # of whole numbers too the quantities are none
    return given if jnp.issubdtype(given.dtype, jnp.floating) else given.astype(float)
