"""The least gap along a whole partner against a brute-force twin, on random fibers."""

import numpy as np
import pytest

from fibermsk._compile import kernel
from fibermsk.kernels.closest.chain import OPEN, UNSETTLED, find_partner
from fibermsk.kernels.closest.least_gap import is_lowest, least_gap, lowest_gap
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_rows, radius_along
from fibermsk.kernels.fibers.shape import power_coefficients

_SAMPLES = 400


def random_fiber(rng):
    """Nodes, reference, radii and element length of a fiber that bends and whose radius varies."""
    n = int(rng.integers(1, 7))
    h, length = 1.0 / n, 0.1
    theta = np.linspace(0.0, 1.0, n + 1)
    nodes = np.zeros((n + 1, 6))
    nodes[:, 0] = length * theta
    reference = nodes.copy()
    reference[:, 3] = length
    nodes[:, :3] += rng.choice([0.002, 0.02]) * rng.normal(size=(n + 1, 3))
    slope = np.gradient(nodes[:, :3], theta, axis=0) if n > 1 else np.tile([length, 0, 0], (2, 1))
    nodes[:, 3:] = slope + 0.3 * length * rng.normal(size=(n + 1, 3))
    # a belly, waves, or steps from element to element
    kind = rng.integers(3)
    points = theta[:-1, None] + h * np.linspace(0.0, 1.0, 5)
    swing = rng.uniform(0.0, 0.9)
    if kind == 0:
        radius = 1.0 + swing * 16.0 * (points * (1.0 - points)) ** 2
    elif kind == 1:
        radius = 1.0 + swing * np.sin(rng.uniform(1.0, 4.0) * n * points + rng.uniform(0.0, 6.0))
    else:
        radius = np.interp(points, theta, rng.uniform(1.0 - swing, 1.0 + swing, n + 1))
    radius *= rng.uniform(0.003, 0.02)
    poly = radius @ np.linalg.inv(np.vander(np.linspace(0.0, 1.0, 5), increasing=True)).T
    return nodes, reference, poly, np.full(n, h)


@kernel
def least_gaps(points, r_x, widest, candidates, power, rows, end_flag, gaps):
    """Gaps that the package finds for points (n, 3) with radii (n,)."""
    last = candidates.size
    for i in range(points.shape[0]):
        x, y, z = points[i]
        kind, e, xi, d = find_partner(
            x, y, z, r_x[i], widest, True, -1, 0, last, candidates, power, rows
        )
        if kind == OPEN:
            gaps[i] = np.inf
            continue
        held = False
        if kind == UNSETTLED:
            e, xi, held = least_gap(x, y, z, r_x[i], power, rows, end_flag, e, xi)
        for turn in range(2):
            r, _, _, _ = radius_along(e, xi, rows)
            square = 0.0
            for c in range(3):
                p = power[e, :, c]
                square += (p[0] + xi * (p[1] + xi * (p[2] + xi * p[3])) - points[i, c]) ** 2
            gaps[i] = np.sqrt(square) / (r_x[i] + r) - 1.0
            if turn == 1 or is_lowest(e, 0, last, candidates, x, y, z, r_x[i], gaps[i], rows):
                break
            e, xi, held = lowest_gap(
                (e, xi, held), 0, last, candidates, x, y, z, r_x[i], power, rows, end_flag
            )


def compare(rng, n_fibers, n_points):
    """How far the gaps found lie above the least of dense samples; and how many touch."""
    worst, touching = -np.inf, 0
    xi = np.linspace(0.0, 1.0, _SAMPLES + 1)
    for _ in range(n_fibers):
        nodes, reference, poly, h = random_fiber(rng)
        n = h.size
        elements = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
        power, start = np.empty((n, 4, 3)), np.empty((n, 4, 3))
        power_coefficients(nodes, elements, h, power)
        power_coefficients(reference, elements, h, start)
        rows = np.empty((n, N_COLUMNS))
        fill_rows(power, np.arange(n), start, poly, h, rows)
        factor = np.sqrt(
            np.linalg.norm(reference[:, 3:], axis=1) / np.linalg.norm(nodes[:, 3:], axis=1)
        )
        blend = xi * xi * (3.0 - 2.0 * xi)
        factor = factor[:-1, None] * (1.0 - blend) + factor[1:, None] * blend
        radii = (poly @ np.vander(xi, 5, increasing=True).T) * factor
        assert radii.min() > 0.0
        curve = np.einsum("km,ekc->emc", np.vander(xi, 4, increasing=True).T, power)
        near = curve[rng.integers(n, size=n_points), rng.integers(_SAMPLES, size=n_points)]
        points = near + rng.uniform(0.0, 2.0, (n_points, 1)) * radii.max() * _directions(
            rng, n_points
        )
        r_x = rng.uniform(0.002, 0.02, n_points)
        flag = np.zeros(n, np.int64)
        flag[0] += 1
        flag[-1] += 2
        found = np.empty(n_points)
        args = (np.arange(n), power, rows, flag, found)
        least_gaps(points, r_x, float(radii.max() * 1.01), *args)
        d = np.linalg.norm(curve[None] - points[:, None, None], axis=-1)
        gaps = (d / (r_x[:, None, None] + radii) - 1.0).min(axis=(1, 2))
        closed = gaps < 0.0
        touching += int(closed.sum())
        if closed.any():
            worst = max(worst, float((found - gaps)[closed].max()))
    return worst, touching


def _directions(rng, n):
    way = rng.normal(size=(n, 3))
    return way / np.linalg.norm(way, axis=1, keepdims=True)


def test_nothing_along_the_partner_is_nearer(rng):
    worst, touching = compare(rng, 40, 100)
    assert touching > 1000
    assert worst < 1e-10  # the samples are never below the minimum


@pytest.mark.slow
def test_nothing_along_the_partner_is_nearer_on_many_pairs():
    worst, touching = compare(np.random.default_rng(7), 1500, 100)
    assert touching > 1e5
    assert worst < 1e-10
