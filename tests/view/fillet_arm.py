"""An arm of two capsules."""

import numpy as np
from make_result import make_result

from fibermsk.results.result import BodyMotion, ShapeRecord

LENGTH, WIDE, THIN = 0.35, 0.035, 0.025


def bone(length, radius):
    return ShapeRecord("capsule", np.zeros(3), np.array([0.0, 0.0, -length]), radius)


def bent_arm(angles=(0.0, 1.0, 1.8), thin=THIN, at=-LENGTH, more=()):
    """Two bones with a hinge between them, at some angles [rad]."""
    turn = [[[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]] for a in angles]
    n = len(angles)
    still, zero = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    upper = BodyMotion(zero, still, (bone(LENGTH, WIDE), *more))
    lower = BodyMotion(zero + [0.0, 0.0, at], np.array(turn), (bone(0.287, thin),))
    return make_result(n, fibers={}, bodies={"upper": upper, "lower": lower})
