"""Training of networks, where JAX is installed."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="training needs JAX: pip install fibermsk[train]")
pytest.importorskip("optax", reason="training needs optax: pip install fibermsk[train]")

from fibermsk.kernels.lines.material.network import evaluate_paths
from fibermsk.train.__main__ import network_of
from fibermsk.train.exact import CYLINDER
from fibermsk.train.fit import fit, outputs
from fibermsk.train.samples import APART, draw, draw_ends, ends_in_frame, samples_of


def test_a_short_training_repeats_and_is_what_kernels_evaluate(rng):
    own = draw(CYLINDER, 4000, rng)
    excess = (own.length - own.scales[..., 0])[..., None]
    arguments = own.length_inputs, own.scales[..., 1], excess, APART, [8], 400, 256, 3
    first, again = fit(*arguments), fit(*arguments)
    np.testing.assert_array_equal(first.values, again.values)
    found = own.scales[..., 1:] * outputs(first, own.length_inputs.reshape(-1, 6)).reshape(-1, 2, 1)
    assert np.mean((found - excess) ** 2) < 0.1 * np.mean(excess**2)
    targets = own.position[..., :2]
    way = fit(own.position_inputs, own.scales[..., 1], targets, APART, [4], 100, 64, 3)
    ends, alpha = draw_ends(CYLINDER, 5, rng), np.full(5, 0.5)
    x, length, turned = np.empty((5, 3)), np.empty(5), np.empty(5)
    network = network_of(CYLINDER, first, way)
    evaluate_paths(network, np.pi, *ends_in_frame(ends), alpha, x, length, turned)
    own, _ = samples_of(CYLINDER, ends, alpha)
    expected = own.scales[:, 0] + own.scales[:, 1] * outputs(first, own.length_inputs)[:, 0]
    np.testing.assert_allclose(length, expected, atol=1e-5)  # single precision of the weights
