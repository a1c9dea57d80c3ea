"""A bundle of straight fibers that shorten."""

import numpy as np
from make_result import make_fiber, make_result


def packed(n=7, n_frames=3):
    """A straight bundle: one fiber in the middle of others."""
    fibers = {}
    for k in range(n):
        turn = 2.0 * np.pi * k / (n - 1)
        place = np.array([np.cos(turn), np.sin(turn), 0.0]) * (0.014 if k < n - 1 else 0.0)
        origin = np.tile(place, (n_frames, 1))
        insertion = origin + np.linspace(0.3, 0.25, n_frames)[:, None] * [0.0, 0.0, 1.0]
        fibers[f"fiber_{k + 1}"] = make_fiber(origin, insertion, np.ones((n_frames, 1)), bow=0.0)
    return make_result(n_frames, fibers=fibers, bodies={})
