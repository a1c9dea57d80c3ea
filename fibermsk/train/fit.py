"""Training of the networks in JAX, which nothing else in the package needs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from fibermsk._arrays import Array, Index

SLOPES = 0.02
"""Weight of errors of derivatives beside those of values over the radius."""


class Fit(NamedTuple):
    """A trained network: sizes of its layers, and its weights, normalization included."""

    sizes: Index
    values: Array
    loss: float


def _start(sizes: list[int], rng: np.random.Generator) -> list[Any]:
    """Weights of each layer, of the size that keeps signals in the range of tanh."""
    return [
        (rng.normal(0.0, n**-0.5, (m, n)).astype("f4"), np.zeros(m, "f4"))
        for n, m in pairwise(sizes)
    ]


def _network(weights: list[Any], x: jax.Array) -> jax.Array:
    for matrix, offset in weights[:-1]:
        x = jnp.tanh(x @ matrix.T + offset)
    matrix, offset = weights[-1]
    return x @ matrix.T + offset


def fit(
    inputs: Array, scale: Array, targets: Array, apart: float | None, hidden: list[int], steps: int,
    batch: int, seed: int, rate: float = 3e-3, tell: Callable[[int, float], None] | None = None,
) -> Fit:  # fmt: skip
    """Network N with scale (n, 2) N(inputs (n, 2, m)) nearest to targets (n, 2, k).

    Or of (n, 1, ...) single samples, without `apart`. By least squares of the errors of pairs and,
    with the weight `SLOPES`, of their differences over the distance `apart`. Adam with a rate that
    falls as a cosine, in single precision; reproducible by its seed on one machine.
    """
    rng = np.random.default_rng(seed)
    mean, spread = inputs.mean((0, 1)), inputs.std((0, 1))
    arrays = (
        jnp.asarray((inputs - mean) / spread, "f4"), jnp.asarray(scale[..., None], "f4"),
        jnp.asarray(targets, "f4"),
    )  # fmt: skip
    sizes = [inputs.shape[-1], *hidden, targets.shape[-1]]
    method = optax.adam(optax.cosine_decay_schedule(rate, steps))

    def loss(weights: Any, x: jax.Array, s: jax.Array, y: jax.Array) -> jax.Array:
        error = s * _network(weights, x) - y
        if apart is None:
            return jnp.mean(jnp.sum(error**2, -1))
        slope = (error[:, 1] - error[:, 0]) / apart
        return jnp.mean(jnp.sum(error**2, -1)) + SLOPES * jnp.mean(jnp.sum(slope**2, -1))

    @jax.jit
    def some(weights: Any, state: Any, which: jax.Array) -> tuple[Any, Any, jax.Array]:
        """A few steps in one call."""

        def step(carry: Any, own: jax.Array) -> tuple[Any, jax.Array]:
            weights, state = carry
            value, slope = jax.value_and_grad(loss)(weights, *(a[own] for a in arrays))
            change, state = method.update(slope, state)
            return (optax.apply_updates(weights, change), state), value

        (weights, state), values = jax.lax.scan(step, (weights, state), which)
        return weights, state, values.mean()

    weights: Any = _start(sizes, rng)
    state, value, few = method.init(weights), np.inf, 100
    for done in range(0, steps, few):
        which = rng.integers(0, inputs.shape[0], (few, batch))
        weights, state, value = some(weights, state, jnp.asarray(which))
        if tell is not None and done % (20 * few) == 0:
            tell(done, float(value))
    layers = [(np.asarray(matrix, float), np.asarray(offset, float)) for matrix, offset in weights]
    matrix, offset = layers[0]
    layers[0] = matrix / spread, offset - matrix @ (mean / spread)
    values = np.concatenate([np.r_[matrix.ravel(), offset] for matrix, offset in layers])
    return Fit(np.array(sizes), values, float(value))


def outputs(own: Fit, x: Array) -> Array:
    """Outputs (n, k) of a network for inputs (n, m)."""
    at = 0
    for layer, (n, m) in enumerate(pairwise(own.sizes.tolist())):
        matrix, offset = own.values[at : at + n * m].reshape(m, n), own.values[at + n * m :][:m]
        x = x @ matrix.T + offset
        x = np.tanh(x) if layer < own.sizes.size - 2 else x
        at += m * (n + 1)
    return x
