"""Where bellies lie along their paths, and how smooth their fibers are."""

import numpy as np
import pytest

from fibermsk.anatomy.models.along import proximal_of, smoothing_of
from fibermsk.anatomy.models.sizes import Sizes

LENGTH = 0.3


def sizes(radius, belly=0.1, n=7):
    return Sizes(n, 3e5, belly, radius, 0.3, 0.1)


def bent(at, angle):
    """A path (3, 3) that turns at a part of its length."""
    way = np.array([np.cos(angle), np.sin(angle), 0.0])
    corner = np.array([at * LENGTH, 0.0, 0.0])
    return np.array([np.zeros(3), corner, corner + (1.0 - at) * LENGTH * way])


@pytest.mark.parametrize("turned", [False, True])
def test_a_belly_lies_away_from_a_bend(turned):
    """Near the other end, and in the mirrored path at the mirrored place."""
    straight = bent(0.5, 0.0)
    assert proximal_of(sizes(0.01), straight, 0.1) == pytest.approx(0.5)
    path = bent(0.8, 1.0)[:: -1 if turned else 1]
    share = proximal_of(sizes(0.01), path, 0.15)
    assert (share > 0.7) if turned else (share < 0.3)
    other = proximal_of(sizes(0.01), path[::-1], 0.15)
    assert share + other == pytest.approx(1.0)


def test_a_slight_bend_moves_no_belly():
    assert proximal_of(sizes(0.01), bent(0.8, 0.05), 0.15) == pytest.approx(0.5)


def test_fibers_are_smoothed_over_their_thickness():
    # seven fibers side by side in a belly as long as they are
    radius = 0.02 / np.sqrt(7)
    assert smoothing_of(sizes(0.02), 0.1, LENGTH) == pytest.approx(2.0 * radius / LENGTH)
    assert smoothing_of(sizes(0.002), 0.1, LENGTH) == 0.02
    assert smoothing_of(sizes(0.08), 0.1, LENGTH) == 0.1
