"""Kernels of the forces through cuts, and norms along fibers, against NumPy."""

import numpy as np

from fibermsk.elements.hermite import hermite_d1
from fibermsk.kernels.contact.cuts import begin_cuts, fill_along, find_places, join_elements
from fibermsk.kernels.fibers.norms import fiber_errors

ELEMENTS = np.array([[0, 1], [1, 2], [3, 4], [4, 5]])
"""Elements of two fibers."""


def test_places_of_points(rng):
    start = np.array([0, 3, 5, 8])  # of three runs, with two laws
    element, law = np.array([4, 4, 9]), np.array([0, 1, 0])
    weights = np.array([[0.2, 0.5, 0.3], [0.6, 0.4, 0.0]])
    points = np.array([0, 2, 3, 4, 6])
    own, width, high = np.empty(5, np.int64), np.empty(5), np.empty(5)
    find_places(points, start, element, law, weights, own, width, high)
    run = np.searchsorted(start, points, side="right") - 1
    at = law[run], points - start[run]
    np.testing.assert_array_equal(own, element[run])
    np.testing.assert_array_equal(width, weights[at])
    np.testing.assert_allclose(high, weights.cumsum(axis=1)[at], rtol=1e-15)


def test_forces_at_inner_nodes_share_the_imbalance(rng):
    residual, share = rng.normal(size=(4, 2, 6)), np.array([0.3, 0.8])
    before, force = np.array([0, 2]), np.zeros((6, 3))
    join_elements(residual, ELEMENTS, before, share, force)
    for e, part in zip(before, share, strict=True):
        second, first = residual[e, 1, :3], residual[e + 1, 0, :3]
        np.testing.assert_allclose(force[e + 1 + e // 2], (1 - part) * second - part * first)
    assert not force[[0, 2, 3, 5]].any()


def test_tangential_forces(rng):
    nodes, h, xi = rng.normal(size=(6, 6)), rng.uniform(0.2, 0.4, 4), np.array([0.1, 0.5, 0.8])
    through, n = rng.normal(size=(6, 3)), 4
    before, whole, along = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 3))
    begin_cuts(ELEMENTS, through, before, whole)
    begin, end = through[ELEMENTS[:, 0]], through[ELEMENTS[:, 1]]
    np.testing.assert_array_equal(before, np.repeat(begin[:, None], 3, axis=1))
    np.testing.assert_array_equal(whole, begin - end)
    fill_along(nodes, ELEMENTS, h, xi, before, whole, along)
    for e, (i, j) in enumerate(ELEMENTS):
        for k in range(xi.size):
            values = nodes[i, :3], nodes[i, 3:], nodes[j, :3], nodes[j, 3:]
            shapes = hermite_d1(xi[k], h[e])
            t = sum(shape * value for shape, value in zip(shapes, values, strict=True))
            force = begin[e] + xi[k] * (end[e] - begin[e])
            np.testing.assert_allclose(along[e, k], force @ t / np.linalg.norm(t), rtol=1e-12)


def test_root_mean_squares_along_fibers(rng):
    nodes, at_node = rng.normal(size=(6, 6)), np.array([0, -1, 1, -1, -1, -1])
    width, share = rng.uniform(0.1, 0.2, 6), rng.uniform(size=6)
    errors = np.empty(2)
    fiber_errors(nodes, at_node, width, share, np.array([0, 3, 6]), errors)
    square = (nodes[:, :3] ** 2).sum(axis=1)
    square[[0, 2]] = 0.0
    square = share * (square + width**2 * (nodes[:, 3:] ** 2).sum(axis=1))
    np.testing.assert_allclose(errors, np.sqrt([square[:3].sum(), square[3:].sum()]), rtol=1e-14)
    nodes[4, 1] = np.nan
    fiber_errors(nodes, at_node, width, share, np.array([0, 3, 6]), errors)
    assert np.isnan(errors).tolist() == [False, True]
